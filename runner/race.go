package runner

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/trial"
)

// raceState is the race of the tests of a run, which are its arms in their order; nil where they do not race.
type raceState struct {
	race  *race.Race
	rule  race.Rule
	tests []*testRun
	told  []float64 // prices by which they race; nil: none
}

// newRacing begins the race that the options ask for.
func newRacing(o *Options, tests []*testRun) (*raceState, error) {
	if o.Race == nil {
		return nil, nil
	}
	r, err := race.New(len(tests), *o.Race)
	if err != nil {
		return nil, err
	}
	x := &raceState{race: r, rule: *o.Race, tests: tests}
	for i, t := range tests {
		t.racing, t.arm = x, i
	}
	return x, nil
}

// validateRace refuses tests that cannot race: their arms have the same scenarios, and record as many trials as the
// race has rounds.
func (o *Options) validateRace() error {
	if o.Race == nil {
		return nil
	}
	if err := o.Race.Validate(); err != nil {
		return argument.Wrong("race", fmt.Sprintf("%+v", *o.Race), "cannot be run: "+err.Error())
	}
	for _, t := range o.Tests {
		value := fmt.Sprintf("with test %q", t.Name)
		switch {
		case scenariosKey(t) != scenariosKey(o.Tests[0]):
			return argument.Wrong("race", value, "must have the scenarios of the others")
		case t.Against != nil || t.Design.Kind != sprt.RecordingKind || t.Design.Boundaries.MaxTrials() != o.Race.MaxRounds:
			return argument.Wrong("race", value, fmt.Sprintf("must record %d trials", o.Race.MaxRounds))
		}
	}
	if len(o.Tests) < 2 || len(o.Tests) > race.MostArms {
		return argument.Wrong("race", len(o.Tests), fmt.Sprintf("tests must be from 2 to %d", race.MostArms))
	}
	if o.FirstFail || o.Calibrate != nil || o.Extend > 0 {
		return argument.Wrong("race", len(o.Tests), "is ended by nothing else: leave first fail, calibrate and extend out")
	}
	return nil
}

// observe takes in how a trial ended, and tells the prices once the race asks for them.
func (x *raceState) observe(s *trialRun, o trial.Outcome) error {
	if x == nil {
		return nil
	}
	if err := x.race.Observe(s.test.arm, s.place, o); err != nil {
		return err
	}
	if x.race.Unpriced() {
		x.told = x.prices()
		return x.race.Price(x.told)
	}
	return nil
}

// prices are what a trial of each arm cost on average in the rounds before any could be dropped, as far as they tell;
// nil where those of an arm do not.
func (x *raceState) prices() []float64 {
	list := make([]float64, len(x.tests))
	for i, t := range x.tests {
		known := 0
		for _, s := range t.trials[:min(x.rule.Lead, len(t.trials))] {
			if s.Spent.Attempts > 0 && s.Spent.CostUnknown == 0 {
				list[i] += s.Spent.CostUSD
				known++
			}
		}
		if known == 0 {
			return nil
		}
		list[i] /= float64(known)
	}
	return list
}

// waits reports whether the test is an arm that has no trials until others have ended their race.
func (t *testRun) waits() bool {
	if t.racing == nil {
		return false
	}
	for _, i := range t.racing.race.Waiting() {
		if i == t.arm {
			return true
		}
	}
	return false
}

// ranked ends the tests whose arms have left the race, and all of them where it is over.
func (x *raceState) ranked() {
	if x == nil {
		return
	}
	for i, t := range x.tests {
		if x.race.Over(i) && !t.ended() && !t.spared {
			t.spared = true
			t.news.add(t)
		}
	}
}

// raceText tells a race apart from another one of the same tests, for the journal.
func raceText(rule *race.Rule) string {
	if rule == nil {
		return ""
	}
	return fmt.Sprintf("+race:%d:%d:%v", rule.Lead, rule.MaxRounds, rule.Worth)
}
