package fingerprint

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/spread"
)

// model draws vectors like those of the calibration trials.
//
// Drawing whole rows with replacement (the bootstrap of Efron 1979) keeps what columns have to do with each
// other, and their tails, which a normal model would lose.
type model struct {
	columns  []Column    // that vary
	rows     [][]float64 // standardised, centred within scenarios, with the spread of single trials
	axes     axes        // of the rows' covariance
	shift    []float64   // by column, in units of the rows; nil: of the distance, in random directions
	distance float64     // Mahalanobis distance of the shift
	variance float64     // total, of the calibration vectors as tested
	warnings []Warning
}

// newModel makes a model of calibration vectors. An error says that they do not vary, that the options name
// a shift of no such column, or that the axes cannot be computed.
func newModel(columns []Column, calibration []Vector, o BudgetOptions) (*model, error) {
	p, err := calibrate(columns, calibration, o.Options)
	if err != nil {
		return nil, err
	}
	m := &model{warnings: p.warnings}
	if len(p.tested) == 0 {
		return nil, argument.Wrong("calibration trials", len(p.values),
			"do not vary in any column within their scenarios: every difference is found at once")
	}
	// A column that does not vary has no deviation to measure a shift by: it is left out, as a comparison
	// leaves it out.
	position := make(map[string]int)
	for k, j := range p.tested {
		position[columns[j].Name] = k
		// The rows are transformed already.
		m.columns = append(m.columns, Column{Name: columns[j].Name, Kind: columns[j].Kind})
	}
	m.rows, m.variance = singleTrials(p)
	if err := m.setShift(position, o); err != nil {
		return nil, err
	}
	return m, nil
}

// singleTrials returns the trials of a pool as rows that are centred within their
// scenarios and vary as single trials do, each column with variance 1, and the total
// variance of the values before. Residuals of a scenario with n trials vary less than
// the trials by the factor (n-1)/n, which is made up for.
func singleTrials(p *pool) (rows [][]float64, total float64) {
	d := len(p.tested)
	variances := make([]float64, d) // per degree of freedom, of the values
	for _, s := range p.strata {
		n := float64(s.to - s.from)
		for i := s.from; i < s.to; i++ {
			row := make([]float64, d)
			for j := range row {
				// Residuals are in units of the pool's scale: multiplied, they are values again.
				r := p.residuals[i][j] * p.scales[j]
				variances[j] += r * r / float64(p.freedom())
				row[j] = r * math.Sqrt(n/(n-1))
			}
			rows = append(rows, row)
		}
	}
	// Columns of variance 1, so that a shift in deviations is a shift of the row.
	for j, v := range variances {
		total += v
		for _, row := range rows {
			row[j] /= math.Sqrt(v)
		}
	}
	return rows, total
}

// setShift fills in the axes, the distance, and the shift if the options name one. The
// position is that of a column among those that vary, by its name. Its Mahalanobis length is taken along
// the axes: Σ along²/variance over those that carry variance.
func (m *model) setShift(position map[string]int, o BudgetOptions) error {
	a, ok := principal(shrink(matrix(m.rows)).covariance)
	if !ok {
		return fmt.Errorf("principal axes of %d columns: the decomposition does not converge", len(m.columns))
	}
	m.axes = a
	m.distance = o.Distance
	if len(o.Shift) == 0 {
		return nil
	}
	m.shift = make([]float64, len(m.columns))
	for name, by := range o.Shift {
		k, ok := position[name]
		switch {
		case !ok:
			return argument.Wrong("shift of", name, "is not of a column that varies between the calibration trials, which are "+
				m.names())
		case math.IsNaN(by) || math.IsInf(by, 0):
			return argument.Wrong("shift of "+name, by, "must be a finite number")
		}
		m.shift[k] = by
	}
	squared := 0.0
	for k := range a.rank() {
		along := 0.0
		for j, by := range m.shift {
			along += by * a.vectors.At(j, k)
		}
		squared += along * along / a.variances[k]
	}
	// A shift along axes without variance alone is one that no distance measures.
	if squared == 0 {
		return argument.Wrong("shift", o.Shift, "must not be 0")
	}
	length := math.Sqrt(squared)
	if o.Distance == 0 {
		m.distance = length
		return nil
	}
	for j := range m.shift {
		m.shift[j] *= o.Distance / length
	}
	return nil
}

// mostNames is how many columns an error lists. It is chosen.
const mostNames = 20

// names lists the columns that vary.
func (m *model) names() string {
	var names []string
	for _, c := range m.columns {
		names = append(names, c.Name)
	}
	return prose.Some(names, mostNames)
}

// direction draws a shift of the distance, uniform on the ellipsoid of the
// covariance.
//
// Normal coordinates, divided by their length, are uniform on the sphere (Muller 1959); times the
// deviations along the axes they are on the ellipsoid.
func (m *model) direction(random *rand.Rand) []float64 {
	shift := make([]float64, len(m.columns))
	rank := m.axes.rank()
	coordinates := make([]float64, rank)
	length := 0.0
	for k := range coordinates {
		coordinates[k] = random.NormFloat64()
		length += coordinates[k] * coordinates[k]
	}
	for k, c := range coordinates {
		c *= m.distance / math.Sqrt(length) * math.Sqrt(m.axes.variances[k])
		for j := range shift {
			shift[j] += c * m.axes.vectors.At(j, k)
		}
	}
	return shift
}

// power returns the share of the simulations that find the shift with n trials a
// side. Each has a seed of its own, so that it does not matter how many run at once.
func (m *model) power(ctx context.Context, n int, o BudgetOptions) (float64, error) {
	var found atomic.Int64
	spread.Over(o.Simulations, func(i int) {
		if ctx.Err() == nil && m.simulate(ctx, n, o, uint64(i)) {
			found.Add(1)
		}
	})
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return float64(found.Load()) / float64(o.Simulations), nil
}

// simulate draws n trials a side, shifts the candidate's and runs the planned test: it
// reports whether that found the shift.
//
// The test runs as a comparison would, with its own permutations. What cannot be tested, for nothing
// varies, counts as not found.
func (m *model) simulate(ctx context.Context, n int, o BudgetOptions, simulation uint64) bool {
	random := seeded.Stream(o.Seed, simulation+1)
	shift := m.shift
	if shift == nil {
		shift = m.direction(random)
	}
	// Drawn in pairs, so that more trials add to those that fewer would draw.
	sides := [2][][]float64{make([][]float64, n), make([][]float64, n)}
	for i := range n {
		sides[0][i] = slices.Clone(m.rows[random.IntN(len(m.rows))])
		sides[1][i] = slices.Clone(m.rows[random.IntN(len(m.rows))])
		for j, by := range shift {
			sides[1][i][j] += by
		}
	}
	p := poolOfRows(sides[0], sides[1])
	if len(p.tested) == 0 {
		return false
	}
	if o.Test == HotellingT2 {
		h, _, err := p.hotelling(o.Explained)
		return err == nil && h.P <= o.Alpha // with too few trials it finds nothing
	}
	t, ok := newPermutationTest(p, m.columns, o.Test, o.Alpha)
	if !ok {
		return false
	}
	result, err := t.run(ctx, o.Alpha, o.Permutations, random)
	return err == nil && result.p <= o.Alpha
}
