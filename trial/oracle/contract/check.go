package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// State is what became of a clause in one trial.
type State uint8

// The states. A clause of which nobody said anything is never kept.
const (
	unjudged     State = iota // it cannot be judged: a value is unknown, or a condition failed
	Kept                      // wherever it was checked
	Violated                  // in one place at least
	inapplicable              // its condition when is false
)

var states = enum.Of[State]("state", "unjudged", "kept", "violated", "inapplicable")

// String returns the state as a word.
func (s State) String() string { return states.String(s) }

// Finding is what was found of a clause in one trial.
type Finding struct {
	Clause     *Clause     // of the contract; not to be changed
	State      State       // what became of it
	Violations []Violation // in the order of steps; at most 20
	Problem    string      // why it is unjudged
}

// Violation is one place where a clause is violated.
type Violation struct {
	Step     trial.Optional[int] // from 0; unknown where the whole trial violates it
	Tool     string              // that the step calls; may be ""
	Evidence string              // a sentence with a short excerpt, printable
}

// String writes the place and the evidence.
func (v Violation) String() string {
	switch {
	case !v.Step.Known:
		return v.Evidence
	case v.Tool == "":
		return fmt.Sprintf("step %d: %s", v.Step.Value, v.Evidence)
	}
	return fmt.Sprintf("step %d (%s): %s", v.Step.Value, prose.Excerpt(v.Tool), v.Evidence)
}

// maxViolations is how many violations of a clause are kept of one trial.
//
// Chosen: enough to see a habit, and a trial of thousands of steps stays printable. The state does
// not depend on it.
const maxViolations = 20

// Check checks every clause in one trial, and returns a finding for each, in their
// order. The trial is not changed. Clauses that there was no more time for are unjudged.
func (c *Contract) Check(ctx context.Context, t *trial.Trial) []Finding {
	most := cmp.Or(c.together, maxTogether)
	slow := fmt.Errorf("the clauses together take longer than %v on this trial", most)
	ctx, cancel := context.WithTimeoutCause(ctx, most, slow)
	defer cancel()
	findings := make([]Finding, len(c.Clauses))
	var s subject
	// Guardrails read the trial itself: writing it out, which decodes all its JSON, is for conditions.
	if t != nil && c.hasConditions() {
		s = subjectOf(t)
	}
	for i := range c.Clauses {
		f := &findings[i]
		f.Clause = &c.Clauses[i]
		if t == nil {
			f.Problem = "there is no trial"
			continue
		}
		if ctx.Err() != nil {
			f.unjudged(context.Cause(ctx))
			continue
		}
		f.check(ctx, t, s)
	}
	return findings
}

// hasConditions reports whether the trial must be written in the variables of
// conditions.
func (c *Contract) hasConditions() bool {
	return slices.ContainsFunc(c.Clauses, func(l Clause) bool { return l.when != nil || l.require != nil })
}

var errNoSteps = errors.New("the steps are not recorded")

// check checks one clause, within the time that a clause may take. It is violated in one
// place or kept in all: what cannot be judged at one step keeps it from being kept, not
// from being violated.
func (f *Finding) check(ctx context.Context, t *trial.Trial, s subject) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, fmt.Errorf("takes longer than %v", maxTime))
	defer cancel()
	if !f.Clause.Kind.ofSteps() {
		f.trial(ctx, s)
		return
	}
	applied := false
	for i := range t.Steps {
		at, err := f.step(ctx, t, s, i)
		f.unjudged(err)
		applied = applied || at
		// The time is up: every further step would say so again.
		if err != nil && ctx.Err() != nil {
			break
		}
	}
	if len(t.Steps) == 0 {
		f.unjudged(errNoSteps)
	}
	// What the agent said to the user belongs to no step. A clause with a when is about steps alone.
	if guard := f.Clause.guard; guard != nil && f.Clause.when == nil {
		if b := guard.text(t.Output); b != nil {
			f.violated(Violation{Evidence: b.String() + ", in the output"})
		}
	}
	switch {
	case len(f.Violations) > 0:
		f.State, f.Problem = Violated, ""
	// Unjudged, the zero state.
	case f.Problem != "":
	case !applied:
		f.State = inapplicable
	default:
		f.State = Kept
	}
}

// trial checks a clause of the whole trial.
// trial checks a clause of the whole trial: when it applies, and then what it requires.
func (f *Finding) trial(ctx context.Context, s subject) {
	variables := s.variables()
	if f.Clause.when != nil {
		applies, err := f.Clause.when.holds(ctx, variables)
		if err != nil {
			f.unjudged(fmt.Errorf("when: %w", err))
			return
		}
		if !applies {
			f.State = inapplicable
			return
		}
	}
	holds, err := f.Clause.require.holds(ctx, variables)
	switch {
	case err != nil:
		f.unjudged(err)
	case holds:
		f.State = Kept
	default:
		f.State = Violated
		f.violated(Violation{Evidence: f.Clause.require.evidence(variables)})
	}
}

// step checks a clause at one step, and reports whether it applies there.
func (f *Finding) step(ctx context.Context, t *trial.Trial, s subject, i int) (applied bool, err error) {
	// The first problem of a clause is told, so it names its step.
	where := func(err error) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("step %d: %w", i, err)
	}
	if f.Clause.when != nil {
		applies, err := f.Clause.when.holds(ctx, s.atStep(i))
		if err != nil {
			return false, where(fmt.Errorf("when: %w", err))
		}
		if !applies {
			return false, nil
		}
	}
	v := Violation{Step: trial.Some(i), Tool: t.Steps[i].Tool}
	if f.Clause.guard != nil {
		b, err := f.Clause.guard.step(&t.Steps[i])
		if b != nil {
			v.Evidence = b.String()
			f.violated(v)
		}
		return true, where(err)
	}
	holds, err := f.Clause.require.holds(ctx, s.atStep(i))
	if err == nil && !holds {
		v.Evidence = f.Clause.require.evidence(s.atStep(i))
		f.violated(v)
	}
	return true, where(err)
}

// violated keeps the first violations.
func (f *Finding) violated(v Violation) {
	if len(f.Violations) < maxViolations {
		f.Violations = append(f.Violations, v)
	}
}

// unjudged notes the first reason why the clause cannot be judged.
func (f *Finding) unjudged(err error) {
	if err != nil && f.Problem == "" {
		f.Problem = err.Error()
	}
}

// mentioned are the fields of the trial and the step that a condition speaks of.
var mentioned = lazy.Regexp(`\b(trial|step)\.(\w+)`)

// evidence says that the condition does not hold, and what the fields are that it
// speaks of.
//
// It reads the names from the text of the condition: at most four fields, as they were written.
func (c *condition) evidence(variables map[string]any) string {
	var values []string
	for _, m := range mentioned().FindAllStringSubmatch(c.text, -1) {
		fields, _ := variables[m[1]].(map[string]any)
		value := m[0] + " is " + excerpt(fields[m[2]])
		if len(values) < 4 && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	text := "against " + prose.Excerpt(strings.TrimSpace(c.text))
	if len(values) == 0 {
		return text
	}
	return strings.Join(values, ", ") + ", " + text
}

// excerpt is a value in a sentence.
func excerpt(value any) string {
	switch v := value.(type) {
	case nil:
		return "unknown"
	case string:
		const most = 60
		if len(v) > most {
			v = strings.ToValidUTF8(v[:most], "") + "…"
		}
		return shown(v)
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		return "an object"
	}
	return prose.Excerpt(fmt.Sprint(value))
}
