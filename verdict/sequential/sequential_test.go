package sequential

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// stream records outcomes of one scenario: p, f and e for an error.
func stream(outcomes string) *recording.Recording {
	r := &recording.Recording{}
	for i := range len(outcomes) {
		r.Add(&trial.Trial{Scenario: "a", Outcome: map[byte]trial.Outcome{'p': trial.Pass, 'f': trial.Fail,
			'e': trial.Error}[outcomes[i]]})
	}
	return r
}

func sequential(t sample.T, r *recording.Recording, o Options) *Result {
	t.Helper()
	o.Design = sample.Design()
	result, err := Judge(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func passes(n int) string { return strings.Repeat("p", n) }

func TestSequentialVerdicts(t *testing.T) {
	for _, c := range []struct {
		outcomes string
		want     verdict.Verdict
		trials   int
		code     verdict.Code
	}{
		{passes(15), verdict.Pass, 15, "pass-boundary"},
		{passes(200), verdict.Pass, 15, "pass-boundary"},
		{"ffff" + passes(100), verdict.Fail, 4, "fail-boundary"},
		{passes(14), verdict.Inconclusive, 14, codeRecordEnds},
		{"", verdict.Inconclusive, 0, verdict.CodeNoTrials},
		{"eee", verdict.Inconclusive, 0, verdict.CodeNoTrials},
	} {
		r := sequential(t, stream(c.outcomes), Options{})
		if r.Verdict != c.want || r.Trials != c.trials || r.Reasons[0].Code != c.code || r.ExitCode != c.want.ExitCode() ||
			r.Recorded != len(c.outcomes) || len(r.Path) != r.Trials {
			t.Errorf("%.20s...: %+v", c.outcomes, r)
		}
		if ended := c.want != verdict.Inconclusive; (r.Estimate != nil) != ended || (r.Saved != nil) != ended || ended &&
			r.Saved.Trials != len(c.outcomes)-c.trials {
			t.Errorf("%.20s...: estimate %+v, saved %+v", c.outcomes, r.Estimate, r.Saved)
		}
	}
}

// A recording that is shorter than the quickest Pass says so, and one that is not
// does not.
func TestSequentialPassOutOfReach(t *testing.T) {
	unreachable := func(r *Result) bool {
		return slices.ContainsFunc(r.Reasons, func(x verdict.Reason) bool { return x.Code == verdict.CodePassUnreachable })
	}
	if r := sequential(t, stream(passes(14)), Options{}); !unreachable(r) {
		t.Errorf("14 trials: %v", r.Reasons)
	}
	if r := sequential(t, stream("f"+passes(14)), Options{}); unreachable(r) || r.Verdict != verdict.Inconclusive {
		t.Errorf("15 trials: %v", r.Reasons)
	}
}

func TestSequentialUsesUpItsTrials(t *testing.T) {
	d, err := plan.Design(context.Background(), plan.Options{Hypotheses: sample.Hypotheses, MaxTrials: 30,
		Kind: sprt.OptimalKind})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Judge(t.Context(), stream(strings.Repeat("ppppppf", 10)), Options{Design: d})
	if err != nil || r.Verdict != verdict.Inconclusive || r.Reasons[0].Code != design.CodeTrialsUsedUp || r.Trials != 30 ||
		r.Estimate == nil || r.Saved.Trials != 40 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The verdict is that of the test itself on the same stream.
func TestSequentialIsTheTest(t *testing.T) {
	design := sample.Design()
	thorough.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom([]float64{0.5, 0.8, 0.85, 0.9, 0.97}).Draw(rt, "rate")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		test, err := sprt.NewTest(design)
		if err != nil {
			rt.Fatal(err)
		}
		var outcomes strings.Builder
		for i := range rapid.IntRange(0, 200).Draw(rt, "trials") {
			pass := random.Float64() < p
			outcomes.WriteByte("fp"[map[bool]int{true: 1}[pass]])
			if err := test.Observe(i, pass); err != nil {
				rt.Fatal(err)
			}
		}
		r := sequential(rt, stream(outcomes.String()), Options{})
		want := map[sprt.Outcome]verdict.Verdict{sprt.Pass: verdict.Pass, sprt.Fail: verdict.Fail}[test.Outcome()]
		if r.Verdict != want || r.Trials != test.Trials() || r.Trials-r.Passes != test.Failures() {
			rt.Fatalf("%v after %d with %d passes, want %v after %d with %d failures", r.Verdict, r.Trials, r.Passes, want,
				test.Trials(), test.Failures())
		}
		if trials, _ := test.Overrun(); test.Decided() && r.Saved.Trials != trials {
			rt.Fatalf("saved %d, overrun %d", r.Saved.Trials, trials)
		}
		failures := 0
		for i, f := range r.Path {
			if outcomes.String()[i] == 'f' {
				failures++
			}
			if f != failures {
				rt.Fatalf("path %v of %s", r.Path, outcomes.String())
			}
		}
	})
}

func TestSequentialErrors(t *testing.T) {
	for _, c := range []struct {
		outcomes string
		policy   verdict.ErrorPolicy
		want     verdict.Verdict
		trials   int
	}{
		{"e" + passes(15), verdict.RobustErrors, verdict.Inconclusive, 15}, // one failure among 16 does not pass
		{"e" + passes(15), verdict.ExcludeErrors, verdict.Pass, 15},
		{"e" + passes(15), verdict.FailErrors, verdict.Inconclusive, 16},
		{"e" + passes(60), verdict.RobustErrors, verdict.Pass, 15}, // a failure delays it, and it passes all the same
		{passes(15) + "eeee", verdict.RobustErrors, verdict.Pass, 15},
		{"eeee", verdict.FailErrors, verdict.Fail, 4},
		{"effff", verdict.RobustErrors, verdict.Inconclusive, 4}, // a pass and four failures do not fail
		{"effffff", verdict.RobustErrors, verdict.Fail, 4},
	} {
		r := sequential(t, stream(c.outcomes), Options{Errors: c.policy})
		if r.Verdict != c.want || r.Trials != c.trials {
			t.Errorf("%.20s..., %v: %v after %d %v", c.outcomes, c.policy, r.Verdict, r.Trials, r.Reasons)
		}
		before := strings.Count(c.outcomes[:min(len(c.outcomes), 1)], "e")
		if warned := slices.ContainsFunc(r.Warnings,
			func(w verdict.Warning) bool { return w.Code == verdict.WarnErrors }); warned != (r.ErrorsIn > 0) ||
			r.ErrorsIn < before {
			t.Errorf("%.20s..., %v: %d errors, warnings %v", c.outcomes, c.policy, r.ErrorsIn, r.Warnings)
		}
	}
}

// A robust verdict is the same whichever of the errors were passes and whichever
// failures, and without them.
func TestRobustSequentialVerdictHolds(t *testing.T) {
	thorough.Check(t, func(rt *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		p := rapid.SampledFrom([]float64{0.6, 0.85, 0.97}).Draw(rt, "rate")
		outcomes := []byte{}
		for range 170 {
			outcomes = append(outcomes, "fp"[map[bool]int{true: 1}[random.Float64() < p]])
		}
		at := rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 1, 4, rapid.ID[int]).Draw(rt, "errors")
		for _, i := range at {
			outcomes[i] = 'e'
		}
		robust := sequential(rt, stream(string(outcomes)), Options{})
		if robust.Verdict == verdict.Inconclusive {
			return
		}
		without := sequential(rt, stream(strings.ReplaceAll(string(outcomes), "e", "")), Options{})
		if without.Verdict != robust.Verdict {
			rt.Fatalf("%v, but %v without the errors", robust.Verdict, without.Verdict)
		}
		for choice := range 1 << len(at) {
			scored := slices.Clone(outcomes)
			for bit, i := range at {
				scored[i] = "fp"[choice>>bit&1]
			}
			if other := sequential(rt, stream(string(scored)), Options{}); other.Verdict != robust.Verdict {
				rt.Fatalf("%v, but %v for %s of %s", robust.Verdict, other.Verdict, scored, outcomes)
			}
		}
	})
}

// manyScenarios records passes of scenarios in an order: of 5 scenarios with 20
// trials each.
func manyScenarios(scenario func(i int) int) *recording.Recording {
	r := &recording.Recording{}
	for i := range 100 {
		outcome := trial.Pass
		if i%9 == 4 {
			outcome = trial.Fail
		}
		r.Add(&trial.Trial{Scenario: fmt.Sprint(scenario(i)), Outcome: outcome})
	}
	return r
}

func TestBlockedRecordings(t *testing.T) {
	var refused *BlockedError
	blocked := manyScenarios(func(i int) int { return i / 20 })
	if _, err := Judge(t.Context(), blocked, Options{Design: sample.Design()}); !errors.As(err, &refused) {
		t.Fatalf("blocked: %v", err)
	}
	if *refused != (BlockedError{Trials: 100, Scenarios: 5, P: .001}) {
		t.Errorf("%+v", *refused)
	}
	if r := sequential(t, blocked, Options{Order: ShuffleOrder}); r.Seed != ShuffleSeed(blocked) ||
		r.Order != ShuffleOrder {
		t.Errorf("%+v", r)
	}
	for name, order := range map[string]func(int) int{
		"round robin":  func(i int) int { return i % 5 },
		"one scenario": func(int) int { return 0 },
		"all distinct": func(i int) int { return i },
		"fours":        func(i int) int { return i / 4 % 5 },
		"two by two":   func(i int) int { return i/40*2 + i%2 }, // of blocks: 100
		"drifting":     func(i int) int { return (i/25 + i%2*(i%3)) % 5 },
	} {
		_, err := Judge(t.Context(), manyScenarios(order), Options{Design: sample.Design()})
		if blocked := errors.As(err, &refused); blocked != slices.Contains([]string{"fours", "two by two", "drifting"},
			name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A random order is taken for an uneven one in 5 % of the recordings at most: of 500 in 41 at
// most, but for one time in a thousand.
func TestRandomOrdersAreNotBlocked(t *testing.T) {
	refused := 0
	for seed := range uint64(500) {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(100)
		r := manyScenarios(func(i int) int { return order[i] / 20 })
		_, err := Judge(t.Context(), r, Options{Design: sample.Design()})
		var blocked *BlockedError
		if errors.As(err, &blocked) {
			refused++
		} else if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if refused > 41 {
		t.Errorf("%d of 500 are refused", refused)
	}
}

// The shuffle follows from what the recording holds, and not from the order of its scenarios.
func TestShufflesAreFixed(t *testing.T) {
	paths, seeds := map[string]bool{}, map[uint64]bool{}
	for failing := range 20 {
		add := func(r *recording.Recording, scenario int) {
			for i := range 20 {
				outcome := trial.Pass
				if scenario == 0 && i == failing || scenario == 3 && i%3 == 0 {
					outcome = trial.Fail
				}
				r.Add(&trial.Trial{Scenario: fmt.Sprint(scenario), Outcome: outcome})
			}
		}
		var forth, back recording.Recording
		for i := range 5 {
			add(&forth, i)
			add(&back, 4-i)
		}
		r := sequential(t, &forth, Options{Order: ShuffleOrder})
		if other := sequential(t, &back, Options{Order: ShuffleOrder}); other.Seed != r.Seed ||
			!slices.Equal(other.Path, r.Path) {
			t.Errorf("scenarios in another order: seed %d, not %d", other.Seed, r.Seed)
		}
		if got := forth.ScenarioName(0) + forth.ScenarioName(99); got != "04" {
			t.Errorf("the recording itself was shuffled: %s", got)
		}
		paths[fmt.Sprint(r.Path)], seeds[r.Seed] = true, true
	}
	if len(paths) < 10 || len(seeds) != 20 {
		t.Errorf("20 recordings give %d paths and %d seeds", len(paths), len(seeds))
	}
}

// A stop before every scenario had its turn leaves the verdict open, unless the order is random.
func TestUnseenScenarios(t *testing.T) {
	unseen := func(r *Result) bool {
		open := slices.ContainsFunc(r.Reasons, func(w verdict.Reason) bool { return w.Code == CodeScenariosUnseen })
		low, high, err := r.Tails(.9)
		if err != nil || open && (r.Verdict != verdict.Inconclusive || r.Estimate != nil || low != 1 || high != 1) {
			t.Errorf("%s, estimate %v, tails %v %v, %v", r.Verdict, r.Estimate, low, high, err)
		}
		return open
	}
	distinct := &recording.Recording{}
	for i := range 40 {
		distinct.Add(&trial.Trial{Scenario: fmt.Sprint(i), Outcome: trial.Pass})
	}
	if r := sequential(t, distinct, Options{}); !unseen(r) ||
		!strings.Contains(fmt.Sprint(r.Reasons), "15 of 40 scenarios") {
		t.Errorf("reasons %v", r.Reasons)
	}
	if r := sequential(t, distinct, Options{Order: ShuffleOrder}); unseen(r) {
		t.Errorf("shuffled: reasons %v", r.Reasons)
	}
	if r := sequential(t, manyScenarios(func(i int) int { return i % 5 }), Options{}); unseen(r) {
		t.Errorf("all seen: reasons %v", r.Reasons)
	}
}

// Beside nine scenarios that always pass, one that never does leaves the Pass of all trials open: by the binomial
// distribution no pass in 30 trials has a chance of 0.3^30 at 70 %. One with 21 passes of 30 is no evidence.
func TestNoPassBesideACollapsedScenario(t *testing.T) {
	design, err := plan.Design(t.Context(),
		plan.Options{Hypotheses: sprt.Hypotheses{Threshold: .85, Delta: .1, Alpha: .05, Beta: .1}, Kind: sprt.OptimalKind})
	if err != nil {
		t.Fatal(err)
	}
	for passed, want := range map[int]verdict.Verdict{0: verdict.Inconclusive, 21: verdict.Pass} {
		r := &recording.Recording{}
		for s := range 10 {
			for i := range 30 {
				x := trial.Trial{Scenario: fmt.Sprint("s", s), Index: trial.Some(i), Outcome: trial.Pass}
				if s == 3 && i >= passed {
					x.Outcome = trial.Fail
				}
				r.Add(&x)
			}
		}
		found := sequential(t, r, Options{Design: design, Order: ShuffleOrder})
		if named := strings.Contains(found.Reasons[0].Text, `"s3"`); found.Verdict != want ||
			named != (want == verdict.Inconclusive) {
			t.Errorf("%d of 30: %v, %v", passed, found.Verdict, found.Reasons)
		}
		// Without its trials, as where they are too many, and as the version before judged it.
		without, before := *found, *found
		without.Recording = nil
		before.Edition, before.Verdict = secondEdition, verdict.Pass
		for _, saved := range []*Result{found, &without, &before} {
			if again, err := saved.Rejudge(t.Context()); err != nil || again.Again.(*Result).Verdict != saved.Verdict {
				t.Errorf("%d of 30, edition %d: judged again %v, %v", passed, saved.Edition, again, err)
			}
		}
	}
}

func TestCountsHaveNoOrder(t *testing.T) {
	r, err := recording.OfCounts("counts", stats.Counts{Passes: 50, Trials: 100})
	if err != nil {
		t.Fatal(err)
	}
	var refused *verdict.OptionError
	if _, err := Judge(t.Context(), r, Options{Design: sample.Design()}); !errors.As(err, &refused) ||
		refused.Option != "order" {
		t.Errorf("passes before failures: %v", err)
	}
	if r := sequential(t, r, Options{Order: ShuffleOrder}); r.Verdict != verdict.Fail {
		t.Errorf("half passed: %v", r.Verdict)
	}
}

func TestSavedIsWhatFollows(t *testing.T) {
	r := &recording.Recording{}
	for i := range 20 {
		record := &trial.Trial{Scenario: "a", Outcome: trial.Pass}
		if i%2 == 0 {
			record.CostUSD = trial.Some(float64(i))
		}
		if i == 19 {
			record.DurationSeconds = trial.Some(7.5)
		}
		r.Add(record)
	}
	s := sequential(t, r, Options{}).Saved
	if s.Trials != 5 || s.CostKnown != 2 || *s.CostUSD != 16+18 || *s.DurationSeconds != 7.5 {
		t.Errorf("%+v", s)
	}
	if s := sequential(t, stream(passes(20)), Options{}).Saved; s.CostUSD != nil || s.DurationSeconds != nil {
		t.Errorf("what nobody knows: %+v", s)
	}
}

// After 15 straight passes the lower limit p solves p^15 = 0.025, the median-unbiased
// estimate lies between those of p^15 = 0.5 and 1, and the unbiased one is 1: every
// path there begins with a pass.
func TestSequentialEstimate(t *testing.T) {
	e := sequential(t, stream(passes(15)), Options{}).Estimate
	refdata.Close(t, "lower limit", e.Low, math.Pow(0.025, 1.0/15), 1e-9)
	refdata.Close(t, "median-unbiased", e.MedianUnbiased, (math.Pow(0.5, 1.0/15)+1)/2, 1e-9)
	if e.High != 1 || e.Unbiased != 1 || e.Naive != 1 || e.Level != 0.95 || e.Ordering != "stage-wise" {
		t.Errorf("%+v", e)
	}
}

func TestExceedingDesignsWarn(t *testing.T) {
	d, err := sprt.DensityRatio(sample.Hypotheses, stats.Counts{Passes: 19, Trials: 20}, 100)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Judge(t.Context(), stream(passes(20)), Options{Design: d})
	if err != nil || r.Verdict != verdict.Pass || len(r.Warnings) != 1 || r.Warnings[0].Code != design.WarnErrorsExceed {
		t.Errorf("%+v, %v", r, err)
	}
}

// Runs of real agents: tau-bench's airline domain is recorded round by round.
func TestSequentialOnRealRuns(t *testing.T) {
	airline := &recording.Recording{}
	sample.Trials(t, "tau-airline-gpt-4o", airline.Add)
	r := sequential(t, airline, Options{})
	// Its first four trials failed, those of four scenarios of fifty.
	if r.Verdict != verdict.Inconclusive || r.Reasons[0].Code != CodeScenariosUnseen || r.Trials != 4 || r.Passes != 0 ||
		r.Recorded != 200 || r.Saved.Trials != 196 {
		t.Errorf("%+v", r)
	}
	bySuite := &recording.Recording{}
	for scenario := range 50 {
		for _, o := range airline.Observations() {
			if o.Scenario == fmt.Sprint(scenario) {
				bySuite.Add(&trial.Trial{Scenario: o.Scenario, Index: o.Index, Outcome: o.Outcome})
			}
		}
	}
	var refused *BlockedError
	if _, err := Judge(t.Context(), bySuite, Options{Design: sample.Design()}); !errors.As(err, &refused) ||
		refused.Scenarios != 50 || refused.Trials != 200 {
		t.Errorf("scenario by scenario: %v", err)
	}
	if r := sequential(t, bySuite, Options{Order: ShuffleOrder}); r.Verdict != verdict.Fail {
		t.Errorf("84 of 200 passed, and seed %d says %v", r.Seed, r.Verdict)
	}
}
