package stratified

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

// planPairs makes the tests against a baseline.
func (d *Design) planPairs() error {
	q := d.question
	share := pairShare * q.Alpha / float64(q.Scenarios)
	made := map[int]*pairFloor{} // by weight
	for i := range q.Scenarios {
		w := q.Weight(i)
		if made[w] == nil {
			t, err := newPairFloor(q, w, share)
			if err != nil {
				return err
			}
			made[w] = t
		}
		d.floors[i] = made[w]
		d.promise.Collapses += made[w].collapses
		d.promise.Clears = max(d.promise.Clears, made[w].clears)
	}
	alpha := q.Alpha - d.promise.Collapses
	d.mean = &pairRule{question: q, worse: math.Log(1 / alpha), notWorse: math.Log(1 / q.Beta)}
	d.promise.MeanFails, d.promise.MeanPasses = alpha, q.Beta
	d.promise.FalseFail = d.promise.Collapses + alpha
	d.promise.FalsePass = max(d.promise.Clears, q.Beta)
	return nil
}

// pairRule decides by bets on the differences of pairs, after whole rounds.
//
// Let D be 1 where the baseline's trial of a pair passed alone, -1 where the candidate's did, and else 0.
//
// Theorem. Where the mean of D over the pairs of a round is at most c, the product of 1 + l(D-c) over them has an
// expectation of at most 1, for each bet l from 0 on that loses no more than there is, whatever the rates of single
// pairs are and whatever both trials of a pair have to do with each other.
//
// Argument: log E = Σ log(1 + l(E D_i - c)) <= l Σ (E D_i - c) <= 0. So over whole rounds the product is a
// supermartingale from 1 on, and so is a mixture over bets; it ever reaches 1/error with the chance of error at most
// (Ville 1939). It holds between rounds only. For a Fail c is 0. For a Pass the bets are on -D, and c is -delta: no
// bound on how many pairs differ is needed.
type pairRule struct {
	question        Question
	worse, notWorse float64 // logarithms that the evidence has to reach
}

// Bets are shares of the largest bet that cannot lose more than there is, with their weights: chosen for few rounds of
// 20 scenarios at rates from 0.9 to 1 and a drop of 10 points. They touch no error.
var (
	betsWorse    = []bet{{0.4, 0.5}, {0.7, 0.5}}
	betsNotWorse = []bet{{0.45, 0.7}, {0.85, 0.3}}
)

type bet struct{ share, weight float64 }

// evidence are the logarithms for a Fail and for a Pass.
func (r *pairRule) evidence(x sprt.Differences) (worse, notWorse float64) {
	delta := r.question.Delta
	return mixed(x, 1, 0, betsWorse), mixed(sprt.Differences{Broke: x.Mended, Same: x.Same, Mended: x.Broke},
		1/(1-delta), -delta, betsNotWorse)
}

// mixed is the logarithm of the mixture of products of 1 + l(D-c).
func mixed(x sprt.Differences, largest, c float64, bets []bet) float64 {
	sum := 0.0
	for _, b := range bets {
		l := largest * b.share
		sum += b.weight * math.Exp(float64(x.Broke)*math.Log1p(l*(1-c))+float64(x.Same)*math.Log1p(-l*c)+
			float64(x.Mended)*math.Log1p(-l*(1+c)))
	}
	return math.Log(sum)
}

// outcome is the decision after differences of whole rounds.
func (r *pairRule) outcome(x sprt.Differences) sprt.Outcome {
	switch worse, notWorse := r.evidence(x); {
	case worse >= r.worse:
		return sprt.Fail
	case notWorse >= r.notWorse:
		return sprt.Pass
	}
	return sprt.Undecided
}

// decide looks after each round.
func (r *pairRule) decide(v view) (sprt.Outcome, int) {
	var x sprt.Differences
	for round := 1; round <= r.question.MaxRounds; round++ {
		for i, list := range v.candidate {
			w := r.question.Weight(i)
			for n := (round - 1) * w; n < round*w; n++ {
				if n >= len(list) || n >= len(v.baseline[i]) {
					return sprt.Undecided, round
				}
				switch {
				case list[n] && !v.baseline[i][n]:
					x.Broke++
				case !list[n] && v.baseline[i][n]:
					x.Mended++
				default:
					x.Same++
				}
			}
		}
		if o := r.outcome(x); o != sprt.Undecided {
			return o, round
		}
	}
	return sprt.Inconclusive, r.question.MaxRounds
}

// pairFloor decides whether a scenario has collapsed beside its baseline: lost 1 - To or more of its passes, so that
// it passes To at most. It is cleared by the candidate's trials alone.
type pairFloor struct {
	clear     []int             // failures of the candidate, at most, by trials
	lead      []int             // pairs that broke less those that were mended, at least, by pairs; or
	stored    []sprt.Boundaries // those of the candidate, by failures of the stored baseline
	recorded  int               // trials of the stored baseline
	collapses float64           // exact, or proved of a stored baseline
	clears    float64           // exact
}

// newPairFloor makes the test of a scenario of a weight, with so much for a false collapse.
func newPairFloor(q Question, weight int, alpha float64) (*pairFloor, error) {
	alone, err := floorWithin(Floor{From: 1 - (1-q.Floor.To)*lossHalf, To: q.Floor.To}, alpha, q.Beta)
	if err != nil {
		return nil, err
	}
	t := &pairFloor{clear: alone.boundaries.PassAtOrBelow}
	t.clears = passes(t.clearing(), q.Floor.To)
	if q.Sides == Stored {
		t.recorded = q.MaxRounds * weight
		t.storedBoundaries(q.Floor.To, alpha)
		return t, nil
	}
	differ := 0.5 // of independent trials, at most: 2p(1-p)
	if q.Sides == Matched {
		differ = 1
	}
	slope := (1 - q.Floor.To) / 2
	t.lead = make([]int, len(t.clear))
	straight := int(math.Ceil(math.Log(alpha/2)/math.Log(differ/2) - 1e-9)) // pairs that all broke
	set := func(first float64) []int {
		lead := make([]int, len(t.lead))
		for n := range lead {
			lead[n] = int(math.Ceil(first + slope*float64(n+1) - 1e-9))
			if n < straight {
				lead[n] = min(lead[n], straight)
			}
		}
		return lead
	}
	first := closest(60, func(first float64) bool { return leads(set(first), differ) <= alpha })
	t.lead = set(first)
	t.collapses = leads(t.lead, differ)
	return t, nil
}

// clearing are the boundaries that clear a scenario, whatever else comes of it.
func (t *pairFloor) clearing() sprt.Boundaries {
	b := sprt.Boundaries{PassAtOrBelow: t.clear, FailAtOrAbove: make([]int, len(t.clear))}
	for i := range b.FailAtOrAbove {
		b.FailAtOrAbove[i] = sprt.Never
	}
	return b
}

// lossHalf places the rate that clear lines are drawn from: chosen, so that a loss of 70 points has those of a floor
// from 0.7 to 0.3.
const lossHalf = 3. / 7

// leads is the chance that a scenario that is no worse ever leads by so much, of pairs of which so many differ.
//
// It is the largest of all: a pair that is no worse breaks no more often than it mends, and the boundary never falls as
// pairs are added. Of two walks with the same steps up and down the one with fewer pairs that differ takes each step
// later, where the boundary is as high or higher, so it crosses no sooner.
func leads(lead []int, differ float64) (crossed float64) {
	middle := len(lead)
	going := make([]float64, 2*middle+3)
	going[middle+1] = 1
	for n, at := range lead {
		next := make([]float64, len(going))
		for k := middle + 1 - n; k <= middle+1+n; k++ {
			next[k] += going[k] * (1 - differ)
			next[k+1] += going[k] * differ / 2
			next[k-1] += going[k] * differ / 2
		}
		for k := max(middle+1+at, 0); k < len(next); k++ {
			crossed += next[k]
			next[k] = 0
		}
		going = next
	}
	return crossed
}

// storedBoundaries sets the boundaries of the candidate for each number of failures of the baseline: likelihood ratios
// of To and a rate that the baseline reaches rarely with so few failures, with one limit for all. As many straight
// failures as fit into a share of alpha are enough too: a scenario that is broken has nothing else.
//
// The chance of a false collapse is the largest, over all rates p, of Σ P(baseline fails g | p) P(collapse by g | p).
// The second factor falls with p and the first has one peak. So between two rates of a grid it is bounded by the second
// at the lower rate and the first at its largest in between.
func (t *pairFloor) storedBoundaries(to, alpha float64) {
	const seldom = 0.1 // chosen
	trials := len(t.clear)
	var from []float64
	for g := 0; g < t.recorded; g++ {
		rate := lowest(t.recorded, g, seldom)
		if rate <= to+0.1 {
			break
		}
		from = append(from, rate)
	}
	straight := make([]int, len(from))
	for g := range from {
		straight[g] = t.fewestStraight(g, alpha*straightShare(g))
	}
	set := func(limit float64) []*floorTest {
		tests := make([]*floorTest, len(from))
		for g, rate := range from {
			b := lines(Floor{rate, to}, trials, limit, math.Inf(1))
			if n := straight[g]; n <= trials {
				b.FailAtOrAbove[n-1] = min(b.FailAtOrAbove[n-1], n)
			}
			tests[g], _ = newFloorTest(b) // valid: it never passes
		}
		return tests
	}
	limit := closest(40, func(limit float64) bool { return t.falseCollapse(set(limit)) <= alpha })
	tests := set(limit)
	for _, x := range tests {
		t.stored = append(t.stored, x.boundaries)
	}
	t.collapses = t.falseCollapse(tests)
}

// straightShare is the share of alpha that straight failures may take, by failures of the baseline: chosen.
func straightShare(failures int) float64 {
	if failures == 0 {
		return 0.6
	}
	return 0.2 * math.Pow(2, -float64(failures))
}

// fewestStraight is the fewest straight failures of a candidate that come with so many of the baseline with a chance of
// alpha at most, over all rates: p^(n-g) (1-p)^(g+k) is largest at p = (n-g)/(n+k).
func (t *pairFloor) fewestStraight(failures int, alpha float64) int {
	for k := 1; ; k++ {
		p := float64(t.recorded-failures) / float64(t.recorded+k)
		if binomialAt(t.recorded, failures, 1-p)*math.Pow(1-p, float64(k)) <= alpha {
			return k
		}
	}
}

// lowest is the rate at which so few failures or fewer have a given chance.
func lowest(trials, failures int, chance float64) float64 {
	low, high := 0.0, 1.0
	for range 40 {
		rate, sum := (low+high)/2, 0.0
		for f, p := range binomial(trials, 1-rate) {
			if f <= failures {
				sum += p
			}
		}
		if sum < chance {
			low = rate
		} else {
			high = rate
		}
	}
	return low
}

// falseCollapse bounds the chance of a false collapse over all rates.
func (t *pairFloor) falseCollapse(tests []*floorTest) (most float64) {
	const steps = 400
	for k := range steps {
		low, high := float64(k)/steps, float64(k+1)/steps
		sum := 0.0
		for g, test := range tests {
			peak := 1 - float64(g)/float64(t.recorded)
			at := math.Min(math.Max(peak, low), high)
			sum += binomialAt(t.recorded, g, 1-at) * test.collapses(low)
		}
		most = math.Max(most, sum)
	}
	return most
}

// stand is where a scenario stands, and after how many trials.
func (t *pairFloor) stand(v view, i, counted int) (s Standing, used int) {
	failures, lead := 0, 0
	baseline := v.baseline[i]
	recorded := 0 // failures
	for _, failed := range baseline {
		if failed {
			recorded++
		}
	}
	for n, failed := range v.candidate[i] {
		if n >= len(t.clear) || s == Cleared && n >= counted {
			break
		}
		used = n + 1
		if failed {
			failures++
		}
		if n < len(baseline) && t.lead != nil {
			switch {
			case failed && !baseline[n]:
				lead++
			case !failed && baseline[n]:
				lead--
			}
		}
		switch {
		case t.lead != nil && n < len(baseline) && lead >= t.lead[n],
			recorded < len(t.stored) && failures >= t.stored[recorded].FailAtOrAbove[n]:
			return Collapsed, used
		case failures <= t.clear[n]:
			s = Cleared
		}
	}
	return s, used
}

// most is the number of trials after which the test of a scenario says nothing more.
func (t *pairFloor) most() int { return len(t.clear) }
