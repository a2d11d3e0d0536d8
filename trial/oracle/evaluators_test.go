package oracle

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// traced is a trial of which everything is known.
func traced() *trial.Trial {
	return &trial.Trial{
		Scenario:        "payment-failed",
		DurationSeconds: trial.Some(150.0),
		CostUSD:         trial.Some(0.42),
		InputTokens:     trial.Some(int64(70000)),
		OutputTokens:    trial.Some(int64(5000)),
		Output:          trial.Raw(`{"department":"billing","priority":2.0,"items":[{"price":9.5},{"price":null}],"a.b":true}`),
		Steps: []trial.Step{
			{Action: trial.Reason},
			{Action: trial.CallTool, Tool: "search"},
			{Action: trial.CallTool, Tool: "lookup", Error: "not found"},
			{Action: trial.CallTool, Tool: "search"},
			{Action: trial.Respond},
		},
	}
}

func printed(text string) *trial.Trial {
	return &trial.Trial{Scenario: "s", Output: trial.RawString(text)}
}

// made unwraps what a constructor returns.
func made(t *testing.T) func(Evaluator, error) Evaluator {
	return func(v Evaluator, err error) Evaluator {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func path(t *testing.T, text string) Path {
	t.Helper()
	if text == "" {
		return Path{}
	}
	p, err := ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEvaluators(t *testing.T) {
	must, at := made(t), func(text string) Path { return path(t, text) }
	unknown := trial.Optional[float64]{}
	schema := trial.Raw(`{"type":"object","required":["department"],"properties":{"department":{"enum":["billing"]},"priority":{"type":"integer"}}}`)
	for _, c := range []struct {
		name      string
		evaluator Evaluator
		trial     *trial.Trial
		outcome   trial.Outcome
		score     float64
		text      string
	}{
		{"a text", must(Equals(at(""), trial.Raw(`"billing"`))), printed("billing"), trial.Pass, 1,
			`the output equals "billing"`},
		{"another text", must(Equals(at(""), trial.Raw(`"billing"`))), printed("billing\n"), trial.Fail, 0,
			`the output is "billing\n", not "billing"`},
		{"a member", must(Equals(at("department"), trial.Raw(`"billing"`))), traced(), trial.Pass, 1,
			`department equals "billing"`},
		{"a member of JSON that was printed", must(Equals(at("department"), trial.Raw(`"billing"`))),
			printed(`{"department": "billing"}`), trial.Pass, 1, `department equals "billing"`},
		{"another member", must(Equals(at("department"), trial.Raw(`"sales"`))), traced(), trial.Fail, 0,
			`department is "billing", not "sales"`},
		{"a number by value", must(Equals(at("priority"), trial.Raw(`2`))), traced(), trial.Pass, 1,
			`priority equals 2`},
		{"a number that was printed", must(Equals(at(""), trial.Raw(`42`))), printed("42.0"), trial.Pass, 1,
			`the output equals 42`},
		{"a number is no text", must(Equals(at("priority"), trial.Raw(`"2.0"`))), traced(), trial.Fail, 0,
			`priority is 2.0, not "2.0"`},
		{"an object in another order", must(Equals(at(""), trial.Raw(`{"b":[1,null],"a":1e1}`))),
			printed(`{"a":10,"b":[1.0,null]}`), trial.Pass, 1, `the output equals {"a":1e1,"b":[1,null]}`},
		{"a member too many", must(Equals(at(""), trial.Raw(`{"a":1}`))), printed(`{"a":1,"b":2}`), trial.Fail, 0,
			`the output is {"a":1,"b":2}, not {"a":1}`},
		{"a missing member", must(Equals(at("items[7].price"), trial.Raw(`1`))), traced(), trial.Fail, 0,
			`items[7].price is missing from the output`},
		{"a path into plain text", must(Equals(at("department"), trial.Raw(`1`))), printed("billing"), trial.Fail,
			0, `the output is not JSON`},
		{"JSON and more", must(Equals(at("a"), trial.Raw(`1`))), printed(`{"a":1} ok`), trial.Fail, 0,
			`the output is not one JSON value`},
		{"a number that takes a gigabyte", must(Equals(at("a"), trial.Raw(`1`))), printed(`{"a":1e999999999}`),
			trial.Fail, 0, `the output holds a number that is out of range`},
		{"no output", must(Equals(at(""), trial.Raw(`1`))), &trial.Trial{}, trial.Error, 0,
			`the output is not recorded`},

		{"contains", must(Contains(at(""), "billing", TextOptions{})), printed("to billing now"), trial.Pass, 1,
			`the output contains "billing"`},
		{"contains, in JSON", must(Contains(at(""), `"billing"`, TextOptions{})), traced(), trial.Pass, 1,
			`the output contains "` + `"billing"` + `"`},
		{"contains, of another case", must(Contains(at("department"), "Bill", TextOptions{})), traced(), trial.Fail,
			0, `department does not contain "Bill": "billing"`},
		{"contains, whatever the case", must(Contains(at("department"), "BiLL", TextOptions{IgnoreCase: true})),
			traced(), trial.Pass, 1, `department contains "BiLL"`},
		{"contains, escapes", must(Contains(at(""), "x", TextOptions{})), printed("\x1b[2J"), trial.Fail, 0,
			`the output does not contain "x": "\x1b[2J"`},
		{"not-contains", must(NotContains(at(""), "sorry", TextOptions{})), printed("done"), trial.Pass, 1,
			`the output does not contain "sorry"`},
		{"not-contains, but does", must(NotContains(at(""), "sorry", TextOptions{})), printed("so sorry"),
			trial.Fail, 0, `the output contains "sorry"`},
		{"not-contains, nothing there", must(NotContains(at("nothing"), "sorry", TextOptions{})), traced(),
			trial.Fail, 0, `nothing is missing from the output`},
		{"not-contains, no output", must(NotContains(at(""), "sorry", TextOptions{})), &trial.Trial{}, trial.Error,
			0, `the output is not recorded`},
		{"regex", must(Regex(at(""), `#\d+`)), printed("order #123."), trial.Pass, 1, `the output matches with "#123"`},
		{"regex, no match", must(Regex(at("department"), `^s`)), traced(), trial.Fail, 0,
			`department does not match "^s": "billing"`},

		{"exists", must(Exists(at("items[0].price"))), traced(), trial.Pass, 1, `items[0].price is 9.5`},
		{"exists, null", must(Exists(at("items[1].price"))), traced(), trial.Pass, 1, `items[1].price is null`},
		{"exists, a quoted name", must(Exists(at(`["a.b"]`))), traced(), trial.Pass, 1, `["a.b"] is true`},
		{"exists not", must(Exists(at("items[2]"))), traced(), trial.Fail, 0, `items[2] is missing from the output`},

		{"range", must(Range(at("items[0].price"), trial.Some(9.5), trial.Some(10.0))), traced(), trial.Pass, 1,
			`items[0].price is 9.5, within the range`},
		{"range, below", must(Range(at("items[0].price"), trial.Some(9.75), unknown)), traced(), trial.Fail, 0,
			`items[0].price is 9.5, below 9.75`},
		{"range, above", must(Range(at(""), unknown, trial.Some(1.0))), printed(" 2 \n"), trial.Fail, 0,
			`the output is 2, above 1`},
		{"range, no number", must(Range(at("department"), trial.Some(0.0), unknown)), traced(), trial.Fail, 0,
			`department is "billing", not a number`},
		{"range, a NaN", must(Range(at(""), trial.Some(0.0), unknown)), printed("NaN"), trial.Fail, 0,
			`the output is "NaN", not a number`},

		{"json-schema", must(JSONSchema(at(""), schema)), traced(), trial.Pass, 1, `the output fits the schema`},
		{"json-schema of what was printed", must(JSONSchema(at(""), schema)), printed(`{"department":"sales"}`),
			trial.Fail, 0, `the output does not fit the schema: at /department: value must be 'billing'`},
		{"json-schema of a member", must(JSONSchema(at("items"), trial.Raw(`{"maxItems":1}`))), traced(),
			trial.Fail, 0, `items does not fit the schema: maxItems: got 2, want 1`},

		{"must-call", must(MustCall([]string{"lookup", "search"}, 0, ToolOptions{})), traced(), trial.Pass, 1,
			`called: lookup, search`},
		{"must-call, one missing", must(MustCall([]string{"refund", "search"}, 1, ToolOptions{})), traced(), trial.Fail, 0.5,
			`refund was not called`},
		{"must-call, too few", must(MustCall([]string{"search"}, 3, ToolOptions{})), traced(), trial.Fail, 0,
			`search was called 2 of 3 times`},
		{"must-call, no steps", must(MustCall([]string{"search"}, 1, ToolOptions{})), printed("x"), trial.Error, 0,
			`the steps are not recorded`},
		{"must-call, none", must(MustCall([]string{"search"}, 1, ToolOptions{})), &trial.Trial{Steps: []trial.Step{}},
			trial.Fail,
			0, `search was not called`},
		{"must-not-call", must(MustNotCall([]string{"refund"}, ToolOptions{})), traced(), trial.Pass, 1,
			`not called: refund`},
		{"must-not-call, but did", must(MustNotCall([]string{"refund", "search"}, ToolOptions{})), traced(), trial.Fail, 0,
			`search was called (2 times)`},
		{"must-not-call, no steps", must(MustNotCall([]string{"refund"}, ToolOptions{})), printed("x"), trial.Error, 0,
			`the steps are not recorded`},
		{"tool-order", must(ToolOrder([]string{"search", "search"}, false, ToolOptions{})), traced(), trial.Pass, 1,
			`called: search, lookup, search`},
		{"tool-order, half", must(ToolOrder([]string{"lookup", "lookup"}, false, ToolOptions{})), traced(), trial.Fail, 0.5,
			`called: search, lookup, search; wanted in order: lookup, lookup`},
		{"tool-order, exact", must(ToolOrder([]string{"search", "lookup", "search"}, true, ToolOptions{})), traced(),
			trial.Pass,
			1, `called: search, lookup, search`},
		{"tool-order, exact, one beside", must(ToolOrder([]string{"search", "lookup"}, true, ToolOptions{})), traced(),
			trial.Fail,
			2. / 3, `called: search, lookup, search; wanted in order: search, lookup`},
		{"tool-order, no steps", must(ToolOrder([]string{"a"}, false, ToolOptions{})), printed("x"), trial.Error, 0,
			`the steps are not recorded`},

		{"max_steps", must(Budget(StepCount, 5)), traced(), trial.Pass, 1, `5 steps (within budget of 5)`},
		{"exit-code, unknown", must(ExitCode(0)), traced(), trial.Error, 0, `the exit code is not recorded`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.evaluator.Evaluate(t.Context(), Evidence{Trial: c.trial})
			want := Result{Evaluator: c.evaluator.Name(), Outcome: c.outcome, Text: c.text, Measure: got.Measure}
			if c.outcome != trial.Error {
				want.Score = trial.Some(c.score)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestExitCode(t *testing.T) {
	v := made(t)(ExitCode(0, 3))
	for code, want := range map[int]trial.Outcome{0: trial.Pass, 3: trial.Pass, 1: trial.Fail} {
		if got := v.Evaluate(t.Context(), Evidence{Trial: traced(), ExitCode: trial.Some(code)}); got.Outcome != want {
			t.Errorf("exit code %d: %v", code, got)
		}
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	inf, unknown := math.Inf(1), trial.Optional[float64]{}
	pass := made(t)(ExitCode(0))
	for _, c := range []struct {
		got  func() (Evaluator, error)
		want string
	}{
		{func() (Evaluator, error) { return Budget(TokenBudget, -1) },
			`max -1 must be a finite number that is not negative`},
		{func() (Evaluator, error) { return Budget(TokenBudget, inf) },
			`max +Inf must be a finite number that is not negative`},
		{func() (Evaluator, error) { return Budget(WallTime, math.NaN()) },
			`max NaN must be a finite number that is not negative`},
		{func() (Evaluator, error) { return Budget(Metric(99), 1) }, `metric 99 is not known`},
		{func() (Evaluator, error) { return Contains(Path{}, "", TextOptions{}) },
			`text is empty; every text contains an empty one`},
		{func() (Evaluator, error) { return Equals(Path{}, trial.Raw(`{`)) }, `value { is not JSON`},
		{func() (Evaluator, error) { return Regex(Path{}, "a(") },
			"pattern \"a(\" is not a regular expression: missing closing ): `a(`"},
		{func() (Evaluator, error) { return Exists(Path{}) }, `path is missing`},
		{func() (Evaluator, error) { return Range(Path{}, unknown, unknown) }, `min or max must be given`},
		{func() (Evaluator, error) { return Range(Path{}, trial.Some(2.0), trial.Some(1.0)) }, `min 2 is above max 1`},
		{func() (Evaluator, error) { return Range(Path{}, trial.Some(math.NaN()), unknown) },
			`min NaN must be a finite number`},
		{func() (Evaluator, error) { return JSONSchema(Path{}, trial.Raw(`[]`)) },
			`schema must be a mapping, or true or false`},
		{func() (Evaluator, error) { return MustCall(nil, 1, ToolOptions{}) }, `tools names no tool`},
		{func() (Evaluator, error) { return MustCall([]string{"a", "a"}, 1, ToolOptions{}) }, `tools "a" is named twice`},
		{func() (Evaluator, error) { return MustCall([]string{"a"}, -1, ToolOptions{}) }, `min -1 must not be negative`},
		{func() (Evaluator, error) { return MustNotCall([]string{""}, ToolOptions{}) }, `tools holds an empty name`},
		{func() (Evaluator, error) { return ToolOrder(nil, true, ToolOptions{}) }, `tools names no tool`},
		{func() (Evaluator, error) { return ExitCode() }, `exit-code names no code`},
		{func() (Evaluator, error) { return ExitCode(256) }, `exit-code 256 must be from 0 to 255`},
		{func() (Evaluator, error) { return All() }, `all has no evaluators`},
		{func() (Evaluator, error) { return Any(pass, nil) }, `any has an evaluator that is nil`},
		{func() (Evaluator, error) { return Not(nil) }, `not has an evaluator that is nil`},
		{func() (Evaluator, error) { return Weighted(0, Weight{pass, 1}) },
			`threshold 0 must lie above 0 and be at most 1`},
		{func() (Evaluator, error) { return Weighted(0.5, Weight{pass, 0}) }, `weight 0 must be a positive number`},
		{func() (Evaluator, error) { return Command(nil, CommandOptions{}) }, `command names no program`},
		{func() (Evaluator, error) { return Command([]string{"x"}, CommandOptions{Threshold: 2}) },
			`threshold 2 must lie above 0 and be at most 1`},
	} {
		v, err := c.got()
		if err == nil || v != nil {
			t.Errorf("%s: accepted", c.want)
		} else if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A schema never reads another document.
func TestSchemaReferencesStayInside(t *testing.T) {
	for _, reference := range []string{"https://example.com/s.json", "file:///etc/passwd", "other.json"} {
		if _, err := JSONSchema(Path{}, trial.Raw(`{"$ref":"`+reference+`"}`)); err == nil {
			t.Errorf("%s was accepted", reference)
		}
	}
	inside := trial.Raw(`{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}`)
	if v := made(t)(JSONSchema(Path{}, inside)); v.Evaluate(t.Context(),
		Evidence{Trial: &trial.Trial{Output: trial.Raw("1")}}).Outcome != trial.Pass {
		t.Error("a reference within the schema does not hold")
	}
}

func TestPaths(t *testing.T) {
	for text, want := range map[string]string{
		"":           `path "" is empty; write it like department or items[0].price`,
		".a":         `path ".a" has no name before a dot; write it like department or items[0].price`,
		"a.":         `path "a." has no name after a dot; write it like department or items[0].price`,
		"a.[0]":      `path "a.[0]" has no name after a dot; write it like department or items[0].price`,
		"a[x]":       `path "a[x]" has [x], which is not the number of an item; write it like department or items[0].price`,
		"a[-1]":      `path "a[-1]" has [-1], which is not the number of an item; write it like department or items[0].price`,
		"a[0":        `path "a[0" has [ without ]; write it like department or items[0].price`,
		"a]":         `path "a]" has ] without [; write it like department or items[0].price`,
		"a[0]b":      `path "a[0]b" has no dot after a bracket; write it like department or items[0].price`,
		`["a`:        `path "[\"a" has a quoted name that does not end; write it like department or items[0].price`,
		"[0][1].x":   "",
		`a["b.c"].d`: "",
	} {
		_, err := ParsePath(text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"a.b[0]", `["x"]`, "[0][1]", "a..b", "[", `["\`} {
		f.Add(seed)
	}
	document := map[string]any{"a": []any{map[string]any{"b": 1.0}}}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		if p.String() != text {
			t.Errorf("%q became %q", text, p)
		}
		p.Find(document) // must not panic
	})
}

func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.0,3e4]}`, `-0.0`, `"{\"a\":1}"`, `1e400`, `1e-999999999999`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := decode(text)
		if err != nil {
			return
		}
		again, err := decode([]byte(compact(value)))
		if err != nil || !Equal(value, again) {
			t.Errorf("%q does not equal itself: %v", text, err)
		}
	})
}
