package store

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Run is what one command gathered, without its trials.
type Run struct {
	// ID names the run: hexadecimal digits that follow from what is in it. [Store.Add] sets it.
	ID string `json:"id"`
	// Key says which run it is, of one that may be added again with more trials, such as one that was resumed: then the
	// later one takes the place of the earlier one. "" is none: a run is what is in it.
	Key string `json:"key,omitempty"`

	Kind  string `json:"kind"`  // the command, such as "run" or "import"
	Suite string `json:"suite"` // its name; "" is none
	// Digests of what was asked and how it was judged, and of what was tested; "" is not known.
	Task  string `json:"task,omitempty"`
	Agent string `json:"agent,omitempty"`
	// Changed says what of the agent is another than before, a line each; it is for a person.
	Changed []string `json:"changed,omitempty"`

	Commit  string           `json:"commit,omitempty"`
	Branch  string           `json:"branch,omitempty"`
	Build   string           `json:"build,omitempty"`     // of a build server: a number or a URL
	Started time.Time        `json:"started_at,omitzero"` // the zero time is not known: then that of the earliest trial
	Added   time.Time        `json:"added_at,omitzero"`   // to the store; it is no part of what is in a run
	Verdict string           `json:"verdict,omitempty"`   // pass, fail or inconclusive; "" where there is none
	Result  *Result          `json:"-"`                   // what the command saved; nil where it saved none, and in lists
	Stops   []recording.Stop `json:"stops,omitempty"`     // how tests stopped the trials; nil where their number was fixed

	Labels map[string]string `json:"labels,omitempty"` // of people, such as "model": "small"
	Parts  []Part            `json:"parts"`            // by version; set by [Store.Add]
}

// check refuses what a database does not keep as a text.
func (r *Run) check(s *Store) error {
	texts := []string{r.Kind, r.Suite, r.Task, r.Agent, r.Commit, r.Branch, r.Build, r.Verdict}
	for _, name := range sorted(r.Labels) {
		texts = append(texts, name, r.Labels[name])
	}
	for _, text := range texts {
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			return &Error{Store: s.name, Problem: "takes no run with what is no text: " + prose.Quote(text), Advice: "rename it"}
		}
	}
	return nil
}

// Result is a saved result.
type Result struct {
	Name string // its schema, such as "tribunal/run/v1"
	Text []byte // JSON
}

// Part is what the trials of one version in a run come to.
type Part struct {
	Version string `json:"version"`
	Sums
	// Behaviour is the mean of the trials' fingerprints, where they have traces; nil is none.
	Behaviour *Behaviour `json:"-"`
}

// Tally is what the trials of a scenario in a part come to.
type Tally struct {
	Version  string `json:"version"`
	Scenario string `json:"scenario"`
	Sums
}

// Sums are counts of trials and sums over them.
type Sums struct {
	Trials   int `json:"trials"` // all of them, of which what is neither of the next is not judged
	Passes   int `json:"passes"`
	Failures int `json:"failures"`
	Errors   int `json:"errors"`

	Cost    Sum `json:"cost_usd"`   // in US dollars
	Seconds Sum `json:"duration_s"` // from beginning to end
	Tokens  Sum `json:"tokens"`     // of input and output
	Turns   Sum `json:"turns"`
	Calls   Sum `json:"tool_calls"`
}

// Sum is the sum of a metric over the trials that tell it.
type Sum struct {
	Known   int     `json:"known"` // trials
	Total   float64 `json:"total"`
	Squares float64 `json:"squares"` // the sum of the squares
}

// Mean is the mean over the trials that tell it; false where none does.
func (s Sum) Mean() (mean float64, ok bool) {
	if s.Known == 0 {
		return 0, false
	}
	return s.Total / float64(s.Known), true
}

// Variance is the variance, with divisor Known-1; false of fewer than two trials.
func (s Sum) Variance() (variance float64, ok bool) {
	if s.Known < 2 {
		return 0, false
	}
	n := float64(s.Known)
	return max(0, (s.Squares-s.Total*s.Total/n)/(n-1)), true
}

// add counts a value.
func (s *Sum) add(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	s.Known++
	s.Total += x
	s.Squares += x * x
}

// plus adds other sums.
func (s *Sum) plus(o Sum) {
	s.Known += o.Known
	s.Total += o.Total
	s.Squares += o.Squares
}

// metrics are the sums in the order of their columns.
func (s *Sums) metrics() []*Sum { return []*Sum{&s.Cost, &s.Seconds, &s.Tokens, &s.Turns, &s.Calls} }

// Plus adds other sums.
func (s *Sums) Plus(o Sums) {
	s.Trials += o.Trials
	s.Passes += o.Passes
	s.Failures += o.Failures
	s.Errors += o.Errors
	for i, m := range s.metrics() {
		m.plus(*o.metrics()[i])
	}
}

// add counts a trial.
func (s *Sums) add(t *trial.Trial) {
	s.Trials++
	switch t.Outcome {
	case trial.Pass:
		s.Passes++
	case trial.Fail:
		s.Failures++
	case trial.Error:
		s.Errors++
	}
	if t.CostUSD.Known {
		s.Cost.add(t.CostUSD.Value)
	}
	if t.DurationSeconds.Known {
		s.Seconds.add(t.DurationSeconds.Value)
	}
	if t.InputTokens.Known && t.OutputTokens.Known {
		s.Tokens.add(float64(t.InputTokens.Value) + float64(t.OutputTokens.Value))
	}
	if t.Turns.Known {
		s.Turns.add(float64(t.Turns.Value))
	}
	if t.ToolCalls.Known {
		s.Calls.add(float64(t.ToolCalls.Value))
	}
}

// sorted returns the keys of a map in their order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
