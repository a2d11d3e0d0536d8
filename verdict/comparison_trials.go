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
	t := &ComparedTrials{NoMetrics: n > mostComparedValues}
	known := &knownNames{scenarios: []string{}, at: map[string]int{}, inputs: map[uint64]int{}}
	one, ok := baseline.sideTrials(known, !t.NoMetrics)
	other, okToo := candidate.sideTrials(known, !t.NoMetrics)
	if !ok || !okToo {
		return nil
	}
	t.Scenarios, t.Baseline, t.Candidate = known.scenarios, one, other
	return t
}

// knownNames numbers scenarios and inputs in the order in which they come.
type knownNames struct {
	scenarios []string
	at        map[string]int
	inputs    map[uint64]int
}

func (k *knownNames) scenario(name string) trial.Optional[float64] {
	i, known := k.at[name]
	if !known {
		i = len(k.scenarios)
		k.at[name] = i
		k.scenarios = append(k.scenarios, name)
	}
	return trial.Some(float64(i))
}

func (k *knownNames) input(hash uint64) (number trial.Optional[float64]) {
	if hash == 0 {
		return number
	}
	if _, known := k.inputs[hash]; !known {
		k.inputs[hash] = len(k.inputs) + 1
	}
	return trial.Some(float64(k.inputs[hash]))
}

// sideTrials are the trials of a recording. False says that a number of one is too
// large for a series.
func (r *Recording) sideTrials(known *knownNames, metrics bool) (side SideTrials, ok bool) {
	side.Counted = r.counted
	marks := make([]byte, r.Len())
	for i, o := range r.observations {
		marks[i] = outcomeMark(o.outcome)
		side.Scenario, side.Input = append(side.Scenario, known.scenario(o.scenario)), append(side.Input, known.input(o.input))
		number := trial.Optional[float64]{}
		if o.index.Known {
			number = trial.Some(float64(o.index.Value))
		}
		if int(number.Value) != o.index.Value {
			return side, false
		}
		side.Trial = append(side.Trial, number)
	}
	side.Outcomes, side.Trial, side.Input = string(marks), side.Trial.Anything(), side.Input.Anything()
	if metrics {
		side.Metrics = r.metricSeries()
	}
	return side, true
}

// RecordedTrials are the trials of one recording, in its order.
type RecordedTrials struct {
	Scenarios []string `json:"scenarios"`
	SideTrials
}

// recordedTrials are what a sequential verdict needs: outcomes, and what the trials
// beyond its end cost and took. Nil says that they are too many.
func recordedTrials(r *Recording) *RecordedTrials {
	if r.Len() > mostComparedTrials {
		return nil
	}
	known := &knownNames{scenarios: []string{}, at: map[string]int{}, inputs: map[uint64]int{}}
	side, ok := r.sideTrials(known, true)
	if !ok {
		return nil
	}
	side.Trial, side.Input = nil, nil
	for name := range side.Metrics {
		if name != CostMetric.String() && name != DurationMetric.String() {
			delete(side.Metrics, name)
		}
	}
	return &RecordedTrials{known.scenarios, side}
}

// measureOnly keeps the metrics of these trials alone, those beyond a stop, or of none.
func (t *RecordedTrials) measureOnly(trials []int, stopped bool) {
	if t == nil {
		return
	}
	kept := map[string]trial.Series{}
	for name, all := range t.Metrics {
		s := make(trial.Series, len(all))
		for _, i := range trials {
			s[i] = all[i]
		}
		if s.Anything() != nil && stopped {
			kept[name] = s
		}
	}
	if t.Metrics = kept; len(kept) == 0 {
		t.Metrics = nil
	}
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
