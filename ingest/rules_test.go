package ingest

import (
	"errors"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

const unjudgedTrials = `{"scenario":"a","score":1,"steps":[{"action":"call_tool","tool":"book","output":"Error: no seat"}]}
{"scenario":"a","outcome":"fail","score":1,"steps":[]}
{"scenario":"b","steps":[{"action":"call_tool","tool":"book","output":"ok"}]}
{"scenario":"b","outcome":"error","score":1,"steps":[]}
`

func TestJudging(t *testing.T) {
	s := streamOf(unjudgedTrials, Options{Pass: mustPassRule(t, "score>=1"), Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"a","outcome":"pass","score":1,"steps":[{"action":"call_tool","tool":"book","output":"Error: no seat"}]}
2 {"scenario":"a","outcome":"fail","score":1,"steps":[]}
3 {"scenario":"b","steps":[{"action":"call_tool","tool":"book","output":"ok"}]}
4 {"scenario":"b","outcome":"error","score":1,"steps":[]}`)
	checkNotes(t, s, "f: 4 trials (trials); not judged by the rule: score unknown (1)")

	// What passed or failed is judged again, and then the rule alone counts; what
	// reached no verdict is not.
	s = streamOf(unjudgedTrials, Options{Pass: mustPassRule(t, "score>=1"), Rejudge: true,
		Options: trial.Options{Unjudged: true, Fields: trial.BasicFields}})
	checkWritten(t, s, `
1 {"scenario":"a","outcome":"pass","score":1}
2 {"scenario":"a","outcome":"pass","score":1}
3 {"scenario":"b"}
4 {"scenario":"b","outcome":"error","score":1}`)

	// Errors that are plain text are found before the rule looks for them.
	pattern, err := ParseErrorPattern("^Error:")
	if err != nil {
		t.Fatal(err)
	}
	s = streamOf(unjudgedTrials, Options{ToolErrors: pattern, Pass: mustPassRule(t, "no-error"),
		Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"a","outcome":"fail","score":1,"steps":[{"action":"call_tool","tool":"book","output":"Error: no seat","error":"Error: no seat"}]}
2 {"scenario":"a","outcome":"fail","score":1,"steps":[]}
3 {"scenario":"b","outcome":"pass","steps":[{"action":"call_tool","tool":"book","output":"ok"}]}
4 {"scenario":"b","outcome":"error","score":1,"steps":[]}`)
	checkNotes(t, s, "f: 4 trials (trials); tool outputs that the pattern takes for errors: 1")

	// A table needs no column for the outcome if a rule judges.
	checkWritten(t, streamOf("scenario,reward\na,1\nb,0\nc,\n", Options{Pass: mustPassRule(t, "attribute:reward=1"), Options: trial.Options{Unjudged: true}}), `
2 {"scenario":"a","outcome":"pass","tags":{"reward":"1"}}
3 {"scenario":"b","outcome":"fail","tags":{"reward":"0"}}
4 {"scenario":"c"}`)
}

func TestUnjudgedIsRefused(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{`{"scenario":"a"}`, Options{}, `f:1: outcome is missing; it must be pass, fail or error`},
		{`{"scenario":"a","score":1}`, Options{},
			`f:1: outcome is missing; there is a score: give the least score that passes with PassScore, or write the outcome`},
		{`{"scenario":"a"}`, Options{Pass: mustPassRule(t, "score>=1")},
			`f:1: outcome is missing, and the rule score>=1 does not tell: score unknown`},
		{"scenario,score\na,1\n", Options{},
			`f:2: outcome is missing; there is a score: give the least score that passes with PassScore, or write the outcome`},
		{`{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"steps":[]}`, Options{},
			`f:1: outcome is missing: atif does not say whether this trial passed`},
		{`{"task_name":"t","trial_name":"x","verifier_result":{"rewards":{"reward":0.5}}}`, Options{},
			`f:1: outcome is missing; there is a score: give the least score that passes with PassScore`},
	} {
		_, err := written(streamOf(c.text, c.o))
		if e, ok := errors.AsType[*UnjudgedError](err); !ok || e.Error() != c.want ||
			!errors.As(err, new(*trial.FieldError)) {
			t.Errorf("%s:\n got %T %v\nwant %s", c.text, err, err, c.want)
		}
	}
}

func TestSetVariant(t *testing.T) {
	s := streamOf(twoVariants, Options{SetVariant: "v", AllowDuplicates: true})
	checkWritten(t, s, `
1 {"scenario":"s","trial":0,"variant":"v","outcome":"pass"}
2 {"scenario":"s","trial":1,"variant":"v","outcome":"pass"}
3 {"scenario":"s","trial":0,"variant":"v","outcome":"fail"}
4 {"scenario":"s","trial":0,"variant":"v","outcome":"fail"}`)
	checkNotes(t, s, "f: 4 trials (trials); variants that were replaced: base, next")

	// What becomes one variant must not hold a trial twice.
	if _, err := written(streamOf(twoVariants, Options{SetVariant: "v"})); !errors.As(err, new(*trial.DuplicateError)) {
		t.Errorf("got %v", err)
	}
	checkWritten(t, streamOf(twoVariants, Options{AllVariants: true}), `
1 {"scenario":"s","trial":0,"variant":"base","outcome":"pass"}
2 {"scenario":"s","trial":1,"variant":"base","outcome":"pass"}
3 {"scenario":"s","trial":0,"variant":"next","outcome":"fail"}
4 {"scenario":"s","trial":0,"outcome":"fail"}`)
}

func TestNumbered(t *testing.T) {
	text := "scenario,trial,outcome\na,,pass\nb,,pass\na,5,fail\na,,pass\n"
	checkWritten(t, streamOf(text, Options{Numbered: true}), `
2 {"scenario":"a","trial":0,"outcome":"pass"}
3 {"scenario":"b","trial":0,"outcome":"pass"}
4 {"scenario":"a","trial":5,"outcome":"fail"}
5 {"scenario":"a","trial":6,"outcome":"pass"}`)
}

func TestStrict(t *testing.T) {
	junit := `<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>`
	checkWritten(t, streamOf(junit, Options{Strict: true}), `1 {"scenario":"a","trial":0,"outcome":"pass"}`)

	tau := `[{"task_id":3,"reward":1,"trial":1,"traj":[{"role":"oracle"},{"role":"oracle"}]},{"reward":1},{"reward":1}]`
	got, err := written(streamOf(tau, Options{From: "tau-bench", Strict: true}))
	want := "f: not read: messages of an unknown role (2), records without a task (2)"
	e, ok := errors.AsType[*UnreadError](err)
	if !ok || e.Error() != want || len(e.Files) != 1 {
		t.Errorf("got %v, want %s", err, want)
	}
	if got != `1 {"scenario":"3","trial":1,"outcome":"pass","score":1,"steps":[]}`+"\n" {
		t.Errorf("the trials before the error: %s", got)
	}
	names := make([]string, 6)
	for i := range names {
		names[i] = file(t, "t.json", `[{"task_id":`+string(rune('0'+i))+`,"reward":1,"trial":0,"traj":[{"role":"oracle"}]}]`)
	}
	_, err = written(Open(names, Options{From: "tau-bench", Strict: true}))
	one := ": not read: messages of an unknown role (1); "
	want = names[0] + one + names[1] + one + names[2] + one + names[3] + one + "and 2 more files"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestErrorPattern(t *testing.T) {
	p, err := ParseErrorPattern(`(?i)^error`)
	if err != nil || p.String() != `(?i)^error` || (ErrorPattern{}).String() != "" {
		t.Fatalf("%v, %v", p, err)
	}
	x := &trial.Trial{Steps: []trial.Step{
		{Action: trial.CallTool, Output: trial.RawString("ERROR: x")},
		{Action: trial.CallTool, Output: trial.RawString("ERROR: y"), Error: "z"},
		{Action: trial.Respond, Output: trial.RawString("error")},
		{Action: trial.CallTool, Output: trial.Raw(`{"error":1}`)},
		{Action: trial.CallTool},
	}}
	if n := p.pattern.Apply(x); n != 1 || x.Steps[0].Error != "ERROR: x" || x.Steps[1].Error != "z" ||
		x.Steps[2].Error+x.Steps[3].Error+x.Steps[4].Error != "" {
		t.Errorf("%d: %+v", n, x.Steps)
	}
	for text, want := range map[string]string{
		"":  `rule "" is empty`,
		"*": `rule "*" has a pattern that is not a regular expression: missing argument to repetition operator: *; the syntax is RE2's, as in Go; \ takes the meaning of the next character away`,
	} {
		if _, err := ParseErrorPattern(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzErrorPattern(f *testing.F) {
	f.Add("^Error", "Error: x")
	f.Add("(", "(")
	f.Fuzz(func(t *testing.T, text, output string) {
		p, err := ParseErrorPattern(text)
		if err != nil {
			if !errors.As(err, new(*RuleError)) {
				t.Fatalf("%T", err)
			}
			return
		}
		x := &trial.Trial{Scenario: "s", Steps: []trial.Step{{Action: trial.CallTool, Output: trial.RawString(output)}}}
		if n := p.pattern.Apply(x); (n == 1) != (x.Steps[0].Error != "") {
			t.Fatalf("%d, %q", n, x.Steps[0].Error)
		}
		if err := x.ValidateRecord(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestRulesThatDoNotGoTogether(t *testing.T) {
	variant := mustScenarioRule(t, "path:(?P<variant>f)")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{SetVariant: "v", Scenario: variant}, "variant v is given, and the scenario rule has a group for it"},
		{Options{SetVariant: "\xff"}, `variant \xff is not UTF-8 text`},
		{Options{Rejudge: true}, "rejudge true needs a pass rule"},
		{Options{Pass: mustPassRule(t, "no-error"), Options: trial.Options{PassScore: trial.Some(0.5)}},
			"pass score 0.5 does not go with a pass rule: write score>= in the rule"},
	} {
		_, err := written(streamOf("pass\n", c.o))
		if e, ok := errors.AsType[*trial.OptionError](err); !ok || e.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
