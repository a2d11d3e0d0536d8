package keep

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func design(t testing.TB, q Question) *Design {
	t.Helper()
	d, err := New(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func at(t testing.TB, d *Design, r Rates) Characteristics {
	t.Helper()
	c, err := d.At(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// firstLevel is that of the first challenger of a session at 0.05: 0.05 times 6/π².
const firstLevel = 0.05 * 0.6079271018540267

// What the manual says of the first challenger of a session, against the design of earlier versions: as many gains are
// kept, within the level, and a challenger is decided on in 1.7, 1.3 and 1.9 times fewer pairs where it changes nothing,
// gains and loses ten points.
func TestWhatTheDesignDoes(t *testing.T) {
	now, before := design(t, Question{Alpha: firstLevel}), design(t, Question{Alpha: firstLevel, Odds: 5, MaxPairs: 442})
	for _, c := range []struct {
		rates       Rates
		pairs, less float64
	}{{Apart(.8, .8), 58, 1.7}, {Apart(.8, .9), 120, 1.29}, {Apart(.8, .7), 23, 1.85}} {
		have, was := at(t, now, c.rates), at(t, before, c.rates)
		t.Logf("%+v: %.1f pairs of %.1f, kept %.4f of %.4f", c.rates, have.Pairs, was.Pairs, have.Keep, was.Keep)
		if math.Abs(have.Pairs-c.pairs) > .6 || was.Pairs/have.Pairs < c.less {
			t.Errorf("%+v: %v pairs, before %v", c.rates, have.Pairs, was.Pairs)
		}
	}
	gain, none, same := at(t, now, Apart(.8, .9)), at(t, now, Apart(.8, .8)), at(t, now, Rates{})
	if gain.Keep < DefaultPower || none.Keep > firstLevel || now.MaxPairs() > 442 || same.Pairs != 22 {
		t.Errorf("gain %+v, none %+v, the same %+v, at most %d pairs", gain, none, same, now.MaxPairs())
	}
	// Less power decides sooner.
	low := design(t, Question{Alpha: firstLevel, Power: .67})
	if c := at(t, low, Apart(.8, .8)); c.Pairs > .85*none.Pairs || at(t, low, Apart(.8, .9)).Keep < .67 {
		t.Errorf("at a power of 0.67 %+v", c)
	}
}

// brute follows every sequence of ends to its decision, by the rule as the comments say it.
func brute(d *Design, r Rates, pairs, broke, mended int, p float64, into *Characteristics) {
	for _, end := range []struct {
		pair Pair
		p    float64
	}{{BothPassed, (1 - r.Broke - r.Mended) / 2}, {BothFailed, (1 - r.Broke - r.Mended) / 2}, {Broke, r.Broke},
		{Mended, r.Mended}} {
		b, m := broke, mended
		switch end.pair {
		case Broke:
			b++
		case Mended:
			m++
		}
		q := p * end.p
		switch d.Decide(pairs+1, b, m) {
		case Keep:
			into.Keep += q
		case Revert:
			into.Revert += q
		case Undecided:
			into.Undecided += q
		default:
			brute(d, r, pairs+1, b, m, q, into)
			continue
		}
		into.Pairs += q * float64(pairs+1)
	}
}

// All sequences of at most nine pairs, one after the other.
func TestExactAgainstEnumeration(t *testing.T) {
	for _, q := range []Question{
		{Alpha: .3, Gain: .3, Rate: .5, MaxPairs: 9},
		{Alpha: .3, Gain: .3, Rate: .5, MaxPairs: 9, Odds: 5},
		{Alpha: .1, Gain: .2, Rate: .8, MaxPairs: 8, Odds: 2},
		{Alpha: .5, Gain: .1, Rate: .6, MaxPairs: 7, Odds: 50},
	} {
		d := design(t, q)
		for _, r := range []Rates{{}, {.25, .25}, {.5, .5}, {.1, .4}, {0, 1}, {1, 0}, {.08, .18}} {
			var want Characteristics
			brute(d, r, 0, 0, 0, 1, &want)
			got := at(t, d, r)
			for _, x := range [][2]float64{
				{got.Keep, want.Keep}, {got.Revert, want.Revert}, {got.Undecided, want.Undecided}, {got.Pairs, want.Pairs},
				{got.Keep + got.Revert + got.Undecided, 1},
			} {
				if math.Abs(x[0]-x[1]) > 1e-10 {
					t.Errorf("%+v at %+v: %+v, want %+v", q, r, got, want)
				}
			}
		}
	}
}

// The level holds whatever share of pairs differs, is nearly used where all of them do, and is exceeded by a rule that
// keeps a little sooner, so that this could fail.
func TestLevelHoldsAtEveryShare(t *testing.T) {
	d := design(t, Question{Alpha: .05})
	for _, half := range []float64{.01, .05, .1, .16, .25, .4, .5} {
		if c := at(t, d, Rates{half, half}); c.Keep > .05 {
			t.Errorf("%v of all pairs differ: %v are kept", 2*half, c.Keep)
		}
	}
	if d.Risk() > .05 || d.Risk() < .04 {
		t.Errorf("risk %v", d.Risk())
	}
	sooner := *d
	sooner.keep = append([]int(nil), d.keep...)
	for k := range sooner.keep {
		sooner.keep[k] -= 2
	}
	if c := at(t, &sooner, Rates{.5, .5}); c.Keep <= .05 {
		t.Errorf("a rule that keeps sooner keeps %v", c.Keep)
	}
}

// The likeliest rates are found by a fine grid too.
func TestProfileAgainstGrid(t *testing.T) {
	for _, c := range [][3]int{{10, 2, 3}, {40, 0, 0}, {40, 0, 7}, {40, 9, 0}, {5, 5, 0}, {5, 0, 5}, {100, 8, 18}} {
		for _, gain := range []float64{0, .1, .3} {
			n, b, m := float64(c[0]), float64(c[1]), float64(c[2])
			best := math.Inf(-1)
			const steps = 200_000
			for i := 0; i <= steps; i++ {
				x := (1 - gain) / 2 * float64(i) / steps
				best = math.Max(best, xlogy(m, x+gain)+xlogy(b, x)+xlogy(n-m-b, 1-2*x-gain))
			}
			if got := profile(c[0], c[1], c[2], gain); math.Abs(got-best) > 1e-6 {
				t.Errorf("%v at gain %v: %v, the grid has %v", c, gain, got, best)
			}
		}
	}
}

// A keep holds whatever pairs of which nothing is known would have come to: with all of them against the candidate the
// boundary is reached too.
func TestUnknownPairsDecideNothing(t *testing.T) {
	d := design(t, Question{Alpha: .2, Gain: .3, Rate: .5, MaxPairs: 40})
	random := rand.New(rand.NewPCG(3, 4))
	ends := []Pair{BothPassed, BothFailed, Broke, Mended, Mended, Mended, Unknown}
	seen := map[Decision]int{}
	for range 3000 {
		test := d.Begin()
		for test.Decision() == Open {
			test.Observe(ends[random.IntN(len(ends))])
		}
		seen[test.Decision()]++
		pairs, broke, mended, unknowns := test.Counts()
		if test.Decision() == Keep && d.Decide(pairs, broke+unknowns, mended) != Keep {
			t.Fatalf("%d of %d mended, %d broke and %d unknown are kept", mended, pairs, broke, unknowns)
		}
	}
	if seen[Keep] == 0 || seen[Revert] == 0 || seen[Undecided] == 0 {
		t.Errorf("decisions %v", seen)
	}
	// Errors alone are neither a keep nor a revert.
	test := d.Begin()
	for range d.MaxPairs() {
		test.Observe(Unknown)
	}
	if test.Decision() != Undecided {
		t.Errorf("errors alone: %v", test.Decision())
	}
}

// Nor do they raise the level: where every pair that broke is one of which nothing is known, no more is kept. By a walk
// over all that a test can come to.
func TestUnknownPairsKeepTheLevel(t *testing.T) {
	for _, odds := range []float64{0, 5} {
		d := design(t, Question{Alpha: .05, Gain: .3, Rate: .5, MaxPairs: 60, Odds: odds})
		kept, alive := 0.0, map[Test]float64{*d.Begin(): 1}
		for range d.MaxPairs() {
			next := map[Test]float64{}
			for test, mass := range alive {
				for _, end := range []Pair{Mended, Unknown} {
					after := test
					switch after.Observe(end) {
					case Open:
						next[after] += mass / 2
					case Keep:
						kept += mass / 2
					}
				}
			}
			alive = next
		}
		if kept > .05 || kept < .03 {
			t.Errorf("odds %v: %v are kept", odds, kept)
		}
	}
}

// The levels are those of the formulas; those of LORD++ are computed from equation 4 by another program.
func TestLevelsOfASession(t *testing.T) {
	sum := 0.0
	var kept []bool
	for i := 1; i <= 2000; i++ {
		level, err := Bonferroni.Next(.05, kept)
		if err != nil {
			t.Fatal(err)
		}
		if want := .05 * 6 / math.Pow(math.Pi*float64(i), 2); math.Abs(level/want-1) > 1e-12 {
			t.Fatalf("round %d has %v, want %v", i, level, want)
		}
		sum += level
		kept = append(kept, i%3 == 0)
	}
	if sum >= .05 || sum < .0499 {
		t.Errorf("the levels sum to %v", sum)
	}
	for _, c := range []struct {
		kept []bool
		want float64
	}{
		{nil, 0.0013379192728}, {[]bool{false, false}, 0.00024781246986}, {[]bool{true}, 0.0016288744174},
	} {
		got, err := LORD.Next(.05, c.kept)
		if err != nil || math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("LORD++ after %v: %v, %v, want %v", c.kept, got, err, c.want)
		}
	}
	if _, err := LORD.Next(math.NaN(), nil); err == nil {
		t.Error("a level of NaN")
	}
}

// A session of challengers that change nothing keeps any of them in at most alpha of the sessions, where a tracker of
// the best keeps one in most of them.
func TestSessionsThatChangeNothing(t *testing.T) {
	const sessions, rounds, n, rate = 1000, 8, 20, .8
	random := rand.New(rand.NewPCG(11, 12))
	designs := make([]*Design, rounds)
	var none []bool
	for i := range designs {
		level, err := Bonferroni.Next(.05, none)
		if err != nil {
			t.Fatal(err)
		}
		designs[i] = design(t, Question{Alpha: level, MaxPairs: 200})
		none = append(none, false)
	}
	false1, tracked := 0, 0
	for range sessions {
		for _, d := range designs {
			test := d.Begin()
			for test.Decision() == Open {
				champion, challenger := random.Float64() < rate, random.Float64() < rate
				test.Observe(ended(champion, challenger))
			}
			if test.Decision() == Keep {
				false1++
				break
			}
		}
		best, kept := passes(random, n, rate), false
		for range rounds {
			if p := passes(random, n, rate); p > best {
				best, kept = p, true
			}
		}
		if kept {
			tracked++
		}
	}
	t.Logf("%d of %d sessions keep a challenger that changes nothing, a tracker of the best %d", false1, sessions, tracked)
	limit := sessions*.05 + 4*math.Sqrt(sessions*.05*.95)
	if float64(false1) > limit || float64(tracked) < limit {
		t.Error("more than the level, or a tracker that is as good")
	}
}

func ended(champion, challenger bool) Pair {
	switch {
	case champion && challenger:
		return BothPassed
	case champion:
		return Broke
	case challenger:
		return Mended
	}
	return BothFailed
}

func passes(random *rand.Rand, n int, rate float64) (k int) {
	for range n {
		if random.Float64() < rate {
			k++
		}
	}
	return k
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	for _, q := range []Question{
		{Alpha: -1}, {Alpha: math.NaN()}, {Gain: .001}, {Rate: .95, Gain: .1}, {Odds: 1}, {Odds: math.Inf(1)}, {MaxPairs: -1},
		{MaxPairs: MostPairs + 1}, {Power: 1},
	} {
		if _, err := New(t.Context(), q); !errors.As(err, new(*QuestionError)) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if d := design(t, Question{Rate: .8, Gain: .2}); d.MaxPairs() < 10 {
		t.Error(d.MaxPairs())
	}
}

func FuzzDecide(f *testing.F) {
	d, err := New(f.Context(), Question{MaxPairs: 50})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(5, 1, 2)
	f.Add(-1, 100, 3)
	f.Fuzz(func(t *testing.T, pairs, broke, mended int) {
		_ = d.Decide(pairs, broke, mended).String()
	})
}
