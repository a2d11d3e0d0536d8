package stratified

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/sprt"
)

// Evidence are the outcomes of every scenario in the order in which its trials were launched, a letter for each: P
// passed, F failed, E ended in an error, and ? is under way. What comes after a ? of its scenario does not count yet.
// Against a baseline, the trials of both sides with the same number are a pair.
type Evidence struct {
	Candidate []string `json:"candidate"`
	Baseline  []string `json:"baseline,omitempty"`
}

// Standing is what is known of one scenario.
type Standing uint8

// Standings. The zero value is open.
const (
	Open      Standing = iota
	Cleared            // it is not as low as H1 of its floor says
	Collapsed          // it is below H0 of its floor
)

var standings = enum.Of[Standing]("standing", "open", "cleared", "collapsed")

// String returns "open", "cleared" or "collapsed".
func (s Standing) String() string { return standings.String(s) }

// MarshalText writes the name.
func (s Standing) MarshalText() ([]byte, error) { return standings.MarshalText(s) }

// UnmarshalText reads a name.
func (s *Standing) UnmarshalText(text []byte) error { return standings.UnmarshalText(text, s) }

// Decision is what a design makes of evidence.
type Decision struct {
	Outcome   sprt.Outcome `json:"outcome"`   // of the suite
	Mean      sprt.Outcome `json:"mean"`      // of the mean
	Rounds    int          `json:"rounds"`    // that the mean counts; the last may be cut short
	Scenarios []Standing   `json:"scenarios"` // by index
	// Used are the trials of each scenario that count, its first ones, by index: of a suite that is decided those that it
	// was decided by, and until then all that ended before one that is under way.
	Used []int `json:"used"`
	// Next are the scenarios to be tried next, once each, the most telling first: those with a trial under way are left
	// out. It is empty once the suite is decided. Against a baseline that is run, both sides are tried.
	Next []int `json:"next,omitempty"`
}

// Collapsed are the scenarios that have collapsed.
func (d Decision) Collapsed() (list []int) {
	for i, s := range d.Scenarios {
		if s == Collapsed {
			list = append(list, i)
		}
	}
	return list
}

// view is one way to read evidence: whether each known trial failed, errors included.
type view struct {
	candidate, baseline [][]bool
}

// read reads evidence with errors against the candidate, or for it.
func (e Evidence) read(against bool) view {
	side := func(list []string, errorFails bool) [][]bool {
		all := make([][]bool, len(list))
		for i, letters := range list {
			known, _, _ := strings.Cut(letters, "?")
			all[i] = make([]bool, len(known))
			for n, c := range []byte(known) {
				all[i][n] = c == 'F' || c == 'E' && errorFails
			}
		}
		return all
	}
	return view{side(e.Candidate, against), side(e.Baseline, !against)}
}

// errors reports whether any trial ended in an error.
func (e Evidence) errors() bool {
	for _, letters := range slices.Concat(e.Candidate, e.Baseline) {
		if strings.ContainsRune(letters, 'E') {
			return true
		}
	}
	return false
}

// verdict is what one view comes to.
type verdict struct {
	mean      sprt.Outcome
	round     int // the round that the mean is in, or that decided
	standings []Standing
	used      []int // trials of each scenario that a decision rests on
}

// collapsed and cleared report whether any has collapsed, and whether all are cleared.
func (v verdict) collapsed() bool {
	for _, s := range v.standings {
		if s == Collapsed {
			return true
		}
	}
	return false
}

func (v verdict) cleared() bool {
	for _, s := range v.standings {
		if s != Cleared {
			return false
		}
	}
	return true
}

func (v verdict) passes() bool { return v.mean == sprt.Pass && v.cleared() }
func (v verdict) fails() bool  { return v.mean == sprt.Fail || v.collapsed() }

// Judge decides about evidence. It is a function of the outcomes of each scenario in their order, so it does not matter
// which trial ended first, and judging a recording again gives what was decided.
//
// An error is neither a pass nor a failure, and the decision holds whichever it would have been: the evidence is read
// with all errors against the candidate, which has to pass for a Pass, and with all of them for it, which has to fail
// for a Fail. Pass never turns to Fail where fewer trials fail, nor Fail to Pass where more do, so the errors of the
// design hold. Where neither can happen any more the suite is Inconclusive.
func (d *Design) Judge(e Evidence) (Decision, error) {
	if err := d.checkEvidence(e); err != nil {
		return Decision{}, err
	}
	low := d.judge(e.read(true))
	high := low
	if e.errors() {
		high = d.judge(e.read(false))
	}
	shown := low
	if high.fails() && !low.passes() {
		shown = high
	}
	n := d.question.Scenarios
	result := Decision{Mean: shown.mean, Rounds: shown.round, Scenarios: make([]Standing, n), Used: make([]int, n)}
	for i := range result.Scenarios {
		known, _ := d.known(e, i)
		result.Used[i] = min(known, max(low.used[i], high.used[i]))
		switch {
		case high.standings[i] == Collapsed:
			result.Scenarios[i] = Collapsed
		case low.standings[i] == Cleared:
			result.Scenarios[i] = Cleared
		}
	}
	if low.mean != high.mean {
		result.Mean = sprt.Undecided
		if low.mean != sprt.Undecided && high.mean != sprt.Undecided {
			result.Mean = sprt.Inconclusive
		}
		if high.mean == sprt.Fail {
			result.Mean = sprt.Fail
		}
		if low.mean == sprt.Pass {
			result.Mean = sprt.Pass
		}
	}
	switch {
	case low.passes():
		result.Outcome = sprt.Pass
	case high.fails():
		result.Outcome = sprt.Fail
	default:
		var needed bool
		if result.Next, needed = d.next(e, low, high); !needed {
			result.Outcome = sprt.Inconclusive
		} else {
			for i := range result.Used {
				result.Used[i], _ = d.known(e, i)
			}
		}
	}
	return result, nil
}

// checkEvidence refuses evidence of another shape.
func (d *Design) checkEvidence(e Evidence) error {
	sides := [][]string{e.Candidate}
	if d.question.Sides != Threshold {
		sides = append(sides, e.Baseline)
	}
	for _, side := range sides {
		if len(side) != d.question.Scenarios {
			return fmt.Errorf("the evidence has %d scenarios, not %d", len(side), d.question.Scenarios)
		}
		for i, letters := range side {
			for _, c := range []byte(letters) {
				switch c {
				case 'P', 'F', 'E', '?':
				default:
					return fmt.Errorf("scenario %d: %q is not the outcome of a trial", i, c)
				}
			}
		}
	}
	return nil
}

// judge decides about one view.
func (d *Design) judge(v view) verdict {
	result := verdict{standings: make([]Standing, d.question.Scenarios), used: make([]int, d.question.Scenarios)}
	result.mean, result.round = d.mean.decide(v)
	for i := range result.standings {
		// Trials of whole rounds count beyond what clears a scenario, but for those of the round that decided: it may
		// have been cut short.
		w := d.question.Weight(i)
		var used int
		result.standings[i], used = d.floors[i].stand(v, i, (result.round-1)*w)
		result.used[i] = max(used, result.round*w)
	}
	return result
}

// stand is where a scenario stands, and after how many trials.
func (t *floorTest) stand(v view, i, whole int) (s Standing, used int) {
	failures := 0
	for n, failed := range v.candidate[i] {
		if failed {
			failures++
		}
		if n >= t.boundaries.MaxTrials() || s == Cleared && n >= whole {
			break
		}
		used = n + 1
		switch {
		case failures >= t.boundaries.FailAtOrAbove[n]:
			return Collapsed, used
		case failures <= t.boundaries.PassAtOrBelow[n]:
			s = Cleared
		}
	}
	return s, used
}

// next are the scenarios that either view needs: in the current round of an undecided mean, and else those that are
// open. Those are first that are open and failed most. False says that none is needed, under way or not.
func (d *Design) next(e Evidence, low, high verdict) (list []int, needed bool) {
	type need struct{ index, order int }
	var needs []need
	canPass := !low.collapsed() && (low.mean == sprt.Undecided || low.mean == sprt.Pass)
	canFail := high.mean == sprt.Undecided || !high.cleared()
	for i := range d.question.Scenarios {
		known, running := d.known(e, i)
		wanted := false
		for _, x := range []struct {
			verdict
			alive bool
		}{{low, canPass}, {high, canFail && high.mean != sprt.Fail}} {
			if !x.alive {
				continue
			}
			wanted = wanted || x.mean == sprt.Undecided && known < x.round*d.question.Weight(i) ||
				x.mean != sprt.Undecided && x.standings[i] == Open && known < d.floors[i].most()
		}
		needed = needed || wanted
		if wanted && !running {
			order := 0
			if low.standings[i] == Open {
				order = 1
			}
			for _, c := range []byte(e.Candidate[i]) {
				if c == 'F' && order > 0 {
					order++
				}
			}
			needs = append(needs, need{i, order})
		}
	}
	sort.SliceStable(needs, func(a, b int) bool { return needs[a].order > needs[b].order })
	for _, n := range needs {
		list = append(list, n.index)
	}
	return list, needed
}

// known is the number of trials of a scenario that count, on both sides where both are run, and whether more are under
// way.
func (d *Design) known(e Evidence, i int) (trials int, running bool) {
	trials = len(e.Candidate[i])
	sides := []string{e.Candidate[i]}
	if d.question.Sides.Paired() {
		sides = append(sides, e.Baseline[i])
	}
	most := 0
	for _, letters := range sides {
		before, _, _ := strings.Cut(letters, "?")
		trials, most = min(trials, len(before)), max(most, len(letters))
	}
	return trials, trials < most
}

// most is the number of trials after which the test of a scenario says nothing more.
func (t *floorTest) most() int { return t.boundaries.MaxTrials() }
