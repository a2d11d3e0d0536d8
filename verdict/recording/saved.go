package recording

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/ordinal"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/mark"
)

// SideTrials is one recording as a result holds it: one side of a comparison (compare.Trials),
// or what a sequential verdict goes over ([RecordedTrials]). Every series, and the string of
// outcomes, has one place for each trial, in the order of the recording.
type SideTrials struct {
	Counted  bool         `json:"counts,omitempty"` // made of counts: no trial has a partner
	Scenario trial.Series `json:"scenario"`         // by its place among the scenarios
	Outcomes string       `json:"outcomes"`         // P, F, E, and ? where nobody judged
	Trial    trial.Series `json:"trial,omitempty"`  // numbers, where some are known
	Input    trial.Series `json:"input,omitempty"`  // equal ones have equal numbers, on both sides
	// How tests gathered the trials, where they did: their number follows from the outcomes.
	Stopped *StoppedTests `json:"stopped,omitempty"`
	// By the name of the metric, those that some trial tells.
	Metrics map[string]trial.Series `json:"metrics,omitempty"`
	// Where some cost is an estimate: 1 of one, and 2 of an upper bound.
	CostBasis trial.Series `json:"cost_basis,omitempty"`
}

// bases are the numbers of bases of a cost in a series; that of a recorded one is unknown.
var bases = map[trial.CostBasis]float64{trial.EstimatedCost: 1, trial.CostAtMost: 2}

// BasisNumber is a basis in a series of a result.
func BasisNumber(b trial.CostBasis) (number trial.Optional[float64]) {
	if n, known := bases[b]; known {
		number = trial.Some(n)
	}
	return number
}

// BasisOf is the way back; false for a number that is none.
func BasisOf(number trial.Optional[float64]) (trial.CostBasis, bool) {
	for b, n := range bases {
		if number.Known && n == number.Value {
			return b, true
		}
	}
	return trial.RecordedCost, !number.Known
}

// How many trials of both sides a comparison holds: with their outcomes, and with their
// metrics too. A sequential verdict holds up to MostTrials. The numbers are chosen, so that
// a result stays a document of a few megabytes; docs/report.md promises them.
const (
	MostTrials = 200_000
	MostValues = 20_000
)

// names numbers scenarios and inputs in the order in which they come, those of both sides
// together: equal inputs have equal numbers, though their hashes mean nothing later on.
type names struct {
	scenarios ordinal.Keys[string]
	inputs    ordinal.Keys[uint64]
}

// scenario is the place of a scenario in the list, from 0; a new one is appended.
func (k *names) scenario(name string) trial.Optional[float64] {
	place, _ := k.scenarios.Place(name)
	return trial.Some(float64(place))
}

// input is the number of an input, from 1; unknown where there is none.
func (k *names) input(hash uint64) (number trial.Optional[float64]) {
	if hash == 0 {
		return number
	}
	place, _ := k.inputs.Place(hash)
	return trial.Some(float64(place + 1))
}

// list are the names of the scenarios; not nil without any, as JSON has a list then.
func (k *names) list() []string { return append([]string{}, k.scenarios.List()...) }

// Sides are the trials of two recordings in the form that is saved, with the names of
// the scenarios of both. False says that a number of a trial is too large for a series.
func Sides(baseline, candidate *Recording, metrics bool) (scenarios []string, sides [2]SideTrials, ok bool) {
	known := new(names)
	for i, r := range []*Recording{baseline, candidate} {
		if sides[i], ok = r.side(known, metrics); !ok {
			return nil, sides, false
		}
	}
	return known.list(), sides, true
}

// side writes one recording, with the numbers that known gives. False says that a number of
// a trial is beyond what a float64 holds exactly, so that it would be another one when read.
func (r *Recording) side(known *names, metrics bool) (side SideTrials, ok bool) {
	side.Counted, side.Stopped = r.counted, r.Stopped()
	marks := make([]byte, 0, r.trials)
	for _, o := range r.Observations() {
		number := trial.Optional[float64]{}
		if o.Index.Known {
			number = trial.Some(float64(o.Index.Value))
		}
		if int(number.Value) != o.Index.Value {
			return side, false
		}
		// Counts are written out, trial by trial: read back, they are counted together again.
		scenario, input := known.scenario(o.Scenario), known.input(o.Input)
		for range o.Count {
			marks = append(marks, mark.Of(o.Outcome))
			side.Scenario = append(side.Scenario, scenario)
			side.Input = append(side.Input, input)
			side.Trial = append(side.Trial, number)
			side.CostBasis = append(side.CostBasis, BasisNumber(o.Basis))
		}
	}
	side.Outcomes = string(marks)
	side.Trial = side.Trial.Anything()
	side.Input = side.Input.Anything()
	side.CostBasis = side.CostBasis.Anything()
	if metrics {
		side.Metrics = r.metricSeries()
	} else {
		side.CostBasis = nil
	}
	return side, true
}

// RecordedTrials are the trials of one recording, in its order.
type RecordedTrials struct {
	Scenarios []string `json:"scenarios"` // names
	SideTrials
}

// TrialsOf are what a sequential verdict needs: outcomes, and what the trials
// beyond its end cost and took. Nil says that they are too many.
func TrialsOf(r *Recording) *RecordedTrials {
	if r.Len() > MostTrials {
		return nil
	}
	known := new(names)
	side, ok := r.side(known, true)
	if !ok {
		return nil
	}
	// A sequential test pairs nothing, and of the metrics only cost and time are shown.
	side.Trial, side.Input, side.CostBasis = nil, nil, nil
	for name := range side.Metrics {
		if name != CostMetric.String() && name != DurationMetric.String() {
			delete(side.Metrics, name)
		}
	}
	return &RecordedTrials{known.list(), side}
}

// MeasureOnly keeps the metrics of these trials alone, those beyond a stop, or of none.
func (t *RecordedTrials) MeasureOnly(trials []int, stopped bool) {
	if t == nil {
		return
	}
	kept := map[string]trial.Series{}
	for name, all := range t.Metrics {
		s := make(trial.Series, len(all))
		for _, i := range trials {
			s[i] = all[i]
		}
		// Nothing was saved by a test that did not stop.
		if s.Anything() != nil && stopped {
			kept[name] = s
		}
	}
	if t.Metrics = kept; len(kept) == 0 {
		t.Metrics = nil
	}
}

// Recording returns the recording that was saved. The texts are not in it, and inputs are
// known by number. It trusts nothing of the document: lengths, places and numbers that do
// not fit are a [verdict.DifferenceError].
func (s *SideTrials) Recording(name string, scenarios []string) (*Recording, error) {
	n := len(s.Outcomes)
	if n > MostTrials {
		return nil, &verdict.DifferenceError{Path: "outcomes", Have: prose.Count(n, "trial"),
			Want: fmt.Sprintf("at most %d", MostTrials)}
	}
	// Series by metric; a name that is left over is no metric.
	metrics := [metricCount]trial.Series{}
	known := 0
	for name := range metricCount {
		if series, there := s.Metrics[name.String()]; there {
			metrics[name], known = series, known+1
			if len(series) != n {
				return nil, &verdict.DifferenceError{Path: "metrics." + name.String(),
					Have: fmt.Sprintf("of %d trials", len(series)), Want: fmt.Sprintf("of %d", n)}
			}
		}
	}
	if known != len(s.Metrics) {
		return nil, &verdict.DifferenceError{Path: "metrics", Have: "one that is not known",
			Want: "metrics of a comparison"}
	}
	// Numbers and inputs may be left out, scenarios may not.
	if len(s.Trial) != 0 && len(s.Trial) != n || len(s.Input) != 0 && len(s.Input) != n || len(s.Scenario) != n {
		return nil, &verdict.DifferenceError{Path: "scenario",
			Have: fmt.Sprintf("scenarios, numbers and inputs of %d, %d and %d trials", len(s.Scenario),
				len(s.Trial), len(s.Input)), Want: fmt.Sprintf("of %d", n)}
	}
	if len(s.CostBasis) != 0 && len(s.CostBasis) != n {
		return nil, &verdict.DifferenceError{Path: "cost_basis", Have: fmt.Sprintf("of %d trials", len(s.CostBasis)),
			Want: fmt.Sprintf("of %d", n)}
	}
	r := &Recording{Name: name, counted: s.Counted}
	if s.Stopped != nil {
		r.stops = s.Stopped.Tests
	}
	for i, letter := range []byte(s.Outcomes) {
		scenario, ok := s.Scenario.Whole(i, len(scenarios)-1)
		if !ok {
			return nil, &verdict.DifferenceError{Path: "scenario", Have: fmt.Sprintf("of trial %d none", i),
				Want: "the place of one"}
		}
		o := Observation{Scenario: scenarios[scenario], Metrics: unknownMetrics(), Count: 1}
		if o.Outcome, ok = mark.Outcome(letter); !ok {
			return nil, &verdict.DifferenceError{Path: "outcomes", Have: fmt.Sprintf("%q at position %d",
				letter, i), Want: "P, F, E or ?"}
		}
		if s.Trial != nil && s.Trial[i].Known {
			o.Index = trial.Some(int(s.Trial[i].Value))
			// A fraction, or beyond the range of an int.
			if float64(o.Index.Value) != s.Trial[i].Value {
				return nil, &verdict.DifferenceError{Path: "trial", Have: fmt.Sprint(s.Trial[i].Value),
					Want: "a number of a trial"}
			}
		}
		if s.Input != nil && s.Input[i].Known {
			// There cannot be more inputs than trials on two sides.
			input, ok := s.Input.Whole(i, 2*MostTrials)
			if !ok || input == 0 {
				return nil, &verdict.DifferenceError{Path: "input", Have: fmt.Sprint(s.Input[i].Value),
					Want: "the number of an input"}
			}
			o.Input = uint64(input)
		}
		for name, series := range metrics {
			if series != nil && series[i].Known {
				o.Metrics[name] = series[i].Value
			}
		}
		if s.CostBasis != nil {
			if o.Basis, ok = BasisOf(s.CostBasis[i]); !ok || o.Basis != "" && math.IsNaN(o.Metrics[CostMetric]) {
				return nil, &verdict.DifferenceError{Path: "cost_basis", Have: fmt.Sprint(s.CostBasis[i].Value),
					Want: "1 or 2, of a cost that is known"}
			}
		}
		// Back to counts, which take no memory for each trial.
		if s.Counted && o.bare() {
			r.AddCount(o.Scenario, o.Outcome, 1)
			continue
		}
		r.observe(o)
	}
	return r, nil
}
