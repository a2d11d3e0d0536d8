package detection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// Shift is a change of a simulated system, of whose fourteen columns four
// vary.
type Shift struct {
	Baseline, Candidate int     // trials
	Distance            float64 // Mahalanobis distance of the means
	OneColumn           bool    // the first column alone shifts; false: the direction is drawn anew in every run
	Correlation         float64 // of neighbouring columns
}

// Powers are the shares of the runs in which the tests find a change, all on
// the same trials.
type Powers struct {
	Default   Rate // of all columns
	Shrunk    Rate // the same on the shrunk covariance alone
	Hotelling Rate // of the leading principal components, with F reference
	Reference Rate // plain T² with F reference: on the columns that vary alone

	Difference float64 // Default less Reference, and
	StdErr     float64 // its standard error: the trials are the same
}

// Power measures how often the tests find a shift. The reference knows which
// four columns vary.
func Power(ctx context.Context, shift Shift, o Options) (Powers, error) {
	agent, err := newShiftedAgent(shift.Correlation)
	if err != nil {
		return Powers{}, err
	}
	return measurePower(ctx, o, func(random *rand.Rand) (contest, error) {
		direction := shift.Direction(random)
		draw := func(trials int, by [Varying]float64) *fingerprint.Sample {
			s := new(fingerprint.Sample)
			for range trials {
				s.Add(agent.draw(random, by))
			}
			return s
		}
		baseline, candidate := draw(shift.Baseline, [Varying]float64{}), draw(shift.Candidate, direction)
		// The columns of both sides together, as a comparison makes them.
		v := fingerprint.NewVocabulary(baseline, candidate)
		return contest{
			v.Columns(),
			v.Vectors(baseline), v.Vectors(candidate),
			rowsOfFour(v, baseline), rowsOfFour(v, candidate),
		}, nil
	})
}

// Direction returns the shift of the independent innovations, whose length is the
// Mahalanobis distance.
func (s Shift) Direction(random *rand.Rand) (by [Varying]float64) {
	if s.OneColumn {
		by[0] = s.Distance
		return by
	}
	length := 0.0
	for k := range by {
		by[k] = random.NormFloat64()
		length += by[k] * by[k]
	}
	for k := range by {
		by[k] *= s.Distance / math.Sqrt(length)
	}
	return by
}

// PowerOfOne measures how often the tests find a shift of one of several
// independent normal columns, by so many standard deviations. The reference is T² on
// all of them.
func PowerOfOne(ctx context.Context, columns, trials int, deviations float64, o Options) (Powers, error) {
	names := make([]fingerprint.Column, columns)
	for j := range names {
		names[j].Name = fmt.Sprintf("c%d", j)
	}
	return measurePower(ctx, o, func(random *rand.Rand) (contest, error) {
		c := contest{columns: names}
		draw := func(by float64) (vectors []fingerprint.Vector, rows [][]float64) {
			for range trials {
				v, row := fingerprint.Vector{Values: make([]trial.Optional[float64], columns)}, make([]float64, columns)
				for j := range row {
					row[j] = random.NormFloat64()
					if j == 0 {
						row[j] += by
					}
					v.Values[j] = trial.Some(row[j])
				}
				vectors, rows = append(vectors, v), append(rows, row)
			}
			return vectors, rows
		}
		c.baseline, c.rowsBaseline = draw(0)
		c.candidate, c.rowsCandidate = draw(deviations)
		return c, nil
	})
}

// contest is what the tests of one run are given.
type contest struct {
	columns                     []fingerprint.Column
	baseline, candidate         []fingerprint.Vector
	rowsBaseline, rowsCandidate [][]float64 // for the reference
}

// measurePower lets three tests and the reference compare what is drawn, and counts who finds a
// change. Every run has random numbers of its own, by its number.
func measurePower(ctx context.Context, o Options, draw func(*rand.Rand) (contest, error)) (p Powers, err error) {
	if o, err = o.withDefaults(); err != nil {
		return p, err
	}
	findings := make([][4]finding, o.Runs) // default, shrunk, Hotelling's, the reference's
	err = bench.Repeat(ctx, o.Runs, func(i int) error {
		c, err := draw(seeded.Stream(o.Seed, uint64(i)))
		if err != nil {
			return err
		}
		for k, test := range []fingerprint.Test{fingerprint.PermutationT2, fingerprint.ShrunkT2,
			fingerprint.HotellingT2} {
			compare := o.Compare
			compare.Test, compare.Seed = test, uint64(i)
			// Its p-value is from F and needs no permutations.
			if test == fingerprint.HotellingT2 {
				compare.Permutations = 1
			}
			findings[i][k], err = findingOf(fingerprint.CompareVectors(ctx, c.columns, c.baseline, c.candidate,
				compare))
			if err != nil {
				return err
			}
		}
		h, err := hotelling.Test(c.rowsBaseline, c.rowsCandidate)
		findings[i][3], err = findingOf(&fingerprint.Comparison{Changed: h.P <= o.Compare.Alpha}, err)
		return err
	})
	if err != nil {
		return p, err
	}
	// Runs in which one of the two found the shift: the squares of the differences, each 0 or 1.
	squares := 0.0
	for _, f := range findings {
		for k, rate := range []*Rate{&p.Default, &p.Shrunk, &p.Hotelling, &p.Reference} {
			rate.add(f[k])
		}
		if f[0].found != f[3].found {
			squares++
		}
	}
	n := float64(o.Runs)
	p.Difference = p.Default.Share() - p.Reference.Share()
	// The standard error of paired differences: mean square less squared mean.
	p.StdErr = math.Sqrt((squares/n - p.Difference*p.Difference) / n)
	return p, nil
}

// Distance returns the Mahalanobis distance that T² on so many columns finds
// with the power, by the noncentral F.
func Distance(columns, baseline, candidate int, power, alpha float64) (float64, error) {
	if !(power > alpha && power < 1) {
		return 0, fmt.Errorf("power %v must lie between the level %v and 1", power, alpha)
	}
	// Bisection: power rises with the distance. Sixty halvings leave less than a float64 tells apart.
	low, high := 0.0, 100.0
	for range 60 {
		middle := (low + high) / 2
		at, err := hotelling.Power(columns, baseline, candidate, middle, alpha)
		if err != nil {
			return 0, err
		}
		if at < power {
			low = middle
		} else {
			high = middle
		}
	}
	return high, nil
}
