package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Counts is what a [Collector] counted and what was declared: all that coverage is
// computed from, in a form that can be saved. Lists of names are sorted, but for those
// that were declared.
type Counts struct {
	Trials    int `json:"trials"`
	Errors    int `json:"errors"`     // trials without a verdict, left out
	Unjudged  int `json:"unjudged"`   // of the trials
	Recorded  int `json:"recorded"`   // of the trials, those that record their steps
	WithModel int `json:"with_model"` // of the trials, those that name a model

	Tools  []string       `json:"tools,omitempty"` // declared
	Called []string       `json:"called,omitempty"`
	Models []string       `json:"models,omitempty"` // declared
	Ran    []string       `json:"ran,omitempty"`    // models
	Paths  []PathCount    `json:"paths,omitempty"`
	States int            `json:"states"` // distinct
	Lambda float64        `json:"lambda,omitempty"`
	Limits []CountedLimit `json:"limits,omitempty"`
	Silent []string       `json:"silent,omitempty"` // tools with limits, of which no call records its arguments

	Weights      map[Dimension]float64 `json:"weights"`
	Minimum      *float64              `json:"minimum,omitempty"`
	Capabilities []string              `json:"capabilities,omitempty"`
	Scenarios    []CountedScenario     `json:"scenarios,omitempty"` // what covers them
}

// PathCount says how many paths were taken by so many trials each.
type PathCount struct {
	Trials int `json:"trials"`
	Paths  int `json:"paths"`
}

// CountedLimit is a limit of a parameter, and whether an argument touched it.
type CountedLimit struct {
	Boundary
	Touched bool `json:"touched"`
}

// CountedScenario is a [Scenario] with its trials.
type CountedScenario struct {
	Name         string   `json:"name"`
	Capabilities []string `json:"capabilities"`
	Threshold    float64  `json:"threshold"`
	Passed       *bool    `json:"passed,omitempty"`
	Passes       int      `json:"passes"`
	Judged       int      `json:"judged"`
}

// Counts returns what was counted so far. The result shares no memory with the
// collector but that of values of limits, which stay as they are.
func (c *Collector) Counts() *Counts {
	d := c.declared
	counts := &Counts{
		Trials: c.trials, Errors: c.errors, Unjudged: c.unjudged, Recorded: c.recorded, WithModel: c.models,
		Tools: slices.Clone(d.Tools), Called: sortedKeys(c.tools), Models: slices.Clone(d.Models), Ran: sortedKeys(c.ran),
		States: len(c.states), Lambda: d.Lambda, Silent: c.silent(), Weights: maps.Clone(d.Weights), Capabilities: slices.Clone(d.Capabilities),
	}
	taken := map[int]int{}
	for _, trials := range c.paths {
		taken[trials]++
	}
	for _, trials := range slices.Sorted(maps.Keys(taken)) {
		counts.Paths = append(counts.Paths, PathCount{trials, taken[trials]})
	}
	for _, l := range c.limits {
		counts.Limits = append(counts.Limits, CountedLimit{l.Boundary, l.touched})
	}
	if d.Minimum.Known {
		counts.Minimum = &d.Minimum.Value
	}
	for _, s := range d.Scenarios {
		n := c.scenarios[s.Name]
		counted := CountedScenario{Name: s.Name, Capabilities: slices.Clone(s.Capabilities), Threshold: s.Threshold, Passes: n.passes, Judged: n.judged}
		if s.Passed.Known {
			counted.Passed = &s.Passed.Value
		}
		counts.Scenarios = append(counts.Scenarios, counted)
	}
	return counts
}

// Validate returns an error for counts that no trials could have.
func (c *Counts) Validate() error {
	for _, n := range []struct {
		name          string
		n, least, all int
	}{
		{"errors", c.Errors, 0, c.Errors}, {"trials", c.Trials, 0, c.Trials}, {"unjudged", c.Unjudged, 0, c.Trials}, {"recorded", c.Recorded, 0, c.Trials},
		{"with_model", c.WithModel, min(len(c.Ran), 1), c.Trials}, {"states", c.States, min(len(c.Paths), 1), c.States},
	} {
		if n.n < n.least || n.n > n.all {
			return &DeclarationError{"counts." + n.name, n.n, fmt.Sprintf("must be from %d to %d", n.least, max(n.least, n.all))}
		}
	}
	trials := 0
	for _, p := range c.Paths {
		if p.Trials < 1 || p.Paths < 1 || p.Trials > c.Recorded || p.Paths > c.Recorded {
			return &DeclarationError{"counts.paths", p.Trials, "is no number of trials that took a path"}
		}
		trials += p.Trials * p.Paths
	}
	if trials != c.Recorded {
		return &DeclarationError{"counts.recorded", c.Recorded, fmt.Sprintf("trials took a path, and the paths have %d", trials)}
	}
	judged := 0
	for _, s := range c.Scenarios {
		if s.Passes < 0 || s.Passes > s.Judged {
			return &DeclarationError{"counts.scenarios." + s.Name, s.Passes, fmt.Sprintf("passes must be from 0 to %d", s.Judged)}
		}
		judged += s.Judged
	}
	if judged > c.Trials-c.Unjudged {
		return &DeclarationError{"counts.scenarios", judged, fmt.Sprintf("are judged, of %d trials", c.Trials-c.Unjudged)}
	}
	return nil
}

// compact is the boundary with its value on one line, as it may have been read from
// an indented document.
func (l CountedLimit) compact() Boundary {
	var value bytes.Buffer
	if json.Compact(&value, l.Value) == nil {
		l.Value = value.Bytes()
	}
	return l.Boundary
}

func setOf(words []string) names {
	set := make(names, len(words))
	for _, word := range words {
		set.add(word)
	}
	return set
}
