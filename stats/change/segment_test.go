package change

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
)

// The annual flow of the Nile at Aswan, 1871 to 1970, in 10⁸ m³ (Cobb 1978, Biometrika 65:243): it changed after 1898,
// from a mean of 1097.75 to one of 849.97.
var nile = []float64{1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180,
	799,
	958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050,
	969, 831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759, 781, 865,
	845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890, 744, 749, 838, 1050, 918,
	986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740}

func TestSegmentMeansFindsTheNile(t *testing.T) {
	runs := make([][]float64, len(nile))
	for i, x := range nile {
		runs[i] = []float64{x}
	}
	for _, unit := range []Unit{Trials, Runs} {
		found, err := SegmentMeans(context.Background(), runs, SegmentOptions{Unit: unit, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Changes) != 1 || found.Changes[0].At != 1899-1871 || found.Changes[0].P != 0.001 {
			t.Fatalf("%v: changes %+v, want one at 28", unit, found.Changes)
		}
		// Cobb's conditional distribution has nine tenths within 1897 to 1900.
		if c := found.Changes[0]; c.Earliest > 28 || c.Earliest < 22 || c.Latest < 28 || c.Latest > 33 {
			t.Errorf("%v: places %d to %d", unit, c.Earliest, c.Latest)
		}
		for i, want := range []float64{1097.75, 849.9722} {
			g := found.Segments[i]
			if math.Abs(g.Mean-want) > 1e-3 || g.Interval == nil || !g.Interval.Contains(want) {
				t.Errorf("%v: segment %+v, want a mean of %v", unit, g, want)
			}
		}
	}
}

// naiveGain is the largest likelihood ratio, term by term.
func naiveGain(passes, trials []int) float64 {
	statistic := func(k, n int) float64 {
		sum := 0.0
		if k > 0 {
			sum += float64(k) * math.Log(float64(k)/float64(n))
		}
		if k < n {
			sum += float64(n-k) * math.Log(float64(n-k)/float64(n))
		}
		return sum
	}
	most := math.Inf(-1)
	for cut := 1; cut < len(passes); cut++ {
		var k, n [3]int
		for i := range passes {
			side := 0
			if i >= cut {
				side = 1
			}
			k[side] += passes[i]
			n[side] += trials[i]
		}
		most = max(most, statistic(k[0], n[0])+statistic(k[1], n[1])-statistic(k[0]+k[1], n[0]+n[1]))
	}
	return most
}

// exactP goes through every way to hand the passes out to the trials.
func exactP(runs []stats.Counts) float64 {
	var passes, trials, members []int
	left := 0
	for i, c := range runs {
		passes, trials = append(passes, c.Passes), append(trials, c.Trials)
		left += c.Passes
		for range c.Trials {
			members = append(members, i)
		}
	}
	observed := naiveGain(passes, trials)
	hits, all := 0, 0
	for set := range 1 << len(members) {
		sums := make([]int, len(runs))
		n := 0
		for i := range members {
			if set>>i&1 == 1 {
				sums[members[i]]++
				n++
			}
		}
		if n != left {
			continue
		}
		all++
		if naiveGain(sums, trials) >= observed*(1-1e-9) {
			hits++
		}
	}
	return float64(hits) / float64(all)
}

func TestSegmentsAgreesWithAllOrders(t *testing.T) {
	for _, runs := range [][]stats.Counts{
		{{Passes: 3, Trials: 3}, {Passes: 4, Trials: 5}, {Passes: 1, Trials: 4}, {Passes: 1, Trials: 3}},
		{{Passes: 0, Trials: 2}, {Passes: 0, Trials: 6}, {Passes: 2, Trials: 3}, {Passes: 1, Trials: 4}},
	} {
		want := exactP(runs)
		// At a level near 1 no test ends early.
		found, err := Segments(context.Background(), runs, SegmentOptions{Alpha: 0.9999, Permutations: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for _, c := range found.Changes {
			if c.Level == 0.9999 {
				got = c.P
			}
		}
		if limit := 4 * math.Sqrt(want*(1-want)/20_000); math.Abs(got-want) > limit+1e-4 {
			t.Errorf("%v: p %v, of all orders %v", runs, got, want)
		}
	}
}

// drawn returns runs of trials whose pass rate is that of the place.
func drawn(random *rand.Rand, sizes []int, rate func(run int) float64) []stats.Counts {
	runs := make([]stats.Counts, len(sizes))
	for i, n := range sizes {
		runs[i].Trials = n
		for range n {
			if random.Float64() < rate(i) {
				runs[i].Passes++
			}
		}
	}
	return runs
}

// Of 1,000 quiet series 5 % have a change found, plus three standard errors; of series with a change the place is
// among the possible ones in 95 %.
func TestSegmentsKeepsItsErrors(t *testing.T) {
	series := thorough.Draws(100, 500)
	sizes := []int{20, 5, 30, 0, 20, 20, 1, 40, 20, 20, 10, 20}
	for _, unit := range []Unit{Trials, Runs} {
		random, alarms, seen, covered := seeded.Stream(7, uint64(unit)), 0, 0, 0
		for k := range series {
			o := SegmentOptions{Unit: unit, Permutations: 99, Seed: uint64(k)}
			quiet, err := Segments(context.Background(), drawn(random, sizes, func(int) float64 { return 0.85 }), o)
			if err != nil {
				t.Fatal(err)
			}
			if len(quiet.Changes) > 0 {
				alarms++
			}
			changed, err := Segments(context.Background(), drawn(random, sizes, func(run int) float64 {
				if run < 5 {
					return 0.95
				}
				return 0.65
			}), o)
			if err != nil {
				t.Fatal(err)
			}
			if len(changed.Changes) != 1 {
				continue
			}
			seen++
			if c := changed.Changes[0]; c.Earliest <= 5 && 5 <= c.Latest {
				covered++
			}
		}
		if limit := 0.05 + 3*math.Sqrt(0.05*0.95/float64(series)); float64(alarms)/float64(series) > limit {
			t.Errorf("%v: %d of %d quiet series", unit, alarms, series)
		}
		if seen < series/3 {
			t.Errorf("%v: one change found in %d of %d series", unit, seen, series)
		}
		if share := float64(covered) / float64(seen); share < 0.95-3*math.Sqrt(0.05*0.95/float64(seen)) {
			t.Errorf("%v: the place is among those that are left in %.3f", unit, share)
		}
	}
}

func TestSegmentsFindsEveryChange(t *testing.T) {
	sizes := make([]int, 2400) // more than are looked at one by one
	for i := range sizes {
		sizes[i] = 5
	}
	runs := drawn(seeded.Stream(3, 0), sizes, func(run int) float64 {
		switch {
		case run < 900:
			return 0.9
		case run < 1500:
			return 0.6
		}
		return 0.8
	})
	found, err := Segments(context.Background(), runs, SegmentOptions{Permutations: 199})
	if err != nil {
		t.Fatal(err)
	}
	if found.Step != 3 || len(found.Changes) != 2 {
		t.Fatalf("step %d, changes %+v", found.Step, found.Changes)
	}
	for i, want := range []int{900, 1500} {
		if c := found.Changes[i]; c.Earliest > want || c.Latest < want || c.Latest-c.Earliest > 120 {
			t.Errorf("change %+v, want one at %d", c, want)
		}
	}
}

func TestSegmentsRefuses(t *testing.T) {
	for name, err := range map[string]error{
		"none":    segmentsError(nil, SegmentOptions{}),
		"empty":   segmentsError([]stats.Counts{{}, {}}, SegmentOptions{}),
		"counts":  segmentsError([]stats.Counts{{Passes: 2, Trials: 1}}, SegmentOptions{}),
		"alpha":   segmentsError([]stats.Counts{{Passes: 1, Trials: 1}}, SegmentOptions{Alpha: 1}),
		"orders":  segmentsError([]stats.Counts{{Passes: 1, Trials: 1}}, SegmentOptions{Permutations: -1}),
		"unit":    segmentsError([]stats.Counts{{Passes: 1, Trials: 1}}, SegmentOptions{Unit: 9}),
		"trials":  segmentsError([]stats.Counts{{Trials: maxSegmentTrials}, {Trials: 1}}, SegmentOptions{}),
		"numbers": meansError([][]float64{{1}, {math.NaN()}}),
		"large":   meansError([][]float64{{1}, {math.MaxFloat64}}),
	} {
		if _, ok := errors.AsType[*stats.ArgumentError](err); !ok {
			t.Errorf("%s: error %v", name, err)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := errors.New("ended")
	cancel(ended)
	runs := []stats.Counts{{Passes: 9, Trials: 9}, {Trials: 9}}
	if _, err := Segments(ctx, runs, SegmentOptions{}); !errors.Is(err, ended) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func segmentsError(runs []stats.Counts, o SegmentOptions) error {
	_, err := Segments(context.Background(), runs, o)
	return err
}

func meansError(runs [][]float64) error {
	_, err := SegmentMeans(context.Background(), runs, SegmentOptions{})
	return err
}
