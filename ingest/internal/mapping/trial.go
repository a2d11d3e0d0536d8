package mapping

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// keptSamples is how many records are looked at where a path led nowhere; chosen.
const keptSamples = 20

// value returns what a record says of a field, and counts it; nothing for a field that is not mapped.
func (r *mappedFile) value(s *source, in *scope) record.Node {
	if s == nil {
		return record.Node{}
	}
	n, matched := s.value(in)
	use := &r.uses[s.use]
	use.looked, use.matched = true, use.matched || matched
	return n
}

// trial hands out the trial that a record is.
func (r *mappedFile) trial(in *scope) error {
	if len(r.samples) < keptSamples {
		r.samples = append(r.samples, in)
	}
	m := r.mapping
	t := &record.Trace{Trial: trial.Trial{Place: r.in.Place(in.line)}, Notes: r.in.Notes}
	isTrial, err := r.judge(&t.Trial, in)
	if err != nil || !isTrial {
		return err
	}
	t.Scenario = r.text(m.scenario, in)
	if t.Scenario == "" {
		r.in.Notes.Skip("records without a scenario")
		return nil
	}
	t.Variant, t.Model = r.text(m.variant, in), r.text(m.model, in)
	if err := r.numbers(&t.Trial, in); err != nil {
		return err
	}
	if err := r.times(t, in); err != nil {
		return err
	}
	cause := trial.Cause{
		Message: r.text(m.causeMessage, in), Type: r.text(m.causeType, in), Origin: trial.Origin(r.text(m.causeOrigin, in)),
	}
	if n := r.value(m.causeMessage, in); cause.Message == "" && n.Exists() {
		cause.Message = record.ValidText(n.ErrorText())
	}
	if cause.Message != "" || cause.Type != "" {
		t.Error = &cause
	}
	t.Input, t.Output = r.raw(m.input, in), r.raw(m.output, in)
	for _, tag := range m.tags {
		t.SetTag(tag.name, r.value(tag.source, in))
	}
	if err := r.stepsOf(t, in); err != nil {
		return err
	}
	r.countMissing(in)
	r.trials++
	return r.in.EmitTrace(t)
}

// text returns a text, "" where there is none.
func (r *mappedFile) text(s *source, in *scope) string {
	return record.Shared(record.ValidText(strings.TrimSpace(r.value(s, in).Text())))
}

// raw returns any value.
func (r *mappedFile) raw(s *source, in *scope) trial.Raw {
	n := r.value(s, in)
	if n.IsText() {
		return trial.RawString(record.ValidText(n.Text()))
	}
	return n.Raw()
}

// numbers sets what is counted.
func (r *mappedFile) numbers(t *trial.Trial, in *scope) (err error) {
	m := r.mapping
	if t.Index, err = r.ordinal(m.index, in); err != nil {
		return err
	}
	if t.Attempt, err = r.ordinal(m.attempt, in); err != nil {
		return err
	}
	if t.Score, err = r.number(m.score, in); err != nil {
		return err
	}
	if t.DurationSeconds, err = r.amount(m.duration, in); err != nil {
		return err
	}
	if t.CostUSD, err = r.amount(m.cost, in); err != nil {
		return err
	}
	if t.InputTokens, err = r.count(m.inputTokens, in); err != nil {
		return err
	}
	t.OutputTokens, err = r.count(m.outputToken, in)
	return err
}

// times sets when the trial began, and how long it took.
func (r *mappedFile) times(t *record.Trace, in *scope) error {
	for _, s := range []*source{r.mapping.startedAt, r.mapping.endedAt} {
		at, err := r.time(s, in)
		if err != nil {
			return err
		}
		t.AddTime(at)
	}
	return nil
}

// countMissing counts the fields of which a record says nothing.
func (r *mappedFile) countMissing(in *scope) {
	for _, s := range r.mapping.sources {
		if s.optional || s.fallback.Exists() || r.mapping.isOfStep(s) {
			continue
		}
		if n, _ := s.value(in); !n.Exists() {
			r.uses[s.use].missing++
		}
	}
}
