package cli

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// guest is a program that asks on behalf of an agent, and what it is held to. The methods of
// nil, a person, do nothing.
type guest struct {
	// spend takes the part of the errors that a look has: one in so many, 0 for all of it.
	spend func(guestLook) (of int, err error)
	// trials is how many trials a run may launch; none is no limit.
	trials   trial.Optional[int]
	progress func(runner.Progress) // of a run; nil tells nobody
}

// guestLook is a look before it is judged.
type guestLook struct {
	Scenarios []string          // that it looks at, which are the task
	Evidence  string            // digest of the trials; "" before they are made
	Grew      func(string) bool // as in package looks
	Of        int               // the part that the evidence was made with; 0 leaves it open
	Continues bool              // a run goes on
	Known     bool              // the look of a run that has ended, under its evidence
}

// reserve takes the part of the errors that a look of a guest has, before it is judged.
func (f *looksFlags) reserve(a *App, look guestLook) error {
	if a.guest == nil {
		return nil
	}
	of, err := a.guest.spend(look)
	f.planned.value = of
	return err
}

// lookOfBoth is a look at two recordings.
func lookOfBoth(both [2]*evidence, anytime bool) guestLook {
	baseline, candidate := &both[0].seen, &both[1].seen
	look := guestLook{
		Scenarios: append(baseline.Scenarios(), candidate.Scenarios()...),
		Evidence:  baseline.Counted() + " " + candidate.Counted(),
	}
	if anytime {
		look.Grew = func(earlier string) bool {
			first, second, _ := strings.Cut(earlier, " ")
			return baseline.Began(first) && candidate.Began(second)
		}
	}
	return look
}

// lookOfRun is a look at trials that are still to be made. A part of a suite has the looks of all of it.
func lookOfRun(s *suite.Suite, continues bool) guestLook {
	return guestLook{Scenarios: namesOf(s), Continues: continues}
}

func namesOf(s *suite.Suite) (names []string) {
	for _, c := range s.Scenarios {
		names = append(names, c.Name)
	}
	return names
}

// ran tells what came of a run, so that what is decided over its result is the same look.
func (g *guest) ran(s *suite.Suite, r *runs.Result) error {
	if g == nil {
		return nil
	}
	_, err := g.spend(guestLook{Scenarios: namesOf(s), Evidence: outcomesOf(r), Known: true})
	return err
}

// bound holds a run to the trials that it may launch.
func (g *guest) bound(s *suite.Suite) {
	if g != nil && g.trials.Known && (!s.Budget.MaxTrials.Known || s.Budget.MaxTrials.Value > g.trials.Value) {
		s.Budget.MaxTrials = g.trials
	}
}

// watching tells the guest too.
func (g *guest) watching(update func(runner.Progress)) func(runner.Progress) {
	if g == nil || g.progress == nil {
		return update
	}
	return func(state runner.Progress) {
		update(state)
		g.progress(state)
	}
}

// lookAtResult is the look of a gate: its tests have the part of the errors that they were made with.
func (f *gateFlags) lookAtResult(a *App, o *gated) error {
	if a.guest == nil {
		return nil
	}
	look := guestLook{Of: 1, Evidence: programDigest(f.results)}
	if o.suite != nil {
		look.Scenarios = namesOf(o.suite)
	}
	if o.result != nil {
		look.Evidence = outcomesOf(o.result)
		if o.suite != nil {
			look.Of = partOf(o.suite, o.result)
		}
	}
	return f.looks.reserve(a, look)
}

// partOf is the part of the suite's levels that a run was tested at, which follows from the suite: one in so many.
func partOf(s *suite.Suite, r *runs.Result) int {
	at := slices.IndexFunc(r.Settings, func(line string) bool { return strings.HasPrefix(line, alphaSetting) })
	if at < 0 {
		return 1
	}
	alpha, err := strconv.ParseFloat(strings.TrimPrefix(r.Settings[at], alphaSetting), 64)
	if err != nil || !(alpha > 0) {
		return 1
	}
	return int(math.Max(1, math.Min(math.Round(s.Test.Alpha/alpha), suite.MostLooks)))
}

const alphaSetting = "test.alpha: "
