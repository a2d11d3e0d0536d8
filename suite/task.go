package suite

import "maps"

// Task identifies what is asked of an agent and how its answers are judged, whoever answers. Two
// results can be compared where their tasks are equal.
//
// In it are the scenarios' names, inputs, faults, evaluators and limits, and the content of contracts. The
// agent, the seed, the tests, tags, the order of scenarios and of keys, and the budget are not.
// Programs that judge, and the files that those read, are not read.
type Task struct {
	Digest    string            // "sha256:" and 64 hexadecimal digits
	Scenarios map[string]string // a digest like it for each scenario, by its name
	Parts     map[string]Parts  // what each scenario's is made of, to say what of it changed
}

// Parts are the beginnings of digests of what a scenario's task is made of, 16 hexadecimal digits.
type Parts struct {
	Input      string `json:"input"`               // what the agent is given, and what breaks
	Evaluators string `json:"evaluators"`          // what makes a trial pass, as the suite says it
	Contracts  string `json:"contracts,omitempty"` // the content of those that evaluators name; "" where none does
	Limits     string `json:"limits"`              // of a trial
}

// Task returns what the suite asks, of all of its scenarios.
func (s *Suite) Task() Task {
	return Task{s.task.Digest, maps.Clone(s.task.Scenarios), maps.Clone(s.task.Parts)}
}

// Select returns the task of some of the scenarios. Names that are not among them are passed over.
func (t Task) Select(names []string) Task {
	chosen, parts := make(map[string]string, len(names)), make(map[string]Parts, len(names))
	for _, name := range names {
		if digest, ok := t.Scenarios[name]; ok {
			chosen[name], parts[name] = digest, t.Parts[name]
		}
	}
	return Task{hash(chosen), chosen, parts}
}

// taskOf makes the task of scenarios. The digests of contracts are in the order in which they were
// read, and read says for each scenario how many there were after it.
//
// What is hashed is the JSON of the form within: other names of its fields change every digest, and
// baselines that were recorded before could not be compared.
func taskOf(scenarios []Scenario, contracts []string, read []int) Task {
	t := Task{Scenarios: make(map[string]string, len(scenarios)), Parts: make(map[string]Parts, len(scenarios))}
	from := 0
	for i, c := range scenarios {
		read, contracted := contracts[from:read[i]], ""
		if len(read) > 0 {
			contracted = beginning(read)
		}
		t.Parts[c.Name] = Parts{
			Input: beginning(given(c)), Evaluators: beginning(evaluations(c)), Contracts: contracted,
			Limits: beginning(c.Limits),
		}
		t.Scenarios[c.Name] = hash(struct {
			Name      string
			Input     any
			Evaluate  []evaluation
			Limits    any
			Contracts []string
		}{c.Name, given(c), evaluations(c), c.Limits, read})
		from += len(read)
	}
	t.Digest = hash(t.Scenarios)
	return t
}

// given is what the agent is given, and what breaks on its way and what a script answers it, where anything does.
func given(c Scenario) any {
	switch {
	case c.ModelScript != nil:
		return []any{canonical(c.Input), c.Faults, c.ModelScript}
	case len(c.Faults) > 0:
		return []any{canonical(c.Input), c.Faults}
	}
	return canonical(c.Input)
}

// beginning is that of the digest of a part, without the name of the hash.
func beginning(form any) string {
	const prefix, digits = len("sha256:"), 16
	return hash(form)[prefix : prefix+digits]
}
