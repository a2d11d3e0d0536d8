package fingerprint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
)

// pool holds the trials of both sides as numbers, one scenario after the other and
// in each the baseline's first. Whatever a test takes from it besides the sides
// must come out the same if trials of one scenario change sides.
//
// The flow is stratify, add for each column, transpose, standardise; after that it is not changed.
type pool struct {
	strata    []stratum
	vectors   []Vector    // in the order of rows
	trials    [2]int      // that the rows of each side stand for: a row may be several of one input
	side      []bool      // true: candidate
	tested    []int       // columns that are tested, by their index
	parting   []int       // columns that some trials do not know, and that part them
	pairs     []int       // columns of pairs of tools that vary, which take part beside those
	orders    [][]float64 // values of the pairs of tools, as values
	values    [][]float64 // a row a trial, a column for each tested one: transformed, unknown ones filled in
	status    []Status    // of every column
	residuals [][]float64 // values without the means of their scenario, in units of their deviation under permutation
	scales    []float64   // what the residuals were divided by
	spread    float64     // mean over the trials of what a permutation does to a squared residual, on average
	weight    float64     // Σ of baseline·candidate/trials over the scenarios
	warnings  []Warning
}

// stratum is the trials of a scenario among the rows of the pool.
type stratum struct {
	scenario            string
	from, to            int // rows
	baseline, candidate int // how many of them are of each side
}

// factor is the variance under permutation of a side's sum of residuals, for a sum
// of squares of 1.
//
// For m of n residuals r with sum 0, drawn without replacement, the variance of their sum is
// m(n-m)/(n(n-1)) · Σr² (Cochran 1977, chapter 2).
func (s stratum) factor() float64 {
	n := float64(s.to - s.from)
	return float64(s.baseline) * float64(s.candidate) / (n * (n - 1))
}

// Status says what became of a column.
type Status uint8

// The states of a column.
const (
	Tested   Status = iota // it is part of the test
	Constant               // its value does not vary between the trials of a scenario: there is nothing to test
	Unknown                // unknown in too many trials
	LeftOut                // the wall time, unless the options include it
)

var statusNames = enum.Of[Status]("status", "tested", "constant", "unknown", "left_out")

// String returns the name of the status.
func (s Status) String() string { return statusNames.String(s) }

// MarshalText returns the name; a value that is none of the constants is refused.
func (s Status) MarshalText() ([]byte, error) { return statusNames.MarshalText(s) }

// newPool takes the vectors of both sides in. It refuses sides without a vector, vectors
// that do not fit the columns, and sides without a common scenario.
func newPool(columns []Column, baseline, candidate []Vector, o Options) (*pool, error) {
	if len(baseline) == 0 || len(candidate) == 0 {
		return nil, fmt.Errorf("%w: a comparison needs a trial on each side, and there are %d and %d",
			ErrTooFewTrials, len(baseline), len(candidate))
	}
	if err := checkVectors(columns, baseline, candidate); err != nil {
		return nil, err
	}
	p := &pool{status: make([]Status, len(columns))}
	units, err := p.units(baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	p.choose(columns, units, o)
	if err := p.stratify(columns, units, o); err != nil {
		return nil, err
	}
	for j, c := range columns {
		if p.status[j] == Tested {
			p.add(j, c)
		}
	}
	p.values, p.orders = p.transpose(p.values), p.transpose(p.orders)
	p.standardise()
	return p, nil
}

// checkVectors refuses columns of one name, and values that cannot be tested.
func checkVectors(columns []Column, sides ...[]Vector) error {
	names := make(map[string]bool)
	for _, c := range columns {
		if names[c.Name] {
			return argument.Wrong("column", c.Name, "has the name of another")
		}
		names[c.Name] = true
	}
	for _, vectors := range sides {
		for i, v := range vectors {
			if len(v.Values) != len(columns) {
				problem := fmt.Sprintf("has %d values for %d columns", len(v.Values), len(columns))
				return argument.Wrong("vector", i, problem)
			}
			// The transform is applied for the check alone: values stay in their own units.
			for j, x := range v.Values {
				y := columns[j].Transform.apply(x.Value)
				if x.Known && (math.IsNaN(y) || math.IsInf(y, 0)) {
					return argument.Wrong(columns[j].Name, x.Value,
						"must be a finite number, and above -1 where it is tested on a logarithmic scale")
				}
			}
		}
	}
	return nil
}

// add appends a column of values, unless it does not vary within a scenario.
//
// Trials change sides only with trials that know the same of them, so that what stands for an unknown value
// cancels; the median of both sides together serves estimates from one sample, which has no sides.
func (p *pool) add(j int, c Column) {
	column := make([]trial.Optional[float64], len(p.vectors))
	var known []float64
	for i, v := range p.vectors {
		column[i] = v.Values[j]
		if column[i].Known {
			column[i].Value = c.Transform.apply(column[i].Value)
			known = append(known, column[i].Value)
		}
	}
	if len(known) == 0 {
		p.status[j] = Unknown
		return
	}
	filled, varies := p.fill(column, sample.Median(known))
	switch {
	case !varies:
		p.status[j] = Constant
	case c.Kind == toolPair:
		p.pairs = append(p.pairs, j)
		p.orders = append(p.orders, filled)
	default:
		p.tested = append(p.tested, j)
		p.values = append(p.values, filled)
	}
}

// fill puts medians for unknown values, and says whether a value varies within a
// scenario.
func (p *pool) fill(column []trial.Optional[float64], overall float64) (filled []float64, varies bool) {
	filled = make([]float64, len(column))
	for _, s := range p.strata {
		var known []float64
		for _, x := range column[s.from:s.to] {
			if x.Known {
				known = append(known, x.Value)
			}
		}
		middle := overall
		if len(known) > 0 {
			middle = sample.Median(known)
		}
		for i := s.from; i < s.to; i++ {
			filled[i] = column[i].Or(middle)
			varies = varies || differ(filled[i], filled[s.from])
		}
	}
	return filled, varies
}

// differ says whether two values differ by more than rounding: a share can be summed
// up in several orders. The tolerance is relative; that of 0 is 0.
func differ(a, b float64) bool {
	return math.Abs(a-b) > 1e-12*max(math.Abs(a), math.Abs(b))
}

// transpose turns the columns that were added into rows. Columns are filled in one by one, tests go through
// rows.
func (p *pool) transpose(columns [][]float64) [][]float64 {
	rows := make([][]float64, len(p.vectors))
	for i := range rows {
		rows[i] = make([]float64, len(columns))
		for j, column := range columns {
			rows[i][j] = column[i]
		}
	}
	return rows
}

// standardise centres the values within each scenario, and divides each column by
// the deviation that permutation gives it: in every scenario the trials weigh by how
// evenly they are split.
//
// Where all scenarios are split alike that is the plain deviation within scenarios. It is the same for all
// permutations: only the labels move.
func (p *pool) standardise() {
	d := len(p.tested)
	p.residuals = make([][]float64, len(p.values))
	p.scales = make([]float64, d)
	means := make([]float64, d)
	for _, s := range p.strata {
		clear(means)
		for _, row := range p.values[s.from:s.to] {
			for j, x := range row {
				means[j] += x / float64(s.to-s.from)
			}
		}
		for i := s.from; i < s.to; i++ {
			p.residuals[i] = make([]float64, d)
			for j, x := range p.values[i] {
				r := x - means[j]
				p.residuals[i][j] = r
				p.scales[j] += s.factor() * r * r
			}
		}
		p.spread += s.factor() * float64(s.to-s.from)
	}
	p.spread /= float64(len(p.values))
	// The sums of all columns have the same variance under permutation then, spread times the trials.
	for j := range p.scales {
		p.scales[j] = math.Sqrt(p.scales[j] / (p.spread * float64(len(p.values))))
	}
	for _, row := range p.residuals {
		for j := range row {
			row[j] /= p.scales[j]
		}
	}
}

// poolOfRows is a pool without scenarios, of values that are known and on the scale
// that is tested. It is for simulations, whose rows come from a model and have no columns of their own:
// vectors and the states of columns are left out.
func poolOfRows(baseline, candidate [][]float64) *pool {
	all := slices.Concat(baseline, candidate)
	nb, n, d := len(baseline), len(all), len(all[0])
	p := &pool{strata: []stratum{{"", 0, n, nb, n - nb}}, side: make([]bool, n), values: make([][]float64, n)}
	p.weight = float64(nb) * float64(n-nb) / float64(n)
	for i := range all {
		p.side[i] = i >= nb
	}
	for j := range d {
		// A column may happen to be constant among the rows that were drawn.
		if slices.ContainsFunc(all, func(row []float64) bool { return differ(row[j], all[0][j]) }) {
			p.tested = append(p.tested, j)
		}
	}
	for i, row := range all {
		for _, j := range p.tested {
			p.values[i] = append(p.values[i], row[j])
		}
	}
	p.standardise()
	return p
}

// scenarios counts those within which rows change sides.
func (p *pool) scenarios() int {
	names := make(map[string]bool)
	for _, s := range p.strata {
		names[s.scenario] = true
	}
	return len(names)
}

// weight is that of a stratum's difference of sides, baseline·candidate/rows.
func (s stratum) weight() float64 {
	return float64(s.baseline) * float64(s.candidate) / float64(s.to-s.from)
}

// knows says whether the rows of a stratum know the k-th tested column: all do, or none.
func (p *pool) knows(s stratum, k int) bool {
	return p.vectors == nil || p.vectors[s.from].Values[p.tested[k]].Known
}

// weightOf is the weight of the strata that know the k-th tested column.
func (p *pool) weightOf(k int) (weight float64) {
	for _, s := range p.strata {
		if p.knows(s, k) {
			weight += s.weight()
		}
	}
	return weight
}

// sides counts the rows of each side.
func (p *pool) sides() (baseline, candidate int) {
	for _, s := range p.strata {
		baseline += s.baseline
		candidate += s.candidate
	}
	return baseline, candidate
}

// freedom is the number of independent directions among the trials' residuals.
func (p *pool) freedom() int { return len(p.values) - len(p.strata) }

// byValue orders numbers; there is no NaN among those of a pool.
func byValue(a, b float64) int { return cmp.Compare(a, b) }
