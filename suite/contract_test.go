package suite

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// The digest of a suite follows the content of its contracts, wherever it stands, and
// not their layout.
func TestDigestFollowsContracts(t *testing.T) {
	dir := t.TempDir()
	digest := func(evaluator, file string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "c.yaml"), []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Parse(filepath.Join(dir, FileName),
			[]byte(strings.Replace(minimal, "name: one,", "name: one, evaluate: ["+evaluator+"],", 1)))
		if err != nil {
			t.Fatal(err)
		}
		return s.Digest()
	}
	const file = "version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: [x]}}\n"
	for _, evaluator := range []string{"{contract: c.yaml}", "{not: {contract: c.yaml}}",
		"{all: [{any: [{contract: c.yaml}]}]}"} {
		base := digest(evaluator, file)
		if digest(evaluator, "# a comment\n"+
			strings.Replace(file, "version: 1\nname: c", "name: c\nversion: 1", 1)) != base {
			t.Errorf("%s: the layout changes the digest", evaluator)
		}
		for _, change := range [][2]string{{"[x]", "[y]"}, {"name: a", "name: b"},
			{"guardrail,", "guardrail, severity: soft,"}, {"name: c", "name: c\nk: 3"},
			{"}}", "}, allow: {tools: [xx]}}"}} {
			if digest(evaluator, strings.Replace(file, change[0], change[1], 1)) == base {
				t.Errorf("%s: %q does not change the digest", evaluator, change)
			}
		}
	}
}

// Of a file whose clauses are named only these count: for the outcome and for the digest.
func TestClausesOfAContract(t *testing.T) {
	dir := t.TempDir()
	load := func(evaluator, file string) *Suite {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "c.yaml"), []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Parse(filepath.Join(dir, FileName),
			[]byte(strings.Replace(minimal, "name: one,", "name: one, evaluate: ["+evaluator+"],", 1)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const file = "version: 1\nname: c\nclauses:\n" +
		"  - {name: no x, kind: guardrail, forbid: {tools: x}}\n" +
		"  - {name: no y, kind: guardrail, forbid: {tools: y}}\n" +
		"  - {name: no z, kind: guardrail, severity: soft, forbid: {tools: z}}\n"
	called := &trial.Trial{Steps: []trial.Step{{Action: trial.CallTool, Tool: "x"}, {Action: trial.CallTool, Tool: "z"}}}
	for _, c := range []struct {
		clause  string
		parts   int
		outcome trial.Outcome
	}{
		{"", 3, trial.Fail}, {", clause: no x", 1, trial.Fail}, {", clause: no y", 1, trial.Pass},
		{", clause: [no y]", 1, trial.Pass}, {", clause: [no z, no y]", 2, trial.Pass},
		{", clause: [no y, no x]", 2, trial.Fail},
	} {
		s := load("{contract: {file: c.yaml"+c.clause+"}}", file)
		j := oracle.Judge(t.Context(), oracle.Evidence{Trial: called}, s.Scenarios[0].Evaluators(), oracle.Limits{})
		if j.Outcome != c.outcome || len(j.Results[0].Parts) != c.parts {
			t.Errorf("%q: %v with %d parts", c.clause, j.Outcome, len(j.Results[0].Parts))
		}
	}
	const one = "{contract: {file: c.yaml, clause: no x}}"
	before := load(one, file).Digest()
	if load(one, strings.Replace(file, "tools: y", "tools: w", 1)).Digest() != before {
		t.Error("a clause that is not named changes the digest")
	}
	if load(one, strings.Replace(file, "tools: x", "tools: w", 1)).Digest() == before {
		t.Error("the clause that is named does not change the digest")
	}
}

func TestContractJudges(t *testing.T) {
	s, err := Parse("tribunal.yaml", []byte(strings.Replace(minimal, "name: one,",
		"name: one, evaluate: [{contract: {clauses: [{name: no refund, kind: guardrail, forbid: {tools: refund}}]}}],", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]trial.Outcome{"refund": trial.Fail, "search": trial.Pass} {
		e := oracle.Evidence{Trial: &trial.Trial{Steps: []trial.Step{{Action: trial.CallTool, Tool: tool}}}}
		j := oracle.Judge(context.Background(), e, s.Scenarios[0].Evaluators(), oracle.Limits{})
		if j.Outcome != want || len(j.Results[0].Parts) != 1 {
			t.Errorf("%s: %+v", tool, j)
		}
	}
}
