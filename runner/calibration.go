package runner

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// calibration works out from the first trials of a run how many it records, and has three phases: the trials that
// calibrate are launched before any others; then each test has the trials that it needs, as without it; and when all
// tests have ended, the others are recorded. So the tests see the same trials, and end after as many of them, whatever
// the number is: it is worked out from behaviour, and it is used when no verdict can change any more.
type calibration struct {
	options plan.CalibrationOptions
	first   map[journal.Key]*trial.Trial // whole records of the trials that calibrate, until the number is known
	pinned  *journal.Calibration         // what an earlier session worked out; nil: none did
	worked  chan calibrationResult       // what comes of working it out, once
	begun   bool                         // that
	decided *plan.Calibration            // nil until it is worked out
}

// calibrationResult is what came of a calibration.
type calibrationResult struct {
	found *plan.Calibration
	err   error
}

// newCalibration begins a calibration; nil where the options ask for none.
func newCalibration(o *Options) *calibration {
	if o.Calibrate == nil {
		return nil
	}
	c := &calibration{options: *o.Calibrate, first: map[journal.Key]*trial.Trial{}, worked: make(chan calibrationResult,
		1)}
	c.options.Scenarios, c.options.BudgetTrials = 0, o.Budget.MaxTrials
	for _, t := range o.Tests {
		c.options.Scenarios += len(t.Scenarios)
	}
	if o.Budget.MaxCostUSD > 0 {
		c.options.MaxUSD = new(o.Budget.MaxCostUSD)
	}
	return c
}

// take keeps the record of a trial that calibrates, which may be cut elsewhere.
func (c *calibration) take(key journal.Key, record *trial.Trial) {
	if c != nil && c.decided == nil && key.Number < c.options.Trials && record != nil {
		c.first[key] = record
	}
}

// pending reports whether the number is being worked out.
func (c *calibration) pending() bool { return c != nil && c.begun && c.decided == nil }

// hold sets what each test is to launch whatever its trials come to, by the phase in which the run is.
func (r *run) hold() {
	c := r.calibration
	if c == nil {
		return
	}
	calibrating, ended := false, true
	for _, t := range r.tests {
		t.target = c.options.Trials * len(t.scenarios)
		calibrating = calibrating || len(t.trials) < t.target
		ended = ended && t.ended()
	}
	for _, t := range r.tests {
		t.held = calibrating
		if ended && c.decided != nil {
			t.target = c.decided.Record * len(t.scenarios)
		}
	}
}

// calibrate begins to work out the number once the trials have ended from which it follows. It is done beside the run,
// whose tests go on meanwhile.
func (r *run) calibrate() {
	c := r.calibration
	if c == nil || c.begun {
		return
	}
	sample := &fingerprint.Sample{}
	for _, t := range r.tests {
		n := c.options.Trials * len(t.scenarios)
		if !t.finishedFirst(n) {
			return
		}
		for _, s := range t.trials[:n] { // in launch order, whichever ended first
			if record := c.first[s.key()]; record != nil {
				sample.Add(record)
			}
		}
	}
	c.begun, c.first = true, nil
	o := c.options
	if c.pinned != nil {
		o.MaxUSD, o.BudgetTrials = c.pinned.MaxUSD, c.pinned.BudgetTrials
	}
	o.RoundUSD = runs.RoundCost(r.result().Evidence("", "", "").Tests, o.Trials)
	go func(ctx context.Context) {
		found, err := plan.Calibrate(ctx, sample, o)
		c.worked <- calibrationResult{found, err}
	}(r.work)
}

// calibrated takes in the number, and writes it down before anything is launched by it. One that an earlier session
// wrote down must be the same.
func (r *run) calibrated(w calibrationResult) {
	c := r.calibration
	if w.err != nil {
		r.fail(w.err)
		return
	}
	found := w.found
	switch {
	case c.pinned == nil && r.journal != nil:
		r.journal.Calibrate(journal.Calibration{
			Record: found.Record, Wanted: found.Wanted, MaxUSD: found.MaxUSD, BudgetTrials: found.BudgetTrials,
		})
		r.fail(r.journal.Sync())
	case c.pinned != nil && (c.pinned.Record != found.Record || c.pinned.Wanted != found.Wanted):
		r.fail(fmt.Errorf("the number of trials that are recorded: %w", errReplay))
		return
	}
	c.decided = found
	if r.options.Calibrated != nil {
		r.options.Calibrated(found)
	}
	r.settle()
}

// recorded reports whether all trials have ended that are to be recorded whatever they come to.
func (r *run) recorded() bool {
	if r.calibration == nil {
		return true
	}
	if r.calibration.decided == nil {
		return false
	}
	for _, t := range r.tests {
		if !t.finishedFirst(r.calibration.decided.Record * len(t.scenarios)) {
			return false
		}
	}
	return true
}

// finishedFirst reports whether the first n trials of a test were launched and have ended.
func (t *testRun) finishedFirst(n int) bool {
	if len(t.trials) < n {
		return false
	}
	for _, s := range t.trials[:n] {
		if !s.finished() {
			return false
		}
	}
	return true
}

// calibrationOf is how a run of a suite calibrates; nil where it does not.
func calibrationOf(s *suite.Suite) *plan.CalibrationOptions {
	c := s.Calibrate
	if !c.Asked() {
		return nil
	}
	o := &plan.CalibrationOptions{Trials: c.Trials, MaxTrials: c.MaxTrials, Behaviour: plan.BehaviourOptions{
		Test: c.Test, Alpha: c.Alpha, Beta: 1 - c.Power, Distance: c.Distance,
	}}
	for _, shift := range c.Shift {
		o.Behaviour.Shift = append(o.Behaviour.Shift, plan.ColumnShift{Column: shift.Column, SD: shift.SD})
	}
	return o
}

// checkCalibration refuses what has more than one system, of which each would have a number of its own.
func checkCalibration(s *suite.Suite, tests []Test) error {
	if !s.Calibrate.Asked() {
		return nil
	}
	refuse := func(what, advice string) error {
		return &suiteError{
			Place: trial.Place{File: s.File}, Problem: "calibrate is for one agent, and not for " + what, Advice: advice,
		}
	}
	if len(s.Variants) > 0 {
		return refuse("variants", "each varies in its own way: run them from suites of their own, or leave calibrate out")
	}
	for _, t := range tests {
		if t.inRounds() {
			return refuse("a test side by side", "name a saved result as the baseline, or leave calibrate out")
		}
	}
	return nil
}
