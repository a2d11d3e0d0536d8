package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// drawTrials are trials of some scenarios, in the order of the scenarios.
func drawTrials(t *rapid.T, side string) []*trial.Trial {
	var list []*trial.Trial
	inputs := rapid.Bool().Draw(t, side+" inputs")
	for i := range rapid.IntRange(1, 5).Draw(t, side+" scenarios") {
		for k := range rapid.IntRange(0, 9).Draw(t, side+" trials") {
			x := &trial.Trial{
				Scenario: fmt.Sprintf("s%d", i), Index: trial.Some(k),
				Outcome: rapid.SampledFrom([]trial.Outcome{trial.Pass, trial.Pass, trial.Fail, trial.Error}).Draw(t, "outcome"),
			}
			if inputs {
				x.Input = trial.RawString(fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "input")))
			}
			if rapid.IntRange(0, 3).Draw(t, "told") > 0 {
				x.CostUSD = trial.Some(float64(rapid.IntRange(1, 50).Draw(t, "cost")) / 8)
			}
			x.DurationSeconds = trial.Some(float64(rapid.IntRange(1, 50).Draw(t, "seconds")))
			list = append(list, x)
		}
	}
	return list
}

// groupsOfTrials counts trials as a query does.
func groupsOfTrials(list []*trial.Trial, byInput bool) []recording.Group {
	groups := []recording.Group{}
	at := map[[2]string]int{}
	for _, x := range list {
		key := [2]string{x.Scenario}
		if byInput {
			key[1] = string(x.Input)
		}
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, recording.Group{Scenario: key[0], Input: key[1]})
		}
		one := recording.Group{Scenario: key[0], Input: key[1], Metrics: map[recording.MetricName]sample.Moments{
			recording.DurationMetric: sample.MomentsOf([]float64{x.DurationSeconds.Value}),
		}}
		if x.CostUSD.Known {
			one.Metrics[recording.CostMetric] = sample.MomentsOf([]float64{x.CostUSD.Value})
		}
		switch x.Outcome {
		case trial.Pass:
			one.Passes = 1
			if x.CostUSD.Known {
				one.PaidPasses = 1
			}
		case trial.Fail:
			one.Fails = 1
		default:
			one.Errors = 1
		}
		groups[i].Plus(&one)
	}
	return groups
}

// What follows from counts is the same of trials and of what was counted of them, whatever the options are; the
// result is verified, also after a way through JSON.
func TestGroupsAreJudgedAsTheirTrials(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	thorough.Check(t, func(t *rapid.T) {
		lists := [2][]*trial.Trial{drawTrials(t, "baseline"), drawTrials(t, "candidate")}
		var trials, groups [2]*recording.Recording
		for i, list := range lists {
			trials[i] = &recording.Recording{Name: fmt.Sprint(i)}
			byInput := len(list) > 0
			for _, x := range list {
				trials[i].Add(x)
				byInput = byInput && x.Input != nil
			}
			var err error
			if groups[i], err = recording.OfGroups(fmt.Sprint(i), groupsOfTrials(list, byInput)); err != nil {
				t.Fatal(err)
			}
		}
		o := Options{
			Delta: 0.2, Seed: 1, Errors: rapid.SampledFrom([]verdict.ErrorPolicy{
				verdict.RobustErrors, verdict.ExcludeErrors, verdict.FailErrors}).Draw(t, "errors"),
			By: rapid.SampledFrom([]verdict.Grouping{verdict.BySuite, verdict.ByScenario}).Draw(t, "by"),
		}
		want, err := Judge(t.Context(), trials[0], trials[1], o)
		if err != nil {
			t.Fatal(err)
		}
		have, err := Judge(t.Context(), groups[0], groups[1], o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, have, likeTrials...); diff != "" {
			t.Fatalf("trials, and what was counted of them (+):\n%s", diff)
		}
		for i, m := range have.Metrics {
			if d := m.Difference.Value - want.Metrics[i].Difference.Value; math.Abs(d) > 1e-9 {
				t.Fatalf("%s: the means differ by %v", m.Name, d)
			}
		}
		text, err := json.Marshal(have)
		if err != nil {
			t.Fatal(err)
		}
		saved := &Result{}
		if err := json.Unmarshal(text, saved); err != nil {
			t.Fatal(err)
		}
		found, err := saved.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(have, found.Again, approximately...); diff != "" {
			t.Fatalf("judged again (+):\n%s", diff)
		}
	})
}

var approximately = cmp.Options{
	cmpopts.EquateApprox(1e-9, 1e-12), cmpopts.EquateEmpty(), cmp.AllowUnexported(Result{}),
	cmpopts.IgnoreFields(Result{}, "Commit"),
}

// likeTrials leave out what single trials tell and counts do not.
var likeTrials = append(approximately,
	cmpopts.IgnoreFields(Result{}, "Trials", "Examples", "Groups", "Warnings", "Seed", "Columns"),
	cmpopts.IgnoreFields(Flip{}, "Trial"),
	cmpopts.IgnoreFields(Metric{}, "Test", "Draws", "P", "PAdjusted", "Changed"),
	cmpopts.IgnoreFields(MeanChange{}, "Method", "Low", "High"),
	cmpopts.IgnoreFields(Summary{}, "Median"),
)

// A forged document is refused with the place of what no judge writes.
func TestForgedGroupsAreRefused(t *testing.T) {
	good := func() *Result {
		b, err := recording.OfGroups("b", []recording.Group{{Scenario: "s", Passes: 30, Fails: 10}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Judge(t.Context(), b, b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Groups = &Groups{Baseline: append([]recording.Group{}, r.Groups.Baseline...), Candidate: r.Groups.Candidate}
		return r
	}
	for path, forge := range map[string]func(*Result){
		"groups.baseline[0].passes":          func(r *Result) { r.Groups.Baseline[0].Passes = -1 },
		"groups.baseline[0].scenario":        func(r *Result) { r.Groups.Baseline[0].Scenario = "" },
		"groups.baseline[0].cost_usd_passes": func(r *Result) { r.Groups.Baseline[0].PaidPasses = 1 },
		"groups.baseline": func(r *Result) {
			r.Groups.Baseline = append(r.Groups.Baseline, recording.Group{Scenario: "s"})
		},
		"groups.baseline[0].metrics.tokens": func(r *Result) {
			r.Groups.Baseline[0].Metrics = map[recording.MetricName]sample.Moments{
				recording.TokensMetric: {N: 2, Sum: 10, Squares: 1},
			}
		},
		"groups": func(r *Result) { r.Groups.Baseline = make([]recording.Group, mostGroups+1) },
	} {
		r := good()
		forge(r)
		_, err := r.Rejudge(t.Context())
		if d, ok := err.(*verdict.DifferenceError); !ok || d.Path != path {
			t.Errorf("%s: error %v", path, err)
		}
	}
}
