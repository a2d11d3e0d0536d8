package authoring

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
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
	return a.Deliver(ctx, to, func(w io.Writer) error {
		if r.To.JSON {
			return report.JSON(w, d)
		}
		return d.writeText(w, deliver.ScreenOf(a, to))
	})
}

// writeText writes a table with a row for each rule, and below it why those cannot be answered that cannot.
func (d offlineDocument) writeText(w io.Writer, s world.Screen) error {
	counts := map[string]int{}
	for _, r := range d.Rules {
		counts[r.Answer]++
	}
	head := fmt.Sprintf("%s: recorded trials can answer %d of %s", d.Suite, counts[runner.AnswerYes],
		prose.Count(len(d.Rules), "rule"))
	if counts[runner.AnswerSome] > 0 {
		head += fmt.Sprintf(", and %d in part", counts[runner.AnswerSome])
	}
	t := table.Table{
		Columns: []table.Column{{Header: "rule", Least: 12}, {Header: "what it says", Least: 14, Drop: 1},
			{Header: "answered"}, {Header: "scenarios", Align: table.Right}},
		Indent: 2,
	}
	if d.Trials > 0 {
		t.Columns = append(t.Columns, table.Column{Header: "of trials", Align: table.Right})
	}
	for _, r := range d.Rules {
		scenarios := ""
		if len(r.Scenarios) > 0 {
			scenarios = fmt.Sprint(len(r.Scenarios))
		}
		row := []string{prose.Printable(r.Rule), prose.Printable(r.Spec), r.Answer, scenarios}
		if d.Trials > 0 && len(r.Scenarios) > 0 {
			row = append(row, fmt.Sprintf("%d of %d", r.Answered, r.Trials))
		}
		t.Rows = append(t.Rows, row)
	}
	lines, err := s.Lines(t)
	if err != nil {
		return err
	}
	lines = append([]string{head, ""}, lines...)
	lines = append(lines, "")
	for _, r := range d.Rules {
		lines = append(lines, reasonLines(r, s.Width)...)
	}
	if d.Other > 0 {
		lines = append(lines, "", fmt.Sprintf("Of no scenario of the suite: %d of %s.", d.Other,
			prose.Count(d.Trials, "trial")))
	}
	return deliver.WriteLines(w, lines, s)
}

// reasonLines are the rule, and what it is answered from or why it is not.
func reasonLines(r runner.OfflineRule, width int) []string {
	const indent = 22 // of the texts: most names of rules fit beside them
	start := fmt.Sprintf("  %-*s", indent-2, prose.Printable(r.Rule)+" ")
	what := r.Why
	switch r.Answer {
	case runner.AnswerNo:
		what = "no: " + what
	case runner.AnswerSome:
		what = "in part: " + what
	}
	var lines []string
	for _, text := range table.Wrap(prose.Printable(what), max(width-indent, 20)) {
		lines = append(lines, start+text)
		start = strings.Repeat(" ", indent)
	}
	return lines
}
