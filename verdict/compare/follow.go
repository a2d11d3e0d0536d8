package compare

import (
	"cmp"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/special"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/follow"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sampled"
)

// AddSample puts a sample of the trials of both sides into a result that does not hold all of them with their metrics.
func (r *Result) AddSample(baseline, candidate *sampled.Drawing) {
	if r.Aggregates != nil {
		r.Sampled = sampled.Of(baseline, candidate)
	}
}

// checkSample compares the sample with the counts of the scenarios.
func (r *Result) checkSample() error {
	if r.Sampled == nil {
		return nil
	}
	tallies, err := r.tallies()
	if err != nil {
		return err
	}
	return recheck.Within("sampled", r.Sampled.Check(tallies[0], tallies[1]))
}

// tallies are the counts of the scenarios of both sides.
func (r *Result) tallies() (both [2][]verdict.Tally, err error) {
	baseline, candidate, err := r.recordings()
	if err != nil {
		return both, err
	}
	return [2][]verdict.Tally{baseline.Tallies(), candidate.Tallies()}, nil
}

// Follower compares a side of a result with its trials, which are read again one by one. Its memory does not grow with
// them, unless the result lists them. It serves one side.
type Follower struct {
	counted []verdict.Tally // as they were judged
	single  bool            // the result is of one scenario, which it does not name
	tallies verdict.Tallies // as they are read
	metrics map[recording.MetricName]*metricSums
	judged  map[recording.MetricName]sample.Moments

	sample *sampled.Sample
	drawn  *sampled.Side
	again  *sampled.Drawing
	listed *follow.List
	cost   *CostAggregates
}

// metricSums adds up the values of a metric.
type metricSums struct {
	n            int
	sum, squares special.Accumulator
}

// Follow starts to compare a side, 0 the baseline and 1 the candidate. The error is a [verdict.DifferenceError] of a
// result that cannot be one.
func (r *Result) Follow(side int) (*Follower, error) {
	tallies, err := r.tallies()
	if err != nil {
		return nil, err
	}
	f := &Follower{
		counted: tallies[side], single: len(r.Scenarios) == 0,
		metrics: map[recording.MetricName]*metricSums{}, judged: map[recording.MetricName]sample.Moments{},
	}
	if a := r.Aggregates; a != nil {
		f.cost = [2]SideAggregates{a.Baseline, a.Candidate}[side].Cost
		for name, metric := range a.Metrics {
			f.judged[name] = [2]sample.Moments{metric.Baseline, metric.Candidate}[side]
		}
	}
	if s := r.Sampled; s != nil {
		f.sample, f.drawn = s, [2]*sampled.Side{&s.Baseline, &s.Candidate}[side]
		f.again = f.drawn.Again(s.Seed)
	}
	if r.Trials != nil {
		trials := [2]*recording.SideTrials{&r.Trials.Baseline, &r.Trials.Candidate}[side]
		if f.listed, err = follow.NewList(trials, r.Trials.Scenarios, r.Trials.NoMetrics); err != nil {
			return nil, recheck.Within([2]string{"trials.baseline", "trials.candidate"}[side], err)
		}
	}
	return f, nil
}

// Add takes a trial.
func (f *Follower) Add(t *trial.Trial) {
	f.tallies.Add(t)
	if f.again != nil {
		f.again.Add(t)
	}
	if f.listed != nil {
		f.listed.Add(t)
	}
	if len(f.judged) == 0 {
		return
	}
	metrics := recording.Measure(t)
	for name := range f.judged {
		x := metrics[name]
		if math.IsNaN(x) || name == recording.CostMetric && t.CostBasis != trial.RecordedCost {
			continue
		}
		sums := f.metrics[name]
		if sums == nil {
			sums = &metricSums{}
			f.metrics[name] = sums
		}
		sums.n++
		sums.sum.Add(x)
		sums.squares.Add(x * x)
	}
}

// Finish returns the first difference, which is a [follow.DifferenceError]; nil where there is none. What was compared
// is for a person.
func (f *Follower) Finish() (compared string, err error) {
	if f.listed != nil {
		if err := f.listed.Difference(); err != nil {
			return "", err
		}
	}
	if f.again != nil {
		differences, err := f.sample.Differences(f.drawn, f.again)
		if err != nil {
			return "", err
		}
		if len(differences) > 0 {
			d := differences[0]
			return "", &follow.DifferenceError{Place: d.Place, Text: d.Text, More: len(differences) - 1}
		}
	}
	if err := follow.Counts(f.counted, f.tallies.List(), f.single); err != nil {
		return "", err
	}
	if err := f.sums(); err != nil {
		return "", err
	}
	return f.compared(), nil
}

// sums compares those of the metrics and the costs.
func (f *Follower) sums() error {
	for name := range recording.AllMetrics() {
		want, there := f.judged[name]
		// Estimates follow from a table of prices, and are compared where their tokens are.
		if !there || name == recording.CostMetric && f.cost != nil && f.cost.Estimated > 0 {
			continue
		}
		have := cmp.Or(f.metrics[name], &metricSums{})
		for _, figure := range []struct {
			what       string
			have, want float64
		}{
			{"trials that tell it", float64(have.n), float64(want.N)}, {"its sum", have.sum.Sum(), want.Sum},
			{"the sum of its squares", have.squares.Sum(), want.Squares},
		} {
			if !follow.Close(figure.have, figure.want) {
				return &follow.DifferenceError{Text: fmt.Sprintf("%s: %s: %v, and %v was judged", name, figure.what, figure.have,
					figure.want)}
			}
		}
	}
	return nil
}

// compared says what was compared.
func (f *Follower) compared() string {
	all := verdict.Pool("", f.tallies.List())
	text := "the counts of " + prose.Count(all.Passes+all.Fails+all.Errors, "trial")
	switch {
	case f.listed != nil && f.drawn == nil:
		return text + ", and each of them with its metrics"
	case f.listed != nil:
		return text + fmt.Sprintf(", each of their outcomes, the sums of their metrics, and digests of %d of them",
			f.drawn.Kept())
	case f.drawn != nil:
		return text + fmt.Sprintf(" by scenario, the sums of their metrics, and digests of %d of them", f.drawn.Kept())
	}
	return text + " by scenario, and nothing else: the result holds no sample of its trials"
}
