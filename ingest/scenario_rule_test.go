package ingest

import (
	"errors"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func mustScenarioRule(t testing.TB, text string) ScenarioRule {
	t.Helper()
	r, err := ParseScenarioRule(text)
	if err != nil {
		t.Fatal(err)
	}
	if r.String() != text {
		t.Errorf("%q is written %q", text, r)
	}
	return r
}

func TestScenarioRule(t *testing.T) {
	record := trial.Trial{
		Scenario: "refund-3", Variant: "base", Index: trial.Some(7),
		Place: trial.Place{File: "runs/gpt/task_12/run4.traj.json", Line: 2},
		Tags: []trial.Member{
			{Name: "task", Value: trial.Raw(`"pay"`)}, {Name: "n", Value: trial.Raw(`12`)},
			{Name: "a.b", Value: trial.Raw(`"dotted"`)},
			{Name: "metadata", Value: trial.Raw(`"{\"task\":{\"id\":\"inner\"},\"x.y\":true}"`)},
			{Name: "none", Value: trial.Raw(`null`)},
		},
		Extra: []trial.Member{{Name: "suite", Value: trial.Raw(`{"name":"retail","parts":[1]}`)},
			{Name: "task", Value: trial.Raw(`"hidden"`)}},
	}
	same := identity{record.Scenario, 7, record.Variant}
	for _, c := range []struct {
		rule string
		want identity
	}{
		{"path", identity{"run4", 7, "base"}},
		{`path:(task_\d+)/`, identity{"task_12", 7, "base"}},
		{`path:^runs/(?P<variant>[^/]+)/(?P<scenario>[^/]+)/run(?P<trial>\d+)`, identity{"task_12", 4, "gpt"}},
		{`path:([^/]+)/run(?P<trial>\d+)`, identity{"task_12", 4, "base"}},
		{`path:run(?P<trial>\d+)`, identity{"refund-3", 4, "base"}},
		{`path:(x)?(?P<scenario>run\d)(?P<variant>no)?`, identity{"run4", 7, "base"}},
		{"attribute:task", identity{"pay", 7, "base"}},
		{"attribute:n", identity{"12", 7, "base"}},
		{"attribute:a.b", identity{"dotted", 7, "base"}},
		{"attribute:metadata.task.id", identity{"inner", 7, "base"}},
		{"attribute:metadata.x.y", identity{"true", 7, "base"}},
		{"attribute:suite.name", identity{"retail", 7, "base"}},
		{`regex:^(.*)-\d+$`, identity{"refund", 7, "base"}},
		{`regex:^(?P<scenario>.*)-(?P<trial>\d+)$`, identity{"refund", 3, "base"}},
	} {
		x := record
		if err := mustScenarioRule(t, c.rule).rule.Apply(&x); err != nil {
			t.Errorf("%s: %v", c.rule, err)
		}
		if got := (identity{x.Scenario, x.Index.Value, x.Variant}); got != c.want {
			t.Errorf("%s: %v, want %v", c.rule, got, c.want)
		}
	}
	x := record
	if err := (ScenarioRule{}).rule.Apply(&x); err != nil || (identity{x.Scenario, x.Index.Value, x.Variant}) != same {
		t.Errorf("no rule: %v, %v", x, err)
	}

	const attributes = "its attributes are task, n, a.b, metadata, none, suite and 1 more"
	for rule, want := range map[string]string{
		"attribute:Task": `scenario is not found by the rule attribute:Task: there is no attribute "Task"; ` +
			attributes,
		"attribute:suite": `scenario is not found by the rule attribute:suite: there is no attribute "suite"; ` +
			attributes,
		"attribute:suite.parts": `scenario is not found by the rule attribute:suite.parts: there is no attribute "suite.parts"; ` + attributes,
		"attribute:none": `scenario is not found by the rule attribute:none: there is no attribute "none"; ` +
			attributes,
		"path:/(tau)/":           `scenario is not found by the rule path:/(tau)/: the pattern does not match the path "runs/gpt/task_12/run4.traj.json"; ` + attributes,
		"path:gpt(x)?/":          `scenario is not found by the rule path:gpt(x)?/: its group matches nothing of the path "runs/gpt/task_12/run4.traj.json"; ` + attributes,
		"regex:^(pay)":           `scenario is not found by the rule regex:^(pay): the pattern does not match the scenario "refund-3"; ` + attributes,
		`regex:(?P<trial>-\d+)$`: `trial "-3" is not a number from 0 on; let the group named trial match digits: (?P<trial>\d+)`,
		`regex:(?P<trial>[a-z])`: `trial "r" is not a number from 0 on; let the group named trial match digits: (?P<trial>\d+)`,
	} {
		x := record
		err := mustScenarioRule(t, rule).rule.Apply(&x)
		if want = "runs/gpt/task_12/run4.traj.json:2: " + want; err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", rule, err, want)
		}
	}
	for n, want := range []string{"the trial has no attributes", "its only attribute is task",
		"its attributes are task, n"} {
		err := mustScenarioRule(t, "attribute:none").rule.Apply(&trial.Trial{Tags: record.Tags[:n]})
		if err == nil || !strings.HasSuffix(err.Error(), "; "+want) {
			t.Errorf("%d attributes: %v, want %s", n, err, want)
		}
	}
}

type identity struct {
	scenario string
	index    int
	variant  string
}

func TestBadScenarioRules(t *testing.T) {
	const forms = "must be path, path:PATTERN, attribute:KEY or regex:PATTERN"
	for _, c := range []struct{ rule, want string }{
		{"", `rule "" is empty`},
		{"pth", `rule "pth" ` + forms},
		{"attribute", `rule "attribute" ` + forms},
		{"regex", `rule "regex" ` + forms},
		{"Path", `rule "Path" ` + forms},
		{"tag:task", `rule "tag:task" ` + forms},
		{"attribute:", `rule "attribute:" names no attribute; such as attribute:metadata.task_id`},
		{"attribute:a.b.c.d.e.f.g.h.i.j.k.l.m", `rule "attribute:a.b.c.d.e.f.g.h.i.j.k.l.m" has a key of more than 12 names`},
		{"path:", `rule "path:" has an empty pattern`},
		{"path:[a", `rule "path:[a" has a pattern that is not a regular expression: missing closing ]: [a; the syntax is RE2's, as in Go; \ takes the meaning of the next character away`},
		{"path:(a{9999})", `rule "path:(a{9999})" has a pattern that is not a regular expression: invalid repeat count: {9999}; the syntax is RE2's, as in Go; \ takes the meaning of the next character away`},
		{"path:[^/]+", `rule "path:[^/]+" has a pattern without a group; put what is the scenario in parentheses`},
		{"regex:(a)(b)", `rule "regex:(a)(b)" has 2 groups, and none is named; name the one that is the scenario (?P<scenario>…), or write (?:…) for the others`},
		{"path:(?P<task>a)", `rule "path:(?P<task>a)" has a group named "task"; the groups may be named scenario, trial and variant`},
		{"regex:(\xff)", `rule "regex:(\\xff)" is not UTF-8 text`},
		{strings.Repeat("x", 4097), `rule "` + strings.Repeat("x", 120) + `…" is longer than 4096 bytes`},
	} {
		r, err := ParseScenarioRule(c.rule)
		if e, ok := errors.AsType[*RuleError](err); !ok || e.Error() != c.want || r.rule.IsSet() {
			t.Errorf("%.40q:\n got %v\nwant %s", c.rule, err, c.want)
		}
	}
}

// The rule comes before the numbers: what it makes one scenario is counted as one.
func TestScenarioRuleInStreams(t *testing.T) {
	junit := `<testsuite><testcase classname="refund" name="a-1"/><testcase classname="refund" name="a-2"/></testsuite>`
	checkWritten(t, streamOf(junit, Options{Scenario: mustScenarioRule(t, `regex:^(\w+)\.`)}), `
1 {"scenario":"refund","trial":0,"outcome":"pass"}
1 {"scenario":"refund","trial":1,"outcome":"pass"}`)
	gotest := `{"Action":"pass","Package":"p","Test":"T/a"}` + "\n" + `{"Action":"fail","Package":"p","Test":"T/b"}`
	checkWritten(t, streamOf(gotest, Options{Scenario: mustScenarioRule(t, `regex:/(?P<variant>.)$`), AllVariants: true}), `
1 {"scenario":"p.T/a","trial":0,"variant":"a","outcome":"pass"}
2 {"scenario":"p.T/b","trial":0,"variant":"b","outcome":"fail"}`)
	checkWritten(t, streamOf("scenario,outcome,task\n,pass,t1\nx,fail,t2\n", Options{Scenario: mustScenarioRule(t, "attribute:task")}), `
2 {"scenario":"t1","outcome":"pass","tags":{"task":"t1"}}
3 {"scenario":"t2","outcome":"fail","tags":{"task":"t2"}}`)
	checkWritten(t, streamOf("pass\nfail\n", Options{Scenario: mustScenarioRule(t, "path"), Numbered: true}), `
1 {"scenario":"f","trial":0,"outcome":"pass"}
2 {"scenario":"f","trial":1,"outcome":"fail"}`)
	one := `{"scenario":"s","outcome":"pass","task":"t","output":"dropped"}`
	checkWritten(t, streamOf(one, Options{Scenario: mustScenarioRule(t, "attribute:task"), Options: trial.Options{Fields: trial.BasicFields}}), `
1 {"scenario":"t","outcome":"pass","task":"t"}`)
	tau := `[{"task_id":3,"reward":1,"trial":1,"traj":[]},{"task_id":4,"reward":0,"trial":0,"traj":[]}]`
	checkWritten(t, streamOf(tau, Options{Scenario: mustScenarioRule(t, "regex:(.*)")}), `
1 {"scenario":"3","trial":1,"outcome":"pass","score":1,"steps":[]}
1 {"scenario":"4","trial":0,"outcome":"fail","score":0,"steps":[]}`)
}
