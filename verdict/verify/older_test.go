package verify

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// documentOf returns a result as its JSON document.
func documentOf(t *testing.T, result any) (document any) {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// without returns a saved result that has no such fields at any depth.
func without(t *testing.T, result any, fields ...string) verdict.Result {
	t.Helper()
	document := documentOf(t, result)
	var strip func(path string, x any)
	strip = func(path string, x any) {
		switch x := x.(type) {
		case map[string]any:
			for key := range x {
				if slices.Contains(fields, rejudged.Join(path, key)) {
					delete(x, key)
				} else {
					strip(rejudged.Join(path, key), x[key])
				}
			}
		case []any:
			for i := range x {
				strip(path, x[i])
			}
		}
	}
	strip("", document)
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

// What older versions saved, which holds less, is verified as far as it goes, and the
// rest is named.
func TestOlderResultsAreVerified(t *testing.T) {
	compared := func(o compare.Options, changed bool) *compare.Result {
		r, err := compare.Judge(t.Context(), taskTrials("before", 1, true, 8, 7, 8), taskTrials("after", 1, true, 8, 0, 5), o)
		if err != nil {
			t.Fatal(err)
		}
		if changed {
			r.AddBehaviour(comparedAgents(t, sampled, 2, 6), true)
		}
		return r
	}
	boschloo := stats.BoschlooTest
	gate := wholeGate(t, sampled)
	for _, c := range []struct {
		name    string
		result  verdict.Result
		skipped string
	}{
		{"gate", without(t, gate, "asked", "coverage.counts", "behaviour.trials"),
			"run.suite, run.suite_digest, run.task, run.settings, run.seed, run.version, run.finished_at, run.spent, " +
				"run.trials.text, run.trials.input, run.trials.output, run.trials.steps, rules, coverage, behaviour, baseline"},
		{"gate, behaviour and coverage alone", without(t, gate, "coverage.counts", "behaviour.trials"),
			"run.suite, run.suite_digest, run.task, run.settings, run.seed, run.version, run.finished_at, run.spent, " +
				"run.trials.text, run.trials.input, run.trials.output, run.trials.steps, coverage, behaviour, asked"},
		{"crowded run", without(t, crowdedRun(t), "scenarios.measures"),
			"suite, suite_digest, task, settings, seed, version, finished_at, spent, trials.text, trials.input, " +
				"trials.output, trials.steps, warnings, scenarios.warnings, scenarios.limits, scenarios.cost_per_success, " +
				"scenarios.failures, scenarios.usage, scenarios.members, reliability.cost_per_success, reliability.cost, " +
				"distributions, usage"},
		{"pairs", without(t, compared(compare.Options{}, false), "trials"),
			"reasons, warnings, baseline.reliability.cost_per_success, baseline.reliability.cost, " +
				"candidate.reliability.cost_per_success, candidate.reliability.cost, tests.stratified, strata, heterogeneity, " +
				"family, scenarios.p, scenarios.p_holm, scenarios.p_bh, scenarios.verdict, metrics"},
		{"behaviour", without(t, compared(compare.Options{Test: &boschloo}, true), "trials", "behaviour.trials",
			"behaviour_counts"), "behaviour, verdict, reasons, warnings, baseline.reliability.cost_per_success, " +
			"baseline.reliability.cost, candidate.reliability.cost_per_success, candidate.reliability.cost, difference, " +
			"pairs, tests.mcnemar, tests.noninferiority, tests.stratified, power, strata, heterogeneity, family, scenarios.p, " +
			"scenarios.p_holm, scenarios.p_bh, scenarios.verdict, metrics"},
		{"behaviour of too many trials", without(t, compared(compare.Options{}, true), "behaviour.trials"), "behaviour"},
	} {
		v, err := Verify(t.Context(), c.result)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := strings.Join(v.Skipped, ", "); got != c.skipped {
			t.Errorf("%s: skipped are %s; want %s", c.name, got, c.skipped)
		}
	}
	if _, err := Verify(t.Context(), without(t, behaviour.Judge("a", "b", comparedAgents(t, sampled, 2, 6)),
		"behaviour.trials")); err == nil {
		t.Error("a verdict on behaviour alone is verified without the trials")
	}
}

// A comparison that an earlier version saved is verified where its tests are the same today; where it pooled
// scenarios or paired trials by their numbers, the error says so.
func TestEarlierEditionsOfComparisons(t *testing.T) {
	fields := []string{"edition", "family", "strata", "heterogeneity", "seed"}
	plain := func(scenarios, passes int) *recording.Recording {
		r := &recording.Recording{Name: "side"}
		for i := range 20 {
			x := &trial.Trial{Scenario: fmt.Sprint("s", i%scenarios), Index: trial.Some(i), Outcome: trial.Fail,
				CostUSD: trial.Some(float64(i))}
			if i < passes {
				x.Outcome = trial.Pass
			}
			r.Add(x)
		}
		return r
	}
	boschloo := stats.BoschlooTest
	for scenarios, want := range map[int]string{1: "", 2: "earlier version"} {
		r, err := compare.Judge(t.Context(), plain(scenarios, 18), plain(scenarios, 7),
			compare.Options{Test: &boschloo, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		switch _, err := Verify(t.Context(), without(t, r, fields...)); {
		case want == "" && err != nil:
			t.Errorf("%d scenarios: %v", scenarios, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%d scenarios: %v", scenarios, err)
		}
	}
}

// A comparison of the second edition, as that version saved it: half of its 24 scenarios have another input on each
// side, which were no pairs then, and its metrics went by ranks. It is judged again as it was, but for the metrics;
// and so it is found out where a number of it was changed.
func TestSecondEditionOfComparisons(t *testing.T) {
	text, err := os.ReadFile("testdata/compare-edition-2.json")
	if err != nil {
		t.Fatal(err)
	}
	saved, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	r := saved.(*compare.Result)
	if r.Edition != 2 || r.DecidedBy != stats.StratifiedTest || r.Pairs != nil || len(r.Metrics) != 1 {
		t.Fatalf("edition %d by %v, pairs %+v, %d metrics", r.Edition, r.DecidedBy, r.Pairs, len(r.Metrics))
	}
	v, err := Verify(t.Context(), saved)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(v.Skipped, ", "); got != "reasons.text, warnings, metrics" {
		t.Errorf("skipped are %s", got)
	}
	r.Tests.Rates[len(r.Tests.Rates)-1].P /= 2
	if _, err := Verify(t.Context(), r); err == nil {
		t.Error("another p-value is verified")
	}
}

// A comparison of behaviour of the second edition, as that version saved it, has the participation ratio under the name
// of the effective dimension. It is judged again as it was; as a result of this version it is not what its trials give.
func TestSecondEditionOfBehaviour(t *testing.T) {
	text, err := os.ReadFile("testdata/behaviour-edition-2.json")
	if err != nil {
		t.Fatal(err)
	}
	read := func() *behaviour.Result {
		saved, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		return saved.(*behaviour.Result)
	}
	if b := read().Behaviour; b.Edition != 2 || !(b.EffectiveDimension > 1 && b.EffectiveDimension < 1.1) {
		t.Fatalf("edition %d, effective dimension %v", b.Edition, b.EffectiveDimension)
	}
	if v, err := Verify(t.Context(), read()); err != nil || len(v.Skipped) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
	for name, forge := range map[string]func(*behaviour.Comparison){
		"edition":                   func(b *behaviour.Comparison) { b.Edition = 3 },
		"edition to come":           func(b *behaviour.Comparison) { b.Edition = 4 },
		"effective_dimension":       func(b *behaviour.Comparison) { b.EffectiveDimension = 1 },
		"participation_ratio":       func(b *behaviour.Comparison) { b.Participation = 1 },
		"test of another edition":   func(b *behaviour.Comparison) { b.Test = "shrunk-t2" },
		"share of the other's test": func(b *behaviour.Comparison) { b.Explained = 0.5 },
	} {
		forged := read()
		forge(forged.Behaviour)
		if _, err := Verify(t.Context(), forged); err == nil {
			t.Errorf("%s: another one is verified", name)
		}
	}
}

// Hotelling's test of behaviour is computed again, too.
func TestHotellingIsVerified(t *testing.T) {
	var sides [2]fingerprint.Sample
	for i := range sides {
		for _, x := range agents(12, 2+2*i, uint64(i+1)) {
			sides[i].Add(x)
		}
	}
	b, err := behaviour.Compare(t.Context(), &sides[0], &sides[1],
		behaviour.Options{Test: fingerprint.HotellingT2, Explained: 0.6, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	r := behaviour.Judge("a", "b", b)
	if v, err := Verify(t.Context(), r); err != nil || len(v.Skipped) > 0 || b.Hotelling == nil || b.Promises() {
		t.Fatalf("%+v, %v, %+v", v, err, b.Hotelling)
	}
	found := *b.Hotelling
	for name, forge := range map[string]func(){
		"t_squared":           func() { b.Hotelling.TSquared *= 2 },
		"f":                   func() { b.Hotelling.F *= 2 },
		"d2":                  func() { b.Hotelling.D2++ },
		"components":          func() { b.Hotelling.Components++ },
		"explained_variance":  func() { b.Explained = 0.999 },
		"no share":            func() { b.Explained = -1 },
		"another test":        func() { b.Test = "shrunk-t2" },
		"no test":             func() { b.Test = "t-test" },
		"effective_dimension": func() { b.EffectiveDimension++ },
		"participation_ratio": func() { b.Participation /= 2 },
		"hotelling":           func() { b.Hotelling = nil },
	} {
		kept := *b
		forge()
		if _, err := Verify(t.Context(), r); err == nil {
			t.Errorf("%s: another one is verified", name)
		}
		*b = kept
		if b.Hotelling != nil {
			*b.Hotelling = found
		}
	}
}

// A verdict that an earlier version saved is judged again as it was: of one failed trial it said Fail, by Wilson's
// interval and with a warning. As a result of this version it is not what its outcomes give.
func TestFirstEditionOfVerdicts(t *testing.T) {
	text, err := os.ReadFile("testdata/verdict-edition-1.json")
	if err != nil {
		t.Fatal(err)
	}
	saved, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if r := saved.(*verdict.ThresholdResult); r.Verdict != verdict.Fail || r.Edition != 0 {
		t.Fatalf("%v of edition %d", r.Verdict, r.Edition)
	}
	// Its reasons have the words of that time.
	if v, err := Verify(t.Context(), saved); err != nil ||
		strings.Join(v.Skipped, ", ") != "reasons.text, scenarios.reasons.text" {
		t.Errorf("%+v, %v", v, err)
	}
	r := saved.(*verdict.ThresholdResult)
	r.Edition, r.Method = 2, "wilson"
	if _, err := Verify(t.Context(), r); err == nil {
		t.Error("one failed trial is a Fail of this edition")
	}
}

// What versions with other bets decided at any time is judged again as it was: 80 straight passes did not rule out a
// rate below 0.93 by a uniform prior, and 30 pairs without a change no drop of 0.1. By the bets of this version both do.
// One more trial was to decide a scenario with 12 of 20 passes among four, which Holm's correction left undecided.
func TestOlderEditions(t *testing.T) {
	for file, now := range map[string]func(r any){
		"verdict-anytime-uniform.json":   func(r any) { r.(*verdict.ThresholdResult).Method = "betting" },
		"compare-anytime-edition-1.json": func(r any) { r.(*compare.Anytime).Edition = 2 },
		"verdict-edition-2.json":         func(r any) { r.(*verdict.ThresholdResult).Edition = 3 },
	} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		saved, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if v := saved.Header().Verdict; v != verdict.Inconclusive {
			t.Errorf("%s: %v", file, v)
		}
		if v, err := Verify(t.Context(), saved); err != nil || len(v.Skipped) > 0 {
			t.Errorf("%s: %+v, %v", file, v, err)
		}
		now(saved)
		if _, err := Verify(t.Context(), saved); err == nil {
			t.Errorf("%s: it is what this version decides", file)
		}
	}
}

// A session of challengers that an earlier version tested by odds is verified by those. By signs the first of them is
// reverted after 8 pairs, and there would not be 16.
func TestOlderChallengers(t *testing.T) {
	text, err := os.ReadFile("testdata/improvement-odds.json")
	if err != nil {
		t.Fatal(err)
	}
	saved, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	r := saved.(*improvement.Result)
	if _, err := Verify(t.Context(), r); err != nil || r.Averted != 2 {
		t.Errorf("%d reverted, %v", r.Averted, err)
	}
	r.Asked.Question.Odds = 0
	if _, err := Verify(t.Context(), r); err == nil {
		t.Error("it is what this version decides")
	}
}

// Beyond their limits results hold no trials, and say what is not verified.
func TestManyTrialsAreOmitted(t *testing.T) {
	many := func(seed int) *recording.Recording {
		r := &recording.Recording{Name: "many"}
		for i := range recording.MostValues/2 + 1 {
			x := &trial.Trial{Scenario: "s", Index: trial.Some(i), Outcome: trial.Pass, CostUSD: trial.Some(1.0)}
			if i%10 == seed {
				x.Outcome = trial.Fail
			}
			r.Add(x)
		}
		return r
	}
	before, after := many(1), many(2)
	compared, err := compare.Judge(t.Context(), before, after, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trials := compared.Trials
	if trials == nil || !trials.NoMetrics || trials.Baseline.Metrics != nil ||
		len(trials.Baseline.Outcomes) != before.Len() {
		t.Errorf("%d trials: %v", before.Len(), trials == nil)
	}
	text, err := json.Marshal(trials)
	if err != nil || len(text) > 500_000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	behaved := func(trials, calls int) *behaviour.Comparison {
		b, err := behaviour.Compare(t.Context(), sample.Working(trials, calls, 1), sample.Working(trials, calls, 2),
			behaviour.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := behaved(6000, 1); b.Trials != nil {
		t.Error("the behaviour of 12,000 trials is held")
	}
	b := behaved(100, 8).Trials
	if text, err = json.Marshal(b); err != nil || len(text) > 20_000 {
		t.Errorf("the behaviour of 200 trials takes %d bytes, %v", len(text), err)
	}
	t.Logf("the behaviour of 200 trials takes %d bytes", len(text))
}

// Whatever is changed in a saved verdict on counts or on a sequence, it is found.
func TestEveryChangeOfOtherVerdictsIsFound(t *testing.T) {
	cost := verdict.Cost{Trials: 50, Known: 50, Passes: 45, TotalUSD: 1.5}
	threshold, err := verdict.JudgeThreshold(t.Context(),
		[]verdict.Tally{{Scenario: "a", Passes: 45, Fails: 5, Cost: cost}, {Scenario: "b", Passes: 5, Fails: 35, Errors: 2}},
		verdict.ThresholdOptions{Threshold: 0.8, By: verdict.ByScenario})
	if err != nil {
		t.Fatal(err)
	}
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.9, Delta: 0.2, Alpha: 0.05, Beta: 0.1}, 60)
	if err != nil {
		t.Fatal(err)
	}
	r := &recording.Recording{}
	for i := range 40 {
		r.Add(&trial.Trial{
			Scenario: []string{"a", "b"}[i%2], Outcome: []trial.Outcome{trial.Pass, trial.Fail, trial.Fail, trial.Error,
				trial.Fail, trial.Pass}[i%6],
			CostUSD: trial.Some(0.01 * float64(i)), DurationSeconds: trial.Some(float64(i)),
		})
	}
	followed, err := sequential.Judge(t.Context(), r, sequential.Options{Design: design, Order: sequential.FileOrder})
	if err != nil {
		t.Fatal(err)
	}
	from := againstPlan(t)
	family, err := from.Family.Family()
	if err != nil {
		t.Fatal(err)
	}
	compared, err := sequential.Judge(t.Context(), r, sequential.Options{
		Against: &sequential.AgainstOptions{Family: family, Recorded: *from.Baseline, Source: "main.jsonl"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		result any
		free   map[string]string
	}{
		"threshold": {threshold, nil},
		"against": {compared, map[string]string{
			"seed": "of a shuffle, which there is not", "rules": "both editions decide alike here",
			"recording.outcomes": "of a trial beyond the stop", "recording.scenarios[]": "a name",
			"recording.scenario": "whose trial is whose is of no matter", "against.source": "a name",
		}},
		"sequential": {followed, map[string]string{
			"seed": "of a shuffle, which there is not", "rules": "both editions decide alike here",
			"recording.outcomes": "of a trial beyond the stop", "recording.scenarios[]": "a name",
			"recording.scenario": "whose trial is whose is of no matter",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, missed := range unfounded(t, c.result, c.free) {
				t.Error(missed)
			}
		})
	}
}

// Whatever is changed in a saved comparison of runs, it is found.
func TestEveryChangeOfAComparisonOfEndsIsFound(t *testing.T) {
	side := func(name, outcomes string) *recording.Recording {
		r := &recording.Recording{Name: name}
		for i, letter := range outcomes {
			r.Add(&trial.Trial{Scenario: []string{"a", "b"}[i%2],
				Outcome: map[rune]trial.Outcome{'p': trial.Pass, 'f': trial.Fail, 'e': trial.Error}[letter]})
		}
		return r
	}
	before, after := compare.EndsOfTrials(side("main", "pppppppppppp")), compare.EndsOfTrials(side("new", "pfpfpfppeppf"))
	after.Ends = append(after.Ends, compare.NamedEnd{Scenario: "c", Problem: "it was stopped"})
	after.Ends[0].Failures = []runs.Failure{{Scenario: "a", Trial: 9, Outcome: "error", Text: "it timed out"}}
	r, err := compare.JudgeEnds(t.Context(), before, after, compare.EndsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	free := map[string]string{
		"baseline": "a name", "candidate": "a name", "scenarios[].name": "a name",
		"scenarios[].problem": "it alone says why", "alpha": "what was asked for", "beta": "what was asked for",
		"correction": "what was asked for",
		"scenarios[].candidate_failures[].scenario": "the trials are not saved",
		"scenarios[].candidate_failures[].trial":    "the trials are not saved",
		"scenarios[].candidate_failures[].outcome":  "the trials are not saved",
		"scenarios[].candidate_failures[].text":     "the trials are not saved",
	}
	for _, missed := range unfounded(t, r, free) {
		t.Error(missed)
	}
	// No more of them can have failed than did.
	r.Scenarios[0].CandidateFailures = slices.Repeat(r.Scenarios[0].CandidateFailures, 7)
	if _, err := Verify(t.Context(), r); err == nil {
		t.Error("seven of six trials failed")
	}
}
