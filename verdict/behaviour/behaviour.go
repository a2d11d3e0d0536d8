package behaviour

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Schema names the JSON form of a [Comparison] that stands alone.
const Schema = "tribunal/behaviour/v1"

// Comparison says whether the candidate works differently from the baseline, whatever
// its answers are worth. Changed means shown to be changed, at a false-alarm rate of
// at most alpha; otherwise a change was not shown, and Excluded says which could have been missed.
type Comparison struct {
	// Edition is 3 of this version, and 2 of one that had the same tests and wrote the participation ratio where
	// EffectiveDimension stands; absent of an earlier one, whose tests looked at less.
	Edition      int     `json:"edition,omitempty"`
	Changed      bool    `json:"changed"`          // a change is shown: P is at most Alpha
	Tested       bool    `json:"tested"`           // false: no change could be found; the warnings say why
	P            float64 `json:"p"`                // p-value of no change, 0 to 1; 1 if not tested
	Alpha        float64 `json:"alpha"`            // level of the test, between 0 and 1
	Test         string  `json:"test"`             // name of the [fingerprint.Test]
	Baseline     int     `json:"baseline_trials"`  // that were compared
	Candidate    int     `json:"candidate_trials"` // that were compared
	Scenarios    int     `json:"scenarios"`        // within which trials were exchanged
	Permutations int     `json:"relabelings"`      // looked at, the observed one among them
	Exhaustive   bool    `json:"exhaustive"`       // they are all there are
	Seed         uint64  `json:"seed"`             // of the permutations
	Shift        float64 `json:"shift,omitempty"`  // that matters: see [Options]
	Beta         float64 `json:"beta,omitempty"`   // bounds the chance that it passes
	// Drawn says of how many trials those that were compared were drawn, by Seed; nil where all were compared.
	Drawn *DrawnCounts `json:"drawn,omitempty"`
	// Excluded says which shifts are excluded; nil where nothing was tested.
	Excluded *Exclusion `json:"excluded,omitempty"`
	// EffectiveDimension is how many principal components hold 95 % of the variance (AgentAssay, Equation 28), a whole
	// number, or 0 if not tested. In the second edition it is what Participation is now.
	EffectiveDimension float64 `json:"effective_dimension"`
	// Participation ratio of the principal axes, from 1 to the number of columns; 0 if not tested, and in the second
	// edition.
	Participation float64 `json:"participation_ratio,omitempty"`
	// Explained is the share of the variance that the principal components hold which Hotelling's test looks at,
	// where it was asked for; 0 is 0.95.
	Explained float64 `json:"explained_variance,omitempty"`
	// Hotelling is what [fingerprint.HotellingT2] found; nil of other tests.
	Hotelling *hotelling.Result `json:"hotelling,omitempty"`

	Columns  []Column `json:"columns"`        // the ones that vary, by adjusted p
	NewTools []string `json:"new_tools"`      // called by the candidate alone
	Uncalled []string `json:"uncalled_tools"` // called by the baseline alone

	Warnings []verdict.Warning `json:"warnings"` // what weakens the comparison
	// Of the trials; absent where they are more than some hundred.
	Map *fingerprint.Map `json:"map,omitempty"`
	// Trials is what all of it is computed from; absent where they are too many.
	Trials *Trials `json:"trials,omitempty"`
}

// Exclusion says which shifts of the means of the columns are excluded: see [fingerprint.Equivalence].
type Exclusion = fingerprint.Equivalence

// Edition is that of the comparisons of this version.
const Edition = 3

// excludes is the edition whose comparisons were the first to exclude shifts.
const excludes = 2

// DefaultShift is the shift that a Pass excludes unless the options say otherwise: half a standard deviation of a
// trial, a medium effect by Cohen (1988).
const DefaultShift = 0.5

// Trials is what is known of the trials that were compared.
type Trials struct {
	Baseline  *fingerprint.Counts `json:"baseline"`  // without the wall time
	Candidate *fingerprint.Counts `json:"candidate"` // without the wall time
}

// Column is one thing that was compared.
type Column struct {
	Name      string   `json:"name"`       // that of the [fingerprint.Column]
	Kind      string   `json:"kind"`       // that of the [fingerprint.Kind], which tells the unit
	Baseline  *float64 `json:"baseline"`   // mean, in the unit of the column; nil where it is unknown
	Candidate *float64 `json:"candidate"`  // mean, in the unit of the column; nil where it is unknown
	AdjustedP float64  `json:"p_adjusted"` // with respect to all columns, 0 to 1
	Changed   bool     `json:"changed"`    // the test as a whole found a change, and this column is significant
	Text      string   `json:"text"`       // such as "output tokens 512 -> 707 (+38 %)"
}

// Options say how behaviour is compared.
type Options struct {
	Alpha float64          // level of the test, between 0 and 1; 0 is [verdict.DefaultAlpha]
	Test  fingerprint.Test // permutation-t2 by default
	Seed  uint64           // of the permutations
	Drawn *DrawnCounts     // what [Draw] returned of the samples that are compared
	// Explained is the share of the variance that the principal components hold which Hotelling's test looks at,
	// above 0 and at most 1; 0 is 0.95.
	Explained float64
	// Shift is the smallest difference of a column's means that matters, in standard deviations of a trial within
	// its scenario, above 0; 0 is [DefaultShift].
	Shift float64
	// Beta bounds the probability that such a shift passes, between 0 and 1; 0 is [verdict.DefaultBeta].
	Beta float64

	saved int // the edition of a result that is judged again; 0 is that of this version
}

func (o Options) withDefaults() Options {
	if o.Alpha == 0 {
		o.Alpha = verdict.DefaultAlpha
	}
	if o.Beta == 0 {
		o.Beta = verdict.DefaultBeta
	}
	if o.Shift == 0 {
		o.Shift = DefaultShift
	}
	return o
}

// Reasons and warnings of behaviour.
const (
	CodeChanged  verdict.Code = "behaviour-changed"
	CodeUntested verdict.Code = "behaviour-untested"
	codeDrawn    verdict.Code = "behaviour-of-drawn-trials"
	codeSame     verdict.Code = "behaviour-not-changed" // a shift that matters is excluded
	CodeOpen     verdict.Code = "behaviour-undecided"   // neither is a change shown nor such a shift excluded
)

// mostWork bounds permutations times trials: more permutations only sharpen a p-value,
// and the test is exact with any number of them. The number is chosen. Of more than
// [fingerprint.DefaultMostTrials] trials so many are drawn, which leaves 3,000 permutations.
const mostWork = 60_000_000

// mostMapped is how many trials of both sides a result maps, with a point for each. The
// number is chosen.
const mostMapped = 1000

// mostBehaviourNumbers is how many numbers of both sides' trials a result holds: those
// of some 5,000 trials, and less than a megabyte. Beyond, it holds none.
const mostBehaviourNumbers = 100_000

// trialsOf is what a result holds of the trials, to be judged again from: all that the test
// looks at. It is nil where that is too much.
func trialsOf(baseline, candidate *fingerprint.Sample) *Trials {
	// First by the trials, which needs no look at any of them, and below by the numbers.
	if baseline.Len()+candidate.Len() > mostBehaviourNumbers/10 {
		return nil
	}
	t := &Trials{baseline.Counts(), candidate.Counts()}
	for _, side := range []*fingerprint.Counts{t.Baseline, t.Candidate} {
		side.Duration = nil // it is left out of the test
	}
	if t.Baseline.Numbers()+t.Candidate.Numbers() > mostBehaviourNumbers {
		return nil
	}
	return t
}

// Compare tests whether the candidate behaves differently. Samples that
// cannot be tested give a [Comparison] that says so; an error means that the options
// cannot be used, or that the context ended.
func Compare(ctx context.Context, baseline, candidate *fingerprint.Sample, o Options) (*Comparison, error) {
	o = o.withDefaults()
	if o.Explained != 0 && o.Test != fingerprint.HotellingT2 {
		return nil, &verdict.OptionError{Option: "explained", Value: o.Explained, Problem: "is for hotelling-t2 alone"}
	}
	b := &Comparison{
		Edition: cmp.Or(o.saved, Edition), P: 1, Alpha: o.Alpha, Shift: o.Shift, Beta: o.Beta, Seed: o.Seed,
		Test: o.Test.String(), Explained: o.Explained,
		Baseline: baseline.Len(), Candidate: candidate.Len(),
		Columns: []Column{}, NewTools: []string{}, Uncalled: []string{}, Warnings: []verdict.Warning{},
		Trials: trialsOf(baseline, candidate), Drawn: o.Drawn,
	}
	if d := o.Drawn; d != nil {
		b.Warnings = append(b.Warnings,
			codeDrawn.Warning("the behaviour is that of trials that seed %d drew, %d of %d and %d of %d: "+
				"the test is exact for them", o.Seed, b.Baseline, d.Baseline, b.Candidate, d.Candidate))
	}
	// As many permutations as the work allows.
	compared := min(baseline.Len()+candidate.Len(), fingerprint.DefaultMostTrials)
	affordable := mostWork / max(1, compared)
	c, err := fingerprint.Compare(ctx, baseline, candidate, fingerprint.Options{
		Alpha: o.Alpha, Test: o.Test, Explained: o.Explained, Seed: o.Seed, Shift: o.Shift, Beta: o.Beta,
		Permutations: min(fingerprint.DefaultPermutations, affordable),
	})
	switch {
	// Too little evidence is a finding, not an error.
	case errors.Is(err, fingerprint.ErrTooFewTrials), errors.Is(err, fingerprint.ErrNoSharedScenario),
		errors.Is(err, hotelling.ErrSingular):
		b.Warnings = append(b.Warnings, CodeUntested.Warning("the behaviour cannot be compared: %v", err))
		return b, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("behaviour: %w", err)
	}
	b.fill(c)
	return b, nil
}

// fill takes in what the test found.
func (b *Comparison) fill(c *fingerprint.Comparison) {
	b.Tested = true
	b.Changed = c.Changed
	b.P = c.P
	b.Test = c.Test.String()
	b.Baseline = c.BaselineTrials
	b.Candidate = c.CandidateTrials
	b.Scenarios = c.Scenarios
	b.Permutations = c.Permutations
	b.Exhaustive = c.Exhaustive
	b.Excluded = c.Equivalence
	b.Hotelling = c.Hotelling
	b.EffectiveDimension, b.Participation = float64(c.EffectiveDimension), c.Participation
	if b.Edition < Edition {
		b.EffectiveDimension, b.Participation = c.Participation, 0
	}
	b.NewTools = append(b.NewTools, c.NewTools...)
	b.Uncalled = append(b.Uncalled, c.UncalledTools...)
	for _, w := range c.Warnings {
		b.Warnings = append(b.Warnings, verdict.Warning{Code: verdict.Code(w.Code), Text: w.Text})
		// There was a test, but of columns without any difference, or one that can find none: nothing is
		// shown by it.
		if w.Code == fingerprint.NothingVaries || w.Code == fingerprint.CannotReject {
			b.Tested = false
		}
	}
	if len(c.Map.Axes) > 0 && len(c.Map.Points) <= mostMapped {
		b.Map = &c.Map
	}
	// Changed columns first, the clearest of them at the top, then the others in the order of
	// the fingerprint, each once; columns that were not tested say nothing.
	listed := map[string]bool{}
	add := func(change fingerprint.Change) {
		if listed[change.Column.Name] || change.Status != fingerprint.Tested {
			return
		}
		listed[change.Column.Name] = true
		b.Columns = append(b.Columns, Column{
			Name: change.Column.Name, Kind: change.Column.Kind.String(),
			Baseline: mean(change.Baseline), Candidate: mean(change.Candidate),
			AdjustedP: change.AdjustedP, Changed: change.Changed, Text: change.String(),
		})
	}
	for _, change := range c.ChangedColumns() { // the clearest first
		add(change)
	}
	for _, change := range c.Columns {
		add(change)
	}
}

// mean is the value of a mean, nil where it is unknown.
func mean(m fingerprint.Mean) *float64 {
	if m.Trials == 0 {
		return nil
	}
	return new(m.Value)
}

// Promises reports whether a change is reported where there is none with a chance of at most alpha.
func (b *Comparison) Promises() bool { return b.Hotelling == nil }

// Same reports whether a shift that matters is excluded. Comparisons of earlier versions excluded none, and took
// for the same what was not shown to be changed.
func (b *Comparison) Same() bool {
	switch {
	case b.Changed || !b.Tested:
		return false
	case b.Edition < excludes:
		return true
	}
	return b.Excluded != nil && b.Excluded.Shown
}

// Reason is what the behaviour says for a verdict.
func (b *Comparison) Reason() verdict.Reason {
	p := phrase.Significant(b.P)
	switch {
	case b.Changed:
		return CodeChanged.Reason("the behaviour changed: without a change so large a difference is rare (p %s, alpha %s)", p,
			phrase.Number(b.Alpha))
	case !b.Tested:
		return CodeUntested.Reason("the behaviour could not be tested, and it counts")
	case b.Edition < excludes:
		return codeSame.Reason("no change of the behaviour was detected (p %s)", p)
	case b.Same():
		return codeSame.Reason("the behaviour did not change: no change was detected (p %s), and a shift of %s standard "+
			"deviations "+
			"or more "+
			"is ruled out in every measure (beta %s)", p, phrase.Number(b.Excluded.Shift), phrase.Number(b.Excluded.Beta))
	}
	return CodeOpen.Reason("too few trials to tell whether the behaviour changed: no change was detected (p %s), and "+
		"%s", p,
		b.Limit())
}

// Limit says which shift is excluded, for a person.
func (b *Comparison) Limit() string {
	switch e := b.Excluded; {
	case e == nil:
		return ""
	case e.Excluded == nil:
		return "no shift is ruled out"
	case e.Shown:
		return fmt.Sprintf("shifts of %s standard deviations and more are ruled out in every measure", sizeOf(*e.Excluded))
	default:
		return fmt.Sprintf("a shift of %s may be up to %s standard deviations, and one of %s is to be ruled out",
			e.Column, sizeOf(*e.Excluded), phrase.Number(e.Shift))
	}
}

// sizeOf writes a shift, rounded up: what is excluded is at least that.
func sizeOf(shift float64) string { return phrase.Number(math.Ceil(shift*100) / 100) }

// Result is a verdict on behaviour alone: Fail where it changed, Pass where a shift
// that matters is excluded, Inconclusive where neither is shown.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // what the evidence allows to say
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode  int              `json:"exit_code"`
	Reasons   []verdict.Reason `json:"reasons"`   // why the verdict is what it is, the most important first
	Baseline  string           `json:"baseline"`  // names
	Candidate string           `json:"candidate"` // name
	Behaviour *Comparison      `json:"behaviour"` // what the verdict follows from
}

// Judge gives the verdict on behaviour alone. The names are those of the two systems, for a
// person. Where nothing is shown the verdict stays Inconclusive.
func Judge(baseline, candidate string, b *Comparison) *Result {
	r := &Result{
		Schema: Schema, Reasons: []verdict.Reason{b.Reason()},
		Baseline: baseline, Candidate: candidate, Behaviour: b,
	}
	switch {
	case b.Changed:
		r.Verdict = verdict.Fail
	case b.Same():
		r.Verdict = verdict.Pass
	}
	r.ExitCode = r.Verdict.ExitCode()
	return r
}
