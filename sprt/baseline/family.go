package baseline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/tribunal-dev/tribunal/sprt"
)

// Family is a sequential test of a candidate against a stored baseline: boundaries for
// every outcome that the baseline can have. Of an outcome that is as good as impossible
// over the guarded range there are none, and the test ends at once with Inconclusive.
// A Family may be used by several goroutines.
//
// A family may be one of a chain of tiers, see [Chain]: then some of its outcomes have
// their boundaries from a tier before.
type Family struct {
	hypotheses Hypotheses
	sample     Sample
	gamma      float64 // chance that the guarded range, chosen by the baseline, misses its rate
	trials     int
	members    []member // in the order of the sample's outcomes
	// before is the family of the tier before, of a chain of tiers; nil otherwise. Its outcomes keep the boundaries
	// that they have there.
	before *Family
	// settled says, by place in the sample, which outcomes belong to this tier and those before; nil where the guarded
	// range was given. Others are tested with the families of later tiers.
	settled []bool
	// tier is the tier that the last family of a chain continues, for outcomes beyond it: see [Chain]; nil otherwise.
	tier  *Family
	cache familyCache
}

// member is the part of a family for one outcome of the baseline.
type member struct {
	outcome    Outcome
	boundaries sprt.Boundaries
	fixed      bool // by a tier before
}

// Hypotheses are what the family tells apart.
func (f *Family) Hypotheses() Hypotheses { return f.hypotheses }

// Sample is how the baseline was sampled.
func (f *Family) Sample() Sample { return f.sample }

// Gamma is what both errors may be larger by, at rates outside of the guarded range too: the
// chance, at most, that a range chosen by what the baseline came to misses its rate. In the
// last tier of a chain that is so of the errors, not of the range: see [Chain]. It is 0 where
// the range was given.
func (f *Family) Gamma() float64 { return f.gamma }

// MaxTrials is the number of trials of the candidate after which a test ends in any
// case.
func (f *Family) MaxTrials() int { return f.trials }

// Boundaries returns where the test of a candidate stops, given what the baseline came
// to; false if the family has none for it, or a later tier of its chain has.
func (f *Family) Boundaries(o Outcome) (sprt.Boundaries, bool) {
	if i := f.sample.place(o); i < 0 || f.settled != nil && !f.settled[i] {
		return sprt.Boundaries{}, false
	}
	for _, m := range f.members {
		if m.outcome == o {
			return m.boundaries.Clone(), true
		}
	}
	return sprt.Boundaries{}, false
}

// Digest identifies the family: "sha256:" and the hash of its hypotheses, its sample, its
// outcomes and boundaries, and those of the tiers before.
func (f *Family) Digest() string {
	// The shortest decimals that read back as the same float64: the text, and so the hash, is the same on
	// every machine.
	h := sha256.New()
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	y := f.hypotheses
	fmt.Fprintf(h, "tribunal family 1\n%s %s %s %s\n", text(y.Delta), text(y.Alpha), text(y.Beta), text(f.gamma))
	for _, part := range f.sample.split() {
		b := part.sequential
		if b == nil {
			fmt.Fprintf(h, "fixed %d\n", part.outcomes[0].Trials)
			continue
		}
		fmt.Fprintf(h, "sequential %d\n", b.MaxTrials())
		writeLimits(h, *b)
	}
	for _, tier := range f.tiers() {
		g := tier.hypotheses.Guarded
		fmt.Fprintf(h, "tier %s %s %d\n", text(g.Low), text(g.High), tier.trials)
		for _, m := range tier.members {
			if !m.fixed {
				fmt.Fprintf(h, "outcome %d %d\n", m.outcome.Trials, m.outcome.Failures)
				writeLimits(h, m.boundaries)
			}
		}
	}
	if f.tier != nil {
		fmt.Fprintln(h, "every rate")
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

func writeLimits(w io.Writer, b sprt.Boundaries) {
	var line []byte
	for i, pass := range b.PassAtOrBelow {
		line = append(strconv.AppendInt(line[:0], int64(pass), 10), ' ')
		w.Write(append(strconv.AppendInt(line, int64(b.FailAtOrAbove[i]), 10), '\n'))
	}
}

// Characteristics are what a test does at given rates of both sides, exactly, over the
// sampling of both.
type Characteristics struct {
	Baseline       float64 // pass rate of the baseline
	Candidate      float64 // pass rate of the candidate
	Pass           float64 // probability of Pass
	Fail           float64 // probability of Fail
	Inconclusive   float64 // probability of using up the trials undecided, or of a baseline without boundaries
	ExpectedTrials float64 // of the candidate
}

// At returns the exact characteristics at pass rates of the baseline and the candidate.
// All fields are NaN where a rate is not from 0 to 1.
func (f *Family) At(baseline, candidate float64) Characteristics {
	c := Characteristics{Baseline: baseline, Candidate: candidate}
	if !(baseline >= 0 && baseline <= 1 && candidate >= 0 && candidate <= 1) {
		nan := math.NaN()
		return Characteristics{nan, nan, nan, nan, nan, nan}
	}
	// A member is used with the probability of its outcome; within it the candidate's path has its own
	// likelihood.
	pass, fail := math.Log(candidate), math.Log1p(-candidate)
	covered := 0.0
	for _, m := range f.members {
		mass := f.sample.Probability(m.outcome, baseline)
		covered += mass
		if mass == 0 {
			continue
		}
		walk(m.boundaries, func(n, failures int, logPaths float64, o sprt.Outcome) {
			x := mass * math.Exp(logPaths+times(n-failures, pass)+times(failures, fail))
			c.ExpectedTrials += float64(n) * x
			switch o {
			case sprt.Pass:
				c.Pass += x
			case sprt.Fail:
				c.Fail += x
			default:
				c.Inconclusive += x
			}
		})
	}
	// Outcomes without boundaries: their test ends at once. Rounding may take the sum above 1.
	c.Inconclusive += math.Max(0, 1-covered)
	return c
}

// Errors are the two numbers that certify a family.
type Errors struct {
	// Alpha is the largest P(Fail) over the guarded rates, both sides alike; proved, at most a relative
	// 0.0001 too high.
	Alpha float64
	// Beta is the largest P(Pass) over the guarded rates, the candidate lower by delta; likewise.
	Beta float64
	// AlphaAt and BetaAt are rates of the baseline near which the errors are largest.
	AlphaAt, BetaAt float64
}

// Within reports whether both errors are at most their targets.
func (e Errors) Within(h Hypotheses) bool { return e.Alpha <= h.Alpha && e.Beta <= h.Beta }

// Plus returns the errors with [Family.Gamma] added to both: those that are promised
// whatever the rate of the baseline is.
func (e Errors) Plus(gamma float64) Errors {
	e.Alpha += gamma
	e.Beta += gamma
	return e
}

// Errors returns the largest errors over the guarded range. Of a family in a chain of
// tiers they are those of all its boundaries; the tests that later tiers have in place of
// some of these keep the targets too.
func (f *Family) Errors() Errors {
	f.cache.errors.Do(func() {
		h := f.hypotheses
		fail := f.event(sprt.Fail).maximum(h.Alpha-f.gamma, 0, h.Guarded)
		pass := f.event(sprt.Pass).maximum(h.Beta-f.gamma, h.Delta, h.Guarded)
		f.cache.proved = Errors{Alpha: fail.bound, Beta: pass.bound, AlphaAt: fail.at, BetaAt: pass.at}
	})
	return f.cache.proved
}

// event is the set of ends of the family at which the outcome is the given one.
func (f *Family) event(wanted sprt.Outcome) event {
	var e event
	for _, m := range f.members {
		i := f.sample.place(m.outcome)
		walk(m.boundaries, func(n, failures int, logPaths float64, o sprt.Outcome) {
			if o == wanted {
				e = append(e, end{m.outcome.Passes(), m.outcome.Failures, n - failures, failures,
					f.sample.paths[i] + logPaths})
			}
		})
	}
	return e
}
