package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sampled"
)

// judgedTrials compares so many trials a side, of inputs that both tried once or that one side tried several times;
// each returns the i-th trial of a side.
func judgedTrials(t *testing.T, n int, inputs string) (result *Result, each func(side, i int) *trial.Trial) {
	t.Helper()
	each = func(side, i int) *trial.Trial {
		record := &trial.Trial{
			Scenario: fmt.Sprint("s", i%4), Index: trial.Some(i / 4), Outcome: trial.Pass,
			CostUSD:     trial.Some(0.01 + float64((i*7+side)%11)/1000),
			InputTokens: trial.Some[int64](int64(100 + i%50)), OutputTokens: trial.Some[int64](int64(30 + (i+side)%9)),
		}
		if (i/4+7*side)%(10+i%4) == 0 {
			record.Outcome = trial.Fail
		}
		switch inputs {
		case "shared":
			record.Input = trial.RawString(fmt.Sprint(i))
		case "own":
			record.Input = trial.RawString(fmt.Sprint(side, i/12*4+i%4))
		}
		return record
	}
	var sides [2]*recording.Recording
	var drawn [2]sampled.Drawing
	for side := range sides {
		sides[side] = &recording.Recording{Name: [2]string{"before", "after"}[side]}
		for i := range n {
			sides[side].Add(each(side, i))
			drawn[side].Add(each(side, i))
		}
	}
	result, err := Judge(t.Context(), sides[0], sides[1],
		Options{FailOn: []MetricRise{{Metric: recording.CostMetric, Most: new(0.5)}}})
	if err != nil {
		t.Fatal(err)
	}
	result.AddSample(&drawn[0], &drawn[1])
	return result, each
}

// saved is the result as it is read again.
func saved(t *testing.T, r *Result) *Result {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var read Result
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return &read
}

// Of so many trials everything is computed again but the medians, whatever is compared with what.
func TestManyTrialsAreJudgedAgainFromAggregates(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	const beyond = recording.MostTrials/2 + 2
	for _, c := range []struct {
		inputs string
		trials int
	}{{"", beyond}, {"shared", beyond}, {"own", beyond}, {"", recording.MostValues/2 + 2},
		{"own", recording.MostValues/2 + 2}}[:thorough.Draws(2, 5)] {
		result, each := judgedTrials(t, c.trials, c.inputs)
		if listed := result.Trials != nil; listed != (c.trials < beyond) || result.Aggregates == nil {
			t.Fatalf("%v: listed: %v", c, listed)
		}
		read := saved(t, result)
		found, err := recheck.Verify(t.Context(), read)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		if have := strings.Join(found.Skipped, " "); have != "metrics.baseline.median metrics.candidate.median" {
			t.Errorf("%v: taken as it is: %s", c, have)
		}
		// An earlier version held less, and of inputs of too many kinds this one does.
		before := saved(t, result)
		before.Aggregates, before.Sampled = nil, nil
		omitted := saved(t, result)
		omitted.Aggregates.Inputs, omitted.Aggregates.InputsOmitted = nil, c.inputs != "" && c.trials >= beyond
		for name, result := range map[string]*Result{"before": before, "omitted": omitted} {
			if _, err := recheck.Verify(t.Context(), result); err != nil {
				t.Errorf("%v: %s: %v", c, name, err)
			}
		}
		for side := range 2 {
			f, err := read.Follow(side)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.trials {
				f.Add(each(side, c.trials-1-i))
			}
			if text, err := f.Finish(); err != nil || !strings.Contains(text, "digests of ") {
				t.Errorf("%v: %s, %v", c, text, err)
			}
		}
		if c.inputs == "" || c.inputs == "own" && c.trials == beyond {
			continue
		}
		spoiled := 0
		for name, spoil := range forgeries {
			forged := saved(t, result)
			if !spoil(forged) {
				continue
			}
			spoiled++
			if _, err := recheck.Verify(t.Context(), forged); !errors.As(err, new(*verdict.DifferenceError)) {
				t.Errorf("%v: %s is taken: %v", c, name, err)
			}
		}
		if spoiled < 10 {
			t.Errorf("%v: %d forgeries", c, spoiled)
		}
	}
}

// forgeries are changes of one figure, each of which leaves the rest as it is; false is one that does not apply.
var forgeries = map[string]func(r *Result) bool{
	"deciding test": func(r *Result) bool {
		i := slices.IndexFunc(r.Tests.Rates, func(rate TestOfRates) bool { return rate.Test == r.DecidedBy })
		if i < 0 {
			return false // there is none of so many clusters
		}
		r.Tests.Rates[i].P = math.Abs(r.Tests.Rates[i].P - 0.3)
		return true
	},
	"non-inferiority": func(r *Result) bool { r.Tests.NonInferiority.P += 0.01; return true },
	"heterogeneity": func(r *Result) bool {
		if r.Heterogeneity == nil {
			return false // inputs that one side alone tried have no odds in common
		}
		r.Heterogeneity.P = math.Abs(r.Heterogeneity.P - 0.01)
		return true
	},
	"scenario":      func(r *Result) bool { r.Scenarios[2].P += 0.001; return true },
	"corrected":     func(r *Result) bool { r.Scenarios[1].PHolm = 0.5; return true },
	"of scenario":   func(r *Result) bool { r.Scenarios[1].Verdict = verdict.Fail; return true },
	"family":        func(r *Result) bool { r.Family.Parts = r.Family.Parts[1:]; return true },
	"warnings":      func(r *Result) bool { r.Warnings = append(r.Warnings, verdict.Warning{Code: "x"}); return true },
	"per success":   func(r *Result) bool { *r.Baseline.Reliability.CostPerSuccess *= 1.01; return true },
	"cost":          func(r *Result) bool { r.Candidate.Reliability.Cost.TotalUSD += 1; return true },
	"mean":          func(r *Result) bool { r.Metrics[0].Baseline.Mean *= 1.01; return true },
	"p of a metric": func(r *Result) bool { r.Metrics[1].P /= 2; return true },
	"interval":      func(r *Result) bool { *r.Metrics[0].Difference.Low -= 0.01; return true },
	"rise":          func(r *Result) bool { *r.FailOn[0].P += 0.01; return true },
	"strata": func(r *Result) bool {
		if r.Strata == nil {
			return false
		}
		r.Strata.Groups++
		return true
	},
	"pairs": func(r *Result) bool {
		if r.Pairs == nil {
			return false
		}
		r.Pairs.SameInput--
		return true
	},
	"sums":   func(r *Result) bool { r.Aggregates.Metrics[recording.CostMetric].Baseline.Sum *= 1.01; return true },
	"paid":   func(r *Result) bool { r.Aggregates.Baseline.Cost.Passes--; return true },
	"known":  func(r *Result) bool { r.Aggregates.Baseline.Cost.Known *= 2; return true },
	"metric": func(r *Result) bool { delete(r.Aggregates.Metrics, recording.TokensMetric); return true },
	"limit":  func(r *Result) bool { r.Aggregates.Limits = nil; return true },
	"spread": func(r *Result) bool { r.Aggregates.Metrics[recording.CostMetric].Test.Constant *= -1; return true },
	"inputs": func(r *Result) bool {
		if len(r.Aggregates.Inputs) == 0 {
			return false
		}
		r.Aggregates.Inputs[1].Kinds[0].Value++
		return true
	},
	"many inputs": func(r *Result) bool {
		if len(r.Aggregates.Inputs) == 0 {
			return false
		}
		r.Aggregates.Inputs[1].Kinds[6].Value = 1e9
		return true
	},
	"sample": func(r *Result) bool { r.Sampled.Candidate.Of--; return true },
	"drawn":  func(r *Result) bool { r.Sampled.Seed++; return true },
}

// Inputs of too many kinds of counts are not held.
func TestInputsOfManyKinds(t *testing.T) {
	g := &groups{scenarios: []string{"a"}}
	for i := range mostKinds {
		g.put(0, [2]outcomes{{passes: i}, {fails: 1}})
	}
	if list := g.inputs(); len(list) != 1 || len(list[0].Kinds) != kindNumbers*mostKinds {
		t.Errorf("of fewer %d are", len(list))
	}
	g.put(0, [2]outcomes{{passes: mostKinds}, {fails: 1}})
	if g.inputs() != nil {
		t.Error("they are")
	}
}

// What of a recording was changed is found, of trials that the result lists, that it has digests of, and by counts and
// sums where it has neither.
func TestFollowerFindsChanges(t *testing.T) {
	for _, n := range []int{40, recording.MostValues/2 + 2} {
		result, each := judgedTrials(t, n, "shared")
		read := saved(t, result)
		for name, c := range map[string]struct {
			change func(i int, record *trial.Trial) []*trial.Trial
			want   string
		}{
			"nothing": {func(_ int, record *trial.Trial) []*trial.Trial { return []*trial.Trial{record} }, ""},
			"an outcome": {func(i int, record *trial.Trial) []*trial.Trial {
				if i == 8 {
					record.Outcome = trial.Error
				}
				return []*trial.Trial{record}
			}, `trial 2 of "s0": the outcome is error, and it was judged as `},
			"a cost": {func(i int, record *trial.Trial) []*trial.Trial {
				if i == 8 {
					record.CostUSD.Value += 1
				}
				return []*trial.Trial{record}
			}, "cost_usd"},
			"left out": {func(i int, record *trial.Trial) []*trial.Trial {
				if i == 8 {
					return nil
				}
				return []*trial.Trial{record}
			}, `trial 2 of "s0" was judged, and is not there`},
			"added": {func(i int, record *trial.Trial) []*trial.Trial {
				if i == n-1 {
					return []*trial.Trial{record, record}
				}
				return []*trial.Trial{record}
			}, "was not judged"},
			"inputs": {func(i int, record *trial.Trial) []*trial.Trial {
				if i == 8 {
					record.Input = trial.RawString("0")
				}
				return []*trial.Trial{record}
			}, "its input is another"},
		} {
			f, err := read.Follow(0)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for _, record := range c.change(i, each(0, i)) {
					f.Add(record)
				}
			}
			if _, err = f.Finish(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s of %d: %v, want %q", name, n, err, c.want)
			}
		}
		// The sides are told apart.
		f, err := read.Follow(0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			f.Add(each(1, i))
		}
		if _, err := f.Finish(); err == nil {
			t.Errorf("the candidate's %d trials are taken for the baseline's", n)
		}
	}
}
