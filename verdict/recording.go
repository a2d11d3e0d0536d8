package verdict

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// Recording is what a comparison needs of one system's trials.
type Recording struct {
	Name         string // the variant or the file, for a person
	observations []observation
	inputs       int  // observations with an input
	counted      bool // made of counts: no trial has a partner
}

// observation is one trial without its content.
type observation struct {
	scenario string
	input    uint64 // hash of the compacted input, 0 where there is none
	index    trial.Optional[int]
	outcome  trial.Outcome
	metrics  [metricCount]float64 // NaN where unknown
	output   string               // the beginning of what it answered, of the first trials
}

// How much of the answers is kept, for pairs that flip.
const (
	mostOutputs     = 50_000
	mostAnswerBytes = 300
)

// inputSeed makes hashes of inputs comparable within the process.
var inputSeed = maphash.MakeSeed()

// Add records one trial; the trial itself is not kept.
func (r *Recording) Add(record *trial.Trial) {
	o := observation{
		scenario: record.Scenario,
		index:    record.Index,
		outcome:  record.Outcome,
		metrics:  measure(record),
	}
	if len(record.Input) > 0 {
		o.input = hashInput(record.Input)
		r.inputs++
	}
	if len(record.Output) > 0 && len(r.observations) < mostOutputs {
		o.output = excerpt(record.Output.Text(), mostAnswerBytes)
	}
	r.observations = append(r.observations, o)
}

// Len returns the number of trials.
func (r *Recording) Len() int { return len(r.observations) }

// RecordingOf returns a recording that holds nothing but the outcomes: so many
// passes among so many trials of one scenario named "all".
func RecordingOf(name string, c stats.Counts) (*Recording, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &Recording{Name: name, counted: true, observations: make([]observation, c.Trials)}
	for i := range r.observations {
		r.observations[i] = observation{scenario: "all", outcome: trial.Fail, metrics: unknownMetrics()}
		if i < c.Passes {
			r.observations[i].outcome = trial.Pass
		}
	}
	return r, nil
}

// hashInput makes inputs comparable that differ in white space alone.
func hashInput(input []byte) uint64 {
	var compact bytes.Buffer
	if json.Compact(&compact, input) == nil {
		input = compact.Bytes()
	}
	if h := maphash.Bytes(inputSeed, input); h != 0 {
		return h
	}
	return 1
}

func unknownMetrics() (m [metricCount]float64) {
	for i := range m {
		m[i] = math.NaN()
	}
	return m
}

// measure reads the metrics of a trial. A turn is an answer of the model: a step
// that reasons or responds. What is counted over steps is unknown where the steps
// were not recorded.
func measure(record *trial.Trial) [metricCount]float64 {
	m := unknownMetrics()
	if record.CostUSD.Known {
		m[CostMetric] = record.CostUSD.Value
	}
	if record.InputTokens.Known && record.OutputTokens.Known {
		m[TokensMetric] = float64(record.InputTokens.Value) + float64(record.OutputTokens.Value)
	}
	if record.DurationSeconds.Known {
		m[DurationMetric] = record.DurationSeconds.Value
	}
	if record.Steps == nil {
		return m
	}
	var turns, calls, errors float64
	for i := range record.Steps {
		switch step := &record.Steps[i]; step.Action {
		case trial.Reason, trial.Respond:
			turns++
		case trial.CallTool:
			calls++
			if step.Error != "" {
				errors++
			}
		}
	}
	m[TurnsMetric], m[ToolCallsMetric], m[ToolErrorsMetric] = turns, calls, errors
	return m
}
