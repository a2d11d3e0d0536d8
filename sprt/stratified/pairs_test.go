package stratified

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
)

// One round of three pairs, by every way in which they can end: the evidence has an expectation of at most 1 wherever
// the mean difference is within H0, also where both trials of a pair depend on each other.
func TestEvidenceOfARound(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	rule := &pairRule{question: Question{Delta: 0.2}}
	for range thorough.Draws(2000, 100_000) {
		const pairs = 3
		var ends [pairs][3]float64 // broke, same, mended
		mean := 0.0
		for i := range ends {
			x, y := random.Float64(), random.Float64()
			low, high := min(x, y), max(x, y)
			if random.IntN(2) == 0 {
				low, high = low*0.1, 1-(1-high)*0.1 // mostly the same
			}
			ends[i] = [3]float64{low, high - low, 1 - high}
			mean += (low - (1 - high)) / pairs
		}
		worse, notWorse := 0.0, 0.0
		for code := range 27 {
			mass := 1.0
			var count [3]int
			for i, rest := 0, code; i < pairs; i, rest = i+1, rest/3 {
				mass *= ends[i][rest%3]
				count[rest%3]++
			}
			a, b := rule.evidence(sprt.Differences{Broke: count[0], Same: count[1], Mended: count[2]})
			worse += mass * math.Exp(a)
			notWorse += mass * math.Exp(b)
		}
		if mean <= 0 && worse > 1+1e-12 || mean >= 0.2 && notWorse > 1+1e-12 {
			t.Fatalf("%v (mean %v): expectations %v and %v", ends, mean, worse, notWorse)
		}
	}
}

// The runs of failures that show a loss beside 3, 4, 5 and 10 recorded passes, for one of 20 scenarios of a level of
// .025 together, are those of an earlier program: 9, 6, 5 and 3.
func TestStraightFailures(t *testing.T) {
	for recorded, want := range map[int]int{3: 9, 4: 6, 5: 5, 10: 3} {
		if got := (&pairFloor{recorded: recorded}).fewestStraight(0, 0.025/20); got != want {
			t.Errorf("beside %d passes: %d, want %d", recorded, got, want)
		}
	}
}

// A false collapse beside a stored baseline, at many rates and by another sum: over the outcomes of the baseline, and
// the candidate's paths one trial at a time.
func TestStoredFloorByRecursion(t *testing.T) {
	for _, recorded := range []int{4, 10} {
		f, err := newPairFloor(Question{Sides: Stored, MaxRounds: recorded, Floor: Floor{0.7, 0.3}, Beta: 0.1}, 1, 0.001)
		if err != nil {
			t.Fatal(err)
		}
		largest := 0.0
		for i := range 401 {
			p, sum := float64(i)/400, 0.0
			for g, b := range f.stored {
				going, crossed := []float64{1}, 0.0
				for n := range b.FailAtOrAbove {
					next := make([]float64, n+2)
					for k, x := range going {
						next[k] += x * p
						next[k+1] += x * (1 - p)
					}
					for k := range next {
						if k >= b.FailAtOrAbove[n] {
							crossed += next[k]
							next[k] = 0
						}
					}
					going = next
				}
				sum += crossed * binomial(recorded, 1-p)[g]
			}
			largest = math.Max(largest, sum)
		}
		if largest > f.collapses || f.collapses > 0.001 || largest < 0.5*f.collapses {
			t.Errorf("%d recorded: largest %v, proved %v", recorded, largest, f.collapses)
		}
		// More failures of the baseline never make a collapse easier: so errors cannot either.
		for g := 1; g < len(f.stored); g++ {
			for n, at := range f.stored[g].FailAtOrAbove {
				if at < f.stored[g-1].FailAtOrAbove[n] {
					// A later boundary may be lower only where the earlier one was crossed before.
					if !crossedBefore(f.stored[g-1].FailAtOrAbove, n, at) {
						t.Errorf("%d recorded: %d of them failed: %d at %d", recorded, g, at, n+1)
					}
				}
			}
		}
	}
}

// crossedBefore reports whether every path with so many failures after trial n has crossed a boundary by then.
func crossedBefore(boundary []int, n, failures int) bool {
	going := map[int]bool{0: true}
	for k := 0; k <= n; k++ {
		next := map[int]bool{}
		for f := range going {
			for _, x := range []int{f, f + 1} {
				if x < boundary[k] {
					next[x] = true
				}
			}
		}
		going = next
	}
	return !going[failures]
}

// The lead of pairs that are no worse, at many rates: independent ones at equal rates, and matched ones.
func TestLeadIsLargestWherePairsDiffer(t *testing.T) {
	for _, sides := range []Sides{SideBySide, Matched} {
		f, err := newPairFloor(Question{Sides: sides, Floor: Floor{0.7, 0.3}, Beta: 0.1}, 1, 0.001)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(f.lead) {
			t.Errorf("%v: a lead that suffices later must suffice before: %v", sides, f.lead)
		}
		for i := range 101 {
			x := float64(i) / 100
			differ := x
			if sides == SideBySide {
				differ = 2 * x * (1 - x)
			}
			if got := leads(f.lead, differ); got > f.collapses+1e-15 || f.collapses > 0.001 {
				t.Errorf("%v: %v where %v differ, at most %v", sides, got, differ, f.collapses)
			}
		}
	}
}

func TestPairsSimulated(t *testing.T) {
	repetitions := thorough.Draws(40, 8000)
	for n, x := range []struct {
		name                string
		question            Question
		baseline, candidate []float64
		fail                bool
	}{
		{"unchanged", Question{Sides: SideBySide, Scenarios: 20}, same(20, 0.9), same(20, 0.9), true},
		{"unlike, the mean unchanged", Question{Sides: SideBySide, Scenarios: 20}, both(same(10, 1), same(10, 0.8)),
			both(same(10, 0.8), same(10, 1)), true},
		{"unchanged at a half", Question{Sides: Stored, Scenarios: 20, MaxRounds: 6}, same(20, 0.5), same(20, 0.5), true},
		{"dropped", Question{Sides: SideBySide, Scenarios: 20}, same(20, 1), same(20, 0.9), false},
		{"one lost", Question{Sides: SideBySide, Scenarios: 20}, same(20, 1), both(same(19, 1), same(1, 0.3)), false},
		{"one lost, stored", Question{Sides: Stored, Scenarios: 20, MaxRounds: 6}, same(20, 1),
			both(same(19, 1), same(1, 0.3)), false},
	} {
		d := planned(t, x.question)
		c, err := d.Simulate(context.Background(), x.candidate, x.baseline, repetitions, uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		wrong, most := c.Pass, d.Promise().FalsePass
		if x.fail {
			wrong, most = c.Fail, d.Promise().FalseFail
		}
		if wrong > most+4*math.Sqrt(most*(1-most)/float64(repetitions)) {
			t.Errorf("%s: %+v, promised %v", x.name, c, most)
		}
	}
}

// What is computed of pairs is what simulated ones do.
func TestPairsAt(t *testing.T) {
	d := planned(t, Question{Sides: SideBySide, Scenarios: 4, Delta: 0.3, Weights: []int{1, 2, 1, 1}})
	baseline, candidate := []float64{0.9, 0.95, 0.99, 0.7}, []float64{0.9, 0.9, 0.9, 0.6}
	c, ok := d.At(candidate, baseline)
	if !ok {
		t.Fatal("not computed")
	}
	random := rand.New(rand.NewPCG(5, 5))
	rule := d.mean.(*pairRule)
	repetitions := thorough.Draws(4000, 100_000)
	passes, rounds := 0.0, 0.0
	for range repetitions {
		var x sprt.Differences
		o := sprt.Undecided
		for r := 1; r <= d.question.MaxRounds && o == sprt.Undecided; r++ {
			rounds++
			for i := range baseline {
				for range d.question.Weight(i) {
					switch b, p := random.Float64() < baseline[i], random.Float64() < candidate[i]; {
					case b && !p:
						x.Broke++
					case p && !b:
						x.Mended++
					default:
						x.Same++
					}
				}
			}
			o = rule.outcome(x)
		}
		if o == sprt.Pass {
			passes++
		}
	}
	n := float64(repetitions)
	if s := math.Sqrt(c.MeanPasses * (1 - c.MeanPasses) / n); math.Abs(passes/n-c.MeanPasses) > 4*s+1e-9 {
		t.Errorf("passes %v, computed %v", passes/n, c.MeanPasses)
	}
	if math.Abs(rounds/n-c.Rounds) > 0.05*c.Rounds {
		t.Errorf("rounds %v, computed %v", rounds/n, c.Rounds)
	}
}

func TestRecorded(t *testing.T) {
	list, err := Recorded(context.Background(), Question{Scenarios: 20, MaxRounds: 6}, 0.97)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range list {
		if x.Trials != i+1 || x.Passes < 0 || x.Finds > 1 {
			t.Errorf("%+v", x)
		}
		if i > 0 && (x.Passes < list[i-1].Passes || x.Finds < list[i-1].Finds ||
			x.Failures > list[i-1].Failures && list[i-1].Failures > 0) {
			t.Errorf("%+v is worse than %+v", x, list[i-1])
		}
	}
	if last := list[len(list)-1]; last.Failures == 0 || last.Passes < 0.9 {
		t.Errorf("%+v", last)
	}
	if _, err := Recorded(context.Background(), Question{Scenarios: 20, MaxRounds: 6}, 0.1); err == nil {
		t.Error("a rate that cannot drop was taken")
	}
}
