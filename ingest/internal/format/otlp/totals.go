package otlp

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// total sets the totals that no step knows to what the outer spans say.
// The steps' own tokens are the best: sums of agents count nested ones again, or leave out
// some. The model is that of the first answer of the agent itself, or of any span.
func (t *spanTree) total(x *record.Trace, steps []*span) {
	known := x.StepUsage()
	outer := t.outermostUsage()
	if !known.Input.Known && !known.Output.Known {
		x.SetTokens(outer)
	}
	if !known.Cost.Known {
		x.CostUSD = outer.Cost
	}
	for _, s := range steps {
		if name := s.modelName(); x.Model == "" && s.kind == llmSpan && s.depth == 0 {
			x.Model = record.ValidText(name)
		}
	}
	for _, s := range t.spans {
		if name := s.modelName(); x.Model == "" && !s.evaluates && s.kind != embeddingSpan {
			x.Model = record.ValidText(name)
		}
	}
}

// outermostUsage sums what spans say that stand in no span which says it too.
func (t *spanTree) outermostUsage() (sum record.Usage) {
	for _, s := range t.byLevel() {
		if s.isCounted = s.parentSpan != nil && s.parentSpan.isCounted; s.isCounted || s.evaluates {
			continue
		}
		u := s.usage()
		sum.Add(u)
		s.isCounted = u.Input.Known || u.Output.Known || u.Cost.Known
	}
	return sum
}

// wholeUsage is what the answer took. Where the innermost span does not know, that
// around it may.
// Only where that around it stands for the same call and no others.
func (s *span) wholeUsage() record.Usage {
	u := s.usage()
	for o := s; o.enclosing != nil && o.enclosing.kind == s.kind && len(o.enclosing.nested) == 1; {
		o = o.enclosing
		outer := o.usage()
		if !u.Input.Known && !u.Output.Known {
			u.TakeTokens(outer)
		}
		if !u.Cost.Known {
			u.Cost = outer.Cost
		}
	}
	return u
}
