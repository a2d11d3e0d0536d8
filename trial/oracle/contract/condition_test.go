package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// example is a trial with most fields known, and some not.
func example() *trial.Trial {
	return &trial.Trial{
		Scenario: "refund", Outcome: trial.Pass, CostUSD: trial.Some(0.02), InputTokens: trial.Some(int64(900)),
		OutputTokens: trial.Some(int64(100)),
		Input:        trial.Raw(`{"text":"money back"}`),
		Output:       trial.RawString(`{"department":"billing","amount":12,"share":0.5,"empty":null}`),
		Tags:         []trial.Member{{Name: "team", Value: trial.Raw(`"red"`)}},
		Steps: []trial.Step{
			{Action: trial.Reason, CostUSD: trial.Some(0.01)},
			{Action: trial.CallTool, Tool: "get_order", Arguments: trial.Raw(`{"id":"1007"}`),
				Output: trial.RawString(`{"total":12}`)},
			{Action: trial.CallTool, Tool: "refund", Arguments: trial.Raw(`{"id":"1007","amount":12}`),
				Output: trial.RawString("done")},
			{Action: trial.Respond},
		},
	}
}

func TestConditionsOfATrial(t *testing.T) {
	s := subjectOf(example())
	for text, want := range map[string]string{
		`trial.scenario == "refund"`:                                     "true",
		`trial.outcome == "pass" and trial.cost_usd < 0.03`:              "true",
		`trial.cost_usd < 0.02`:                                          "false",
		`trial.tokens == 1000`:                                           "true",
		`trial.tokens + 1 == 1001 and trial.tokens / 2 == 500`:           "true",
		`trial.json.department == "billing"`:                             "true",
		`trial.json.amount == 12 and trial.json.share == 0.5`:            "true",
		`trial.json.amount > 12.5`:                                       "false",
		`"department" in trial.json`:                                     "true",
		`"reason" in trial.json`:                                         "false",
		`trial.output contains "billing"`:                                "true",
		`trial.output matches "b.lling"`:                                 "true",
		`trial.output not contains "billing"`:                            "false",
		`trial.input.text == "money back"`:                               "true",
		`trial.tags.team == "red"`:                                       "true",
		`trial.error == ""`:                                              "true",
		`count(trial.steps, .tool == "refund") == 1`:                     "true",
		`all(trial.steps, .tool != "delete")`:                            "true",
		`any(trial.steps, .action == "call_tool" and .json != nil)`:      "true",
		`trial.steps[2].arguments.amount <= trial.steps[1].json.total`:   "true",
		`find(trial.steps, .tool == "get_order").arguments.id == "1007"`: "true",
		`lower("ABC") + "d" == "abcd"`:                                   "true",
		`trial.duration_s == nil`:                                        "true",
		`trial.duration_s != nil`:                                        "false",
		`(trial.duration_s ?? 0) == 0`:                                   "true",
		`(trial.json.reason ?? "") == ""`:                                "true",
		`trial.model != nil and trial.model == "large"`:                  "false",
		`let n = len(trial.steps); n == 4 and n < 5`:                     "true",
		`trial.cost_usd < 0.01 ? false : true`:                           "true",
		`sum(filter(trial.steps, .cost_usd != nil), .cost_usd) == 0.01`:  "true",

		// What is not recorded is an error, however it is asked.
		`trial.duration_s < 10`:                          "trial.duration_s is unknown",
		`not (trial.duration_s > 10)`:                    "trial.duration_s is unknown",
		`trial.duration_s == 3`:                          "trial.duration_s is unknown",
		`trial.duration_s != 3`:                          "trial.duration_s is unknown",
		`trial.model != "large"`:                         "trial.model is unknown",
		`not (trial.model == "large")`:                   "trial.model is unknown",
		`trial.model not in ["large"]`:                   "trial.model is unknown",
		`trial.model not contains "large"`:               "trial.model is unknown",
		`not (trial.model matches "large")`:              "trial.model is unknown",
		`not (trial.model startsWith "large")`:           "trial.model is unknown",
		`not hasPrefix(trial.model, "large")`:            "trial.model is unknown",
		`len(trial.model) == 0`:                          "trial.model is unknown",
		`trial.json.reason != "bad"`:                     "trial.json.reason is unknown",
		`trial.json.empty != "bad"`:                      "trial.json.empty is unknown",
		`not trial.json.flag`:                            "trial.json.flag is unknown",
		`trial.json.department`:                          "not true or false",
		`none(trial.steps, .json.flag)`:                  "a value is unknown",
		`count(trial.steps, .json?.flag) == 0`:           "a value is unknown",
		`trial.json.flag or trial.tokens > 1`:            "trial.json.flag is unknown",
		`trial.json.flag and false`:                      "trial.json.flag is unknown",
		`trial.json.flag`:                                "its value is unknown",
		`trial.json?.deep?.er != 1`:                      "trial.json.deep.er is unknown",
		`trial.json.deep.er != 1`:                        "a value is unknown",
		`all(trial.steps, .depth < 3)`:                   "#.depth is unknown",
		`none(trial.steps, .model == "large")`:           "#.model is unknown",
		`find(trial.steps, .tool == "x") != {}`:          "find(…) is unknown",
		`first(filter(trial.steps, .tool == "x")) != 1`:  "first(…) is unknown",
		`max(trial.steps[1].cost_usd, 1) == 1`:           "is unknown",
		`(trial.model ?? trial.variant) != "x"`:          "a value is unknown",
		`(trial.cost_usd > 0 ? trial.model : "") != "x"`: "a value is unknown",
		`(let m = trial.model; m) != "x"`:                "is unknown",
		`(let m = trial.model; m != "x")`:                "m is unknown",
		`any([trial.model], # != "x")`:                   "trial.model is unknown",
		`[trial.model] != ["x"]`:                         "trial.model is unknown",
		`{"a": trial.model} != {"a": "x"}`:               "trial.model is unknown",
		`max([trial.duration_s, 1]) == 1`:                "trial.duration_s is unknown",
		`sum(trial.steps, .cost_usd) < 5`:                "",
		`trial["mo" + "del"] != "x"`:                     "is unknown",
		`$env.trial.model != "x"`:                        "is unknown",
		`get(trial.json, "reason") != "x"`:               "get(…) is unknown",
		`trial["model"] != "x"`:                          "trial.model is unknown",
		`{"a": trial.model}.a != "x"`:                    "is unknown",
		`trial.steps[9].tool == "x"`:                     "out of range",
		`trial.json.department + 1 == 2`:                 "cannot add string and int",
		`trial.json.department < 2`:                      "",
		`trial.json.department matches "("`:              "-",
	} {
		c, err := compile(text, Postcondition)
		if err != nil {
			if want != "-" {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		holds, err := c.holds(context.Background(), s.variables())
		switch {
		case want == "true" || want == "false":
			if err != nil || fmt.Sprint(holds) != want {
				t.Errorf("%s: %v, %v; want %s", text, holds, err, want)
			}
		case err == nil || holds || !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v, %v; want an error with %q", text, holds, err, want)
		}
	}
}

// Every field that is not recorded makes each comparison an error, and none a pass.
func TestUnknownNeverPasses(t *testing.T) {
	s := subjectOf(&trial.Trial{Steps: []trial.Step{{}}})
	for _, c := range []struct {
		kind   Kind
		fields func() []string
		prefix string
	}{
		{Postcondition, func() (names []string) {
			for name := range whole() {
				names = append(names, name)
			}
			return names
		}, "trial."},
		{Invariant, func() (names []string) {
			for name := range step() {
				names = append(names, name)
			}
			return names
		}, "step."},
	} {
		for _, name := range c.fields() {
			known := map[string]bool{"trial.error": true, "trial.steps": true, "step.index": true,
				"step.tool": true, "step.error": true}
			if known[c.prefix+name] {
				continue
			}
			for _, form := range []string{"%s == %s", "%s != %s", "not (%s == %s)", "%s in [%s]", "%s not in [%s]",
				"type(%s) == type(%s)"} {
				field := c.prefix + name
				compiled, err := compile(fmt.Sprintf(form, field, field), c.kind)
				if err != nil {
					t.Fatal(err)
				}
				if holds, err := compiled.holds(context.Background(), s.atStep(0)); err == nil {
					t.Errorf("%s: %v", compiled.text, holds)
				}
			}
		}
	}
}

func TestConditionsThatDoNotCompile(t *testing.T) {
	deep := strings.Repeat("(", 4000) + "true" + strings.Repeat(")", 4000)
	for _, c := range []struct {
		kind Kind
		text string
		want string
	}{
		{Postcondition, `trial.cost_usd <`, "is no condition: unexpected token EOF"},
		{Postcondition, `trial.cst_usd < 1`, `has no field "cst_usd"`},
		{Postcondition, `trail.cost_usd < 1`, `has no variable or function "trail"`},
		{Postcondition, `step.tool == "x"`, `has no variable or function "step"`},
		{Postcondition, `trial.cost_usd < "1"`, "is no condition: invalid operation: < (mismatched types float"},
		{Postcondition, `trial.cost_usd`, "is no condition: expected bool, but got float"},
		{Postcondition, `trial.steps.tool == "x"`, "is no condition"},
		{Postcondition, `1 + 1`, "is no condition: expected bool"},
		{Postcondition, ``, "is no condition: unexpected token EOF"},
		{Precondition, `trial.output == ""`, `has field "output" in a precondition`},
		{Postcondition, `now() > now()`, `has no variable or function "now"`},
		{Postcondition, `repeat("x", 1000000000) == ""`, `has no variable or function "repeat"`},
		{Postcondition, `len(toJSON(trial)) > 1`, `has no variable or function "toJSON"`},
		{Postcondition, `trial.output matches "("`, "is no condition: error parsing regexp"},
		{Postcondition, `true` + strings.Repeat(" and true", 700), "has more than 1000 parts"},
		{Postcondition, strings.Repeat("x", maxConditionBytes+1), "is longer than 10000 bytes"},
		{Postcondition, deep[:maxConditionBytes-2000], "is no condition"},
		{Postcondition, "\x00", "is no condition"},
		{Postcondition, "evaluation state == 1", "is no condition"},
	} {
		compiled, err := compile(c.text, c.kind)
		if err == nil || compiled != nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.80q: %v, want %s", c.text, err, c.want)
		}
	}
}

// Hostile conditions end with an error within the bounds.
func TestHostileConditionsEnd(t *testing.T) {
	long := example()
	long.Output = trial.RawString(strings.Repeat("x", 1<<20))
	for range 2000 {
		long.Steps = append(long.Steps, trial.Step{Action: trial.Reason, Output: trial.RawString("y")})
	}
	s := subjectOf(long)
	doubling := `let a = trial.output; `
	last := "a"
	for i := range 12 {
		next := fmt.Sprintf("b%d", i)
		doubling += fmt.Sprintf("let %s = %s + %s; ", next, last, last)
		last = next
	}
	for name, c := range map[string]struct{ text, want string }{
		"loops": {`all(trial.steps, all(trial.steps, all(trial.steps, true)))`,
			"takes more than 1000000 iterations"},
		"loops on numbers": {`all(1..900, all(1..900, all(1..900, # > 0)))`,
			"takes more than 1000000 iterations|lists that are too long"},
		"allocates":     {`len(map(1..900, map(1..900, map(1..900, 1)))) > 1`, "too long|iterations"},
		"long range":    {`len(1..1000000000) > 1`, "makes lists that are too long"},
		"wrapped range": {`len(-9223372036854775807..9223372036854775807) > 1`, "-"},
		"doubles text":  {doubling + `len(` + last + `) > 0`, "makes texts that are too long"},
		"copies text":   {`len(map(trial.steps, lower(trial.output))) > 0`, "makes texts that are too long"},
		"deep lists":    {`len([` + strings.Repeat("[", 200) + `1` + strings.Repeat("]", 200) + `]) == 1`, "-"},
		"no bool":       {`trial.json[0]`, ""},
		"searches much": {`none(trial.steps, any(trial.steps, trial.output matches "(x+x+)+y|z"))`,
			"takes longer than 2s|iterations"},
	} {
		compiled, err := compile(c.text, Postcondition)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ctx, cancel := context.WithTimeoutCause(context.Background(), maxTime,
			fmt.Errorf("takes longer than %v", maxTime))
		holds, err := compiled.holds(ctx, s.variables())
		cancel()
		if c.want == "-" {
			continue
		}
		fits := err != nil && strings.Contains(err.Error(), "takes longer than 2s") // on a slow machine
		for _, want := range strings.Split(c.want, "|") {
			fits = fits || err != nil && strings.Contains(err.Error(), want)
		}
		if !fits || holds {
			t.Errorf("%s: %v, %v; want %s", name, holds, err, c.want)
		}
	}
}

func TestConditionsEndWithTheContext(t *testing.T) {
	c, err := compile("true", Postcondition)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	loop, err := compile(`all(1..100000, all(trial.steps, true))`, Postcondition)
	if err != nil {
		t.Fatal(err)
	}
	s := subjectOf(example())
	if holds, err := loop.holds(ctx, s.variables()); err == nil || holds {
		t.Errorf("%v %v", holds, err)
	}
	if holds, err := c.holds(context.Background(), s.variables()); err != nil || !holds {
		t.Errorf("%v %v", holds, err)
	}
}

func FuzzCondition(f *testing.F) {
	for _, text := range []string{
		`trial.cost_usd < 1`, `all(trial.steps, .tool != "x")`, `trial.model ?? "x" == "y"`,
		`let a = 1; a + 1 == 2`, `1..3 == [1,2,3]`, `"a" + "b" == "ab"`,
		`previous[0].tool == step.tool`, `trial?.json?.a == nil`, `sum([1,2], # + 1) > 2`,
		`{"a": 1}.a == 1 ? true : false`, `$env == nil`,
	} {
		f.Add(text)
	}
	s := subjectOf(example())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := compile(text, Invariant)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), maxTime)
		defer cancel()
		if holds, err := c.holds(ctx, s.atStep(1)); err != nil && (holds || err.Error() == "") {
			t.Errorf("%s: %v %v", text, holds, err)
		}
	})
}
