package suggest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// GapSchema names the form of a [Gap].
const GapSchema = "tribunal/gap/v1"

// Gap is what a program is told that makes scenarios.
type Gap struct {
	Schema    string             `json:"schema"`              // [GapSchema]
	Suite     string             `json:"suite"`               // its name
	Dimension coverage.Dimension `json:"dimension,omitempty"` // that is furthest from its target; "" where each reaches it
	Value     float64            `json:"value"`               // of the dimension, from 0 to 1
	Target    float64            `json:"target"`              // of the dimension
	Missing   []string           `json:"missing"`             // what is not covered, at most 100
	Tools     []GapTool          `json:"tools,omitempty"`     // that the agent has
	Nearest   []*Suggestion      `json:"nearest"`             // what would be suggested without the program
	Count     int                `json:"count"`               // of scenarios that are asked for, at most
	Seed      uint64             `json:"seed"`                // of what is drawn
}

// GapTool is a tool of the agent.
type GapTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
}

// mostMissing is how many of the missing are told; chosen.
const mostMissing = 100

// GapOf is what is missing of a dimension, and what was found for it.
func GapOf(s coverage.Standing, found *Proposals, m Material) Gap {
	g := Gap{
		Schema: GapSchema, Suite: m.Suite.Name, Dimension: s.Dimension, Value: s.Value, Target: s.Target,
		Missing: found.Missing[:min(len(found.Missing), mostMissing)], Nearest: found.List, Count: m.Count, Seed: m.Seed,
	}
	// A list that is empty is one.
	if g.Missing == nil {
		g.Missing = []string{}
	}
	if g.Nearest == nil {
		g.Nearest = []*Suggestion{}
	}
	if m.Tools != nil {
		for _, t := range m.Tools.Tools {
			g.Tools = append(g.Tools, GapTool{t.Name, t.Description, json.RawMessage(t.Schema)})
		}
	}
	return g
}

// unusable says what of the answer of a program cannot be used.
func unusable(problem, advice string) error {
	return &fault.Error{Problem: "the answer of the generator " + problem, Advice: advice}
}

const answerAdvice = `it prints one JSON object, such as {"scenarios": [{"name": "refund-500", "input": {"text": "..."}, "why": "..."}]}`

// Answered reads what the program printed: an object with scenarios, each with an input, and if it likes with a name, a
// reason and tags. It may say nothing else: what judges a trial, or starts a program, is the suite's to say. More
// than are asked for is an error, and so is a name that a scenario has already.
func Answered(text []byte, g Gap, m Material) (*Proposals, error) {
	var answer struct {
		Scenarios []struct {
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
			Why   string          `json:"why"`
			Tags  []string        `json:"tags"`
		} `json:"scenarios"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	switch err := d.Decode(&answer); {
	case !utf8.Valid(text):
		return nil, unusable("is no UTF-8", answerAdvice)
	case err != nil:
		return nil, unusable("cannot be read: "+prose.Reason(err.Error()), answerAdvice)
	case d.More():
		return nil, unusable("has more than one JSON value", answerAdvice)
	case len(answer.Scenarios) == 0:
		return nil, unusable("has no scenarios", answerAdvice)
	case len(answer.Scenarios) > g.Count:
		return nil, unusable(fmt.Sprintf("has %d scenarios, and %d are asked for", len(answer.Scenarios), g.Count),
			"the count in what it is given is the most")
	}
	f := &finding{Material: m, taken: map[string]bool{}}
	for _, c := range m.Suite.Scenarios {
		f.taken[c.Name] = true
	}
	for i, c := range answer.Scenarios {
		at := fmt.Sprintf("scenarios[%d]", i)
		switch {
		case c.Input == nil:
			return nil, unusable("has no "+at+".input", "what the agent is given, any JSON value")
		case f.taken[c.Name] && c.Name != "":
			return nil, unusable(fmt.Sprintf("gives %s the name %s, which a scenario has already", at, prose.Quote(c.Name)),
				"")
		case strings.ContainsFunc(c.Name, unprintable):
			return nil, unusable(fmt.Sprintf("has a %s.name that is not one printable line: %s", at, prose.Quote(c.Name)),
				"")
		}
		if c.Name == "" {
			c.Name = fmt.Sprintf("suggested-%d", i+1)
		}
		if c.Why == "" {
			c.Why = "of the generator"
		}
		f.add(&Suggestion{
			Name: c.Name, Dimension: g.Dimension, Why: cut(c.Why, 500), Input: arbitrary.Encoded(decoded(c.Input)),
			Tags: append([]string{"suggested"}, c.Tags...),
		})
	}
	return &f.Proposals, nil
}

// unprintable reports whether a character would break a line, or act on a terminal.
func unprintable(r rune) bool { return r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' }
