// Package conversion makes suites of what other tools test by: configurations of promptfoo, data sets of Inspect,
// specifications of scenarios and graders, and scenarios in TOML.
//
//	suite, err := conversion.Read(ctx, "promptfooconfig.yaml")
//
// What cannot be carried over is listed, place by place: nothing is dropped silently.
package conversion

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/dataset"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// Suite is what came of a file.
type Suite struct {
	Kind      string     // of the file, in words
	Name      string     // that the file gives; "" where it gives none
	Scenarios []Scenario // in their order
	LeftOut   []string   // what was not carried over, with its place
	// Capabilities are those that its scenarios exercise, in their order.
	Capabilities []string
	test         string // the line of the suite; "" is the usual one
}

// Scenario is one as a suite has it.
type Scenario struct {
	Name     string         `json:"name"`
	Input    any            `json:"input,omitempty"`
	Tags     []string       `json:"tags,omitempty"`
	Evaluate []any          `json:"evaluate,omitempty"`
	Limits   map[string]any `json:"limits,omitempty"`

	Capabilities []string `json:"capabilities,omitempty"`
	MinPassRate  *float64 `json:"min_pass_rate,omitempty"`
	AllTrials    bool     `json:"all_trials,omitempty"`
}

// converter reads one file.
type converter struct {
	yamlnode.Decoder
	suite Suite
	names map[string]int
}

// maxLeftOut bounds what is listed; how much more there is, is counted.
const maxLeftOut = 200

// Read converts a file, told by what is in it: a YAML or JSON mapping with tests is a promptfoo configuration, one with
// scenarios or graders a specification, and rows with an input are samples of Inspect. A file that ends in .toml is a
// scenario, and a folder has many. The error is of the file.
func Read(ctx context.Context, file string) (*Suite, error) {
	c := &converter{Decoder: yamlnode.Decoder{File: file, What: "the file"}, names: map[string]int{}}
	scenarios, err := tomlFiles(file)
	if err != nil {
		return nil, unreadable(file, err)
	}
	if len(scenarios) > 0 {
		if err := c.tomlScenarios(ctx, scenarios); err != nil {
			return nil, err
		}
		return &c.suite, nil
	}
	ending := strings.ToLower(filepath.Ext(file))
	rows, err := dataset.Read(ctx, file)
	if err != nil {
		return nil, unreadable(file, err)
	}
	switch first := firstNode(rows); {
	case len(rows) == 1 && ending != ".csv" && ending != ".jsonl" &&
		(memberOf(first, "tests") != nil || memberOf(first, "prompts") != nil):
		c.promptfoo(first)
	case len(rows) == 1 && isSpecification(first):
		c.specification(first)
	case len(rows) > 0 && rows[0].Value("input") != nil && !isTrial(rows[0]):
		c.samples(rows)
	default:
		advice := "these have tests, scenarios or graders, or samples with an input; scenarios: {from: FILE} takes rows of " +
			"any shape"
		if first != nil && first.Kind == yaml.MappingNode {
			var names []string
			for _, name := range rows[0].Columns() {
				names = append(names, prose.Quote(name))
			}
			advice = "it has " + prose.Some(names, 4) + "; " + advice
		}
		return nil, &trial.FileError{
			File:    file,
			Problem: "is no promptfoo configuration, specification of scenarios or graders, or data set of Inspect",
			Advice:  advice,
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if len(c.suite.Scenarios) == 0 {
		return nil, &trial.FileError{
			File: file, Problem: "holds nothing that could be a scenario", Advice: strings.Join(c.suite.LeftOut, "; "),
		}
	}
	return &c.suite, nil
}

// unreadable says why a file cannot be read, where the operating system does.
func unreadable(file string, err error) error {
	at, is := errors.AsType[*fs.PathError](err)
	if !is {
		return err
	}
	problem, advice := "cannot be read: "+at.Err.Error(), ""
	if errors.Is(err, fs.ErrNotExist) {
		problem, advice = "does not exist", "check the name; without --from init writes a suite with a demo agent"
	}
	return &trial.FileError{File: file, Problem: problem, Advice: advice, Err: err}
}

// isTrial reports whether a row says what came of an input, as a record of a trial does and a sample does not.
func isTrial(row dataset.Row) bool {
	return slices.ContainsFunc([]string{"outcome", "passed", "steps", "scenario"}, func(name string) bool {
		return row.Value(name) != nil
	})
}

// firstNode is the first row; nil where there is none.
func firstNode(rows []dataset.Row) *yaml.Node {
	if len(rows) == 0 {
		return nil
	}
	return rows[0].Node
}

// leave lists what is not carried over.
func (c *converter) leave(at *yaml.Node, format string, values ...any) {
	c.leaveAt(trial.Place{File: c.File, Line: at.Line}, format, values...)
}

func (c *converter) leaveAt(place trial.Place, format string, values ...any) {
	if len(c.suite.LeftOut) < maxLeftOut {
		c.suite.LeftOut = append(c.suite.LeftOut, prose.Printable(place.String()+": "+fmt.Sprintf(format, values...)))
	} else if len(c.suite.LeftOut) == maxLeftOut {
		c.suite.LeftOut = append(c.suite.LeftOut, "and more of it")
	}
}

// add adds a scenario, under a name of its own.
func (c *converter) add(s Scenario) {
	const most = 150 // so that a number has room
	s.Name = strings.Join(strings.Fields(prose.Printable(s.Name)), " ")
	if len(s.Name) > most {
		s.Name = strings.ToValidUTF8(s.Name[:most], "")
	}
	c.names[s.Name]++
	for n := c.names[s.Name]; n > 1; n++ {
		if numbered := s.Name + " " + strconv.Itoa(n); c.names[numbered] == 0 {
			s.Name = numbered
			c.names[numbered]++
			break
		}
	}
	c.suite.Scenarios = append(c.suite.Scenarios, s)
}

// value is a node as JSON has it.
func (c *converter) value(n *yaml.Node) any {
	if n == nil {
		return nil
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(c.JSON(n)))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil // a problem says so
	}
	return value
}

// memberOf returns the value of a key; nil where there is none.
func memberOf(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// leaveKeys lists the keys of a mapping but for those that were carried over.
func (c *converter) leaveKeys(n *yaml.Node, what string, known ...string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, isKnown := n.Content[i].Value, false
		for _, k := range known {
			isKnown = isKnown || k == name
		}
		switch {
		case isKnown:
		case n.Content[i+1].Kind == yaml.ScalarNode:
			c.leave(n.Content[i], "%s%s: %s", what, name, prose.Excerpt(n.Content[i+1].Value))
		default:
			c.leave(n.Content[i], "%s%s", what, name)
		}
	}
}

// YAML writes the suite, whose scenarios are in a file beside it.
func (s *Suite) YAML(name, from, scenarios string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Made of %s, %s.\n", prose.Printable(from), s.Kind)
	for _, line := range s.LeftOut {
		fmt.Fprintf(&b, "# not carried over: %s\n", line)
	}
	test := s.test
	if test == "" {
		test = TestOf(len(s.Scenarios), s.own())
	}
	fmt.Fprintf(&b, `version: 1
name: %s
agent:
  command: ["sh", "./agent.sh"] # it has to be written: see there
  # env_allow: [API_KEY]
limits: none # or what a trial may take at most, where the agent tells it: {max_turns: 50, max_cost_usd: 1.00}
%s
`, name, test)
	if len(s.Capabilities) > 0 {
		b.WriteString("capabilities:\n")
		for _, x := range s.Capabilities {
			fmt.Fprintf(&b, "  - %s\n", strconv.Quote(x))
		}
	}
	fmt.Fprintf(&b, "scenarios: {from: %s}\n", scenarios)
	return b.String()
}

// own reports whether scenarios are held to a rate by themselves.
func (s *Suite) own() bool {
	return slices.ContainsFunc(s.Scenarios, func(c Scenario) bool { return c.MinPassRate != nil || c.AllTrials })
}

// mostTogether is the most scenarios that one question can be asked about.
const mostTogether = 300

// TestOf is the test of a suite of so many scenarios: one question about all of them, or a test for each where they are
// too many, or held to a rate by themselves.
func TestOf(scenarios int, own bool) string {
	if own || scenarios > mostTogether {
		return "test: {threshold: 0.90, delta: 0.10} # of each scenario"
	}
	return "test: {by: suite, threshold: 0.90, delta: 0.10, collapse: {from: 0.70, to: 0.30}} " +
		"# of their mean, and no scenario may collapse"
}

// Lines writes the scenarios as JSON lines.
func (s *Suite) Lines() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for _, scenario := range s.Scenarios {
		if err := encoder.Encode(scenario); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
