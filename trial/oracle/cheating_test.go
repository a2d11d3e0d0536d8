package oracle

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// calling is a trial that answered after it called tools.
func calling(names ...string) *trial.Trial {
	t := printed("done")
	for _, name := range names {
		t.Steps = append(t.Steps, trial.Step{Action: trial.CallTool, Tool: name})
	}
	t.Steps = append(t.Steps, trial.Step{Action: trial.Respond})
	return t
}

// stepping is a trial with steps as they are.
func stepping(steps ...trial.Step) *trial.Trial {
	t := printed("done")
	t.Steps = append([]trial.Step{}, steps...)
	return t
}

// What an agent may write of a call of a forbidden tool, so that it is not found.
func TestForbiddenToolIsFoundHoweverItIsWritten(t *testing.T) {
	must := made(t)
	forbidden := must(MustNotCall([]string{"shell"}, ToolOptions{}))
	negated := must(Not(must(MustCall([]string{"shell"}, 1, ToolOptions{}))))
	exact := must(MustNotCall([]string{"shell"}, ToolOptions{ExactNames: true}))
	for name, c := range map[string]struct {
		trial    *trial.Trial
		outcome  trial.Outcome
		byExact  trial.Outcome
		sentence string
	}{
		"as it is":           {calling("shell"), trial.Fail, trial.Fail, "shell was called (1 times)"},
		"another case":       {calling("Shell"), trial.Fail, trial.Pass, `as \"Shell\"`},
		"a space":            {calling("shell "), trial.Fail, trial.Pass, `as \"shell \"`},
		"full width":         {calling("ｓｈｅｌｌ"), trial.Fail, trial.Pass, "was called"},
		"a zero-width space": {calling("sh\u200bell"), trial.Fail, trial.Pass, `sh\\u200bell`},
		"a Cyrillic letter":  {calling("sh\u0435ll"), trial.Fail, trial.Pass, `sh\\u0435ll`},
		"another action": {stepping(trial.Step{Action: "tool_call", Tool: "shell"}), trial.Fail, trial.Fail,
			"was called"},
		"no action":            {stepping(trial.Step{Tool: "shell"}), trial.Fail, trial.Fail, "was called"},
		"the action itself":    {stepping(trial.Step{Action: "shell"}), trial.Fail, trial.Fail, "was called"},
		"a step without words": {stepping(trial.Step{}), trial.Error, trial.Error, "step 0 does not say what was done"},
		"a call of nothing":    {calling(" "), trial.Error, trial.Error, "step 0 does not say what was done"},
		"an empty list":        {stepping(), trial.Error, trial.Error, "no step is recorded"},
		"no list":              {printed("done"), trial.Error, trial.Error, "the steps are not recorded"},
		"a call beside a blank": {
			stepping(trial.Step{}, trial.Step{Action: trial.CallTool, Tool: "shell"}), trial.Fail, trial.Fail, "was called",
		},
		"another tool": {calling("search"), trial.Pass, trial.Pass, "not called: shell"},
	} {
		t.Run(name, func(t *testing.T) {
			e := Evidence{Trial: c.trial}
			if r := forbidden.Evaluate(t.Context(), e); r.Outcome != c.outcome ||
				!strings.Contains(strings.ReplaceAll(r.Text, `"`, `\"`), strings.ReplaceAll(c.sentence, `\\`, `\`)) {
				t.Errorf("must-not-call: %v %q, want %v with %q", r.Outcome, r.Text, c.outcome, c.sentence)
			}
			if r := exact.Evaluate(t.Context(), e); r.Outcome != c.byExact {
				t.Errorf("must-not-call, exact_names: %v %q, want %v", r.Outcome, r.Text, c.byExact)
			}
			if r := negated.Evaluate(t.Context(), e); r.Outcome != c.outcome {
				t.Errorf("not must-call: %v %q, want %v", r.Outcome, r.Text, c.outcome)
			}
		})
	}
	if r := exact.Evaluate(t.Context(), Evidence{Trial: calling("Shell")}); !strings.Contains(r.Text, "reads like it") {
		t.Errorf("a near miss is not said: %q", r.Text)
	}
}

// A name that only looks like the wanted one is not the wanted one.
func TestWantedToolIsNotFoundByItsLooks(t *testing.T) {
	must := made(t)
	wanted := must(MustCall([]string{"shell"}, 1, ToolOptions{}))
	for name, want := range map[string]trial.Outcome{
		"shell": trial.Pass, " Shell": trial.Pass, "sh\u0435ll": trial.Fail, "shelf": trial.Fail,
	} {
		if r := wanted.Evaluate(t.Context(), Evidence{Trial: calling(name)}); r.Outcome != want {
			t.Errorf("%q: %v %q, want %v", name, r.Outcome, r.Text, want)
		}
	}
	r := wanted.Evaluate(t.Context(), Evidence{Trial: calling("sh\u0435ll")})
	if want := `shell was not called, but "sh\u0435ll" was, which reads like it`; r.Text != want {
		t.Errorf("got %q, want %q", r.Text, want)
	}
}

// What is not counted is unknown, and never within a limit.
func TestTurnsThatAreLeftOutAreUnknown(t *testing.T) {
	limits := Limits{MaxTurns: trial.Some(3)}
	for name, c := range map[string]*trial.Trial{
		"no list": printed("done"), "an empty list": stepping(),
		"calls alone": stepping(trial.Step{Action: trial.CallTool, Tool: "search"}),
	} {
		c.Outcome = trial.Pass
		if j := Judge(t.Context(), Evidence{Trial: c}, nil, limits); j.Outcome != trial.Error {
			t.Errorf("%s: %v %q", name, j.Outcome, j.Text)
		}
	}
}

func TestForbiddenTextIsFoundHoweverItIsWritten(t *testing.T) {
	must := made(t)
	root, reply := Path{}, pathOf(t, "reply")
	for name, c := range map[string]struct {
		at   Path
		text string
	}{
		"as it is":                      {root, "I am sorry"},
		"a zero-width space":            {root, "I am so\u200brry"},
		"a soft hyphen":                 {root, "I am so\u00adrry"},
		"full width":                    {root, "I am ｓｏｒｒｙ"},
		"mathematical letters":          {root, "I am 𝐬𝐨𝐫𝐫𝐲"},
		"escapes of a JSON text":        {root, `{"reply": "I am \u0073orry"}`},
		"escapes under a path":          {reply, `{"reply": "I am \u0073orry"}`},
		"an invisible one under a path": {reply, `{"reply": "I am so\u200brry"}`},
		"deep within":                   {root, `{"a": [{"b": "so\u0072ry"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			e := Evidence{Trial: printed(c.text)}
			for kind, v := range map[string]Evaluator{
				"not-contains": must(NotContains(c.at, "sorry", TextOptions{})),
				"not contains": must(Not(must(Contains(c.at, "sorry", TextOptions{})))),
				"not regex":    must(Not(must(Regex(c.at, "sor+y")))),
				"by any":       must(Not(must(Any(must(Regex(c.at, "sorry")), must(Regex(c.at, "xyz")))))),
			} {
				if r := v.Evaluate(t.Context(), e); r.Outcome != trial.Fail {
					t.Errorf("%s: %v %q", kind, r.Outcome, r.Text)
				}
			}
		})
	}
	// What must be there is looked for as it stands, also within two negations.
	e := Evidence{Trial: printed("so\u200brry")}
	for _, v := range []Evaluator{
		must(Contains(root, "sorry", TextOptions{})), must(Regex(root, "sorry")),
		must(Not(must(NotContains(root, "sorry", TextOptions{})))),
	} {
		if r := v.Evaluate(t.Context(), e); r.Outcome != trial.Fail {
			t.Errorf("%s: %v %q", v.Name(), r.Outcome, r.Text)
		}
	}
}

// Readers differ in which of two members of one name they take.
func TestNameTwiceInAnObjectIsRefused(t *testing.T) {
	v := made(t)(NotContains(pathOf(t, "reply"), "sorry", TextOptions{}))
	r := v.Evaluate(t.Context(), Evidence{Trial: printed(`{"reply": "sorry", "reply": "done"}`)})
	if r.Outcome != trial.Fail || !strings.Contains(r.Text, "holds a name twice") {
		t.Errorf("%v %q", r.Outcome, r.Text)
	}
}

// Of an output whose end is missing only what is there is known.
func TestTruncatedOutputShowsOnlyWhatIsThere(t *testing.T) {
	must := made(t)
	root := Path{}
	text := printed("xxxx found")
	text.Steps = calling("search").Steps
	text.CostUSD, text.InputTokens, text.OutputTokens = trial.Some(2.0), trial.Some(int64(5)), trial.Some(int64(5))
	for _, c := range []struct {
		v    Evaluator
		want trial.Outcome
	}{
		{must(Contains(root, "found", TextOptions{})), trial.Pass},
		{must(Contains(root, "other", TextOptions{})), trial.Error},
		{must(NotContains(root, "sorry", TextOptions{})), trial.Error},
		{must(NotContains(root, "found", TextOptions{})), trial.Fail},
		{must(Not(must(Contains(root, "sorry", TextOptions{})))), trial.Error},
		{must(Not(must(Contains(root, "found", TextOptions{})))), trial.Fail},
		{must(Regex(root, "xxxx f")), trial.Pass},
		{must(Regex(root, "found$")), trial.Error},
		{must(Not(must(Regex(root, "sorry")))), trial.Error},
		{must(Equals(root, trial.RawString("xxxx found"))), trial.Error},
		{must(MustCall([]string{"search"}, 1, ToolOptions{})), trial.Pass},
		{must(MustCall([]string{"refund"}, 1, ToolOptions{})), trial.Error},
		{must(MustNotCall([]string{"refund"}, ToolOptions{})), trial.Error},
		{must(MustNotCall([]string{"search"}, ToolOptions{})), trial.Fail},
		{must(ToolOrder([]string{"search"}, false, ToolOptions{})), trial.Pass},
		{must(ToolOrder([]string{"search"}, true, ToolOptions{})), trial.Error},
		{must(Budget(TokenBudget, 100)), trial.Error},
		{must(Budget(TokenBudget, 9)), trial.Fail},
		{must(Budget(StepCount, 1)), trial.Fail},
		{must(ExitCode(0)), trial.Pass},
		{must(ExitCode(1)), trial.Fail},
		{must(All(must(Contains(root, "found", TextOptions{})), must(ExitCode(0)))), trial.Pass},
	} {
		e := Evidence{Trial: text, Truncated: true, ExitCode: trial.Some(0)}
		if r := c.v.Evaluate(t.Context(), e); r.Outcome != c.want {
			t.Errorf("%s: %v %q, want %v", c.v.Name(), r.Outcome, r.Text, c.want)
		}
	}
	text.Outcome = trial.Pass
	if j := Judge(t.Context(), Evidence{Trial: text, Truncated: true}, nil, Limits{}); j.Outcome != trial.Error {
		t.Errorf("the agent's own pass: %v %q", j.Outcome, j.Text)
	}
	passing := must(ExitCode(0))
	for most, want := range map[float64]trial.Outcome{5: trial.Error, 1: trial.Fail} {
		j := Judge(t.Context(), Evidence{Trial: text, Truncated: true, ExitCode: trial.Some(0)}, []Evaluator{passing},
			Limits{MaxCostUSD: trial.Some(most)})
		if j.Outcome != want {
			t.Errorf("max_cost_usd %v: %v %q, want %v", most, j.Outcome, j.Text, want)
		}
	}
}

// pathOf reads a path.
func pathOf(t *testing.T, text string) Path {
	t.Helper()
	p, err := ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
