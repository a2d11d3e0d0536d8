package recording

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/internal/phrase"
)

// Recording is what a comparison needs of one system's trials.
type Recording struct {
	Name         string // the variant or the file, for a person
	Observations []Observation
	Inputs       int  // observations with an input
	Counted      bool // made of counts: no trial has a partner
}

// Observation is one trial without its content.
type Observation struct {
	Scenario string
	Input    uint64 // hash of the compacted input, 0 where there is none
	Index    trial.Optional[int]
	Outcome  trial.Outcome
	Metrics  [Metrics]float64 // NaN where unknown
	Output   string           // the beginning of what it answered, of the first trials
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
	o := Observation{
		Scenario: record.Scenario,
		Index:    record.Index,
		Outcome:  record.Outcome,
		Metrics:  measure(record),
	}
	if len(record.Input) > 0 {
		o.Input = hashInput(record.Input)
		r.Inputs++
	}
	if len(record.Output) > 0 && len(r.Observations) < mostOutputs {
		o.Output = phrase.Excerpt(record.Output.Text(), mostAnswerBytes)
	}
	r.Observations = append(r.Observations, o)
}

// Len returns the number of trials.
func (r *Recording) Len() int { return len(r.Observations) }

// OfCounts returns a recording that holds nothing but the outcomes: so many
// passes among so many trials of one scenario named "all".
func OfCounts(name string, c stats.Counts) (*Recording, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &Recording{Name: name, Counted: true, Observations: make([]Observation, c.Trials)}
	for i := range r.Observations {
		r.Observations[i] = Observation{Scenario: "all", Outcome: trial.Fail, Metrics: unknownMetrics()}
		if i < c.Passes {
			r.Observations[i].Outcome = trial.Pass
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

func unknownMetrics() (m [Metrics]float64) {
	for i := range m {
		m[i] = math.NaN()
	}
	return m
}

// measure reads the metrics of a trial. A turn is an answer of the model: a step
// that reasons or responds. What is counted over steps is unknown where the steps
// were not recorded.
func measure(record *trial.Trial) [Metrics]float64 {
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
