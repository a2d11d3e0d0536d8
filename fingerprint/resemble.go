package fingerprint

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/stats"
)

// Resemblance says which of several versions a recording behaves most like: the one with the nearest mean, by the
// Mahalanobis distance on the covariance within versions, shrunk after Ledoit and Wolf (linear discriminant analysis).
type Resemblance struct {
	Versions []VersionResemblance `json:"versions"` // in their order
	Nearest  int                  `json:"nearest"`  // place of the version with the least distance

	// Of so many trials of the versions so many are nearest to another version, each left out of the means and of the
	// covariance in turn; scales of columns and the shrinkage are those of all. Interval is Wilson's, of 95 %.
	Tried    int            `json:"tried"`
	Mistaken int            `json:"mistaken"`
	Interval stats.Interval `json:"error_interval"`

	// P is the p-value of [Compare] with the nearest version; Changed is that it is at most Alpha: then the recording is
	// like none of the versions.
	P       float64 `json:"p"`
	Alpha   float64 `json:"alpha"`
	Changed bool    `json:"changed"`
}

// VersionResemblance is how like a version a recording is.
type VersionResemblance struct {
	Distance float64 `json:"distance"` // of the means, in standard deviations of a trial
	Trials   int     `json:"trials"`   // trials of the recording that this version is nearest to
}

// Resemble compares a recording with two versions or more, over the scenarios that all of them tried, on the columns
// that every trial knows. It refuses fewer versions, and fewer than two trials of one, and stops with the cause of the
// context's end.
func Resemble(ctx context.Context, recording *Sample, versions []*Sample, o Options) (*Resemblance, error) {
	if len(versions) < 2 {
		return nil, argument.Wrong("versions", len(versions), "must be at least 2")
	}
	classes, err := resemblanceRows(append(append([]*Sample{}, versions...), recording), o)
	if err != nil {
		return nil, err
	}
	r, err := discriminate(ctx, classes[:len(versions)], classes[len(versions)])
	if err != nil {
		return nil, err
	}
	c, err := Compare(ctx, versions[r.Nearest], recording, o)
	if err != nil {
		return nil, err
	}
	r.P, r.Alpha, r.Changed = c.P, c.Alpha, c.Changed
	return r, nil
}

// resemblanceRows are the rows of each sample, the recording last: each column less its mean in the scenario, and over
// its deviation there, both of the versions.
func resemblanceRows(samples []*Sample, o Options) ([][][]float64, error) {
	words := NewVocabulary(samples...)
	columns, tried := words.Columns(), map[string]int{}
	kept := make([][]Vector, len(samples))
	for i, s := range samples {
		kept[i] = words.Vectors(s)
		for j := range kept[i] {
			if o.Pooled {
				kept[i][j].Scenario = ""
			}
			if name := kept[i][j].Scenario; tried[name] == i {
				tried[name]++
			}
		}
	}
	known := make([]bool, len(columns))
	for j, c := range columns {
		known[j] = c.Kind != duration || o.IncludeDuration
	}
	means, count := map[string][]float64{}, map[string]float64{}
	for i := range kept {
		var shared []Vector
		for _, v := range kept[i] {
			if tried[v.Scenario] < len(samples) {
				continue
			}
			shared = append(shared, v)
			if means[v.Scenario] == nil {
				means[v.Scenario] = make([]float64, len(columns))
			}
			for j, x := range v.Values {
				known[j] = known[j] && x.Known
				if i < len(samples)-1 {
					means[v.Scenario][j] += columns[j].Transform.apply(x.Value)
				}
			}
			if i < len(samples)-1 {
				count[v.Scenario]++
			}
		}
		if kept[i] = shared; len(shared) == 0 {
			return nil, fmt.Errorf("%w: none was tried by all versions and the recording", ErrNoSharedScenario)
		}
	}
	rows, squares, trials := make([][][]float64, len(samples)), make([]float64, len(columns)), 0.0
	for i, vectors := range kept {
		for _, v := range vectors {
			row := make([]float64, len(columns))
			for j, x := range v.Values {
				row[j] = columns[j].Transform.apply(x.Value) - means[v.Scenario][j]/count[v.Scenario]
				if i < len(samples)-1 {
					squares[j] += row[j] * row[j]
				}
			}
			rows[i] = append(rows[i], row)
		}
		if i < len(samples)-1 {
			trials += float64(len(vectors))
		}
	}
	for i := range rows {
		for k, row := range rows[i] {
			var scaled []float64
			for j, x := range row {
				if sd := math.Sqrt(squares[j] / trials); known[j] && sd > 1e-9 {
					scaled = append(scaled, x/sd)
				}
			}
			rows[i][k] = scaled
		}
	}
	if len(rows[0][0]) == 0 {
		return nil, fmt.Errorf("%w: no column that is known in all trials varies", ErrTooFewTrials)
	}
	return rows, nil
}

// leastShrinkage keeps the covariance of few trials from having directions without variance. It is chosen.
const leastShrinkage = 0.01

// mostLeftOut is how many trials are left out in turn, evenly over the versions. It is chosen: some seconds.
const mostLeftOut = 5000

// discriminate is a [Resemblance] of rows of one length, without its test.
func discriminate(ctx context.Context, versions [][][]float64, recording [][]float64) (*Resemblance, error) {
	d, n := len(recording[0]), 0
	means := make([]*mat.VecDense, len(versions))
	var residuals [][]float64
	for c, rows := range versions {
		if len(rows) < 2 {
			return nil, fmt.Errorf("%w: a version has %d", ErrTooFewTrials, len(rows))
		}
		means[c] = meanRow(rows, d)
		for _, row := range rows {
			r := mat.NewVecDense(d, nil)
			r.SubVec(mat.NewVecDense(d, row), means[c])
			residuals = append(residuals, r.RawVector().Data)
		}
		n += len(rows)
	}
	within := shrink(matrix(residuals))
	within.intensity = max(within.intensity, leastShrinkage)
	if within.scale == 0 {
		within.scale, within.intensity = 1, 1 // no version varies: the columns count alike
	}
	all, err := within.inverse(1, nil)
	if err != nil {
		return nil, err
	}
	r := &Resemblance{Versions: make([]VersionResemblance, len(versions))}
	var distances []float64
	r.Nearest, distances = nearestMean(meanRow(recording, d), means, all)
	for c, x := range distances {
		r.Versions[c].Distance = x
	}
	for _, row := range recording {
		c, _ := nearestMean(mat.NewVecDense(d, row), means, all)
		r.Versions[c].Trials++
	}
	step := (n + mostLeftOut - 1) / mostLeftOut
	at := 0
	for c, rows := range versions {
		size, whole := float64(len(rows)), means[c]
		for _, row := range rows {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			if at++; at%step != 0 {
				continue
			}
			x, left := mat.NewVecDense(d, row), mat.NewVecDense(d, nil)
			left.ScaleVec(size/(size-1), whole)
			left.AddScaledVec(left, -1/(size-1), x)
			// Without the row the sum of squares lacks size/(size-1) of that of its residual.
			residual := mat.NewVecDense(d, residuals[at-1])
			without, err := within.inverse(float64(n)/float64(n-1), func(s *mat.SymDense) {
				s.SymRankOne(s, -size/(size-1)/float64(n-1), residual)
			})
			if err != nil {
				return nil, err
			}
			means[c] = left
			if found, _ := nearestMean(x, means, without); found != c {
				r.Mistaken++
			}
			means[c] = whole
			r.Tried++
		}
	}
	r.Interval, err = stats.Wilson(stats.Counts{Passes: r.Mistaken, Trials: r.Tried}, 0.05)
	return r, err
}

// inverse factors the shrunk covariance, after its sum of squares was scaled and changed.
func (s shrinkage) inverse(factor float64, change func(*mat.SymDense)) (*mat.Cholesky, error) {
	d := s.covariance.SymmetricDim()
	sum := mat.NewSymDense(d, nil)
	sum.ScaleSym(factor, s.covariance)
	if change != nil {
		change(sum)
	}
	sum.ScaleSym(1-s.intensity, sum)
	for j := range d {
		sum.SetSym(j, j, sum.At(j, j)+s.intensity*s.scale)
	}
	var c mat.Cholesky
	if !c.Factorize(sum) {
		return nil, fmt.Errorf("%w: the covariance within versions cannot be inverted", ErrTooFewTrials)
	}
	return &c, nil
}

// meanRow is the mean of rows.
func meanRow(rows [][]float64, d int) *mat.VecDense {
	mean := mat.NewVecDense(d, nil)
	for _, row := range rows {
		mean.AddScaledVec(mean, 1/float64(len(rows)), mat.NewVecDense(d, row))
	}
	return mean
}

// nearestMean is the place of the nearest mean, the first of several, and the distances from all.
func nearestMean(x *mat.VecDense, means []*mat.VecDense, within *mat.Cholesky) (nearest int, distances []float64) {
	for c, mean := range means {
		distances = append(distances, stat.Mahalanobis(x, mean, within))
		if distances[c] < distances[nearest] {
			nearest = c
		}
	}
	return nearest, distances
}
