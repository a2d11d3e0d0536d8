package report

import (
	"context"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// causedRun is a run of tests that pass, with a failure of each text; the first of them is that of two.
func causedRun(texts ...string) (*runs.Result, error) {
	plan, err := sprt.Optimal(context.Background(), sprt.Hypotheses{Threshold: .9, Delta: .3, Alpha: .05, Beta: .1},
		sprt.OptimalOptions{MaxTrials: 40})
	if err != nil {
		return nil, err
	}
	var tests []func() (runs.TestEvidence, error)
	left := texts
	if len(texts) > 0 {
		left = append([]string{texts[0]}, texts...)
	}
	for _, name := range []string{"refund", "cancel", "address"} {
		tests = append(tests, func() (runs.TestEvidence, error) {
			t, err := outcomesRun(runs.TestEvidence{Name: name, Design: plan.Design}, strings.Repeat("P", 40), "")
			for _, i := range []int{4, 9} {
				if len(left) == 0 {
					break
				}
				j := oracle.Judgement{Outcome: trial.Fail, Text: left[0]}
				left = left[1:]
				if err := j.Record(t.Trials[i].Trial); err != nil {
					return t, err
				}
			}
			return t, err
		})
	}
	return judgedSample(runs.Evidence{StoppedBy: runs.StoppedByDecision}, tests...)
}

// A Pass says below its table why some trials did not pass: of all scenarios together, the most frequent reason first,
// and no more than a screen has room for.
func TestPassSaysWhyTrialsFailed(t *testing.T) {
	const reason = `contains: the output does not contain "refund"`
	long := strings.Repeat("the answer names no number and no date; ", 20)
	for name, c := range map[string]struct {
		texts          []string
		text, markdown string // what is said; "" is nothing
	}{
		"no failure": {},
		"one reason": {[]string{reason}, "did not pass  2 × " + reason + ", in refund#4 and 1 more",
			"Trials that did not pass:\n\n- 2 × contains: the output does not contain &#34;refund&#34;: " +
				"<code>refund&#35;4</code> and 1 more\n\n"},
		"three reasons": {[]string{reason, "timeout after 5s", "no answer"},
			"did not pass  2 × " + reason + ", in refund#4 and 1 more 1 × timeout after 5s, in cancel#4 " +
				"1 × no answer, in cancel#9", "- 1 × timeout after 5s: <code>cancel&#35;4</code>\n- and 1 further reason\n"},
		"many reasons": {[]string{"a " + long, "b " + long, "c " + long, "d " + long, "e " + long},
			", in refund#4 and 1 more 1 × b the answer", "- and 3 further reasons\n"},
	} {
		r, err := causedRun(c.texts...)
		if err != nil || r.Verdict != verdict.Pass {
			t.Fatal(name, err, r.Verdict)
		}
		shown := written(t, r, TextFormat)
		if lines := strings.Count(shown, "\n"); lines > 22 { // beside two notes of where the suite and the result are
			t.Errorf("%s: %d lines: %s", name, lines, shown)
		}
		words := strings.Join(strings.Fields(shown), " ")
		comment := written(t, r, markdownFormat)
		if want := strings.Join(strings.Fields(c.text), " "); want != "" &&
			(!strings.Contains(words, want) || !strings.Contains(comment, c.markdown)) {
			t.Errorf("%s: it is not told why trials did not pass: %s\n%s", name, shown, comment)
		}
		if c.text == "" && (strings.Contains(shown, "did not pass") || strings.Contains(comment, "did not pass")) {
			t.Errorf("%s: %s\n%s", name, shown, comment)
		}
	}
}
