package plan

import (
	"context"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// SizesSchema names the JSON form of a [Sizes].
const SizesSchema = "tribunal/plan-sizes/v1"

// Sizes says how many trials a comparison with a baseline takes, if the baseline passes at a
// rate that is supposed, or one question about all scenarios of a suite.
type Sizes struct {
	Schema   string            `json:"schema"`             // names the JSON form
	Rate     float64           `json:"rate"`               // supposed, of the baseline
	Delta    float64           `json:"delta"`              // the smallest drop of the pass rate that matters
	Alpha    float64           `json:"alpha"`              // bounds the chance of a false Fail, from 0 to 1
	Beta     float64           `json:"beta"`               // bounds the chance that a drop of delta is missed, from 0 to 1
	Warnings []verdict.Warning `json:"warnings"`           // what to know before relying on it; may be empty
	Sides    *Sides            `json:"sides,omitempty"`    // of a comparison of two fixed samples
	Recorded *RecordedSize     `json:"recorded,omitempty"` // of a baseline to record once
	// Of one question about all scenarios of a suite; Rate is then that of scenarios that are in order.
	Scenarios *stratified.Size `json:"scenarios,omitempty"`
}

// Sides are the trials of each side for a comparison of two fixed samples by Boschloo's test.
type Sides struct {
	Trials int     `json:"trials"` // the fewest of each side with the power
	Power  float64 `json:"power"`  // exact probability of Fail with them, after a drop by delta
	// From this number on, up to half as many more, all numbers have the power: it does not
	// rise evenly.
	Settled int `json:"settled_trials"`
	// Exact probability of Pass with Trials, where nothing changed.
	Pass float64 `json:"pass"`
	// Those of AgentAssay's Equations 1 and 6, which are approximations.
	Equation1 FormulaSize `json:"equation_1"`
	Equation6 FormulaSize `json:"equation_6"`
}

// FormulaSize is the number of trials of each side that a formula gives.
type FormulaSize struct {
	Trials int     `json:"trials"`
	Power  float64 `json:"power"` // exact, of Boschloo's test with them
}

// RecordedSize is how many trials of a baseline to record once for later candidates.
type RecordedSize struct {
	Gamma      float64 `json:"gamma"`      // the chance that its rate is not guarded
	Candidates int     `json:"candidates"` // that are tested against it later
	Trials     int     `json:"trials"`     // of the baseline
	Unchanged  float64 `json:"unchanged"`  // expected trials of each candidate, where nothing changed
	Dropped    float64 `json:"dropped"`    // expected trials of each candidate, after a drop by delta
	Total      float64 `json:"total"`      // Trials, and Unchanged for each candidate
	MaxTrials  int     `json:"max_trials"` // of a candidate, where the baseline comes to what is expected
}

// mostSides bounds the search, whose time grows with the square of the trials. It is chosen.
const mostSides = 3000

// SidesFor returns how many trials of each side a comparison of fixed samples takes, if the
// baseline passes at a rate: the fewest with which Boschloo's test finds a drop of delta with
// probability 1-beta, exactly. An error is that of numbers that cannot be, or the cause of the
// context's end.
func SidesFor(ctx context.Context, rate, delta, alpha, beta float64) (*Sizes, error) {
	s, err := newSizes(rate, delta, alpha, beta)
	if err != nil {
		return nil, err
	}
	lower := math.Max(rate-delta, 0)
	power := func(n int) (float64, error) {
		region, err := stats.BoschlooTest.Region(ctx, n, n, alpha)
		if err != nil {
			return 0, err
		}
		return region.Probability(rate, lower), nil
	}
	tooMany := &verdict.OptionError{Option: "delta", Value: delta,
		Problem: fmt.Sprintf("takes more than %d trials a side", mostSides)}
	// The exact number is not far from the approximation.
	if equation6(rate, delta, alpha, beta) > mostSides {
		return nil, tooMany
	}
	found := &Sides{}
	for n := 1; found.Trials == 0 || n <= found.Trials+found.Trials/2; n++ {
		if n > mostSides && found.Trials == 0 {
			return nil, tooMany
		}
		x, err := power(n)
		if err != nil {
			return nil, err
		}
		switch {
		case x >= 1-beta && found.Trials == 0:
			found.Trials, found.Power, found.Settled = n, x, n
		case x < 1-beta && found.Trials > 0:
			found.Settled = n + 1
		}
	}
	passes, err := stats.NonInferiorityRegion(ctx, found.Trials, found.Trials, delta, beta)
	if err != nil {
		return nil, err
	}
	found.Pass = passes.Probability(rate, rate)
	for to, n := range map[*FormulaSize]int{
		&found.Equation1: equation1(rate, delta, alpha, beta), &found.Equation6: equation6(rate, delta, alpha, beta),
	} {
		to.Trials = n
		if to.Power, err = power(n); err != nil {
			return nil, err
		}
	}
	s.Sides = found
	return s, nil
}

// equation1 is AgentAssay's, with a two-sided quantile and the variance of one rate twice.
func equation1(rate, delta, alpha, beta float64) int {
	z := dist.NormalUpperQuantile(alpha/2) + dist.NormalUpperQuantile(beta)
	return max(int(math.Ceil(z*z*2*rate*(1-rate)/(delta*delta))), 1)
}

// equation6 is AgentAssay's, with a one-sided quantile and the variances of both rates.
func equation6(rate, delta, alpha, beta float64) int {
	z, lower := dist.NormalUpperQuantile(alpha)+dist.NormalUpperQuantile(beta), math.Max(rate-delta, 0)
	return max(int(math.Ceil(z*z*(rate*(1-rate)+lower*(1-lower))/(delta*delta))), 1)
}

// RecordedFor returns how many trials of a baseline to record once, if it passes at a rate and
// so many candidates are tested against it later: see [baseline.Needed], whose errors it has.
func RecordedFor(ctx context.Context, q baseline.Question, rate float64, candidates int) (*Sizes, error) {
	s, err := newSizes(rate, q.Delta, q.Alpha, q.Beta)
	if err != nil {
		return nil, err
	}
	need, err := baseline.Needed(ctx, q, rate, candidates, baseline.Options{})
	if err != nil {
		return nil, err
	}
	s.Recorded = &RecordedSize{
		Gamma: need.Plan.Family.Gamma(), Candidates: candidates, Trials: need.Trials, Unchanged: need.Unchanged,
		Dropped: need.Dropped, Total: need.Total, MaxTrials: need.Plan.Family.MaxTrials(),
	}
	return s, nil
}

// AskScenarios makes it what one question about all scenarios takes: see [stratified.SizeFor], whose errors it has.
func (s *Sizes) AskScenarios(ctx context.Context, q stratified.Question, rate float64) error {
	x, err := stratified.SizeFor(ctx, q, rate)
	if err != nil {
		return err
	}
	q = x.Question
	*s = Sizes{Schema: SizesSchema, Rate: x.Rate, Delta: q.Delta, Alpha: q.Alpha, Beta: q.Beta,
		Warnings: []verdict.Warning{}, Scenarios: x}
	return nil
}

// newSizes checks what both have in common.
func newSizes(rate, delta, alpha, beta float64) (*Sizes, error) {
	for name, x := range map[string]float64{"delta": delta, "alpha": alpha, "beta": beta} {
		if err := verdict.CheckLevel(name, x); err != nil {
			return nil, err
		}
	}
	if !(rate >= delta && rate <= 1) {
		problem := fmt.Sprintf("must be from delta %v to 1", delta)
		return nil, &verdict.OptionError{Option: "rate", Value: rate, Problem: problem}
	}
	return &Sizes{Schema: SizesSchema, Rate: rate, Delta: delta, Alpha: alpha, Beta: beta,
		Warnings: []verdict.Warning{}}, nil
}

// Header returns what every result has.
func (s *Sizes) Header() verdict.Header {
	return verdict.Header{Schema: s.Schema, Warnings: s.Warnings}
}

// Rejudge computes the sizes again.
func (s *Sizes) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	var again *Sizes
	var err error
	answers := 0
	for _, there := range []bool{s.Sides != nil, s.Recorded != nil, s.Scenarios != nil} {
		if there {
			answers++
		}
	}
	switch r := s.Recorded; {
	case answers != 1:
		return nil, &verdict.DifferenceError{Path: "sides", Have: "none, or several answers", Want: "one"}
	case s.Scenarios != nil:
		again = &Sizes{}
		err = again.AskScenarios(ctx, s.Scenarios.Question, s.Rate)
	case r == nil:
		again, err = SidesFor(ctx, s.Rate, s.Delta, s.Alpha, s.Beta)
	default:
		again, err = RecordedFor(ctx, baseline.Question{Delta: s.Delta, Alpha: s.Alpha, Beta: s.Beta, Gamma: r.Gamma},
			s.Rate, r.Candidates)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &verdict.DifferenceError{Path: "rate", Have: fmt.Sprint(s.Rate), Want: err.Error()}
	}
	return &rejudged.Result{Again: again}, nil
}
