package suggest

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/trial"
)

// What is kept of recorded trials: all chosen. A few trials of each path are as good as all of them.
const (
	mostSamples = 2_000
	mostOfPath  = 20       // of one scenario that took one path
	mostBytes   = 16 << 20 // of inputs and arguments
	largeInput  = 64 << 10 // bytes of an input that nobody would read
)

// Sample is a recorded trial, as far as suggestions are made of it.
type Sample struct {
	Scenario string
	Passed   bool
	input    any // decoded; nil where it is not recorded
	steps    []graph.Step
	calls    []call
}

// call is a call of a tool.
type call struct {
	tool      string
	arguments any // decoded; nil where they are not recorded
}

// Samples are recorded trials. The zero value is ready to use.
type Samples struct {
	// Inputs are those of scenarios by their names, for trials that do not record theirs; may be nil.
	Inputs map[string]trial.Raw

	list  []*Sample
	taken map[string]int // samples of a scenario and path
	bytes int
	left  int
}

// Add takes a trial in, as far as there is room. A trial that ended in an error was cut off, and is passed over. It
// returns how many bytes were kept.
func (s *Samples) Add(t *trial.Trial) (kept int64) {
	if t.Outcome == trial.Error || t.Steps == nil {
		return 0
	}
	if s.taken == nil {
		s.taken = map[string]int{}
	}
	sample := &Sample{Scenario: strings.Clone(t.Scenario), Passed: t.Outcome == trial.Pass}
	input := t.Input
	if len(input) == 0 {
		input = s.Inputs[t.Scenario]
	}
	size := len(input)
	path := strings.Builder{}
	path.WriteString(t.Scenario)
	for i := range t.Steps {
		step := graph.StepOf(&t.Steps[i])
		step.Tool = strings.Clone(step.Tool)
		sample.steps = append(sample.steps, step)
		path.WriteString("\x00" + step.String())
		if step.Action == "" && step.Tool != "" {
			size += len(t.Steps[i].Arguments)
		}
	}
	size += 2 * path.Len()
	if len(s.list) >= mostSamples || s.bytes+size > mostBytes || len(input) > largeInput ||
		s.taken[path.String()] >= mostOfPath {
		s.left++
		return 0
	}
	s.taken[path.String()]++
	s.bytes += size
	sample.input = decoded(input)
	for i := range t.Steps {
		if step := &t.Steps[i]; step.Action == trial.CallTool && step.Tool != "" {
			sample.calls = append(sample.calls, call{sample.steps[i].Tool, argumentsOf(step.Arguments)})
		}
	}
	s.list = append(s.list, sample)
	return int64(size)
}

// argumentsOf decodes the arguments of a call, which some agents record as a text that holds JSON.
func argumentsOf(raw trial.Raw) any {
	value := decoded(raw)
	if text, ok := value.(string); ok {
		return decoded([]byte(text))
	}
	return value
}

// decoded is a JSON value with numbers as they are written; nil for none, and for what is no JSON.
func decoded(raw []byte) (value any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if len(raw) == 0 || d.Decode(&value) != nil {
		return nil
	}
	return value
}

// at returns the part of arguments that a parameter's path names, such as "address.zip" or "lines[].quantity": of a
// list the first item that has it.
func at(value any, path string) (part any, ok bool) {
	if path == "" {
		return value, true
	}
	if rest, inList := strings.CutPrefix(path, "[]"); inList {
		items, _ := value.([]any)
		for _, item := range items {
			if part, ok := at(item, strings.TrimPrefix(rest, ".")); ok {
				return part, true
			}
		}
		return nil, false
	}
	object, _ := value.(map[string]any)
	// A name may have dots in it: the longest one that is there counts.
	for end := len(path); end > 0; end-- {
		if end < len(path) && path[end] != '.' && !strings.HasPrefix(path[end:], "[]") {
			continue
		}
		if member, there := object[path[:end]]; there {
			return at(member, strings.TrimPrefix(path[end:], "."))
		}
	}
	return nil, false
}
