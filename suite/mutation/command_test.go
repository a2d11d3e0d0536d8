package mutation

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// shell is an operator that is a script.
func shell(t *testing.T, script string) Command {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the operator needs a shell")
	}
	return Command{Name: "mine", Argv: []string{"sh", "-c", script}}
}

// A program makes mutants like any other operator, with IDs behind theirs.
func TestCommandMakesMutants(t *testing.T) {
	c := Configuration{Prompt: "Be kind.", Model: "m", Tools: []Tool{{[]byte(`{ "name" : "a" }`)}},
		Context: []Segment{{Raw: `"x y"`, JSON: true}}}
	command := shell(t, `read line; case "$line" in *'"prompt":"Be kind."'*) ;; *) exit 3;; esac
printf '%s' '[{"prompt":"Be mean."},{"prompt":"Be kind."},{"model":"n","tools":[{"name":"a"}]},{"context":["z"]}]'`)
	all, err := Mutants(context.Background(), c, Options{Commands: []Command{command}, Operators: []string{"own"}})
	if err != nil || len(all) != 3 { // one changes nothing
		t.Fatalf("%d mutants: %v", len(all), err)
	}
	for i, want := range []Configuration{
		{Prompt: "Be mean.", Model: "m", Tools: c.Tools, Context: c.Context},
		{Prompt: "Be kind.", Model: "n", Tools: c.Tools, Context: c.Context},
		{Prompt: "Be kind.", Model: "m", Tools: c.Tools, Context: []Segment{{Raw: `"z"`, JSON: true}}},
	} {
		got, err := all[i].Apply(c)
		if err != nil || len(got.Changed(want)) > 0 || all[i].Operator != "own.mine" || all[i].Class != ownClass {
			t.Errorf("%s makes\n%s: %v", all[i].ID, Diff(want, got), err)
		}
	}
	if _, err := all[0].Apply(Configuration{Prompt: "Be mean."}); !errors.Is(err, errNoSite) {
		t.Errorf("applied where it changes nothing: %v", err)
	}
}

// Whatever a program does wrong, the error names it and what it was.
func TestCommandsThatFail(t *testing.T) {
	c := Configuration{Prompt: "Be kind.", Model: "m"}
	for script, want := range map[string]string{
		`echo no >&2; exit 4`:               "the operator own.mine ended with exit status 4: no",
		`echo '{"prompt":'`:                 "printed what is no configuration",
		`echo '{"promt":"x"}'`:              `unknown field "promt"`,
		`echo '[null]'`:                     "configuration 1: it is null",
		`echo '{"prompt":"x","model":"n"}'`: "changes the prompt and model in configuration 1",
		`echo '{"prompt":"[[mutate]]"}'`:    "is never closed",
		`echo '{"tools":[3]}'`:              "tool 1: it is no JSON object",
		`kill -9 $$`:                        "ended with signal",
		`sleep 30`:                          "did not end within",
		`head -c 5000 /dev/zero`:            "printed more than 1000 bytes",
	} {
		command := shell(t, script)
		command.Timeout, command.MaxOutputBytes = 5*time.Second, 1000
		if strings.HasPrefix(script, "sleep") {
			command.Timeout = 50 * time.Millisecond
		}
		_, err := Mutants(context.Background(), c, Options{Commands: []Command{command}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
	_, err := Mutants(context.Background(), c, Options{Commands: []Command{{Name: "mine", Argv: []string{"./not-there"}}}})
	if err == nil || !strings.Contains(err.Error(), "cannot be run") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// What cannot be mutated, or is not known, is refused with a hint.
func TestRefused(t *testing.T) {
	for name, test := range map[string]struct {
		c    Configuration
		o    Options
		want string
	}{
		"a marker": {Configuration{Prompt: "a\n[[/mutate]]"}, Options{},
			"line 2 of the prompt: a marker closes what was not opened"},
		"a marker within": {Configuration{Prompt: "[[mutate]]\n[[mutate]]"}, Options{}, "line 2 of the prompt"},
		"no UTF-8":        {Configuration{Prompt: "\xff"}, Options{}, "the prompt is not UTF-8"},
		"too long": {Configuration{Prompt: strings.Repeat("a", MaxPromptBytes+1)}, Options{},
			"the prompt has more than 1048576 bytes"},
		"a tool": {Configuration{Tools: []Tool{{[]byte(`[]`)}}}, Options{}, "tool 1: it is no JSON object"},
		"an operator": {Configuration{}, Options{Operators: []string{"prompt.dorp"}},
			`"prompt.dorp" is neither an operator nor a class`},
		"too many changes": {Configuration{}, Options{Compose: 11}, "at most 10"},
	} {
		if _, err := Mutants(context.Background(), test.c, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := Mutants(context.Background(), Configuration{}, Options{Operators: []string{"prompt.dorp"}})
	if hint, ok := err.(interface{ Hint() string }); !ok || hint.Hint() != `did you mean "prompt.drop"?` {
		t.Errorf("the hint of %v", err)
	}
}

func TestUnmarked(t *testing.T) {
	for text, want := range map[string]string{
		"a":                                     "a",
		"a [[mutate]]b[[/mutate]] c":            "a b c",
		"a\n[[mutate]]\nb\n[[/mutate]]\nc\n":    "a\nb\nc\n",
		"a\n  [[mutate]]  \r\nb\r\n[[/mutate]]": "a\nb\r\n",
		"[[mut[[mutate]]ate]]":                  "",
		"[[x]]":                                 "[[x]]",
	} {
		if got := Unmarked(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The diff is that of diff -u, component by component.
func TestDiff(t *testing.T) {
	a := Configuration{Prompt: "a\nb\nc", Model: "m"}
	b := Configuration{Prompt: "a\nc", Model: "n"}
	const want = "--- a/prompt\n+++ b/prompt\n@@ -1,3 +1,2 @@\n a\n-b\n c\n--- a/model\n+++ b/model\n@@ -1,1 +1,1 " +
		"@@\n-m\n+n\n"
	if got := Diff(a, b); got != want {
		t.Errorf("%q", got)
	}
}
