package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Need is how many trials to record of a baseline.
type Need struct {
	Trials int // of the baseline, to be recorded once
	// Unchanged and Dropped are the trials that each later candidate is expected to take, if nothing changed and after
	// a drop by delta.
	Unchanged, Dropped float64
	// Total is what all of it takes if nothing changes: Trials, and Unchanged for each candidate.
	Total float64
	// Plan is the test of the candidates where the baseline comes to what is expected. What it comes to less often has a
	// test too, but for one case in forty at most.
	Plan Plan
}

// Needed returns how many trials of a baseline to record once, if it passes at a rate and so many candidates are
// tested against it later: the number at which all trials together are fewest, if nothing changes, to two digits. The
// more are recorded, the fewer each candidate takes, down to what a known rate would. The rate lies above the drop that
// is asked for, and is at most 1.
//
// The search compares tests that are near the best; the answer's is planned in full. The total is flat around its least
// value, so that the number matters little there. A [TooSmallError] says that no baseline of up to 100,000 trials would
// do.
func Needed(ctx context.Context, q Question, rate float64, candidates int, o Options) (Need, error) {
	if !(rate > q.Delta && rate <= 1) {
		problem := fmt.Sprintf("must be above delta %v and at most 1", q.Delta)
		return Need{}, &HypothesesError{"the expected pass rate", rate, problem}
	}
	if candidates < 1 {
		return Need{}, &HypothesesError{"the number of candidates", float64(candidates), "must be at least 1"}
	}
	if q.Guard > rate {
		problem := fmt.Sprintf("must be at least the lowest guarded one, %v", q.Guard)
		return Need{}, &HypothesesError{"the expected pass rate", rate, problem}
	}
	smallest, err := Fixed(1)
	if err != nil {
		return Need{}, err
	}
	if _, err := NewChain(q, smallest, o); err != nil {
		return Need{}, err
	}
	// Numbers of two digits, up to where the total has risen for a while.
	best, at, worse := math.Inf(1), 0, 0
	for trials := 10; trials <= mostBaseline && worse < needWorse; trials = nextRound(trials, needStep) {
		expected, ok, err := q.roughly(ctx, rate, trials, o)
		if err != nil {
			return Need{}, err
		}
		if !ok {
			continue
		}
		if total := float64(trials) + float64(candidates)*expected; total < best {
			best, at, worse = total, trials, 0
		} else {
			worse++
		}
	}
	// What is near enough in the rough search may still be refused, or have no family: a little more will do.
	for range needTries {
		if at == 0 || at > mostBaseline {
			break
		}
		sample, err := Fixed(at)
		if err != nil {
			return Need{}, err
		}
		plan, err := Against(ctx, q, sample, usualOutcome(at, rate), o)
		if err == nil {
			n := Need{Trials: at, Plan: plan}
			n.Unchanged = plan.Family.At(rate, rate).ExpectedTrials
			n.Dropped = plan.Family.At(rate, rate-q.Delta).ExpectedTrials
			n.Total = float64(at) + float64(candidates)*n.Unchanged
			return n, nil
		}
		if ctx.Err() != nil {
			return Need{}, err
		}
		at = nextRound(at, needStep)
	}
	return Need{}, &TooSmallError{Trials: mostBaseline, Delta: q.Delta, Needed: mostBaseline + 1}
}

const (
	// All are chosen.
	needStep  = 1.25 // from one number of trials to the next
	needWorse = 3    // numbers in a row with a larger total, before the search ends
	needTries = 8
)

// nextRound is a number larger by a factor, rounded up to two digits.
func nextRound(x int, factor float64) int {
	digits := math.Pow(10, math.Floor(math.Log10(float64(x)*factor))-1)
	return max(int(math.Ceil(float64(x)*factor/digits)*digits), x+1)
}

// unluckyOutcome is an outcome with so few passes that only one baseline in forty has fewer.
func unluckyOutcome(trials int, rate float64) Outcome {
	b := dist.Binomial{N: trials, P: rate}
	failures, tail := trials, 0.0
	for failures > 0 {
		if tail += b.Prob(trials - failures); tail > unlucky {
			break
		}
		failures--
	}
	return Outcome{trials, failures}
}

// unlucky is the share of baselines that may come to less than is planned for; chosen.
const unlucky = 0.025

// roughly is the number of trials that a candidate is expected to take beside so many of a baseline, if nothing
// changed, of a test that is near the best one; false if there is none, or none for an unlucky baseline.
func (q Question) roughly(ctx context.Context, rate float64, trials int, o Options) (float64, bool, error) {
	sample, err := Fixed(trials)
	if err != nil {
		return 0, false, err
	}
	usual, err := q.problemOf(sample, usualOutcome(trials, rate))
	if err != nil || usual == nil {
		return 0, false, err
	}
	unlucky, err := q.problemOf(sample, unluckyOutcome(trials, rate))
	if err != nil || unlucky == nil {
		return 0, false, err
	}
	if unlucky.h != usual.h {
		if fixed, err := unlucky.fixed(ctx); err != nil || fixed == 0 {
			return 0, false, err
		}
	}
	return usual.roughly(ctx, rate, o)
}

// problemOf is that of the tier that an outcome belongs to, by itself; nil if it belongs to none.
func (q Question) problemOf(sample Sample, o Outcome) (*problem, error) {
	p := &problem{h: q.hypotheses(q.Guard), sample: sample}
	if q.Guard > 0 {
		return p, nil
	}
	p.gamma = q.gamma()
	interval, err := sample.Guard(o, p.gamma)
	if err != nil {
		return nil, err
	}
	// The first tier holds those before it. Where it cannot be planned one of these may do, for few baselines: that
	// is not what is recommended.
	guards, first := guardsOf(sample, q.Delta, p.gamma)
	for tier, low := range guards {
		if tier >= first && low <= interval.Low || tier == len(guards)-1 && low < shareOf(o) {
			p.h = q.hypotheses(low)
			return p, nil
		}
	}
	return nil, nil
}

// usualOutcome is the expected one.
func usualOutcome(trials int, rate float64) Outcome {
	return Outcome{trials, int(math.Round(float64(trials) * (1 - rate)))}
}

// fixed is [fixedTrials], after a quick look at whether the noise of the baseline leaves any room.
func (p problem) fixed(ctx context.Context) (int, error) {
	z := dist.NormalUpperQuantile(p.h.Alpha) + dist.NormalUpperQuantile(p.h.Beta)
	worst := math.Max(p.h.Guarded.Low, 0.5)
	if z*z*worst*(1-worst)/float64(p.sample.mostTrials()) > p.h.Delta*p.h.Delta {
		return 0, ctx.Err()
	}
	return fixedTrials(ctx, p)
}

// roughly solves the problem on a coarse grid, with few rounds of prices.
func (p problem) roughly(ctx context.Context, rate float64, o Options) (float64, bool, error) {
	favour, err := o.check(MostTrials)
	if err != nil {
		return 0, false, err
	}
	fixed, err := p.fixed(ctx)
	if err != nil || fixed == 0 {
		return 0, false, err
	}
	trials := o.MaxTrials
	if trials == 0 {
		trials = min(int(math.Ceil(overhead*float64(fixed))), MostTrials)
	}
	giveUp := math.Inf(1)
	if trials < fixed {
		giveUp = float64(trials)
	}
	s := newSearch(p, trials, favour, giveUp, fixedDensity)
	prices := firstPrices(len(s.rates))
	expected, weight := 0.0, 0.0
	for round := range roughRounds {
		if err := ctx.Err(); err != nil {
			return 0, false, err
		}
		_, total := s.round(prices)
		// The last rounds are near the best prices, a little to either side of it.
		if round >= roughRounds-roughMean {
			expected += s.family().At(rate, rate).ExpectedTrials
			weight++
		}
		prices.move(s.room, total, 1.5/(1+float64(round)/6), 1)
	}
	return expected / weight, true, nil
}

const (
	roughRounds = 12 // chosen, like the rest
	roughMean   = 3
)
