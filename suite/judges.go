package suite

import "encoding/json"

// JudgeCommands are the command lines of the programs that judge scenarios, and those that give points in all of them.
func (s *Suite) JudgeCommands(scenarios []Scenario) (commands [][]string) {
	add := func(argv []string) { commands = append(commands, argv) }
	var points any
	if json.Unmarshal(s.ScoreSpec, &points) == nil {
		commandsIn(points, add)
	}
	for _, c := range scenarios {
		for _, e := range c.Evaluate {
			var spec any
			if json.Unmarshal(e.Spec, &spec) == nil {
				commandsIn(map[string]any{e.Name: spec}, add)
			}
		}
	}
	return commands
}

// commandsIn calls a function for the command line of each evaluator that is a program, be it a part of another one.
func commandsIn(spec any, visit func(argv []string)) {
	const name = "command"
	switch spec := spec.(type) {
	case map[string]any:
		for key, part := range spec {
			words, ok := part.([]any)
			if key != name || !ok {
				commandsIn(part, visit)
				continue
			}
			var argv []string
			for _, word := range words {
				if text, ok := word.(string); ok {
					argv = append(argv, text)
				}
			}
			visit(argv)
		}
	case []any:
		for _, part := range spec {
			commandsIn(part, visit)
		}
	}
}
