package verify

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/history"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
	"github.com/tribunal-dev/tribunal/verdict/race"
	"github.com/tribunal-dev/tribunal/verdict/rank"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// law counts the verdicts that were held against their intervals.
type law struct {
	t     *testing.T
	known map[verdict.Verdict]int
}

func newLaw(t *testing.T) *law { return &law{t, map[verdict.Verdict]int{}} }

func (l *law) check(name string, claims ...verdict.Claim) {
	l.t.Helper()
	for _, c := range claims {
		l.known[c.Verdict]++
	}
	if err := verdict.CheckClaims(claims); err != nil {
		l.t.Errorf("%s: %v", name, err)
	}
}

// ended asks for verdicts of both kinds: a law over none is none.
func (l *law) ended() {
	l.t.Helper()
	if l.known[verdict.Pass] == 0 || l.known[verdict.Fail] == 0 {
		l.t.Errorf("verdicts are %v", l.known)
	}
}

// noClaims says of kinds of results without claims why no interval can contradict their verdict. All others have
// claims.
var noClaims = map[string]string{
	gate.Schema:           "the result that it is over is a part of it, with claims of its own; its rules have p-values",
	compare.EndsSchema:    "shares of passes stand beside the verdict, without an interval",
	compare.AnytimeSchema: "the evidence of both sides stands beside the verdict, without an interval",
	behaviour.Schema:      "the one limit, of shifts, is what a Pass is decided by; a Fail is one of any shift",
	plan.Schema:           "no verdict",
	plan.AgainstSchema:    "no verdict",
	plan.SizesSchema:      "no verdict",
	plan.BehaviourSchema:  "no verdict",
	plan.SuiteSchema:      "no verdict",
	plan.ForecastSchema:   "no verdict",
	history.Schema:        "no verdict",
	mutants.ChecksSchema:  "the score is a share of all changes, and no estimate",
	improvement.Schema:    "counts and levels stand beside the decisions, without an interval",
	compliance.Schema:     "the verdict is on the trials that there are, and the interval on the rate behind them",
	coverage.Schema:       "the one limit is what the verdict is decided by",
}

// Every kind of result is under the law, or it is said why it need not be.
func TestEveryKindIsUnderTheLaw(t *testing.T) {
	for _, k := range Kinds() {
		r := k.empty()
		_, has := r.(interface{ Claims() []verdict.Claim })
		switch why := noClaims[k.Schema]; {
		case has != (why == ""):
			t.Errorf("%s has claims: %v, and there is a reason why it needs none: %q", k.Schema, has, why)
		case why == "no verdict" && r.Header().Judged:
			t.Errorf("%s has a verdict", k.Schema)
		}
	}
}

func ofOutcome(o sprt.Outcome) verdict.Verdict {
	return map[sprt.Outcome]verdict.Verdict{sprt.Pass: verdict.Pass, sprt.Fail: verdict.Fail}[o]
}

// No verdict on counts contradicts the interval beside it: every count of few trials, errors too.
func TestLawOfThresholds(t *testing.T) {
	t.Parallel()
	l := newLaw(t)
	var all []verdict.ThresholdOptions
	for _, threshold := range []float64{0.3, 0.8, 0.95} {
		for _, method := range []stats.IntervalMethod{stats.WilsonInterval, stats.ClopperPearsonInterval} {
			all = append(all, verdict.ThresholdOptions{Threshold: threshold, Interval: method},
				verdict.ThresholdOptions{Threshold: threshold, Interval: method, By: verdict.ByScenario})
		}
		all = append(all, verdict.ThresholdOptions{Threshold: threshold, Anytime: true})
	}
	for _, o := range all {
		for _, n := range []int{1, 2, 5, 12, 40} {
			for passes := range n + 1 {
				for broken := range 2 {
					tallies := []verdict.Tally{{Scenario: "a", Passes: passes, Fails: n - passes, Errors: broken}}
					for range 2 {
						r, err := verdict.JudgeThreshold(t.Context(), tallies, o)
						if err != nil {
							t.Fatal(err)
						}
						l.check(fmt.Sprintf("%+v, %+v", o, tallies), r.Claims()...)
						tallies = append(tallies, verdict.Tally{Scenario: "b", Passes: n - passes/2, Fails: passes / 2})
					}
				}
			}
		}
	}
	l.ended()
}

// Nor does one of a sequential test, at any of its ends.
func TestLawOfSequentialTests(t *testing.T) {
	t.Parallel()
	l := newLaw(t)
	for _, h := range []sprt.Hypotheses{
		{Threshold: 0.9, Delta: 0.3, Alpha: 0.05, Beta: 0.1},
		{Threshold: 0.5, Delta: 0.4, Alpha: 0.2, Beta: 0.05},
	} {
		for _, most := range []int{12, 30} {
			plan, err := sprt.Optimal(t.Context(), h, sprt.OptimalOptions{MaxTrials: most})
			if err != nil {
				continue // so few trials cannot decide
			}
			b := plan.Design.Boundaries
			for n := 1; n <= b.MaxTrials(); n++ {
				for failures := range n + 1 {
					o := sprt.Pass
					switch {
					case failures <= b.PassAtOrBelow[n-1]:
					case failures >= b.FailAtOrAbove[n-1]:
						o = sprt.Fail
					default:
						continue
					}
					end := sprt.End{Trials: n, Failures: failures}
					e, err := design.EstimateOf(b, end, end, 0.05)
					if err != nil {
						continue // it never comes to this
					}
					l.check(fmt.Sprintf("%+v: %d of %d fail", h, failures, n), verdict.Claim{Path: "estimate",
						Verdict: ofOutcome(o), Low: e.Low, High: e.High, Bad: h.Lower(), Good: h.Threshold})
					// Relations print a confidence sequence beside such a verdict.
					s, err := sprt.ConfidenceSequence(stats.Counts{Passes: n - failures, Trials: n}, 0.05, 1, 1)
					if err != nil {
						t.Fatal(err)
					}
					l.check(fmt.Sprintf("%+v: %d of %d fail, a sequence", h, failures, n), verdict.Claim{Path: "rate",
						Verdict: ofOutcome(o), Low: s.Low, High: s.High, Bad: h.Lower(), Good: h.Threshold})
				}
			}
		}
	}
	l.ended()
}

// Nor one in rounds, side by side or of matched pairs.
func TestLawOfRounds(t *testing.T) {
	t.Parallel()
	deltas := []float64{0.6}
	if thorough.Asked() {
		deltas = []float64{0.6, 0.4}
	}
	for _, delta := range deltas {
		l := newLaw(t)
		sides, err := baseline.SideBySide(t.Context(), baseline.Hypotheses{Delta: delta, Alpha: 0.05, Beta: 0.1,
			Guarded: baseline.EveryRate()}, baseline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := baseline.Matched(t.Context(), baseline.MatchedHypotheses{Delta: delta, Alpha: 0.05, Beta: 0.1,
			MostDiscordant: (1 + delta*delta) / 2}, baseline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*baseline.Rounds{sides.Test, pairs.Test} {
			for n := 1; n <= r.MaxRounds(); n++ {
				for x := range n + 1 {
					for y := range n + 1 {
						if o := r.Outcome(n, x, y); o == sprt.Pass || o == sprt.Fail {
							d, err := r.Difference(n, x, y, 0.05)
							if err != nil {
								continue // it never comes to this
							}
							l.check(fmt.Sprintf("delta %v, matched %v: %d rounds, %d and %d", delta, r.Matched(), n, x, y),
								design.DifferenceOf(d).Claim("difference", ofOutcome(o), delta))
							if !r.Matched() {
								// A race prints confidence sequences of both sides beside it.
								won := &race.Result{Verdict: ofOutcome(o), Asked: race.Options{Delta: delta},
									Confirmed: &race.Confirmation{Winner: sequenceOf(t, n-y, n), Incumbent: sequenceOf(t, n-x, n)}}
								l.check(fmt.Sprintf("a race, delta %v: %d rounds, %d and %d", delta, n, x, y), won.Claims()...)
							}
						}
					}
				}
			}
		}
		l.ended()
	}
}

// sequenceOf is the rate of a side as a race has it.
func sequenceOf(t *testing.T, passes, trials int) race.Rate {
	t.Helper()
	s, err := sprt.ConfidenceSequence(stats.Counts{Passes: passes, Trials: trials}, 0.05, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return race.Rate{Trials: trials, Passes: passes, Low: s.Low, High: s.High}
}

// Nor one of targets with a proxy of each: pairs in which both pass, either or none, on both sides.
func TestLawOfProxies(t *testing.T) {
	t.Parallel()
	l := newLaw(t)
	parts := []int{0, 12}
	if thorough.Asked() {
		parts = []int{0, 12, 40}
	}
	var samples []controlvariate.Sample
	for _, both := range parts {
		for _, target := range parts {
			for _, cheap := range parts {
				for _, none := range parts {
					if s := (controlvariate.Sample{BothPass: both, TargetOnly: target, ProxyOnly: cheap, BothFail: none, Further: both,
						FurtherPasses: both / 2}); s.Pairs() > 1 {
						samples = append(samples, s)
					}
				}
			}
		}
	}
	side := func(s controlvariate.Sample) *proxy.MatchedTrials {
		return &proxy.MatchedTrials{Names: [2]string{"target", "proxy"}, Scenarios: []proxy.Scenario{{Name: "a", Sample: s}}}
	}
	for _, a := range samples {
		for _, b := range samples {
			for _, delta := range []float64{0.05, 0.5} {
				r, err := proxy.Judge(t.Context(), side(a), side(b), proxy.Question{Delta: delta, Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				l.check(fmt.Sprintf("%+v, %+v, delta %v", a, b, delta), r.Claims()...)
			}
		}
	}
	l.ended()
}

// Nor one against a stored baseline, whatever that came to.
func TestLawOfStoredBaselines(t *testing.T) {
	t.Parallel()
	l := newLaw(t)
	const trials, delta = 20, 0.4
	sample, err := baseline.Fixed(trials)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := baseline.Against(t.Context(), baseline.Question{Delta: delta, Alpha: 0.05, Beta: 0.1, Guard: 0.6},
		sample, baseline.Outcome{Trials: trials, Failures: 1}, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	every := thorough.Draws(3, 1)
	for failures := 0; failures <= 10; failures += every {
		o := baseline.Outcome{Trials: trials, Failures: failures}
		b, ok := plan.Family.Boundaries(o)
		if !ok {
			t.Fatalf("no boundaries beside %d failures", failures)
		}
		for n := 1; n <= b.MaxTrials(); n++ {
			for f := range n + 1 {
				outcome := sprt.Pass
				switch {
				case f <= b.PassAtOrBelow[n-1]:
				case f >= b.FailAtOrAbove[n-1]:
					outcome = sprt.Fail
				default:
					continue
				}
				d, err := plan.Family.Difference(o, n, f, 0.05)
				if err != nil {
					continue // it never comes to this
				}
				l.check(fmt.Sprintf("baseline %d of %d fail, candidate %d of %d", failures, trials, f, n),
					design.DifferenceOf(d).Claim("difference", ofOutcome(outcome), delta))
			}
		}
	}
	l.ended()
}

// Nor one of a comparison of counts, whatever test decides.
func TestLawOfComparisons(t *testing.T) {
	t.Parallel()
	l := newLaw(t)
	sizes := [][2]int{{6, 6}, {4, 9}}
	if thorough.Asked() {
		sizes = append(sizes, [2]int{12, 12}, [2]int{25, 8})
	}
	for _, n := range sizes {
		for base := range n[0] + 1 {
			for candidate := range n[1] + 1 {
				var sides [2]*recording.Recording
				for i, k := range []int{base, candidate} {
					r, err := recording.OfCounts([]string{"main", "branch"}[i], stats.Counts{Passes: k, Trials: n[i]})
					if err != nil {
						t.Fatal(err)
					}
					sides[i] = r
				}
				for _, delta := range []float64{0.1, 0.5} {
					r, err := compare.Judge(t.Context(), sides[0], sides[1], compare.Options{Delta: delta})
					if err != nil {
						t.Fatal(err)
					}
					l.check(fmt.Sprintf("%d of %d, %d of %d, delta %v", base, n[0], candidate, n[1], delta), r.Claims()...)
				}
			}
		}
	}
	l.ended()
}

// Pairs and strata decide by tests of their own: scenarios with a few trials a side, of which the last ones fail.
func TestLawOfPairsAndStrata(t *testing.T) {
	t.Parallel()
	l := newLaw(t)
	most := thorough.Draws(2, 8)
	for a := range most + 1 {
		for b := range most + 1 {
			for c := range most + 1 {
				for d := range most + 1 {
					base := taskTrials("main", 1, false, 8*a/most, 8*b/most)
					candidate := taskTrials("branch", 2, false, 8*c/most, 8*d/most)
					r, err := compare.Judge(t.Context(), base, candidate, compare.Options{Delta: 0.4, Alpha: 0.2, Beta: 0.3})
					if err != nil {
						t.Fatal(err)
					}
					l.check(fmt.Sprintf("%d %d, %d %d: %s", a, b, c, d, r.DecidedBy), r.Claims()...)
				}
			}
		}
	}
	l.ended()
}

// Claims of differences and of ranks are about what stands beside the verdict.
func TestClaimsContradict(t *testing.T) {
	within := func(low, high float64) *proxy.Comparison {
		return &proxy.Comparison{Delta: 0.1, Result: controlvariate.Result{Interval: stats.Interval{Low: low, High: high}}}
	}
	raced := func(winner, incumbent race.Rate) *race.Result {
		return &race.Result{Asked: race.Options{Delta: 0.1}, Confirmed: &race.Confirmation{Winner: winner,
			Incumbent: incumbent}}
	}
	placed := func(low, high int) *rank.Result {
		down := -1.0
		return &rank.Result{Alpha: 0.05, Improvement: &rank.Improvement{Axis: "tone"}, Axes: []rank.Axis{
			{Name: rank.RateAxis, Ranks: []rank.Rank{{Low: 1, High: 2}, {Low: 1, High: 2}}, Pairs: []rank.Pair{{P: 1}}},
			{Name: "tone", Ranks: []rank.Rank{{Mean: new(2.0), Low: 1, High: 2}, {Mean: new(1.0), Low: low, High: high}},
				Pairs: []rank.Pair{{Difference: &down, P: 0.01}}},
		}}
	}
	for _, c := range []struct {
		r    verdict.Result
		path string
		want [2]bool // whether a Pass and a Fail are contradicted
	}{
		{within(-0.3, -0.11), "result.interval", [2]bool{true, false}},
		{within(-0.3, -0.09), "result.interval", [2]bool{}},
		{within(0.01, 0.2), "result.interval", [2]bool{false, true}},
		{raced(race.Rate{Low: 0.1, High: 0.5}, race.Rate{Low: 0.7, High: 0.9}), "confirmed", [2]bool{true, false}},
		{raced(race.Rate{Low: 0.1, High: 0.65}, race.Rate{Low: 0.7, High: 0.9}), "confirmed", [2]bool{}},
		{raced(race.Rate{Low: 0.8, High: 0.9}, race.Rate{Low: 0.3, High: 0.7}), "confirmed", [2]bool{false, true}},
		{placed(2, 2), "axes[1].ranks[1]", [2]bool{true, false}}, {placed(1, 2), "axes[1].ranks[1]", [2]bool{}},
		{placed(1, 1), "axes[1].ranks[1]", [2]bool{false, true}},
	} {
		for i, v := range []verdict.Verdict{verdict.Pass, verdict.Fail} {
			reflect.ValueOf(c.r).Elem().FieldByName("Verdict").Set(reflect.ValueOf(v))
			err := verdict.CheckClaims(c.r.(interface{ Claims() []verdict.Claim }).Claims())
			if d, is := errors.AsType[*verdict.DifferenceError](err); is != c.want[i] || is && d.Path != c.path {
				t.Errorf("%T, %v: %v", c.r, v, err)
			}
		}
	}
}

// contradictedResult is a result whose own rules give an interval that contradicts it.
type contradictedResult struct {
	verdict.ThresholdResult
	low, high float64
}

func (c *contradictedResult) Claims() []verdict.Claim {
	return []verdict.Claim{{Path: "interval", Verdict: c.Verdict, Low: c.low, High: c.high, Bad: 0.7, Good: 0.8}}
}

func (c *contradictedResult) Rejudge(context.Context) (*rejudged.Result, error) {
	return rejudged.AsItIs(c), nil
}

// A result that breaks the law is not verified, though it is what its outcomes give.
func TestVerifyHoldsTheLaw(t *testing.T) {
	for _, c := range []struct {
		verdict   verdict.Verdict
		low, high float64
		holds     bool
	}{
		{verdict.Pass, 0.5, 0.69, false}, {verdict.Pass, 0.5, 0.71, true}, {verdict.Pass, 0.9, 0.95, true},
		{verdict.Fail, 0.81, 0.9, false}, {verdict.Fail, 0.79, 0.9, true}, {verdict.Fail, 0.1, 0.2, true},
		{verdict.Inconclusive, 0.1, 0.2, true}, {verdict.Inconclusive, 0.9, 1, true},
	} {
		r := &contradictedResult{low: c.low, high: c.high}
		r.Verdict, r.ExitCode = c.verdict, c.verdict.ExitCode()
		_, err := recheck.Verify(t.Context(), r)
		if d, broken := errors.AsType[*verdict.DifferenceError](err); broken == c.holds || broken && d.Path != "interval" {
			t.Errorf("%v beside %v to %v: %v", c.verdict, c.low, c.high, err)
		}
	}
}
