package proxy

import (
	"context"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Why two sides cannot be compared.
var (
	ErrErrors   = errors.New("ended without an outcome, and the difference might depend on how")
	ErrUnpaired = errors.New("without one of the proxy of the same scenario and number")
	ErrStopped  = errors.New("tests stopped trials by their outcomes, and this test takes their number for fixed")
	ErrApart    = errors.New("no scenario has pairs on both sides")
)

// Schema names the JSON form of a [Comparison].
const Schema = "tribunal/compare-proxy/v1"

// Question says how a candidate is compared with a baseline.
type Question struct {
	Delta, Alpha, Beta float64 // 0 means the default of package verdict
	Seed               uint64  // of the relabelings
	// Combination is shown beside the verdict; nil shows none.
	Combination *controlvariate.Combination
}

// Comparison is a candidate compared with a baseline by their targets' trials and those of a proxy of each. It keeps
// all counts that it is judged from.
type Comparison struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // what the evidence allows to say
	// ExitCode is that of the process; the options of a command may make it another than that of the verdict.
	ExitCode int              `json:"exit_code"`
	Delta    float64          `json:"delta"`
	Alpha    float64          `json:"alpha"`
	Beta     float64          `json:"beta"`
	Seed     uint64           `json:"seed"`
	Reasons  []verdict.Reason `json:"reasons"` // of the verdict

	Baseline  controlvariate.Sample `json:"baseline"`  // all that was compared
	Candidate controlvariate.Sample `json:"candidate"` // all that was compared
	// Strata are the scenarios with pairs on both sides; one named "" holds all where no scenario has two pairs.
	Strata  []NamedStratum        `json:"strata"`
	LeftOut int                   `json:"scenarios_left_out"` // with pairs on one side alone
	Result  controlvariate.Result `json:"result"`
	// Gain is the variance of the difference of the target's trials alone over that of the corrected one; nil where
	// either is 0.
	Gain     *float64      `json:"gain"`
	Combined *CombinedTest `json:"combined,omitempty"`
}

// NamedStratum is a stratum with its name.
type NamedStratum struct {
	Name string `json:"name"`
	controlvariate.Stratum
}

// CombinedTest is a combination of two p-values, with what its level really is where the target did not change.
type CombinedTest struct {
	Combination controlvariate.Combination `json:"combination"`
	Rho         float64                    `json:"rho"` // weight of the proxy; 0 where no correlation is known
	P           float64                    `json:"p"`
	Unchanged   float64                    `json:"level_unchanged"` // where the proxy did not change either
	// Changed is where the proxy alone dropped by delta; nil where its trials never vary.
	Changed *float64 `json:"level_proxy_dropped"`
}

// Judge compares. It fails on "worse" at alpha and passes on "not worse by delta" at beta, and also where both are
// shown.
func Judge(ctx context.Context, baseline, candidate *MatchedTrials, q Question) (*Comparison, error) {
	q = q.withDefaults()
	c := &Comparison{Schema: Schema, Delta: q.Delta, Alpha: q.Alpha, Beta: q.Beta, Seed: q.Seed}
	for _, m := range []*MatchedTrials{baseline, candidate} {
		switch {
		case m.Stopped:
			return nil, fmt.Errorf("%s: %w", m.Names[0], ErrStopped)
		case m.Errors > 0:
			return nil, fmt.Errorf("%s and %s: %s %w", m.Names[0], m.Names[1], prose.Count(m.Errors, "trial"), ErrErrors)
		case m.Unpaired > 0:
			return nil, fmt.Errorf("%s: %s %w", m.Names[0], prose.Count(m.Unpaired, "trial"), ErrUnpaired)
		}
	}
	c.layout(baseline, candidate)
	return c, c.judge(ctx, q.Combination)
}

// judge judges the strata.
func (c *Comparison) judge(ctx context.Context, by *controlvariate.Combination) (err error) {
	if len(c.Strata) == 0 {
		return ErrApart
	}
	strata := make([]controlvariate.Stratum, len(c.Strata))
	samples := make([]controlvariate.Sample, 0, 2*len(c.Strata))
	for i, s := range c.Strata {
		strata[i] = s.Stratum
		c.Baseline.Add(s.Baseline)
		c.Candidate.Add(s.Candidate)
		samples = append(samples, s.Baseline, s.Candidate)
	}
	c.Result, err = controlvariate.Compare(ctx, strata,
		controlvariate.Options{Delta: c.Delta, Alpha: c.Alpha, Seed: c.Seed})
	if err != nil {
		return err
	}
	if alone, corrected := c.Result.Alone.StandardError, c.Result.StandardError; alone > 0 && corrected > 0 {
		c.Gain = new(alone * alone / corrected / corrected)
	}
	c.decide()
	if by != nil {
		return c.combine(*by, samples)
	}
	return nil
}

// Header returns what every result has.
func (c *Comparison) Header() verdict.Header {
	return verdict.Header{Schema: c.Schema, Judged: true, Verdict: c.Verdict, ExitCode: c.ExitCode, Reasons: c.Reasons}
}

// Claims are the verdict with the interval of the corrected difference.
func (c *Comparison) Claims() []verdict.Claim {
	return []verdict.Claim{{Path: "result.interval", Verdict: c.Verdict, Low: c.Result.Interval.Low,
		High: c.Result.Interval.High, Bad: -c.Delta}}
}

// Rejudge judges the counts of the strata again.
func (c *Comparison) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	again := &Comparison{Schema: Schema, Delta: c.Delta, Alpha: c.Alpha, Beta: c.Beta, Seed: c.Seed, Strata: c.Strata,
		LeftOut: c.LeftOut}
	// A command takes 0 for what is not said, and puts the default in its place.
	if !(c.Beta > 0 && c.Beta < 1) {
		return nil, &verdict.DifferenceError{Path: "beta", Have: fmt.Sprint(c.Beta), Want: "a level between 0 and 1"}
	}
	var by *controlvariate.Combination
	if c.Combined != nil {
		by = &c.Combined.Combination
	}
	if err := again.judge(ctx, by); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &verdict.DifferenceError{Path: "strata", Have: "what nothing was judged from", Want: err.Error()}
	}
	return &rejudged.Result{Again: again, Given: []string{"strata"}, Skip: []string{"scenarios_left_out"}}, nil
}

func (q Question) withDefaults() Question {
	for _, option := range []struct {
		value    *float64
		standard float64
	}{{&q.Delta, verdict.DefaultDelta}, {&q.Alpha, verdict.DefaultAlpha}, {&q.Beta, verdict.DefaultBeta}} {
		if *option.value == 0 {
			*option.value = option.standard
		}
	}
	return q
}

// layout puts the trials of both sides together by scenario.
func (c *Comparison) layout(baseline, candidate *MatchedTrials) {
	if baseline.single() && candidate.single() {
		c.Strata = []NamedStratum{{Stratum: controlvariate.Stratum{Baseline: baseline.whole(), Candidate: candidate.whole()}}}
		return
	}
	samples := map[string]controlvariate.Sample{}
	both := 0
	for _, s := range candidate.Scenarios {
		if s.Sample.Pairs() > 0 {
			samples[s.Name] = s.Sample
		}
	}
	alone := len(samples)
	for _, s := range baseline.Scenarios {
		other, there := samples[s.Name]
		switch {
		case s.Sample.Pairs() == 0:
		case there:
			both++
			c.Strata = append(c.Strata, NamedStratum{s.Name, controlvariate.Stratum{Baseline: s.Sample, Candidate: other}})
		default:
			alone++
		}
	}
	c.LeftOut = alone - both
}

// decide sets the verdict and its reason.
func (c *Comparison) decide() {
	worse := c.Result.Worse <= c.Alpha
	within := c.Result.Within != nil && *c.Result.Within <= c.Beta
	p := phrase.Significant(c.Result.Worse)
	var why verdict.Reason
	switch {
	case worse && within:
		c.Verdict = verdict.Pass
		why = compare.CodeWorseWithinDelta.Reason("worse, but by less than the %s that you allow (p %s; p of so large a "+
			"drop %s)", phrase.Points(c.Delta), p, phrase.Significant(*c.Result.Within))
	case worse:
		c.Verdict = verdict.Fail
		why = compare.CodeWorse.Reason("the target is worse than the baseline: without a change so large a drop is rare "+
			"(p %s, alpha %s)", p, phrase.Number(c.Alpha))
	case within:
		c.Verdict = verdict.Pass
		why = compare.CodeNotWorseByDelta.Reason("not worse: a drop of %s or more is ruled out (p %s, beta %s)",
			phrase.Points(c.Delta), phrase.Significant(*c.Result.Within), phrase.Number(c.Beta))
	case c.Result.Within == nil:
		why = compare.CodeUndecided.Reason("no drop of the target is shown (p %s, alpha %s), and none can be ruled out: "+
			"that takes ten passes and ten failures of it on each side", p, phrase.Number(c.Alpha))
	default:
		why = compare.CodeUndecided.Reason("too few trials to tell: neither is a drop of the target shown (p %s, alpha %s), "+
			"nor one of %s ruled out (p %s, beta %s)", p, phrase.Number(c.Alpha), phrase.Points(c.Delta),
			phrase.Significant(*c.Result.Within), phrase.Number(c.Beta))
	}
	c.Reasons, c.ExitCode = []verdict.Reason{why}, c.Verdict.ExitCode()
}

// combine computes what the paper proposes, and how often it errs.
func (c *Comparison) combine(by controlvariate.Combination, samples []controlvariate.Sample) error {
	rho, _, known, err := controlvariate.Correlation(samples, c.Alpha)
	if err != nil {
		return err
	}
	if !known {
		rho = 0
	}
	d := &CombinedTest{Combination: by, Rho: max(0, rho)}
	if d.P, err = by.P(rho, c.Result.Alone.Worse, c.Result.Proxy.Worse); err != nil {
		return err
	}
	if d.Unchanged, err = by.Level(rho, c.Result.Overlap, 0, c.Alpha); err != nil {
		return err
	}
	if standardError := c.Result.Proxy.StandardError; standardError > 0 {
		changed, err := by.Level(rho, c.Result.Overlap, c.Delta/standardError, c.Alpha)
		if err != nil {
			return err
		}
		d.Changed = &changed
	}
	c.Combined = d
	return nil
}
