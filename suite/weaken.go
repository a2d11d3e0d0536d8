package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Change is a change of one evaluator of a scenario, to see whether anything would notice.
type Change struct {
	Evaluator int    // its place in the scenario's list
	What      string // such as "deleted", or "max 5 -> 10"
	// With is the evaluator in its place; nil: there is none.
	With oracle.Evaluator
}

// Changes are the changes of the evaluators of a scenario: each is deleted, each number in it is halved and doubled,
// and each path leads elsewhere. What an evaluator refuses is no change.
func (s *Suite) Changes(c Scenario) (list []Change) {
	for i, e := range c.Evaluate {
		list = append(list, Change{Evaluator: i, What: "deleted"})
		var spec any
		if err := json.Unmarshal(e.Spec, &spec); err != nil {
			continue
		}
		for _, edit := range edits(spec, nil) {
			changed, err := json.Marshal(replacedAt(spec, edit.path, edit.value))
			if err != nil {
				continue
			}
			if with, ok := s.rebuilt(e, changed); ok {
				list = append(list, Change{Evaluator: i, What: edit.what, With: with})
			}
		}
	}
	return list
}

// edit is another value at a path of the JSON of an evaluator.
type edit struct {
	path  []any // keys and indices
	value any
	what  string
}

// edits are those of a value and of all in it.
func edits(value any, path []any) (list []edit) {
	name := ""
	for i := len(path) - 1; i >= 0 && name == ""; i-- {
		name, _ = path[i].(string)
	}
	switch x := value.(type) {
	case float64:
		// An exit code or a number that must be equal has no half, but another one is a change all the same.
		for _, other := range []float64{x / 2, x * 2} {
			if other != x {
				list = append(list, edit{slices.Clone(path), other, labelled(name, number64(x)+" -> "+number64(other))})
			}
		}
	case string:
		if name == "path" {
			list = append(list, edit{slices.Clone(path), x + "_", labelled(name, prose.Quote(x)+" -> "+prose.Quote(x+"_"))})
		}
	case []any:
		for i, member := range x {
			list = append(list, edits(member, append(path, i))...)
		}
	case map[string]any:
		keys := make([]string, 0, len(x))
		for key := range x {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			list = append(list, edits(x[key], append(path, key))...)
		}
	}
	return list
}

// labelled puts a name before a change.
func labelled(name, change string) string {
	if name == "" {
		return change
	}
	return name + " " + change
}

// number64 is a number as JSON writes it.
func number64(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// replacedAt is a copy of a value with another one at a path.
func replacedAt(value any, path []any, with any) any {
	if len(path) == 0 {
		return with
	}
	switch x := value.(type) {
	case []any:
		copied := slices.Clone(x)
		copied[path[0].(int)] = replacedAt(x[path[0].(int)], path[1:], with)
		return copied
	case map[string]any:
		copied := make(map[string]any, len(x))
		for key, member := range x {
			copied[key] = member
		}
		copied[path[0].(string)] = replacedAt(x[path[0].(string)], path[1:], with)
		return copied
	}
	return value
}

// rebuilt is an evaluator of the same name with other options; false where it refuses them.
func (s *Suite) rebuilt(e Evaluation, spec trial.Raw) (oracle.Evaluator, bool) {
	root, err := yamlnode.Parse(s.File, "suite", fmt.Appendf(nil, "{%q: %s}", e.Name, spec))
	if err != nil {
		return nil, false
	}
	d := &decoder{Decoder: yamlnode.Decoder{File: s.File, What: "the suite"}, ctx: context.Background(),
		dir: filepath.Dir(s.File)}
	built, ok := d.evaluation(root)
	return built.Evaluator, ok && d.Err() == nil
}
