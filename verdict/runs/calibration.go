package runs

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// Calibration is how many trials of each scenario a run was to record for a comparison of behaviour, and how many it
// did. No verdict follows from it: the tests judge the trials in the order of their launch, and have ended or not
// whatever is recorded after them.
type Calibration struct {
	Trials   int               `json:"trials"`             // of each scenario, that the run begins with
	Ended    int               `json:"ended"`              // of them all, over all scenarios
	Recorded int               `json:"recorded"`           // trials that ended, of the scenario that has the fewest
	Decision *plan.Calibration `json:"decision,omitempty"` // nil where the run stopped before
}

// Codes of warnings about the number of trials.
const (
	warnNotCalibrated     verdict.Code = "not-calibrated"      // nothing could be worked out
	warnCalibrationLimit  verdict.Code = "calibration-limit"   // fewer are recorded than are wanted
	warnRecordingStopped  verdict.Code = "recording-stopped"   // the run stopped before all were recorded
	warnShiftUncalibrated verdict.Code = "calibration-stopped" // the run stopped before it was calibrated
)

// Short reports whether the run stopped before it recorded what it was to record.
func (c *Calibration) Short() bool {
	return c != nil && (c.Decision == nil || c.Recorded < c.Decision.Record)
}

// calibrating are the trials that calibrate: the first of a test, which draws from its scenarios in turn.
func (t TestEvidence) calibrating(trials int) []TrialEvidence {
	return t.Trials[:min(len(t.Trials), trials*len(t.Scenarios))]
}

// RoundCost is what a trial of each scenario costs by the first ones of each, so many; nil where none tells it. A
// test whose trials do not tell costs the mean of the others.
func RoundCost(tests []TestEvidence, trials int) *float64 {
	round, known, scenarios := 0.0, 0, 0
	for _, t := range tests {
		var costs []float64
		for _, x := range t.calibrating(trials) {
			if x.Trial != nil && x.CostUSD.Known {
				costs = append(costs, x.CostUSD.Value)
			}
		}
		scenarios += len(t.Scenarios)
		if len(costs) > 0 {
			known += len(t.Scenarios)
			round += sample.Sum(costs) / float64(len(costs)) * float64(len(t.Scenarios))
		}
	}
	if known == 0 {
		return nil
	}
	return new(round / float64(known) * float64(scenarios))
}

// calibrate counts what a run recorded, and warns where it is less than was wanted.
func (r *Result) calibrate(e Evidence) {
	if e.Calibration == nil {
		return
	}
	c := *e.Calibration
	c.Ended, c.Recorded = 0, -1
	for _, t := range e.Tests {
		ended := endedOf(t.Trials) / len(t.Scenarios)
		if c.Ended += endedOf(t.calibrating(c.Trials)); c.Recorded < 0 || ended < c.Recorded {
			c.Recorded = ended
		}
	}
	c.Recorded = max(c.Recorded, 0)
	r.Calibration = &c
	warn := func(code verdict.Code, format string, values ...any) {
		r.Warnings = append(r.Warnings, code.Warning(format, values...))
	}
	d := c.Decision
	switch {
	case d == nil:
		warn(warnShiftUncalibrated,
			"the run stopped before the %s of each scenario that calibrate it had ended: how many are "+
				"to be recorded is not known", prose.Count(c.Trials, "trial"))
		return
	case d.Problem != "":
		warn(warnNotCalibrated, "how many trials are to be recorded cannot be worked out: %s", prose.Printable(d.Problem))
	case d.LimitedBy != plan.NoCalibrationLimit:
		wanted := fmt.Sprintf("%d of each scenario are wanted", d.Wanted)
		if d.Wanted == 0 {
			wanted = fmt.Sprintf("more than %d a side are wanted", d.Plan.MaxTrials)
		}
		warn(warnCalibrationLimit, "%s for a comparison of behaviour, and %d are recorded: more would be beyond %s", wanted,
			d.Record, limitText(d.LimitedBy))
	}
	if c.Recorded < d.Record {
		warn(warnRecordingStopped,
			"the run stopped before all trials were recorded: of one scenario there are %d, and %d were to be",
			c.Recorded, d.Record)
	}
}

// endedOf counts trials that ended.
func endedOf(trials []TrialEvidence) (n int) {
	for _, x := range trials {
		if x.Trial != nil {
			n++
		}
	}
	return n
}

// limitText names a limit.
func limitText(l plan.CalibrationLimit) string {
	return map[plan.CalibrationLimit]string{
		plan.MostTrialsLimit: "max_trials", plan.BudgetTrialsLimit: "the budget of trials", plan.CostLimit: "the cost budget",
	}[l]
}

// recalibrate works out again what a saved run was to record, by the trials that its plan holds, and compares with the
// run what that says of it. It reports false where the trials were too many to be held.
func (r *Result) recalibrate(ctx context.Context, e *Evidence, whole bool) (bool, error) {
	c := r.Calibration
	if c == nil {
		return true, nil
	}
	asked := *c
	e.Calibration = &asked
	if c.Trials < 1 {
		return false, &verdict.DifferenceError{Path: "calibration.trials", Have: fmt.Sprint(c.Trials), Want: "at least 1"}
	}
	if c.Decision == nil {
		return true, nil
	}
	if err := r.checkCalibration(e, whole); err != nil {
		return false, err
	}
	again, err := c.Decision.Again(ctx)
	if errors.Is(err, verdict.ErrNoOutcomes) {
		return false, nil
	}
	if err != nil {
		return false, recheck.Within("calibration.decision", err)
	}
	if again.Plan != nil { // which is what the trials are taken from
		again.Plan.Sample = c.Decision.Plan.Sample
	}
	asked.Decision = again
	return true, nil
}

// checkCalibration compares what calibrated a run with its trials: how many there are, and what they cost.
func (r *Result) checkCalibration(e *Evidence, whole bool) error {
	differs := func(path string, have, want any) error {
		return &verdict.DifferenceError{Path: "calibration." + path, Have: fmt.Sprint(have), Want: fmt.Sprint(want)}
	}
	d := r.Calibration.Decision
	judged, scenarios := 0, 0
	for _, t := range e.Tests {
		scenarios += len(t.Scenarios)
		first := t.calibrating(r.Calibration.Trials)
		if endedOf(first) < r.Calibration.Trials*len(t.Scenarios) {
			return differs("decision", "there", "none before the trials that calibrate have ended")
		}
		for _, x := range first {
			if x.Trial.Outcome != trial.Error {
				judged++
			}
		}
	}
	switch {
	case d.Trials != r.Calibration.Trials:
		return differs("decision.trials", d.Trials, r.Calibration.Trials)
	case d.Scenarios != scenarios:
		return differs("decision.scenarios", d.Scenarios, scenarios)
	case d.Plan != nil && d.Plan.Recorded != judged:
		return differs("decision.plan.recorded_trials", d.Plan.Recorded, judged)
	}
	if cost := RoundCost(e.Tests, d.Trials); whole && !sameAmount(cost, d.RoundUSD) {
		return differs("decision.round_usd", told(d.RoundUSD), told(cost))
	}
	return nil
}

// sameAmount allows for the rounding of sums.
func sameAmount(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return math.Abs(*a-*b) <= 1e-9*math.Max(math.Abs(*a), math.Abs(*b))
}

// told is an amount that may not be known.
func told(x *float64) string {
	if x == nil {
		return "unknown"
	}
	return fmt.Sprint(*x)
}
