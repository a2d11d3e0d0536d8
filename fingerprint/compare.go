package fingerprint

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
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
	// EffectiveDimension is the participation ratio of the principal axes, from 1 to the
	// number of tested columns.
	EffectiveDimension float64 `json:"effective_dimension"`
	Components         int     `json:"components"` // principal components that hold 95 % of the variance
	// Distance is the Mahalanobis distance of the sides' means on the shrunk covariance:
	// too large on average in small samples, and 0 if it has no bound.
	Distance  float64           `json:"distance"`
	Hotelling *hotelling.Result `json:"hotelling,omitempty"` // of HotellingT2, else nil

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
// [ErrNoSharedScenario], and stops with the cause of the context's end.
func Compare(ctx context.Context, baseline, candidate *Sample, o Options) (*Comparison, error) {
	v := o.Vocabulary
	if v == nil {
		v = NewVocabulary(baseline, candidate)
	}
	c, err := CompareVectors(ctx, v.columns, v.Vectors(baseline), v.Vectors(candidate), o)
	if err != nil {
		return nil, err
	}
	// Tools are compared by name over all trials, those of scenarios that one side alone tried too.
	c.NewTools = without(candidate.tools.words, baseline.tools.number)
	c.UncalledTools = without(baseline.tools.words, candidate.tools.number)
	if baseline.errors+candidate.errors > 0 {
		c.Warnings = append(c.Warnings, warning(ErrorTrials,
			"trials that ended in an error are left out: %d of %d on the baseline's side, %d of %d on the candidate's",
			baseline.errors, baseline.errors+baseline.Len(), candidate.errors, candidate.errors+candidate.Len()))
	}
	return c, nil
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
		Test: o.Test, Alpha: o.Alpha, P: 1, Seed: o.Seed, Scenarios: len(p.strata), Warnings: p.warnings,
	}
	c.BaselineTrials, c.CandidateTrials = p.sides()
	c.Columns = p.changes(columns)
	// Nothing to test is no change: P stays 1.
	if len(p.tested) == 0 {
		c.Warnings = append(c.Warnings, warning(NothingVaries,
			"no column varies between the trials of a scenario: there is nothing to test"))
		return c, nil
	}
	// Hotelling's p-value decides then; the permutations below give the adjusted p-values of the columns.
	if o.Test == HotellingT2 {
		h, err := p.hotelling()
		if err != nil {
			return nil, err
		}
		c.Hotelling = &h
	}
	t, ok := newPermutationTest(p, o.Test, o.Alpha)
	if !ok {
		return nil, fmt.Errorf("principal axes of %d columns: the decomposition does not converge", len(p.tested))
	}
	if err := c.permute(ctx, t, o); err != nil {
		return nil, err
	}
	c.describe(t, columns)
	return c, nil
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
		c.Warnings = append(c.Warnings, warning(cannotReject,
			"%d relabelings cannot give a p-value below %.3g: no change can be found at alpha %.3g",
			result.permutations, result.leastP, o.Alpha))
	}
	c.Changed = c.P <= o.Alpha
	c.Permutations = result.permutations
	c.Exhaustive = result.exhaustive
	c.Stopped = result.stopped
	for k, j := range t.pool.tested {
		column := &c.Columns[j]
		column.AdjustedP = result.adjusted[k]
		column.Changed = c.Changed && column.AdjustedP <= o.Alpha
	}
	return nil
}

// hotelling is the test as AgentAssay has it: on the leading principal components of the columns
// in units of their deviation, scenarios or no.
//
// Columns are centred and scaled over both sides together, as a covariance of all trials would: the test is
// as published, and its level holds for normal vectors alone.
func (p *pool) hotelling() (hotelling.Result, error) {
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
		return hotelling.Result{}, fmt.Errorf("principal axes of %d columns: the decomposition does not converge", d)
	}
	var sides [2][][]float64
	for i, row := range a.project(rows, a.components(explained)) {
		side := 0
		if p.side[i] {
			side = 1
		}
		sides[side] = append(sides[side], row)
	}
	return hotelling.Test(sides[0], sides[1])
}
