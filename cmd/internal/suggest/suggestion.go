package suggest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/suite"
)

// Suggestion is a scenario, or a variant of the agent, that is not in the suite yet.
type Suggestion struct {
	Name string `json:"name"` // of the scenario, or of the variant; no other scenario of the suite has it
	// Dimension is that which it is to raise; "" for an input that was drawn of a schema.
	Dimension coverage.Dimension `json:"dimension,omitempty"`
	Aim       string             `json:"aim,omitempty"` // what it is to reach, such as "refund amount maximum 500"
	Why       string             `json:"why"`           // what was not tried, and what the input is made of
	From      string             `json:"from,omitempty"`
	Input     json.RawMessage    `json:"input,omitempty"` // of the scenario; nil for a variant
	Evaluate  []map[string]any   `json:"evaluate,omitempty"`
	Tags      []string           `json:"tags,omitempty"`
	Variant   map[string]any     `json:"variant,omitempty"` // keys of the agent; nil for a scenario
}

// Material is what suggestions are made of.
type Material struct {
	Coverage *coverage.Result
	Declared coverage.Declaration
	Tools    *coverage.ToolList // with schemas and descriptions; nil: names alone are known
	Samples  *Samples
	Suite    *suite.Suite
	Count    int    // of suggestions, at the most
	Seed     uint64 // of what is drawn
}

// Proposals is what was proposed.
type Proposals struct {
	Missing []string // what is not covered, all of it that is known by name
	List    []*Suggestion
	Notes   []string // what could not be proposed
}

// For proposes what would raise a dimension.
func For(d coverage.Dimension, m Material) *Proposals {
	f := &finding{Material: m, taken: map[string]bool{}}
	for _, c := range m.Suite.Scenarios {
		f.taken[c.Name] = true
	}
	switch d {
	case coverage.ToolDimension:
		f.tools()
	case coverage.PathDimension:
		f.paths()
	case coverage.StateDimension:
		f.states()
	case coverage.BoundaryDimension:
		f.boundaries()
	case coverage.ModelDimension:
		f.models()
	}
	return &f.Proposals
}

// Drawn proposes inputs that a schema allows, no two alike. The error is an [arbitrary.SchemaError].
func Drawn(source *arbitrary.Source, m Material) (*Proposals, error) {
	f := &finding{Material: m, taken: map[string]bool{}}
	for _, c := range m.Suite.Scenarios {
		f.taken[c.Name] = true
	}
	seen := map[string]bool{}
	for i := 0; len(f.List) < m.Count && i < 20*m.Count; i++ {
		input, err := source.Value(seeded.Stream(m.Seed, uint64(i)))
		if err != nil {
			return nil, err
		}
		if seen[string(input)] {
			continue
		}
		seen[string(input)] = true
		f.add(&Suggestion{
			Name: fmt.Sprintf("generated-%d", len(f.List)+1), Input: input, Tags: []string{"suggested", "generated"},
			Why: "drawn of the schema of inputs",
		})
	}
	if len(f.List) < m.Count {
		f.note("the schema gave %d different inputs, and %d are asked for", len(f.List), m.Count)
	}
	return &f.Proposals, nil
}

// finding are suggestions as they are made.
type finding struct {
	Material
	Proposals
	taken map[string]bool // names of scenarios
}

// full reports whether there are as many as are asked for.
func (f *finding) full() bool { return len(f.List) >= f.Count }

// add adds a suggestion under a name that no scenario has.
func (f *finding) add(s *Suggestion) {
	name := s.Name
	for i := 2; f.taken[s.Name]; i++ {
		s.Name = fmt.Sprintf("%s-%d", name, i)
	}
	f.taken[s.Name] = true
	f.List = append(f.List, s)
}

func (f *finding) note(format string, values ...any) {
	f.Notes = append(f.Notes, prose.Printable(fmt.Sprintf(format, values...)))
}

// scenario adds a scenario that is to raise a dimension.
func (f *finding) scenario(d coverage.Dimension, aim, why string, from *Sample, input any, evaluate map[string]any) {
	s := &Suggestion{
		Name: "suggested-" + string(d) + "-" + slug(aim), Dimension: d, Aim: aim, Why: why, Input: arbitrary.Encoded(input),
		Tags: []string{"suggested", string(d)},
	}
	if from != nil {
		s.From = from.Scenario
	}
	// Where no scenario has an evaluator, the agent says itself whether it did well, and one would go before that.
	judged := slices.ContainsFunc(f.Suite.Scenarios, func(c suite.Scenario) bool { return len(c.Evaluate) > 0 })
	if evaluate != nil && judged {
		s.Evaluate = []map[string]any{evaluate}
	}
	f.add(s)
}

var noWord = lazy.Regexp(`[^A-Za-z0-9._]+`)

// slug is a text as a part of a name.
func slug(text string) string {
	return strings.Trim(prose.CutBytes(noWord().ReplaceAllString(text, "-"), 80), "-")
}

// quoted is a name as a sentence has it, whatever is in it.
func quoted(name string) string {
	if plain().MatchString(name) {
		return name
	}
	return prose.Quote(prose.Printable(name))
}

var plain = lazy.Regexp(`^[\w.:/#@-]{1,80}$`)
