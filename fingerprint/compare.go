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
	Test    Test    `json:"test"`
	Alpha   float64 `json:"alpha"`
	P       float64 `json:"p"`
	Changed bool    `json:"changed"` // P <= Alpha; if false, a change was not shown

	BaselineTrials  int `json:"baseline_trials"` // that were compared
	CandidateTrials int `json:"candidate_trials"`
	Scenarios       int `json:"scenarios"` // within which trials were relabeled

	Relabelings int    `json:"relabelings"` // looked at, the observed one among them
	Exhaustive  bool   `json:"exhaustive"`  // they are all there are
	Stopped     bool   `json:"stopped"`     // early, when a rejection had become impossible
	Seed        uint64 `json:"seed"`

	Shrinkage          float64           `json:"shrinkage"`           // intensity of the Ledoit-Wolf shrinkage
	EffectiveDimension float64           `json:"effective_dimension"` // participation ratio of the principal axes
	Components         int               `json:"components"`          // principal components that hold 95 % of the variance
	Distance           float64           `json:"distance"`            // Mahalanobis distance of the sides on the shrunk covariance; too large on average in small samples; 0 if it has no bound
	Hotelling          *hotelling.Result `json:"hotelling,omitempty"` // of HotellingT2
	Columns            []Change          `json:"columns"`             // every column, in the order of the vectors
	Departures         []Departure       `json:"departures"`          // columns that are constant on the baseline's side alone
	Map                Map               `json:"map"`
	NewTools           []string          `json:"new_tools"`      // called by the candidate alone
	UncalledTools      []string          `json:"uncalled_tools"` // called by the baseline alone
	Warnings           []Warning         `json:"warnings"`
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
// [ErrNoSharedScenario], and stops with the error of the context when that ends.
func Compare(ctx context.Context, baseline, candidate *Sample, o Options) (*Comparison, error) {
	v := o.Vocabulary
	if v == nil {
		v = NewVocabulary(baseline, candidate)
	}
	c, err := CompareVectors(ctx, v.columns, v.Vectors(baseline), v.Vectors(candidate), o)
	if err != nil {
		return nil, err
	}
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
func CompareVectors(ctx context.Context, columns []Column, baseline, candidate []Vector, o Options) (*Comparison, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	p, err := newPool(columns, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Test: o.Test, Alpha: o.Alpha, P: 1, Seed: o.Seed, Scenarios: len(p.strata), Warnings: p.warnings}
	c.BaselineTrials, c.CandidateTrials = p.sides()
	c.Columns = p.changes(columns)
	if len(p.tested) == 0 {
		c.Warnings = append(c.Warnings, warning(NothingVaries, "no column varies between the trials of a scenario: there is nothing to test"))
		return c, nil
	}
	if o.Test == HotellingT2 {
		h, err := p.hotelling()
		if err != nil {
			return nil, err
		}
		c.Hotelling = &h
	}
	t, ok := newPermutation(p, o.Test, o.Alpha)
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
func (c *Comparison) permute(ctx context.Context, t *permutation, o Options) error {
	result, err := t.run(ctx, o.Alpha, o.Permutations, seeded.Stream(o.Seed, 0))
	if err != nil {
		return err
	}
	c.P = result.p
	if c.Hotelling != nil {
		c.P = c.Hotelling.P
	} else if result.leastP > o.Alpha {
		c.Warnings = append(c.Warnings, warning(cannotReject,
			"%d relabelings cannot give a p-value below %.3g: no change can be found at alpha %.3g", result.relabeled, result.leastP, o.Alpha))
	}
	c.Changed = c.P <= o.Alpha
	c.Relabelings, c.Exhaustive, c.Stopped = result.relabeled, result.exhaustive, result.stopped
	for k, j := range t.pool.tested {
		column := &c.Columns[j]
		column.AdjustedP = result.columns[k]
		column.Changed = c.Changed && column.AdjustedP <= o.Alpha
	}
	return nil
}

// hotelling is the paper's test: on the leading principal components of the columns
// in units of their deviation, scenarios or no.
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
