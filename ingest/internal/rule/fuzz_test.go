package rule

import (
	"errors"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func FuzzPassRule(f *testing.F) {
	for _, text := range []string{"score>=0.5", `output~"a and b" or no-error`, "attribute:a.b = 1 and tool:x",
		`output=""""`, "score>=0.5 and no-error or tool:x"} {
		f.Add(text, "output", 0.5)
	}
	f.Fuzz(func(t *testing.T, text, output string, score float64) {
		r, err := ParsePass(text)
		if err != nil {
			if !errors.As(err, new(*Error)) || r.IsSet() || strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Fatalf("%T %q", err, err)
			}
			return
		}
		if !r.IsSet() || len(r.conditions) > mostConditions || r.String() != text {
			t.Fatalf("%q: %+v", text, r)
		}
		x := &trial.Trial{Score: trial.Some(score), Output: trial.RawString(output),
			Tags: []trial.Member{{Name: "a", Value: trial.Raw(`{"b":"1"}`)}}}
		if outcome, missing := r.Judge(x); outcome == trial.Error || (outcome == trial.Unjudged) != (missing != "") {
			t.Fatalf("%q: %v, %q", text, outcome, missing)
		}
	})
}

func FuzzScenarioRule(f *testing.F) {
	for _, text := range []string{"path", `path:(\w+)/run(?P<trial>\d+)`, "attribute:a.b",
		`regex:^(?P<scenario>.*)-(?P<variant>\d)$`, "regex:(a)(b)"} {
		f.Add(text, "a/b/run1.json")
	}
	f.Fuzz(func(t *testing.T, text, file string) {
		r, err := ParseScenario(text)
		if err != nil {
			if !errors.As(err, new(*Error)) || r.IsSet() || strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Fatalf("%T %q", err, err)
			}
			return
		}
		if again, err := ParseScenario(r.String()); err != nil || again.source != r.source || again.key != r.key ||
			again.groups != r.groups {
			t.Fatalf("%q is read again as %+v, %v", r, again, err)
		}
		x := trial.Trial{Scenario: "s", Place: trial.Place{File: file},
			Tags: []trial.Member{{Name: "a", Value: trial.Raw(`{"b":"c"}`)}}}
		if err := r.Apply(&x); err != nil {
			if !errors.As(err, new(*trial.FieldError)) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if err := x.ValidateRecord(); err != nil {
			t.Fatal(err)
		}
	})
}
