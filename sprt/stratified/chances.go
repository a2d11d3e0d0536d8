package stratified

import (
	"math"
	"slices"
	"sort"

	"github.com/tribunal-dev/tribunal/sprt"
)

// Chances are what a design does at given rates, exactly.
type Chances struct {
	// MeanPasses and MeanFails are those of the mean test, run to its end whatever collapses; what is left is no
	// decision.
	MeanPasses, MeanFails float64
	Rounds                float64 // whole rounds that the mean test takes, on average
	// Trials is, against a threshold, at most the mean number of trials of a run: that of whole rounds, and of what open
	// scenarios take afterwards. A run takes less where a round is cut short, or a collapse ends it. Against a baseline
	// it is that of whole rounds alone, on the sides that are run.
	Trials float64
	Clears []float64 // by scenario: of its own test, run to its end; else it collapses or stays open
}

// At computes the chances at pass rates by scenario; those of the baseline come second, and both sides are independent.
// It returns false where that is not known: of the wrong number of rates, and of a mean that is decided by betting on
// each scenario.
func (d *Design) At(candidate, baseline []float64) (Chances, bool) {
	m := d.question.Scenarios
	switch rule := d.mean.(type) {
	case *sumRule:
		if len(candidate) == m {
			return d.atThreshold(rule, candidate), true
		}
	case *pairRule:
		if len(candidate) == m && len(baseline) == m {
			c, _ := d.atPairs(rule, candidate, baseline)
			return c, true
		}
	}
	return Chances{}, false
}

// atThreshold is At against a threshold.
//
// The rounds follow from the distribution of the failures of all scenarios. What a scenario takes afterwards depends on
// its own failures in these rounds: so they are followed together with those of all.
func (d *Design) atThreshold(rule *sumRule, rates []float64) Chances {
	type kind struct {
		rate   float64
		weight int
		floor  *floorTest
	}
	c := Chances{Clears: make([]float64, len(rates))}
	known := map[kind]joint{}
	for i, rate := range rates {
		k := kind{rate, d.question.Weight(i), d.floors[i].(*floorTest)}
		x, ok := known[k]
		if !ok {
			x = joint{mean: rule.boundaries, floor: k.floor.boundaries, weight: k.weight, rate: rate}
			x.clears = passes(k.floor.boundaries, rate)
			x.follow(d.failures(rates, i))
			known[k] = x
		}
		c.MeanPasses, c.MeanFails, c.Rounds = x.passes, x.fails, x.rounds
		c.Trials += x.extra
		c.Clears[i] = x.clears
	}
	c.Trials += c.Rounds * float64(d.question.Round())
	return c
}

// passes is the chance of Pass at a rate, of boundaries that are valid.
func passes(b sprt.Boundaries, rate float64) float64 {
	c, err := b.Characteristics(rate)
	if err != nil {
		return 0
	}
	return c.Pass
}

// failures is the distribution of the failures of a round but for those of a scenario.
func (d *Design) failures(rates []float64, but int) []float64 {
	p := []float64{1}
	for i, rate := range rates {
		if i != but {
			w := d.question.Weight(i)
			p = convolve(p, binomial(w, 1-rate), len(p)-1+w)
		}
	}
	return p
}

// joint follows the failures of all scenarios and of one of them.
type joint struct {
	mean, floor           sprt.Boundaries
	weight                int
	rate                  float64 // of the one
	passes, fails, rounds float64 // of the mean
	extra                 float64 // trials of the one after the mean has passed, on average
	clears                float64
}

// nextState is a state of the one: its failures and where it stands.
type nextState struct {
	failures int
	standing Standing
}

// follow computes the sums, given the distribution of the failures that the others have in a round.
func (j *joint) follow(others []float64) {
	left := j.left()
	at := func(x nextState) int { return 3*x.failures + int(x.standing) }
	going := [][]float64{{1}, nil, nil} // by own failures and standing, then by failures of all
	for r := 1; r <= j.mean.MaxTrials(); r++ {
		for _, list := range going {
			for _, p := range list {
				j.rounds += p
			}
		}
		// First the trials of the one, then those of the others.
		for n := (r-1)*j.weight + 1; n <= r*j.weight; n++ {
			next := make([][]float64, 3*(n+1))
			for from, list := range going {
				x := nextState{from / 3, Standing(from % 3)}
				for _, step := range []struct {
					failures int
					chance   float64
				}{{0, j.rate}, {1, 1 - j.rate}} {
					to := at(j.step(x, n, step.failures))
					next[to] = add(next[to], list, step.failures, step.chance)
				}
			}
			going = next
		}
		for from, list := range going {
			now := convolve(list, others, len(list)+len(others))
			for f, p := range now {
				switch {
				case f >= j.mean.FailAtOrAbove[r-1]:
					j.fails += p
				case f <= j.mean.PassAtOrBelow[r-1]:
					j.passes += p
					if from%3 == int(Open) && p > 0 {
						j.extra += p * left[r*j.weight][from/3]
					}
				default:
					continue
				}
				now[f] = 0
			}
			going[from] = now[:min(len(now), j.mean.FailAtOrAbove[r-1])]
		}
	}
}

// add adds a distribution to another, moved by a number and times a chance.
func add(to, from []float64, by int, chance float64) []float64 {
	if len(from) == 0 {
		return to
	}
	for len(to) < len(from)+by {
		to = append(to, 0)
	}
	for i, p := range from {
		to[i+by] += p * chance
	}
	return to
}

// step is the state after trial n, which came to so many failures.
func (j *joint) step(x nextState, n, failures int) nextState {
	x.failures += failures
	switch {
	case x.standing == Collapsed || n > j.floor.MaxTrials():
	case x.failures >= j.floor.FailAtOrAbove[n-1]:
		x.standing = Collapsed
	case x.failures <= j.floor.PassAtOrBelow[n-1]:
		x.standing = Cleared
	}
	return x
}

// left are the trials that an open scenario takes on average, by trials and failures so far.
func (j *joint) left() [][]float64 {
	last := max(j.floor.MaxTrials(), j.mean.MaxTrials()*j.weight)
	left := make([][]float64, last+1)
	for n := last; n >= 0; n-- {
		left[n] = make([]float64, n+1)
		if n >= j.floor.MaxTrials() {
			continue
		}
		for f := range left[n] {
			left[n][f] = 1
			for failures, chance := range []float64{j.rate, 1 - j.rate} {
				if x := j.step(nextState{f, Open}, n+1, failures); x.standing == Open {
					left[n][f] += chance * left[n+1][x.failures]
				}
			}
		}
	}
	return left
}

// MostTrials bounds the trials of a run that are not wasted, on the sides that are run.
//
// Against a threshold a mean that passes after some rounds leaves few failures, and a scenario that is open then has
// more than would have cleared it: so few are open. What each of these may take until its test ends is bounded by as
// much as the failures allow, parts of a scenario included.
func (d *Design) MostTrials() (most int) {
	rule, ok := d.mean.(*sumRule)
	if !ok {
		sides := 1
		if d.question.Sides.Paired() {
			sides = 2
		}
		for i := range d.question.Scenarios {
			most += sides * d.MaxTrials(i)
		}
		return most
	}
	for r, failures := range rule.boundaries.PassAtOrBelow {
		trials := float64((r + 1) * d.question.Round())
		type open struct{ failures, trials float64 }
		var list []open
		for i, f := range d.floors {
			b, n := f.(*floorTest).boundaries, (r+1)*d.question.Weight(i)
			if n >= b.MaxTrials() || failures < 0 {
				continue
			}
			list = append(list, open{float64(slices.Max(b.PassAtOrBelow[:n]) + 1), float64(b.MaxTrials() - n)})
		}
		sort.Slice(list, func(a, b int) bool {
			return list[a].trials*list[b].failures > list[b].trials*list[a].failures
		})
		left := float64(failures)
		for _, x := range list {
			share := 1.0
			if x.failures > 0 {
				share = min(1, max(left, 0)/x.failures)
			}
			trials += share * x.trials
			left -= x.failures
		}
		most = max(most, int(math.Ceil(trials-1e-9)))
	}
	return most
}
