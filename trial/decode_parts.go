package trial

// stepList decodes the value of "steps".
//
// Steps are decoded and checked also where they are not kept: whether a file is valid must not
// depend on what somebody reads from it.
func (d *decoder) stepList(t *Trial) error {
	open, err := d.beginField('[', "steps", "an array of objects", "")
	if !open {
		return err
	}
	keep := d.fields.keeps(StepFields)
	first := len(d.steps)
	err = d.each("steps", func() error {
		var s Step
		if err := d.step(&s); err != nil {
			return err
		}
		if keep {
			d.steps = append(d.steps, s)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if keep {
		t.Steps = d.steps[first:len(d.steps):len(d.steps)]
		// Recorded, and none: not the same as unknown, which is nil.
		if t.Steps == nil {
			t.Steps = []Step{}
		}
	}
	return nil
}

// each decodes the objects of the array of a field, which is open.
func (d *decoder) each(field string, decode func() error) error {
	d.within.name = field
	for d.within.index = 0; ; d.within.index++ {
		if more, err := d.more(']'); err != nil {
			return err
		} else if !more {
			break
		}
		if err := decode(); err != nil {
			return err
		}
	}
	d.within = object{}
	return nil
}

// modelUsage decodes the value of "model_usage".
func (d *decoder) modelUsage(t *Trial) error {
	open, err := d.beginField('[', "model_usage", "an array of objects", "")
	if !open {
		return err
	}
	return d.each("model_usage", func() error {
		var u ModelUse
		err := d.modelUse(&u)
		t.ModelUsage = append(t.ModelUsage, u)
		return err
	})
}

// modelUse decodes what a model took. Its name is all that it needs.
func (d *decoder) modelUse(u *ModelUse) error {
	err := d.part(`write one such as {"model":"…","cost_usd":0.1}`, &u.Extra, func(name []byte) error {
		switch string(name) {
		case "model":
			return d.word(&u.Model, "model")
		case "cost_usd":
			return d.number(&u.CostUSD, "cost_usd", true)
		case "input_tokens":
			return d.tokens(&u.InputTokens, "input_tokens")
		case "output_tokens":
			return d.tokens(&u.OutputTokens, "output_tokens")
		case "cached_tokens":
			return d.tokens(&u.CachedTokens, "cached_tokens")
		case "cache_write_tokens":
			return d.tokens(&u.CacheWrites, "cache_write_tokens")
		}
		return d.unknown(&d.members, name)
	})
	if err == nil && u.Model == "" {
		err = d.missing("model", namesModel)
	}
	return err
}

// step decodes one step. Its action is all that it needs.
func (d *decoder) step(s *Step) error {
	err := d.part(`write one such as {"action":"call_tool","tool":"…"}`, &s.Extra, func(name []byte) error {
		return d.stepField(s, name)
	})
	if err == nil && s.Action == "" {
		err = d.missing("action", "write reason, call_tool, respond or another word")
	}
	return err
}

// part decodes an object of an array, field by field, and keeps the fields that are not known.
func (d *decoder) part(advice string, extra *[]Member, field func(name []byte) error) error {
	open, err := d.beginField('{', "", "an object", advice)
	if err != nil {
		return err
	}
	if !open {
		return d.typeError("", []byte("null"), "an object", "")
	}
	first := len(d.members)
	for {
		name, more, err := d.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := field(name); err != nil {
			return err
		}
	}
	*extra = d.kept(first)
	return nil
}

// stepField decodes the value of a field of a step, and keeps it if the options ask for
// it.
func (d *decoder) stepField(s *Step, name []byte) error {
	switch string(name) {
	case "action":
		return d.word((*string)(&s.Action), "action")
	case "tool":
		return d.word(&s.Tool, "tool")
	case "arguments":
		return d.raw(&s.Arguments, ContentFields)
	case "output":
		return d.raw(&s.Output, ContentFields)
	case "error":
		return d.message(&s.Error, "error", d.fields.keeps(StepFields))
	case "depth":
		return d.count(&s.Depth, "depth")
	case "duration_s":
		return d.number(&s.DurationSeconds, "duration_s", true)
	case "cost_usd":
		return d.number(&s.CostUSD, "cost_usd", true)
	case "input_tokens":
		return d.tokens(&s.InputTokens, "input_tokens")
	case "output_tokens":
		return d.tokens(&s.OutputTokens, "output_tokens")
	case "cached_tokens":
		return d.tokens(&s.CachedTokens, "cached_tokens")
	case "cache_write_tokens":
		return d.tokens(&s.CacheWrites, "cache_write_tokens")
	case "model":
		return d.word(&s.Model, "model")
	}
	return d.unknown(&d.members, name)
}

// cause decodes the value of "error".
func (d *decoder) cause(t *Trial) error {
	const advice = `write one such as {"origin":"infrastructure","type":"timeout","message":"…"}`
	open, err := d.beginField('{', "error", "an object", advice)
	if !open {
		return err
	}
	// For the names in messages: error.origin.
	d.within.name = "error"
	first := len(d.members)
	cause := &Cause{}
	for {
		name, more, err := d.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch string(name) {
		case "origin":
			err = d.word((*string)(&cause.Origin), "origin")
		case "type":
			err = d.word(&cause.Type, "type")
		case "message":
			err = d.message(&cause.Message, "message", true)
		default:
			err = d.unknown(&d.members, name)
		}
		if err != nil {
			return err
		}
	}
	d.within = object{}
	cause.Extra = d.kept(first)
	t.Error = cause
	return nil
}

// tags decodes the value of "tags".
//
// Values of tags may be any JSON, and are kept as they are written.
func (d *decoder) tags(t *Trial) error {
	open, err := d.beginField('{', "tags", "an object", `write one such as {"commit":"c9e1346"}`)
	if !open {
		return err
	}
	keep := d.fields.keeps(TagFields)
	first := len(d.members)
	for {
		name, more, err := d.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if keep {
			err = d.member(&d.members, name)
		} else {
			_, err = d.value()
		}
		if err != nil {
			return err
		}
	}
	t.Tags = d.kept(first)
	return nil
}
