package proposal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
)

// Suite collects what trials were given, what they took and which tools they called. The zero value is ready to use.
type Suite struct {
	Limits

	order []string             // names of scenarios, as they came
	seen  map[string]*scenario // by name
	tools map[string]bool      // that trials called which did not fail
	told  int                  // trials that did not fail and tell their steps
}

// scenario is what trials of one scenario tell.
type scenario struct {
	input   trial.Raw
	differs bool           // the input is another one in some trials
	told    int            // trials that did not fail and tell their steps
	called  map[string]int // of those, how many called a tool
}

// Add counts a trial. Of those that failed, only what they were given counts.
func (s *Suite) Add(t *trial.Trial) {
	s.Limits.Add(t)
	if s.seen == nil {
		s.seen, s.tools = map[string]*scenario{}, map[string]bool{}
	}
	x := s.seen[t.Scenario]
	if x == nil {
		x = &scenario{input: t.Input, called: map[string]int{}}
		s.seen[t.Scenario] = x
		s.order = append(s.order, t.Scenario)
	}
	x.differs = x.differs || !bytes.Equal(x.input, t.Input)
	if t.Outcome == trial.Fail || t.Outcome == trial.Error || t.Steps == nil {
		return
	}
	s.told++
	x.told++
	called := map[string]bool{}
	for _, step := range t.Steps {
		if step.Action == trial.CallTool && step.Tool != "" {
			called[step.Tool] = true
		}
	}
	for tool := range called {
		s.tools[tool] = true
		x.called[tool]++
	}
}

// Proposal are the parts of a suite.
type Proposal struct {
	Scenarios []byte // JSON lines
	Count     int    // of the scenarios
	Limits    string // a part of the suite; "" where there are too few trials for any
	Contract  string // "" where no trial tells its steps
	// What was seen and is not proposed, or stands in place of what could not be.
	Notes []string
}

// Propose writes the parts. A rule is proposed where at least that share of trials keeps it, with that confidence:
// where so many trials that did not fail kept it and none did not, 59 for 95 % and 95 %. The error is that of options
// which cannot be used.
func (s *Suite) Propose(o Options) (*Proposal, error) {
	needed, err := sample.ToleranceTrials(o.Share, o.Confidence)
	if err != nil {
		return nil, err
	}
	p := &Proposal{Count: len(s.order)}
	judged := false
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, name := range s.order {
		x := s.seen[name]
		line := struct {
			Name     string           `json:"name"`
			Input    json.RawMessage  `json:"input,omitempty"`
			Evaluate []map[string]any `json:"evaluate,omitempty"`
		}{Name: name, Input: json.RawMessage(x.input)}
		shown := prose.Quote(prose.Excerpt(name))
		switch {
		case x.differs:
			p.note("%s was given different inputs: the first one stands", shown)
		case len(x.input) == 0:
			p.note("%s: the recordings do not have what it was given", shown)
		}
		if always := x.always(); len(always) > 0 && x.told >= needed {
			line.Evaluate = append(line.Evaluate, map[string]any{"must-call": always})
		} else if len(always) > 0 && x.told > 1 {
			p.note("%s: each of %d trials that did not fail called %s; of %d that would be a rule", shown, x.told,
				prose.Some(always, 8), needed)
		}
		judged = judged || len(line.Evaluate) > 0
		if err := encoder.Encode(line); err != nil {
			return nil, err
		}
	}
	p.Scenarios = lines.Bytes()
	if !judged {
		p.note("what makes an answer a good one is not in recordings: add it to the scenarios as evaluate")
	}
	if s.told > 0 {
		p.Contract = s.contract(needed, o)
	}
	p.Limits, err = s.YAML(o)
	if few, is := errors.AsType[*FewError](err); is {
		p.note("no limits are proposed: %v", few)
		return p, nil
	}
	return p, err
}

func (p *Proposal) note(format string, values ...any) {
	const most = 200
	if len(p.Notes) < most {
		p.Notes = append(p.Notes, prose.Printable(fmt.Sprintf(format, values...)))
	} else if len(p.Notes) == most {
		p.Notes = append(p.Notes, "and more of it")
	}
}

// always are the tools that every trial called which tells its steps and did not fail, sorted.
func (x *scenario) always() (tools []string) {
	for _, tool := range slices.Sorted(maps.Keys(x.called)) {
		if x.called[tool] == x.told {
			tools = append(tools, tool)
		}
	}
	return tools
}

// contract forbids what no trial did: other tools than those that were called.
func (s *Suite) contract(needed int, o Options) string {
	severity := "hard"
	if s.told < needed {
		severity = "soft"
	}
	var allowed []string
	for _, tool := range slices.Sorted(maps.Keys(s.tools)) {
		allowed = append(allowed, strconv.QuoteToASCII(literal(tool)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# What %s that did not fail kept to.", prose.Count(s.told, "trial"))
	if severity == "soft" {
		fmt.Fprintf(&b, " It is soft, and fails nothing: %d would show that %s of trials do,\n# with %s confidence.",
			needed, percent(o.Share), percent(o.Confidence))
	} else {
		fmt.Fprintf(&b, " At least %s of trials like them do, with %s confidence.", percent(o.Share),
			percent(o.Confidence))
	}
	fmt.Fprintf(&b, `
version: 1
name: recorded
clauses:
  - name: known tools only
    kind: guardrail
    severity: %s
    forbid: {tools: ["*"]}
`, severity)
	if len(allowed) > 0 {
		fmt.Fprintf(&b, "    allow: {tools: [%s]}\n", strings.Join(allowed, ", "))
	}
	return b.String()
}

// literal is a name as a pattern that matches it alone.
func literal(name string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", `\`, `[\\]`).Replace(name)
}
