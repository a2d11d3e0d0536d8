package stratified

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/tribunal-dev/tribunal/sprt"
)

// floorTest decides whether a scenario has collapsed. It looks at the scenario's own trials alone, so the tests of
// different scenarios are independent, whatever stops them or the suite.
type floorTest struct {
	boundaries sprt.Boundaries // of the trials until it is cleared
	oneSided   *sprt.Lattice   // the same without Pass
}

// newFloorTest makes a test from boundaries.
func newFloorTest(b sprt.Boundaries) (*floorTest, error) {
	alone := b.Clone()
	for i := range alone.PassAtOrBelow {
		alone.PassAtOrBelow[i] = -1
	}
	lattice, err := alone.Lattice()
	return &floorTest{b, lattice}, err
}

// collapses is the largest probability of a collapse at a rate, however long the scenario is tried: a cleared one may
// still collapse.
func (t *floorTest) collapses(rate float64) float64 { return t.oneSided.At(rate).Fail }

// close says that no test tells the rates of a floor apart.
func (f Floor) close() error {
	return &sprt.HypothesesError{Field: "floor from", Value: f.From,
		Problem: fmt.Sprintf("is too close to its other rate, %v", f.To)}
}

// floorWithin returns the test of a floor with so much for a false collapse and a false clearing.
//
// It clears after the fewest straight passes that keep beta, and collapses after the fewest straight failures that take
// half of alpha at most: most scenarios have no failure, and those that are broken nothing else. Else it collapses
// where the likelihood ratio of both rates reaches a limit, and is cleared where that of To and a good rate does (Wald
// 1947): of scenarios that have failed once most are good. The limits are the closest for which the exact errors hold.
func floorWithin(f Floor, alpha, beta float64) (*floorTest, error) {
	h := sprt.Hypotheses{Threshold: f.From, Delta: f.From - f.To, Alpha: alpha, Beta: beta}
	if err := h.Validate(); err != nil {
		return nil, err
	}
	fixed, ok := h.FixedSample()
	if !ok {
		return nil, f.close()
	}
	trials := 3 * fixed.Trials // chosen: what is left then has next to no part in the errors
	// Where both rates are as likely it ends at last.
	even := int(math.Log(f.From/f.To) / (math.Log(f.From/f.To) + math.Log((1-f.To)/(1-f.From))) * float64(trials))
	passes := int(math.Ceil(math.Log(beta)/math.Log(f.To) - 1e-9))
	failures := int(math.Ceil(math.Log(alpha/2)/math.Log(1-f.From) - 1e-9))
	good := Floor{From: f.From + (1-f.From)/6, To: f.To} // chosen
	at := func(fail, pass float64) sprt.Boundaries {
		b := lines(f, trials, fail, math.Inf(1))
		for i, clear := range lines(good, trials, math.Inf(1), pass).PassAtOrBelow {
			b.PassAtOrBelow[i] = min(clear, b.FailAtOrAbove[i]-1)
		}
		b.PassAtOrBelow[trials-1], b.FailAtOrAbove[trials-1] = even, even+1
		b.PassAtOrBelow[passes-1] = max(b.PassAtOrBelow[passes-1], 0)
		b.FailAtOrAbove[failures-1] = min(b.FailAtOrAbove[failures-1], failures)
		return b
	}
	const widest = 40 // nats
	never := math.Inf(1)
	// The first limits that hold, in steps that are finer than those of the lattice.
	fail := closest(widest, func(limit float64) bool {
		t, err := newFloorTest(at(limit, never))
		return err == nil && t.collapses(f.From) <= alpha
	})
	pass := closest(widest, func(limit float64) bool {
		c, err := at(fail, limit).Characteristics(f.To)
		return err == nil && c.Pass <= beta
	})
	return newFloorTest(at(fail, pass))
}

// closest is the least limit that holds, of those up to a widest; errors fall as a limit rises.
func closest(widest float64, holds func(limit float64) bool) float64 {
	const steps = 4000
	i := sort.Search(steps, func(i int) bool { return holds(widest * float64(i+1) / steps) })
	return widest * float64(i+1) / steps
}

// lines are boundaries where the logarithm of the likelihood ratio of both rates reaches a limit on either side.
func lines(f Floor, trials int, fail, pass float64) sprt.Boundaries {
	b := sprt.Boundaries{PassAtOrBelow: make([]int, trials), FailAtOrAbove: make([]int, trials)}
	failing, passing := math.Log((1-f.To)/(1-f.From)), math.Log(f.To/f.From)
	for n := 1; n <= trials; n++ {
		// failures·failing + (n-failures)·passing >= fail, and <= -pass.
		from := (fail - float64(n)*passing) / (failing - passing)
		to := (-pass - float64(n)*passing) / (failing - passing)
		b.FailAtOrAbove[n-1], b.PassAtOrBelow[n-1] = sprt.Never, -1
		if from <= float64(n) {
			b.FailAtOrAbove[n-1] = max(int(math.Ceil(from-1e-9)), 0)
		}
		if to >= 0 {
			b.PassAtOrBelow[n-1] = int(math.Floor(to + 1e-9))
		}
	}
	return b
}

// ownFloor returns the test of a scenario with a floor of its own: the one with the fewest expected trials, which
// always decides.
func ownFloor(ctx context.Context, f Floor, alpha, beta float64) (*floorTest, error) {
	h := sprt.Hypotheses{Threshold: f.From, Delta: f.From - f.To, Alpha: alpha, Beta: beta}
	fixed, ok := h.FixedSample()
	if !ok {
		return nil, f.close()
	}
	// The error of a test without Pass is somewhat larger: it is what has to hold.
	for {
		plan, err := sprt.Optimal(ctx, h, sprt.OptimalOptions{MaxTrials: fixed.Trials * 7 / 5})
		if err != nil {
			return nil, err
		}
		t, err := newFloorTest(plan.Design.Boundaries)
		if err != nil || t.collapses(f.From) <= alpha {
			return t, err
		}
		h.Alpha *= math.Min(alpha/t.collapses(f.From), 0.98)
		if fixed, ok = h.FixedSample(); !ok {
			return nil, f.close()
		}
	}
}

// anyCollapse bounds the probability that any scenario collapses by mistake, over every vector of rates of which none
// is below the minimum and the failure rates add up to so much at most, where scenarios count by their weights.
//
// Theorem. Let a(q) be the chance of a collapse at the failure rate q, and c the largest a(q)/q. Then the sum of all
// a(q_i) = Σ q_i·a(q_i)/q_i is c·Σ q_i at most; and Σ q_i is largest where the scenarios of the least weight have all
// that they may. So few scenarios can be near the floor while the mean holds, and each may use a larger part of alpha
// than one of as many as there are.
//
// a rises with q, so between two rates of a grid a(q)/q is at most the upper a over the lower q.
func (t *floorTest) anyCollapse(f Floor, weights []int, sum float64) float64 {
	limit := 1 - f.From
	sorted := append([]int(nil), weights...)
	sort.Ints(sorted)
	rates, rest := 0.0, sum
	for _, w := range sorted {
		rate := math.Min(limit, rest/float64(w))
		rates += rate
		rest -= rate * float64(w)
	}
	const steps, ratio = 4000, 0.999
	most, high, highest := 0.0, limit, t.collapses(1-limit)
	for range steps {
		low := high * ratio
		most = math.Max(most, highest/low)
		high, highest = low, t.collapses(1-low)
	}
	// Below the grid a is at most what it is there.
	return most*rates + float64(len(weights))*highest
}
