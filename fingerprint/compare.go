package fingerprint

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// Comparison is the outcome of a test of two samples. H0: within a scenario the
// trials of both sides are exchangeable. H1: the vectors of the sides differ.
type Comparison struct {
	Test    Test    `json:"test"`    // that decided
	Alpha   float64 `json:"alpha"`   // level of the test, between 0 and 1
	P       float64 `json:"p"`       // p-value of H0, from 0 to 1
	Changed bool    `json:"changed"` // P <= Alpha; if false, a change was not shown

	BaselineTrials  int `json:"baseline_trials"`  // that were compared
	CandidateTrials int `json:"candidate_trials"` // that were compared
	Scenarios       int `json:"scenarios"`        // within which trials were exchanged

	Permutations int    `json:"relabelings"` // looked at, the observed one among them
	Exhaustive   bool   `json:"exhaustive"`  // they are all there are
	Stopped      bool   `json:"stopped"`     // early, when a rejection had become impossible
	Seed         uint64 `json:"seed"`        // of the permutations

	Shrinkage float64 `json:"shrinkage"` // intensity of the Ledoit-Wolf shrinkage, from 0 to 1
	// EffectiveDimension is how many principal components hold 95 % of the variance (AgentAssay, Equation 28):
	// those of [HotellingT2] where that decided, else of the covariance within scenarios.
	EffectiveDimension int `json:"effective_dimension"`
	// Participation is the participation ratio of the same principal axes, from 1 to the number of tested columns.
	Participation float64 `json:"participation_ratio"`
	// Distance is the Mahalanobis distance of the sides' means on the shrunk covariance:
	// too large on average in small samples, and 0 if it has no bound.
	Distance  float64           `json:"distance"`
	Hotelling *hotelling.Result `json:"hotelling,omitempty"` // of HotellingT2, else nil

	// Equivalence says what is excluded, where the options ask for it; nil where they do not,
	// and where there is nothing to test.
	Equivalence *Equivalence `json:"equivalence,omitempty"`

	Columns []Change `json:"columns"` // every column, in the order of the vectors
	// SeparatingEvents are columns that are constant on the baseline's side alone.
	SeparatingEvents []SeparatingEvent `json:"departures"`
	Map              Map               `json:"map"`            // of the trials
	NewTools         []string          `json:"new_tools"`      // called by the candidate alone
	UncalledTools    []string          `json:"uncalled_tools"` // called by the baseline alone
	Warnings         []Warning         `json:"warnings"`       // what weakens the comparison
}

// ChangedColumns returns the columns that changed, the clearest change first. There
// are none unless the test as a whole found a change.
func (c *Comparison) ChangedColumns() []Change {
	var changed []Change
	for _, column := range c.Columns {
		if column.Changed {
			changed = append(changed, column)
		}
	}
	// The smallest adjusted p-value first, and among equal ones, which permutations often give, the largest
	// difference.
	slices.SortStableFunc(changed, func(a, b Change) int {
		if order := byValue(a.AdjustedP, b.AdjustedP); order != 0 {
			return order
		}
		return byValue(math.Abs(b.Difference), math.Abs(a.Difference))
	})
	return changed
}

// Compare tests two samples. It refuses samples without trials with
// [ErrTooFewTrials], and samples without a common scenario with
// [ErrNoSharedScenario], and stops with the cause of the context's end. Of samples with more trials
// than the options allow it compares some that are drawn.
func Compare(ctx context.Context, baseline, candidate *Sample, o Options) (*Comparison, error) {
	o.Stopped = o.Stopped || baseline.Stopped || candidate.Stopped
	v := o.Vocabulary
	if v == nil {
		v = NewVocabulary(baseline, candidate)
	}
	checked, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	var sides [2][]Vector
	all := baseline.Len() + candidate.Len()
	if all <= checked.MostTrials {
		sides[0], sides[1] = v.Vectors(baseline), v.Vectors(candidate)
	} else {
		drawn := draw(baseline, candidate, checked, seeded.Stream(seeded.Scramble(o.Seed), 2))
		sides[0], sides[1] = v.some(baseline, drawn[0]), v.some(candidate, drawn[1])
	}
	c, err := CompareVectors(ctx, v.columns, sides[0], sides[1], o)
	if err != nil {
		return nil, err
	}
	if drawn := len(sides[0]) + len(sides[1]); drawn < all {
		c.Warnings = append(c.Warnings, warning(drawnTrials,
			"of %d and %d trials %d and %d were drawn at random and compared (seed %d): more would take longer, and "+
				"show smaller changes", baseline.Len(), candidate.Len(), len(sides[0]), len(sides[1]), o.Seed))
	}
	// Tools are compared by name over all trials, those of scenarios that one side alone tried too.
	c.NewTools = without(candidate.tools.words, baseline.tools.number)
	c.UncalledTools = without(baseline.tools.words, candidate.tools.number)
	if baseline.errors+candidate.errors > 0 {
		c.Warnings = append(c.Warnings, warning(ErrorTrials,
			"trials that ended in an error are left out: %d of %d on the baseline's side, %d of %d on the candidate's",
			baseline.errors, baseline.errors+baseline.Len(), candidate.errors, candidate.errors+candidate.Len()))
	}
	if gap := gapBetween(baseline, candidate); gap > 0 {
		c.Warnings = append(c.Warnings, warning(daysApart,
			"the sides were recorded %s apart: what changed in between, such as the provider's model, is in the difference",
			inWords(gap)))
	}
	return c, nil
}

// gapBetween is the time from the last trial of the side that was recorded first to the first of the other; 0 where
// they overlap or no trial says when it began.
func gapBetween(a, b *Sample) time.Duration {
	if a.first.IsZero() || b.first.IsZero() {
		return 0
	}
	return max(b.first.Sub(a.last), a.first.Sub(b.last), 0)
}

// inWords writes a time in the largest unit of which it has one at least.
func inWords(d time.Duration) string {
	for _, unit := range []struct {
		name string
		is   time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / unit.is); n > 0 {
			return prose.Count(n, unit.name)
		}
	}
	return "less than a minute"
}

// without returns the words that are not in the set, sorted.
func without(words []string, set map[string]int) (rest []string) {
	for _, word := range words {
		if _, ok := set[word]; !ok {
			rest = append(rest, word)
		}
	}
	slices.Sort(rest)
	return rest
}

// CompareVectors is [Compare] for vectors of any origin, with a value for each of
// the columns. Which columns there are must not depend on which vectors are the
// baseline's.
func CompareVectors(
	ctx context.Context, columns []Column, baseline, candidate []Vector, o Options,
) (*Comparison, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	p, err := newPool(columns, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	c := &Comparison{
		Test: o.Test, Alpha: o.Alpha, P: 1, Seed: o.Seed, Scenarios: p.scenarios(), Warnings: p.warnings,
		BaselineTrials: p.trials[0], CandidateTrials: p.trials[1],
	}
	c.Columns = p.changes(columns)
	// Nothing to test is no change: P stays 1.
	if len(p.tested) == 0 {
		c.Warnings = append(c.Warnings, warning(NothingVaries,
			"no column varies between the trials of a scenario: there is nothing to test"))
		return c, nil
	}
	// Hotelling's p-value decides then; the permutations below give the adjusted p-values of the columns.
	var projected *axes
	if o.Test == HotellingT2 {
		h, a, err := p.hotelling(o.Explained)
		if err != nil {
			return nil, err
		}
		c.Hotelling, projected = &h, a
		c.Warnings = append(c.Warnings, warning(nominalLevel,
			"Hotelling's test ignores scenarios, and its level is nominal: alpha holds for normal vectors alone"))
	}
	t, ok := newPermutationTest(p, columns, o.Test, o.Alpha)
	if !ok {
		return nil, fmt.Errorf("principal axes of %d columns: the decomposition does not converge", len(p.tested))
	}
	if err := c.permute(ctx, t, o); err != nil {
		return nil, err
	}
	c.describe(t, columns)
	if projected != nil {
		c.measure(*projected)
	}
	if o.Shift > 0 {
		c.Equivalence, err = p.equivalence(ctx, columns, o, seeded.Stream(seeded.Scramble(o.Seed), 1))
	}
	return c, err
}

// permute runs the test, and decides.
//
// A column is changed only if the test as a whole is, so the report never names one without the other. Stream 0
// of the seed is that of permutations; simulations have the others.
func (c *Comparison) permute(ctx context.Context, t *permutationTest, o Options) error {
	result, err := t.run(ctx, o.Alpha, o.Permutations, seeded.Stream(o.Seed, 0))
	if err != nil {
		return err
	}
	c.P = result.p
	if c.Hotelling != nil {
		c.P = c.Hotelling.P
	} else if result.leastP > o.Alpha {
		c.Warnings = append(c.Warnings, warning(CannotReject,
			"%d relabelings cannot give a p-value below %.3g: no change can be found at alpha %.3g",
			result.permutations, result.leastP, o.Alpha))
	}
	c.Changed = c.P <= o.Alpha
	c.Permutations = result.permutations
	c.Exhaustive = result.exhaustive
	c.Stopped = result.stopped
	c.name(t, result.adjusted, o.Alpha)
	return nil
}

// name says which columns changed, by their adjusted p-values: those of the tested columns, of their spreads, and of
// the pairs of tools.
func (c *Comparison) name(t *permutationTest, adjusted []float64, alpha float64) {
	d := len(t.pool.tested)
	for k, j := range t.pool.tested {
		column := &c.Columns[j]
		column.AdjustedP = adjusted[k]
		column.Changed = c.Changed && column.AdjustedP <= alpha
		if t.beside == nil {
			continue
		}
		spread, mean := t.pool.spreads(k, column.Column, alpha)
		spread.AdjustedP = adjusted[d+k]
		different := c.Changed && spread.AdjustedP <= alpha
		spread.Changed = column.Changed && !mean || different && !column.Changed
		column.Changed = column.Changed || different
		column.Spread = &spread
	}
	for k, j := range t.pool.pairs {
		if t.beside != nil {
			c.Columns[j].AdjustedP = adjusted[2*d+k]
			c.Columns[j].Changed = c.Changed && c.Columns[j].AdjustedP <= alpha
		}
	}
}

// hotelling is the test as AgentAssay has it: on the leading principal components of the columns
// in units of their deviation, scenarios or no; with the axes of all columns. The leading ones hold a share of the
// variance.
//
// Columns are centred and scaled over both sides together, as a covariance of all trials would: the test is
// as published, and its level holds for normal vectors alone.
func (p *pool) hotelling(share float64) (hotelling.Result, *axes, error) {
	n, d := len(p.values), len(p.tested)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, d)
	}
	for j := range d {
		mean, squares := 0.0, 0.0
		for _, row := range p.values {
			mean += row[j] / float64(n)
		}
		for _, row := range p.values {
			squares += (row[j] - mean) * (row[j] - mean)
		}
		for i, row := range p.values {
			rows[i][j] = (row[j] - mean) / math.Sqrt(squares/float64(n))
		}
	}
	a, ok := principal(shrink(matrix(rows)).covariance)
	if !ok {
		return hotelling.Result{}, nil,
			fmt.Errorf("principal axes of %d columns: the decomposition does not converge", d)
	}
	var sides [2][][]float64
	for i, row := range a.project(rows, a.components(share)) {
		side := 0
		if p.side[i] {
			side = 1
		}
		sides[side] = append(sides[side], row)
	}
	r, err := hotelling.Test(sides[0], sides[1])
	return r, &a, err
}
