package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
)

// contractResult judges trials that hold hostile text wherever a trial may.
func contractResult(t *testing.T, clauses int) *compliance.Result {
	t.Helper()
	text := "version: 1\nname: \"c ##[error] x\"\nclauses:\n"
	for i := range clauses {
		text += fmt.Sprintf("  - {name: \"clause %d\", kind: guardrail, forbid: {tools: \"*\"}}\n", i)
	}
	c, err := contract.Parse("c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := contract.NewSummary(c)
	for i := range 5 {
		x := &trial.Trial{Scenario: "s\x1b[31m\n::set-output", Index: trial.Some(i),
			Steps: []trial.Step{{Action: trial.CallTool, Tool: "t\x1b]0;x\a\xff" + strings.Repeat("y", 300)}}}
		s.Add(x, c.Check(context.Background(), x))
	}
	r, err := compliance.Judge(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestContractIsInert(t *testing.T) {
	r := contractResult(t, 30)
	for _, width := range []int{40, 80, 200} {
		var out bytes.Buffer
		if err := Write(&out, r, TextFormat, Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if strings.ContainsAny(text, "\x1b\a") || strings.Contains(text, "\xff") || strings.Contains(text, "\n::") ||
			strings.Contains(text, "##[") {
			t.Errorf("width %d: %q", width, text)
		}
		if !strings.HasPrefix(text, "FAIL  ") || !strings.Contains(text, "and 10 more\n") ||
			!strings.Contains(text, "clause 29: and 2 more") {
			t.Errorf("width %d:\n%s", width, text)
		}
	}
	var out bytes.Buffer
	if err := JSON(&out, r); err != nil || bytes.ContainsAny(out.Bytes(), "\x1b\a") {
		t.Error(err)
	}
	if err := Write(&out, nil, TextFormat, Options{}); !errors.Is(err, errNoResult) {
		t.Error(err)
	}
}
