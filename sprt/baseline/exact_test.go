package baseline_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
)

// These tests count by themselves: a recursion over trials and failures for each outcome of the baseline, on a
// dense grid of rates. They use nothing of the planner but the boundaries that it gives.

// binomial is the probability of so many failures, by the recursion of its terms from the largest down, so that
// nothing overflows.
func binomial(trials, failures int, rate float64) float64 {
	if rate == 1 {
		return map[bool]float64{true: 1}[failures == 0]
	}
	x := 1.0
	passes := trials - failures
	// Factors in turns, so that the product stays near 1.
	for i, f, p := 0, 0, 0; i < failures || f < failures || p < passes; {
		switch {
		case x >= 1 && p < passes:
			x *= rate
			p++
		case x >= 1 && f < failures:
			x *= 1 - rate
			f++
		case i < failures:
			x *= float64(trials-i) / float64(failures-i)
			i++
		case p < passes:
			x *= rate
			p++
		default:
			x *= 1 - rate
			f++
		}
	}
	return x
}

// ended carries the probability of every point that goes on, and returns where the test ends.
func ended(b sprt.Boundaries, rate float64) (pass, fail, trials float64) {
	going := []float64{1}
	for n := 1; n <= b.MaxTrials(); n++ {
		next := make([]float64, n+1)
		for f, x := range going {
			next[f] += x * rate
			next[f+1] += x * (1 - rate)
		}
		for f, x := range next {
			switch {
			case f <= b.PassAtOrBelow[n-1]:
				pass += x
			case f >= b.FailAtOrAbove[n-1]:
				fail += x
			case n == b.MaxTrials():
			default:
				continue
			}
			trials += x * float64(n)
			next[f] = 0
		}
		going = next
	}
	return pass, fail, trials
}

// chainedTrials are those of the baseline of [chained].
const chainedTrials = 60

// chainedQuestion is what [chained] asks.
var chainedQuestion = baseline.Question{Delta: 0.3, Alpha: 0.1, Beta: 0.15, Gamma: 1e-4}

// chained are the families of a chain for it.
var chained = sync.OnceValues(func() (map[int]*baseline.Family, error) {
	return familiesOf(chainedTrials, chainedQuestion, baseline.Options{})
})

// familiesOf are the families of a chain by the failures of the baseline. Outcomes with few passes leave no room for a
// drop and have none.
func familiesOf(trials int, q baseline.Question, options baseline.Options) (map[int]*baseline.Family, error) {
	sample, err := baseline.Fixed(trials)
	if err != nil {
		return nil, err
	}
	chain, err := baseline.NewChain(q, sample, options)
	if err != nil {
		return nil, err
	}
	families := map[int]*baseline.Family{}
	for failures := range trials + 1 {
		plan, err := chain.Against(context.Background(), baseline.Outcome{Trials: trials, Failures: failures})
		_, small := errors.AsType[*baseline.TooSmallError](err)
		if e, ok := errors.AsType[*baseline.HypothesesError](err); small || ok && e.Name == "delta" {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%d failures: %w", failures, err)
		}
		families[failures] = plan.Family
	}
	return families, nil
}

// The errors of the whole procedure, in which what the baseline comes to chooses the tier, are within the targets:
// over all outcomes of the baseline, at every rate, those below the guarded range too. That is so of open tests, which
// need not decide, where the baseline is too small for others.
func TestChainKeepsTheErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	t.Parallel()
	t.Run("decided", func(t *testing.T) {
		families, err := chained()
		if err != nil {
			t.Fatal(err)
		}
		q := chainedQuestion
		most, undecided := chainKeepsTheErrors(t, families, chainedTrials, q)
		if most[0] < 0.97*q.Alpha || most[1] < 0.97*q.Beta || undecided > 0 {
			t.Errorf("the largest errors are %v: targets are left unused; %d are not decided", most, undecided)
		}
	})
	t.Run("open", func(t *testing.T) {
		const trials = 30
		q := baseline.Question{Delta: 0.3, Alpha: 0.01, Beta: 0.15, Gamma: 5e-5}
		families, err := familiesOf(trials, q, baseline.Options{Open: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, undecided := chainKeepsTheErrors(t, families, trials, q); undecided == 0 {
			t.Error("all tests decide")
		}
	})
}

// chainKeepsTheErrors returns the largest errors, of a false Fail and of a false Pass, and how many tests need not
// decide.
func chainKeepsTheErrors(
	t *testing.T, families map[int]*baseline.Family, trials int, q baseline.Question,
) (most [2]float64, undecided int) {
	tests := map[int]sprt.Boundaries{}
	tiers := map[float64]int{}
	beyond := 0
	for failures, f := range families {
		o := baseline.Outcome{Trials: trials, Failures: failures}
		low := f.Hypotheses().Guarded.Low
		tiers[low]++
		// The interval of the outcome is in the guarded range, or the tier is for every rate.
		guard, err := f.Sample().Guard(o, q.Gamma)
		if err != nil {
			t.Fatal(err)
		}
		if guard.Low < low-1e-9 {
			beyond++
			if !f.Record().EveryRate {
				t.Errorf("%d failures: the interval %v is not within the guard from %v", failures, guard, low)
			}
		}
		if e := f.Errors().Plus(f.Gamma()); f.Gamma() != q.Gamma || e.Alpha > q.Alpha || e.Beta > q.Beta {
			t.Errorf("%d failures: errors %+v with gamma %v", failures, e, f.Gamma())
		}
		if read, err := f.Record().Family(); err != nil || read.Digest() != f.Digest() {
			t.Errorf("%d failures: the saved family is another: %v", failures, err)
		}
		tests[failures], _ = f.Boundaries(o)
		if pass, fail, _ := ended(tests[failures], float64(trials-failures)/float64(trials)); pass+fail < 1-1e-9 {
			undecided++
		}
	}
	if len(tests) < trials/4 || beyond == 0 {
		t.Fatalf("%d outcomes are tested, in tiers %v, %d beyond them, %d not always decided", len(tests), tiers, beyond,
			undecided)
	}
	const steps = 400
	for i := range steps + 1 {
		rate := float64(i) / steps
		failed, passed := 0.0, 0.0
		for failures, b := range tests {
			mass := binomial(trials, failures, rate)
			_, fail, _ := ended(b, rate)
			failed += mass * fail
			if rate >= q.Delta {
				pass, _, _ := ended(b, rate-q.Delta)
				passed += mass * pass
			}
		}
		if failed > q.Alpha || passed > q.Beta {
			t.Errorf("at %v: P(Fail) %v, P(Pass) %v", rate, failed, passed)
		}
		most[0], most[1] = math.Max(most[0], failed), math.Max(most[1], passed)
	}
	return most, undecided
}

// A chain gives the same tests in whatever order its outcomes are asked for, and Against the same as the chain.
func TestChainDoesNotDependOnTheOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	t.Parallel()
	q := baseline.Question{Delta: 0.35, Alpha: 0.1, Beta: 0.15, Gamma: 1e-3}
	sample, err := baseline.Fixed(60)
	if err != nil {
		t.Fatal(err)
	}
	digests := func(order ...int) (list [3]string) {
		chain, err := baseline.NewChain(q, sample, baseline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range order {
			plan, err := chain.Against(t.Context(), baseline.Outcome{Trials: 60, Failures: 7 * i})
			if err != nil {
				t.Fatal(err)
			}
			list[i] = plan.Family.Digest()
		}
		return list
	}
	forwards, backwards := digests(0, 1, 2), digests(2, 1, 0)
	if forwards != backwards || forwards[0] == forwards[2] {
		t.Errorf("%v, then %v", forwards, backwards)
	}
	plan, err := baseline.Against(t.Context(), q, sample, baseline.Outcome{Trials: 60, Failures: 14}, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Family.Digest() != forwards[2] {
		t.Error("Against has another test than the chain")
	}
	// An outcome of a later tier has no boundaries in a family before.
	first, err := baseline.Against(t.Context(), q, sample, baseline.Outcome{Trials: 60}, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := first.Family.Boundaries(baseline.Outcome{Trials: 60, Failures: 14}); ok {
		t.Error("the first tier has boundaries for an outcome of a later one")
	}
	// The whole chain is saved and read back.
	read, err := plan.Family.Record().Family()
	if err != nil {
		t.Fatal(err)
	}
	if read.Errors() != plan.Family.Errors() || read.Gamma() != q.Gamma || read.Digest() != plan.Family.Digest() {
		t.Error("the family that was read is another")
	}
}

// What a plan says of a test against a stored baseline, counted by itself: that errors are within the targets, and how
// many trials are expected.
func TestStoredByItself(t *testing.T) {
	t.Parallel()
	const trials = 60
	h := baseline.Hypotheses{Delta: 0.25, Alpha: 0.05, Beta: 0.1}
	h.Guarded.Low, h.Guarded.High = 0.85, 1
	sample, err := baseline.Fixed(trials)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := baseline.Stored(t.Context(), h, sample, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const steps = 300
	worst := [2]float64{}
	for i := range steps + 1 {
		rate := h.Guarded.Low + h.Guarded.Width()*float64(i)/steps
		failed, passed, expected := 0.0, 0.0, 0.0
		for failures := range trials + 1 {
			b, ok := plan.Family.Boundaries(baseline.Outcome{Trials: trials, Failures: failures})
			if !ok {
				continue
			}
			mass := binomial(trials, failures, rate)
			_, fail, n := ended(b, rate)
			pass, _, _ := ended(b, rate-h.Delta)
			failed, passed, expected = failed+mass*fail, passed+mass*pass, expected+mass*n
		}
		if failed > h.Alpha || passed > h.Beta {
			t.Errorf("at %v: P(Fail) %v, P(Pass) %v", rate, failed, passed)
		}
		worst[0], worst[1] = math.Max(worst[0], failed), math.Max(worst[1], passed)
		if got := plan.Family.At(rate, rate).ExpectedTrials; math.Abs(got-expected) > 1e-6*expected {
			t.Errorf("at %v: %v trials are expected, counted %v", rate, got, expected)
		}
	}
	for i, proved := range []float64{plan.Errors.Alpha, plan.Errors.Beta} {
		if proved < worst[i] || proved > worst[i]*1.002 {
			t.Errorf("error %d: proved %v, counted %v", i, proved, worst[i])
		}
	}
}

// The same for a test side by side: points of both sides' failures, round by round.
func TestSideBySideByItself(t *testing.T) {
	t.Parallel()
	h := baseline.Hypotheses{Delta: 0.3, Alpha: 0.05, Beta: 0.1}
	h.Guarded.Low, h.Guarded.High = 0.85, 1
	plan, err := baseline.SideBySide(context.Background(), h, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Test
	rounds := r.MaxRounds()
	play := func(p, q float64) (pass, fail, expected float64) {
		going := make([][]float64, rounds+2)
		for x := range going {
			going[x] = make([]float64, rounds+2)
		}
		going[0][0] = 1
		for n := 1; n <= rounds; n++ {
			// In place, from many failures to few.
			for x := n; x >= 0; x-- {
				for y := n; y >= 0; y-- {
					w := going[x][y] * p * q
					if x > 0 {
						w += going[x-1][y] * (1 - p) * q
					}
					if y > 0 {
						w += going[x][y-1] * p * (1 - q)
					}
					if x > 0 && y > 0 {
						w += going[x-1][y-1] * (1 - p) * (1 - q)
					}
					going[x][y] = w
				}
			}
			for x := range n + 1 {
				for y := range n + 1 {
					switch r.Outcome(n, x, y) {
					case sprt.Pass:
						pass += going[x][y]
					case sprt.Fail:
						fail += going[x][y]
					case sprt.Undecided:
						continue
					}
					expected += going[x][y] * float64(n)
					going[x][y] = 0
				}
			}
		}
		return pass, fail, expected
	}
	const steps = 100
	worst := [2]float64{}
	for i := range steps + 1 {
		rate := h.Guarded.Low + h.Guarded.Width()*float64(i)/steps
		_, fail, expected := play(rate, rate)
		pass, _, _ := play(rate, rate-h.Delta)
		if fail > h.Alpha || pass > h.Beta {
			t.Errorf("at %v: P(Fail) %v, P(Pass) %v", rate, fail, pass)
		}
		worst[0], worst[1] = math.Max(worst[0], fail), math.Max(worst[1], pass)
		if got := r.At(rate, rate).ExpectedTrials; math.Abs(got-expected) > 1e-6*expected {
			t.Errorf("at %v: %v rounds are expected, counted %v", rate, got, expected)
		}
	}
	for i, proved := range []float64{plan.Errors.Alpha, plan.Errors.Beta} {
		if proved < worst[i]*(1-1e-9) || proved > worst[i]*1.005 {
			t.Errorf("error %d: proved %v, counted %v", i, proved, worst[i])
		}
	}
}

// stops calls stop for each point at which boundaries end a test, with its probability.
func stops(b sprt.Boundaries, rate float64, stop func(trials, failures int, o sprt.Outcome, probability float64)) {
	going := []float64{1}
	for n := 1; n <= b.MaxTrials(); n++ {
		next := make([]float64, n+1)
		for f, x := range going {
			next[f] += x * rate
			next[f+1] += x * (1 - rate)
		}
		for f, x := range next {
			o := sprt.Undecided
			switch {
			case f <= b.PassAtOrBelow[n-1]:
				o = sprt.Pass
			case f >= b.FailAtOrAbove[n-1]:
				o = sprt.Fail
			case n == b.MaxTrials():
				o = sprt.Inconclusive
			default:
				continue
			}
			if x > 0 {
				stop(n, f, o, x)
			}
			next[f] = 0
		}
		going = next
	}
}

// Over all tiers, a p-value is at most u with probability u at most, at every rate and for every u up to the target,
// and hardly less where tiers overlap. All outcomes of the baseline count: a part of them would hide a sum that is too
// large.
func TestPValuesHoldOverTheChain(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	t.Parallel()
	const trials = chainedTrials
	q := chainedQuestion
	families, err := chained()
	if err != nil {
		t.Fatal(err)
	}
	type place struct{ base, trials, failures int }
	known := map[place]baseline.PValues{}
	tests := map[int]sprt.Boundaries{}
	for failures, f := range families {
		o := baseline.Outcome{Trials: trials, Failures: failures}
		tests[failures], _ = f.Boundaries(o)
		asked := 0
		stops(tests[failures], 0.5, func(n, failed int, outcome sprt.Outcome, _ float64) {
			// Most ends are asked for; of those that decide nothing a few are enough, for they take long.
			if asked++; outcome == sprt.Inconclusive && asked%5 > 0 {
				return
			}
			p, err := f.PValues(o, n, failed)
			if err != nil {
				t.Fatal(err)
			}
			known[place{failures, n, failed}] = p
			if (p.Unchanged <= q.Alpha) != (outcome == sprt.Fail) || (p.Dropped <= q.Beta) != (outcome == sprt.Pass) {
				t.Errorf("%v after %d trials with %d failures beside %d: %+v", outcome, n, failed, failures, p)
			}
		})
	}
	levels := []float64{0.001, 0.002, 0.005, 0.0099, 0.01, 0.02, 0.03, 0.05, 0.07, 0.09, 0.1, 0.12, 0.15}
	largest := map[float64]float64{}
	steps := thorough.Draws(20, 60)
	for i := range steps + 1 {
		rate := q.Delta + (1-q.Delta)*float64(i)/float64(steps)
		unchanged, dropped := make([]float64, len(levels)), make([]float64, len(levels))
		for failures, b := range tests {
			mass := binomial(trials, failures, rate)
			stops(b, rate, func(n, failed int, o sprt.Outcome, x float64) {
				for j, u := range levels {
					if o == sprt.Fail && known[place{failures, n, failed}].Unchanged <= u {
						unchanged[j] += mass * x
					}
				}
			})
			stops(b, math.Max(rate-q.Delta, 0), func(n, failed int, o sprt.Outcome, x float64) {
				for j, u := range levels {
					if o == sprt.Pass && known[place{failures, n, failed}].Dropped <= u {
						dropped[j] += mass * x
					}
				}
			})
		}
		for j, u := range levels {
			if u <= q.Alpha && unchanged[j] > u || dropped[j] > u {
				t.Errorf("at %v: P(p <= %v) is %v against unchanged, %v against dropped", rate, u, unchanged[j], dropped[j])
			}
			largest[u] = math.Max(largest[u], unchanged[j])
		}
	}
	for _, u := range []float64{0.03, 0.05, 0.09, 0.1} {
		if thorough.Asked() && largest[u] < 0.9*u {
			t.Errorf("P(p <= %v) is at most %v: the p-values are too large", u, largest[u])
		}
	}
}

// The intervals of the difference cover it over all tiers, at pairs of rates of which the baseline's is guarded.
func TestDifferenceCoversOverTheChain(t *testing.T) {
	if testing.Short() {
		t.Skip("it asks for the interval of every end of a chain")
	}
	t.Parallel()
	const trials, alpha = chainedTrials, 0.1
	families, err := chained()
	if err != nil {
		t.Fatal(err)
	}
	type place struct{ base, trials, failures int }
	known := map[place]baseline.Difference{}
	tests := map[int]sprt.Boundaries{}
	tiers := map[float64]bool{}
	lowest := 1.0
	for failures, f := range families {
		o := baseline.Outcome{Trials: trials, Failures: failures}
		low := f.Hypotheses().Guarded.Low
		lowest = min(lowest, low)
		tiers[low] = true
		tests[failures], _ = f.Boundaries(o)
		stops(tests[failures], 0.5, func(n, failed int, _ sprt.Outcome, _ float64) {
			d, err := f.Difference(o, n, failed, alpha)
			if err != nil {
				t.Fatal(err)
			}
			known[place{failures, n, failed}] = d
		})
	}
	if len(tiers) < 2 {
		t.Fatalf("the tiers are %v", tiers)
	}
	const steps = 6
	for i := range steps + 1 {
		rate := lowest + (1-lowest)*float64(i)/steps
		for j := range 9 {
			candidate := 0.1 + 0.1*float64(j)
			missed := 0.0
			for failures, b := range tests {
				mass := binomial(trials, failures, rate)
				if mass < 1e-12 {
					continue
				}
				stops(b, candidate, func(n, failed int, _ sprt.Outcome, x float64) {
					if d := known[place{failures, n, failed}].Interval; candidate-rate < d.Low || candidate-rate > d.High {
						missed += mass * x
					}
				})
			}
			if missed > alpha {
				t.Errorf("at %v and %v the interval misses the difference with probability %v", rate, candidate, missed)
			}
		}
	}
}

// The errors are kept too where scenarios that are pooled pass unlike often, which they are not by a test that was
// planned for trials of one rate.
func TestUnlikeScenariosKeepTheErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	t.Parallel()
	const scenarios = 100
	sample, err := baseline.Fixed(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	for _, pooled := range []int{0, scenarios} {
		q := baseline.Question{Delta: 0.2, Alpha: 0.05, Beta: 0.1, Guard: 0.68, Scenarios: pooled}
		plan, err := baseline.Against(t.Context(), q, sample, baseline.Outcome{Trials: scenarios, Failures: 1},
			baseline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		// errors are those where some scenarios always fail and the others with a rate each.
		errors := func(always int, rate float64) (failed, passed float64) {
			mean := rate * float64(scenarios-always) / scenarios
			for failures := always; failures <= scenarios; failures++ {
				mass := binomial(scenarios-always, failures-always, rate)
				b, ok := plan.Family.Boundaries(baseline.Outcome{Trials: scenarios, Failures: failures})
				if !ok || mass < 1e-9 {
					continue
				}
				_, fail, _ := ended(b, mean)
				pass, _, _ := ended(b, mean-q.Delta)
				failed += mass * fail
				passed += mass * pass
			}
			return failed, passed
		}
		if pooled == 0 {
			if _, passed := errors(1, 1); passed < q.Beta {
				t.Errorf("one scenario of 100 that always fails: P(Pass) %v is within the target in any case", passed)
			}
			continue
		}
		for always := range 21 {
			for _, rate := range []float64{1, 0.995, 0.99, 0.98, 0.95, 0.9} {
				if rate*float64(scenarios-always) < q.Guard*scenarios {
					continue
				}
				if failed, passed := errors(always, rate); failed > q.Alpha || passed > q.Beta {
					t.Errorf("%d always fail, the others pass with %v: P(Fail) %v, P(Pass) %v", always, rate, failed, passed)
				}
			}
		}
	}
}
