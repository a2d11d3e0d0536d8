package race

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// enumerate goes over all outcomes of all rounds, and has a [Race] judge each.
func enumerate(t *testing.T, rates []float64, rule Rule) (c Characteristics) {
	t.Helper()
	arms := len(rates)
	c.Chosen = make([]float64, arms)
	for outcomes := range 1 << (arms * rule.MaxRounds) {
		r, err := New(arms, rule)
		if err != nil {
			t.Fatal(err)
		}
		p := 1.0
		for bit := range arms * rule.MaxRounds {
			arm, round := bit%arms, bit/arms
			o := trial.Fail
			if outcomes>>bit&1 == 1 {
				o = trial.Pass
				p *= rates[arm]
			} else {
				p *= 1 - rates[arm]
			}
			if err := r.Observe(arm, round, o); err != nil {
				t.Fatal(err)
			}
		}
		if winner, ok := r.Winner(); ok {
			c.Chosen[winner] += p
		} else {
			c.Undecided += p
		}
		for i := range arms {
			c.Trials += p * float64(r.Judged(i))
		}
		c.Rounds += p * float64(r.Rounds())
	}
	return c
}

func same(t *testing.T, name string, got, want Characteristics, slack float64) {
	t.Helper()
	equal := func(what string, a, b float64) {
		if math.Abs(a-b) > slack*math.Max(1, math.Abs(b)) {
			t.Errorf("%s: %s %v, want %v", name, what, a, b)
		}
	}
	for i := range want.Chosen {
		equal("chosen", got.Chosen[i], want.Chosen[i])
	}
	equal("undecided", got.Undecided, want.Undecided)
	equal("trials", got.Trials, want.Trials)
	equal("rounds", got.Rounds, want.Rounds)
}

func TestExactIsEnumeration(t *testing.T) {
	for _, x := range []struct {
		rates []float64
		rule  Rule
	}{
		{[]float64{0.8, 0.5}, Rule{Lead: 1, MaxRounds: 6}}, {[]float64{0.9, 0.6}, Rule{Lead: 2, MaxRounds: 8}},
		{[]float64{0.9, 0.6, 0.7}, Rule{Lead: 2, MaxRounds: 5}}, {[]float64{0.3, 0.6, 1}, Rule{Lead: 1, MaxRounds: 4}},
		{[]float64{0.5, 0.5, 0.5}, Rule{Lead: 3, MaxRounds: 5}}, {[]float64{0.9, 0.8, 0.7, 0.7}, Rule{Lead: 2, MaxRounds: 4}},
	} {
		got, err := Exact(x.rates, x.rule)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "exact", got, enumerate(t, x.rates, x.rule), 1e-12)
	}
}

// Of two arms the lead is a walk between two walls: the better one is chosen with θ^r/(1+θ^r) (gambler's ruin, Feller
// 1968, chapter XIV), which the guarantee is, and takes r·(θ^r-1)/(θ^r+1)/(p1-p2) rounds, by Wald's identity.
func TestTwoArmsAreGamblersRuin(t *testing.T) {
	for _, rates := range [][]float64{{0.85, 0.75}, {0.6, 0.5}, {0.98, 0.9}} {
		ratio := rates[0] * (1 - rates[1]) / ((1 - rates[0]) * rates[1])
		for _, lead := range []int{1, 2, 5, 8} {
			got, err := Exact(rates, Rule{Lead: lead, MaxRounds: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			power := math.Pow(ratio, float64(lead))
			rounds := float64(lead) * (power - 1) / (power + 1) / (rates[0] - rates[1])
			want := Characteristics{Chosen: []float64{power / (1 + power), 1 / (1 + power)}, Trials: 2 * rounds, Rounds: rounds}
			same(t, "ruin", got, want, 1e-9)
			if g := Guarantee(lead, rates); math.Abs(g-want.Chosen[0]) > 1e-12 {
				t.Errorf("the guarantee is %v, want %v", g, want.Chosen[0])
			}
		}
	}
}

// The best of three and four arms is chosen at least as often as the theorem says, exactly, at rates drawn from
// everywhere. And an arm that is worse than the best by an odds ratio is never chosen more often than the bound for any
// dependence says.
func TestGuaranteeHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	closest := 1.0
	for n := range 120 {
		rates := make([]float64, 3+n%2)
		for i := range rates {
			rates[i] = 0.3 + 0.68*random.Float64()
		}
		for i := range rates { // the best comes first
			if rates[i] > rates[0] {
				rates[0], rates[i] = rates[i], rates[0]
			}
		}
		lead := 1 + random.IntN(4)
		c, err := Exact(rates, Rule{Lead: lead, MaxRounds: 4000})
		if err != nil {
			t.Fatal(err)
		}
		guarantee := Guarantee(lead, rates)
		if c.Chosen[0]+c.Undecided < guarantee-1e-9 {
			t.Errorf("%v, lead %d: %v of %v", rates, lead, c.Chosen[0], guarantee)
		}
		closest = math.Min(closest, c.Chosen[0]-guarantee)
	}
	if closest > 0.05 {
		t.Errorf("the bound is never nearer than %v: these rates show nothing", closest)
	}
}

func TestSimulationIsExact(t *testing.T) {
	for _, rates := range [][]float64{{0.85, 0.75}, {0.9, 0.8, 0.85}} {
		rule := Rule{Lead: 4, MaxRounds: 120}
		want, err := Exact(rates, rule)
		if err != nil {
			t.Fatal(err)
		}
		const n = 10_000
		got, err := Simulate(t.Context(), len(rates), rule, Independent(rates), n, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range want.Chosen {
			if math.Abs(got.Chosen[i]-p) > 4*math.Sqrt(p*(1-p)/n) {
				t.Errorf("%v: arm %d is chosen in %v, want %v", rates, i, got.Chosen[i], p)
			}
		}
		if math.Abs(got.Trials/want.Trials-1) > 0.03 {
			t.Errorf("%v: %v trials, want %v", rates, got.Trials, want.Trials)
		}
	}
}

func TestExactRefuses(t *testing.T) {
	for _, x := range []struct {
		rates []float64
		rule  Rule
	}{
		{[]float64{0.5}, Rule{Lead: 1, MaxRounds: 1}}, {[]float64{0.5, 1.1}, Rule{Lead: 1, MaxRounds: 1}},
		{[]float64{0.5, math.NaN()}, Rule{Lead: 1, MaxRounds: 1}}, {[]float64{0.5, 0.5}, Rule{Lead: 0, MaxRounds: 1}},
		{[]float64{0.5, 0.5, 0.5, 0.5, 0.5}, Rule{Lead: 12, MaxRounds: 100}},
	} {
		if _, err := Exact(x.rates, x.rule); err == nil {
			t.Errorf("%+v: no error", x)
		}
	}
}

// Two arms with n trials each: all ends are enumerated.
func TestFixedTrialsAreEnumeration(t *testing.T) {
	correct := func(n int, best, rest float64) (sum float64) {
		for outcomes := range 1 << (2 * n) {
			p, lead := 1.0, 0
			for bit := range 2 * n {
				rate, sign := best, 1
				if bit >= n {
					rate, sign = rest, -1
				}
				if outcomes>>bit&1 == 1 {
					p *= rate
					lead += sign
				} else {
					p *= 1 - rate
				}
			}
			switch {
			case lead > 0:
				sum += p
			case lead == 0:
				sum += p / 2
			}
		}
		return sum
	}
	for n := 1; n <= 7; n++ {
		if got, want := fixedCorrect(2, n, 0.9, 0.6), correct(n, 0.9, 0.6); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d trials: %v, want %v", n, got, want)
		}
	}
	n, err := FixedTrials(2, 0.9, 0.6, 0.1)
	if err != nil || correct(n, 0.9, 0.6) < 0.9 || correct(n-1, 0.9, 0.6) >= 0.9 {
		t.Errorf("%d trials, %v", n, err)
	}
	if _, err := FixedTrials(2, 0.5, 0.6, 0.1); err == nil {
		t.Error("the best is worse than the rest, and no error")
	}
}

// The curtailed design chooses as the whole one does, with fewer trials; sequential halving takes no more than it is
// given.
func TestOtherWaysToChoose(t *testing.T) {
	rates := []float64{0.9, 0.7, 0.7}
	const each, runs = 30, 10_000
	c, err := Curtailed(t.Context(), rates, each, runs, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := fixedCorrect(3, each, 0.9, 0.7)
	if math.Abs(c.Chosen[0]-want) > 4*math.Sqrt(want*(1-want)/runs) {
		t.Errorf("the best is chosen in %v, want %v", c.Chosen[0], want)
	}
	if c.Trials >= 3*each || c.Trials < each {
		t.Errorf("%v trials of at most %d", c.Trials, 3*each)
	}
	// With one phase it is the fixed design with two arms: both have half of the trials.
	c, err = Halving(t.Context(), rates[:2], 2*each, runs, 1)
	want = fixedCorrect(2, each, 0.9, 0.7)
	if err != nil || math.Abs(c.Chosen[0]-want) > 4*math.Sqrt(want*(1-want)/runs) || c.Trials != 2*each {
		t.Errorf("%+v, %v, want %v", c, err, want)
	}
	c, err = Halving(t.Context(), []float64{0.9, 0.7, 0.7, 0.7, 0.7}, 300, 2000, 1)
	if err != nil || c.Trials > 300 || c.Trials < 250 || c.Chosen[0] < 0.8 {
		t.Errorf("%+v, %v", c, err)
	}
}

// Eight arms, of which one passes at .85 and seven at .75: the race takes at most 650 trials on average, and a fixed
// number of trials of each 1,400, to choose the best with 95 %.
func TestEightArms(t *testing.T) {
	n, err := FixedTrials(8, 0.85, 0.75, 0.05)
	if err != nil || 8*n != 1400 {
		t.Errorf("%d trials, %v, want 1400", 8*n, err)
	}
	rates := []float64{0.75, 0.75, 0.75, 0.75, 0.85, 0.75, 0.75, 0.75}
	ratio, err := OddsRatio(0.85, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	lead, err := LeadFor(8, ratio, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Simulate(t.Context(), 8, Rule{Lead: lead, MaxRounds: UsualRounds(lead, 0.1)}, Independent(rates), 2000, 1)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 1 - c.Chosen[4] - c.Undecided
	if c.Trials > 665 || wrong > 0.05 {
		t.Errorf("%v trials, wrong in %v, undecided in %v", c.Trials, wrong, c.Undecided)
	}
}
