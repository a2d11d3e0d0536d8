package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

const (
	mostTOMLBytes = 16 << 20 // of one file
	mostTOMLFiles = 10_000   // as many scenarios a suite has
)

// tomlFiles are the files of scenarios in TOML that a name stands for: itself, or all that are in the folder, sorted.
// It is empty for anything else.
func tomlFiles(name string) (files []string, err error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		if err == nil && strings.EqualFold(filepath.Ext(name), ".toml") {
			files = append(files, name)
		}
		return files, nil // what cannot be looked at is told where it is read
	}
	err = filepath.WalkDir(name, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && strings.EqualFold(filepath.Ext(file), ".toml") {
			files = append(files, file)
		}
		if err == nil && len(files) > mostTOMLFiles {
			err = &trial.FileError{
				File: name, Problem: fmt.Sprintf("has more than %d files of TOML", mostTOMLFiles),
				Advice: "name a part of it",
			}
		}
		return err
	})
	return files, err
}

// tomlScenarios reads a scenario from each file: a workflow with a trigger and the answers of a model that it is given,
// and what is expected of it.
func (c *converter) tomlScenarios(ctx context.Context, files []string) error {
	c.suite.Kind = "a scenario in TOML"
	if len(files) > 1 {
		c.suite.Kind = prose.Count(len(files), "scenario") + " in TOML"
	}
	for _, file := range files {
		text, err := input.Read(ctx, file, nil, mostTOMLBytes, "is it a scenario?")
		if err != nil {
			return unreadable(file, err)
		}
		content := map[string]any{}
		if err := toml.Unmarshal(text, &content); err != nil {
			problem, line := err.Error(), 0
			if at, is := errors.AsType[toml.ParseError](err); is {
				problem, line = at.Message, at.Position.Line
			}
			return &trial.FileError{
				File:    trial.Place{File: file, Line: line}.String(),
				Problem: "is no TOML: " + prose.Printable(problem), Err: err,
			}
		}
		if content["workflow"] == nil && content["expected"] == nil {
			return &trial.FileError{
				File: file, Problem: "is no scenario: it has neither a workflow nor what is expected",
				Advice: "name the file, or the folder, that holds scenarios",
			}
		}
		if _, err := json.Marshal(content); err != nil {
			return &trial.FileError{File: file, Problem: "holds what is no number of JSON, such as inf", Err: err}
		}
		c.tomlScenario(file, content)
	}
	return nil
}

// given are the parts of a scenario that say what is run. They are the input, from which the agent has to run it.
var given = []string{"workflow", "trigger", "intel", "policy"}

// tomlScenario reads one file.
func (c *converter) tomlScenario(file string, content map[string]any) {
	t := &tomlTable{c, file, "", content}
	s := Scenario{Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	if name, is := t.take("name").(string); is && strings.TrimSpace(name) != "" {
		s.Name = name
	}
	for _, x := range t.list("capabilities") {
		s.Capabilities = append(s.Capabilities, x)
		if !slices.Contains(c.suite.Capabilities, x) {
			c.suite.Capabilities = append(c.suite.Capabilities, x)
		}
	}
	content, input := t.content, map[string]any{}
	for _, name := range given {
		if value, is := content[name]; is {
			input[name] = value
			delete(content, name)
		}
	}
	if len(input) > 0 {
		s.Input = input
	}
	if rate, is := number(t.take("min_pass_rate")); is {
		s.MinPassRate = &rate
	} else {
		s.AllTrials = true // the rule of a scenario that does not say its own
	}
	if trials := t.take("trials"); trials != nil {
		t.leave("trials = %v: a run makes as many as the verdict takes", trials)
	}
	switch expected := t.take("expected").(type) {
	case nil:
		t.leave("there is no expected: nothing judges it yet")
	case map[string]any:
		(&tomlTable{c, file, "expected.", expected}).expected(&s)
	default:
		t.leave("expected, which is no table")
	}
	t.leaveRest()
	c.add(s)
}

// expected makes evaluators of what the end of a workflow is to be: of the answer of the agent, a JSON object with
// status, last_node and path.
func (t *tomlTable) expected(s *Scenario) {
	for _, name := range []string{"status", "last_node"} {
		if value := t.take(name); value != nil {
			s.Evaluate = append(s.Evaluate, map[string]any{"equals": map[string]any{"path": name, "value": value}})
		}
	}
	path, exact := t.list("path"), t.take("path_exact") == true
	switch {
	case len(path) == 0:
	case exact:
		s.Evaluate = append(s.Evaluate, map[string]any{"equals": map[string]any{"path": "path", "value": path}})
	default:
		// In this order, with others between them: of the list as JSON.
		var quoted []string
		for _, node := range path {
			quoted = append(quoted, regexp.QuoteMeta(fmt.Sprintf("%q", node)))
		}
		pattern := strings.Join(quoted, "(?s:.*)")
		s.Evaluate = append(s.Evaluate, map[string]any{"regex": map[string]any{"path": "path", "value": pattern}})
	}
	if most := t.take("max_llm_calls"); most != nil {
		s.Limits = map[string]any{"max_turns": most, "max_cost_usd": "none"}
	}
	if most := t.take("max_total_tokens"); most != nil {
		s.Evaluate = append(s.Evaluate, map[string]any{"token-budget": most})
	}
	t.leaveRest()
}

// tomlTable is a table of which the keys are taken out that are carried over.
type tomlTable struct {
	*converter
	file, prefix string
	content      map[string]any
}

// take removes the value of a key; nil where there is none.
func (t *tomlTable) take(name string) any {
	value := t.content[name]
	delete(t.content, name)
	return value
}

// list takes a list of texts.
func (t *tomlTable) list(name string) (texts []string) {
	value := t.take(name)
	items, is := value.([]any)
	for _, item := range items {
		text, isText := item.(string)
		is = is && isText
		texts = append(texts, text)
	}
	if value != nil && !is {
		t.leave("%s%s, which is no list of texts", t.prefix, name)
		return nil
	}
	return texts
}

// number is a value as a number.
func number(value any) (float64, bool) {
	switch x := value.(type) {
	case float64:
		return x, true
	case int64:
		return float64(x), true
	}
	return 0, false
}

// leave lists what is not carried over.
func (t *tomlTable) leave(format string, values ...any) {
	t.leaveAt(trial.Place{File: t.file}, format, values...)
}

// leaveRest lists the keys that nobody took.
func (t *tomlTable) leaveRest() {
	for _, name := range slices.Sorted(maps.Keys(t.content)) {
		t.leave("%s%s", t.prefix, name)
	}
}
