package fingerprint

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// features are what the test looks at beside the means of the columns: how they spread, how they go together,
// in which order tools are called, what happens in one scenario alone, and the whole distribution at once. Each is
// a number of a trial, so that what a relabeling makes of it is a sum over the picked side. None depends on the
// sides.
type features struct {
	rows   [][]float64 // a row a trial; those of one group stand together
	groups []featureGroup

	kernel   *sumOfSquares // of the last features, which are those of the kernel; nil: there are none
	smooth   int           // where those of the kernel begin
	single   *largestSum   // of the columns; nil: there is no reference
	perGroup *scenarioSums // nil: one scenario alone
}

// featureGroup are features of one kind, of which the largest counts.
type featureGroup struct {
	from, to int
	largest  *largestSum
}

// How the level is shared: the probability of the largest of a group is multiplied by the number
// of its features and by such a factor, that of the kernel by its own. They are chosen, so that the means of the
// columns keep most of the level: what the features are for is mostly plain to see, once it is looked at. The level
// is that of the permutations whatever they are.
const (
	spreadFactor   = 10
	productFactor  = 20
	pairFactor     = 20
	shapeFactor    = 20
	scenarioFactor = 1
	kernelFactor   = 20
)

// Bounds of what is computed, all chosen: how many columns have products, how many features the kernel has, and how
// far from its mean a value counts, in standard deviations.
const (
	mostProducts   = 12
	kernelFeatures = 32
	farthest       = 4
)

// newFeatures computes the features of a pool.
func newFeatures(p *pool, columns []int, single *largestSum) *features {
	n, d := len(p.values), len(p.tested)
	f := &features{rows: make([][]float64, n), single: single}
	clipped := make([][]float64, n)
	for i, row := range p.residuals {
		clipped[i] = make([]float64, d)
		for j, x := range row {
			clipped[i][j] = math.Max(-farthest, math.Min(farthest, x))
		}
	}
	// Spreads and pairs come first: they have adjusted p-values.
	f.group(p, spreadFactor, d, func(row, k int) float64 { return math.Abs(clipped[row][k]) })
	f.group(p, pairFactor, len(p.pairs), func(row, k int) float64 { return p.orders[row][k] })
	// How many trials lie near the mean: two clusters and one have the same spread, and not the same middle.
	f.group(p, shapeFactor, d, func(row, k int) float64 { return math.Exp(-2 * clipped[row][k] * clipped[row][k]) })
	var products [][2]int
	for a := range columns {
		for b := range a {
			products = append(products, [2]int{columns[a], columns[b]})
		}
	}
	f.group(p, productFactor, len(products), func(row, k int) float64 {
		return clipped[row][products[k][0]] * clipped[row][products[k][1]]
	})
	f.addKernel(p, clipped)
	f.perGroup = newScenarioSums(p)
	return f
}

// productColumns are the tested columns whose products are looked at: those that are measured, and where there are
// none the first of all.
func productColumns(p *pool, columns []Column) (list []int) {
	for k, j := range p.tested {
		if columns == nil {
			list = append(list, k)
			continue
		}
		switch columns[j].Kind {
		case ToolCalls, otherToolCalls, actionSteps, otherActionSteps:
		default:
			list = append(list, k)
		}
	}
	return list[:min(len(list), mostProducts)]
}

// group adds features, centred within strata and scaled so that the sums of all have the same variance under
// permutation, that of the columns' sums. One that does not vary stays 0.
func (f *features) group(p *pool, factor float64, count int, value func(row, k int) float64) {
	from := len(f.rows[0])
	f.append(p, count, value)
	for k := from; k < from+count; k++ {
		total := 0.0
		for _, s := range p.strata {
			for i := s.from; i < s.to; i++ {
				total += s.factor() * f.rows[i][k] * f.rows[i][k]
			}
		}
		scale := 0.0
		// Below that there is nothing but rounding.
		if total > 1e-18*float64(len(p.values)) {
			scale = math.Sqrt(p.spread * float64(len(p.values)) / total)
		}
		for i := range f.rows {
			f.rows[i][k] *= scale
		}
	}
	if f.single == nil || count == 0 {
		return
	}
	// The sums vary as those of the columns do.
	largest := *f.single
	largest.logMultiplicity = math.Log(factor * float64(count))
	f.groups = append(f.groups, featureGroup{from, from + count, &largest})
}

// append adds features that are centred within strata.
func (f *features) append(p *pool, count int, value func(row, k int) float64) {
	means := make([]float64, count)
	for _, s := range p.strata {
		clear(means)
		for i := s.from; i < s.to; i++ {
			for k := range means {
				means[k] += value(i, k) / float64(s.to-s.from)
			}
		}
		for i := s.from; i < s.to; i++ {
			for k, mean := range means {
				f.rows[i] = append(f.rows[i], value(i, k)-mean)
			}
		}
	}
}

// addKernel adds random Fourier features of a Gaussian kernel (Rahimi and Recht 2007): the squared length of their
// sums is the maximum mean discrepancy of the sides (Gretton et al. 2012, Journal of Machine Learning
// Research 13:723), within scenarios. The width of the kernel is the median distance of trials, and the directions are
// the same for all samples.
func (f *features) addKernel(p *pool, clipped [][]float64) {
	f.smooth = len(f.rows[0])
	width := medianDistance(clipped)
	if width == 0 || p.freedom() < 3 {
		return
	}
	d := len(p.tested)
	random := seeded.Stream(0, 0)
	weights := make([]float64, kernelFeatures*d)
	phases := make([]float64, kernelFeatures)
	for k := range phases {
		phases[k] = 2 * math.Pi * random.Float64()
		for j := range d {
			weights[k*d+j] = random.NormFloat64() / width
		}
	}
	f.append(p, kernelFeatures, func(row, k int) float64 {
		return math.Cos(floats.Dot(weights[k*d:(k+1)*d], clipped[row]) + phases[k])
	})
	x := mat.NewDense(len(p.values), kernelFeatures, nil)
	for _, s := range p.strata {
		weight := math.Sqrt(s.factor() / p.spread)
		for i := s.from; i < s.to; i++ {
			for k, value := range f.rows[i][f.smooth:] {
				x.Set(i, k, weight*value)
			}
		}
	}
	covariance := mat.NewSymDense(kernelFeatures, nil)
	covariance.SymOuterK(1/float64(len(p.values)), x.T())
	f.kernel = newSumOfSquares(covariance, p)
}

// sumOfSquares is the sum of the squares of sums, with a reference distribution under permutation.
type sumOfSquares struct {
	weight float64
	tail   tail
}

// newSumOfSquares has the covariance of what is summed. Its eigenvalues would be the factors of a [quadratic];
// the trace and the norm are what their sum and that of their squares come to. It is nil without variance.
func newSumOfSquares(covariance *mat.SymDense, p *pool) *sumOfSquares {
	norm := mat.Norm(covariance, 2) // Frobenius's, at least the largest eigenvalue
	if norm == 0 {
		return nil
	}
	m := float64(p.freedom())
	sum := mat.Trace(covariance) / norm
	mean := sum / m
	variance := 2 * (m - sum*sum) / (m * m * (m + 2))
	size := mean*(1-mean)/variance - 1
	return &sumOfSquares{
		weight: 1 / (norm * p.spread * float64(len(p.values)) * m),
		tail:   newTail(mean*size, (1-mean)*size),
	}
}

// medianDistance is the median of the distances of up to a few thousand pairs of rows, by a rule that
// no label enters: row i and the one so many further on, for several distances apart.
func medianDistance(rows [][]float64) float64 {
	var distances []float64
	for apart := 1; apart < len(rows) && len(distances) < 4000; apart = apart*2 + 1 {
		for i := 0; i+apart < len(rows) && len(distances) < 4000; i++ {
			if x := floats.Distance(rows[i], rows[i+apart], 2); x > 0 {
				distances = append(distances, x)
			}
		}
	}
	if len(distances) == 0 {
		return 0
	}
	return sample.Median(distances)
}

// measure adds up the features of the picked side.
func (f *features) measure(r *permutation, m *look) {
	clear(m.features)
	for k, s := range r.strata {
		for _, row := range r.rows[s.from : s.from+r.picked[k]] {
			floats.Add(m.features, f.rows[row])
		}
	}
	if f.perGroup != nil {
		f.perGroup.measure(r, m)
	}
}

// minusLogP is the largest -log P of the groups, each with its multiplicity.
func (f *features) minusLogP(m *look) float64 {
	highest := math.Inf(-1)
	for _, g := range f.groups {
		highest = max(highest, g.largest.minusLogP(m.features[g.from:g.to]))
	}
	if f.kernel != nil {
		x := floats.Dot(m.features[f.smooth:], m.features[f.smooth:])
		highest = max(highest, f.kernel.tail.minusLogP(f.kernel.weight*x)-math.Log(kernelFactor))
	}
	if f.perGroup != nil {
		highest = max(highest, f.perGroup.minusLogP(m))
	}
	return highest
}

// scenarioSums are sums of the columns in each scenario by itself: what is opposite in two scenarios cancels in the
// sum over all, and what is in one of many drowns in it.
type scenarioSums struct {
	pool       *pool
	scenario   []int     // of each stratum
	variances  []float64 // under permutation, of a scenario and a column
	tails      []tail    // of each scenario
	freedom    []float64
	multiplier float64 // logarithm of the multiplicity
}

// newScenarioSums is nil where there are fewer than two scenarios that allow a test.
func newScenarioSums(p *pool) *scenarioSums {
	d := len(p.tested)
	g := &scenarioSums{pool: p}
	place := make(map[string]int)
	for _, s := range p.strata {
		k, ok := place[s.scenario]
		if !ok {
			k = len(g.freedom)
			place[s.scenario] = k
			g.freedom = append(g.freedom, 0)
			g.variances = append(g.variances, make([]float64, d)...)
		}
		g.scenario = append(g.scenario, k)
		g.freedom[k] += float64(s.to - s.from - 1)
		for i := s.from; i < s.to; i++ {
			for j, x := range p.residuals[i] {
				g.variances[k*d+j] += s.factor() * x * x
			}
		}
	}
	tests := 0
	known := make(map[float64]tail)
	for k, m := range g.freedom {
		t, ok := known[m]
		if !ok && m >= leastFreedom {
			t = newTail(0.5, (m-1)/2)
			known[m] = t
		}
		g.tails = append(g.tails, t)
		for j := range d {
			if v := &g.variances[k*d+j]; m < leastFreedom || !(*v > 1e-9) {
				*v = 0
			} else {
				tests++
			}
		}
	}
	if len(place) < 2 || tests == 0 {
		return nil
	}
	g.multiplier = math.Log(scenarioFactor * float64(tests))
	return g
}

// leastFreedom is how many degrees of freedom a scenario needs to be looked at by itself: with fewer no
// sum of it is rare among those of all scenarios. It is chosen.
const leastFreedom = 5

func (g *scenarioSums) measure(r *permutation, m *look) {
	clear(m.scenarios)
	d := len(g.pool.tested)
	for k, s := range r.strata {
		sums := m.scenarios[g.scenario[k]*d : (g.scenario[k]+1)*d]
		for _, row := range r.rows[s.from : s.from+r.picked[k]] {
			floats.Add(sums, g.pool.residuals[row])
		}
	}
}

func (g *scenarioSums) minusLogP(m *look) float64 {
	d := len(g.pool.tested)
	highest := math.Inf(-1)
	for k, freedom := range g.freedom {
		largest := 0.0
		for j := range d {
			if v := g.variances[k*d+j]; v > 0 {
				x := m.scenarios[k*d+j]
				largest = max(largest, x*x/v)
			}
		}
		if largest > 0 {
			highest = max(highest, g.tails[k].minusLogP(largest/freedom))
		}
	}
	return highest - g.multiplier
}
