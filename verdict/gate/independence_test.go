package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// A gate asks where the trials of a run that passed may be no independent ones, unless the suite knows of it, or where
// half of the passes or more did nothing.
func TestGateAsksOfTrialsThatAreNotIndependent(t *testing.T) {
	same := &verdict.Answers{Compared: 8, Repeated: 7}
	for name, c := range map[string]struct {
		change  func(*runs.Result, *Options)
		want    Decision
		outcome RuleWord // of the rule; "" is that there is none
	}{
		"independent": {func(*runs.Result, *Options) {}, Deploy, ""},
		"few answers": {func(r *runs.Result, _ *Options) {
			r.Tests[0].Answers = &verdict.Answers{Compared: 8, Repeated: 1}
		}, Deploy, ""},
		"deleted scenario": {func(r *runs.Result, _ *Options) { r.Gone, r.Missing = []string{"z"}, runs.MissingOpen }, Review,
			RuleOpen},
		"ignored scenario": {func(r *runs.Result, _ *Options) { r.Gone, r.Missing = []string{"z"}, runs.MissingIgnored }, Deploy,
			""},
		"answers":         {func(r *runs.Result, _ *Options) { r.Tests[0].Answers = same }, Review, RuleOpen},
		"of the baseline": {func(r *runs.Result, _ *Options) { r.Tests[0].BaselineAnswers = same }, Review, RuleOpen},
		"answers that are known of": {func(r *runs.Result, o *Options) {
			r.Tests[0].Answers, o.AllowIdentical = same, true
		}, Deploy, RuleNoted},
		"attempts": {func(r *runs.Result, _ *Options) {
			r.Spent.Attempts, r.Spent.Repeated = 20, map[string]int{"refused": 4}
		}, Review, RuleOpen},
		"attempts that are known of": {func(r *runs.Result, o *Options) {
			r.Spent.Attempts, r.Spent.Repeated, o.AllowRepeated = 20, map[string]int{"refused": 4}, true
		}, Deploy, RuleNoted},
		"another agent since": {func(r *runs.Result, _ *Options) { r.Changed = []string{"agent.py"} }, Review, RuleOpen},
		"many without output": {func(r *runs.Result, _ *Options) {
			r.Tests[0].SilentPasses = (r.Tests[0].Passes + 1) / 2
		}, Review, RuleOpen},
		"few without output": {func(r *runs.Result, _ *Options) {
			r.Tests[0].SilentPasses = (r.Tests[0].Passes - 1) / 2
		}, Deploy, ""},
		"many with a code": {func(r *runs.Result, _ *Options) { r.Tests[0].CodePasses = 20 }, Review, RuleOpen},
		"few with a code":  {func(r *runs.Result, _ *Options) { r.Tests[0].CodePasses = 1 }, Deploy, ""},
		"the wrong allowance": {func(r *runs.Result, o *Options) {
			r.Tests[0].Answers, o.AllowRepeated = same, true
		}, Review, RuleOpen},
	} {
		t.Run(name, func(t *testing.T) {
			r, o := gated(t, strings.Repeat("P", 20)), Options{}
			c.change(r, &o)
			g, err := Judge(t.Context(), r, o)
			if err != nil {
				t.Fatal(err)
			}
			found := RuleWord("")
			for _, rule := range g.Rules {
				if slices.Contains([]string{ruleAnswers, ruleAttempts, rulePrograms, "silent-passes", "exit-code-ignored"},
					rule.Name) || rule.Name == ruleEvidence && rule.Outcome == RuleOpen {
					found = rule.Outcome
				}
			}
			if g.Decision != c.want || found != c.outcome {
				t.Errorf("%v, rule %q: %v", g.Decision, found, g.Reasons)
			}
			// A gate of an earlier edition knows of neither.
			o.Edition = fourthEdition
			if g, err = judge(t.Context(), r, o); err != nil || g.Decision != Deploy {
				t.Errorf("%v, %v in the edition before", g.Decision, err)
			}
		})
	}
}

// A recording that goes on after the decision may contradict it: of 75 trials 15 passed.
func TestTrialsAfterTheDecisionContradictIt(t *testing.T) {
	for after, want := range map[string]Decision{"F": Review, "P": Deploy} {
		r := gated(t, strings.Repeat("P", 15)+strings.Repeat(after, 60))
		if r.Verdict != verdict.Pass || r.Tests[0].Overrun == 0 {
			t.Fatalf("%v, %d trials after the decision", r.Verdict, r.Tests[0].Overrun)
		}
		g, err := Judge(t.Context(), r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(g.Rules, func(x Rule) bool {
			return x.Outcome == RuleOpen && strings.Contains(x.Evidence, "of all trials 15 of 75 passed (20%)")
		})
		if g.Decision != want || said != (want == Review) {
			t.Errorf("%s: %v, %+v", after, g.Decision, g.Rules)
		}
	}
}
