package betting

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/sprt"
)

// As many straight passes as a bet on everything takes: 0.4 / m^n is 20 or more, but for what the others add.
func TestByHand(t *testing.T) {
	for _, c := range []struct {
		m      float64
		passes int
	}{{.8, 16}, {.85, 22}, {.9, 34}, {.95, 70}} {
		enough := -math.Log(.05)
		if x := Above(Outcomes(c.passes, 0), c.m); x < enough {
			t.Errorf("%v: %d passes are not enough: %v", c.m, c.passes, x)
		}
		if x := Above(Outcomes(c.passes-1, 0), c.m); x >= enough {
			t.Errorf("%v: one less is enough: %v", c.m, x)
		}
	}
	// One value of 1: the mean of 1 + u(1-m)/m over the bets. Shares are in the middle of intervals, and even: 0.4 + 0.6/2.
	const mean = .7
	// By the density of the root the mean is nearly 3/5: 0.2 + 0.8·3/5.
	same := .2
	for i := range 20 {
		from, to := float64(i*i)/400, float64((i+1)*(i+1))/400
		same += .8 * (to*math.Sqrt(to) - from*math.Sqrt(from)) * (from + to) / 2
	}
	refdata.Near(t, "mean by the root", same, .68, 1e-3)
	refdata.Near(t, "one pass", Above(Outcomes(1, 0), .5), math.Log(1+mean), 1e-12)
	refdata.Near(t, "one failure", Above(Outcomes(0, 1), .5), math.Log(1-mean), 1e-12)
	refdata.Near(t, "one failure, below", Below(Outcomes(0, 1), .5), math.Log(1.5), 1e-12)
	refdata.Near(t, "a score", Above([]Value{{.75, 1}}, .5), math.Log(1+mean/2), 1e-12)
	refdata.Near(t, "the mean itself", Above([]Value{{.5, 7}}, .5), 0, 1e-12)
	refdata.Near(t, "nothing", Above(nil, .5), 0, 1e-12)
	refdata.Near(t, "a pair that broke", Worse(sprt.Differences{Broke: 1}), math.Log(1.5), 1e-12)
	refdata.Near(t, "one that is the same", NotWorse(sprt.Differences{Same: 1}, .1), math.Log(1+same*.1/.9), 1e-12)
}

// Where the mean is at m exactly the mean of the evidence is 1, whatever the distribution: by enumeration of all
// sequences of five values.
func TestEvidenceIsFair(t *testing.T) {
	for _, d := range []struct{ values, chances []float64 }{
		{[]float64{0, 1}, []float64{.1, .9}}, {[]float64{0, 1}, []float64{.5, .5}},
		{[]float64{0, .5, 1}, []float64{.1, .3, .6}}, {[]float64{.2, .9, 1}, []float64{.25, .5, .25}},
	} {
		m := 0.0
		for i, x := range d.values {
			m += x * d.chances[i]
		}
		above, below := 0.0, 0.0
		var each func(values []Value, p float64)
		each = func(values []Value, p float64) {
			if len(values) == 5 {
				above += p * math.Exp(Above(values, m))
				below += p * math.Exp(Below(values, m))
				return
			}
			for i, x := range d.values {
				each(append(values[:len(values):len(values)], Value{x, 1}), p*d.chances[i])
			}
		}
		each(nil, 1)
		refdata.Near(t, "above", above, 1, 1e-12)
		refdata.Near(t, "below", below, 1, 1e-12)
	}
}

// crossed is the chance that evidence is ever enough within so many trials, by walking all counts; the rates of a trial
// go round, and looks come after whole rounds.
func crossed(trials int, rates []float64, enough func(passes, fails int) bool) (sum float64) {
	alive := []float64{1}
	for n := 1; n <= trials; n++ {
		p := rates[n%len(rates)]
		next := make([]float64, n+1)
		for k, mass := range alive {
			next[k] += mass * (1 - p)
			next[k+1] += mass * p
		}
		alive = next
		if n%len(rates) > 0 {
			continue
		}
		for k, mass := range alive {
			if mass > 0 && enough(k, n-k) {
				sum += mass
				alive[k] = 0
			}
		}
	}
	return sum
}

// Over all looks evidence is wrong with the error at most, also of rates that differ in rounds; and nearly so often.
func TestErrorsOverAllLooks(t *testing.T) {
	const alpha = .05
	for _, c := range []struct {
		m     float64
		rates []float64
	}{{.9, []float64{.9}}, {.5, []float64{.5}}, {.8, []float64{.99, .61}}, {.9, []float64{1, 1, 1, .6}}} {
		above := crossed(400, c.rates, func(k, f int) bool { return Above(Outcomes(k, f), c.m) >= -math.Log(alpha) })
		below := crossed(400, c.rates, func(k, f int) bool { return Below(Outcomes(k, f), c.m) >= -math.Log(alpha) })
		if above > alpha || below > alpha || len(c.rates) == 1 && (above < .025 || below < .02) {
			t.Errorf("%v of %v: above %v, below %v", c.m, c.rates, above, below)
		}
	}
}

// Boundaries are where evidence is enough, at every count; and what they cost is what the manual says.
func TestBoundaries(t *testing.T) {
	b, err := Boundaries(.8, .05, 60)
	if err != nil {
		t.Fatal(err)
	}
	enough := -math.Log(.05)
	for n := 1; n <= 60; n++ {
		for f := range n + 1 {
			want := sprt.Undecided
			switch values := Outcomes(n-f, f); {
			case Above(values, .8) >= enough:
				want = sprt.Pass
			case Below(values, .8) >= enough:
				want = sprt.Fail
			}
			have := sprt.Undecided
			switch {
			case f <= b.PassAtOrBelow[n-1]:
				have = sprt.Pass
			case f >= b.FailAtOrAbove[n-1]:
				have = sprt.Fail
			}
			if have != want {
				t.Errorf("%d of %d fail: %v, want %v", f, n, have, want)
			}
		}
	}
	for _, x := range [][3]float64{{0, .05, 9}, {1, .05, 9}, {.5, 0, 9}, {.5, .05, 0}} {
		if _, err := Boundaries(x[0], x[1], int(x[2])); err == nil {
			t.Errorf("%v", x)
		}
	}
}

// What the manual says of a threshold of 0.9, as a program of its own computed it.
func TestExpectedTrials(t *testing.T) {
	b, err := Boundaries(.9, .05, 2500)
	if err != nil {
		t.Fatal(err)
	}
	lattice, err := b.Lattice()
	if err != nil {
		t.Fatal(err)
	}
	for rate, want := range map[float64]float64{1: 34, .99: 48.8, .97: 99.0, .95: 226.1, .8: 103.4, .7: 26.9} {
		refdata.Near(t, "expected trials", lattice.At(rate).ExpectedTrials, want, .06)
	}
}

// The interval is where neither side is ruled out.
func TestLimits(t *testing.T) {
	values := []Value{{1, 30}, {.5, 8}, {0, 4}}
	i, err := Limits(values, .05)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Near(t, "low", Above(values, i.Low), math.Log(20), 1e-9)
	refdata.Near(t, "high", Below(values, i.High), math.Log(20), 1e-9)
	if mean := 34.0 / 42; !(i.Low < mean && mean < i.High) {
		t.Errorf("%v", i)
	}
	for _, c := range []struct {
		values    []Value
		low, high float64
	}{{nil, 0, 1}, {Outcomes(0, 9), 0, -1}, {Outcomes(9, 0), -1, 1}} {
		i, err := Limits(c.values, .05)
		if err != nil || c.low >= 0 && i.Low != c.low || c.high >= 0 && i.High != c.high || i.Low > i.High {
			t.Errorf("%v: %v, %v", c.values, i, err)
		}
	}
	// Evidence of straight passes is 0.4/m^n or a little more.
	one, _ := Limits(Outcomes(40, 0), .05)
	if low := math.Pow(.4*.05, 1.0/40); one.Low < low || one.Low > low+.02 {
		t.Errorf("%v, and the bet on everything alone has %v", one.Low, low)
	}
	for _, bad := range [][]Value{{{-.1, 1}}, {{1.5, 1}}, {{math.NaN(), 1}}, {{.5, -1}}} {
		if _, err := Limits(bad, .05); err == nil {
			t.Errorf("%v", bad)
		}
	}
	if _, err := Limits(values, 1); err == nil {
		t.Error("an alpha of 1")
	}
}

// A test of pairs against all sequences, one by one.
func TestPairsAgainstEnumeration(t *testing.T) {
	const delta, alpha, beta = .6, .3, .3
	test, err := NewPairTest(t.Context(), delta, alpha, beta)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]float64{{.1, .1}, {.3, .05}, {.45, .45}, {.7, .1}, {0, 0}} {
		var want PairExpectation
		open := 0.0
		var each func(p sprt.Differences, n int, mass float64)
		each = func(p sprt.Differences, n int, mass float64) {
			switch {
			case mass == 0:
			case n > 0 && NotWorse(p, delta) >= -math.Log(beta):
				want.Pass += mass
			case n > 0 && Worse(p) >= -math.Log(alpha):
				want.Fail += mass
			case n == 9:
				open += mass
			default:
				want.Pairs += mass
				each(sprt.Differences{Broke: p.Broke + 1, Same: p.Same, Mended: p.Mended}, n+1, mass*r[0])
				each(sprt.Differences{Broke: p.Broke, Same: p.Same, Mended: p.Mended + 1}, n+1, mass*r[1])
				each(sprt.Differences{Broke: p.Broke, Same: p.Same + 1, Mended: p.Mended}, n+1, mass*(1-r[0]-r[1]))
			}
		}
		each(sprt.Differences{}, 0, 1)
		have := test.At(r[0], r[1])
		if !(have.Pass >= want.Pass-1e-9 && have.Pass <= want.Pass+open+1e-9 && have.Fail >= want.Fail-1e-9 &&
			have.Fail <= want.Fail+open+1e-9 && have.Pairs >= want.Pairs-1e-9) || open > .35 {
			t.Errorf("%v: %+v, want %+v and %v open", r, have, want, open)
		}
	}
}

// Errors of pairs over all looks, at rates of both sides.
func TestErrorsOfPairs(t *testing.T) {
	test, err := NewPairTest(t.Context(), .1, .05, .1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{.99, .95, .9, .8, .5, .2} {
		same, worse := test.At(p*(1-p), p*(1-p)), test.At(p*(1-p+.1), (1-p)*(p-.1))
		t.Logf("%v: unchanged %+v, worse by 10 points %+v", p, same, worse)
		if same.Fail > .05 || worse.Pass > .1 || same.Pass < .9 && p > .8 || worse.Fail < .8 && p > .8 {
			t.Errorf("%v: %+v, %+v", p, same, worse)
		}
	}
}
