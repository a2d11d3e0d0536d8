package race

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// play has a race judge whole rounds, whose outcomes are marks of all arms one after the other.
func play(t *testing.T, arms int, rule Rule, rounds ...string) *Race {
	t.Helper()
	r, err := New(arms, rule)
	if err != nil {
		t.Fatal(err)
	}
	marks := map[byte]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}
	for n, round := range rounds {
		for i := range arms {
			if round[i] == '.' {
				continue
			}
			if err := r.Observe(i, n, marks[round[i]]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r
}

func TestArmsAreDroppedAtTheLead(t *testing.T) {
	r := play(t, 3, Rule{Lead: 2, MaxRounds: 9}, "PFP", "PFF", "P.P", "P.F")
	if got, want := r.Dropped(1), (Drop{Round: 2, By: 0, Behind: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := r.Dropped(2), (Drop{Round: 4, By: 0, Behind: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if winner, ok := r.Winner(); !ok || winner != 0 || r.End() != Won || r.Rounds() != 4 {
		t.Errorf("%v %v, %s after %d rounds", winner, ok, r.End(), r.Rounds())
	}
	for i, want := range []int{4, 2, 4} {
		if got := r.Judged(i); got != want {
			t.Errorf("arm %d: %d trials, want %d", i, got, want)
		}
	}
	// Two at once, by one leader.
	r = play(t, 3, Rule{Lead: 2, MaxRounds: 9}, "FFP", "FFP")
	if winner, ok := r.Winner(); !ok || winner != 2 || r.Dropped(0) != r.Dropped(1) {
		t.Errorf("%v %v, %+v and %+v", winner, ok, r.Dropped(0), r.Dropped(1))
	}
	// At the cap nobody is chosen.
	r = play(t, 2, Rule{Lead: 2, MaxRounds: 3}, "PF", "PP", "FF")
	if _, ok := r.Winner(); ok || r.End() != OutOfRounds || r.Behind(1) != 1 {
		t.Errorf("%v, %s, %d behind", ok, r.End(), r.Behind(1))
	}
}

// What a race comes to follows from the outcomes, and not from the order in which they end.
func TestOrderOfEndsDoesNotMatter(t *testing.T) {
	for n := range uint64(300) {
		random := seeded.Stream(1, n)
		rule := Rule{Lead: 1 + random.IntN(4), MaxRounds: 12}
		const arms = 4
		type end struct {
			arm, round int
			o          trial.Outcome
		}
		var ends []end
		for i := range arms {
			for round := range rule.MaxRounds {
				ends = append(ends, end{i, round, trial.Outcome(1 + random.IntN(3))})
			}
		}
		var before *Race
		for range 3 {
			r, err := New(arms, rule)
			if err != nil {
				t.Fatal(err)
			}
			random.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
			for _, e := range ends {
				if err := r.Observe(e.arm, e.round, e.o); err != nil {
					t.Fatal(err)
				}
			}
			if before != nil {
				for i := range arms {
					if r.Dropped(i) != before.Dropped(i) || r.Judged(i) != before.Judged(i) {
						t.Fatalf("race %d: arm %d: %+v and %+v", n, i, r.Dropped(i), before.Dropped(i))
					}
				}
			}
			if before = r; r.End() == GoesOn {
				t.Fatalf("race %d goes on after its last round", n)
			}
		}
	}
}

// A variant is dropped only where another is ahead of it by the lead, whatever the errors until then would have been: all
// ways to complete them are tried.
func TestErrorsDropNobodyWhomTheyCouldSave(t *testing.T) {
	dropped := 0
	for n := range uint64(400) {
		random := seeded.Stream(2, n)
		const arms, rounds, lead = 2, 7, 2
		var played []string
		for range rounds {
			round := make([]byte, arms)
			for i := range round {
				round[i] = "PPFFE"[random.IntN(5)]
			}
			played = append(played, string(round))
		}
		r := play(t, arms, Rule{Lead: lead, MaxRounds: rounds}, played...)
		for i := range arms {
			d := r.Dropped(i)
			if d.Round == 0 {
				continue
			}
			dropped++
			// The fewest passes that the leader may have, and the most that the arm may.
			leader, arm := 0, 0
			for _, round := range played[:d.Round] {
				if round[d.By] == 'P' {
					leader++
				}
				if round[i] != 'F' {
					arm++
				}
			}
			if leader-arm < lead {
				t.Errorf("%v: arm %d was dropped after round %d, %d passes to %d", played, i, d.Round, arm, leader)
			}
		}
	}
	if dropped < 50 {
		t.Errorf("%d arms were dropped, too few to show anything", dropped)
	}
}

// No trial that an arm is said to need is wasted, and there is always one that is needed: with any outcomes, in any
// order.
func TestNeededTrialsAreNeeded(t *testing.T) {
	for n := range uint64(500) {
		random := seeded.Stream(3, n)
		arms := 2 + random.IntN(4)
		r, err := New(arms, Rule{Lead: 1 + random.IntN(5), MaxRounds: 6 + random.IntN(30)})
		if err != nil {
			t.Fatal(err)
		}
		type armRound struct{ arm, round int }
		var inFlight []armRound
		launched := make([]int, arms)
		for r.End() == GoesOn {
			for i := range arms {
				for launched[i] < r.Needed(i) {
					inFlight = append(inFlight, armRound{i, launched[i]})
					launched[i]++
				}
			}
			if len(inFlight) == 0 {
				t.Fatalf("race %d: nothing is needed, and it goes on", n)
			}
			at := random.IntN(len(inFlight))
			ended := inFlight[at]
			inFlight = slices.Delete(inFlight, at, at+1)
			if err := r.Observe(ended.arm, ended.round, trial.Outcome(1+random.IntN(3))); err != nil {
				t.Fatal(err)
			}
		}
		for i := range arms {
			if launched[i] != r.Judged(i) {
				t.Fatalf("race %d: arm %d has %d trials, and %d count", n, i, launched[i], r.Judged(i))
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for name, rule := range map[string]Rule{
		"no lead": {MaxRounds: 5}, "few rounds": {Lead: 3, MaxRounds: 2}, "many rounds": {Lead: 3, MaxRounds: MostRounds + 1},
		"worth": {Lead: 1, MaxRounds: 1, Worth: math.NaN()},
	} {
		if _, err := New(2, rule); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := New(1, Rule{Lead: 1, MaxRounds: 1}); err == nil {
		t.Error("one arm races")
	}
	r := play(t, 2, Rule{Lead: 3, MaxRounds: 9}, "PP")
	for _, x := range []struct {
		arm, round int
		o          trial.Outcome
	}{{0, 0, trial.Pass}, {2, 1, trial.Pass}, {-1, 1, trial.Pass}, {0, -1, trial.Pass}, {0, 1, trial.Unjudged}} {
		if r.Observe(x.arm, x.round, x.o) == nil {
			t.Errorf("%+v: no error", x)
		}
	}
	if r.Price([]float64{1, 1}) == nil {
		t.Error("prices were taken that nobody asked for")
	}
	for _, x := range []struct {
		arms         int
		ratio, alpha float64
	}{{1, 2, 0.05}, {2, 1, 0.05}, {2, math.NaN(), 0.05}, {2, 2, 0}, {2, 2, 1}, {MostArms + 1, 2, 0.05}} {
		if _, err := LeadFor(x.arms, x.ratio, x.alpha); err == nil {
			t.Errorf("%+v: no error", x)
		}
	}
	if _, err := LeadFor(2, 1+1e-9, 0.05); !errors.Is(err, errTooClose) {
		t.Errorf("a lead for arms that are equal: %v", err)
	}
	for _, x := range [][2]float64{{1, 0.1}, {0.5, 0}, {0.5, 1}, {math.NaN(), 0.1}} {
		if _, err := OddsRatio(x[0], x[1]); err == nil {
			t.Errorf("%v: no error", x)
		}
	}
}

// The smallest odds ratio of rates that differ by delta, of which the higher is at least a rate, is found by going over
// them.
func TestOddsRatioIsTheSmallest(t *testing.T) {
	for _, rate := range []float64{0, 0.3, 0.55, 0.75, 0.85, 0.98} {
		for _, delta := range []float64{0.02, 0.1, 0.3} {
			got, err := OddsRatio(rate, delta)
			if err != nil {
				t.Fatal(err)
			}
			smallest := math.Inf(1)
			for p := math.Max(rate, delta+1e-9); p < 1; p += 1e-4 {
				smallest = math.Min(smallest, p*(1-p+delta)/((1-p)*(p-delta)))
			}
			if math.Abs(got-smallest) > 1e-3*smallest {
				t.Errorf("rate %v, delta %v: %v, want %v", rate, delta, got, smallest)
			}
		}
	}
}

// Eight arms of which the best passes at .85 and the others at .75 take a lead of 8, two a lead of 5: ln(19·7)/ln(17/9)
// is 7.69 and ln(19)/ln(17/9) is 4.63.
func TestLeadFor(t *testing.T) {
	for _, x := range []struct{ arms, want int }{{8, 8}, {2, 5}} {
		if got, err := LeadFor(x.arms, 17.0/9, 0.05); err != nil || got != x.want {
			t.Errorf("%d arms: %d, %v, want %d", x.arms, got, err, x.want)
		}
	}
	// A lead that is exactly enough is taken: with odds of 19 and two arms the bound is 19/20.
	if got, err := LeadFor(2, 19, 0.05); err != nil || got != 1 {
		t.Errorf("%d, %v, want 1", got, err)
	}
	if got, want := Bound(7, 8, 17.0/9), 7*math.Pow(9.0/17, 8); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// The mean of the positive part of the difference of two uniform rates is 1/6; of any two its difference from that of
// the reverse is the difference of their means.
func TestBetterBy(t *testing.T) {
	if got := betterBy([2]float64{1, 1}, [2]float64{1, 1}); math.Abs(got-1.0/6) > 1e-5 {
		t.Errorf("%v, want 1/6", got)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		x := [2]float64{1 + float64(random.IntN(200)), 1 + float64(random.IntN(200))}
		y := [2]float64{1 + float64(random.IntN(200)), 1 + float64(random.IntN(200))}
		want := x[0]/(x[0]+x[1]) - y[0]/(y[0]+y[1])
		if got := betterBy(x, y) - betterBy(y, x); math.Abs(got-want) > 1e-4 {
			t.Errorf("%v and %v: %v, want %v", x, y, got, want)
		}
	}
}

// whole plays rounds until a race ends, each arm with its own marks again and again, and prices where they are asked
// for.
func whole(t *testing.T, rule Rule, prices []float64, marks ...string) *Race {
	t.Helper()
	r, err := New(len(marks), rule)
	if err != nil {
		t.Fatal(err)
	}
	launched := make([]int, len(marks))
	for steps := 0; r.End() == GoesOn; steps++ {
		if r.Unpriced() {
			if err := r.Price(prices); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for i := range marks {
			if launched[i] < r.Needed(i) {
				o := trial.Fail
				if marks[i][launched[i]%len(marks[i])] == 'P' {
					o = trial.Pass
				}
				if err := r.Observe(i, launched[i], o); err != nil {
					t.Fatal(err)
				}
				launched[i]++
			}
		}
		if steps > 10_000 {
			t.Fatal("the race does not end")
		}
	}
	return r
}

// A dear arm waits until the cheap ones have ended their race. It is left out where it cannot be worth its price, and
// makes up for its rounds where it can: then the race comes to what it would without prices.
func TestDearArmsWait(t *testing.T) {
	cheap, weak, dear := "PPPPPPPPPPPPPPF", "PF", "PPPPPPPPPPPPPPP"
	r := whole(t, Rule{Lead: 5, MaxRounds: 200, Worth: 0.01}, []float64{0.1, 0.1, 1}, cheap, weak, dear)
	if winner, ok := r.Winner(); !ok || winner != 0 || r.End() != NotWorth || r.Judged(2) != 5 {
		t.Errorf("winner %d, %s; the dear arm has %d trials", winner, r.End(), r.Judged(2))
	}
	if rest := r.Rest(); !(rest.Cost > 100*0.01*rest.Gain) || rest.Gain <= 0 {
		t.Errorf("%+v", rest)
	}
	r = whole(t, Rule{Lead: 5, MaxRounds: 200, Worth: 1e6}, []float64{0.1, 0.1, 1}, cheap, weak, dear)
	plain := whole(t, Rule{Lead: 5, MaxRounds: 200}, nil, cheap, weak, dear)
	if a, _ := r.Winner(); a != 2 || plain.Leader() != a || r.Dropped(0) != plain.Dropped(0) || r.End() != Won {
		t.Errorf("winner %d, %s, %+v; without prices %d, %+v", a, r.End(), r.Dropped(0), plain.Leader(), plain.Dropped(0))
	}
	// Prices that are not known count for nothing.
	r = whole(t, Rule{Lead: 5, MaxRounds: 200, Worth: 0.01}, nil, cheap, weak, dear)
	if winner, _ := r.Winner(); winner != 2 || r.End() != Won {
		t.Errorf("winner %d, %s", winner, r.End())
	}
	// Equal arms are not told apart for nothing.
	r = whole(t, Rule{Lead: 5, MaxRounds: 5000, Worth: 0.5}, []float64{1, 1}, "PPF", "FPP")
	if r.End() != NotWorth || r.Rounds() >= 1000 {
		t.Errorf("%s after %d rounds", r.End(), r.Rounds())
	}
}
