package savings

import (
	"context"
	"errors"
	"math"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/sprt"
)

// Curve is the expected trials of a method at pass rates that rise.
type Curve struct {
	Method string    // the name of a [Method]; "" for the lower bound
	P      []float64 // pass rates, rising
	Trials []float64 // the expected trials at each
}

// boundAt returns a lower bound of the expected trials at a pass rate, for every test of
// at most so many trials that keeps both errors and always decides: Lagrange's bound of
// the design that saves trials at that rate alone. A test without the limit may have
// fewer, where it makes up by very many trials at other rates.
func (m *measurement) boundAt(ctx context.Context, p float64) (float64, error) {
	if p >= 1 { // the number of straight passes, which is always the same
		return float64(m.h.Bounds().Pass), nil
	}
	weighting, err := sprt.Point(p)
	if err != nil {
		return 0, err
	}
	plan, err := sprt.Optimal(ctx, m.h, sprt.OptimalOptions{MaxTrials: mostTrials, Weighting: weighting})
	return plan.Bound, err
}

// bounds fills in the lower bounds.
func (m *measurement) bounds(ctx context.Context, s *Result) error {
	s.Floors.MaxTrials = mostTrials
	s.Floors.Rates = make([]Bound, len(passRates))
	return bench.Repeat(ctx, len(passRates), func(i int) (err error) {
		p := passRates[i]
		s.Floors.Rates[i].P = p
		s.Floors.Rates[i].ExpectedTrials, err = m.boundAt(ctx, p)
		return err
	})
}

// curves computes what the chart shows, from 0.75 to 1.
//
// The range is chosen: it holds both hypotheses.
func (m *measurement) curves(ctx context.Context, s *Result) error {
	if !m.Curves {
		return nil
	}
	var rates []float64
	for k := 75; k <= 100; k++ {
		rates = append(rates, float64(k)/100)
	}
	for _, test := range m.tests {
		// Such as optimal with behaviour, which takes the trials of optimal.
		if !test.drawn {
			continue
		}
		curve := Curve{Method: test.Name, P: rates}
		for _, p := range rates {
			d, err := test.at(ctx, p)
			if err != nil {
				return err
			}
			curve.Trials = append(curve.Trials, d.ExpectedTrials)
		}
		s.Curves = append(s.Curves, curve)
	}
	lowest := Curve{P: rates, Trials: make([]float64, len(rates))}
	err := bench.Repeat(ctx, len(rates), func(i int) (err error) {
		lowest.Trials[i], err = m.boundAt(ctx, rates[i])
		return err
	})
	s.Curves = append(s.Curves, lowest)
	// The chart cannot draw what is no number.
	for _, curve := range s.Curves {
		for _, n := range curve.Trials {
			if math.IsNaN(n) || math.IsInf(n, 0) {
				return errors.New("a curve has no value")
			}
		}
	}
	return err
}
