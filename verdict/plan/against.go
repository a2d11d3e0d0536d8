package plan

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// AgainstSchema names the JSON form of an [Against].
const AgainstSchema = "tribunal/plan-baseline/v1"

// Against describes the test of a candidate against a baseline before a trial is paid for.
// Its errors are over the sampling of both sides.
type Against struct {
	Schema   string            `json:"schema"`   // names the JSON form
	Delta    float64           `json:"delta"`    // the smallest drop of the pass rate that matters
	Alpha    float64           `json:"alpha"`    // bounds the chance of a false Fail, from 0 to 1
	Beta     float64           `json:"beta"`     // bounds the chance of a false Pass, from 0 to 1
	Gamma    float64           `json:"gamma"`    // the chance that the guarded rates miss the baseline's; 0 where they were given
	Warnings []verdict.Warning `json:"warnings"` // what to know before relying on it; may be empty

	// What was recorded; nil where both sides run, in rounds.
	Baseline *design.RecordedBaseline `json:"baseline"`
	Guarded  Range                    `json:"guarded"` // rates of the baseline for which the errors are kept
	Design   AgainstDesign            `json:"design"`  // the test that is planned
	Points   []AgainstPoint           `json:"points"`  // what it does, by falling rate of the baseline
	// What answers that are served again make of the errors; nil where that was not asked.
	Dependence *DependenceOfBoth `json:"dependence,omitempty"`
	// The test between limits of the recorded rate; nil where they allow none.
	Limits *LimitsPlan `json:"limits,omitempty"`
	Price  *Price      `json:"price,omitempty"` // nil where no price is known
	// How alike the trials of a scenario of the baseline are, and what more would tell; nil where it is no recording of
	// several scenarios, and where that cannot be told of it.
	Variation *intraclass.Variation `json:"variation,omitempty"`
	// Family is the test itself, and how the baseline was sampled; nil of a test in rounds.
	Family *baseline.Record `json:"family,omitempty"`
	// Rounds is the test itself where both sides run; nil of others.
	Rounds *baseline.RoundsRecord `json:"rounds,omitempty"`
	// What compare --anytime takes of a test in rounds: pairs where nothing changed, and after the drop, at one point
	// after the other. Absent of others, and of plans of earlier versions.
	AtAnyTime *design.AtAnyTime `json:"at_any_time,omitempty"`
}

// Range are rates from Low to High.
type Range struct {
	Low  float64 `json:"low"`  // from 0 to 1
	High float64 `json:"high"` // from 0 to 1
}

// AgainstDesign is a family of boundaries, one pair for each outcome that the baseline might
// have had, or a test that runs both sides in rounds; see [baseline.Family] and
// [baseline.Rounds].
type AgainstDesign struct {
	Kind      string  `json:"kind"`       // "baseline", or "side-by-side"
	MaxTrials int     `json:"max_trials"` // of the candidate, at which it ends at the latest; rounds have as many of both
	Alpha     float64 `json:"alpha"`      // largest over the guarded rates, proved, with gamma
	Beta      float64 `json:"beta"`       // likewise
	AlphaAt   float64 `json:"alpha_at"`   // rate of the baseline near which Alpha is reached
	BetaAt    float64 `json:"beta_at"`    // rate of the baseline near which Beta is reached
	Gates     bool    `json:"gates"`      // both errors, without gamma, are within their targets
	Expected  float64 `json:"expected"`   // trials, averaged over the guarded rates as the search did
	Bound     float64 `json:"bound"`      // which no family with these errors goes below
	// How far the test is above Bound, as a share; an Inconclusive counts as MaxTrials where
	// they are fewer than FixedTrials.
	Gap          float64 `json:"gap"`
	Inconclusive float64 `json:"inconclusive"` // probability of no decision, averaged likewise
	// Trials of the candidate with which a fixed sample keeps both errors; 0 where none does.
	FixedTrials int `json:"fixed_trials"`
	// For what this baseline came to; absent of a test in rounds.
	Boundaries design.Boundaries `json:"boundaries,omitzero"`
	Digest     string            `json:"digest"` // identifies the family, or the test in rounds
}

// AgainstPoint is what the test does at one rate of the baseline.
type AgainstPoint struct {
	P         float64     `json:"p"`         // the baseline's true rate, from 0 to 1
	Guarded   bool        `json:"guarded"`   // the errors are kept there
	Unchanged AgainstRate `json:"unchanged"` // the candidate's rate is the same
	Dropped   AgainstRate `json:"dropped"`   // it is lower by delta, or 0
}

// AgainstRate is what the test does at rates of both sides, exactly: over all that the
// baseline might have come to, and given what it came to.
type AgainstRate struct {
	Pass         float64 `json:"pass"`         // probability of Pass
	Fail         float64 `json:"fail"`         // probability of Fail
	Inconclusive float64 `json:"inconclusive"` // probability of no decision
	ASN          float64 `json:"asn"`          // expected trials of the candidate
	// Expected trials, given what this baseline came to; nil of a test in rounds.
	Given *float64 `json:"asn_given,omitempty"`
}

// LimitsPlan is the test between limits of the baseline's rate, for the same question.
type LimitsPlan struct {
	Gamma     float64 `json:"gamma"`      // of the limits
	MaxTrials int     `json:"max_trials"` // at which it ends at the latest
	ASN       float64 `json:"asn"`        // expected trials, the candidate's rate being the baseline's share of passes
}

// AgainstOptions say what to plan against which baseline.
type AgainstOptions struct {
	Question baseline.Question
	Sample   baseline.Sample         // how the baseline was sampled
	Recorded design.RecordedBaseline // what it came to
	Served   int                     // how often each answer is served, for [Against.Dependence]; 0 asks for none
	// MaxTrials is the most trials of the candidate; 0 is 1.4 times the fixed sample.
	MaxTrials int
	Scenarios []intraclass.Group  // of the baseline; nil where it is no recording
	PriceUSD  *float64            // of a trial
	Seconds   *float64            // of a trial
	Progress  func(share float64) // may be nil

	limits func() (*LimitsPlan, error) // of the same question; nil where it is not known yet
}

// TestAgainst plans the test of a candidate against a recorded baseline, and computes all
// that is to be said of it. Errors are those of [baseline.Against], and of options that
// cannot be used.
func TestAgainst(ctx context.Context, o AgainstOptions) (*Against, error) {
	if err := checkPrices(o.PriceUSD, o.Seconds); err != nil {
		return nil, err
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	o.limits = limitsOf(ctx, o.Recorded, o.Question)
	go o.limits() // beside the search
	// The tier of the worse outcome holds the boundaries of the better one too.
	found, err := baseline.Against(ctx, o.Question, o.Sample, o.Recorded.WithErrorsFailed(),
		baseline.Options{MaxTrials: o.MaxTrials, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	return describeAgainst(ctx, o, found)
}

// describeAgainst says all that is to be said of a family. It is apart from the search, so
// that a saved plan can be described again from its family.
func describeAgainst(ctx context.Context, o AgainstOptions, found baseline.Plan) (*Against, error) {
	f := found.Family
	h, gamma := f.Hypotheses(), f.Gamma()
	// Those with errors as passes come last, and are shown; the others may be longer.
	var boundaries sprt.Boundaries
	longest := 0
	for _, outcome := range []baseline.Outcome{o.Recorded.WithErrorsFailed(), o.Recorded.Outcome()} {
		var ok bool
		if boundaries, ok = f.Boundaries(outcome); !ok {
			return nil, &baseline.OutcomeError{Outcome: outcome, Guarded: h.Guarded}
		}
		longest = max(longest, boundaries.MaxTrials())
	}
	p := &Against{
		Schema: AgainstSchema, Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta, Gamma: gamma,
		Warnings: []verdict.Warning{}, Baseline: &o.Recorded, Guarded: Range{h.Guarded.Low, h.Guarded.High},
		Design: AgainstDesign{
			Kind: sprt.BaselineKind.String(), MaxTrials: longest,
			Alpha: math.Min(found.Errors.Alpha+gamma, 1), Beta: math.Min(found.Errors.Beta+gamma, 1),
			AlphaAt: found.Errors.AlphaAt, BetaAt: found.Errors.BetaAt, Gates: found.Errors.Within(h),
			Expected: found.Expected, Bound: found.Bound, Gap: found.Gap,
			Inconclusive: found.Inconclusive, FixedTrials: found.FixedTrials,
			Boundaries: design.Of(boundaries), Digest: f.Digest(),
		},
		Family: new(f.Record()),
	}
	if n := o.Recorded.Errors; n > 0 {
		p.Warnings = append(p.Warnings, verdict.WarnErrors.Warning(
			"%s of the baseline ended in an error: a Pass takes the boundaries with them as passes, which are shown, and "+
				"a Fail those with them as failures", prose.Count(n, "trial")))
	}
	lattice, err := boundaries.Lattice()
	if err != nil {
		return nil, err
	}
	p.addPoints(againstLadder(p.Guarded, p.Baseline.Rate()), func(p, candidate float64) AgainstRate {
		c, given := f.At(p, candidate), lattice.At(candidate).ExpectedTrials
		return AgainstRate{c.Pass, c.Fail, c.Inconclusive, c.ExpectedTrials, &given}
	})
	if p.Dependence, err = dependenceOfBoth(f, o.Served, p); err != nil {
		return nil, err
	}
	if o.limits == nil {
		o.limits = limitsOf(ctx, o.Recorded, baseline.Question{Delta: p.Delta, Alpha: p.Alpha, Beta: p.Beta})
	}
	if p.Limits, err = o.limits(); err != nil {
		return nil, err
	}
	p.addPrice(o.PriceUSD, o.Seconds)
	p.Variation = variationOf(o.Scenarios)
	return p, nil
}

// addPoints says what the test does at rates of the baseline, and warns where it may end
// without a decision.
func (p *Against) addPoints(rates []float64, at func(baseline, candidate float64) AgainstRate) {
	p.Points = make([]AgainstPoint, len(rates))
	spread.Over(len(rates), func(i int) {
		rate := rates[i]
		// The difference of two decimal fractions, as it is written.
		dropped := math.Max(sprt.Hypotheses{Threshold: rate, Delta: p.Delta}.Lower(), 0)
		p.Points[i] = AgainstPoint{
			P: rate, Guarded: rate >= p.Guarded.Low && rate <= p.Guarded.High,
			Unchanged: at(rate, rate), Dropped: at(rate, dropped),
		}
	})
	worst := 0.0
	for _, point := range p.Points {
		worst = math.Max(worst, math.Max(point.Unchanged.Inconclusive, point.Dropped.Inconclusive))
	}
	if worst > 1e-6 {
		p.Warnings = append(p.Warnings, warnMayEndInconclusive.Warning(
			"up to %s of runs use up their trials, %d at most, and end undecided", phrase.Chance(worst), p.Design.MaxTrials))
	}
}

// againstLadder are the rates of the baseline at which a plan shows what its test does, from
// the best to the worst: perfect, round ones that are guarded, and others, such as the
// baseline's share of passes.
func againstLadder(guarded Range, others ...float64) []float64 {
	rates := append([]float64{1}, others...)
	for _, round := range []float64{.99, .98, .95, .9, .8, .7, .6, .5, .4, .3, .2, .1} {
		if round >= guarded.Low && round <= guarded.High {
			rates = append(rates, round)
		}
	}
	slices.SortFunc(rates, func(a, b float64) int { return cmp.Compare(b, a) })
	return slices.Compact(rates)
}

// limitsOf plans, once, the test between limits of the baseline's rate; nil where there is none. They
// take the trials for a number that was fixed before they ran.
func limitsOf(ctx context.Context, recorded design.RecordedBaseline, q baseline.Question) func() (*LimitsPlan, error) {
	return sync.OnceValues(func() (*LimitsPlan, error) {
		counts := stats.Counts{Passes: recorded.Passes, Trials: recorded.Trials}
		from, err := sprt.FromBaseline(counts, q.Delta, q.Alpha, q.Beta, sprt.DefaultGamma)
		if err != nil {
			return nil, nil // the baseline is too small for them
		}
		found, err := Design(ctx, Options{Hypotheses: from.Hypotheses, Kind: sprt.OptimalKind})
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, nil // it takes more trials than are planned for
		}
		c, err := found.Boundaries.Characteristics(counts.Rate())
		if err != nil {
			return nil, err
		}
		return &LimitsPlan{Gamma: sprt.DefaultGamma, MaxTrials: found.Boundaries.MaxTrials(), ASN: c.ExpectedTrials}, nil
	})
}

// addPrice says what the trials of the candidate cost: at worst, and expected at each rate
// where nothing changed.
func (p *Against) addPrice(usd, seconds *float64) {
	// A round is a trial of each side.
	each := 1
	if p.Baseline == nil {
		each = 2
	}
	points := make([]design.Point, len(p.Points))
	for i, point := range p.Points {
		points[i] = design.Point{P: point.P, ASN: float64(each) * point.Unchanged.ASN}
		if given := point.Unchanged.Given; given != nil {
			points[i].ASN = *given
		}
	}
	p.Price = priced(usd, seconds, each*p.Design.MaxTrials, each*p.Design.FixedTrials, points)
}

// Header returns what every result has.
func (p *Against) Header() verdict.Header {
	return verdict.Header{Schema: p.Schema, Warnings: p.Warnings}
}
