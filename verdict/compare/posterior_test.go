package compare

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// ofCounts compares counts.
func ofCounts(t *testing.T, baseline, candidate stats.Counts, o Options) (*Result, error) {
	t.Helper()
	b, err := recording.OfCounts("baseline", baseline)
	if err != nil {
		t.Fatal(err)
	}
	k, err := recording.OfCounts("candidate", candidate)
	if err != nil {
		t.Fatal(err)
	}
	return Judge(t.Context(), b, k, o)
}

// The figures are of Simpson's rule in Python, over one density times the tail of the other.
func TestPosterior(t *testing.T) {
	o := Options{Delta: 0.1, Priors: &Priors{Baseline: stats.BetaPrior{A: 9, B: 3}, Source: "earlier.jsonl"}}
	r, err := ofCounts(t, stats.Counts{Passes: 18, Trials: 20}, stats.Counts{Passes: 12, Trials: 20}, o)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Posterior
	if p.Baseline != (BetaRate{9, 3, 27, 5}) || p.Candidate != (BetaRate{1, 1, 13, 9}) || p.Source != "earlier.jsonl" {
		t.Errorf("%+v", p)
	}
	refdata.Close(t, "mean", p.Mean, 27./32-13./22, 1e-12)
	refdata.Close(t, "P(drop)", p.Dropped, 0.9826660486794331, 1e-9)
	refdata.Close(t, "P(drop > delta)", p.Beyond, 0.8974352055063686, 1e-9)
	refdata.Close(t, "low", p.Interval.Low, 0.017979780304184345, 1e-9)
	refdata.Close(t, "high", p.Interval.High, 0.4885067749466465, 1e-9)
	sum, mean := 0.0, 0.0
	each := (p.Bins.High - p.Bins.Low) / float64(len(p.Bins.Shares))
	for i, share := range p.Bins.Shares {
		sum += share
		mean += share * (p.Bins.Low + (float64(i)+0.5)*each)
	}
	// Without a thousandth at most, and within a part of the mean.
	if !(sum > 0.999 && sum < 1) || math.Abs(mean-p.Mean) > each || p.Bins.Low > 0 || p.Bins.High < 0.1 {
		t.Errorf("bins from %v to %v hold %v with mean %v", p.Bins.Low, p.Bins.High, sum, mean)
	}
	// It decides nothing by itself.
	o.Priors = nil
	without, err := ofCounts(t, stats.Counts{Passes: 18, Trials: 20}, stats.Counts{Passes: 12, Trials: 20}, o)
	if err != nil || without.Posterior != nil || without.Verdict != r.Verdict || len(without.Reasons) != len(r.Reasons) {
		t.Errorf("%+v, %v", without, err)
	}
	o.Priors = &Priors{Candidate: stats.BetaPrior{A: -1, B: 1}}
	if _, err := ofCounts(t, stats.Counts{Passes: 1, Trials: 2}, stats.Counts{Passes: 1, Trials: 2}, o); err == nil {
		t.Error("a prior of -1 is taken")
	}
}

// By the rule of Bayes the priors decide. The probabilities are of scipy's quad, over one density times the other's
// distribution function.
func TestPriorsDecide(t *testing.T) {
	history := &Priors{Baseline: stats.BetaPrior{A: 92, B: 8}, Candidate: stats.BetaPrior{A: 92, B: 8}}
	for _, c := range []struct {
		priors  *Priors
		passes  int
		beyond  float64
		verdict verdict.Verdict
	}{
		{nil, 71, 0.9873377977427653, verdict.Fail}, {history, 71, 0.616390940577866, verdict.Inconclusive},
		{nil, 87, 0.16634614181881663, verdict.Inconclusive}, {history, 87, 0.008150344714335778, verdict.Pass},
	} {
		o := Options{Delta: 0.1, Rule: BayesRule, Priors: c.priors}
		r, err := ofCounts(t, stats.Counts{Passes: 93, Trials: 100}, stats.Counts{Passes: c.passes, Trials: 100}, o)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "P(drop > delta)", *r.Bayes.Probability, c.beyond, 1e-9)
		if r.Verdict != c.verdict || r.Bayes.Verdict != c.verdict {
			t.Errorf("%d passes, priors %v: %v", c.passes, c.priors, r.Verdict)
		}
	}
}

// A range of many trials is far narrower than what lies between no drop and delta, which are then left out.
func TestBinsOfManyTrials(t *testing.T) {
	drop, err := stats.PosteriorDrop(stats.Counts{Passes: 900_000, Trials: 1_000_000},
		stats.Counts{Passes: 850_000, Trials: 1_000_000}, stats.BetaPrior{}, stats.BetaPrior{})
	if err != nil {
		t.Fatal(err)
	}
	if b := binsOf(drop, 0.1); !(b.Low > 0.045 && b.Low < 0.05 && b.High > 0.05 && b.High < 0.055) {
		t.Errorf("from %v to %v", b.Low, b.High)
	}
}
