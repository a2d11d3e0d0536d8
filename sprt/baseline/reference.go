package baseline

import "math"

// reference is a pass rate that the probabilities of paths are relative to, with the
// likelihood ratios of the rates of a grid. Columns with nearby rates share one.
type reference struct {
	pass, fail        float64  // the rate, and 1 less it
	same, half, lower []ratios // of the rate of the grid, lower by delta/2, and by delta
}

// ratios are the powers of the likelihood ratios of a pass and of a failure. They are indexed by the number
// of passes, or of failures: the ratio of a path is the product of one of each.
type ratios struct{ pass, fail []float64 }

// ratiosOf computes the powers up to so many trials. They are products, not calls of math.Pow: a search
// reads them for every point, rate and column.
func ratiosOf(rate, reference float64, trials int) ratios {
	r := ratios{make([]float64, trials+1), make([]float64, trials+1)}
	r.pass[0], r.fail[0] = 1, 1
	for i := 1; i <= trials; i++ {
		r.pass[i] = r.pass[i-1] * (rate / reference)
		r.fail[i] = r.fail[i-1] * ((1 - rate) / (1 - reference))
	}
	return r
}

// referenceSteps is how many references there are over the range of rates. It is chosen: more of them take
// more memory (six lists of the length of the test for each rate), fewer leave larger ratios.
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
	for _, rate := range s.rates {
		r.same = append(r.same, ratiosOf(rate, at, s.length()))
		r.half = append(r.half, ratiosOf(rate-s.h.Delta/2, at, s.length()))
		r.lower = append(r.lower, ratiosOf(rate-s.h.Delta, at, s.length()))
	}
	s.references[step] = r
	return r
}
