package suggest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
)

// models proposes the agent with each model that it was not run on, as a variant. How an agent is told its model is
// seen by where it is told that of now; where nothing tells, it is the variable MODEL.
func (f *finding) models() {
	f.Missing = f.Coverage.Models.NotRun
	known := append(slices.Clone(f.Declared.Models), f.Coverage.Counts.Ran...)
	for _, model := range f.Missing {
		if f.full() {
			return
		}
		keys, how := f.agentWith(model, known)
		name := strings.Trim(noWord().ReplaceAllString(model, "-"), "-.")
		if name == "" {
			name = "model"
		}
		f.add(&Suggestion{
			Name: name[:min(len(name), 90)], Dimension: coverage.ModelDimension, Aim: model,
			Why: "no recorded trial ran on " + quoted(model) + "; " + how, Tags: nil, Variant: keys,
		})
	}
}

// agentWith are the keys of the agent that give it a model.
func (f *finding) agentWith(model string, known []string) (keys map[string]any, how string) {
	agent := f.Suite.Agent
	if agent.Model != nil {
		return map[string]any{"model": map[string]any{"name": model}}, "the agent is that model"
	}
	for _, name := range slices.Sorted(maps.Keys(agent.Env)) {
		if slices.Contains(known, agent.Env[name]) {
			return map[string]any{"env": map[string]any{name: model}}, "the variable " + name + " names it"
		}
	}
	for i, word := range agent.Command {
		at := strings.LastIndexByte(word, '=') + 1
		if slices.Contains(known, word[at:]) {
			command := slices.Clone(agent.Command)
			command[i] = word[:at] + model
			return map[string]any{"command": command}, "an argument names it"
		}
	}
	const variable = "MODEL"
	return map[string]any{"env": map[string]any{variable: model}},
		fmt.Sprintf("nothing of the suite says how the agent is told its model: it has to heed the variable %s", variable)
}
