package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// mutationSample is a campaign of a suite with two tests, in which something became of mutants in every way there is.
func mutationSample() *mutants.Result {
	score, low, high, drop, rise := 2./3, 0.5, 2./3, 0.93, -0.01
	least, none := 0.8, 0
	mutant := func(id, operator, class, severity, site string, lines ...int) mutants.Mutant {
		return mutants.Mutant{ID: id, Key: "k" + id, Operator: operator, Class: class, Severity: severity, Site: site,
			Lines: lines}
	}
	reached := mutant("M9", "result.deny", "result", "severe", "result of lookup_order")
	reached.Applied = &none
	survivor := mutant("M3", "prompt.drop", "prompt", "severe", `line 4: "Never refund more than was paid."`, 4)
	survivor.Diff = "--- prompt\n+++ prompt\n@@ -3,3 +3,2 @@\n Look the order up first.\n-Never refund more than was " +
		"paid.\n Answer in one sentence.\n"
	list := []mutants.JudgedMutant{
		{Mutant: mutant("M1", "prompt.drop", "prompt", "severe", `line 2: "Look the order up first."`, 2),
			Fate: mutants.KilledByVerdict,
			By:   []string{"refund"}, Why: `"refund" fails`, Trials: 5, Drop: &drop},
		{Mutant: mutant("M2", "tool.remove", "tool", "severe", "tool lookup_order"), Fate: mutants.KilledByRate,
			By: []string{"refund", "cancel"}, Why: `"refund" and "cancel" pass less often than on the original`, Trials: 21,
			Drop: &drop},
		{Mutant: survivor, Fate: mutants.Survived, By: []string{},
			Why:    "every test passes, and behaviour changed: lookup_order calls 1 -> 0.2",
			Trials: 19, Drop: &rise, Behaviour: &behaviour.Comparison{Changed: true, Tested: true, Columns: []behaviour.Column{
				{Name: "lookup_order", Changed: true, Text: "lookup_order calls 1 -> 0.2 (-80 %)"}}},
			Sensors: []mutants.Sensor{{Test: "refund", YAML: "must-call: lookup_order",
				Original: mutants.Tally{Passes: 120, Trials: 120},
				Mutant:   mutants.Tally{Passes: 2, Trials: 10}, P: 1e-6}}},
		{Mutant: mutant("M4", "prompt.synonym", "prompt", "subtle", `line 5: "Answer" to "Reply"`, 5),
			Fate: mutants.Equivalent, By: []string{},
			Why: "a drop by 20 points is excluded, and no change of behaviour was detected", Trials: 22, Drop: &rise},
		{Mutant: mutant("M5", "context.noise", "context", "moderate", "segment 2"), Fate: mutants.Undecided, By: []string{},
			Why: "the cost budget was used up before the test ended", Trials: 4},
		{Mutant: reached, Fate: mutants.Inert, By: []string{}, Why: "the change reached no trial", Trials: 18},
	}
	r := &mutants.Result{
		Schema: mutants.Schema, Verdict: verdict.Fail, ExitCode: 1, Suite: "support",
		Digest: "sha256:0123456789abcdef01234567",
		Asked: mutants.Options{Levels: mutants.Levels{Alpha: 0.05, Beta: 0.1, Delta: 0.2}, FailUnder: &least, Operators: 6,
			Known: 26, Fixed: 50},
		Reasons: []verdict.Reason{{Code: "mutation-score-low",
			Text: "the mutation score is 67%: 2 of 3 mutants killed, below the 80% asked for"}},
		Warnings: []verdict.Warning{
			{Code: "inert-mutants", Text: "1 mutant never reached the agent and does not count"},
			{Code: "idle-tests", Text: `1 of 2 tests kills no mutant: "greeting"`},
		},
		Score: mutants.Score{Mutants: 6, Killed: 2, ByVerdict: 1, ByRate: 1, Survived: 1, Equivalent: 1, Undecided: 1,
			Inert: 1,
			Score: &score, Low: &low, High: &high},
		Mutants: list,
		Tests: []mutants.Test{{Name: "refund", Alpha: 0.025, Kills: []string{"M1", "M2"}, Alone: 1, Own: "optimal"},
			{Name: "greeting", Alpha: 0.00625, Kills: []string{}, Own: "optimal"}},
		Unsensed:  []mutants.Line{{Number: 4, Text: "Never refund more than was paid.", Mutants: []string{"M3"}}},
		Cost:      mutants.Cost{Trials: 89, Fixed: 600, Savings: 1 - 89./600},
		Theorem51: &mutants.Adequacy{Score: score, Delta: 0.2, Scale: 0.62, Bound: -score * math.Expm1(-0.2/0.62)},
		Original:  &runs.Result{}, Run: &runs.Result{Seed: 7},
	}
	for _, m := range list {
		at := -1
		for i := range r.Classes {
			if r.Classes[i].Name == m.Class {
				at = i
			}
		}
		if at < 0 {
			r.Classes, at = append(r.Classes, mutants.Part{Name: m.Class}), len(r.Classes)
		}
		s := &r.Classes[at].Score
		s.Mutants++
		switch {
		case m.Fate.Killed():
			s.Killed++
		case m.Fate == mutants.Survived:
			s.Survived++
		case m.Fate == mutants.Equivalent:
			s.Equivalent++
		case m.Fate == mutants.Undecided:
			s.Undecided++
		default:
			s.Inert++
		}
		if n := s.Killed + s.Survived; n > 0 {
			share := float64(s.Killed) / float64(n)
			s.Score = &share
		}
	}
	r.Operators = r.Classes
	return r
}

// checksSample is a suite whose evaluators were changed, one of which no trial misses.
func checksSample() *mutants.Checks {
	return mutants.JudgeChecks("support", "sha256:0123456789abcdef01234567", []mutants.Check{
		{Scenario: "refund", Evaluator: "contains", Place: "tribunal.yaml:14:9", Change: "deleted", Before: "PPFFP",
			After: "PPPPP"},
		{Scenario: "refund", Evaluator: "max_steps", Place: "tribunal.yaml:15:9", Change: "5 -> 10", Before: "PPFFP",
			After: "PPFFP"},
		{Scenario: "cancel", Evaluator: "must-call", Place: "tribunal.yaml:21:9", Change: "deleted", Before: "PPF",
			After: "PPF"},
	}, []string{"greeting"}, 8, nil)
}

func mutationRenders() map[string]render {
	return map[string]render{"checks": func(w io.Writer, o Options) error {
		return Write(w, checksSample(), TextFormat, o)
	},
		"mutation": func(w io.Writer, o Options) error { return Write(w, mutationSample(), TextFormat, o) }}
}

// What mutants are made of is written by others: it changes no terminal, page or log.
func TestMutationIsInert(t *testing.T) {
	r := mutationSample()
	for i := range r.Mutants {
		r.Mutants[i].Site, r.Mutants[i].Diff = "s\x1b[31m\n::error::x", "-<script>alert(1)</script>\x1b]0;x\a\n+::set-output"
		r.Mutants[i].Why = fmt.Sprint("\x1b[2J", i)
	}
	r.Unsensed[0].Text = "<img src=x onerror=alert(1)>\x1b[31m"
	for _, f := range Formats() {
		if f == metricsFormat {
			continue
		}
		var out bytes.Buffer
		if err := Write(&out, r, f, Options{}); err != nil {
			t.Fatal(f, err)
		}
		text := out.String()
		if strings.ContainsAny(text, "\x1b\a") || strings.Contains(text, "\n::error::x") {
			t.Errorf("%v: %q", f, text)
		}
		if f == HTMLFormat && (strings.Contains(text, "<script>alert") || strings.Contains(text, "<img src=x")) {
			t.Errorf("the page has markup of others")
		}
	}
}

// Where chance alone explains the kills, as the headline says, no figure stands for the score; and a suggested text says
// that it fits the outputs it was taken from.
func TestMutationSaysNoMoreThanIsKnown(t *testing.T) {
	r := mutationSample()
	r.Score.ByChance = r.Score.Killed
	class, low, high := &r.Classes[0], 0., 0.43
	class.Score.ByChance, class.Score.Low, class.Score.High = class.Score.Killed, &low, &high
	r.Mutants[2].Sensors[0].YAML = `contains: "40 euros"`
	for _, f := range []Format{TextFormat, HTMLFormat} {
		text := strings.Join(strings.Fields(written(t, r, f)), " ")
		for _, want := range []string{
			"undecided", "0% to 43%", class.Name + " (1 killed, by chance up to 1): as many would be killed by chance",
			"its text fits these outputs", "1 more cannot be told from the original",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q in %s", f, want, text)
			}
		}
	}
	if page := written(t, r, HTMLFormat); strings.Contains(page, "<dt>mutation score</dt><dd class=\"fail\">67") ||
		!strings.Contains(page, "<dt>mutation score</dt><dd class=\"fail\">undecided</dd>") {
		t.Errorf("a figure for a score that is not known")
	}
	if text := written(t, mutationSample(), TextFormat); strings.Contains(text, "fits these outputs") {
		t.Errorf("a call of a tool is no text: %s", text)
	}
	alike := mutationSample()
	alike.Score.Equivalent = len(alike.Mutants)
	if text := strings.Join(strings.Fields(written(t, alike, TextFormat)), " "); !strings.Contains(text,
		"none can be told from the original: see whether the agent reads what was changed.") {
		t.Errorf("nothing says why no mutant changes anything: %s", text)
	}
}
