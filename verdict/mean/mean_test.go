package mean

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/sprt/betting"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

func judge(t *testing.T, scenarios []Scenario, o Options) *Result {
	t.Helper()
	r, err := Judge(scenarios, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Rejudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if difference := cmp.Diff(r, again.Again); difference != "" {
		t.Errorf("judged again: %s", difference)
	}
	if err := verdict.CheckClaims(r.Claims()); err != nil {
		t.Error(err)
	}
	return r
}

// Scores of 0 and 1 are outcomes: the verdicts are those of verdict --anytime.
func TestOutcomesAreScores(t *testing.T) {
	for _, c := range []struct{ passes, fails int }{{49, 1}, {66, 1}, {10, 10}, {60, 3}, {200, 9}, {1, 3}, {1, 1}} {
		r := judge(t, []Scenario{{Name: "s", Values: []betting.Value{{Value: 0, Times: c.fails},
			{Value: 1, Times: c.passes}}}}, Options{Threshold: .9})
		o, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{{Scenario: "s", Passes: c.passes, Fails: c.fails}},
			verdict.ThresholdOptions{Threshold: .9, Anytime: true})
		if err != nil {
			t.Fatal(err)
		}
		i := o.Scenarios[0].Interval
		refdata.Near(t, "low", r.Interval.Low, i.Low, 1e-14)
		refdata.Near(t, "high", r.Interval.High, i.High, 1e-14)
		if r.Verdict != o.Verdict || *r.Mean != *o.Scenarios[0].Rate || r.Interval.Level != i.Level {
			t.Errorf("%+v: %v %v, and of outcomes %v %v", c, r.Verdict, *r.Interval, o.Verdict, *i)
		}
	}
}

// Where the mean is at the threshold a Pass or a Fail is wrong. Looked at after every trial, of each hard distribution,
// both come with a chance of alpha at most; and at a mean of its own either is found.
func TestErrorsUnderAnyDistribution(t *testing.T) {
	const alpha, theta, runs, most = .05, .8, 400, 80
	limit := alpha + 3*math.Sqrt(alpha*(1-alpha)/runs)
	for name, draw := range map[string]func(r *rand.Rand) float64{
		"outcomes":    func(r *rand.Rand) float64 { return map[bool]float64{true: 1}[r.Float64() < .8] },
		"always":      func(*rand.Rand) float64 { return .8 },
		"levels":      func(r *rand.Rand) float64 { return []float64{.6, .6, .8, 1, 1}[r.IntN(5)] },
		"seldom low":  func(r *rand.Rand) float64 { return map[bool]float64{true: .82, false: .02}[r.Float64() < .975] },
		"seldom high": func(r *rand.Rand) float64 { return map[bool]float64{true: .79, false: .99}[r.Float64() < .95] },
		"even, and 1s": func(r *rand.Rand) float64 {
			return math.Min(1, map[bool]float64{true: 1}[r.Float64() < .6]+r.Float64())
		},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		passed, failed := 0, 0
		for range runs {
			values := []betting.Value{}
			for range most {
				x := draw(random)
				if i := slices.IndexFunc(values, func(v betting.Value) bool { return v.Value == x }); i >= 0 {
					values[i].Times++
				} else {
					values = append(values, betting.Value{Value: x, Times: 1})
				}
				if betting.Above(values, theta) >= -math.Log(alpha) {
					passed++
					break
				}
				if betting.Below(values, theta) >= -math.Log(alpha) {
					failed++
					break
				}
			}
		}
		if p, f := float64(passed)/runs, float64(failed)/runs; p > limit || f > limit {
			t.Errorf("%s: %v pass and %v fail", name, p, f)
		}
	}
}

// Trials without a score are whatever is against the verdict, or left out, or 0.
func TestTrialsWithoutAScore(t *testing.T) {
	var s Scores
	for i := range 60 {
		x := &trial.Trial{Scenario: "s", Outcome: trial.Pass, Score: trial.Some(1.0)}
		if i < 2 {
			x.Score = trial.Optional[float64]{}
		}
		if i == 2 {
			x.Outcome = trial.Error
		}
		if err := s.Add(x); err != nil {
			t.Fatal(err)
		}
	}
	list := s.Scenarios()
	if len(list) != 1 || list[0].Unscored != 3 || len(list[0].Values) != 1 || list[0].Values[0].Times != 57 {
		t.Fatalf("%+v", list)
	}
	for policy, want := range map[verdict.ErrorPolicy]verdict.Verdict{
		verdict.RobustErrors: verdict.Inconclusive, verdict.ExcludeErrors: verdict.Pass, verdict.FailErrors: verdict.Inconclusive,
	} {
		r := judge(t, list, Options{Threshold: .9, Errors: policy})
		if r.Verdict != want || len(r.Warnings) != 1 || r.Unscored != 3 {
			t.Errorf("%v: %v, %v", policy, r.Verdict, r.Warnings)
		}
		// As 0 they are among the trials.
		if n := r.Trials; n != 57 && (policy != verdict.FailErrors || n != 60) {
			t.Errorf("%v: %d trials", policy, n)
		}
	}
	if err := s.Add(&trial.Trial{Scenario: "s", Outcome: trial.Pass, Score: trial.Some(7.0)}); err == nil {
		t.Error("a score of 7")
	}
}

func TestWhatCannotBeJudged(t *testing.T) {
	if r := judge(t, []Scenario{{Name: "s", Unscored: 4}}, Options{Threshold: .5}); r.Verdict != verdict.Inconclusive ||
		r.Reasons[0].Code != verdict.CodeNoTrials || r.Interval != nil {
		t.Errorf("%+v", r)
	}
	for _, o := range []Options{{Threshold: 1}, {}, {Threshold: .5, Alpha: 2}} {
		if _, err := Judge(nil, o); err == nil {
			t.Errorf("%+v", o)
		}
	}
	one := []betting.Value{{Value: .5, Times: 9}}
	r := judge(t, []Scenario{{Name: "a", Values: one}, {Name: "b", Values: one, Unscored: 1}}, Options{Threshold: .5})
	if len(r.Warnings) != 2 || r.Warnings[0].Code != verdict.WarnUnevenRounds {
		t.Errorf("%v", r.Warnings)
	}
}
