package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/relation"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/relations"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// relating is a suite of one scenario with some relations, whose deltas are large: such tests are planned at once.
func relating(t testing.TB, relations string) *suite.Suite {
	t.Helper()
	return parse(t, head+`
agent: {command: [./agent]}
test: {threshold: 0.9}
seed: 3
scenarios:
  - name: rag
    input: {documents: [a 1, b 2, c 3, d 4], text: "12"}
    evaluate: [contains: "1"]
relations:
`+relations)
}

// relate runs relations of an agent that is a function, and judges them. The second agent is for those that have one.
func relate(t testing.TB, s *suite.Suite, agent, second AgentFunc) (*relations.Result, *Result) {
	t.Helper()
	pairs := s.Pairs(nil, s.Scenarios)
	pairSuite := s.OfPairs(pairs, 0.05, 0.1)
	o, err := PreparePairs(t.Context(), s, pairSuite, pairs, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	asked := o.Agent.(*pairAgent)
	asked.agent = agent
	for name := range asked.second {
		asked.second[name] = second
	}
	found, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	evidence := found.Evidence(s.Name, pairSuite.Digest(), "v")
	Describe(&evidence, pairSuite, pairSuite.Scenarios)
	run, err := runs.Judge(t.Context(), evidence)
	if err != nil {
		t.Fatal(err)
	}
	e := relations.Evidence{Suite: s.Name, Digest: pairSuite.Digest(), Claims: ClaimsOf(pairs), Run: run,
		Options: relations.Options{Alpha: 0.05, Beta: 0.1}}
	for _, p := range pairs {
		e.Pairs = append(e.Pairs, relations.Pair{Test: p.Name, Relation: p.Relation.Name, Scenario: p.Scenario.Name})
	}
	e.Examples, e.Vacuous = found.Examples()
	result, err := relations.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return result, found
}

// answering is an agent that answers a text.
func answering(answer func(r Request) string) AgentFunc {
	return func(_ context.Context, r Request) Attempt {
		return Attempt{Trial: &trial.Trial{Scenario: r.Scenario, Output: trial.RawString(answer(r)), Outcome: trial.Pass}}
	}
}

// digit is a digit that follows from a text.
func digit(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprint(h.Sum32() % 10)
}

// The four executions of a round have numbers and seeds of their own, under the name of the scenario; only the
// follow-up has another input. What comes first follows from the seed, and files of executions have names that differ.
func TestExecutionsOfARound(t *testing.T) {
	s := relating(t, "  - {name: back, kind: document-order, with: {order: reversed}, holds: equal, delta: 0.45}\n")
	var lock sync.Mutex
	asked := map[int]Request{}
	names := map[string]bool{}
	_, found := relate(t, s, answering(func(r Request) string {
		lock.Lock()
		defer lock.Unlock()
		asked[r.Trial] = r
		names[r.id()] = true
		return "1"
	}), nil)
	const source, reversed = `{"documents":["a 1","b 2","c 3","d 4"],"text":"12"}`,
		`{"documents":["d 4","c 3","b 2","a 1"],"text":"12"}`
	seeds := map[uint64]bool{}
	for number, r := range asked {
		want := source
		if number%4 == 3 {
			want = reversed
		}
		if r.Scenario != "rag" || string(r.Input) != want || r.Baseline || r.Variant != "" || r.Seed >= 1<<53 {
			t.Errorf("%d: %+v; want input %s", number, r, want)
		}
		seeds[r.Seed] = true
	}
	if n := 2 * len(found.Trials); len(asked) != n || len(seeds) != n || len(names) != n || n%4 != 0 {
		t.Errorf("%d executions of %d pairs, with %d seeds and %d names", len(asked), len(found.Trials), len(seeds),
			len(names))
	}
}

// What a pair took is what both executions did, and what one does not tell is not known.
func TestWhatPairsTake(t *testing.T) {
	s := relating(t, "  - {name: twice, kind: idempotence, on: input.text, delta: 0.45}\n")
	pairs := s.Pairs(nil, s.Scenarios)
	o, err := PreparePairs(t.Context(), s, s.OfPairs(pairs, 0.05, 0.1), pairs, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a := o.Agent.(*pairAgent)
	broken := errors.New("no luck")
	step := []trial.Step{{Action: trial.Respond}, {Action: trial.CallTool, Tool: "look_up"}}
	full := func() *trial.Trial {
		return &trial.Trial{Scenario: "rag", Output: trial.Raw(`"12"`), Outcome: trial.Pass, CostUSD: trial.Some(0.5),
			Steps:       step,
			InputTokens: trial.Some[int64](100), OutputTokens: trial.Some[int64](10), DurationSeconds: trial.Some(2.0),
			Model: "m"}
	}
	for _, c := range []struct {
		name                             string
		second                           Attempt
		outcome                          trial.Outcome
		cost, tokens, turns, steps, fail string
	}{
		{"both tell", Attempt{Trial: full()}, trial.Pass, "1", "200", "2", "4", ""},
		{"no cost", Attempt{Trial: func() *trial.Trial { x := full(); x.CostUSD = trial.Optional[float64]{}; return x }()},
			trial.Pass, "?", "200", "2", "4", ""},
		{"no steps", Attempt{Trial: func() *trial.Trial { x := full(); x.Steps = nil; return x }()}, trial.Pass, "1", "200",
			"?", "0", ""},
		{"another answer", Attempt{Trial: func() *trial.Trial { x := full(); x.Output = trial.Raw(`"21"`); return x }()},
			trial.Fail, "1", "200", "2", "4", ""},
		{"an error that took something", Attempt{Trial: full(), Err: broken}, 0, "1", "200", "2", "4", "no luck"},
		{"an error that tells nothing", Attempt{Err: broken}, 0, "?", "?", "?", "0", "no luck"},
		{"one that never began", Attempt{Err: &InfrastructureError{Problem: "not there", Unbegun: true}}, 0, "0.5", "100",
			"1", "2", "not there"},
		{"the agent's own error", Attempt{Trial: func() *trial.Trial {
			x := full()
			x.Outcome, x.Error = trial.Error, &trial.Cause{Message: "overloaded"}
			return x
		}()}, 0, "1", "200", "2", "4", "the agent ended in an error: overloaded"},
	} {
		calls := 0
		a.agent = AgentFunc(func(context.Context, Request) Attempt {
			if calls++; calls == 1 {
				return Attempt{Trial: full()}
			}
			return c.second
		})
		got := a.Run(t.Context(), Request{Scenario: "twice/rag"})
		text := func(known bool, value any) string {
			if !known {
				return "?"
			}
			return fmt.Sprint(value)
		}
		end := attemptEnd{attempt: got}
		spent := end.spent(0)
		cost, tokens := text(spent.CostUnknown == 0, spent.CostUSD), text(spent.TokensUnknown == 0, spent.InputTokens)
		turns := text(usageTurns(got.Trial) >= 0, usageTurns(got.Trial))
		if cost != c.cost || tokens != c.tokens || turns != c.turns || fmt.Sprint(len(got.Trial.Steps)) != c.steps {
			t.Errorf("%s: cost %s, tokens %s, turns %s, %d steps; want %s, %s, %s, %s", c.name, cost, tokens, turns,
				len(got.Trial.Steps), c.cost, c.tokens, c.turns, c.steps)
		}
		switch {
		case c.fail == "" && (got.Err != nil || got.Trial.Outcome != c.outcome):
			t.Errorf("%s: %v, %v", c.name, got.Trial.Outcome, got.Err)
		case c.fail != "" && (got.Err == nil || got.Err.Error() != c.fail):
			t.Errorf("%s: error %v; want %s", c.name, got.Err, c.fail)
		}
		// Nothing that was asked is asked again.
		if end.repeatable() {
			t.Errorf("%s: the pair is made again", c.name)
		}
	}
	a.agent = AgentFunc(func(context.Context, Request) Attempt {
		return Attempt{Err: &InfrastructureError{Problem: "not there", Unbegun: true}}
	})
	if got := (attemptEnd{attempt: a.Run(t.Context(), Request{Scenario: "twice/rag"})}); !got.repeatable() {
		t.Error("a pair of which nothing began is not made again")
	}
}

// An agent that guesses a digit agrees with itself in a tenth of all pairs. So it cannot violate a relation much more
// often than that, and a Pass would say nothing; its rate of violations is far above what may be.
func TestDigitGuesserViolates(t *testing.T) {
	const facts = `holds: {same-facts: {matches: "[0-9]"}}`
	guesser := answering(func(r Request) string { return fmt.Sprint("It is ", digit(fmt.Sprint(r.Seed)), ".") })
	bounded := relating(t, `
  - {name: twice, kind: idempotence, on: input.text, max_violation_rate: 0.1, delta: 0.4}
  - {name: order, kind: document-order, max_violation_rate: 0.1, delta: 0.4, `+facts+`}
`)
	result, _ := relate(t, bounded, guesser, nil)
	for _, j := range result.Relations {
		c := j.Scenarios[0]
		if j.Verdict != verdict.Fail || c.Reasons[0].Code != "violation-rate-high" ||
			len(c.Example) != relations.MostExamples && len(c.Example) != c.FollowUp.Violations {
			t.Errorf("%s: %v, %+v, %d examples", j.Name, j.Verdict, c.Reasons, len(c.Example))
		}
		if *c.FollowUp.Rate < 0.5 {
			t.Errorf("%s: the rate is %v", j.Name, *c.FollowUp.Rate)
		}
	}
	alone := relating(t, `
  - {name: twice, kind: idempotence, on: input.text, delta: 0.4}
  - {name: order, kind: document-order, delta: 0.4, `+facts+`}
`)
	result, _ = relate(t, alone, guesser, nil)
	for _, j := range result.Relations {
		if c := j.Scenarios[0]; c.Verdict != verdict.Inconclusive || c.Reasons[0].Code != "relation-noise" {
			t.Errorf("%s: %v, %+v", j.Name, c.Verdict, c.Reasons)
		}
	}
	// One that makes its digit of what it is asked is sure of itself, and violates both by the excess.
	result, _ = relate(t, alone, answering(func(r Request) string { return "It is " + digit(string(r.Input)) + "." }), nil)
	for _, j := range result.Relations {
		c := j.Scenarios[0]
		if j.Verdict != verdict.Fail || c.Reasons[0].Code != "relation-violated" || c.Control.Violations != 0 {
			t.Errorf("%s: %v, %+v", j.Name, j.Verdict, c.Reasons)
		}
		if c.Excess == nil || c.Excess.Estimate < 0.4 || *c.P > 0.05 {
			t.Errorf("%s: excess %+v, p %v", j.Name, c.Excess, *c.P)
		}
	}
}

// Each kind of relation is violated by an agent that breaks it, and holds of one that does not.
func TestRelationsOfAgents(t *testing.T) {
	type input struct {
		Documents []string
		Text      string
	}
	read := func(r Request) (x input) {
		_ = json.Unmarshal(r.Input, &x)
		return x
	}
	first := func(r Request) string { return read(r).Documents[0] }
	sorted := func(r Request) string {
		documents := read(r).Documents
		slices.Sort(documents)
		return strings.Join(documents, ", ")
	}
	double := func(r Request) string { return read(r).Text + read(r).Text }
	same := func(r Request) string { return read(r).Text }
	for _, c := range []struct {
		relation      string
		breaks, keeps func(r Request) string
		second        func(r Request) string // of both
	}{
		{"kind: document-order, holds: equal", first, sorted, nil},
		{"kind: document-order", first, sorted, nil}, // the first of the source passes, and no other
		{"kind: tool-order, on: input.documents, holds: {equal-json: {path: a}}",
			func(r Request) string { return `{"a": "` + first(r) + `"}` },
			func(r Request) string { return `{"a": 1, "b": "` + first(r) + `"}` }, nil},
		{"kind: monotonic-difficulty, with: {set: {input.text: longer}}, holds: {score-not-higher: {path: sure}}",
			func(r Request) string { return fmt.Sprintf(`{"sure": %d}`, len(same(r))) },
			func(r Request) string { return fmt.Sprintf(`{"sure": -%d}`, len(same(r))) }, nil},
		{"kind: noise-robustness, on: 'input.documents[0]', with: {noise: [whitespace]}, holds: {within: 0.3}",
			func(r Request) string {
				return digit(first(r)) + digit("x"+first(r)) + strings.Repeat(digit("y"+first(r)), 4)
			},
			func(r Request) string { return strings.TrimSpace(first(r)) }, nil},
		{"kind: idempotence, on: input.text", double, same, nil},
		{"kind: agent-substitution, with: {command: [./other]}, holds: equal", double, same, same},
		{"kind: pipeline-consistency, on: input.text, with: {command: [./next], evaluate: [contains: \"1212\"]}", same,
			double, same},
		{"kind: format-compliance, with: {set: {input.text: ''}}, holds: {conforms: [regex: '^[0-9]+$']}", same,
			func(r Request) string { return "0" + same(r) }, nil},
		{"kind: constraint-preservation, with: {set: {input.text: '3'}}, holds: {at-most: {characters: input.text}}",
			func(r Request) string { return "four" }, func(r Request) string { return "few" }, nil},
	} {
		s := relating(t, "  - {name: r, "+c.relation+", delta: 0.4}\n")
		for _, side := range []struct {
			agent func(r Request) string
			want  verdict.Verdict
		}{{c.breaks, verdict.Fail}, {c.keeps, verdict.Pass}} {
			second := answering(side.agent)
			if c.second != nil {
				second = answering(c.second)
			}
			result, found := relate(t, s, answering(side.agent), second)
			if result.Verdict != side.want {
				t.Errorf("%s: %v; want %v: %+v", c.relation, result.Verdict, side.want, result.Reasons)
			}
			for _, record := range found.Trials {
				if record.Trial.Outcome == trial.Error {
					t.Fatalf("%s: %+v", c.relation, record.Trial.Error)
				}
			}
		}
	}
}

// A run of pairs that was interrupted comes to the same as one that was not.
func TestPairsAreResumed(t *testing.T) {
	s := relating(t, "  - {name: order, kind: document-order, holds: equal, delta: 0.4}\n")
	pairs := s.Pairs(nil, s.Scenarios)
	pairSuite := s.OfPairs(pairs, 0.05, 0.1)
	agent := func(stop func()) AgentFunc {
		calls := 0
		return answering(func(r Request) string {
			if calls++; calls == 9 {
				stop()
			}
			return digit(fmt.Sprint(r.Seed % 3))
		})
	}
	options := func(file string, stop func()) Options {
		o, err := PreparePairs(t.Context(), s, pairSuite, pairs, PrepareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o.Concurrency, o.Journal = 1, file
		o.Agent.(*pairAgent).agent = agent(stop)
		return o
	}
	folder := t.TempDir()
	whole, err := Run(t.Context(), options(folder+"/whole", func() {}))
	if err != nil {
		t.Fatal(err)
	}
	interrupt := make(chan struct{})
	o := options(folder+"/parts", func() { close(interrupt) })
	o.Interrupt = interrupt
	part, err := Run(t.Context(), o)
	if err != nil || len(part.Trials) >= len(whole.Trials) {
		t.Fatalf("%d of %d trials, %v", len(part.Trials), len(whole.Trials), err)
	}
	o = options(folder+"/parts", func() {})
	o.Resume = true
	again, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := func(r *Result) (list []string) {
		for _, x := range r.Trials {
			list = append(list, fmt.Sprint(x.Baseline, x.Number, x.Seed, x.Trial.Outcome, string(x.Trial.Output)))
		}
		return list
	}
	if diff := cmp.Diff(outcomes(whole), outcomes(again)); diff != "" {
		t.Errorf("(-whole +resumed):\n%s", diff)
	}
}

func TestRecordedPairs(t *testing.T) {
	s := relating(t, `
  - {name: order, kind: document-order, holds: equal}
  - {name: format, kind: format-compliance, holds: {conforms: [contains: ok]}}
`)
	recorded := func(number int, output string, tags ...string) *trial.Trial {
		x := &trial.Trial{Scenario: "rag", Index: trial.Some(number), Outcome: trial.Pass, Output: trial.RawString(output)}
		for i := 0; i < len(tags); i += 2 {
			x.Tags = append(x.Tags, trial.Member{Name: tags[i], Value: trial.RawString(tags[i+1])})
		}
		return x
	}
	failed := recorded(5, "", "relation", "order", "source", "1")
	failed.Outcome = trial.Error
	trials := []*trial.Trial{
		recorded(0, "ok a"), recorded(1, "ok b"),
		recorded(2, "ok a", "relation", "order", "source", "rag#0"), recorded(3, "b", "relation", "order", "source", "1"),
		recorded(4, "ok a", "relation", "control", "source", "0"), failed,
		recorded(6, "ok", "relation", "format", "source", "rag#1"),
	}
	got, err := RecordedPairs(t.Context(), s.Pairs(nil, s.Scenarios), trials)
	if err != nil {
		t.Fatal(err)
	}
	want := []relations.RecordedPairs{
		{Relation: "order", Scenario: "rag", FollowUps: "PFE", Controls: "P", Shared: 2},
		{Relation: "format", Scenario: "rag", FollowUps: "P"},
	}
	for i := range got {
		if len(got[i].Examples) != strings.Count(got[i].FollowUps, "F") {
			t.Errorf("%+v", got[i].Examples)
		}
		got[i].Examples = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for problem, bad := range map[string]*trial.Trial{
		"has a relation and no source":                           recorded(7, "a", "relation", "order"),
		`has the source "rag#9", which is not there`:             recorded(7, "a", "relation", "order", "source", "rag#9"),
		`is of the relation "other" in the scenario "rag", whic`: recorded(7, "a", "relation", "other", "source", "0"),
	} {
		if _, err := RecordedPairs(t.Context(), s.Pairs(nil, s.Scenarios), append(slices.Clone(trials), bad)); err == nil ||
			!strings.Contains(err.Error(), problem) {
			t.Errorf("%v; want %s", err, problem)
		}
	}
}

// usageTurns are the turns that a trial tells; -1 if it does not.
func usageTurns(t *trial.Trial) int {
	turns := trial.Optional[int]{}
	if t != nil && len(t.Steps) > 0 {
		turns = trial.Some(0)
		for _, s := range t.Steps {
			if s.Action == trial.Respond {
				turns.Value++
			}
		}
	} else if t != nil {
		turns = t.Turns
	}
	if !turns.Known {
		return -1
	}
	return turns.Value
}

// The record of a pair keeps what it was judged by.
func TestRecordsOfPairs(t *testing.T) {
	long := trial.RawString(strings.Repeat("é", mostKept))
	got := recordOf(relation.Execution{Input: trial.Raw(`{"a": 1}`), Trial: &trial.Trial{Output: trial.Raw(`"x"`),
		Outcome: trial.Pass}},
		relation.Execution{Input: long, Trial: &trial.Trial{Output: long, Outcome: trial.Fail}})
	var p relation.Pair
	if err := json.Unmarshal(got, &p); err != nil {
		t.Fatal(err)
	}
	if string(p.Source.Input) != `{"a":1}` || string(p.Source.Output) != `"x"` || p.FollowUp.Outcome != "fail" {
		t.Errorf("%s", got[:100])
	}
	if n := len(p.FollowUp.Output); n > mostKept || n < mostKept/8 {
		t.Errorf("%d bytes of an output are kept", n)
	}
}

// The tools that an agent is offered stand in another order for the follow-up alone: one that goes by the first of them
// violates the relation, and one that looks for a name keeps it. What the follow-up was given is gone in the end.
func TestOrderOfOfferedTools(t *testing.T) {
	for program, want := range map[string]verdict.Verdict{
		`printf '%s' "$(tr , '\n' < "$1" | head -n 1)"`: verdict.Fail,
		`if grep -q search "$1"; then printf found; fi`: verdict.Pass,
	} {
		folder := t.TempDir()
		for name, text := range map[string]string{
			"agent.sh": "#!/bin/sh\n" + program + "\n", "tools.json": `[{"name":"search"},{"name":"refund"},{"name":"ask"}]`,
		} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, order := range []string{"shuffled", "reversed"} {
			s, err := suite.Parse(filepath.Join(folder, suite.FileName), []byte(`
version: 1
name: tiny
agent: {command: [sh, agent.sh, "{tools}"], output: text, config: {tools: tools.json}}
test: {threshold: 0.9}
limits: none
scenarios: [{name: one}]
relations: [{name: order, kind: tool-order, with: {of: agent, order: `+order+`}, holds: equal, delta: 0.4}]
`))
			if err != nil {
				t.Fatal(err)
			}
			pairs := s.Pairs(nil, s.Scenarios)
			pairSuite := s.OfPairs(pairs, 0.05, 0.1)
			o, err := PreparePairs(t.Context(), s, pairSuite, pairs, PrepareOptions{})
			if err != nil {
				t.Fatal(err)
			}
			asked := o.Agent.(*pairAgent)
			if len(asked.folders) != 1 {
				t.Fatalf("copies are in %q", asked.folders)
			}
			found, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			outcome := map[sprt.Outcome]verdict.Verdict{sprt.Pass: verdict.Pass, sprt.Fail: verdict.Fail}[found.Tests[0].Outcome]
			if outcome != want {
				t.Errorf("%s, %s: %v, want %v", program, order, outcome, want)
			}
			if _, err := os.Stat(asked.folders[0]); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is left behind: %v", asked.folders[0], err)
			}
		}
	}
}
