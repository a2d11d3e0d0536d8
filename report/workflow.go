package report

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// mostAnnotations is how many GitHub shows of one kind and step.
const mostAnnotations = 10

// Annotations writes commands for the log of a workflow of GitHub Actions, at most
// ten: an ::error for what failed, then a ::warning for what is open. The last says
// how many there is no room for.
func Annotations(w io.Writer, result any) error {
	o, err := OutlineOf(result)
	if err != nil {
		return err
	}
	var lines []string
	for _, statuses := range [][]Status{{CaseFailed, CaseBroken}, {CaseOpen}} {
		for _, c := range o.Cases {
			kind := "error"
			switch {
			case c.Status != statuses[0] && c.Status != statuses[len(statuses)-1]:
				continue
			case c.Status == CaseOpen:
				kind = "warning"
			}
			title := cut(nameOf(c.Scenario)+": "+c.Name, 120)
			lines = append(lines, fmt.Sprintf("::%s title=%s::%s", kind, commandProperty(title), commandData(cut(c.Message, 1000))))
		}
	}
	if more := len(lines) - mostAnnotations + 1; more > 1 {
		lines = append(lines[:mostAnnotations-1], fmt.Sprintf("::error title=%s::%d more are in the summary", commandProperty(o.Subject), more))
	}
	text := ""
	for _, line := range lines {
		text += line + "\n"
	}
	return write(w, []byte(text))
}

// commandData escapes the message of a workflow command.
func commandData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(clean(text))
}

// commandProperty escapes a property of a workflow command.
func commandProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandData(text))
}

// Outputs writes the values of a step for the file that GITHUB_OUTPUT names: verdict,
// exit_code, subject, headline, reasons, failed, trials and what the kind of result
// has besides, such as cost_usd. A value of several lines stands between delimiters
// that are drawn from random, so that no value can end it and set another.
func Outputs(w io.Writer, result any, random io.Reader) error {
	o, err := OutlineOf(result)
	if err != nil {
		return err
	}
	reasons := ""
	for _, r := range o.Reasons {
		reasons += clean(r.Text) + "\n"
	}
	var failed []string
	for _, c := range o.Cases {
		if c.Status == CaseFailed || c.Status == CaseBroken {
			failed = append(failed, clean(nameOf(c.Scenario)+": "+c.Name))
		}
	}
	facts := []Fact{
		{"verdict", o.Verdict.String()}, {"exit_code", fmt.Sprint(o.ExitCode)}, {"schema", o.Schema}, {"subject", clean(o.Subject)}, {"headline", clean(o.Headline)},
		{"reasons", strings.TrimSuffix(reasons, "\n")}, {"failed", strings.Join(failed, "\n")}, {"failed_count", fmt.Sprint(len(failed))},
	}
	var text strings.Builder
	for _, f := range append(facts, outputValues(result)...) {
		if !strings.Contains(f.Value, "\n") {
			fmt.Fprintf(&text, "%s=%s\n", f.Name, f.Value)
			continue
		}
		delimiter := make([]byte, 16)
		if _, err := io.ReadFull(random, delimiter); err != nil {
			return fmt.Errorf("no random delimiter: %w", err)
		}
		mark := "end_" + hex.EncodeToString(delimiter)
		fmt.Fprintf(&text, "%s<<%s\n%s\n%s\n", f.Name, mark, f.Value, mark)
	}
	return write(w, []byte(text.String()))
}

// outputValues are the values that a kind of result has besides.
func outputValues(result any) []Fact {
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return given(*x)
	}
	switch r := result.(type) {
	case *runs.Result:
		return []Fact{
			{"trials", fmt.Sprint(r.Spent.Trials)}, {"tests", fmt.Sprint(len(r.Tests))}, {"cost_usd", number(r.Spent.CostUSD)}, {"duration_s", given(r.Spent.Duration)},
			{"cost_per_success", number(r.Reliability.CostPerSuccess)}, {"stopped_by", clean(string(r.StoppedBy))}, {"suite_digest", clean(r.Digest)},
		}
	case *gate.Result:
		return append([]Fact{{"decision", r.Decision.String()}}, outputValues(r.Run)...)
	case *verdict.ThresholdResult:
		trials := 0
		for _, s := range r.Scenarios {
			trials += s.Trials
		}
		return []Fact{{"trials", fmt.Sprint(trials)}, {"threshold", given(r.Threshold)}}
	case *sequential.Result:
		return []Fact{{"trials", fmt.Sprint(r.Trials)}, {"recorded", fmt.Sprint(r.Recorded)}}
	case *compare.Result:
		return []Fact{{"trials", fmt.Sprint(r.Baseline.Trials + r.Candidate.Trials)}, {"difference", number(r.Difference.Value)}}
	}
	return nil
}
