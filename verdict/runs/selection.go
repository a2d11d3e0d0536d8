package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Selection says which scenarios of its suite a run was not asked for, and how they were chosen.
type Selection struct {
	Only    []string `json:"only,omitempty"` // globs; a name had to match one of them
	Tags    []string `json:"tag,omitempty"`  // a scenario had to have one of them
	LeftOut []string `json:"left_out"`       // names of scenarios, in the order of the suite; at least one
}

// String says how scenarios were left out, such as "left out by --only greet", quoted as they were typed.
func (s *Selection) String() string {
	var parts []string
	for _, glob := range s.Only {
		parts = append(parts, "--only "+typed(glob))
	}
	for _, tag := range s.Tags {
		parts = append(parts, "--tag "+typed(tag))
	}
	if len(parts) == 0 {
		return "left out, and the result does not say by which choice"
	}
	return "left out by " + strings.Join(parts, " ")
}

// typed is a value of a flag as one may type it: in quotation marks where a shell would make something else of it.
func typed(value string) string {
	for _, r := range value {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:,@%+=", r) {
			return prose.Quote(value)
		}
	}
	return value
}

// Share says of how many scenarios of the suite a partial run is, such as "1 of 4 scenarios"; "" of
// a run of all of them.
func (r *Result) Share() string {
	if r.Selection == nil {
		return ""
	}
	ran := len(r.Ran())
	return fmt.Sprintf("%d of %s", ran, prose.Count(ran+len(r.Selection.LeftOut), "scenario"))
}

// warnPartial says that scenarios of the suite were left out, by name.
func (r *Result) warnPartial() {
	if r.Selection == nil {
		return
	}
	r.Warnings = append(r.Warnings, warnPartial.Warning("a partial run, of %s of the suite; %s: %s", r.Share(),
		r.Selection, strings.Join(r.Selection.LeftOut, ", ")))
}

// Ran returns the names of the scenarios that were run, sorted.
func (r *Result) Ran() []string {
	names := map[string]bool{}
	for i := range r.Tests {
		t := &r.Tests[i]
		for _, m := range t.Members {
			names[m.Name] = true
		}
		if len(t.Members) == 0 {
			names[r.scenarioOf(t)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// scenarioOf is the scenario of a test of one, whose name is that of the scenario, with the variant
// behind it, or, of a suite that is tested as a whole, that of the suite.
func (r *Result) scenarioOf(t *Test) string {
	name := t.Name
	if t.Variant != "" {
		name = strings.TrimSuffix(name, suite.TestName("", t.Variant))
	}
	if r.Task == nil || len(r.Task.Scenarios) != 1 || name != r.Suite {
		return name
	}
	for only := range r.Task.Scenarios {
		name = only
	}
	return name
}

// checkScenarios compares the scenarios that the task names with those of the tests: what was asked
// was tried, and what was left out was not.
func (r *Result) checkScenarios() error {
	ran := r.Ran()
	if t := r.Task; t != nil {
		if asked := slices.Sorted(maps.Keys(t.Scenarios)); !slices.Equal(asked, ran) {
			return &verdict.DifferenceError{Path: "task.scenarios", Have: prose.Some(asked, 8), Want: prose.Some(ran, 8)}
		}
		if want := t.digest(); t.Digest != want {
			return &verdict.DifferenceError{Path: "task.digest", Have: t.Digest, Want: want}
		}
	}
	if r.Selection == nil {
		return nil
	}
	if len(r.Selection.LeftOut) == 0 {
		return &verdict.DifferenceError{Path: "selection.left_out", Have: "empty", Want: "at least one scenario"}
	}
	for _, name := range r.Selection.LeftOut {
		if slices.Contains(ran, name) {
			return &verdict.DifferenceError{Path: "selection.left_out", Have: fmt.Sprintf("%q", name),
				Want: "scenarios without a test"}
		}
	}
	return nil
}

// digest computes that of the task from those of its scenarios, as [suite.Task] has it.
func (t *Task) digest() string {
	scenarios := make(map[string]string, len(t.Scenarios))
	for name, s := range t.Scenarios {
		scenarios[name] = s.Digest
	}
	text, err := json.Marshal(scenarios)
	if err != nil {
		return "" // not reached: texts can always be written
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
