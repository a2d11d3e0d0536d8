package runs

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// A test that is set aside decides nothing, whatever it comes to, and is told. In the sample's design four failures are
// a Fail, fifteen passes a Pass, and fourteen are undecided.
func TestQuarantinedTestsDecideNothing(t *testing.T) {
	for _, c := range []struct {
		outcomes, aside string // of each test; Q is set aside
		want            verdict.Verdict
		reason          verdict.Code
		warns           verdict.Code
	}{
		{"ok fail", "-Q", verdict.Pass, CodeTestsPass, warnQuarantined},
		{"fail ok", "-Q", verdict.Fail, codeTestsFail, warnMayLeave},
		{"open fail", "-Q", verdict.Inconclusive, codeTestsOpen, warnQuarantined},
		{"fail fail ok", "QQ-", verdict.Pass, CodeTestsPass, warnQuarantined},
		{"ok", "Q", verdict.Inconclusive, codeQuarantined, warnMayLeave},
		{"fail open", "QQ", verdict.Inconclusive, codeQuarantined, warnQuarantined},
	} {
		outcomes := map[string]string{"ok": passes(15), "fail": "ffff", "open": passes(14)}
		e := Evidence{Suite: "s", StoppedBy: StoppedByDecision}
		for i, kind := range strings.Fields(c.outcomes) {
			test := ran(string(rune('a'+i)), sample.Design(), outcomes[kind])
			test.Quarantined = c.aside[i] == 'Q'
			e.Tests = append(e.Tests, test)
		}
		r, err := Judge(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.want || r.ExitCode != c.want.ExitCode() || r.Reasons[0].Code != c.reason {
			t.Errorf("%s, %s: %v, %d, %v", c.outcomes, c.aside, r.Verdict, r.ExitCode, r.Reasons)
		}
		if warned(r.Warnings, c.warns) == "" {
			t.Errorf("%s, %s: %v", c.outcomes, c.aside, r.Warnings)
		}
		// By itself each test is what it is.
		if kind := strings.Fields(c.outcomes)[0]; kind == "fail" && r.Tests[0].Verdict != verdict.Fail {
			t.Errorf("%s, %s: the first test: %v", c.outcomes, c.aside, r.Tests[0].Verdict)
		}
	}
}

// What is said of scenarios that are new or gone is checked against the tests.
func TestNewAndGoneScenariosAreThoseOfTheTests(t *testing.T) {
	for _, c := range []struct {
		added, gone []string
		refused     string
	}{
		{[]string{"a"}, []string{"b"}, ""},
		{[]string{"b"}, nil, "added"},
		{nil, []string{"a"}, "gone"},
	} {
		r, err := Judge(t.Context(), Evidence{Suite: "s", StoppedBy: StoppedByDecision, Added: c.added, Gone: c.gone,
			Tests: []TestEvidence{ran("a", sample.Design(), passes(15))}})
		if err != nil {
			t.Fatal(err)
		}
		err = r.checkAside()
		if refused := err != nil; refused != (c.refused != "") ||
			refused && !strings.HasPrefix(err.Error(), c.refused+" is ") {
			t.Errorf("added %v, gone %v: %v", c.added, c.gone, err)
		}
	}
}
