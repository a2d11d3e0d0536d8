package contract

import (
	"maps"
	"math"
	"slices"

	"github.com/expr-lang/expr/types"

	"github.com/tribunal-dev/tribunal/trial"
)

// The variables of conditions, with their types. What is not recorded is nil.

// beginning is what is known before a trial begins: the trial of a precondition.
func beginning() types.Map {
	return types.Map{
		"scenario":   types.String,
		"index":      types.Int,
		"variant":    types.String,
		"attempt":    types.Int,
		"model":      types.String,
		"input":      types.Any,    // the JSON value
		"input_text": types.String, // its text
		"tags":       types.Map{types.Extra: types.Any},
	}
}

// whole is all that is known of a trial.
func whole() types.Map {
	m := beginning()
	maps.Copy(m, types.Map{
		"outcome":       types.String, // pass, fail, error
		"score":         types.Float64,
		"error":         types.String, // "" where there is none
		"output":        types.String, // its text
		"json":          types.Any,    // the JSON value that it is, or that its text holds
		"duration_s":    types.Float64,
		"cost_usd":      types.Float64,
		"input_tokens":  types.Int,
		"output_tokens": types.Int,
		"tokens":        types.Int, // in and out
		"steps":         types.Array(step()),
	})
	return m
}

// step is what is known of a step.
func step() types.Map {
	return types.Map{
		"index":          types.Int, // from 0
		"action":         types.String,
		"tool":           types.String, // "" where it is no call of one
		"arguments":      types.Any,    // the JSON value
		"arguments_text": types.String,
		"output":         types.String,
		"json":           types.Any,
		"error":          types.String, // "" where there is none
		"depth":          types.Int,
		"duration_s":     types.Float64,
		"cost_usd":       types.Float64,
		"input_tokens":   types.Int,
		"output_tokens":  types.Int,
		"model":          types.String,
	}
}

// environment returns the variables of the conditions of a kind of clause.
//
// The map is new at every call: options adds to it.
func environment(k Kind) types.Map {
	switch {
	case k == Precondition:
		return types.Map{"trial": beginning()}
	case k.ofSteps():
		return types.Map{"trial": whole(), "step": step(), "previous": types.Array(step())}
	}
	return types.Map{"trial": whole()}
}

// fieldNames are the names that a person may have meant.
func fieldNames() []string {
	names := []string{"trial", "step", "previous"}
	for _, m := range []types.Map{whole(), step()} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// subject is a trial as conditions see it.
type subject struct {
	trial map[string]any
	steps []any // nil: not recorded
}

// subjectOf writes a trial in the variables of conditions.
//
// Every field is there, unknown ones as nil: a name that is missing would be another error.
func subjectOf(t *trial.Trial) subject {
	s := subject{trial: map[string]any{
		"scenario":      known(t.Scenario),
		"index":         optional(t.Index),
		"variant":       known(t.Variant),
		"attempt":       optional(t.Attempt),
		"model":         known(t.Model),
		"input":         document(t.Input),
		"input_text":    textOf(t.Input),
		"tags":          tags(t),
		"outcome":       outcome(t.Outcome),
		"score":         optional(t.Score),
		"error":         cause(t),
		"output":        textOf(t.Output),
		"json":          structured(t.Output),
		"duration_s":    optional(t.DurationSeconds),
		"cost_usd":      optional(t.CostUSD),
		"input_tokens":  tokens(t.InputTokens),
		"output_tokens": tokens(t.OutputTokens),
		"tokens":        bothTokens(t),
	}}
	if t.Steps == nil {
		s.trial["steps"] = nil
		return s
	}
	s.steps = make([]any, len(t.Steps))
	for i := range t.Steps {
		s.steps[i] = stepOf(i, &t.Steps[i])
	}
	s.trial["steps"] = s.steps
	return s
}

// stepOf writes a step in them. A tool or an error that is "" is known to be none.
func stepOf(i int, s *trial.Step) map[string]any {
	return map[string]any{
		"index":          i,
		"action":         known(string(s.Action)),
		"tool":           s.Tool,
		"arguments":      document(s.Arguments),
		"arguments_text": textOf(s.Arguments),
		"output":         textOf(s.Output),
		"json":           structured(s.Output),
		"error":          s.Error,
		"depth":          optional(s.Depth),
		"duration_s":     optional(s.DurationSeconds),
		"cost_usd":       optional(s.CostUSD),
		"input_tokens":   tokens(s.InputTokens),
		"output_tokens":  tokens(s.OutputTokens),
		"model":          known(s.Model),
	}
}

// variables are those of the whole trial.
func (s subject) variables() map[string]any { return map[string]any{"trial": s.trial} }

// atStep are those of a step.
func (s subject) atStep(i int) map[string]any {
	// The steps before this one, with no room behind them that an append could write to.
	return map[string]any{"trial": s.trial, "step": s.steps[i], "previous": s.steps[:i:i]}
}

// known is a text, or nil for "", which stands for one that was not recorded.
func known(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// optional is a number, or nil.
func optional[T int | float64](x trial.Optional[T]) any {
	if !x.Known {
		return nil
	}
	return x.Value
}

// tokens is a number as an int, which is what conditions write, or nil.
func tokens(x trial.Optional[int64]) any {
	if !x.Known {
		return nil
	}
	return int(x.Value)
}

// bothTokens is input plus output, where both are known.
func bothTokens(t *trial.Trial) any {
	if !t.InputTokens.Known || !t.OutputTokens.Known {
		return nil
	}
	return int(min(trial.Plus(t.InputTokens.Value, t.OutputTokens.Value), math.MaxInt))
}

// outcome is its word, or nil for a trial that nobody judged.
func outcome(o trial.Outcome) any {
	if o == trial.Unjudged {
		return nil
	}
	return o.String()
}

// cause is the message of the error: "" where there is none, and nil where the trial
// ended in one that nobody described.
func cause(t *trial.Trial) any {
	switch {
	case t.Error == nil && t.Outcome == trial.Error:
		return nil
	case t.Error == nil:
		return ""
	}
	return t.Error.Message
}

// tags are the values of tags by name.
func tags(t *trial.Trial) any {
	if t.Tags == nil {
		return nil
	}
	m := make(map[string]any, len(t.Tags))
	for _, tag := range t.Tags {
		m[tag.Name] = document(tag.Value)
	}
	return m
}

// textOf is the text of a value, or nil.
//
// Of a JSON string that is its content, of anything else the JSON text.
func textOf(raw trial.Raw) any {
	if raw == nil {
		return nil
	}
	return raw.Text()
}

// document is a JSON value as it stands.
//
// What cannot be decoded, such as a number out of range, is unknown.
func document(raw trial.Raw) any {
	if raw == nil {
		return nil
	}
	value, _ := parsed(raw)
	return value
}

// structured is a JSON value, or the one that a text holds; nil where it holds none.
func structured(raw trial.Raw) any {
	value := document(raw)
	if text, ok := value.(string); ok {
		inner, ok := parsed([]byte(text))
		if !ok {
			return nil
		}
		return inner
	}
	return value
}
