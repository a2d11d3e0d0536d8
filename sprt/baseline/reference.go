package baseline

import (
	"math"
	"sync"
)

// reference is a pass rate that the probabilities of paths are relative to, with the
// likelihood ratios of the rates of a grid. Columns with nearby rates share one.
type reference struct {
	pass, fail float64 // the rate, and 1 less it
	// ratios are those of the rates of the grid, and lower by delta. They are computed when first asked for.
	ratios func() (same, lower ratios)
}

// ratios are the powers of the likelihood ratios of a pass and of a failure, by the number of passes, or of failures,
// and then by rate: the ratio of a path is the product of one of each.
type ratios struct {
	rates      int
	pass, fail []float64
}

// newRatios computes the powers up to so many trials. They are products, not calls of math.Pow: a search
// reads them for every point, rate and column.
func newRatios(rates []float64, drop, reference float64, trials int) ratios {
	r := ratios{len(rates), make([]float64, (trials+1)*len(rates)), make([]float64, (trials+1)*len(rates))}
	for j, rate := range rates {
		rate -= drop
		pass, fail := rate/reference, (1-rate)/(1-reference)
		r.pass[j], r.fail[j] = 1, 1
		for i := j + len(rates); i < len(r.pass); i += len(rates) {
			r.pass[i] = r.pass[i-len(rates)] * pass
			r.fail[i] = r.fail[i-len(rates)] * fail
		}
	}
	return r
}

// at are the powers for so many passes and failures, of the rates from low to high, the last one not among them.
func (r *ratios) at(passes, failures, low, high int) (pass, fail []float64) {
	pass = r.pass[passes*r.rates+low : passes*r.rates+high]
	return pass, r.fail[failures*r.rates+low:][:len(pass)]
}

// referenceSteps is how many references there are over the range of rates. It is chosen: more of them take
// more memory (four numbers for each trial and rate), fewer leave larger ratios.
const referenceSteps = 6

// referenceOf returns the reference nearest to a rate.
//
// It is called while columns are made, by one goroutine: the list is not locked.
func (s *search) referenceOf(rate float64) *reference {
	// From the lowest rate of a candidate with the drop to half a drop below 1, so that a failure is
	// possible too.
	low, high := s.h.Guarded.Low-s.h.Delta, 1-s.h.Delta/2
	step := int(math.Round((math.Min(math.Max(rate, low), high) - low) / (high - low) * referenceSteps))
	if r := s.references[step]; r != nil {
		return r
	}
	// The lowest is a quarter of a step inside: the rate at the end may be next to 0, and ratios to it next
	// to infinite.
	at := low + (high-low)*math.Max(float64(step), 0.25)/referenceSteps
	r := &reference{pass: at, fail: 1 - at}
	r.ratios = sync.OnceValues(func() (same, lower ratios) {
		return newRatios(s.rates, 0, at, s.length()), newRatios(s.rates, s.h.Delta, at, s.length())
	})
	s.references[step] = r
	return r
}
