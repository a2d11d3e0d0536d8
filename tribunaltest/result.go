package tribunaltest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// ResultsVariable is the environment variable that names a folder into which every test writes its result.
const ResultsVariable = "TRIBUNAL_RESULTS"

// evidence are the trials in launch order.
func (r *rate) evidence() (list []runs.TrialEvidence) {
	for _, t := range r.trials {
		e := runs.TrialEvidence{Scenario: r.name, Number: t.number, CostUSD: t.cost}
		if t.outcome() != trial.Unjudged {
			e.Trial = t.record()
		}
		list = append(list, e)
	}
	return list
}

// spent is what all trials took.
func (r *rate) spent(took time.Duration) runs.Expense {
	s := runs.Expense{Duration: took.Seconds()}
	add := func(sum **int64, amount trial.Optional[int64]) {
		if amount.Known {
			if *sum == nil {
				*sum = new(int64)
			}
			**sum += amount.Value
		}
	}
	for _, t := range r.trials {
		if t.outcome() == trial.Unjudged {
			continue
		}
		s.Trials++
		s.Attempts++
		add(&s.InputTokens, t.input)
		add(&s.OutputTokens, t.output)
		if !t.cost.Known {
			s.CostUnknown++
			continue
		}
		if s.CostUSD == nil {
			s.CostUSD = new(float64)
		}
		*s.CostUSD += t.cost.Value
	}
	if s.CostUSD == nil {
		s.CostUnknown = 0 // nothing is known of any, which is not worth a word
	}
	return s
}

// tell says how the test ended, saves the result, and fails or skips the test.
func tell(t testing.TB, d Design, r *rate, result *runs.Result) {
	t.Helper()
	judged := result.Tests[0]
	t.Attr("tribunal.verdict", result.Verdict.String())
	t.Attr("tribunal.passes", fmt.Sprint(judged.Passes))
	t.Attr("tribunal.trials", fmt.Sprint(judged.Trials))
	if err := save(t, result); err != nil {
		t.Errorf("tribunaltest: %v", err)
	}
	for _, text := range r.causes() {
		t.Log(text)
	}
	sentence := sentence(judged.Reasons)
	for _, w := range judged.Warnings {
		t.Logf("note: %s", w.Text)
	}
	switch {
	case result.Recorded:
		t.Logf("recorded: %d of %s passed", judged.Passes, prose.Count(judged.Trials, "trial"))
	case result.Verdict == verdict.Fail:
		t.Errorf("Fail: %s", sentence)
	case result.Verdict == verdict.Pass:
		t.Logf("Pass: %s", sentence)
	case d.SkipUndecided:
		t.Skipf("undecided: %s", sentence)
	default:
		t.Errorf("undecided: %s", sentence)
	}
}

// sentence is why a test ended as it did.
func sentence(reasons []verdict.Reason) string {
	var parts []string
	for _, r := range reasons {
		parts = append(parts, r.Text)
	}
	return strings.Join(parts, "; ")
}

// causes says why trials did not pass, reasons that are alike once, the most frequent first.
func (r *rate) causes() []string {
	const most = 10
	var texts, numbers []string
	for _, t := range r.trials {
		record := t.record()
		if record.Error == nil || record.Outcome == trial.Unjudged {
			continue
		}
		texts = append(texts, record.Outcome.String()+": "+record.Error.Message)
		numbers = append(numbers, fmt.Sprintf("#%d", t.number))
	}
	var lines []string
	groups := phrase.Groups(texts)
	for i, g := range groups {
		if i == most {
			return append(lines, fmt.Sprintf("and %d more reasons", len(groups)-most))
		}
		var trials []string
		for _, at := range g.Of {
			trials = append(trials, numbers[at])
		}
		lines = append(lines, fmt.Sprintf("%d × %s (%s)", len(trials), g.Text, strings.Join(trials, ", ")))
	}
	return lines
}

// artifactsAreKept reports whether go test was told to keep the artifacts of tests: without -artifacts their folder
// goes away when the test ends.
func artifactsAreKept() bool {
	kept := flag.Lookup("test.artifacts")
	return kept != nil && kept.Value.String() == "true"
}

// save writes the result into the folder of the test's artifacts, where these are kept, and into that of the variable.
func save(t testing.TB, result *runs.Result) error {
	folder, kept := os.Getenv(ResultsVariable), artifactsAreKept()
	if folder == "" && !kept {
		return nil
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if kept {
		if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "tribunal.result.json"), text, 0o600); err != nil {
			return err
		}
	}
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, fileOf(t.Name())), text, 0o600)
}
