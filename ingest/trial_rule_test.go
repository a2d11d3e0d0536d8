package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// numbersOf reads files and returns scenario#number and outcome of each trial.
func numbersOf(t *testing.T, rule string, files map[string]string) ([]string, error) {
	t.Helper()
	folder := t.TempDir()
	var names []string
	for _, name := range []string{"run-1/r.csv", "run-2/r.csv", "r.xml"} {
		text, given := files[name]
		if !given {
			continue
		}
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, path)
	}
	r, err := ParseTrialRule(rule)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for x, err := range Open(names, Options{Trial: r}).Trials(t.Context()) {
		if err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprintf("%s#%d %s", x.Scenario, x.Index.Value, x.Outcome))
	}
	return list, nil
}

func TestTrialRules(t *testing.T) {
	const (
		first  = "scenario,trial,outcome,run\na,1,pass,7\nb,1,pass,7\n"
		second = "scenario,trial,outcome,run\na,1,fail,8\nb,1,pass,8\n"
		junit  = `<testsuite name="s"><testcase classname="c" name="pay[3]"/><testcase classname="c" name="pay[x-4]"/>` +
			`<testcase classname="c" name="plain"/></testsuite>`
	)
	runs := map[string]string{"run-1/r.csv": first, "run-2/r.csv": second}
	for rule, want := range map[string][]string{
		"order":           {"a#0 pass", "b#0 pass", "a#1 fail", "b#1 pass"},
		`path:run-(\d+)`:  {"a#1 pass", "b#1 pass", "a#2 fail", "b#2 pass"},
		"attribute:run":   {"a#7 pass", "b#7 pass", "a#8 fail", "b#8 pass"},
		`path:([a-z]+)/r`: nil,
		"attribute:x":     nil,
		`path:nowhere(.)`: nil,
	} {
		got, err := numbersOf(t, rule, runs)
		if (err != nil) != (want == nil) || cmp.Diff(want, got) != "" {
			t.Errorf("%s: %v, %v", rule, got, err)
		}
	}
	for rule, want := range map[string][]string{
		`regex:\[(\d+)\]$`:             {"c.pay#3 pass", "c.pay[x-4]#0 pass", "c.plain#0 pass"},
		`regex:\[(x-)?(?P<trial>\d)\]`: {"c.pay#3 pass", "c.pay#4 pass", "c.plain#0 pass"},
		`regex:^.*(\d)\]$`:             nil, // which leaves nothing
	} {
		got, err := numbersOf(t, rule, map[string]string{"r.xml": junit})
		if (err != nil) != (want == nil) || cmp.Diff(want, got) != "" {
			t.Errorf("%s: %v, %v", rule, got, err)
		}
	}
	for rule, want := range map[string]string{
		"": "is empty", "first": "must be order,", "order:x": "must be order,", "path": "must be order,",
		"attribute:": "attribute",
		"regex:x":    "0 groups", `regex:(a)(b)`: "2 groups", "regex:(": "regular expression",
	} {
		if _, err := ParseTrialRule(rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", rule, err, want)
		}
	}
}
