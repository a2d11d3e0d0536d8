package suite

import (
	"slices"

	"github.com/tribunal-dev/tribunal/suite/internal/modeljudge"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// evaluator is a row of [evaluators]: a way to judge a trial that a suite may ask for.
type evaluator struct {
	name  string // by which a suite asks for it
	about string // what passes, for editors
	read  func(f *form) (oracle.Evaluator, error)
}

// evaluators are all of them, in the order in which a person would list them. A new one
// is a line here, and a function that reads what it is given: the schema for editors
// follows from that.
// A function, since a variable would begin a cycle: some rows read evaluators themselves.
func evaluators() []evaluator {
	return []evaluator{
		{"equals", "the output, or a part of it, is this value", equals},
		{"contains", "the output contains this text", contains},
		{"not-contains", "the output does not contain this text", notContains},
		{"regex", "the output matches this expression (RE2)", regex},
		{"exists", "the path leads to a value", exists},
		{"range", "the output is a number within limits", inRange},
		{"json-schema", "the output fits this JSON Schema", jsonSchema},
		{"must-call", "these tools are called", mustCall},
		{"must-not-call", "none of these tools is called", mustNotCall},
		{"tool-order", "these tools are called in this order", toolOrder},
		{"max_steps", "at most so many steps", budget(oracle.StepCount)},
		{"exit-code", "the agent ends with this exit code", exitCode},
		{
			commandEvaluator,
			"a program judges: the trial on stdin; exit code 0 or 1, or JSON with score and reason on stdout",
			command,
		},
		{modeljudge.Name, "a model judges: it names one of the levels, by the criteria of the prompt", modelJudge},
		{"contract", "a contract file, from the folder of this one, or a clause of it, or clauses", contractOf},
		{"all", "all of these pass", all},
		{"any", "one of these passes", anyOf},
		{"not", "this does not pass", not},
		{"weighted", "the weighted mean of the scores is at least the threshold", weighted},
		{"token-budget", "at most so many tokens, in and out", budget(oracle.TokenBudget)},
		{"tool-call-count", "at most so many calls of tools", budget(oracle.ToolCallCount)},
		{"turn-count", "at most so many answers of the model", budget(oracle.TurnCount)},
		{"error-count", "at most so many steps with an error", budget(oracle.ErrorCount)},
		{"wall-time", "at most so long, such as 2m", wallTime},
	}
}

// evaluatorNames are the names of all evaluators.
func evaluatorNames() []string {
	var names []string
	for _, e := range evaluators() {
		names = append(names, e.name)
	}
	return names
}

// findEvaluator returns the row of a name.
func findEvaluator(name string) (e evaluator, ok bool) {
	all := evaluators()
	i := slices.IndexFunc(all, func(e evaluator) bool { return e.name == name })
	if i < 0 {
		return e, false
	}
	return all[i], true
}

// otherEvaluators are what other tools call an evaluator.
func otherEvaluators() map[string]string {
	return map[string]string{
		"match": "regex", "matches": "regex", "pattern": "regex", "is": "equals", "exact": "equals", "includes": "contains",
		"icontains": "contains", "is-json": "json-schema", "llm-rubric": modeljudge.Name, "latency": "wall-time",
	}
}
