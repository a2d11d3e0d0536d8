package compare

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// priced is a recording of trials that pass, of which each costs what is said.
func priced(name string, costs []float64) *recording.Recording {
	r := &recording.Recording{Name: name}
	for i, cost := range costs {
		r.Add(&trial.Trial{Scenario: "a", Index: trial.Some(i), Outcome: trial.Pass, CostUSD: trial.Some(cost)})
	}
	return r
}

// divided are n costs about a mean, of which half are a tenth below it and half above.
func divided(n int, mean float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = mean * (.9 + .2*float64(i%2))
	}
	return list
}

// riseOf judges the cost of two recordings of 100 trials.
func riseOf(t *testing.T, before, after float64, most *float64) *Result {
	t.Helper()
	r, err := Judge(t.Context(), priced("before", divided(100, before)), priced("after", divided(100, after)),
		Options{FailOn: []MetricRise{{Metric: recording.CostMetric, Most: most}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Of a standard deviation of a tenth the mean of 100 has one of a hundredth: twice as much is a rise, also beyond a
// fifth; a tenth is a rise and within a fifth; a fifth is neither beyond a fifth nor within it.
func TestMetricsThatFail(t *testing.T) {
	fifth := new(.2)
	for _, c := range []struct {
		name          string
		before, after float64
		most          *float64
		want          verdict.Verdict
		code          verdict.Code
		text          string
	}{
		{"rose", .01, .02, nil, verdict.Fail, CodeMetricRose, "cost rose from $0.01 to $0.02 a trial (+100%; p "},
		{"fell", .02, .01, nil, verdict.Pass, "", ""},
		{"is the same", .01, .01, nil, verdict.Pass, "", ""},
		{"rose a little", .01, .011, nil, verdict.Fail, CodeMetricRose, "cost rose from $0.01 to $0.011 a trial (+10%; p "},
		{"rose beyond", .01, .02, fifth, verdict.Fail, CodeMetricRose,
			"cost rose by more than the 20% that you allow, from $0.01 to $0.02"},
		{"rose within", .01, .011, fifth, verdict.Pass, codeMetricWithin,
			"a rise of cost by more than the 20% that you allow is ruled out, from $0.01"},
		{"fell far", .02, .01, fifth, verdict.Pass, codeMetricWithin, "(-50%; p "},
		{"rose by just as much", .01, .012, fifth, verdict.Inconclusive, CodeMetricOpen,
			"neither shown nor ruled out, from $0.01 to $0.012"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := riseOf(t, c.before, c.after, c.most)
			if r.Verdict != c.want || r.ExitCode != c.want.ExitCode() || r.FailOn[0].Verdict != c.want {
				t.Errorf("%v (%d), of the metric %v; want %v: %v", r.Verdict, r.ExitCode, r.FailOn[0].Verdict, c.want, r.Reasons)
			}
			found := c.code == ""
			for _, reason := range r.Reasons {
				metric := strings.HasPrefix(string(reason.Code), "metric-")
				if metric && (reason.Code != c.code || !strings.Contains(reason.Text, c.text)) {
					t.Errorf("the reason %v, want %s %q", reason, c.code, c.text)
				}
				found = found || metric
			}
			if !found {
				t.Errorf("no reason of the metric: %v", r.Reasons)
			}
			// One other part: the metrics, at alpha.
			if f := r.Family; f.Verdict != .1 || f.Any != .1 || f.Each != .05 {
				t.Errorf("family %+v", *f)
			}
		})
	}
}

// A rise does not hide that the rates fell, and rates that are open do not hide a rise.
func TestMetricsBesideRates(t *testing.T) {
	before, after := priced("before", divided(100, 1)), &recording.Recording{Name: "after"}
	for i, cost := range divided(100, 3) {
		outcome := trial.Pass
		if i < 40 {
			outcome = trial.Fail
		}
		after.Add(&trial.Trial{Scenario: "a", Index: trial.Some(i), Outcome: outcome, CostUSD: trial.Some(cost)})
	}
	o := Options{FailOn: []MetricRise{{Metric: recording.CostMetric}}}
	r, err := Judge(t.Context(), before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Reasons) != 2 || r.Reasons[0].Code != CodeMetricRose || r.Reasons[1].Code != CodeWorse {
		t.Errorf("reasons %v", r.Reasons)
	}
	// Twenty passes on either side exclude no drop of a tenth.
	r, err = Judge(t.Context(), priced("before", divided(20, 1)), priced("after", divided(20, 3)), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != verdict.Fail || len(r.Reasons) != 2 || r.Reasons[1].Code != CodeUndecided {
		t.Errorf("%v: %v", r.Verdict, r.Reasons)
	}
}

// What was to be judged and is not known is no Pass.
func TestMetricsThatAreNotKnown(t *testing.T) {
	r, err := Judge(t.Context(), priced("before", divided(100, 1)), priced("after", divided(100, 1)),
		Options{FailOn: []MetricRise{{Metric: recording.DurationMetric}}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != verdict.Inconclusive || r.Reasons[0].Code != CodeMetricOpen || r.FailOn[0].P != nil {
		t.Errorf("%v: %v, %+v", r.Verdict, r.Reasons, r.FailOn[0])
	}
}

// What cannot be asked for is refused.
func TestMetricsThatCannotFail(t *testing.T) {
	for name, list := range map[string][]MetricRise{
		"no metric": {{Metric: 99}}, "twice": {{Metric: recording.CostMetric}, {Metric: recording.CostMetric}},
		"negative amount": {{Above: new(-1.)}}, "no amount": {{Above: new(math.NaN())}},
		"two limits": {{Most: new(.1), Above: new(1.)}},
		"negative":   {{Most: new(-.1)}}, "not a number": {{Most: new(math.NaN())}},
		"without end": {{Most: new(math.Inf(1))}},
	} {
		_, err := Judge(t.Context(), priced("a", divided(4, 1)), priced("b", divided(4, 1)), Options{FailOn: list})
		if _, ok := errors.AsType[*verdict.OptionError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An agent whose costs are skewed and rise by just what is allowed fails with at most its share of alpha, which is all
// of it here, and passes with at most beta: three standard errors are allowed.
func TestRisesThatAreJustAllowed(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	const most = .25
	runs := thorough.Draws(100, 600)
	random := rand.New(rand.NewPCG(11, 5))
	draw := func(factor float64) []float64 {
		list := make([]float64, 40)
		for i := range list {
			list[i] = factor * math.Exp(.8*random.NormFloat64())
		}
		return list
	}
	counts := map[verdict.Verdict]int{}
	for range runs {
		before, after := priced("before", draw(1)), priced("after", draw(1+most))
		r, err := Judge(t.Context(), before, after, Options{Seed: random.Uint64(),
			FailOn: []MetricRise{{Metric: recording.CostMetric, Most: new(most)}}})
		if err != nil {
			t.Fatal(err)
		}
		counts[r.FailOn[0].Verdict]++
	}
	for v, level := range map[verdict.Verdict]float64{verdict.Fail: .05, verdict.Pass: .1} {
		if allowed := level + 3*math.Sqrt(level*(1-level)/float64(runs)); float64(counts[v]) > allowed*float64(runs) {
			t.Errorf("%v in %d of %d runs, at most %.3f allowed", v, counts[v], runs, allowed)
		}
	}
	t.Log(counts)
}

// A rise that is allowed in dollars. Of 100 costs of 0.009 and 0.011 the mean has a standard error of 0.0001, and a
// difference of two of them 0.00014: a cent beyond the limit is shown, a cent within it is excluded, and a rise by just
// the limit is neither.
func TestRiseInTheUnitOfTheMetric(t *testing.T) {
	shifted := func(by float64) []float64 {
		list := divided(100, .01)
		for i := range list {
			list[i] += by
		}
		return list
	}
	for _, c := range []struct {
		rose float64
		want verdict.Verdict
		text string
	}{
		{.06, verdict.Fail, "cost rose by more than the $0.05 that you allow, from $0.01 to $0.07"},
		{.04, verdict.Pass, "a rise of cost by more than the $0.05 that you allow is ruled out, from $0.01 to $0.05"},
		{.05, verdict.Inconclusive, "a rise of cost by more than the $0.05 that you allow is neither shown nor ruled out"},
		{-.005, verdict.Pass, "is ruled out"},
	} {
		r, err := Judge(t.Context(), priced("before", shifted(0)), priced("after", shifted(c.rose)),
			Options{FailOn: []MetricRise{{Metric: recording.CostMetric, Above: new(.05)}}})
		if err != nil {
			t.Fatal(err)
		}
		said := false
		for _, reason := range r.Reasons {
			said = said || strings.Contains(reason.Text, c.text)
		}
		if r.FailOn[0].Verdict != c.want || !said {
			t.Errorf("%v: %v, %v", c.rose, r.FailOn[0].Verdict, r.Reasons)
		}
		found, err := r.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if again := found.Again.(*Result).FailOn[0]; *again.P != *r.FailOn[0].P || *again.Above != .05 {
			t.Errorf("judged again it is %+v", again)
		}
	}
}

// A candidate that rose by just the amount that is allowed fails with at most the level at which a metric may, and
// passes with at most beta: pairs of skewed recordings of 30 trials, with three standard errors of room.
func TestErrorsOfARiseInTheUnitOfTheMetric(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates many comparisons")
	}
	random := rand.New(rand.NewPCG(3, 1))
	pairs := thorough.Draws(80, 400)
	count := map[verdict.Verdict]int{}
	for range pairs {
		sides := [2][]float64{}
		for side := range sides {
			for range 30 {
				sides[side] = append(sides[side], random.ExpFloat64()+2*float64(side))
			}
		}
		r, err := Judge(t.Context(), priced("before", sides[0]), priced("after", sides[1]),
			Options{FailOn: []MetricRise{{Metric: recording.CostMetric, Above: new(2.)}}})
		if err != nil {
			t.Fatal(err)
		}
		count[r.FailOn[0].Verdict]++
	}
	room := func(p float64) int { return int(float64(pairs)*p + 3*math.Sqrt(float64(pairs)*p*(1-p))) }
	if count[verdict.Fail] > room(.05/2) || count[verdict.Pass] > room(.1) {
		t.Errorf("of %d: %v", pairs, count)
	}
	t.Logf("of %d: %v", pairs, count)
}
