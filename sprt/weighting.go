package sprt

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/special"
	"github.com/tribunal-dev/tribunal/stats"
)

// Weighting says for which pass rates an optimal design saves trials: it minimises
// the expected trials, averaged over the weighting. It never touches the error
// rates. The zero value is [Stable].
type Weighting struct {
	kind  weightingKind
	atoms []atom
	betas []betaPart
}

type weightingKind uint8

const (
	stableWeighting weightingKind = iota
	worstWeighting
	givenWeighting
)

// atom is a rate with a weight.
type atom struct{ p, weight float64 }

// betaPart is a Beta(a,b) distribution of the pass rate with a weight.
type betaPart struct{ a, b, weight float64 }

// Stable puts half of the weight on a system that never fails, and a quarter on
// each of the two rates to be told apart: most checks find that nothing changed.
func Stable() Weighting { return Weighting{} }

// IsStable reports whether it is [Stable].
func (w Weighting) IsStable() bool { return w.kind == stableWeighting }

// Worst puts all weight on the rate that takes the most trials.
func Worst() Weighting { return Weighting{kind: worstWeighting} }

// Point puts all weight on one rate, strictly between 0 and 1.
func Point(p float64) (Weighting, error) {
	if !(p > 0 && p < 1) {
		return Weighting{}, fmt.Errorf("weighting: rate %v must lie strictly between 0 and 1", p)
	}
	return Weighting{kind: givenWeighting, atoms: []atom{{p, 1}}}, nil
}

// Beta weights rates by the Beta(a,b) density; both must be positive.
func Beta(a, b float64) (Weighting, error) {
	if !(a > 0 && b > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return Weighting{}, fmt.Errorf("weighting: beta:%v,%v needs two positive numbers", a, b)
	}
	return Weighting{kind: givenWeighting, betas: []betaPart{{a, b, 1}}}, nil
}

// History weights rates by what passed before: nine tenths of the posterior after
// the counts, from a uniform prior, and one tenth uniform. This is a warm start in
// its honest form: a history that no longer holds costs trials, never error.
func History(c stats.Counts) (Weighting, error) {
	if err := c.Validate(); err != nil {
		return Weighting{}, err
	}
	return Weighting{kind: givenWeighting, betas: []betaPart{
		{float64(c.Passes) + 1, float64(c.Fails()) + 1, 0.9},
		{1, 1, 0.1},
	}}, nil
}

// resolve returns the atoms and densities for the hypotheses. Worst starts in the
// middle of the two rates.
func (w Weighting) resolve(h Hypotheses) Weighting {
	switch w.kind {
	case stableWeighting:
		w.atoms = []atom{{1, 0.5}, {h.Threshold, 0.25}, {h.Lower(), 0.25}}
	case worstWeighting:
		w.atoms = []atom{{(h.Threshold + h.Lower()) / 2, 1}}
	}
	return w
}

// mass returns the predictive probability of so many failures in so many trials.
func (w Weighting) mass(trials, failures int) float64 {
	sum := 0.0
	for _, a := range w.atoms {
		sum += a.weight * dist.Binomial{N: trials, P: a.p}.Prob(trials-failures)
	}
	for _, b := range w.betas {
		sum += b.weight * b.mass(trials, failures)
	}
	return sum
}

// mass is the beta-binomial probability.
func (b betaPart) mass(trials, failures int) float64 {
	n, f := float64(trials), float64(failures)
	return math.Exp(special.LogChoose(n, f) + special.LogBeta(b.a+n-f, b.b+f) - special.LogBeta(b.a, b.b))
}

// expected averages the expected trials of a lattice over the weighting.
func (w Weighting) expected(l *Lattice) float64 {
	sum := 0.0
	for _, s := range l.stops {
		sum += float64(s.trials) * s.share * w.mass(s.trials, s.failures)
	}
	return sum
}
