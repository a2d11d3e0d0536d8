package ingest

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// handOut hands out a trial of any format, with what the rules of the options say of
// it. A trial without a number gets the next one of its scenario, if so wanted.
func (in *input) handOut(t *trial.Trial, numbered bool) error {
	if err := in.identify(t); err != nil {
		return err
	}
	return in.deliver(t, numbered)
}

// identify gives the trial the scenario, the number and the variant that the options
// say it has.
func (in *input) identify(t *trial.Trial) error {
	if err := in.options.Scenario.apply(t); err != nil {
		return err
	}
	if v := in.options.SetVariant; v != "" {
		if t.Variant != "" && t.Variant != v {
			in.notes.replace(t.Variant)
		}
		t.Variant = v
	}
	return nil
}

// deliver numbers, judges and checks a trial that has its identity, and hands it out.
func (in *input) deliver(t *trial.Trial, numbered bool) error {
	if numbered {
		in.numbers.number(t)
	}
	in.notes.ToolErrors += in.options.ToolErrors.apply(t)
	if in.format != Trials { // those were checked when they were read
		if err := t.ValidateRecord(); err != nil {
			return err
		}
	}
	in.judge(t)
	if t.Outcome == trial.Unjudged && !in.options.Unjudged {
		return in.refuseUnjudged(t)
	}
	return in.emit(t)
}

// refuseUnjudged says that nothing tells the outcome of a trial.
func (in *input) refuseUnjudged(t *trial.Trial) error {
	e := &trial.FieldError{Place: t.Place, Field: "outcome", Problem: "is missing"}
	switch {
	case in.options.Pass.isSet():
		_, missing := in.options.Pass.judge(t)
		e.Problem += fmt.Sprintf(", and the rule %s does not tell: %s", prose.Excerpt(in.options.Pass.text), missing)
	case t.Score.Known:
		e.Advice, e.About = "there is a score: give the least score that passes with PassScore", "PassScore"
	case in.format >= OTLP:
		e.Problem += ": " + in.format.String() + " does not say whether this trial passed"
	}
	return e
}

// admitsUnjudged reports whether a trial whose record tells no outcome may go on: it
// may be judged later.
func (in *input) admitsUnjudged() bool { return in.options.Unjudged || in.options.Pass.isSet() }
