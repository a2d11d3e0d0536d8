package ingest

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// keptTrials is a source of trials that are given as records.
type keptTrials struct {
	records string
	fields  trial.Fields // that were asked for
	sampled []Sampling
	err     error // behind the last trial
}

func (l *keptTrials) Trials(_ context.Context, fields trial.Fields) iter.Seq2[*trial.Trial, error] {
	l.fields = fields
	return func(yield func(*trial.Trial, error) bool) {
		for t, err := range trial.Read(strings.NewReader(l.records), trial.Options{Unjudged: true}) {
			if !yield(t, err) {
				return
			}
		}
		if l.err != nil {
			yield(nil, l.err)
		}
	}
}

func (l *keptTrials) Sampled() []Sampling { return l.sampled }

// Trials of a source are held to what those of files are: the options, one variant, none twice; and what is known of
// how they were sampled is in the notes.
func TestSources(t *testing.T) {
	sampled := []Sampling{{Test: "a", Scenarios: []string{"a"}, Design: "sha256:0", MaxTrials: 9, Boundaries: "p1",
		Judged: 1, Outcome: "pass"}}
	torn := errors.New("torn")
	const one, two = `{"scenario":"a","trial":0,"outcome":"pass"}` + "\n", `{"scenario":"a","trial":1,"score":0.7}` + "\n"
	for name, c := range map[string]struct {
		source keptTrials
		o      Options
		want   string // outcomes, or the error
	}{
		"judged by a rule": {keptTrials{records: one + two}, Options{Pass: passRule(t, "score>=0.5")}, "pass pass"},
		"unjudged":         {keptTrials{records: one + two}, Options{}, "outcome"},
		"twice":            {keptTrials{records: one + one}, Options{}, "and again"},
		"variants": {keptTrials{records: one + strings.Replace(two, `"score":0.7`, `"variant":"b","outcome":"fail"`, 1)},
			Options{},
			"several variants"},
		"none": {keptTrials{}, Options{}, "holds no trials"},
		"torn": {keptTrials{records: one, err: torn}, Options{}, "torn"},
		"sampled": {keptTrials{records: one, sampled: sampled}, Options{Options: trial.Options{Fields: trial.BasicFields}},
			"pass"},
	} {
		source := c.source
		ctx := WithSources(t.Context(), func(_ context.Context, name string) (Source, error) {
			if name != "kept" {
				return nil, nil
			}
			return &source, nil
		})
		stream := Open([]string{"kept"}, c.o)
		var outcomes []string
		var err error
		for x, problem := range stream.Trials(ctx) {
			if err = problem; err == nil {
				outcomes = append(outcomes, x.Outcome.String())
			}
		}
		got := strings.Join(outcomes, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || err == nil && got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if source.fields != c.o.Fields {
			t.Errorf("%s: the fields %v are asked for", name, source.fields)
		}
		if name != "sampled" {
			continue
		}
		notes := stream.Notes()[0]
		if diff := cmp.Diff(sampled, notes.Sampled); diff != "" || notes.Format != stored || notes.Trials != 1 ||
			len(notes.Remarks) != 1 {
			t.Errorf("%+v\n%s", notes, diff)
		}
	}
	// Other names are files, and what a source cannot be found for is an error.
	ctx := WithSources(t.Context(), func(context.Context, string) (Source, error) { return nil, nil })
	for _, err := range Open([]string{"nowhere.jsonl"}, Options{}).Trials(ctx) {
		if err == nil || !strings.Contains(err.Error(), "nowhere.jsonl") {
			t.Error(err)
		}
	}
	ctx = WithSources(t.Context(), func(context.Context, string) (Source, error) { return nil, torn })
	for _, err := range Open([]string{"kept"}, Options{}).Trials(ctx) {
		if !errors.Is(err, torn) {
			t.Error(err)
		}
	}
}

// passRule is a rule of what passes.
func passRule(t *testing.T, text string) PassRule {
	t.Helper()
	r, err := ParsePassRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
