package twophase

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats"
)

// Share is an estimated share with its exact interval.
type Share struct {
	Value    float64
	Known    bool // there is something that it is a share of
	Interval stats.Interval
}

// Judge is what a judge is worth on the trials of a sample.
type Judge struct {
	Sensitivity Share // of true passes, those that it passes
	Specificity Share // of true failures, those that it fails
	PPV         Share // of what it passes, the true passes
	NPV         Share // of what it fails, the true failures
}

// Worth returns what the judge is worth, with intervals at the two-sided level 1-alpha.
//
// The labels are drawn from what the judge passed and what it failed, so predictive values are shares of labels, with
// the interval of Clopper and Pearson. Sensitivity and specificity are not: they follow from both and from the judge's
// share of passes, and their limits are those that follow from the limits of the three, at alpha/3 each. They cover
// with 1-alpha at least, as one of the three is missed with alpha at most (Bonferroni).
func (s Sample) Worth(alpha float64) (Judge, error) {
	if err := s.Validate(); err != nil {
		return Judge{}, err
	}
	share := func(c stats.Counts, alpha float64) (Share, error) {
		if c.Trials == 0 {
			return Share{Interval: stats.Interval{High: 1}}, nil
		}
		interval, err := stats.ClopperPearson(c, alpha)
		return Share{c.Rate(), true, interval}, err
	}
	var shares [5]Share
	judged := stats.Counts{Passes: s.Passed, Trials: s.Judged}
	wrong := s.mirrored()
	for i, x := range []struct {
		counts stats.Counts
		alpha  float64
	}{
		{s.OfPassed, alpha}, {wrong.OfFailed, alpha}, {judged, alpha / 3}, {s.OfPassed, alpha / 3}, {s.OfFailed, alpha / 3},
	} {
		var err error
		if shares[i], err = share(x.counts, x.alpha); err != nil {
			return Judge{}, err
		}
	}
	m, a, b := shares[2], shares[3], shares[4]
	return Judge{
		PPV: shares[0], NPV: shares[1],
		Sensitivity: byBayes(m, a, b),
		Specificity: byBayes(m.complement(), b.complement(), a.complement()),
	}, nil
}

// complement is the share of the others.
func (x Share) complement() Share {
	return Share{1 - x.Value, x.Known, stats.Interval{Low: 1 - x.Interval.High, High: 1 - x.Interval.Low}}
}

// byBayes is ma/(ma + (1-m)b), which rises with m and a and falls with b.
func byBayes(m, a, b Share) Share {
	at := func(m, a, b float64) float64 {
		if m*a == 0 {
			return 0
		}
		return m * a / (m*a + (1-m)*b)
	}
	x := Share{Interval: stats.Interval{
		Low: at(m.Interval.Low, a.Interval.Low, b.Interval.High), High: at(m.Interval.High, a.Interval.High, b.Interval.Low),
	}}
	// Without labels of one kind where there are such trials it could be anything within its limits; without any true
	// passes it is a share of nothing.
	x.Value = at(m.Value, a.Value, b.Value)
	x.Known = m.Value*a.Value+(1-m.Value)*b.Value > 0
	x.Interval.High = math.Max(x.Interval.High, x.Interval.Low)
	return x
}

// Table is the share of all judged trials in each cell, by the verdict of the judge and then the true one, passes
// first: what labels say of what the judge passed is weighted by how much that is.
func (s Sample) Table() [2][2]float64 {
	m := float64(s.Passed) / float64(s.Judged)
	var t [2][2]float64
	for i, x := range []struct {
		share  float64
		counts stats.Counts
	}{{m, s.OfPassed}, {1 - m, s.OfFailed}} {
		if x.counts.Trials > 0 {
			t[i] = [2]float64{x.share * x.counts.Rate(), x.share * (1 - x.counts.Rate())}
		}
	}
	return t
}

// With returns the sample with so many more labels, with the shares that labels have so far: what is expected of more.
func (s Sample) With(more int) Sample {
	ofPassed, ofFailed := Allocate(s.Labels()+more, s.Judged, s.Passed)
	scale := func(c stats.Counts, n int) stats.Counts {
		if c.Trials == 0 || n < c.Trials {
			return c
		}
		return stats.Counts{Passes: int(math.Round(c.Rate() * float64(n))), Trials: n}
	}
	s.OfPassed, s.OfFailed = scale(s.OfPassed, ofPassed), scale(s.OfFailed, ofFailed)
	return s
}
