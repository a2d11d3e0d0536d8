package ingest

// total sets the totals that no step knows to what the outer spans say.
func (t *spanTree) total(x *trace, steps []*span) {
	known := x.stepUsage()
	outer := t.outermostUsage()
	if !known.input.Known && !known.output.Known {
		x.InputTokens, x.OutputTokens = outer.input, outer.output
	}
	if !known.cost.Known {
		x.CostUSD = outer.cost
	}
	for _, s := range steps {
		if name := s.modelName(); x.Model == "" && s.kind == llmSpan && s.depth == 0 {
			x.Model = validText(name)
		}
	}
	for _, s := range t.spans {
		if name := s.modelName(); x.Model == "" && !s.judging && s.kind != embeddingSpan {
			x.Model = validText(name)
		}
	}
}

// outermostUsage sums what spans say that stand in no span which says it too.
func (t *spanTree) outermostUsage() (sum usage) {
	counted := map[*span]bool{}
	for _, s := range t.byLevel() {
		if counted[s.up] || s.judging {
			counted[s] = s.up != nil && counted[s.up]
			continue
		}
		u := s.usage()
		sum.add(u)
		counted[s] = u.input.Known || u.output.Known || u.cost.Known
	}
	return sum
}

// wholeUsage is what the answer took. Where the innermost span does not know, that
// around it may.
func (s *span) wholeUsage() usage {
	u := s.usage()
	for o := s; o.around != nil && o.around.kind == s.kind && len(o.around.inner) == 1; {
		o = o.around
		outer := o.usage()
		if !u.input.Known && !u.output.Known {
			u.input, u.output = outer.input, outer.output
		}
		if !u.cost.Known {
			u.cost = outer.cost
		}
	}
	return u
}
