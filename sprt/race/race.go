package race

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// Rule says how arms race.
type Rule struct {
	Lead      int // a variant is dropped once it is so many passes behind the leader
	MaxRounds int // after which nothing more is tried
	// Worth in USD of one point of the pass rate, a hundredth. With it dear arms wait, and the race ends where the rest
	// costs more than it may gain; 0: it is not known, and prices count for nothing. See [Race.Price].
	Worth float64
}

// Validate returns an error where no race goes by the rule.
func (r Rule) Validate() error {
	switch {
	case r.Lead < 1 || r.Lead > mostLead:
		return fmt.Errorf("the lead %d is not from 1 to %d", r.Lead, mostLead)
	case r.MaxRounds < r.Lead || r.MaxRounds > MostRounds:
		return fmt.Errorf("%d rounds are not from the lead, %d, to %d", r.MaxRounds, r.Lead, MostRounds)
	case !(r.Worth >= 0) || r.Worth > 1e12:
		return fmt.Errorf("the worth %v must be finite and not negative", r.Worth)
	}
	return nil
}

// End says how a race ended.
type End string

// The ends. The zero value is that of a race that goes on.
const (
	GoesOn      End = ""
	Won         End = "won"          // one arm is left
	OutOfRounds End = "max-rounds"   // several are
	NotWorth    End = "not-worth-it" // several are, and telling them apart costs more than it may gain
)

// Drop is how an arm left the race.
type Drop struct {
	Round  int // after which it was dropped, from 1; 0: it was not
	By     int // the leader then
	Behind int // passes behind the leader
}

// arm is one of those that race.
type arm struct {
	outcomes []trial.Outcome // by round; Unjudged has not ended
	passes   []int           // in the first rounds, by their number; as long as all of them ended
	errors   []int           // likewise
	drop     Drop
	waits    bool
	paid     int // rounds it had when arms that waited were called
}

// judged is how many rounds of the arm have ended without a gap.
func (a *arm) judged() int { return len(a.passes) - 1 }

// Race is a race under way. It follows from the outcomes, and from the prices where the rule has a worth, and not from
// the order in which they become known.
//
// A trial without an outcome counts as a pass where its arm is behind, and as a failure where it leads: a variant is
// dropped only if it is behind by the lead however the errors would have ended.
type Race struct {
	rule   Rule
	arms   []arm
	prices []float64 // of a trial, by arm; nil: not known
	priced bool      // they were told, be it that they are not known
	at     int       // rounds that are judged
	end    End
	rest   Rest // where the race ended as it was not worth it
}

// New begins a race of so many arms.
func New(arms int, rule Rule) (*Race, error) {
	if arms < 2 || arms > MostArms {
		return nil, fmt.Errorf("%d variants are not from 2 to %d", arms, MostArms)
	}
	if err := rule.Validate(); err != nil {
		return nil, err
	}
	r := &Race{rule: rule, arms: make([]arm, arms), priced: rule.Worth == 0}
	for i := range r.arms {
		r.arms[i].passes, r.arms[i].errors = []int{0}, []int{0}
	}
	return r, nil
}

// Observe takes in how the trial of an arm in a round, from 0, ended. Rounds may end in any order, each once. What lies
// beyond the end of the arm or the race counts for nothing.
func (r *Race) Observe(place, round int, o trial.Outcome) error {
	if place < 0 || place >= len(r.arms) || round < 0 || round >= MostRounds {
		return fmt.Errorf("there is no round %d of variant %d", round, place)
	}
	a := &r.arms[place]
	for len(a.outcomes) <= round {
		a.outcomes = append(a.outcomes, trial.Unjudged)
	}
	if o == trial.Unjudged || a.outcomes[round] != trial.Unjudged {
		return fmt.Errorf("round %d of variant %d has ended without an outcome, or twice", round, place)
	}
	a.outcomes[round] = o
	for n := a.judged(); n < len(a.outcomes) && a.outcomes[n] != trial.Unjudged; n++ {
		passes, errors := a.passes[n], a.errors[n]
		switch a.outcomes[n] {
		case trial.Pass:
			passes++
		case trial.Error:
			errors++
		}
		a.passes, a.errors = append(a.passes, passes), append(a.errors, errors)
	}
	r.advance()
	return nil
}

// advance judges the rounds that all arms have ended which take part.
func (r *Race) advance() {
	for r.end == GoesOn {
		racing := r.Racing()
		switch {
		case len(racing) == 1 || r.at == r.rule.MaxRounds:
			r.conclude(racing)
			continue
		case r.Unpriced():
			return
		}
		for _, i := range racing {
			if r.arms[i].judged() <= r.at {
				return
			}
		}
		r.at++
		r.drop(racing)
		r.weigh()
	}
}

// drop drops the arms that are behind by the lead.
func (r *Race) drop(racing []int) {
	leader := r.Leader()
	for _, i := range racing {
		if behind := r.Behind(i); behind >= r.rule.Lead {
			r.arms[i].drop = Drop{Round: r.at, By: leader, Behind: behind}
		}
	}
}

// conclude ends the race, unless arms have waited that are worth their price.
func (r *Race) conclude(racing []int) {
	if waiting := r.Waiting(); len(waiting) > 0 {
		r.call(waiting)
		return
	}
	r.end = OutOfRounds
	if len(racing) == 1 {
		r.end = Won
	}
}

// Racing are the arms that take part in the rounds, in their order.
func (r *Race) Racing() (list []int) {
	for i := range r.arms {
		if r.arms[i].drop.Round == 0 && !r.arms[i].waits {
			list = append(list, i)
		}
	}
	return list
}

// Waiting are the arms that wait for their price, in their order.
func (r *Race) Waiting() (list []int) {
	for i := range r.arms {
		if r.arms[i].waits {
			list = append(list, i)
		}
	}
	return list
}

// Leader is the arm with the most passes among those that race, its errors failures; of several the first.
func (r *Race) Leader() int {
	racing := r.Racing()
	return slices.MaxFunc(racing, func(a, b int) int {
		if n := r.arms[a].passes[r.at] - r.arms[b].passes[r.at]; n != 0 {
			return n
		}
		return b - a
	})
}

// Behind is how many passes an arm that races is behind the leader, its errors passes; at least 0.
func (r *Race) Behind(place int) int {
	a := &r.arms[place]
	return max(0, r.arms[r.Leader()].passes[r.at]-a.passes[r.at]-a.errors[r.at])
}

// BehindAt is how many passes an arm was behind the leader of the given arms after so many rounds, that all of them
// have ended; at least 0.
func (r *Race) BehindAt(place, round int, among []int) int {
	most := 0
	for _, i := range among {
		most = max(most, r.arms[i].passes[round])
	}
	return max(0, most-r.arms[place].passes[round]-r.arms[place].errors[round])
}

// End says how the race ended.
func (r *Race) End() End { return r.end }

// Rounds is how many rounds are judged.
func (r *Race) Rounds() int { return r.at }

// Judged is how many trials of an arm count: those before it was dropped, or all that are judged of one that was not.
func (r *Race) Judged(place int) int {
	a := &r.arms[place]
	switch {
	case a.drop.Round > 0:
		return a.drop.Round
	case a.waits:
		return r.rule.Lead
	}
	return min(a.judged(), r.at)
}

// Counts are the passes and errors among the trials of an arm that count.
func (r *Race) Counts(place int) (passes, errors int) {
	n := r.Judged(place)
	return r.arms[place].passes[n], r.arms[place].errors[n]
}

// Dropped is how an arm left the race; the zero value where it did not.
func (r *Race) Dropped(place int) Drop { return r.arms[place].drop }

// Winner is the arm that is chosen: the last one, or the leader where telling the others apart is not worth it.
func (r *Race) Winner() (int, bool) {
	if r.end == Won || r.end == NotWorth {
		return r.Leader(), true
	}
	return 0, false
}

// Over reports whether an arm needs no more trials for now: it was dropped, the race has ended, or it waits.
func (r *Race) Over(place int) bool {
	return r.end != GoesOn || r.arms[place].drop.Round > 0
}

// Needed is how many trials an arm has in any case, whatever those that have not ended come to: an arm that is g passes
// behind cannot be dropped for r-g rounds, and the race does not end before the last of the others can be.
func (r *Race) Needed(place int) int {
	a := &r.arms[place]
	switch {
	case r.Over(place) || a.waits:
		return r.Judged(place)
	case r.Unpriced():
		return r.rule.Lead
	}
	longest := 0
	for _, i := range r.Racing() {
		if i != place {
			longest = max(longest, r.rule.Lead-r.Behind(i))
		}
	}
	n := r.at + min(longest, r.rule.Lead-r.Behind(place))
	if r.rule.Worth > 0 {
		n = r.at + 1 // it may end after any round
	}
	if !r.priced {
		n = r.rule.Lead
	}
	return min(n, r.rule.MaxRounds)
}
