package recording

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"iter"
	"math"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/trial/usage"
)

// Recording is what a comparison or a sequential test needs of one system's trials.
// Trials of which nothing is known but their outcomes are counted, not listed: its memory
// grows with what is known, not with the number of trials. The zero value is empty and
// ready for use.
type Recording struct {
	Name    string // the variant or the file, for a person
	table   table
	trials  int                  // of all observations
	counts  [trial.Error + 1]int // of them, by outcome
	inputs  int                  // trials with an input
	counted bool                 // made of counts: no trial has a partner
	groups  []Group              // of which observations are the counts; nil of other recordings
	stops   []Stop               // of the tests that gathered the trials; see StoppedTests
	// By the place of the observation, up to the last that has any; see Steps.
	steps     []*Steps
	stepBytes int // of what is kept of steps
	took      usage.Sum
	denied    guardrails.Sum
	unrun     int // see [Recording.Unrun]
}

// Observation is one trial without its content, or several that are told apart by
// nothing.
type Observation struct {
	Scenario string               // name
	Input    uint64               // hash of the compacted input; 0 where there is none
	Index    trial.Optional[int]  // the number of the trial in its scenario, from 0, where it is known
	Outcome  trial.Outcome        // unset where nobody judged, which counts as an error
	Metrics  [metricCount]float64 // by [MetricName], in its unit; NaN where unknown
	Basis    trial.CostBasis      // of the cost
	Output   string               // the beginning of what it answered; empty beyond the first trials
	Count    int                  // trials, at least 1; more than 1 only of counts
}

// How much of the answers is kept, for pairs that flip: those of the first trials, and of
// each its beginning in bytes. Both numbers are chosen: they hold the texts below some 15
// megabytes.
const (
	mostOutputs     = 50_000
	mostAnswerBytes = 300
)

// inputSeed makes hashes of inputs comparable within the process, and not beyond it: a saved
// recording holds numbers in their place; see SideTrials.Input.
var inputSeed = maphash.MakeSeed()

// Add records one trial; the trial itself is not kept.
func (r *Recording) Add(record *trial.Trial) {
	o := Observation{
		Scenario: record.Scenario,
		Index:    record.Index,
		Outcome:  record.Outcome,
		Metrics:  measure(record),
		Count:    1,
	}
	if record.CostUSD.Known {
		o.Basis = record.CostBasis
	}
	if len(record.Input) > 0 {
		o.Input = hashInput(record.Input)
	}
	if len(record.Output) > 0 && r.table.rows < mostOutputs {
		o.Output = phrase.Excerpt(record.Output.Text(), mostAnswerBytes)
	}
	if record.Outcome == trial.Error && record.StandsForTests() {
		r.unrun++
	}
	r.keepSteps(record.Steps)
	r.take(record)
	r.denied.Add(guardrails.Of(record))
	r.observe(o)
}

// take counts what a trial took. One that has no metrics tells nothing here either.
func (r *Recording) take(record *trial.Trial) {
	if brokeOff(record) {
		r.took.AddUntold()
		return
	}
	r.took.Add(usage.Of(record), record.CostUSD, record.CostBasis)
}

// Unrun counts the errors that stand for tests that did not run; see [trial.Trial.StandsForTests].
func (r *Recording) Unrun() int { return r.unrun }

// Guardrails are what guards kept from being done in the trials; nil of counts, of saved trials, and where no guard
// stood before any of them.
func (r *Recording) Guardrails() *guardrails.Counts { return r.denied.Counts() }

// Usage is what the trials took, by model; nil of counts, of saved trials, and where no trial names a model.
func (r *Recording) Usage() *usage.Usage {
	if u := r.took.Usage(); u.Names() != nil {
		return u
	}
	return nil
}

// observe appends an observation and keeps the counts of trials and of inputs up to date.
func (r *Recording) observe(o Observation) {
	r.table.add(o)
	r.trials += o.Count
	r.counts[o.Outcome] += o.Count
	if o.Input != 0 {
		r.inputs += o.Count
	}
}

// AddCount records so many trials of which nothing is known but the scenario and the
// outcome. From then on no trial of the recording has a partner on another side.
func (r *Recording) AddCount(scenario string, outcome trial.Outcome, trials int) {
	r.counted = true
	if trials <= 0 {
		return
	}
	if n := r.table.rows; n > 0 {
		// The same again: counting on keeps a recording of a million trials at a few entries.
		if last := r.table.at(n - 1); last.Scenario == scenario && last.Outcome == outcome && last.bare() {
			r.table.count(n-1, last.Count+trials)
			r.trials += trials
			r.counts[outcome] += trials
			return
		}
	}
	r.observe(Observation{Scenario: scenario, Outcome: outcome, Metrics: unknownMetrics(), Count: trials})
}

// bare reports whether nothing is known but the scenario and the outcome.
func (o *Observation) bare() bool {
	for _, x := range o.Metrics {
		if !math.IsNaN(x) {
			return false
		}
	}
	return o.Input == 0 && !o.Index.Known && o.Output == ""
}

// Len returns the number of trials.
func (r *Recording) Len() int { return r.trials }

// PutAside lets what is seldom looked at of more trials than so many be written to a file of the system's
// temporary folder, which is gone with [Recording.Close] or the process. Memory then grows by a few bytes a trial. It
// is called before trials are added. Where no file can be written everything stays in memory.
func (r *Recording) PutAside(beyond int) { r.table.beyond = max(beyond, 1) }

// Err returns why trials that were put aside could not be read again; nil where all could. What was computed from
// them is then of no use.
func (r *Recording) Err() error {
	if a := r.table.aside; a != nil {
		if err := a.failed.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// Close gives back what [Recording.PutAside] took. The recording cannot be used any longer.
func (r *Recording) Close() error {
	a := r.table.aside
	if a == nil {
		return nil
	}
	r.table = table{}
	return a.close()
}

// Places returns the number of observations: of trials, but that those of which nothing is known but their outcome
// may be taken together.
func (r *Recording) Places() int { return r.table.rows }

// Observations returns the trials in their order, with their places; see [Recording.Places].
func (r *Recording) Observations() iter.Seq2[int, Observation] { return r.table.all() }

// At returns one observation.
func (r *Recording) At(place int) Observation { return r.table.at(place) }

// Outcome returns that of an observation, faster than At.
func (r *Recording) Outcome(place int) trial.Outcome { return r.table.outcome(place) }

// Count is how many trials an observation is.
func (r *Recording) Count(place int) int { return r.table.countOf(place) }

// ScenarioNames returns the names in the order in which they come. It is not a copy.
func (r *Recording) ScenarioNames() []string { return r.table.scenarios }

// Scenario returns the number of an observation's scenario among [Recording.ScenarioNames].
func (r *Recording) Scenario(place int) int { return r.table.scenarioOf(place) }

// ScenarioName returns the name of an observation's scenario.
func (r *Recording) ScenarioName(place int) string {
	return r.table.scenarios[r.table.scenarioOf(place)]
}

// Inputs returns hashes of the inputs by place; 0 is none. Equal inputs have equal hashes, also of other recordings.
func (r *Recording) Inputs() iter.Seq2[int, uint64] { return r.table.numbers(&r.table.input) }

// Values returns a metric by place; NaN where it is not known.
func (r *Recording) Values(name MetricName) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for place, bits := range r.table.numbers(&r.table.metrics[name]) {
			if !yield(place, math.Float64frombits(bits)) {
				return
			}
		}
	}
}

// Tells reports whether some trial tells a metric.
func (r *Recording) Tells(name MetricName) bool { return r.table.metrics[name].used }

// Counted reports whether the recording is made of counts: no trial of it has a partner,
// and their order means nothing.
func (r *Recording) Counted() bool { return r.counted }

// HasInputs reports whether there are trials, and all of them have an input.
func (r *Recording) HasInputs() bool { return r.trials > 0 && r.inputs == r.trials }

// Order returns, for each trial in its order, its place among the observations.
func (r *Recording) Order() []int {
	order := make([]int, 0, r.trials)
	for i := range r.table.rows {
		for range r.table.countOf(i) {
			order = append(order, i)
		}
	}
	return order
}

// OfCounts returns a recording that holds nothing but the outcomes: so many
// passes among so many trials of one scenario named "all".
func OfCounts(name string, c stats.Counts) (*Recording, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &Recording{Name: name}
	r.AddCount("all", trial.Pass, c.Passes)
	r.AddCount("all", trial.Fail, c.Trials-c.Passes)
	return r, nil
}

// hashInput makes inputs comparable that differ in white space alone. What is no JSON is
// taken as it is.
func hashInput(input []byte) uint64 {
	if hasSpace(input) {
		var compact bytes.Buffer
		if json.Compact(&compact, input) == nil {
			input = compact.Bytes()
		}
	}
	if h := maphash.Bytes(inputSeed, input); h != 0 {
		return h
	}
	// 0 stands for "no input".
	return 1
}

// hasSpace reports whether there is white space in JSON beside that of its strings. Without any it is compact as it is.
func hasSpace(text []byte) bool {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted = !quoted
		case '\\':
			i++ // what follows ends no string
		case ' ', '\t', '\r', '\n':
			if !quoted {
				return true
			}
		}
	}
	return false
}

// unknownMetrics begins with nothing known: 0 would be a value.
func unknownMetrics() (m [metricCount]float64) {
	for i := range m {
		m[i] = math.NaN()
	}
	return m
}

// brokeOff reports whether the machine, not the system, ended a trial.
func brokeOff(t *trial.Trial) bool {
	return t.Outcome == trial.Error && t.Error != nil && t.Error.Origin == trial.InfrastructureOrigin
}

// measure reads the metrics of a trial. A turn is an answer of the model: a step
// that reasons or responds. What is counted over steps is unknown where the steps
// were not recorded.
//
// A trial that ended in an error of infrastructure has none: five minutes until a provider gives up
// say nothing of how fast the system is, and an answer that was cut off nothing of how short it is.
func measure(record *trial.Trial) [metricCount]float64 {
	m := unknownMetrics()
	if brokeOff(record) {
		return m
	}
	if record.CostUSD.Known {
		m[CostMetric] = record.CostUSD.Value
	}
	// Half of the tokens would look like a saving beside a side that tells both.
	if record.InputTokens.Known && record.OutputTokens.Known {
		m[TokensMetric] = float64(record.InputTokens.Value) + float64(record.OutputTokens.Value)
	}
	if record.DurationSeconds.Known {
		m[DurationMetric] = record.DurationSeconds.Value
	}
	// No steps is not the same as steps that were not recorded.
	if record.Steps == nil {
		if record.Turns.Known {
			m[TurnsMetric] = float64(record.Turns.Value)
		}
		if record.ToolCalls.Known {
			m[ToolCallsMetric] = float64(record.ToolCalls.Value)
		}
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
	// Steps that are calls of tools alone tell no turns, but the trial may.
	if turns == 0 && record.Turns.Known && record.Turns.Value > 0 {
		turns = float64(record.Turns.Value)
	}
	m[TurnsMetric], m[ToolCallsMetric], m[ToolErrorsMetric] = turns, calls, errors
	return m
}
