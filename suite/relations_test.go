package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/relation"
)

// related is a suite with some relations.
func related(t *testing.T, relations string) *Suite {
	t.Helper()
	return parsed(t, `
version: 1
name: tiny
agent: {command: [./agent], env: {MODEL: large}}
test: {threshold: 0.9}
limits: none
scenarios:
  - {name: rag/one, input: {documents: [a, b], question: Which one is it?, max_words: 5}, evaluate: [contains: a]}
  - {name: rag/two, input: {documents: [c, d, e], question: Which two are it?, max_words: 5}}
  - {name: plain, input: tidy up this text}
relations:
`+relations)
}

// What a relation does not say is what its kind needs.
func TestRelations(t *testing.T) {
	s := related(t, `
  - {name: docs, kind: document-order}
  - {name: back, kind: document-order, with: {order: reversed}, scenarios: [rag/t*], delta: 0.3}
  - {name: noise, kind: noise-robustness, scenarios: [plain], max_violation_rate: 0.05}
  - {name: swap, kind: agent-substitution, with: {env: {MODEL: small}}, scenarios: [plain]}
  - {name: pipe, kind: pipeline-consistency, with: {command: [./next], evaluate: [contains: b]}, scenarios: [plain]}
  - {name: brief, kind: constraint-preservation, with: {set: {input.max_words: 3}}, holds: {at-most: {words: input.max_words}}}
  - {name: twice, kind: idempotence, scenarios: [plain]}
  - {name: json, kind: format-compliance, holds: {conforms: [contains: "{"]}, scenarios: [plain]}
`)
	var got []string
	for _, p := range s.Pairs(nil, s.Scenarios) {
		got = append(got, p.Name)
	}
	want := []string{"docs/rag/one", "docs/rag/two", "back/rag/two", "noise/plain", "swap/plain", "pipe/plain",
		"brief/rag/one",
		"brief/rag/two", "twice/plain", "json/plain"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
	if n := len(s.Pairs([]string{"d*", "json"}, s.Scenarios[:1])); n != 1 {
		t.Errorf("%d pairs of one scenario", n)
	}
	for i, c := range []struct {
		asksOutcome, alone, agent bool
		most, delta               float64
	}{
		{true, false, false, 0, 0.2}, {true, false, false, 0, 0.3}, {true, false, false, 0.05, 0.2},
		{true, false, true, 0, 0.2},
		{true, true, true, 0.1, 0.2}, {false, false, false, 0, 0.2}, {false, false, false, 0, 0.2},
		{false, true, false, 0.1, 0.2},
	} {
		r := s.Relations[i]
		if r.AsksOutcome != c.asksOutcome || r.Alone() != c.alone || (r.Agent != nil) != c.agent || r.Delta != c.delta ||
			r.MaxViolationRate.Value != c.most || r.MaxViolationRate.Known != (c.most > 0) {
			t.Errorf("%+v; want %+v", r, c)
		}
	}
	if env := s.Relations[3].Agent.Env["MODEL"]; env != "small" || s.Agent.Env["MODEL"] != "large" {
		t.Errorf("the models are %s and %s", env, s.Agent.Env["MODEL"])
	}
	for i, want := range map[int]string{
		1: `{"documents":["e","d","c"],"question":"Which two are it?","max_words":5}`,
		5: `{"documents":["c","d","e"],"question":"Which two are it?","max_words":3}`,
	} {
		followUp, err := s.Relations[i].FollowUp(t.Context(), s.Scenarios[1].Input, nil, 7)
		if err != nil || string(followUp) != want {
			t.Errorf("%s, %v; want %s", followUp, err, want)
		}
	}
	fed, err := s.Relations[6].FollowUp(t.Context(), s.Scenarios[2].Input, trial.Raw(`"Tidy."`), 7)
	if err != nil || string(fed) != `"Tidy."` {
		t.Errorf("%s, %v", fed, err)
	}
}

// The suite of the pairs has a test for each, by what the relation says of it, and a digest of its own.
func TestOfPairs(t *testing.T) {
	s := related(t, `
  - {name: docs, kind: document-order, delta: 0.3}
  - {name: noise, kind: noise-robustness, scenarios: [plain], max_violation_rate: 0.05}
  - {name: json, kind: format-compliance, holds: {conforms: [contains: "{"]}, scenarios: [plain]}
`)
	pairSuite := s.OfPairs(s.Pairs(nil, s.Scenarios), 0.01, 0.1)
	type test struct {
		Name                                  string
		Threshold, Delta, Alpha, Beta, Differ float64
		Rounds                                bool
	}
	var got []test
	for _, c := range pairSuite.Scenarios {
		got = append(got, test{c.Name, c.Test.Threshold, c.Test.Delta, c.Test.Alpha, c.Test.Beta, c.Test.Against.Discordant,
			c.Test.Against.SideBySide && c.Test.Against.Matched})
	}
	want := []test{
		{"docs/rag/one", 0, 0.3, 0.01, 0.1, 0.545, true}, {"docs/rag/two", 0, 0.3, 0.01, 0.1, 0.545, true},
		{"noise/plain", 0.95, 0.2, 0.01, 0.1, 0.52, true}, {"json/plain", 0.9, 0.2, 0.01, 0.1, 0, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	if pairSuite.BaselineAgent == nil || s.OfPairs(s.Pairs([]string{"json"}, s.Scenarios), 0.01,
		0.1).BaselineAgent != nil {
		t.Error("the pairs of equal inputs are missing, or run for a relation that has none")
	}
	// What is claimed is part of the task, how it is tested is not; both are part of what a run is continued.
	other := func(relations string) *Suite {
		s := related(t, relations)
		return s.OfPairs(s.Pairs(nil, s.Scenarios), 0.01, 0.1)
	}
	const docs = "  - {name: docs, kind: document-order}\n"
	first := other(docs)
	for _, c := range []struct {
		relations     string
		task, digests bool // are the same
	}{
		{docs, true, true},
		{strings.Replace(docs, "order}", "order, delta: 0.25, scenarios: [rag/*]}", 1), true, false},
		{strings.Replace(docs, "order}", "order, holds: equal}", 1), false, false},
	} {
		again := other(c.relations)
		if (again.Task().Digest == first.Task().Digest) != c.task || (again.Digest() == first.Digest()) != c.digests {
			t.Errorf("%s: task %s, digest %s", c.relations, again.Task().Digest, again.Digest())
		}
	}
	if s.Digest() != related(t, docs).Digest() {
		t.Error("a relation changes what a run of the suite is")
	}
}

// A variable that only a relation needs is asked for where the relation is tried.
func TestVariablesOfRelations(t *testing.T) {
	s := related(t, "  - {name: swap, kind: agent-substitution, with: {env: {KEY: \"${TRIBUNAL_NOT_SET}\"}}}\n  - "+
		"{name: docs, kind: document-order}\n")
	if _, err := s.Expanded(s.Scenarios); err != nil {
		t.Errorf("a run: %v", err)
	}
	tried := func(glob string) error {
		pairSuite := s.OfPairs(s.Pairs([]string{glob}, s.Scenarios), 0.05, 0.1)
		_, err := pairSuite.Expanded(pairSuite.Scenarios)
		return err
	}
	if err := tried("docs"); err != nil {
		t.Errorf("another relation: %v", err)
	}
	if err := tried("swap"); err == nil || !strings.Contains(err.Error(), "TRIBUNAL_NOT_SET") {
		t.Errorf("the relation: %v", err)
	}
	t.Setenv("TRIBUNAL_NOT_SET", "here")
	e, err := s.Expanded(s.Scenarios)
	if err != nil || e.Relations[0].Agent.Env["KEY"] != "here" ||
		s.Relations[0].Agent.Env["KEY"] != "${TRIBUNAL_NOT_SET}" {
		t.Errorf("%v", err)
	}
	if got := relation.Kind(e.Relations[0].Kind); got != relation.Substitution {
		t.Error(got)
	}
}
