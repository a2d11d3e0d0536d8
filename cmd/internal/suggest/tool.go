package suggest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// tools proposes a task for each tool that was not called: what its description says, with arguments that its schema
// allows, as a text in an input of the shape of those that were recorded.
func (f *finding) tools() {
	f.Missing = f.Coverage.Tools.Uncalled
	for _, tool := range f.Missing {
		if f.full() {
			return
		}
		t := f.template(tool, nil)
		why := fmt.Sprintf("no recorded trial calls %s", quoted(tool))
		if t.like != nil {
			why += fmt.Sprintf("; the input has the shape of %s", quoted(t.like.Scenario))
			if len(t.shared) > 0 {
				why += ", and its " + prose.Some(t.shared, 3)
			}
		}
		f.scenario(coverage.ToolDimension, tool, why, t.like, asking(t.input(), t.text, t.arguments),
			map[string]any{"must-call": []string{tool}})
	}
}

// template is a task that takes a tool.
type template struct {
	text      string
	arguments map[string]any
	shared    []string // parameters whose arguments were recorded of other tools
	like      *Sample  // whose calls have the most parameters in common; nil: none was recorded
}

func (t *template) input() any {
	if t.like == nil {
		return nil
	}
	return t.like.input
}

// template makes a task of the tool's description and schema, with some arguments as they are given.
func (f *finding) template(name string, given map[string]any) *template {
	tool := coverage.Tool{Name: name}
	if f.Tools != nil {
		if i := slices.IndexFunc(f.Tools.Tools, func(t coverage.Tool) bool { return t.Name == name }); i >= 0 {
			tool = f.Tools.Tools[i]
		}
	}
	t := &template{}
	source, err := arbitrary.New(tool.Schema)
	if err == nil {
		t.arguments = f.arguments(source)
	}
	like, with := f.nearestCall(t.arguments)
	t.like = like
	for _, parameter := range slices.Sorted(maps.Keys(with)) {
		before := t.arguments[parameter]
		t.arguments[parameter] = with[parameter]
		if !source.Allows(arbitrary.Encoded(t.arguments)) {
			t.arguments[parameter] = before
			continue
		}
		t.shared = append(t.shared, parameter)
	}
	if len(given) > 0 {
		t.arguments = maps.Clone(t.arguments)
		if t.arguments == nil {
			t.arguments = map[string]any{}
		}
		maps.Copy(t.arguments, given)
	}
	t.text = cut(strings.Join(strings.Fields(tool.Description), " "), 300)
	if t.text == "" {
		t.text = "Use " + name
	}
	t.text = strings.TrimRight(t.text, ".!")
	for i, parameter := range slices.Sorted(maps.Keys(t.arguments)) {
		t.text += []string{": ", ", "}[min(i, 1)] + parameter + " " + cut(string(arbitrary.Encoded(t.arguments[parameter])),
			200)
	}
	t.text += "."
	return t
}

// arguments draws arguments of a tool: of some that are allowed, those with the most parameters.
func (f *finding) arguments(source *arbitrary.Source) map[string]any {
	var most map[string]any
	for i := range uint64(16) {
		value, err := source.Value(seeded.Stream(f.Seed, i))
		if err != nil {
			return nil
		}
		if arguments, ok := decoded(value).(map[string]any); ok && len(arguments) <= 8 && len(arguments) > len(most) {
			most = arguments
		}
	}
	return most
}

// nearestCall returns the trial with the call whose arguments have the most names in common with some, and what is
// known of these; one that passed before others. Where there is nothing in common it is the first trial that passed.
func (f *finding) nearestCall(arguments map[string]any) (like *Sample, with map[string]any) {
	best := -1
	for _, s := range f.Samples.list {
		if s.input == nil {
			continue
		}
		for _, c := range append([]call{{}}, s.calls...) {
			values, _ := c.arguments.(map[string]any)
			common := map[string]any{}
			for name := range arguments {
				switch value, there := values[name]; value.(type) {
				case string, json.Number:
					if there {
						common[name] = value
					}
				}
			}
			score := 2 * len(common)
			if s.Passed {
				score++
			}
			if score > best {
				best, like, with = score, s, common
			}
		}
	}
	return like, with
}

// cut is the beginning of a text, on one line.
func cut(text string, most int) string {
	return prose.CutRunes(strings.Join(strings.Fields(text), " "), most)
}
