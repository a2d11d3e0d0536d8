package suite

import (
	"encoding/json"
	"slices"
)

// Needs are what an evaluator asks of a trial that was recorded.
type Needs struct {
	Answer string // yes, no, or some: of a combination of which only some parts can be answered
	Why    string // what it is answered from, or what no record has
	Asks   bool   // a program or a model is asked for each trial
}

// Needs says what the evaluator asks of a trial, and a combination what its parts do.
func (e Evaluation) Needs() Needs {
	names := []string{}
	var look func(name string, value any)
	look = func(name string, value any) {
		switch name {
		case "all", "any":
			parts, _ := value.([]any)
			for _, part := range parts {
				members, _ := part.(map[string]any)
				for name, value := range members {
					look(name, value)
				}
			}
		case "not":
			members, _ := value.(map[string]any)
			for name, value := range members {
				look(name, value)
			}
		case "weighted":
			options, _ := value.(map[string]any)
			parts, _ := options["of"].([]any)
			look("all", withoutWeights(parts))
		default:
			names = append(names, name)
		}
	}
	var spec any
	if json.Unmarshal(e.Spec, &spec) != nil {
		return needsOf(e.Name)
	}
	look(e.Name, spec)
	slices.Sort(names)
	return together(slices.Compact(names))
}

// withoutWeights are the evaluators of a weighted mean.
func withoutWeights(parts []any) []any {
	list := make([]any, len(parts))
	for i, part := range parts {
		members := map[string]any{}
		given, _ := part.(map[string]any)
		for name, value := range given {
			if name != "weight" {
				members[name] = value
			}
		}
		list[i] = members
	}
	return list
}

// together are the needs of several evaluators, by name.
func together(names []string) Needs {
	all := Needs{Answer: "yes"}
	var from, without []string
	for _, name := range names {
		n := needsOf(name)
		all.Asks = all.Asks || n.Asks
		if n.Answer == "no" {
			without = append(without, name+": "+n.Why)
			continue
		}
		if !slices.Contains(from, n.Why) {
			from = append(from, n.Why)
		}
	}
	switch {
	case len(from) == 0 && len(without) > 0:
		all.Answer, all.Why = "no", needsOf(names[0]).Why
	case len(without) > 0:
		all.Answer, all.Why = "some", without[0]
	default:
		for i, text := range from {
			if i > 0 {
				all.Why += "; "
			}
			all.Why += text
		}
	}
	return all
}

// needsOf are the needs of an evaluator that has no parts.
func needsOf(name string) Needs {
	switch name {
	case "exit-code":
		return Needs{Answer: "no", Why: "no record has the exit code of the agent"}
	case commandEvaluator:
		return Needs{Answer: "yes", Why: "its program, which is started for each trial", Asks: true}
	case "model":
		return Needs{Answer: "yes", Why: "its model, which is asked for each trial", Asks: true}
	case "contract":
		return Needs{Answer: "yes", Why: "what its clauses name of the trial"}
	case "must-call", "must-not-call", "tool-order", "max_steps", "error-count":
		return Needs{Answer: "yes", Why: "the steps"}
	case "tool-call-count":
		return Needs{Answer: "yes", Why: "the steps, or the number of calls that the trial states"}
	case "turn-count":
		return Needs{Answer: "yes", Why: "the steps, or the turns that the trial states"}
	case "token-budget":
		return Needs{Answer: "yes", Why: "the tokens of the trial or of its steps"}
	case "wall-time":
		return Needs{Answer: "yes", Why: "the duration of the trial"}
	}
	return Needs{Answer: "yes", Why: "the output"}
}

// commandEvaluator is the name of the evaluator that starts a program.
const commandEvaluator = "command"
