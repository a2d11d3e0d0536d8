// Package pipeline multiplies what AgentAssay's Theorem 7.6 multiplies, with the numbers of a suite: the cost of a
// check as a share of that of the fixed number of trials, by five techniques (Equations 51 and 52). Beside it stands
// what the tests of the suite really expect, from their exact designs.
//
//	p, err := pipeline.New(pipeline.Options{Suite: "shop", Scenarios: 3, Live: 1, Tests: tests})
//	p.Theorem.Trials.Perfect  // as the theorem has it
//	p.Expected.Trials.Perfect // as the tests have it
//
// A factor that the suite has nothing for is no part of the product.
package pipeline

import (
	"fmt"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// schema names the JSON form of a [Pipeline].
const schema = "tribunal/pipeline/v1"

// Pipeline is the theorem with the numbers of a suite.
type Pipeline struct {
	Schema    string `json:"schema"`
	Suite     string `json:"suite"`     // its name
	Digest    string `json:"digest"`    // of the suite
	Scenarios int    `json:"scenarios"` // m of the theorem
	Tests     int    `json:"tests"`     // of pass rates against a threshold, as a run has them
	// Live are the scenarios with a rule that recorded trials cannot answer, or answer in part.
	Live          int      `json:"live_scenarios"`
	PricePerTrial *float64 `json:"price_per_trial_usd"` // nil where it is not known
	// Of the tests with fixed numbers of trials: the same at every rate.
	FixedTrials int      `json:"fixed_trials"`
	FixedUSD    *float64 `json:"fixed_usd"` // nil where no price is known
	Factors     []Factor `json:"factors"`   // in the order of Equation 52
	Product     Rates    `json:"product"`   // of the factors that the suite has
	PaperLow    float64  `json:"paper_low"` // product of the low ends of the typical ranges
	PaperHigh   float64  `json:"paper_high"`
	Theorem     Cost     `json:"theorem"`  // Equation 51: the fixed numbers of trials times the product
	Expected    Cost     `json:"expected"` // what the tests take, exactly
	Differ      string   `json:"differ"`   // why the last two do, or do not
}

// Factor is a technique with what it is of a suite.
type Factor struct {
	Technique
	Value *Rates `json:"value"` // nil where the suite has nothing for it
	Here  string `json:"here"`  // where the value comes from, or why there is none
}

// Rates holds a figure at two true pass rates of all tests.
type Rates struct {
	Perfect   float64 `json:"perfect"`   // at a rate of 1
	Threshold float64 `json:"threshold"` // at the threshold of each test
}

// Cost is what a check takes.
type Cost struct {
	Trials Rates  `json:"trials"`
	USD    *Rates `json:"usd"` // nil where no price is known
}

// Test is a test of a pass rate against a threshold.
type Test struct {
	Name   string
	Design sprt.Design // as it is run
	// Cold is the design of the same test without the history that shapes Design; nil where none does.
	Cold *sprt.Design
}

// Options say what is multiplied.
type Options struct {
	Suite, Digest   string
	Scenarios, Live int      // Live at most Scenarios, which are 1 at least
	Tests           []Test   // one at least
	PriceUSD        *float64 // of a trial; nil where it is not known
}

// NoFixedError is a test whose fixed number of trials is beyond those that are searched for.
type NoFixedError struct{ Test string }

// Error names the test.
func (e *NoFixedError) Error() string {
	return fmt.Sprintf("the fixed number of trials of %s is beyond 20,000", prose.Quote(e.Test))
}

// Hint says what takes fewer.
func (e *NoFixedError) Hint() string { return "a larger delta takes fewer" }

// New multiplies the factors. An error is a [NoFixedError], or one of options that cannot be used.
func New(o Options) (*Pipeline, error) {
	switch {
	case len(o.Tests) == 0:
		return nil, &verdict.OptionError{Option: "tests", Value: 0, Problem: "must be one at least"}
	case o.Scenarios < 1 || o.Live < 0 || o.Live > o.Scenarios:
		return nil, &verdict.OptionError{
			Option: "live", Value: o.Live, Problem: "must be among the scenarios, one at least",
		}
	}
	p := &Pipeline{
		Schema: schema, Suite: o.Suite, Digest: o.Digest, Scenarios: o.Scenarios, Tests: len(o.Tests), Live: o.Live,
		PricePerTrial: o.PriceUSD, PaperLow: 1, PaperHigh: 1,
	}
	var cold Rates
	warm := false
	for _, t := range o.Tests {
		fixed, found := design.FixedSample(t.Design.Hypotheses)
		if !found {
			return nil, &NoFixedError{t.Name}
		}
		p.FixedTrials += fixed.Trials
		expected, err := expectedOf(t.Design)
		if err != nil {
			return nil, err
		}
		p.Expected.Trials = p.Expected.Trials.plus(expected)
		if t.Cold != nil {
			warm = true
			if expected, err = expectedOf(*t.Cold); err != nil {
				return nil, err
			}
		}
		cold = cold.plus(expected)
	}
	p.multiply(cold, warm)
	p.Theorem.Trials = p.Product.times(float64(p.FixedTrials))
	if o.PriceUSD != nil {
		p.FixedUSD = new(*o.PriceUSD * float64(p.FixedTrials))
		p.Theorem.USD = new(p.Theorem.Trials.times(*o.PriceUSD))
		p.Expected.USD = new(p.Expected.Trials.times(*o.PriceUSD))
	}
	p.Differ = p.differ()
	return p, nil
}

// expectedOf are the exact expected trials of a design.
func expectedOf(d sprt.Design) (Rates, error) {
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return Rates{}, err
	}
	return Rates{lattice.At(1).ExpectedTrials, lattice.At(d.Hypotheses.Threshold).ExpectedTrials}, nil
}

// multiply fills in the factors and their product. The third is the share of scenarios, as the theorem has it, also
// where their tests take different numbers of trials.
func (p *Pipeline) multiply(cold Rates, warm bool) {
	p.Product = Rates{1, 1}
	for _, t := range Techniques() {
		f := Factor{Technique: t}
		switch t.Name {
		case fingerprint:
			f.Here = "not of this suite, whose tests are of pass rates"
		case budget:
			f.Value = new(cold.times(1 / float64(p.FixedTrials)))
			f.Here = fmt.Sprintf("here in its place the tests themselves, which end as soon as the evidence suffices: "+
				"%s of %s", cold, prose.Count(p.FixedTrials, "trial"))
		case traces:
			share := float64(p.Live) / float64(p.Scenarios)
			f.Value = &Rates{share, share}
			f.Here = fmt.Sprintf("%d of %s %s a rule that recorded trials cannot answer", p.Live,
				prose.Count(p.Scenarios, "scenario"), prose.Form(p.Live, "has", "have"))
			if p.Live == 0 {
				f.Here = "No scenario has a rule that recorded trials cannot answer, and the theorem has no factor of 0"
			}
		case proxy:
			f.Here = "not of this suite, which has no proxy"
		case warmStart:
			f.Here = "not of this suite, whose prior is no history"
			if warm {
				f.Value = &Rates{p.Expected.Trials.Perfect / cold.Perfect, p.Expected.Trials.Threshold / cold.Threshold}
				f.Here = fmt.Sprintf("here the prior of the suite: %s trials in place of %s", p.Expected.Trials, cold)
				if f.Value.Perfect > 1 || f.Value.Threshold > 1 {
					f.Here += "; the theorem has no factor above 1, which is that of an agent that is not as the history was"
				}
			}
		}
		if f.Value != nil {
			p.Product = Rates{p.Product.Perfect * f.Value.Perfect, p.Product.Threshold * f.Value.Threshold}
		}
		p.PaperLow *= t.Low
		p.PaperHigh *= t.High
		p.Factors = append(p.Factors, f)
	}
}

// differ says why the theorem and the tests take different numbers of trials: what tests expect has all factors of the
// product but that of recorded trials.
func (p *Pipeline) differ() string {
	if p.Live == p.Scenarios {
		return "They are the same: no factor of this suite is below 1 but those that its tests are designed with."
	}
	return "They differ by the factor traces: recorded trials are of the agent that made them, and the pass rate of a " +
		"candidate that was never run takes its own trials of every scenario."
}

func (r Rates) plus(o Rates) Rates { return Rates{r.Perfect + o.Perfect, r.Threshold + o.Threshold} }

func (r Rates) times(x float64) Rates { return Rates{r.Perfect * x, r.Threshold * x} }

// String is for numbers of trials.
func (r Rates) String() string {
	write := func(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
	return write(r.Perfect) + " (" + write(r.Threshold) + " at the threshold)"
}
