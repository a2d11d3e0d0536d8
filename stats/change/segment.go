package change

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// Segmentation is a series of runs, divided where it changes.
type Segmentation struct {
	Segments []Segment     // in the order of time; they cover the series, and there is one at least
	Changes  []ChangePoint // between one segment and the next
	Alpha    float64       // of the options, or its default
	Unit     Unit
	// Permutations and Seed are those of the tests.
	Permutations int
	Seed         uint64
	// Step is how many runs lie between two places that were looked at: 1 for up to 1,000 runs.
	Step int
}

// Segment is a part of the series in which no change was found.
type Segment struct {
	From, To int     // its runs From..To-1, counted from 0
	Trials   int     // of these runs
	Mean     float64 // of the trials: the pass rate, for counts
	// Interval is that of the mean at the level 1-Alpha: Clopper-Pearson or [sample.MeanInterval] of trials;
	// [stats.ClusteredRate] or the interval of the runs' means where the unit is runs. Nil where there is none, as
	// of values that are all equal. It is as if the ends of the segment had been known beforehand.
	Interval *stats.Interval
}

// ChangePoint is a place where the series changes.
type ChangePoint struct {
	At int // the first run after the change, counted from 0: the place that explains the trials best
	// Earliest and Latest are the first and last such place that is not ruled out at the level Alpha.
	Earliest, Latest int
	P                float64 // of the test that found it
	Level            float64 // that P was held against: the part of Alpha that the tested stretch had
	Difference       float64 // mean of the segment after it less that of the segment before
}

// Segments divides runs, in the order of time, where their pass rate changes: binary segmentation (Scott and Knott
// 1974, Biometrics 30:507; Vostrikova 1981) by permutation tests. Of all places the one with the largest
// likelihood ratio of two rates against one is taken, and the ratio is compared with the largest in the same trials
// in other orders (Besag and Clifford 1991 for ending early). H0: the trials of the stretch, or its runs, are
// exchangeable. The first test has the level Alpha, and those of the two parts the shares of it that they have of
// the trials: any change is found in a series that has none with the probability Alpha at most, exactly, whatever the
// rate and however many trials the runs have. Tests of parts begin and end where the trials say, so that for a
// series that has a change the same holds of its quiet parts nearly, not exactly.
//
// Earliest and Latest invert the test "the change is here, and nowhere else in this stretch", by permutations within
// both sides, from the estimated place outwards until five places in a row are ruled out.
//
// Runs without trials may be there. Series without a trial, counts that are not valid and, for the unit Trials,
// more than 1,048,576 trials give a [stats.ArgumentError]. The end of the context ends it with its cause.
func Segments(ctx context.Context, runs []stats.Counts, o SegmentOptions) (*Segmentation, error) {
	s := series{kind: rates, sums: make([]float64, len(runs)), sizes: make([]int, len(runs))}
	for i, c := range runs {
		if err := c.Validate(); err != nil {
			return nil, fmt.Errorf("run %d: %w", i, err)
		}
		s.sums[i], s.sizes[i] = float64(c.Passes), c.Trials
	}
	return s.divide(ctx, o, func(g *Segment, o SegmentOptions) {
		var sum stats.Counts
		for _, c := range runs[g.From:g.To] {
			sum.Passes, sum.Trials = sum.Passes+c.Passes, sum.Trials+c.Trials
		}
		interval, err := stats.ClopperPearson(sum, o.Alpha)
		if o.Unit == Runs {
			interval, err = stats.ClusteredRate(runs[g.From:g.To], o.Alpha)
		}
		if err == nil {
			g.Interval = &interval
		}
	})
}

// SegmentMeans is [Segments] for the mean of a number, such as cost, turns or the distance to a fingerprint: runs
// hold the values of their trials. The statistic is the sum of squares between two sides; its level holds for any
// distribution, but of heavy tails it sees large changes alone. NaN and infinities are refused.
func SegmentMeans(ctx context.Context, runs [][]float64, o SegmentOptions) (*Segmentation, error) {
	s := series{kind: means, sums: make([]float64, len(runs)), sizes: make([]int, len(runs)), values: runs}
	for i, values := range runs {
		for _, x := range values {
			if math.IsNaN(x) || math.Abs(x) > mostValue {
				return nil, fmt.Errorf("run %d: %w", i, argument.Wrong("value", x, fmt.Sprintf("must lie within ±%g", mostValue)))
			}
		}
		s.sums[i], s.sizes[i] = sample.Sum(values), len(values)
	}
	return s.divide(ctx, o, func(g *Segment, o SegmentOptions) {
		var values []float64
		for i := g.From; i < g.To; i++ {
			switch {
			case o.Unit == Trials:
				values = append(values, runs[i]...)
			case len(runs[i]) > 0:
				values = append(values, sample.Mean(runs[i]))
			}
		}
		if interval, err := sample.MeanInterval(values, o.Alpha); err == nil {
			g.Interval = &interval
		}
	})
}

// mostValue bounds values so that sums of squares are finite.
const mostValue = 1e120

// divide finds the changes and describes the segments between them.
func (s *series) divide(
	ctx context.Context, o SegmentOptions, describe func(*Segment, SegmentOptions),
) (*Segmentation, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := s.prepare(o); err != nil {
		return nil, err
	}
	found := &Segmentation{Alpha: o.Alpha, Unit: o.Unit, Permutations: o.Permutations, Seed: o.Seed, Step: s.step}
	if err := s.search(ctx, 0, len(s.sizes), found); err != nil {
		return nil, err
	}
	slices.SortFunc(found.Changes, func(a, b ChangePoint) int { return a.At - b.At })
	from := 0
	for i := range len(found.Changes) + 1 {
		g := Segment{From: from, To: len(s.sizes)}
		if i < len(found.Changes) {
			g.To = found.Changes[i].At
		}
		var sum float64
		sum, g.Trials = s.total(g.From, g.To)
		g.Mean = s.middle + sum/float64(g.Trials)
		describe(&g, o)
		found.Segments = append(found.Segments, g)
		from = g.To
	}
	for i := range found.Changes {
		found.Changes[i].Difference = found.Segments[i+1].Mean - found.Segments[i].Mean
	}
	return found, nil
}

// search looks for a change in the runs from..to-1, and then in both sides of it.
func (s *series) search(ctx context.Context, from, to int, found *Segmentation) error {
	if to-from < 2 {
		return nil
	}
	_, trials := s.total(from, to)
	level := s.options.Alpha * float64(trials) / float64(s.trials)
	t := s.stretch(from, to)
	p, err := t.test(ctx, level)
	if err != nil || p > level {
		return err
	}
	c := ChangePoint{At: t.best, P: p, Level: level}
	if c.Earliest, c.Latest, err = t.places(ctx); err != nil {
		return err
	}
	found.Changes = append(found.Changes, c)
	if err := s.search(ctx, from, c.At, found); err != nil {
		return err
	}
	return s.search(ctx, c.At, to, found)
}
