package trial

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// Decode decodes one line, or one JSON object that spans several. Of the options
// it heeds PassScore and Fields, and File for the place of an error. The trial
// shares no memory with the line.
func Decode(line []byte, o Options) (*Trial, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	d := newDecoder(o)
	var t Trial
	if err := d.trial(&t, bytes.TrimPrefix(line, byteOrderMark)); err != nil {
		locate(err, Place{File: o.File, Line: 1})
		return nil, err
	}
	t.Place = Place{File: o.File, Line: 1}
	// The decoder's strings lie in the line and its arenas.
	return t.Clone(), nil
}

// locate moves the place of an error, which is relative to a text that begins at
// start, to the file.
func locate(err error, start Place) {
	if e, ok := err.(interface{ place() *Place }); ok {
		p := e.place()
		p.File = start.File
		if p.Line == 0 && p.Column > 0 {
			p.Column += max(start.Column, 1) - 1
		}
		p.Line += start.Line
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// decoder decodes trials, one after the other. What it hands out refers to the
// text that it was given and to its arenas.
type decoder struct {
	passScore Optional[float64]
	scenario  string
	unjudged  bool // trials that nothing tells the outcome of are admitted
	fields    Fields

	quick   bool // scan reads the text, and not json
	scan    scanner
	json    *jsontext.Decoder
	source  bytes.Buffer // over text, what json reads
	text    []byte       // the value that is decoded
	name    []byte       // scratch for a name with escapes
	start   int          // offset of the value read last
	within  object       // what is decoded now, for errors
	names   *interner
	extra   []Member // of the trial, until it is complete
	steps   []Step   // arena of Trial.Steps
	members []Member // arena of all slices of members
}

// object names the JSON object that a field belongs to.
type object struct {
	name  string // "" for the trial itself, "steps", "model_usage", "error" or "tags"
	index int    // of the step, or of the model
}

// newDecoder returns a decoder with empty arenas, which interns nothing: of one trial hardly any name comes twice.
func newDecoder(o Options) *decoder {
	return &decoder{
		passScore: o.PassScore,
		scenario:  o.Scenario,
		unjudged:  o.Unjudged,
		fields:    o.Fields,
		json:      jsontext.NewDecoder(bytes.NewReader(nil)),
	}
}

// recycle empties the arenas. Trials handed out before are void.
func (d *decoder) recycle() {
	d.steps, d.members = d.steps[:0], d.members[:0]
}

// judgement is what the field passed says of the outcome, kept until the whole object is read:
// outcome and score, the two other ways to say it, may stand behind it.
type judgement struct {
	passed   Optional[bool]
	passedAt int // offset of "passed"
}

// trial decodes the text, which must be one JSON object, into t.
//
// The scanner reads nearly all texts, and several times as fast as jsontext does. Where it gives up, and where anything
// is wrong, the text is decoded once more, by jsontext, which knows what is wrong and where.
func (d *decoder) trial(t *Trial, text []byte) error {
	steps, members := len(d.steps), len(d.members)
	d.quick = true
	if d.whole(t, text) == nil {
		return nil
	}
	*t, d.steps, d.members = Trial{}, d.steps[:steps], d.members[:members]
	d.quick = false
	return d.whole(t, text)
}

// whole decodes a text with the scanner or with jsontext.
func (d *decoder) whole(t *Trial, text []byte) error {
	if err := d.open(text); err != nil {
		return err
	}
	var j judgement
	for {
		name, more, err := d.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := d.field(t, &j, name); err != nil {
			return err
		}
	}
	if err := d.close(); err != nil {
		return err
	}
	t.Extra = d.keep(d.extra)
	return d.judge(t, j)
}

// field decodes the value of a field of the trial.
func (d *decoder) field(t *Trial, j *judgement, name []byte) error {
	switch string(name) {
	case "scenario":
		return d.word(&t.Scenario, "scenario")
	case "trial":
		return d.count(&t.Index, "trial")
	case "variant":
		return d.word(&t.Variant, "variant")
	case "outcome":
		return d.outcome(&t.Outcome)
	case "passed":
		err := d.truth(&j.passed, "passed")
		j.passedAt = d.start
		return err
	case "score":
		return d.number(&t.Score, "score", false)
	case "error":
		return d.cause(t)
	case "started_at":
		return d.timestamp(&t.StartedAt, "started_at")
	case "duration_s":
		return d.number(&t.DurationSeconds, "duration_s", true)
	case "model":
		return d.word(&t.Model, "model")
	case "cost_usd":
		return d.number(&t.CostUSD, "cost_usd", true)
	case "cost_basis":
		return d.costBasis(&t.CostBasis)
	case "cost_usd_at_least":
		return d.number(&t.CostAtLeast, "cost_usd_at_least", true)
	case "tokens_at_least":
		return d.tokens(&t.TokensAtLeast, "tokens_at_least")
	case "input_tokens":
		return d.tokens(&t.InputTokens, "input_tokens")
	case "output_tokens":
		return d.tokens(&t.OutputTokens, "output_tokens")
	case "cached_tokens":
		return d.tokens(&t.CachedTokens, "cached_tokens")
	case "cache_write_tokens":
		return d.tokens(&t.CacheWrites, "cache_write_tokens")
	case "turns":
		return d.count(&t.Turns, "turns")
	case "tool_calls":
		return d.count(&t.ToolCalls, "tool_calls")
	case "model_usage":
		return d.modelUsage(t)
	case "steps":
		return d.stepList(t)
	case "input":
		return d.raw(&t.Input, InputField)
	case "output":
		return d.raw(&t.Output, ContentFields)
	case "attempt":
		return d.count(&t.Attempt, "attempt")
	case "tags":
		return d.tags(t)
	}
	return d.unknown(&d.extra, name)
}

// judge gives the trial its outcome, and completes the errors that only the text
// explains.
func (d *decoder) judge(t *Trial, j judgement) error {
	if t.Scenario == "" {
		t.Scenario = d.scenario
	}
	byScore := t.Score.Known && d.passScore.Known
	if d.unjudged && t.Scenario != "" && t.Outcome == Unjudged && !j.passed.Known && !byScore {
		return nil
	}
	err := t.Judge(j.passed, d.passScore)
	e, ok := errors.AsType[*FieldError](err)
	switch {
	case !ok:
		return err
	case e.Field == "passed":
		e.Place = d.at(j.passedAt)
	default:
		d.meant(e)
	}
	return e
}
