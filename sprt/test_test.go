package sprt

import (
	"container/heap"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

var usual = Hypotheses{.9, .1, .05, .1}

func usualDesign(t testing.TB) Design {
	t.Helper()
	return optimal(t, usual, OptimalOptions{MaxTrials: 152}).Design
}

func newTest(t testing.TB, d Design) *Test {
	t.Helper()
	test, err := NewTest(d)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func observe(t testing.TB, test *Test, number int, pass bool) {
	t.Helper()
	if err := test.Observe(number, pass); err != nil {
		t.Fatal(err)
	}
}

func TestFifteenPassesPass(t *testing.T) {
	test := newTest(t, usualDesign(t))
	for i := range 15 {
		if test.Decided() {
			t.Fatalf("decided after %d trials", i)
		}
		observe(t, test, i, true)
	}
	if test.Outcome() != Pass || test.Trials() != 15 || test.Failures() != 0 {
		t.Errorf("%v after %d trials", test.Outcome(), test.Trials())
	}
	observe(t, test, 15, true)
	observe(t, test, 17, false)
	if n, f := test.Overrun(); n != 2 || f != 1 || test.Trials() != 15 {
		t.Errorf("overrun %d with %d failures, %d trials judged", n, f, test.Trials())
	}
}

// Whatever the order of completion, the decision is that of the launch order.
func TestCompletionOrderDoesNotMatter(t *testing.T) {
	d := usualDesign(t)
	thorough.Check(t, func(t *rapid.T) {
		outcomes := rapid.SliceOfN(rapid.Bool(), 160, 160).Draw(t, "outcomes")
		if rapid.Bool().Draw(t, "mostly passes") {
			for i := range outcomes {
				outcomes[i] = outcomes[i] || i%5 != 0
			}
		}
		order := rapid.Permutation(indices(len(outcomes))).Draw(t, "order")
		inOrder, _ := NewTest(d)
		for i, pass := range outcomes {
			if err := inOrder.Observe(i, pass); err != nil {
				t.Fatal(err)
			}
		}
		shuffled, _ := NewTest(d)
		for _, i := range order {
			if err := shuffled.Observe(i, outcomes[i]); err != nil {
				t.Fatal(err)
			}
		}
		if inOrder.Outcome() != shuffled.Outcome() || inOrder.Trials() != shuffled.Trials() ||
			inOrder.Failures() != shuffled.Failures() {
			t.Fatalf("%v after %d, shuffled %v after %d", inOrder.Outcome(), inOrder.Trials(), shuffled.Outcome(),
				shuffled.Trials())
		}
	})
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestGapsWait(t *testing.T) {
	test := newTest(t, usualDesign(t))
	for i := 1; i < 40; i++ {
		observe(t, test, i, true)
	}
	if test.Decided() || test.Trials() != 0 {
		t.Fatalf("%v although the first trial is not known", test.Outcome())
	}
	observe(t, test, 0, true)
	if n, _ := test.Overrun(); test.Outcome() != Pass || test.Trials() != 15 || n != 25 {
		t.Errorf("%v after %d trials, overrun %d", test.Outcome(), test.Trials(), n)
	}
}

func TestObservingTwice(t *testing.T) {
	test := newTest(t, usualDesign(t))
	observe(t, test, 3, true)
	observe(t, test, 3, true)
	if err := test.Observe(3, false); !errors.Is(err, ErrObserved) {
		t.Errorf("err = %v", err)
	}
	for _, number := range []int{-1, mostTrials} {
		if err := test.Observe(number, true); err == nil {
			t.Errorf("trial %d is accepted", number)
		}
	}
}

// WasteFree is the length of the shortest way to an end, by breadth-first search.
func TestWasteFree(t *testing.T) {
	d := usualDesign(t)
	thorough.Check(t, func(t *rapid.T) {
		test, _ := NewTest(d)
		for i := range rapid.IntRange(0, 151).Draw(t, "trials") {
			if err := test.Observe(i, rapid.IntRange(0, 9).Draw(t, "outcome") > 0); err != nil {
				t.Fatal(err)
			}
		}
		if test.Decided() {
			if test.WasteFree() != 0 {
				t.Fatal("trials are needed after the end")
			}
			t.Skip()
		}
		want := 0
		for frontier := map[int]bool{test.Failures(): true}; ; {
			want++
			next, ended := map[int]bool{}, false
			for f := range frontier {
				for _, g := range []int{f, f + 1} {
					next[g] = true
					ended = ended || d.Boundaries.at(test.Trials()+want, g) != Undecided
				}
			}
			if ended {
				break
			}
			frontier = next
		}
		if got := test.WasteFree(); got != want {
			t.Fatalf("after %d trials, %d failures: %d, want %d", test.Trials(), test.Failures(), got, want)
		}
	})
}

// simulate runs tests at a rate and returns the shares of Pass and Fail.
func simulate(d Design, p float64, runs int, one func(test *Test, r *rand.Rand, p float64)) (pass, fail float64) {
	r := rand.New(rand.NewPCG(7, math.Float64bits(p)))
	for range runs {
		test, _ := NewTest(d)
		one(test, r, p)
		switch test.Outcome() {
		case Pass:
			pass++
		case Fail:
			fail++
		}
	}
	return pass / float64(runs), fail / float64(runs)
}

func inLaunchOrder(test *Test, r *rand.Rand, p float64) {
	for i := 0; !test.Decided(); i++ {
		_ = test.Observe(i, r.Float64() < p)
	}
}

// sixteenWorkers runs trials in parallel, on a simulated clock on which failures
// take five times as long as passes.
func sixteenWorkers(test *Test, r *rand.Rand, p float64) {
	var running events
	launched := 0
	launch := func(now float64) {
		pass := r.Float64() < p
		duration := r.ExpFloat64()
		if !pass {
			duration *= 5
		}
		heap.Push(&running, event{now + duration, launched, pass})
		launched++
	}
	for range 16 {
		launch(0)
	}
	for !test.Decided() {
		done := heap.Pop(&running).(event)
		_ = test.Observe(done.number, done.pass)
		if launched < test.Design().Boundaries.MaxTrials() {
			launch(done.at)
		}
	}
}

type event struct {
	at     float64
	number int
	pass   bool
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}

func TestSimulationAgrees(t *testing.T) {
	t.Parallel()
	runs := thorough.Draws(10_000, 100_000)
	d := usualDesign(t)
	exact, err := d.Errors()
	if err != nil {
		t.Fatal(err)
	}
	for name, one := range map[string]func(*Test, *rand.Rand, float64){"in launch order": inLaunchOrder,
		"16 workers": sixteenWorkers} {
		_, fail := simulate(d, usual.Threshold, runs, one)
		agrees(t, name+": alpha", fail, exact.Alpha, runs)
		pass, _ := simulate(d, usual.Lower(), runs, one)
		agrees(t, name+": beta", pass, exact.Beta, runs)
	}
}

func agrees(t *testing.T, name string, got, want float64, runs int) {
	t.Helper()
	if deviation := math.Sqrt(want * (1 - want) / float64(runs)); math.Abs(got-want) > 4*deviation {
		t.Errorf("%s: %v in %d runs, exactly %v (standard error %v)", name, got, runs, want, deviation)
	}
}
