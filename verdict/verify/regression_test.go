package verify

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// plans are tests against a baseline that take few trials.
type plans struct {
	stored, sequential  *baseline.Family
	sideBySide, matched *baseline.Rounds
	sequentialB         sprt.Boundaries
}

var smallPlans = sync.OnceValues(func() (p plans, err error) {
	ctx, h := context.Background(), baseline.Hypotheses{Delta: .4, Alpha: .15, Beta: .2,
		Guarded: stats.Interval{Low: .75, High: 1}}
	fixed, err := baseline.Fixed(12)
	if err != nil {
		return p, err
	}
	stored, err := baseline.Against(ctx, baseline.Question{Delta: .4, Alpha: .15, Beta: .2, Gamma: .01}, fixed,
		baseline.Outcome{Trials: 12, Failures: 1}, baseline.Options{})
	if err != nil {
		return p, err
	}
	wald, err := sprt.Wald(sprt.Hypotheses{Threshold: .9, Delta: .4, Alpha: .1, Beta: .1}, 14)
	if err != nil {
		return p, err
	}
	sample, err := baseline.Sequential(wald.Boundaries)
	if err != nil {
		return p, err
	}
	sequential, err := baseline.Stored(ctx, h, sample, baseline.Options{})
	if err != nil {
		return p, err
	}
	sides, err := baseline.SideBySide(ctx, h, baseline.Options{})
	if err != nil {
		return p, err
	}
	matched, err := baseline.Matched(ctx, baseline.MatchedHypotheses{Delta: .4, Alpha: .15, Beta: .2, MostDiscordant: .6},
		baseline.Options{})
	return plans{stored.Family, sequential.Family, sides.Test, matched.Test, wald.Boundaries}, err
})

// marked gives a test the trials of its marks; in rounds those of both sides in turn.
func marked(t *testing.T, e runs.TestEvidence, candidate, base string) runs.TestEvidence {
	t.Helper()
	e.Scenarios = []string{e.Name}
	one := func(letter byte, number int, isBaseline bool) runs.TrialEvidence {
		x := runs.TrialEvidence{Scenario: e.Name, Number: number, Baseline: isBaseline,
			CostUSD: trial.Some(0.1 + 0.01*float64(number))}
		if letter == '.' {
			return x
		}
		x.Trial = &trial.Trial{Scenario: e.Name, DurationSeconds: trial.Some(float64(number))}
		j := oracle.Judgement{Outcome: map[byte]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[letter],
			Text: "because"}
		if err := j.Record(x.Trial); err != nil {
			t.Fatal(err)
		}
		return x
	}
	for i := range candidate {
		if base != "" {
			e.Trials = append(e.Trials, one(base[i], i, true))
		}
		e.Trials = append(e.Trials, one(candidate[i], i, false))
	}
	return e
}

// comparedRun has a test against a baseline of each kind.
func comparedRun(t *testing.T) *runs.Result {
	t.Helper()
	r, err := runs.Judge(t.Context(), comparedEvidence(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func comparedEvidence(t *testing.T) runs.Evidence {
	t.Helper()
	p, err := smallPlans()
	if err != nil {
		t.Fatal(err)
	}
	wald, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.8, Delta: 0.3, Alpha: 0.05, Beta: 0.1}, 30)
	if err != nil {
		t.Fatal(err)
	}
	source := runs.BaselineSource{File: "main.json", Finished: "2026-01-02T03:04:05Z", Task: "sha256:0a",
		Changed: []string{"agent.env.MODEL: small -> large"}}
	stored := func(failures, errors int) *runs.Against {
		return &runs.Against{Stored: &runs.StoredBaseline{Family: p.stored,
			Outcome: baseline.Outcome{Trials: 12, Failures: failures}, Errors: errors, Source: source}}
	}
	// The first of a baseline's trials ended in an error.
	ends := &runs.Against{Stored: &runs.StoredBaseline{Family: p.sequential, Errors: 1, Source: source,
		Outcome: firstPass(t, p.sequentialB, 0), Worst: firstPass(t, p.sequentialB, 1)}}
	changed := []string{"agent.command: [\"old\"] -> [\"new\"]"}
	e := runs.Evidence{
		Suite: "shop", Digest: "sha256:00", Seed: 7, StoppedBy: runs.StoppedByDecision, Finished: "2026-02-03T04:05:06Z",
		Settings: []string{"agent.command: [\"new\"]"}, BaselineSettings: []string{"agent.command: [\"old\"]"},
		VariantSettings: map[string][]string{"large": {"agent.env.MODEL: large"}},
		Tests: []runs.TestEvidence{
			marked(t, runs.TestEvidence{Name: "stored", Against: stored(1, 0), Variant: "large"}, strings.Repeat("P", 9), ""),
			marked(t, runs.TestEvidence{Name: "errors", Against: stored(0, 1)}, "FFEFFFFFPP", ""),
			marked(t, runs.TestEvidence{Name: "ends", Against: ends}, strings.Repeat("P", 9), ""),
			marked(t, runs.TestEvidence{Name: "both", Against: stored(1, 0), Design: wald}, strings.Repeat("P", 9), ""),
			marked(t, runs.TestEvidence{Name: "sides", Against: &runs.Against{Rounds: p.sideBySide, Changed: changed}},
				"PFFFFFPFFP", "PPPPEPPPPP"),
			marked(t, runs.TestEvidence{Name: "pairs", Against: &runs.Against{Rounds: p.matched, Changed: changed}},
				"PPPPPPPPPP.P", "PPPPPPPPPPPP"),
			marked(t, runs.TestEvidence{Name: "stopped", Against: stored(1, 0)}, "P.", ""),
		},
	}
	for _, test := range e.Tests {
		for _, x := range test.Trials {
			if x.Trial != nil {
				e.Spent.Trials++
			}
		}
	}
	e.Spent.Attempts, e.StoppedBy = e.Spent.Trials, stopOf(t, e)
	return e
}

// firstPass is where a test ends whose first trials fail and all others pass.
func firstPass(t *testing.T, b sprt.Boundaries, failures int) baseline.Outcome {
	t.Helper()
	for i, pass := range b.PassAtOrBelow {
		if i >= failures && pass >= failures {
			return baseline.Outcome{Trials: i + 1, Failures: failures}
		}
	}
	t.Fatal("it does not pass")
	return baseline.Outcome{}
}

// rawOfBaseline are leaves of what a test is against, from which nothing else follows.
var rawOfBaseline = map[string]string{
	"finished_at": "a time", "settings[]": "of the agent", "baseline_settings[]": "of the agent",
	"variant_settings.large[]": "of the agent",
	"scenarios[].variant":      "a name", "scenarios[].regression.source.file": "a name",
	"scenarios[].regression.source.finished_at": "a time",
	"scenarios[].regression.source.task_digest": "of the baseline",
	"scenarios[].regression.source.changed[]":   "of the baseline",
	"trials[].scenario":                         "a test of one scenario may have another name",
	"trials[].trial":                            "its number", "trials[].text": "what a judge said",
	"scenarios[].failures[].text": "what a judge said",
}

// Whatever is changed in a run that has tests against baselines, it is found.
func TestEveryChangeOfARunAgainstBaselinesIsFound(t *testing.T) {
	t.Parallel()
	r := comparedRun(t)
	want := map[string]verdict.Verdict{"stored": verdict.Pass, "errors": verdict.Fail, "ends": verdict.Pass,
		"both":  verdict.Pass,
		"sides": verdict.Fail, "pairs": verdict.Pass, "stopped": verdict.Inconclusive}
	for _, test := range r.Tests {
		if test.Verdict != want[test.Name] {
			t.Errorf("%s: %v, %v", test.Name, test.Verdict, test.Reasons)
		}
	}
	free := with(rawOfRun(""), rawOfBaseline)
	for _, missed := range unfounded(t, r, free) {
		t.Error(missed)
	}
}

// Of trials for which there is no room the figures of both sides are kept.
func TestEveryChangeOfACrowdedRunAgainstBaselinesIsFound(t *testing.T) {
	t.Parallel()
	e := comparedEvidence(t)
	e.Tests = e.Tests[4:6] // in rounds
	e.Spent.Trials = 0
	for _, test := range e.Tests {
		for _, x := range test.Trials {
			if x.Trial != nil {
				e.Spent.Trials++
			}
		}
	}
	e.Spent.Attempts, e.VariantSettings = e.Spent.Trials, nil
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	const room = 5
	r.Trials, r.TrialsOmitted = r.Trials[:room], len(r.Trials)-room
	r.AddMeasures(e)
	if m := r.Tests[0].Regression.Measures; m == nil || len(m.CostUSD) != len(r.Tests[0].Outcomes) {
		t.Fatalf("the figures of the baseline: %+v", m)
	}
	number := "of a trial that is neither listed nor failed"
	free := with(rawOfRun(""), rawOfBaseline, map[string]string{"scenarios[].measures.number": number,
		"scenarios[].regression.baseline_measures.number": number,
		"scenarios[].name":                         "no trial of it is listed",
		"scenarios[].regression.baseline_outcomes": "of a trial beyond the end"},
		rawOfUsage("usage*", "baseline_usage*", "scenarios[].usage*"))
	for _, absent := range []string{"variant_settings.large[]", "scenarios[].regression.source.file",
		"scenarios[].regression.source.finished_at", "scenarios[].regression.source.task_digest",
		"scenarios[].variant", "scenarios[].measures.number", "scenarios[].regression.baseline_measures.number"} {
		delete(free, absent)
	}
	for _, missed := range unfounded(t, r, free) {
		t.Error(missed)
	}
}

// A correction for the number of tests is judged again, and so is a recording.
func TestEveryChangeOfACorrectedRunIsFound(t *testing.T) {
	t.Parallel()
	whole := comparedRun(t)
	e, err := whole.Evidence()
	if err != nil {
		t.Fatal(err)
	}
	first := e.Tests[1]
	e.Tests, e.Correction, e.VariantSettings = []runs.TestEvidence{first, e.Tests[0]}, new(multiplicity.Holm), nil
	e.Spent.Trials = 0
	for _, test := range e.Tests {
		e.Spent.Trials += len(test.Trials)
	}
	e.Spent.Attempts = e.Spent.Trials
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if r.Correction == nil || !strings.Contains(r.Reasons[0].Text, "corrected for the number of scenarios") {
		t.Errorf("%v: %v", r.Correction, r.Reasons)
	}
	free := with(rawOfRun(""), rawOfBaseline, map[string]string{"correction": "others leave the same here"})
	if r.Verdict == verdict.Inconclusive {
		free["exit_code"] = "--on-inconclusive may have changed it"
	}
	for _, absent := range []string{"variant_settings.large[]", "trials[].text"} {
		delete(free, absent)
	}
	for _, missed := range unfounded(t, r, free) {
		t.Error(missed)
	}
}

// A recording decides nothing, and says so.
func TestEveryChangeOfARecordingIsFound(t *testing.T) {
	t.Parallel()
	recording, err := sprt.Recording(6)
	if err != nil {
		t.Fatal(err)
	}
	e := runs.Evidence{Suite: "shop", Digest: "sha256:00", StoppedBy: runs.StoppedByMaxTrials,
		Spent: runs.Expense{Trials: 12, Attempts: 12}}
	for _, name := range []string{"refund", "cancel"} {
		e.Tests = append(e.Tests, marked(t, runs.TestEvidence{Name: name, Design: recording}, "PPFPPE", ""))
	}
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Recorded || r.ExitCode != 0 || r.Verdict != verdict.Inconclusive || r.Header().Judged ||
		len(r.Characteristics) > 0 ||
		r.Reasons[0].Text != "8 of 12 trials of 2 scenarios passed; a recording decides nothing" {
		t.Errorf("%+v", r.Header())
	}
	free := with(rawOfRun(""), rawOfTrials(""), map[string]string{"trials[].text": "what a judge said"})
	for _, missed := range unfounded(t, r, free) {
		t.Error(missed)
	}
	e.Tests[1].Trials = e.Tests[1].Trials[:3]
	if r, err = runs.Judge(t.Context(), e); err != nil || r.ExitCode != 2 || !r.Recorded {
		t.Errorf("a recording that was stopped: exit code %d, %v", r.ExitCode, err)
	}
}
