package sprt

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Drawn orders are those that lead where a test ended, each as often as any other.
func TestOrdersAreDrawnUniformly(t *testing.T) {
	h := Hypotheses{Threshold: 0.8, Delta: 0.4, Alpha: 0.1, Beta: 0.1}
	d, err := Wald(h, 12)
	if err != nil {
		t.Fatal(err)
	}
	b := d.Boundaries
	// All paths of eight trials, by brute force.
	const n = 8
	ends := map[int][]uint{} // by failures, the paths that do not end before
	for path := range uint(1 << n) {
		failures, on := 0, true
		for i := range n {
			failures += int(path >> i & 1)
			if i < n-1 && (failures <= b.PassAtOrBelow[i] || failures >= b.FailAtOrAbove[i]) {
				on = false
			}
		}
		if on {
			ends[failures] = append(ends[failures], path)
		}
	}
	checked := 0
	for failures, all := range ends {
		if len(all) < 3 || failures == 0 {
			continue
		}
		checked++
		failed := make([]bool, n)
		for i := range n {
			failed[i] = all[0]>>i&1 == 1
		}
		p, ok := newPaths(OrderedTest{b, failed})
		if !ok {
			t.Fatalf("no paths to %d failures, and there are %d", failures, len(all))
		}
		const draws = 20_000
		source, seen := rand.New(rand.NewPCG(1, 2)), map[uint]int{}
		for range draws {
			p.draw(source, failed)
			path := uint(0)
			for i, f := range failed {
				if f {
					path |= 1 << i
				}
			}
			seen[path]++
		}
		want := float64(draws) / float64(len(all))
		for _, path := range all {
			if got := float64(seen[path]); math.Abs(got-want) > 5*math.Sqrt(want) {
				t.Errorf("%d failures: path %b is drawn %v times, want about %v", failures, path, got, want)
			}
		}
		if len(seen) != len(all) {
			t.Errorf("%d failures: %d paths are drawn, and there are %d", failures, len(seen), len(all))
		}
	}
	if checked == 0 {
		t.Error("nothing was checked")
	}
}

// Under one rate p is at most its level as often as that, sequential tests among them; a rate that falls is found.
func TestOrderP(t *testing.T) {
	optimal, err := Wald(Hypotheses{Threshold: 0.8, Delta: 0.2, Alpha: 0.1, Beta: 0.1}, 120)
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := Recording(60)
	if err != nil {
		t.Fatal(err)
	}
	source := rand.New(rand.NewPCG(5, 6))
	run := func(d Design, rate func(i int) float64) OrderedTest {
		test, err := NewTest(d)
		if err != nil {
			t.Fatal(err)
		}
		o := OrderedTest{Boundaries: d.Boundaries}
		for i := 0; !test.Decided() && i < d.Boundaries.MaxTrials(); i++ {
			failed := source.Float64() >= rate(i)
			o.Failed = append(o.Failed, failed)
			if err := test.Observe(i, !failed); err != nil {
				t.Fatal(err)
			}
		}
		return o
	}
	const level = 0.1
	runs := thorough.Draws(200, 600)
	for _, rate := range []float64{0.6, 0.8, 0.95} {
		below, usable := 0, 0
		for i := range runs {
			same := func(int) float64 { return rate }
			if p, _, ok := OrderP([]OrderedTest{run(optimal, same), run(fixed, same)}, uint64(i)); ok {
				usable++
				if p <= level {
					below++
				}
			}
		}
		if most := level*float64(usable) + 3.5*math.Sqrt(level*(1-level)*float64(usable)); float64(below) > most ||
			usable < runs/2 {
			t.Errorf("rate %v: p is at most %v in %d of %d", rate, level, below, usable)
		}
	}
	found := 0
	for i := range 100 {
		falls := func(i int) float64 { return 0.95 - 0.5*float64(i)/60 }
		if p, later, ok := OrderP([]OrderedTest{run(fixed, falls), run(fixed, falls)}, uint64(i)); ok && p <= 0.05 && later {
			found++
		}
	}
	if found < 80 {
		t.Errorf("a rate that falls is found in %d of 100", found)
	}
}

// What says nothing of an order is none.
func TestOrderOfNothing(t *testing.T) {
	d, err := Recording(4)
	if err != nil {
		t.Fatal(err)
	}
	for _, failed := range [][]bool{nil, {true}, {false, false, false}, {true, true}, {true, false, true, false, true}} {
		if p, _, ok := OrderP([]OrderedTest{{d.Boundaries, failed}}, 1); ok || p != 1 {
			t.Errorf("%v: %v", failed, p)
		}
	}
	if _, _, ok := OrderP(nil, 1); ok {
		t.Error("no test has an order")
	}
	p, later, _ := OrderP([]OrderedTest{{d.Boundaries, []bool{false, false, true}}}, 1)
	if p < 0.2 || !later {
		t.Errorf("of three orders p is %v, %v", p, later)
	}
}
