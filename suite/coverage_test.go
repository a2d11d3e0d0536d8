package suite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/trial"
)

// A suite with a list of tools beside it.
func TestDeclared(t *testing.T) {
	dir := t.TempDir()
	const list = `[{"name": "refund", "inputSchema": {"properties": {"amount": {"minimum": 1}, "note": {"maxLength": 9}}}}, {"name": "search"}]`
	if err := os.WriteFile(filepath.Join(dir, "tools.json"), []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	declared := func(more string) (coverage.Declaration, error) {
		s, err := Parse(filepath.Join(dir, FileName),
			[]byte(strings.Replace(minimal, "limits: none", "limits: none\n"+more, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return s.Declared()
	}
	got, err := declared("coverage: {tools_file: tools.json, minimum: 0.5, boundaries: {refund: {amount: {maximum: " +
		"7}}}}\ncapabilities: [infer]")
	want := coverage.Declaration{
		Tools: []string{"refund", "search"}, Minimum: trial.Some(0.5), Capabilities: []string{"infer"},
		Boundaries: map[string]map[string]coverage.Domain{"refund": {"amount": {Maximum: trial.Some(7.0)},
			"note": {MaxLength: trial.Some(9)}}},
		Scenarios: []coverage.Scenario{{Name: "one", Threshold: 0.9}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if _, err := declared("coverage: {tools_file: none.json}"); err == nil ||
		!strings.Contains(err.Error(), "none.json does not exist") {
		t.Error(err)
	}
	_, err = declared("coverage: {tools_file: tools.json, boundaries: {refnd: {amount: {maximum: 7}}}}")
	if _, ok := errors.AsType[Errors](err); !ok ||
		!strings.HasSuffix(err.Error(),
			`coverage.boundaries names the tool "refnd", which tools.json does not list; did you mean "refund"?`) {
		t.Error(err)
	}
	complete, err := Parse("testdata/tribunal.yaml", complete(t))
	if err != nil {
		t.Fatal(err)
	}
	d, err := complete.Declared()
	if err != nil || d.Scenarios[1].Threshold != 0.8 || d.Scenarios[1].Capabilities[0] != "switch" ||
		d.Weights[coverage.ToolDimension] != 2 {
		t.Errorf("%+v %v", d, err)
	}
	if _, err := coverage.NewCollector(d); err != nil {
		t.Error(err)
	}
}

// A graph in a file beside the suite, and what of it is refused where.
func TestGraphFile(t *testing.T) {
	dir := t.TempDir()
	declared := func(text, more string) (coverage.Declaration, error) {
		if err := os.WriteFile(filepath.Join(dir, "graph.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Parse(filepath.Join(dir, FileName), []byte(strings.Replace(minimal, "limits: none",
			"limits: none\ncoverage: {graph_file: graph.yaml, max_depth: 40"+more+"}", 1)))
		if err != nil {
			t.Fatal(err)
		}
		return s.Declared()
	}
	got, err := declared("start: look\nnodes: {look: {to: answer}, answer: {action: respond}}", "")
	want := &graph.Graph{Start: []string{"look"}, MaxDepth: 40, Nodes: []graph.Node{
		{Name: "look", Steps: []graph.Step{{Tool: "look"}}, To: []string{"answer"}},
		{Name: "answer", Steps: []graph.Step{{Action: trial.Respond}}},
	}}
	if diff := cmp.Diff(want, got.Graph); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, c := range []struct{ text, more, want string }{
		{"", "", "graph.yaml is empty"},
		{"start: look\nnodes:\n  lok: {}", "",
			`graph.yaml:1:8: start leads to "look", which is no node; did you mean "lok"?`},
		{"start: look\nnodes:\n  look: {too: a}", "", `graph.yaml:3:10: nodes.look has no key "too"; did you mean "tool"?`},
		{"starts: look", "", `graph.yaml:1:1: the graph has no key "starts"; did you mean "start"?`},
		{"start: look\nnodes: {look: {tool: [a, b], to: look, end: true}}", "",
			"coverage.max_depth 40 makes more than 1000000 paths of the graph; no trials try so many: lower it to 18 or less"},
		{"start: look\nnodes: {look: {}}", ", tools: [lok]",
			`coverage.graph_file calls "look", which tools does not list; did you mean "lok"?`},
	} {
		if _, err := declared(c.text, c.more); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngives %v\nwant  %s", c.text, err, c.want)
		}
	}
	if err := os.Remove(filepath.Join(dir, "graph.yaml")); err != nil {
		t.Fatal(err)
	}
	s := &Suite{File: filepath.Join(dir, FileName), Coverage: Coverage{GraphFile: "graph.yaml", MaxDepth: 1}}
	if _, err := s.Declared(); err == nil || !strings.Contains(err.Error(), "graph.yaml does not exist") {
		t.Error(err)
	}
}
