package suggest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Tester tries suggestions, one after the other, and says what each added to what was covered before it.
type Tester struct {
	// Attempt makes the trial of a suggestion with that number, from 0, and says why it did not pass. Its error ends the
	// trying.
	Attempt   func(ctx context.Context, s *Suggestion, number int) (made *trial.Trial, why string, err error)
	Collector *coverage.Collector // has what was covered before
	Source    *arbitrary.Source   // of inputs that were drawn, to be made smaller; nil leaves inputs as they are
	// Confirm is how often more an input has to fail, of as many trials, until it counts as failing: an agent that varies
	// fails once of many inputs. It holds for smaller ones as well.
	Confirm    int
	MostTrials int                     // of smaller inputs, for one that fails; 0 makes none smaller
	MaxCostUSD trial.Optional[float64] // of all trials; unknown is without limit

	Trials   int     // that were made
	SpentUSD float64 // of those that told
	Untold   int     // trials that did not tell their cost

	dearest float64
	failing map[string]string // the names of those that fail, by their inputs as they were made smaller
}

// TestResult is what came of a suggestion.
type TestResult struct {
	// of the first trial: pass, fail, error, or unjudged; "" where the budget allowed none
	Outcome string          `json:"outcome"`
	Trials  int             `json:"trials"`            // without those of smaller inputs
	Failed  int             `json:"failed"`            // of the trials
	Fails   bool            `json:"fails"`             // each trial that was asked for failed
	Because string          `json:"because,omitempty"` // why the first trial did not pass
	Raised  []DimensionRise `json:"raised,omitempty"`  // dimensions whose value rose
	Reached []string        `json:"reached,omitempty"` // what was not covered before, by name where it has one
	Smaller *Reduction      `json:"smaller,omitempty"` // of an input that fails
	// Same is the suggestion before it that fails with the same input, once both were made smaller; "" is none.
	Same string `json:"same,omitempty"`
}

// DimensionRise is a dimension that covers more than before.
type DimensionRise struct {
	Dimension coverage.Dimension `json:"dimension"`
	Before    float64            `json:"before"`
	After     float64            `json:"after"`
}

// Reduction says how an input was made smaller.
type Reduction struct {
	From   json.RawMessage `json:"from"`   // the input that failed first
	Inputs int             `json:"inputs"` // that were tried
	Trials int             `json:"trials"` // that it took
}

// Kept reports whether a suggestion is worth keeping: it raised something, or fails.
func (t *TestResult) Kept() bool {
	return t.Fails && t.Same == "" || len(t.Raised) > 0 || len(t.Reached) > 0
}

// Try tries one suggestion. An input that fails is made smaller, and stands in the suggestion then. Where the budget
// allows no trial, there is none; a trial that does not tell its cost has none that could be added up, which is an
// error where there is a limit.
func (t *Tester) Try(ctx context.Context, s *Suggestion) (*TestResult, error) {
	if t.enough() {
		return &TestResult{}, nil
	}
	before := t.Collector.Measure()
	x := &TestResult{}
	first, why, err := t.attempt(ctx, s, 0)
	if err != nil {
		return nil, err
	}
	x.Outcome, x.Trials, x.Because = first.Outcome.String(), 1, prose.Excerpt(why)
	t.Collector.Add(first)
	if first.Outcome == trial.Fail {
		x.Failed = 1
		for x.Failed == x.Trials && x.Trials <= t.Confirm && !t.enough() {
			again, _, err := t.attempt(ctx, s, x.Trials)
			if err != nil {
				return nil, err
			}
			t.Collector.Add(again)
			x.Trials++
			if again.Outcome == trial.Fail {
				x.Failed++
			}
		}
		x.Fails = x.Failed == t.Confirm+1
	}
	x.compare(before, t.Collector.Measure())
	if x.Fails && t.Source != nil && t.MostTrials > 0 {
		if err := t.makeSmaller(ctx, s, x); err != nil {
			return nil, err
		}
		if t.failing == nil {
			t.failing = map[string]string{}
		}
		if x.Same = t.failing[string(s.Input)]; x.Same == "" {
			t.failing[string(s.Input)] = s.Name
		}
	}
	return x, nil
}

// enough reports whether one more trial might not fit into the budget: one that takes as much as the dearest did.
func (t *Tester) enough() bool {
	return t.MaxCostUSD.Known && t.SpentUSD+t.dearest > t.MaxCostUSD.Value
}

// attempt makes a trial and adds up what it cost.
func (t *Tester) attempt(ctx context.Context, s *Suggestion, number int) (*trial.Trial, string, error) {
	made, why, err := t.Attempt(ctx, s, number)
	if err != nil {
		return nil, "", err
	}
	t.Trials++
	cost := made.TotalCostUSD()
	switch {
	case cost.Known:
		t.SpentUSD += cost.Value
		t.dearest = max(t.dearest, cost.Value)
	case t.MaxCostUSD.Known:
		return nil, "", &fault.Error{
			Problem: fmt.Sprintf("the trial of %s does not tell its cost, which is limited", prose.Quote(s.Name)),
			Advice:  "let the agent record its cost, or say what a trial costs: budget: {price_per_trial: 0.02}",
		}
	default:
		t.Untold++
	}
	return made, why, nil
}

// makeSmaller puts the smallest input that was found to fail in place of that of the suggestion.
func (t *Tester) makeSmaller(ctx context.Context, s *Suggestion, x *TestResult) error {
	r := &Reduction{From: s.Input}
	smallest, inputs, err := t.Source.Minimise(s.Input, t.MostTrials, func(input json.RawMessage) (bool, error) {
		other := *s
		other.Input = input
		for number := range t.Confirm + 1 {
			if r.Trials >= t.MostTrials || t.enough() {
				return false, arbitrary.ErrEnough
			}
			made, _, err := t.attempt(ctx, &other, number)
			if err != nil {
				return false, err
			}
			r.Trials++
			if made.Outcome != trial.Fail {
				return false, nil
			}
		}
		return true, nil
	})
	if _, isSchema := errors.AsType[*arbitrary.SchemaError](err); err != nil && !isSchema {
		return err
	}
	r.Inputs = inputs
	if string(smallest) != string(s.Input) {
		s.Input, x.Smaller = smallest, r
	}
	return nil
}

// compare says what is covered that was not. Without a graph, paths are measured by how often they are taken, which
// rises and falls whatever is tried: there new ones count, and no value.
func (x *TestResult) compare(before, after *coverage.Result) {
	for i, m := range after.Dimensions {
		was := before.Dimensions[i].Value
		switch {
		case m.Value == nil || m.Dimension == coverage.PathDimension && after.Paths.Graph == nil:
		case was == nil:
			x.Raised = append(x.Raised, DimensionRise{m.Dimension, 0, *m.Value})
		case *m.Value > *was:
			x.Raised = append(x.Raised, DimensionRise{m.Dimension, *was, *m.Value})
		}
	}
	gone := func(before, after []string) {
		for _, name := range before {
			if !slices.Contains(after, name) {
				x.Reached = append(x.Reached, name)
			}
		}
	}
	gone(before.Tools.Uncalled, after.Tools.Uncalled)
	gone(untouched(before), untouched(after))
	gone(before.Models.NotRun, after.Models.NotRun)
	if more := pathsOf(after) - pathsOf(before); more > 0 {
		x.Reached = append(x.Reached, prose.Count(more, "new path"))
	}
	if more := after.States.Distinct - before.States.Distinct; more > 0 && after.States.Lambda != nil {
		x.Reached = append(x.Reached, prose.Count(more, "new state"))
	}
}

// untouched are the limits that no call came to.
func untouched(r *coverage.Result) (names []string) {
	if r.Boundaries != nil {
		for _, b := range r.Boundaries.Untouched {
			names = append(names, b.String())
		}
	}
	return names
}

// pathsOf is how many paths count: those of the graph, where there is one.
func pathsOf(r *coverage.Result) int {
	switch p := r.Paths; {
	case p == nil:
		return 0
	case p.Graph != nil:
		return p.Graph.Tried
	default:
		return p.Distinct
	}
}

// Word says in a word what came of a suggestion.
func (x *TestResult) Word() string {
	if x.Same != "" {
		return "fails as " + x.Same + " does"
	}
	return x.Outcome
}

// Lines say in words what came of a suggestion.
func (x *TestResult) Lines() (lines []string) {
	switch {
	case x.Outcome == "":
		return []string{"not tried: the budget allowed no more trials"}
	case x.Outcome == trial.Error.String():
		lines = append(lines, "tried: the trial is an error: "+x.Because)
	case x.Same != "":
		lines = append(lines, "tried: it "+x.Word())
	case x.Fails:
		lines = append(lines, fmt.Sprintf("tried: it fails, %d of %d times: %s", x.Failed, x.Trials, x.Because))
	case x.Failed > 0:
		lines = append(lines, fmt.Sprintf("tried: it failed %d of %d times, and may pass: %s", x.Failed, x.Trials, x.Because))
	case x.Outcome == trial.Pass.String():
		lines = append(lines, "tried: it passed")
	default:
		lines = append(lines, "tried: nothing says whether it passed")
	}
	for _, r := range x.Raised {
		lines = append(lines, fmt.Sprintf("%s coverage rose from %s to %s", r.Dimension, phrase.Percent(r.Before),
			phrase.Percent(r.After)))
	}
	if len(x.Reached) > 0 {
		lines = append(lines, "it reached "+prose.Some(x.Reached, 5))
	}
	if len(x.Raised) == 0 && len(x.Reached) == 0 {
		lines = append(lines, "it reached nothing that was not covered")
	}
	if s := x.Smaller; s != nil {
		lines = append(lines, fmt.Sprintf("made smaller in %s of %s, from %s", prose.Count(s.Trials, "trial"),
			prose.Count(s.Inputs, "input"), cut(string(s.From), 300)))
	}
	return lines
}
