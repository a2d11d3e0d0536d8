package authoring

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial"
)

// offlineSchema names the JSON form of an [offlineDocument].
const offlineSchema = "tribunal/offline/v1"

// offlineDocument says which rules of a suite recorded trials can answer.
type offlineDocument struct {
	Schema string               `json:"schema"`
	Suite  string               `json:"suite"`
	Digest string               `json:"digest"`           // of the suite
	Files  []string             `json:"files,omitempty"`  // the recordings that were looked at
	Trials int                  `json:"trials,omitempty"` // in them
	Other  int                  `json:"other,omitempty"`  // of them, those of scenarios that the suite does not have
	Rules  []runner.OfflineRule `json:"rules"`
}

// CheckOffline asks the rules of a suite of recorded trials, or says what they would ask.
func CheckOffline(ctx context.Context, a *world.World, r CheckRequest) error {
	if err := evidence.CheckNames(r.Files, false); err != nil {
		return err
	}
	s, err := suitefile.Named(a, r.Suite)
	if err != nil {
		return err
	}
	scenarios, err := r.Choice.Selected(s)
	if err != nil {
		return err
	}
	to, err := r.To.File(ctx, a, append([]string{s.File}, r.Files...))
	if err != nil {
		return err
	}
	if err := evidence.Spared("--output", to, r.Files, false); err != nil {
		return err
	}
	d := offlineDocument{Schema: offlineSchema, Suite: s.Name, Digest: s.Digest(), Files: r.Files}
	known := map[string]bool{}
	for _, c := range scenarios {
		known[c.Name] = true
	}
	var trials []*trial.Trial
	if len(r.Files) > 0 {
		o := ingest.Options{AllVariants: true, Numbered: true}
		o.Unjudged = true
		o.Fields = trial.BasicFields | trial.StepFields | trial.InputField | trial.ContentFields
		err := evidence.Read(ctx, a, r.Files, o, evidence.Kept, func(t *trial.Trial) {
			d.Trials++
			if !known[t.Scenario] {
				d.Other++
			}
			trials = append(trials, t)
		})
		if err != nil {
			return err
		}
	}
	if d.Rules, err = runner.Offline(ctx, s, scenarios, trials); err != nil {
		return err
	}
	return r.To.Show(ctx, a, to, d.document())
}

// document is a table with a row for each rule, and below it why those cannot be answered that cannot.
func (x offlineDocument) document() *report.Document {
	counts := map[string]int{}
	for _, r := range x.Rules {
		counts[r.Answer]++
	}
	d := new(report.Document).Listing(offlineSchema, x.Suite, x)
	d.Headline = fmt.Sprintf("%s: recorded trials can answer %d of %s", x.Suite, counts[runner.AnswerYes],
		prose.Count(len(x.Rules), "rule"))
	if counts[runner.AnswerSome] > 0 {
		d.Headline += fmt.Sprintf(", and %d in part", counts[runner.AnswerSome])
	}
	d.Break()
	columns := []string{"rule", "what it says", "answered", ">scenarios"}
	if x.Trials > 0 {
		columns = append(columns, ">of trials")
	}
	t := d.NewTable("Rules", columns...).Names(12, "rule").Names(14, "what it says").Dropping("what it says")
	d.Break()
	for _, r := range x.Rules {
		scenarios, trials := "", ""
		if len(r.Scenarios) > 0 {
			scenarios, trials = fmt.Sprint(len(r.Scenarios)), fmt.Sprintf("%d of %d", r.Answered, r.Trials)
		}
		t.Add([]any{r.Rule, r.Spec, r.Answer, scenarios, trials}[:len(columns)]...)
		why := r.Why
		switch r.Answer {
		case runner.AnswerNo:
			why = "no: " + why
		case runner.AnswerSome:
			why = "in part: " + why
		}
		d.Line(r.Rule, why)
	}
	if x.Other > 0 {
		d.Close(fmt.Sprintf("Of no scenario of the suite: %d of %s.", x.Other, prose.Count(x.Trials, "trial")))
	}
	return d
}
