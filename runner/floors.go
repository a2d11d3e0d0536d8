package runner

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// Floors are what is asked of floors of the pass rate beside what the suite says. The zero value asks for
// nothing.
type Floors struct {
	Rate  float64 // of every scenario, tested; 0 is none
	Point bool    // all floors are compared with the observed rates, without a test
}

// checkFloors refuses a floor that is tested, and that a test can never show, before a trial is paid for. A
// gate takes a floor as reached where a rate below it comes to so high an end with a chance of at most beta.
// The highest end of a test is the one after nothing but passes, which at a rate p has a chance of p^n after n
// trials: a floor of which that is above beta is out of reach, whatever the agent does.
func checkFloors(s *suite.Suite, scenarios []suite.Scenario, tests []Test, asked Floors) error {
	if asked.Point {
		return nil
	}
	byName := map[string]suite.Scenario{}
	for _, c := range scenarios {
		byName[c.Name] = c
	}
	for _, t := range tests {
		floor := highestFloor{rate: asked.Rate, place: trial.Place{File: s.File}}
		floor.raise(s.Gate.Floor, trial.Place{File: s.File}, "")
		for _, name := range t.Scenarios {
			floor.raise(byName[name].Floor, byName[name].Place, name)
		}
		// A recording is not made to show anything.
		if floor.rate == 0 || floor.point || t.Design.Kind == sprt.RecordingKind {
			continue
		}
		if err := floor.check(t, s.Test.Beta); err != nil {
			return err
		}
	}
	return nil
}

// highestFloor is the highest floor of a test.
type highestFloor struct {
	rate     float64     // 0 is none
	point    bool        // it is compared, not tested
	place    trial.Place // where it is asked for
	scenario string      // "" is the whole suite
}

// raise takes a floor that is higher, as a gate does.
func (f *highestFloor) raise(floor suite.Floor, place trial.Place, scenario string) {
	if rate := floor.MinPassRate.Value; rate > f.rate {
		*f = highestFloor{rate, floor.Point, place, scenario}
	}
}

// check refuses the floor where the test cannot show it.
func (f highestFloor) check(t Test, beta float64) error {
	refuse := func(problem, advice string) error {
		return &suiteError{Place: f.place, Scenario: f.scenario, Problem: problem,
			Advice: advice + fmt.Sprintf("; {point: %v} compares the observed rate", f.rate)}
	}
	if t.Joint != nil {
		return refuse(fmt.Sprintf("a min_pass_rate or floor of %v cannot be tested of one scenario where the suite is "+
			"tested as one question", f.rate), fmt.Sprintf("give the scenario critical: {from: %v, to: %v}, or test by scenario",
			roundRate((1+f.rate)/2), f.rate))
	}
	straight, ok := straightTrials(t)
	if !ok {
		return refuse(fmt.Sprintf("a min_pass_rate or floor of %v cannot be tested side by side, where no end says what "+
			"the pass rate of the candidate alone is", f.rate), "give a threshold besides: "+f.shownBy(t, beta))
	}
	chance := math.Pow(f.rate, float64(straight))
	// What is enough up to the noise of a power is enough.
	if chance <= beta*(1+1e-9) {
		return nil
	}
	return refuse(fmt.Sprintf("a min_pass_rate or floor of %v can never be shown: the test ends after %d straight "+
		"passes, which that rate comes to with a chance of %.3g %%, and beta is %.3g %%", f.rate, straight, 100*chance,
		100*beta),
		f.shownBy(t, beta)+" can")
}

// straightTrials is after how many trials of the candidate a test ends if all of them pass; false where its
// end says nothing of the candidate's rate alone. Beside a baseline it is the test against the threshold.
func straightTrials(t Test) (int, bool) {
	b := t.Design.Boundaries
	if b.MaxTrials() == 0 {
		if t.Against == nil || t.Against.Stored == nil || t.Against.Stored.Errors > 0 {
			return 0, false
		}
		var ok bool
		if b, ok = t.Against.Stored.Family.Boundaries(t.Against.Stored.Outcome); !ok {
			return 0, false
		}
	}
	if n := design.Of(b).StraightPasses(); n > 0 {
		return n, true
	}
	return b.MaxTrials(), true
}

// shownBy names the design that can show the floor: a test whose threshold less delta is the floor, since
// it passes at that rate with a chance of at most beta.
func (f highestFloor) shownBy(t Test, beta float64) string {
	h := t.Design.Hypotheses
	if h.Threshold == 0 && t.Against != nil {
		h = hypothesesOf(t)
	}
	h.Beta = beta
	// Half way to 1 where the floor and delta do not fit below it.
	if h.Threshold = roundRate(f.rate + h.Delta); h.Threshold >= 1 {
		h.Delta = roundRate((1 - f.rate) / 2)
		h.Threshold = roundRate(f.rate + h.Delta)
	}
	text := fmt.Sprintf("test: {threshold: %v, delta: %v}", h.Threshold, h.Delta)
	if trials, ok := plan.DefaultTrials(h); ok {
		return text + fmt.Sprintf(", of at most %d trials,", trials)
	}
	return text
}

// hypothesesOf are those of a test against a baseline alone.
func hypothesesOf(t Test) sprt.Hypotheses {
	if r := t.Against.Rounds; r != nil {
		h := r.Hypotheses()
		return sprt.Hypotheses{Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta}
	}
	h := t.Against.Stored.Family.Hypotheses()
	return sprt.Hypotheses{Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta}
}

// roundRate rounds a rate to four digits, as somebody would write it.
func roundRate(x float64) float64 { return math.Round(x*1e4) / 1e4 }
