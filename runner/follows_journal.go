package runner

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// FollowsJournal compares a saved run with its journal: suite and seed, the tests with their designs,
// what every trial came to, in launch order, and what attempts took. It returns a [Difference] for
// the first that is another.
func FollowsJournal(h *journal.History, r *runs.Result) error {
	differs := func(what string, have, want any) error {
		return &Difference{What: what, Have: fmt.Sprint(have), Where: "the journal", Want: fmt.Sprint(want)}
	}
	switch {
	case r.Digest != h.Header.Suite:
		return differs("suite_digest", r.Digest, h.Header.Suite)
	case r.Seed != h.Header.Seed:
		return differs("seed", r.Seed, h.Header.Seed)
	case len(r.Tests) != len(h.Header.Tests):
		return differs("the number of tests", len(r.Tests), len(h.Header.Tests))
	}
	marks := marksOf(h)
	for i := range r.Tests {
		t, name := &r.Tests[i], h.Header.Tests[i].Name
		if t.Name != name {
			return differs("a test", t.Name, name)
		}
		have := t.Design.Digest
		if t.Standing != "" {
			have = r.JointDigest(t)
		}
		if want := designIn(h, name); t.Regression == nil && have != want {
			return differs(fmt.Sprintf("the design of %q", name), have, want)
		}
		sides := marks[name]
		if beside := r.Beside(t); beside != "" {
			// Of a round that has only begun, the other trial did not end.
			for k := range sides {
				for len(sides[k]) < len(t.Outcomes) {
					sides[k] += "."
				}
			}
			if beside != sides[1] {
				return differs(fmt.Sprintf("outcomes of the baseline of %q", name), beside, sides[1])
			}
		}
		if t.Outcomes != sides[0] {
			return differs(fmt.Sprintf("outcomes of %q", name), t.Outcomes, sides[0])
		}
	}
	if err := followsDoubtful(h, r, differs); err != nil {
		return err
	}
	if err := followsTrials(h, r, differs); err != nil {
		return err
	}
	if err := followsCalibration(h, r, differs); err != nil {
		return err
	}
	if r.Spent.Attempts != h.Spent.Attempts {
		return differs("spent.attempts", r.Spent.Attempts, h.Spent.Attempts)
	}
	if r.Spent.Cut != h.Cut {
		return differs("spent.cut", r.Spent.Cut, h.Cut)
	}
	if x := r.Spent.CostUSD; x != nil && *x != h.Spent.CostUSD {
		return differs("spent.cost_usd", *x, h.Spent.CostUSD)
	}
	return nil
}

// followsCalibration compares how many trials were to be recorded, and what that was worked out from, with the whole
// records of the trials that the run began with.
func followsCalibration(h *journal.History, r *runs.Result, differs func(what string, have, want any) error) error {
	c := r.Calibration
	trials := 0
	if c != nil {
		trials = c.Trials
	}
	if trials != h.Header.Calibrate {
		return differs("calibration.trials", trials, h.Header.Calibrate)
	}
	if c == nil || c.Decision == nil {
		return nil
	}
	d := c.Decision
	switch {
	case h.Calibration == nil:
		return differs("calibration.decision", "there", "not")
	case d.Record != h.Calibration.Record || d.Wanted != h.Calibration.Wanted:
		return differs("calibration.decision.record", d.Record, h.Calibration.Record)
	case d.Plan == nil || d.Plan.Sample == nil:
		return nil
	}
	sample := &fingerprint.Sample{}
	for _, test := range h.Header.Tests {
		left := trials * len(test.Scenarios)
		for _, t := range h.Trials {
			if t.Launch.Test == test.Name && left > 0 && t.Record != nil {
				sample.Add(t.Record)
				left--
			}
		}
	}
	counts := sample.Counts()
	counts.Duration = nil // which is left out of the plan
	if have, want := asJSON(d.Plan.Sample), asJSON(counts); have != want {
		return differs("calibration.decision.plan.sample", "of other trials", "of those that the run began with")
	}
	return nil
}

// asJSON is a value as a result has it, in which an empty list and none are one.
func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// designIn is the digest of the design that a test of a journal ended with.
func designIn(h *journal.History, test string) (digest string) {
	for _, t := range h.Header.Tests {
		if t.Name == test {
			digest = t.Design
		}
	}
	for _, x := range h.Extensions {
		if x.Test == test {
			digest = x.Design
		}
	}
	return digest
}

// marksOf are the outcomes of the tests of a journal as a result writes them, in launch order: those
// of the agent, and those of the baseline that runs beside it.
func marksOf(h *journal.History) map[string][2]string {
	all := map[string][2]string{}
	for _, t := range h.Trials {
		mark := "."
		if t.Record != nil {
			switch t.Record.Outcome {
			case trial.Pass:
				mark = "P"
			case trial.Fail:
				mark = "F"
			default:
				mark = "E"
			}
		}
		sides, side := all[t.Launch.Test], 0
		if t.Launch.Baseline {
			side = 1
		}
		sides[side] += mark
		all[t.Launch.Test] = sides
	}
	return all
}

// followsDoubtful compares how many trials passed although few would say so; earlier versions did not count them.
func followsDoubtful(h *journal.History, r *runs.Result, differs func(what string, have, want any) error) error {
	at, again := map[string]int{}, make([]runs.Test, len(r.Tests))
	for i, t := range r.Tests {
		at[t.Name] = i
	}
	for _, t := range h.Trials {
		i, known := at[t.Launch.Test]
		if !known || t.Launch.Baseline {
			continue
		}
		if again[i].Trials++; t.Record != nil && again[i].Trials <= r.Tests[i].Trials {
			again[i].CountDoubtful(runs.TrialEvidence{Trial: t.Record, Process: t.End.Process})
		}
	}
	counted := slices.ContainsFunc(r.Tests, func(t runs.Test) bool { return t.CodePasses+t.SilentPasses > 0 })
	for i, t := range r.Tests {
		if have, want := [2]int{t.CodePasses, t.SilentPasses}, [2]int{again[i].CodePasses, again[i].SilentPasses}; counted &&
			have != want {
			return differs(fmt.Sprintf("passes_with_exit_code and silent_passes of %q", t.Name), have, want)
		}
	}
	return nil
}

// followsTrials compares the trials that a result lists with the journal's.
func followsTrials(h *journal.History, r *runs.Result, differs func(what string, have, want any) error) error {
	variants := map[string]string{}
	for _, t := range r.Tests {
		variants[t.Name] = t.Variant
	}
	for _, x := range r.Trials {
		key := journal.Key{Scenario: x.Scenario, Variant: variants[x.Test], Baseline: x.Baseline, Number: x.Trial}
		t := h.Trial(key)
		if t == nil || t.Record == nil {
			return differs(key.String(), "there", "not")
		}
		if want := t.Record.Outcome.String(); x.Outcome != want {
			return differs("the outcome of "+key.String(), x.Outcome, want)
		}
		for _, amount := range []struct {
			name string
			have *float64
			want trial.Optional[float64]
		}{
			{"cost", x.CostUSD, trial.Optional[float64]{Value: t.Spent.CostUSD,
				Known: t.Spent.CostUnknown == 0 && t.Spent.Attempts > 0}},
			{"duration", x.Duration, t.Record.DurationSeconds},
		} {
			if (amount.have != nil) != amount.want.Known || amount.want.Known && *amount.have != amount.want.Value {
				return differs(fmt.Sprintf("the %s of %v", amount.name, key), told(amount.have), toldOptional(amount.want))
			}
		}
	}
	return nil
}

// told is an amount of a result, for a person.
func told(x *float64) string {
	if x == nil {
		return "unknown"
	}
	return fmt.Sprint(*x)
}

// toldOptional is an amount of a journal, for a person.
func toldOptional(x trial.Optional[float64]) string {
	if !x.Known {
		return "unknown"
	}
	return fmt.Sprint(x.Value)
}
