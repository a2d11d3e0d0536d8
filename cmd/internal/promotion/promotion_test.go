package promotion

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// loaded is a suite with this text.
func loaded(t *testing.T, text string) *suite.Suite {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tribunal.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := suite.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// recorded is a trial from its line.
func recorded(t *testing.T, line string) *trial.Trial {
	t.Helper()
	x, err := trial.Decode([]byte(line), trial.Options{Unjudged: true})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const head = "version: 1\nname: s # mine\nlimits: none\nagent: {command: [agent]}\ntest: {threshold: 0.8, delta: 0.3}\n"

// Wherever the list stands, and however far it is indented, a scenario comes behind the last one, and no other line
// changes. What comes of it is read as a suite.
func TestScenariosAreAddedBehindTheLast(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		behind string // the last line before the new one
	}{
		"at the end":  {head + "scenarios:\n  - name: a\n    input: 1\n", "    input: 1"},
		"no line end": {head + "scenarios:\n  - name: a\n    input: 1", "    input: 1"},
		"not indented": {head + "scenarios:\n- name: a\n- name: b\n  evaluate: [contains: x]\nseed: 3\n",
			"  evaluate: [contains: x]"},
		"comments and lines": {head +
			"scenarios:\n  - name: a # first\n    evaluate:\n\n      - contains: x\n\n# the end\nseed: 3\n",
			"      - contains: x"},
		"a text of lines": {head + "scenarios:\n  - name: a\n    input: |\n      one\n\n      two\nseed: 3\n",
			"      two"},
		"in one line each": {head + "scenarios:\n   - {name: a}\n   - {name: b, input: {\n      x: 1}}\nseed: 3\n",
			"      x: 1}}"},
	} {
		s := loaded(t, c.text)
		p, err := New(s, recorded(t,
			`{"scenario":"z","outcome":"fail","input":{"n":12345678901234567890,"t":"a\u2028: #b"}}`),
			Options{Name: "made: \"it\"", From: "f"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		before := strings.Split(strings.TrimSuffix(c.text, "\n"), "\n")
		after := strings.Split(strings.TrimSuffix(string(p.Suite.Text), "\n"), "\n")
		if got := after[p.Suite.Line-1]; got != c.behind {
			t.Errorf("%s: it is behind %q", name, got)
		}
		rest := append(append([]string{}, after[:p.Suite.Line]...), after[p.Suite.Line+len(p.Suite.Lines):]...)
		if diff := cmp.Diff(before, rest); diff != "" {
			t.Errorf("%s: other lines changed: %s", name, diff)
		}
		again := loaded(t, string(p.Suite.Text))
		last := again.Scenarios[len(again.Scenarios)-1]
		if last.Name != "made: \"it\"" || len(again.Scenarios) != len(s.Scenarios)+1 {
			t.Errorf("%s: %+v", name, last)
		}
		if want := `{"n":12345678901234567890,"t":"a` + "\u2028" + `: #b"}`; last.Input.Text() != want {
			t.Errorf("%s: the input is %s", name, last.Input.Text())
		}
	}
}

func TestWhatBecomesNoScenario(t *testing.T) {
	whole := `{"scenario":"z","outcome":"fail","input":1}`
	for want, c := range map[string]struct{ text, trial string }{
		"has a scenario \"new\"":    {head + "scenarios:\n  - name: new\n", whole},
		"tell what it was given":    {head + "scenarios:\n  - name: a\n", `{"scenario":"z","outcome":"fail"}`},
		"has no list of scenarios":  {head + "scenarios: [{name: a}]\n", whole},
		"do not begin with a dash ": {head + "scenarios:\n  -\n    name: a\n", whole},
	} {
		_, err := New(loaded(t, c.text), recorded(t, c.trial), Options{Name: "new"})
		if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Message(), want) || e.Hint() == "" {
			t.Errorf("want %q, not %v", want, err)
		}
	}
}

// A trial is judged as the scenario that it is of, by what it called where it passed, and else by a person.
func TestWhatJudgesIt(t *testing.T) {
	s := loaded(t, head+"scenarios:\n  - name: a\n    evaluate:\n      - contains: {value: x, ignore_case: true}\n      "+
		"- must-call: t\n")
	for _, c := range []struct{ trial, want string }{
		{`{"scenario":"a","outcome":"fail","input":1}`,
			`  evaluate: [{"contains":{"ignore_case":true,"value":"x"}},{"must-call":"t"}]`},
		{`{"scenario":"b","outcome":"pass","input":1,"steps":[{"action":"call_tool","tool":"v"},{"action":"call_tool","tool":"u"},{"action":"call_tool","tool":"w","error":"gone"}]}`, `  evaluate: [{"must-call":["u","v"]}]`},
		{`{"scenario":"b","outcome":"fail","input":1,"steps":[{"action":"call_tool","tool":"v"}]}`,
			`  expect: {status: completed} # a person says what a good answer is: evaluate: [...]`},
	} {
		p := &Promotion{}
		text, err := yamlnode.Read(s.File)
		if err != nil {
			t.Fatal(err)
		}
		root, err := yamlnode.Parse(s.File, "suite", text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.judged(root, recorded(t, c.trial)); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %q, not %q", c.trial, got, c.want)
		}
		if len(p.Notes) != 1 {
			t.Errorf("notes %q", p.Notes)
		}
	}
}

// The answers of a model are turns of a script, which can be read.
func TestScriptOfATrial(t *testing.T) {
	for name, c := range map[string]struct {
		steps string
		want  []string // lines with a turn
	}{
		"on the wire": {`{"action":"reason","output":"I look","input_tokens":10,"output_tokens":2,"cached_tokens":4},{"action":"call_tool","tool":"t","arguments":{"id":7},"output":"a\nb"},{"action":"call_tool","tool":"u","arguments":"*** Begin","error":"gone"},{"action":"respond","output":"done"}`, []string{
			`  - {"calls":[{"arguments":{"id":7},"tool":"t"},{"input":"*** Begin","tool":"u"}],"text":"I look","tokens":{"cached":4,"in":10,"out":2}}`,
			`    # t returned: a\nb`, `    # u failed: gone`, `  - {"text":"done"}`}},
		"calls alone": {`{"action":"call_tool","tool":"t"},{"action":"call_tool","tool":"u","arguments":{}}`, []string{
			`  - {"calls":[{"tool":"t"}]}`, `  - {"calls":[{"tool":"u"}]}`, `  - {"text":"the end"}`}},
		"arguments as a text": {`{"action":"reason"},{"action":"call_tool","tool":"t","arguments":"{\"id\":7}"},{"action":"respond"}`, []string{
			`  - {"calls":[{"arguments":"{\"id\":7}","tool":"t"}]}`, `  - {"text":"the end"}`}},
	} {
		made := answers(recorded(t, `{"scenario":"a","outcome":"fail","output":"the end","steps":[`+c.steps+`]}`))
		_, after, _ := strings.Cut(string(made), "turns:\n")
		if diff := cmp.Diff(strings.Join(c.want, "\n")+"\n", after); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		file := filepath.Join(t.TempDir(), "script.yaml")
		if err := os.WriteFile(file, made, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := script.Load(file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := answers(recorded(t, `{"scenario":"a","outcome":"fail"}`)); got != nil {
		t.Errorf("a script of no steps: %s", got)
	}
}
