package verdict

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// ComparedTrials is what a comparison knows of its trials: all that it is computed
// from. Series and outcomes have one for each trial, in the order of the recording.
type ComparedTrials struct {
	Scenarios []string   `json:"scenarios"`
	Baseline  SideTrials `json:"baseline"`
	Candidate SideTrials `json:"candidate"`
	// NoMetrics says that the trials are too many for their metrics.
	NoMetrics bool `json:"metrics_omitted,omitempty"`
}

// SideTrials is one side of [ComparedTrials].
type SideTrials struct {
	Counted  bool                    `json:"counts,omitempty"` // made of counts: no trial has a partner
	Scenario trial.Series            `json:"scenario"`         // by its place among the scenarios
	Outcomes string                  `json:"outcomes"`         // P, F, E, and ? where nobody judged
	Trial    trial.Series            `json:"trial,omitempty"`  // numbers, where some are known
	Input    trial.Series            `json:"input,omitempty"`  // equal ones have equal numbers, on both sides
	Metrics  map[string]trial.Series `json:"metrics,omitempty"`
}

// How many trials of both sides a comparison holds: with their outcomes, and with
// their metrics too.
const (
	mostComparedTrials = 200_000
	mostComparedValues = 20_000
)

// comparedTrials is nil where the trials are too many, or are nothing but counts.
func comparedTrials(baseline, candidate *Recording) *ComparedTrials {
	n := baseline.Len() + candidate.Len()
	if n > mostComparedTrials || baseline.counted && candidate.counted {
		return nil
	}
	t := &ComparedTrials{Scenarios: []string{}, NoMetrics: n > mostComparedValues}
	at, inputs := map[string]int{}, map[uint64]int{}
	for _, side := range []struct {
		of *Recording
		to *SideTrials
	}{{baseline, &t.Baseline}, {candidate, &t.Candidate}} {
		side.to.Counted = side.of.counted
		marks := make([]byte, side.of.Len())
		for i, o := range side.of.observations {
			scenario, known := at[o.scenario]
			if !known {
				scenario = len(t.Scenarios)
				at[o.scenario] = scenario
				t.Scenarios = append(t.Scenarios, o.scenario)
			}
			marks[i] = outcomeMark(o.outcome)
			side.to.Scenario = append(side.to.Scenario, trial.Some(float64(scenario)))
			side.to.Trial = append(side.to.Trial, trial.Optional[float64]{Value: float64(o.index.Value), Known: o.index.Known})
			if int(float64(o.index.Value)) != o.index.Value {
				return nil // a number that a series cannot hold
			}
			input := trial.Optional[float64]{}
			if o.input != 0 {
				if _, known := inputs[o.input]; !known {
					inputs[o.input] = len(inputs) + 1
				}
				input = trial.Some(float64(inputs[o.input]))
			}
			side.to.Input = append(side.to.Input, input)
		}
		side.to.Outcomes, side.to.Trial, side.to.Input = string(marks), side.to.Trial.Anything(), side.to.Input.Anything()
		if !t.NoMetrics {
			side.to.Metrics = side.of.metricSeries()
		}
	}
	return t
}

func outcomeMark(o trial.Outcome) byte { return "?PFE"[o] }

// outcomeOf is the reverse of outcomeMark.
func outcomeOf(mark byte) (o trial.Outcome, ok bool) {
	for o := range trial.Outcome(4) {
		if outcomeMark(o) == mark {
			return o, true
		}
	}
	return 0, false
}

// metricSeries are the metrics that some trial tells.
func (r *Recording) metricSeries() map[string]trial.Series {
	all := map[string]trial.Series{}
	for name := range metricCount {
		var s trial.Series
		for i := range r.observations {
			known := trial.Optional[float64]{}
			if x := r.observations[i].metrics[name]; !math.IsNaN(x) {
				known = trial.Some(x)
			}
			s = append(s, known)
		}
		if s = s.Anything(); s != nil {
			all[name.String()] = s
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// recording is the reverse of comparedTrials. The texts are not in it.
func (s *SideTrials) recording(name string, scenarios []string) (*Recording, error) {
	n := len(s.Outcomes)
	if n > mostComparedTrials {
		return nil, &DifferenceError{"outcomes", plural(n, "trial"), fmt.Sprintf("at most %d", mostComparedTrials)}
	}
	metrics := [metricCount]trial.Series{}
	known := 0
	for name := range metricCount {
		if series, there := s.Metrics[name.String()]; there {
			metrics[name], known = series, known+1
			if len(series) != n {
				return nil, &DifferenceError{"metrics." + name.String(), fmt.Sprintf("of %d trials", len(series)), fmt.Sprintf("of %d", n)}
			}
		}
	}
	if known != len(s.Metrics) {
		return nil, &DifferenceError{"metrics", "one that is not known", "metrics of a comparison"}
	}
	if len(s.Trial) != 0 && len(s.Trial) != n || len(s.Input) != 0 && len(s.Input) != n || len(s.Scenario) != n {
		return nil, &DifferenceError{"scenario", fmt.Sprintf("scenarios, numbers and inputs of %d, %d and %d trials", len(s.Scenario), len(s.Trial), len(s.Input)), fmt.Sprintf("of %d", n)}
	}
	r := &Recording{Name: name, counted: s.Counted}
	for i, mark := range []byte(s.Outcomes) {
		scenario, ok := s.Scenario.Whole(i, len(scenarios)-1)
		if !ok {
			return nil, &DifferenceError{"scenario", fmt.Sprintf("of trial %d none", i), "the place of one"}
		}
		o := observation{scenario: scenarios[scenario], metrics: unknownMetrics()}
		if o.outcome, ok = outcomeOf(mark); !ok {
			return nil, &DifferenceError{"outcomes", fmt.Sprintf("%q at position %d", mark, i), "P, F, E or ?"}
		}
		if s.Trial != nil && s.Trial[i].Known {
			o.index = trial.Some(int(s.Trial[i].Value))
			if float64(o.index.Value) != s.Trial[i].Value {
				return nil, &DifferenceError{"trial", fmt.Sprint(s.Trial[i].Value), "a number of a trial"}
			}
		}
		if s.Input != nil && s.Input[i].Known {
			input, ok := s.Input.Whole(i, 2*mostComparedTrials)
			if !ok || input == 0 {
				return nil, &DifferenceError{"input", fmt.Sprint(s.Input[i].Value), "the number of an input"}
			}
			o.input = uint64(input)
			r.inputs++
		}
		for name, series := range metrics {
			if series != nil && series[i].Known {
				o.metrics[name] = series[i].Value
			}
		}
		r.observations = append(r.observations, o)
	}
	return r, nil
}
