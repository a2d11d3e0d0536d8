package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

func counted(t testing.TB, name string, passes, trials int) *recording.Recording {
	t.Helper()
	r, err := recording.OfCounts(name, stats.Counts{Passes: passes, Trials: trials})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func compareCounts(t testing.TB, kb, nb, kc, nc int, o Options) *Result {
	t.Helper()
	result, err := Judge(context.Background(), counted(t, "baseline", kb, nb), counted(t, "candidate", kc, nc), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestMarginVerdicts(t *testing.T) {
	for _, c := range []struct {
		kb, nb, kc, nc int
		want           verdict.Verdict
		code           verdict.Code
	}{
		{93, 100, 71, 100, verdict.Fail, CodeWorse},
		{93, 100, 92, 100, verdict.Pass, CodeNotWorseByDelta},
		{9500, 10000, 9300, 10000, verdict.Pass, CodeWorseWithinDelta},
		{10, 10, 8, 10, verdict.Inconclusive, CodeUndecided},
	} {
		result := compareCounts(t, c.kb, c.nb, c.kc, c.nc, Options{})
		if result.Verdict != c.want || result.Reasons[0].Code != c.code || result.ExitCode != c.want.ExitCode() {
			t.Errorf("%d/%d against %d/%d: %v %v, want %v", c.kc, c.nc, c.kb, c.nb, result.Verdict, result.Reasons, c.want)
		}
		if (result.MoreTrials != nil) != (c.want == verdict.Inconclusive) {
			t.Errorf("%d/%d against %d/%d: more trials %+v", c.kc, c.nc, c.kb, c.nb, result.MoreTrials)
		}
	}
}

// The promise of the margin rule, with every table judged by Compare itself.
func TestMarginRuleKeepsItsPromises(t *testing.T) {
	const n, delta = 12, 0.2
	verdicts := map[[2]int]verdict.Verdict{}
	for i := range n + 1 {
		for j := range n + 1 {
			verdicts[[2]int{i, j}] = compareCounts(t, i, n, j, n, Options{Delta: delta}).Verdict
		}
	}
	chance := func(want verdict.Verdict, pb, pc float64) float64 {
		sum := 0.0
		for table, v := range verdicts {
			if v == want {
				sum += dist.Binomial{N: n, P: pb}.Prob(table[0]) * dist.Binomial{N: n, P: pc}.Prob(table[1])
			}
		}
		return sum
	}
	for step := range 101 {
		p := float64(step) / 100
		if level := chance(verdict.Fail, p, p); level > verdict.DefaultAlpha {
			t.Errorf("P(Fail) at equal rates %v is %v", p, level)
		}
		if p < delta {
			continue
		}
		if level := chance(verdict.Pass, p, p-delta); level > verdict.DefaultBeta {
			t.Errorf("P(Pass) at a drop of delta from %v is %v", p, level)
		}
	}
}

func TestPaperRule(t *testing.T) {
	for _, c := range []struct {
		kb, nb, kc, nc int
		want           verdict.Verdict
		code           verdict.Code
	}{
		{93, 100, 71, 100, verdict.Fail, CodeWorse},
		{950, 1000, 930, 1000, verdict.Inconclusive, codeDropBelowDelta},
		{190, 200, 188, 200, verdict.Pass, codePowerReached},
		{18, 20, 18, 20, verdict.Inconclusive, codePowerTooLow},
	} {
		result := compareCounts(t, c.kb, c.nb, c.kc, c.nc, Options{Rule: PaperRule})
		if result.Verdict != c.want || result.Reasons[0].Code != c.code {
			t.Errorf("%d/%d against %d/%d: %v %v, want %v", c.kc, c.nc, c.kb, c.nb, result.Verdict, result.Reasons, c.want)
		}
	}
}

// Under the uniform prior a large sample's posterior is nearly normal.
func TestBayesRule(t *testing.T) {
	if r := compareCounts(t, 950, 1000, 700, 1000, Options{Rule: BayesRule}); r.Verdict != verdict.Fail ||
		*r.Bayes.Probability < 0.999 {
		t.Errorf("a drop of 0.25: %v, %v", r.Verdict, *r.Bayes.Probability)
	}
	if r := compareCounts(t, 950, 1000, 950, 1000, Options{Rule: BayesRule}); r.Verdict != verdict.Pass ||
		*r.Bayes.Probability > 0.001 {
		t.Errorf("no drop: %v, %v", r.Verdict, *r.Bayes.Probability)
	}
	if r := compareCounts(t, 9, 10, 8, 10, Options{Rule: BayesRule}); r.Verdict != verdict.Inconclusive {
		t.Errorf("ten trials a side: %v", r.Verdict)
	}
}

// power.at_delta is the probability over all tables, at the observed baseline
// rate and a drop of delta, that the test's p-value is at most alpha.
func TestPowerByEnumeration(t *testing.T) {
	const n = 30
	result := compareCounts(t, 27, n, 25, n, Options{Delta: 0.2})
	want := 0.0
	for i := range n + 1 {
		for j := range n + 1 {
			p, err := stats.Boschloo(context.Background(), stats.Counts{Passes: i, Trials: n},
				stats.Counts{Passes: j, Trials: n})
			if err != nil {
				t.Fatal(err)
			}
			if p <= verdict.DefaultAlpha {
				want += dist.Binomial{N: n, P: 0.9}.Prob(i) * dist.Binomial{N: n, P: 0.7}.Prob(j)
			}
		}
	}
	refdata.Close(t, "power", result.Power.AtDelta, want, 1e-9)
}

func trialOf(scenario string, index int, outcome trial.Outcome) *trial.Trial {
	return &trial.Trial{Scenario: scenario, Index: trial.Some(index), Outcome: outcome}
}

func TestPairing(t *testing.T) {
	baseline, candidate := &recording.Recording{Name: "b"}, &recording.Recording{Name: "c"}
	for i := range 20 {
		name := fmt.Sprint("s", i)
		baseline.Add(trialOf(name, 0, trial.Pass))
		outcome := trial.Pass
		if i < 6 {
			outcome = trial.Fail
		}
		candidate.Add(trialOf(name, 0, outcome))
	}
	baseline.Add(trialOf("only here", 0, trial.Fail))
	result, err := Judge(context.Background(), baseline, candidate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.DecidedBy != stats.McNemarTest || result.Difference.Method != "tango" {
		t.Errorf("decided by %v, difference by %v", result.DecidedBy, result.Difference.Method)
	}
	p := result.Pairs
	if p.Pairs != 20 || p.Regressed != 6 || p.Fixed != 0 || p.BothPass != 14 || p.UnpairedBaseline != 1 ||
		p.UnpairedCandidate != 0 {
		t.Errorf("pairs %+v", p)
	}
	if len(p.Flips) != 6 || p.Flips[0].Scenario != "s0" || p.Flips[0].To != "fail" || *p.Flips[0].Trial != 0 {
		t.Errorf("flips %+v", p.Flips)
	}
	// 6 heads of 6: 1/64.
	mcnemar, _ := result.Tests.Of(stats.McNemarTest)
	refdata.Close(t, "mcnemar", mcnemar.P, 1.0/64, 1e-12)
	if result.Verdict != verdict.Fail {
		t.Errorf("verdict %v", result.Verdict)
	}
}

// A trial has a partner where it is the only one of its scenario and input on both sides; its number
// says nothing.
func TestPairingByInput(t *testing.T) {
	add := func(r *recording.Recording, index int, input string, outcome trial.Outcome) {
		record := trialOf("s", index, outcome)
		record.Input = trial.Raw(input)
		r.Add(record)
	}
	baseline, candidate := &recording.Recording{}, &recording.Recording{}
	add(baseline, 0, `{"q": 1}`, trial.Pass)
	add(baseline, 1, `{"q": 2}`, trial.Fail)
	add(baseline, 2, `{"q": 3}`, trial.Pass)
	// Another order, other numbers, and other white space in the inputs.
	add(candidate, 5, `{"q":3}`, trial.Fail)
	add(candidate, 1, `{"q":1}`, trial.Pass)
	add(candidate, 0, `{"q":2}`, trial.Fail)
	result, err := Judge(context.Background(), baseline, candidate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := result.Pairs
	if p == nil || !p.ByInput || p.BothPass != 1 || p.BothFail != 1 || p.Regressed != 1 || p.Fixed != 0 {
		t.Errorf("pairs %+v", p)
	}
}

// Trials of scenarios with one on each side are pairs whatever their inputs are; of several trials those are
// that share an input alone, and those that are left where there is one on each side. The page says how many.
func TestPairsOfOtherInputs(t *testing.T) {
	baseline, candidate := &recording.Recording{}, &recording.Recording{}
	add := func(r *recording.Recording, scenario, input string, outcome trial.Outcome) {
		record := &trial.Trial{Scenario: scenario, Outcome: outcome, Input: trial.Raw(input)}
		r.Add(record)
	}
	for i := range 12 {
		name := fmt.Sprint("task ", i)
		after := trial.Pass
		if i < 7 {
			after = trial.Fail
		}
		add(baseline, name, `"first wording"`, trial.Pass)
		add(candidate, name, `"second wording"`, after)
	}
	// Two that are the same, and one that is worded in two ways.
	for i, word := range []string{`"a"`, `"b"`, `"c"`} {
		add(baseline, "several", word, trial.Pass)
		add(candidate, "several", []string{`"b"`, `"d"`, `"a"`}[i], trial.Pass)
	}
	result, err := Judge(t.Context(), baseline, candidate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := result.Pairs
	if result.DecidedBy != stats.McNemarTest || p == nil || p.Pairs != 15 || p.SameInput != 2 || p.OtherInput != 13 ||
		p.Regressed != 7 || p.Fixed != 0 {
		t.Fatalf("by %v, %+v", result.DecidedBy, p)
	}
	// 7 heads of 7.
	mcnemar, _ := result.Tests.Of(stats.McNemarTest)
	refdata.Close(t, "mcnemar", mcnemar.P, math.Pow(2, -7), 1e-12)
	// The test within strata looks at the same pairs.
	stratified, _ := result.Tests.Of(stats.StratifiedTest)
	refdata.Close(t, "stratified", stratified.P, mcnemar.P, 1e-9)
	if result.Verdict != verdict.Fail || result.Difference.Method != "tango" {
		t.Errorf("%v, %v", result.Verdict, result.Difference)
	}
	// Without inputs they are the same pairs but for those of the scenario with several trials.
	for _, r := range []*recording.Recording{baseline, candidate} {
		r.Add(&trial.Trial{Scenario: "without", Outcome: trial.Pass})
	}
	if result, err = Judge(t.Context(), baseline, candidate, Options{}); err != nil {
		t.Fatal(err)
	}
	if p := result.Pairs; p != nil {
		t.Errorf("3 of 16 trials have no partner alone, but %+v", p)
	}
	if result.DecidedBy != stats.StratifiedTest {
		t.Errorf("by %v", result.DecidedBy)
	}
}

func TestOneScenarioIsNotPaired(t *testing.T) {
	result := compareCounts(t, 90, 100, 80, 100, Options{})
	if result.Pairs != nil || result.DecidedBy != stats.BoschlooTest {
		t.Errorf("pairs %+v, decided by %v", result.Pairs, result.DecidedBy)
	}
	mcnemar := stats.McNemarTest
	baseline, candidate := &recording.Recording{}, &recording.Recording{}
	baseline.Add(trialOf("a", 0, trial.Pass))
	candidate.Add(trialOf("b", 0, trial.Pass))
	var option *verdict.OptionError
	if _, err := Judge(context.Background(), baseline, candidate, Options{Test: &mcnemar}); !errors.As(err, &option) {
		t.Errorf("McNemar without pairs: %v", err)
	}
	if _, err := Judge(context.Background(), counted(t, "b", 5, 9), counted(t, "c", 3, 9),
		Options{Test: &mcnemar}); !errors.As(err, &option) {
		t.Errorf("McNemar on counts: %v", err)
	}
}

// A robust verdict is the verdict of every way in which the errors could have ended.
func TestRobustComparisonHoldsForEverySplit(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		draw := func(side string) verdict.Tally {
			return verdict.Tally{
				Passes: rapid.IntRange(0, 25).Draw(t, side+" passes"),
				Fails:  rapid.IntRange(0, 25).Draw(t, side+" fails"),
				Errors: rapid.IntRange(0, 3).Draw(t, side+" errors"),
			}
		}
		b, c := draw("baseline"), draw("candidate")
		o := Options{Delta: 0.2}
		robust, err := Judge(context.Background(), recorded(b), recorded(c), o)
		if err != nil {
			t.Fatal(err)
		}
		if robust.Verdict == verdict.Inconclusive {
			t.Skip()
		}
		for i := range b.Errors + 1 {
			for j := range c.Errors + 1 {
				other, err := Judge(context.Background(),
					recorded(verdict.Tally{Passes: b.Passes + i, Fails: b.Fails + b.Errors - i}),
					recorded(verdict.Tally{Passes: c.Passes + j, Fails: c.Fails + c.Errors - j}), o)
				if err != nil {
					t.Fatal(err)
				}
				if other.Verdict != robust.Verdict {
					t.Fatalf("%+v against %+v is %v, but %v with %d and %d errors as passes", c, b, robust.Verdict, other.Verdict, i,
						j)
				}
			}
		}
	})
}

// recorded is a recording of one scenario with the outcomes of a tally.
func recorded(tally verdict.Tally) *recording.Recording {
	r := &recording.Recording{}
	for outcome, count := range map[trial.Outcome]int{trial.Pass: tally.Passes, trial.Fail: tally.Fails,
		trial.Error: tally.Errors} {
		for range count {
			r.Add(&trial.Trial{Scenario: "all", Outcome: outcome})
		}
	}
	return r
}

func TestComparingNothingIsInconclusive(t *testing.T) {
	for _, c := range []struct{ b, c verdict.Tally }{
		{verdict.Tally{}, verdict.Tally{Passes: 5}}, {verdict.Tally{Passes: 5}, verdict.Tally{}},
		{verdict.Tally{Passes: 5}, verdict.Tally{Errors: 5}}, {verdict.Tally{}, verdict.Tally{}},
	} {
		result, err := Judge(context.Background(), recorded(c.b), recorded(c.c), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if result.Verdict != verdict.Inconclusive || result.ExitCode != 2 || result.Reasons[0].Code != verdict.CodeNoTrials {
			t.Errorf("%+v: %v %v", c, result.Verdict, result.Reasons)
		}
	}
}

func TestMetricsOfBothSides(t *testing.T) {
	baseline, candidate := &recording.Recording{Name: "b"}, &recording.Recording{Name: "c"}
	for i := range 40 {
		cost := 0.01 + 0.0001*float64(i)
		b := trialOf("s", i, trial.Pass)
		b.CostUSD, b.InputTokens, b.OutputTokens = trial.Some(cost), trial.Some(int64(100+i)), trial.Some(int64(10))
		b.Steps = []trial.Step{{Action: trial.Reason}, {Action: trial.CallTool, Error: "x"}, {Action: trial.Respond}}
		baseline.Add(b)
		c := trialOf("s", i, trial.Pass)
		c.CostUSD, c.InputTokens = trial.Some(3*cost), trial.Some(int64(100+i)) // output tokens unknown
		c.Steps = []trial.Step{{Action: trial.Reason}, {Action: trial.CallTool}, {Action: trial.CallTool}}
		candidate.Add(c)
	}
	result, err := Judge(context.Background(), baseline, candidate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	means := map[recording.MetricName][2]float64{}
	for _, m := range result.Metrics {
		means[m.Name] = [2]float64{m.Baseline.Mean, m.Candidate.Mean}
		if m.Name == recording.CostMetric {
			refdata.Close(t, "ratio", *m.Difference.Ratio, 3, 1e-12)
			if !m.Changed || !(*m.Difference.Low < m.Difference.Value && m.Difference.Value < *m.Difference.High) {
				t.Errorf("cost %+v", m)
			}
		}
	}
	want := map[recording.MetricName][2]float64{recording.TurnsMetric: {2, 1}, recording.ToolCallsMetric: {1, 2},
		recording.ToolErrorsMetric: {1, 0}, recording.CostMetric: {0.01195, 0.03585}}
	for name, w := range want {
		for side := range w {
			if math.Abs(means[name][side]-w[side]) > 1e-12 {
				t.Errorf("%v: %v, want %v", name, means[name], w)
			}
		}
	}
	if _, ok := means[recording.TokensMetric]; ok {
		t.Error("tokens are compared although one side never says how many came out")
	}
}

// Errors of infrastructure are in no metric: a provider that gave up after five minutes makes the system neither slower
// nor cheaper. A trial that failed is in all of them.
func TestErrorsOfInfrastructureAreInNoMetric(t *testing.T) {
	side := func(name string, origin trial.Origin) *recording.Recording {
		r := &recording.Recording{Name: name}
		for i := range 40 {
			x := trialOf("s", i, trial.Pass)
			x.CostUSD, x.DurationSeconds = trial.Some(0.01), trial.Some(2.0)
			if origin != "" && i%4 == 0 {
				x.Outcome, x.Error = trial.Error, &trial.Cause{Origin: origin}
				x.CostUSD, x.DurationSeconds = trial.Some(0.0), trial.Some(300.0)
			}
			r.Add(x)
		}
		return r
	}
	for _, c := range []struct {
		origin  trial.Origin
		seconds float64
	}{{trial.InfrastructureOrigin, 2}, {"judge", 76.5}} {
		result, err := Judge(t.Context(), side("b", ""), side("c", c.origin), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range result.Metrics {
			if m.Name == recording.DurationMetric && m.Candidate.Mean != c.seconds {
				t.Errorf("with errors of %s the candidate took %v s, want %v", c.origin, m.Candidate.Mean, c.seconds)
			}
		}
		if _, err := result.Rejudge(t.Context()); err != nil {
			t.Errorf("the saved result is not judged alike: %v", err)
		}
	}
}

func TestScenariosAreCorrected(t *testing.T) {
	baseline, candidate := &recording.Recording{Name: "b"}, &recording.Recording{Name: "c"}
	for s := range 5 {
		for i := range 40 {
			baseline.Add(trialOf(fmt.Sprint("s", s), i, trial.Pass))
			outcome := trial.Pass
			if s == 3 && i < 20 {
				outcome = trial.Fail
			}
			candidate.Add(trialOf(fmt.Sprint("s", s), i, outcome))
		}
	}
	result, err := Judge(context.Background(), baseline, candidate, Options{By: verdict.ByScenario})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != verdict.Fail || !strings.Contains(result.Reasons[0].Text, `"s3"`) {
		t.Errorf("%v: %v", result.Verdict, result.Reasons)
	}
	for i, s := range result.Scenarios {
		want := verdict.Pass
		if i == 3 {
			want = verdict.Fail
		}
		if s.Verdict != want || s.PHolm < s.P || s.PBH > s.PHolm {
			t.Errorf("%s: %v, p %v, holm %v, bh %v", s.Name, s.Verdict, s.P, s.PHolm, s.PBH)
		}
	}
}

func TestCompareOptionsThatCannotBe(t *testing.T) {
	for _, o := range []Options{{Delta: 1}, {Delta: -0.1}, {Alpha: 5}, {Beta: math.NaN()}} {
		var option *verdict.OptionError
		if _, err := Judge(context.Background(), counted(t, "b", 1, 2), counted(t, "c", 1, 2), o); !errors.As(err, &option) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := recording.OfCounts("x", stats.Counts{Passes: 3, Trials: 2}); err == nil {
		t.Error("three passes of two trials are accepted")
	}
}

func BenchmarkCompare(b *testing.B) {
	baseline, candidate := counted(b, "b", 190, 200), counted(b, "c", 185, 200)
	for b.Loop() {
		if _, err := Judge(context.Background(), baseline, candidate, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// What a result says of tests is read strictly: a member of another name is refused, also
// within a test.
func TestTestsAreReadStrictly(t *testing.T) {
	for _, text := range []string{
		`{"fisher":{"p":0.5},"fischer":{"p":0.5}}`,
		`{"noninferiority":{"p":0.5,"q":0.5}}`,
		`{"fisher":{"p":"half"}}`,
		`[]`,
	} {
		var read Tests
		if err := json.Unmarshal([]byte(text), &read); err == nil {
			t.Errorf("%s was read as %+v", text, read)
		}
	}
	var read Tests
	text := `{"fisher":{"p":0.5},"noninferiority":{"p":0.25}}`
	if err := json.Unmarshal([]byte(text), &read); err != nil || len(read.Rates) != 1 || read.NonInferiority.P != 0.25 {
		t.Errorf("%s was read as %+v: %v", text, read, err)
	}
}
