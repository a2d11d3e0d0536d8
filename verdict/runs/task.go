package runs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Task identifies what a run asked of an agent, and how the answers were judged, whoever the
// agent was. Two runs can be compared where their tasks are equal.
type Task struct {
	Digest    string                  `json:"digest"`    // "sha256:" and 64 hexadecimal digits
	Scenarios map[string]TaskScenario `json:"scenarios"` // those that were run, by name
}

// TaskScenario is the task of one scenario, and the beginnings of digests of what it is made of.
type TaskScenario struct {
	Digest     string `json:"digest"`              // "sha256:" and 64 hexadecimal digits
	Input      string `json:"input"`               // of what the agent was given
	Evaluators string `json:"evaluators"`          // of what makes a trial pass
	Contracts  string `json:"contracts,omitempty"` // of the content of contracts; "" where there is none
	Limits     string `json:"limits"`              // of the limits of a trial

	// What it is to show, such as security, and of which capabilities. They are no part of the digest.
	Kind         string   `json:"kind,omitempty"`
	Capabilities []string `json:"capabilities,omitempty"`
}

// TaskDifference is how the tasks of two runs differ. Its lists are sorted; where all are
// empty, every scenario of either was asked and judged alike.
type TaskDifference struct {
	// Scenarios that were asked or judged otherwise, with what of them differs: such as "refund
	// (input, limits)".
	Changed []string
	Added   []string // scenarios that only the later run has
	Removed []string // scenarios that only the earlier run has
}

// Since says how the task differs from that of an earlier run.
func (t *Task) Since(earlier *Task) (d TaskDifference) {
	for _, name := range slices.Sorted(maps.Keys(t.Scenarios)) {
		after := t.Scenarios[name]
		switch before, known := earlier.Scenarios[name]; {
		case !known:
			d.Added = append(d.Added, name)
		case after.Digest != before.Digest:
			d.Changed = append(d.Changed, fmt.Sprintf("%s (%s)", name, after.since(before)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(earlier.Scenarios)) {
		if _, known := t.Scenarios[name]; !known {
			d.Removed = append(d.Removed, name)
		}
	}
	return d
}

// since names the parts that differ.
func (s TaskScenario) since(earlier TaskScenario) string {
	var parts []string
	for _, part := range []struct {
		name          string
		after, before string
	}{
		{"input", s.Input, earlier.Input}, {"evaluators", s.Evaluators, earlier.Evaluators},
		{"contracts", s.Contracts, earlier.Contracts}, {"limits", s.Limits, earlier.Limits},
	} {
		if part.after != part.before {
			parts = append(parts, part.name)
		}
	}
	// The digest covers all parts: a result that says otherwise was changed.
	if parts == nil {
		return "digest"
	}
	return strings.Join(parts, ", ")
}
