package ingest

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// ReadOne reads the one trial that a text is, in a format, for a program that knows
// what was tried: the scenario is that of a trial that names none, and nobody need
// have judged it. With [Auto] the text may be anything, and found says whether it
// shows a format: JSON that is no trial and plain text show none.
func ReadOne(text []byte, from Format, scenario string) (t *trial.Trial, found bool, err error) {
	text = bytes.TrimSpace(text)
	if from == Auto {
		if from, found = shows(text); !found {
			return nil, false, nil
		}
	}
	if from == Trials {
		t, err = trial.Decode(text, trial.Options{Scenario: scenario, Unjudged: true})
		return t, true, err
	}
	o := Options{From: from, AllowDuplicates: true}
	o.File, o.Options.Scenario, o.Unjudged = "the output", scenario, true
	for x, err := range NewStream(bytes.NewReader(text), o).Trials(context.Background()) {
		if err != nil {
			return nil, true, err
		}
		if t != nil {
			return nil, true, fmt.Errorf("it holds more than one trial")
		}
		t = x.Clone()
	}
	return t, true, nil
}

// shows returns the format that a text surely is.
// Unlike [Detect] it needs a field that only trials have: any answer may be JSON.
func shows(text []byte) (Format, bool) {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' && text[0] != '<' {
		return Auto, false // a word such as pass is an answer
	}
	if format, err := detect(text[:min(len(text), record.PrefixBytes)]); err == nil && format != Trials {
		return format, true
	}
	names, _ := record.MemberNames(text)
	for _, name := range names {
		switch name {
		case "outcome", "steps", "scenario", "passed":
			return Trials, true
		}
	}
	// An output beside what it took: an answer that is itself an object has no price.
	measured := func(name string) bool {
		return slices.Contains([]string{"cost_usd", "input_tokens", "output_tokens", "duration_s"}, name)
	}
	if slices.Contains(names, "output") && slices.ContainsFunc(names, measured) {
		return Trials, true
	}
	return Auto, false
}
