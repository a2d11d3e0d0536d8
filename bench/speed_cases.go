package bench

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// growthCases are what is measured at several sizes. The short sizes are the first ones.
func growthCases(ctx context.Context, o SpeedOptions) []growthCase {
	cases := append(trialCases(o.Seed), append(scenarioCases(), maxTrialsCases(ctx)...)...)
	if o.Short {
		for i, c := range cases {
			cases[i].sizes = c.sizes[:min(len(c.sizes), 3)]
		}
	}
	return cases
}

// trialCases grow with the trials. What is read is made while it is read, which takes
// a few percent of the time.
func trialCases(seed uint64) []growthCase {
	return []growthCase{
		{"read and judge", "trials", []int{1000, 10_000, 100_000, 1_000_000, 10_000_000}, func(n int) (func() error, error) {
			return func() error { return judgeThreshold(newTrialLines(n), n) }, nil
		}},
		{"Boschloo's test", "trials", []int{100, 1000, 10_000, 100_000}, func(n int) (func() error, error) {
			baseline, candidate := stats.Counts{Passes: n * 93 / 100, Trials: n}, stats.Counts{Passes: n*93/100 - n/50, Trials: n}
			return discarding(func() (float64, error) { return stats.Boschloo(baseline, candidate) }), nil
		}},
		{"compare behaviour", "trials", []int{30, 100, 300, 1000, 3000, 10_000}, func(n int) (func() error, error) {
			baseline, _, changed := behaviourSamples(seed, n)
			return discarding(func() (*fingerprint.Comparison, error) {
				return fingerprint.Compare(context.Background(), baseline, changed, fingerprint.Options{Seed: seed})
			}), nil
		}},
	}
}

// scenarioCases grow with the scenarios, of twenty trials each.
func scenarioCases() []growthCase {
	sizes := []int{1, 10, 100, 1000, 10_000}
	judge := func(n int) (*verdict.ThresholdResult, error) {
		return verdict.JudgeThreshold(scenarioTallies(n), verdict.ThresholdOptions{Threshold: 0.85, By: verdict.ByScenario})
	}
	return []growthCase{
		{"judge scenarios", "scenarios", sizes, func(n int) (func() error, error) {
			return discarding(func() (*verdict.ThresholdResult, error) { return judge(n) }), nil
		}},
		{"compare rates", "scenarios", sizes, func(n int) (func() error, error) {
			baseline, candidate := scenarioRecording("baseline", n, 10), scenarioRecording("candidate", n, 7)
			return discarding(func() (*compare.Result, error) {
				return compare.Judge(baseline, candidate, compare.Options{})
			}), nil
		}},
		{"HTML report", "scenarios", sizes, func(n int) (func() error, error) {
			result, err := judge(n)
			return func() error { return report.HTML(io.Discard, result) }, err
		}},
	}
}

// scenarioRecording has twenty trials of each of so many scenarios, of which one in so
// many fails.
func scenarioRecording(name string, scenarios, failing int) *recording.Recording {
	r := &recording.Recording{Name: name}
	for i := range 20 * scenarios {
		t := &trial.Trial{Scenario: fmt.Sprint("scenario-", i%scenarios), Index: trial.Some(i / scenarios), Outcome: trial.Pass, CostUSD: trial.Some(0.01)}
		if i%failing == 0 {
			t.Outcome = trial.Fail
		}
		r.Add(t)
	}
	return r
}

// maxTrialsCases grow with the most trials of a sequential design. The drop that
// matters shrinks with them, so that a design needs about all of them.
func maxTrialsCases(ctx context.Context) []growthCase {
	sizes := []int{50, 100, 200, 500, 1000, 2000, 5000}
	designs := map[int]sprt.Design{}
	find := func(n int) error {
		h := pathHypotheses
		h.Delta *= math.Sqrt(pathMaxTrials / float64(n))
		plan, err := sprt.Optimal(ctx, h, sprt.OptimalOptions{MaxTrials: n})
		designs[n] = plan.Design
		return err
	}
	with := func(work func(sprt.Design) error) func(n int) (func() error, error) {
		return func(n int) (func() error, error) { return func() error { return work(designs[n]) }, nil }
	}
	return []growthCase{
		{"optimal design", "max-trials", sizes, func(n int) (func() error, error) { return func() error { return find(n) }, nil }},
		{"characteristics", "max-trials", sizes, with(func(d sprt.Design) error {
			_, err := d.Boundaries.Characteristics(0.85)
			return err
		})},
		{"certificate", "max-trials", sizes, with(func(d sprt.Design) error {
			_, err := d.Certify()
			return err
		})},
		{"estimates", "max-trials", sizes, with(func(d sprt.Design) error {
			trials, failures, err := endOf(d)
			if err != nil {
				return err
			}
			_, err = d.Boundaries.Estimate(trials, failures, 0.05)
			return err
		})},
	}
}

// endOf is where a test ends in which every eighth trial fails.
func endOf(d sprt.Design) (trials, failures int, err error) {
	test, err := sprt.NewTest(d)
	if err != nil {
		return 0, 0, err
	}
	for i := 0; !test.Decided(); i++ {
		if err := test.Observe(i, i%8 != 7); err != nil {
			return 0, 0, err
		}
	}
	return test.Trials(), test.Failures(), nil
}
