package race

import (
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// dear is from how many times the price of the cheapest arm on an arm waits. It is chosen.
const dear = 2

// Rest is what going on with a race may bring and must take.
type Rest struct {
	// At most so much is gained on average, in rates from 0 to 1, by choosing an arm other than the leader.
	Gain float64
	Cost float64 // in USD, of the fewest trials that may still end the race
}

// Unpriced reports whether the race waits for prices: as many rounds as the lead are judged, before which none could be
// dropped.
func (r *Race) Unpriced() bool { return !r.priced && r.at == r.rule.Lead }

// Price tells what a trial of each arm costs, in USD; nil is that it is not known, and then prices count for nothing.
// It is to be the mean of the rounds before the race is [Race.Unpriced]. An arm that is [dear] waits until the others
// have ended their race, and then makes up for the rounds: it is left out where that costs more than it may gain.
func (r *Race) Price(prices []float64) error {
	if !r.Unpriced() {
		return fmt.Errorf("the race does not wait for prices")
	}
	if prices != nil && len(prices) != len(r.arms) {
		return fmt.Errorf("%d prices are not of %d variants", len(prices), len(r.arms))
	}
	for _, p := range prices {
		if !(p >= 0) || math.IsInf(p, 1) {
			return fmt.Errorf("the price %v must be finite and not negative", p)
		}
	}
	r.priced, r.prices = true, slices.Clone(prices)
	if prices != nil {
		racing := r.Racing()
		cheapest := math.Inf(1)
		for _, i := range racing {
			cheapest = math.Min(cheapest, prices[i])
		}
		for _, i := range racing {
			r.arms[i].waits = prices[i] >= dear*cheapest && prices[i] > cheapest
		}
		r.weigh()
	}
	r.advance()
	return nil
}

// weigh ends the race of those that take part where the rest of it costs more than it may gain.
func (r *Race) weigh() {
	racing := r.Racing()
	if r.prices == nil || len(racing) < 2 {
		return
	}
	if rest := r.restOf(racing); r.tooDear(rest) {
		if waiting := r.Waiting(); len(waiting) > 0 {
			r.call(waiting)
			return
		}
		r.end, r.rest = NotWorth, rest
	}
}

// call has arms that have waited race on, from the round in which they began to wait, or ends the race without them.
func (r *Race) call(waiting []int) {
	at := r.at
	for _, i := range r.Racing() {
		r.arms[i].paid = at
	}
	r.at = r.rule.Lead
	for _, i := range waiting {
		r.arms[i].waits = false
	}
	if rest := r.restOf(append(r.Racing(), waiting...)); r.tooDear(rest) {
		for _, i := range waiting {
			r.arms[i].waits = true
		}
		r.at, r.end, r.rest = at, NotWorth, rest
	}
}

func (r *Race) tooDear(rest Rest) bool { return rest.Cost > 100*r.rule.Worth*rest.Gain }

// restOf is what going on with these arms may bring and must take, by what the race has judged. The gain sums, over all
// but the leader, by how much it is better on average: its positive part, with a uniform prior for each rate and errors
// left out. No choice among them gains more. An arm that is g passes behind takes r-g rounds at least until it can be
// dropped.
func (r *Race) restOf(list []int) (rest Rest) {
	leader := list[0]
	for _, i := range list {
		if r.arms[i].passes[r.at] > r.arms[leader].passes[r.at] {
			leader = i
		}
	}
	longest := 0
	for _, i := range list {
		if i == leader {
			continue
		}
		rounds := r.rule.Lead - r.BehindAt(i, r.at, list)
		longest = max(longest, rounds)
		rest.Cost += r.price(i, rounds)
		rest.Gain += betterBy(r.shape(i), r.shape(leader))
	}
	rest.Cost += r.price(leader, longest)
	return rest
}

// price is what so many rounds more of an arm cost that were not paid for.
func (r *Race) price(place, rounds int) float64 {
	a := &r.arms[place]
	return r.prices[place] * float64(max(0, r.at+rounds-max(r.at, a.paid)))
}

// shape is the posterior Beta distribution of an arm's rate by what the race has judged.
func (r *Race) shape(place int) [2]float64 {
	a := &r.arms[place]
	passes := a.passes[r.at]
	return [2]float64{float64(1 + passes), float64(1 + r.at - passes - a.errors[r.at])}
}

// betterBy is the mean of the positive part of X-Y for independent X and Y with these Beta distributions: the integral
// of P(X > t) P(Y <= t), by Simpson's rule.
func betterBy(x, y [2]float64) float64 {
	const steps = 512
	sum := 0.0
	for i := 1; i < steps; i++ { // it is 0 at both ends
		t := float64(i) / steps
		_, above := special.BetaTails(x[0], x[1], t, 1-t)
		below, _ := special.BetaTails(y[0], y[1], t, 1-t)
		sum += float64(2+2*(i%2)) * above * below
	}
	return sum / (3 * steps)
}

// Rest is what was left where the race ended as going on was not worth it; the zero value elsewhere.
func (r *Race) Rest() Rest { return r.rest }
