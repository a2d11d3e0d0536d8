package verdict

import (
	"context"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/fingerprint"
)

// BehaviourSchema names the JSON form of a [Behaviour] that stands alone.
const BehaviourSchema = "tribunal/behaviour/v1"

// Behaviour says whether the candidate works differently from the baseline, whatever
// its answers are worth. Changed means shown to be changed, at a false-alarm rate of
// at most alpha; otherwise a change was not shown.
type Behaviour struct {
	Changed     bool              `json:"changed"`
	Tested      bool              `json:"tested"` // false: there is nothing to test; the warnings say why
	P           float64           `json:"p"`
	Alpha       float64           `json:"alpha"`
	Test        string            `json:"test"`
	Baseline    int               `json:"baseline_trials"` // that were compared
	Candidate   int               `json:"candidate_trials"`
	Scenarios   int               `json:"scenarios"`
	Relabelings int               `json:"relabelings"`
	Exhaustive  bool              `json:"exhaustive"` // all relabelings that there are
	Seed        uint64            `json:"seed"`
	Dimension   float64           `json:"effective_dimension"`
	Columns     []BehaviourColumn `json:"columns"`        // the ones that vary, by adjusted p
	NewTools    []string          `json:"new_tools"`      // called by the candidate alone
	Uncalled    []string          `json:"uncalled_tools"` // called by the baseline alone
	Warnings    []Warning         `json:"warnings"`
	Map         *fingerprint.Map  `json:"map,omitempty"`    // of the trials; absent where they are more than some hundred
	Trials      *BehaviourTrials  `json:"trials,omitempty"` // what all of it is computed from; absent where they are too many
}

// BehaviourTrials is what is known of the trials that were compared.
type BehaviourTrials struct {
	Baseline  *fingerprint.Counts `json:"baseline"`
	Candidate *fingerprint.Counts `json:"candidate"`
}

// BehaviourColumn is one thing that was compared.
type BehaviourColumn struct {
	Name      string   `json:"name"`
	Kind      string   `json:"kind"`
	Baseline  *float64 `json:"baseline"` // mean, in the unit of the column; nil where it is unknown
	Candidate *float64 `json:"candidate"`
	AdjustedP float64  `json:"p_adjusted"` // with respect to all columns
	Changed   bool     `json:"changed"`
	Text      string   `json:"text"` // such as "output tokens 512 -> 707 (+38 %)"
}

// BehaviourOptions say how behaviour is compared.
type BehaviourOptions struct {
	Alpha float64 // 0 is [DefaultAlpha]
	Seed  uint64
}

// Reasons and warnings of behaviour.
const (
	CodeBehaviourChanged  Code = "behaviour-changed"
	CodeBehaviourUntested Code = "behaviour-untested"
	CodeBehaviourSame     Code = "behaviour-not-changed"
)

// mostWork bounds relabelings times trials: more relabelings only sharpen a p-value,
// and the test is exact with any number of them.
const (
	mostWork      = 200_000_000
	fewestRelabel = 999
)

// mostMapped is how many trials a result maps.
const mostMapped = 1000

// mostBehaviourNumbers is how many numbers of both sides' trials a result holds: those
// of some 5,000 trials, and less than a megabyte. Beyond, it holds none.
const mostBehaviourNumbers = 100_000

func behaviourTrials(baseline, candidate *fingerprint.Sample) *BehaviourTrials {
	if baseline.Len()+candidate.Len() > mostBehaviourNumbers/10 {
		return nil
	}
	t := &BehaviourTrials{baseline.Counts(), candidate.Counts()}
	for _, side := range []*fingerprint.Counts{t.Baseline, t.Candidate} {
		side.Duration = nil // it is left out of the test
	}
	if t.Baseline.Numbers()+t.Candidate.Numbers() > mostBehaviourNumbers {
		return nil
	}
	return t
}

// CompareBehaviour tests whether the candidate behaves differently. Samples that
// cannot be tested give a [Behaviour] that says so; an error means that the options
// cannot be used, or that the context ended.
func CompareBehaviour(ctx context.Context, baseline, candidate *fingerprint.Sample, o BehaviourOptions) (*Behaviour, error) {
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	b := &Behaviour{
		P: 1, Alpha: o.Alpha, Test: fingerprint.PermutationT2.String(), Seed: o.Seed, Baseline: baseline.Len(), Candidate: candidate.Len(),
		Columns: []BehaviourColumn{}, NewTools: []string{}, Uncalled: []string{}, Warnings: []Warning{},
		Trials: behaviourTrials(baseline, candidate),
	}
	permutations := max(fewestRelabel, min(fingerprint.DefaultPermutations, mostWork/max(1, baseline.Len()+candidate.Len())))
	c, err := fingerprint.Compare(ctx, baseline, candidate, fingerprint.Options{Alpha: o.Alpha, Seed: o.Seed, Permutations: permutations})
	switch {
	case errors.Is(err, fingerprint.ErrTooFewTrials), errors.Is(err, fingerprint.ErrNoSharedScenario):
		b.Warnings = append(b.Warnings, warning(CodeBehaviourUntested, "the behaviour cannot be compared: %v", err))
		return b, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("behaviour: %w", err)
	}
	b.fill(c)
	return b, nil
}

func (b *Behaviour) fill(c *fingerprint.Comparison) {
	b.Tested = true
	b.Changed, b.P, b.Test = c.Changed, c.P, c.Test.String()
	b.Baseline, b.Candidate, b.Scenarios = c.BaselineTrials, c.CandidateTrials, c.Scenarios
	b.Relabelings, b.Exhaustive, b.Dimension = c.Relabelings, c.Exhaustive, c.EffectiveDimension
	b.NewTools, b.Uncalled = append(b.NewTools, c.NewTools...), append(b.Uncalled, c.UncalledTools...)
	for _, w := range c.Warnings {
		b.Warnings = append(b.Warnings, Warning{Code(w.Code), w.Text})
		if w.Code == fingerprint.NothingVaries {
			b.Tested = false
		}
	}
	if len(c.Map.Axes) > 0 && len(c.Map.Points) <= mostMapped {
		b.Map = &c.Map
	}
	listed := map[string]bool{}
	add := func(change fingerprint.Change) {
		if listed[change.Column.Name] || change.Status != fingerprint.Tested {
			return
		}
		listed[change.Column.Name] = true
		b.Columns = append(b.Columns, BehaviourColumn{
			Name: change.Column.Name, Kind: change.Column.Kind.String(), Baseline: mean(change.Baseline), Candidate: mean(change.Candidate),
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

func mean(m fingerprint.Mean) *float64 {
	if m.Trials == 0 {
		return nil
	}
	return pointer(m.Value)
}

// AddBehaviour puts the behaviour beside the comparison. Where it is to count, a
// change makes the verdict Fail, and a Pass needs a test.
func (c *Comparison) AddBehaviour(b *Behaviour, counts bool) {
	c.Behaviour, c.BehaviourCounts = b, counts
	if !counts {
		return
	}
	switch {
	case b.Changed:
		c.Verdict = Fail
		c.Reasons = append([]Reason{b.reason()}, c.Reasons...)
	case !b.Tested && c.Verdict == Pass:
		c.Verdict = Inconclusive
		c.Reasons = append([]Reason{b.reason()}, c.Reasons...)
	}
	c.ExitCode = c.Verdict.ExitCode()
}

// reason is what the behaviour says for a verdict.
func (b *Behaviour) reason() Reason {
	switch {
	case b.Changed:
		return reason(CodeBehaviourChanged, "the behaviour changed (p %s, at most alpha %s)", significant(b.P), number(b.Alpha))
	case !b.Tested:
		return reason(CodeBehaviourUntested, "the behaviour could not be tested, and it counts")
	}
	return reason(CodeBehaviourSame, "the behaviour is not shown to be changed (p %s)", significant(b.P))
}

// BehaviourResult is a verdict on behaviour alone: Fail where it changed, Pass where a
// change is not shown, Inconclusive where it cannot be tested.
type BehaviourResult struct {
	Schema    string     `json:"schema"`
	Verdict   Verdict    `json:"verdict"`
	ExitCode  int        `json:"exit_code"`
	Reasons   []Reason   `json:"reasons"`
	Baseline  string     `json:"baseline"` // names
	Candidate string     `json:"candidate"`
	Behaviour *Behaviour `json:"behaviour"`
}

// JudgeBehaviour gives the verdict on behaviour alone.
func JudgeBehaviour(baseline, candidate string, b *Behaviour) *BehaviourResult {
	r := &BehaviourResult{Schema: BehaviourSchema, Reasons: []Reason{b.reason()}, Baseline: baseline, Candidate: candidate, Behaviour: b}
	switch {
	case b.Changed:
		r.Verdict = Fail
	case b.Tested:
		r.Verdict = Pass
	}
	r.ExitCode = r.Verdict.ExitCode()
	return r
}
