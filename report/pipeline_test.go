package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/joshdk/go-junit"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// What another program reads in the JUnit XML of a run with a test of each verdict.
func TestJUnitIsReadByAnotherParser(t *testing.T) {
	r := mixedRun(t)
	for _, c := range []struct {
		options Options
		want    []string
		totals  [4]int // passed, skipped, failed, errors
	}{
		{Options{}, []string{"shop refund failed", "shop greeting passed", "shop address skipped"}, [4]int{1, 1, 1, 0}},
		{Options{InconclusiveFails: true}, []string{"shop refund failed", "shop greeting passed", "shop address failed"},
			[4]int{1, 0, 2, 0}},
	} {
		var text bytes.Buffer
		if err := Write(&text, r, jUnitFormat, c.options); err != nil {
			t.Fatal(err)
		}
		suites, err := junit.Ingest(text.Bytes())
		if err != nil || len(suites) != 1 {
			t.Fatalf("%d suites: %v", len(suites), err)
		}
		var got []string
		for _, test := range suites[0].Tests {
			got = append(got, fmt.Sprintf("%s %s %s", test.Classname, test.Name, test.Status))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
		all := suites[0].Totals
		if got := [4]int{all.Passed, all.Skipped, all.Failed, all.Error}; got != c.totals {
			t.Errorf("the totals are %v, want %v", got, c.totals)
		}
		if p := suites[0].Properties["verdict"]; p != "fail" {
			t.Errorf("the property verdict is %q", p)
		}
		if text := text.String(); !strings.Contains(text,
			fmt.Sprintf(`<property name="passes" value="%d">`, r.Tests[0].Passes)) {
			t.Error("the first case does not say how many passed")
		}
		if !strings.Contains(text.String(), "limit max_turns: ") {
			t.Error("no case tells of its limits")
		}
	}
}

// Errors that keep a test from a verdict are errors, not failures.
func TestJUnitErrors(t *testing.T) {
	r := mixedRun(t)
	r.Tests[2].Verdict, r.StoppedBy = verdict.Inconclusive, runs.StoppedByErrors
	suites, err := junit.Ingest([]byte(written(t, r, jUnitFormat)))
	if err != nil {
		t.Fatal(err)
	}
	if s := suites[0].Tests[2].Status; s != junit.StatusError {
		t.Errorf("a test that could not be run is %s", s)
	}
}

// Our own readers make trials of the same outcomes of both documents.
func TestDocumentsAreReadByTheReaders(t *testing.T) {
	for f, format := range map[Format]string{jUnitFormat: "junit", goTestFormat: "gotest"} {
		from, err := ingest.ParseFormat(format)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(name, []byte(written(t, mixedRun(t), f)), 0o666); err != nil {
			t.Fatal(err)
		}
		counts := map[trial.Outcome]int{}
		for x, err := range ingest.Open([]string{name}, ingest.Options{From: from}).Trials(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			counts[x.Outcome]++
		}
		// A criterion is a subtest of go test, and within the case of its scenario in JUnit.
		want := map[trial.Outcome]int{trial.Pass: 4, trial.Fail: 1}
		if f == jUnitFormat {
			want[trial.Pass] = 1
		}
		if cmp.Diff(want, counts) != "" {
			t.Errorf("%s: %v", format, counts)
		}
	}
}

// gotestsum shows the events: the test that failed by its name, and the counts.
func TestEventsAreShownByGotestsum(t *testing.T) {
	program, err := exec.LookPath("gotestsum")
	if err != nil {
		t.Skip("gotestsum is not installed")
	}
	folder := t.TempDir()
	events := filepath.Join(folder, "events.jsonl")
	if err := os.WriteFile(events, []byte(written(t, mixedRun(t), goTestFormat)), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "--no-color", "--format", "testname", "--raw-command", "--", "cat",
		events).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) { // it may exit as cat does
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"FAIL tribunal/shop.refund/verdict", "PASS tribunal/shop.greeting/verdict",
		"SKIP tribunal/shop.address/verdict", "DONE 9 tests, 2 skipped, 2 failures"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}

// The most there is room for is kept to, what failed comes first, and what is left out
// is counted.
func TestMarkdownIsBounded(t *testing.T) {
	r := runSample{suite: "large", scenarios: scenarioNames(1000), trials: 30, passRate: 0.8, errors: true,
		text: repeated("| long text @x ", 40)}.result(t)
	for _, c := range []struct {
		f           Format
		least, most int
	}{{markdownFormat, 32_000, 64_000}, {summaryFormat, 100_000, 1_000_000}} {
		text := written(t, r, c.f)
		if len(text) > c.most || len(text) < c.least {
			t.Errorf("%s has %d bytes", c.f, len(text))
		}
		fail, open := strings.Index(text, "\n### Fail: "), strings.Index(text, "\n### Inconclusive: ")
		if fail < 0 || fail > open && open >= 0 || strings.Index(text, "## ❌ Fail: large") != 0 {
			t.Errorf("%s: Fail is at %d, Inconclusive at %d", c.f, fail, open)
		}
		if strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("%s: a part is not closed", c.f)
		}
	}
	if text := written(t, r, markdownFormat); !strings.Contains(text, "\n> Left out for want of room: ") {
		t.Error("it does not say what is left out")
	}
}

// An annotation stands beside its scenario in the suite, be it one that was left out, and says the first reasons of the
// trials that did not pass; of a test of the whole suite only the file is known. GitHub decodes properties as its
// toolkit encodes them (actions/toolkit, command.ts): %, CR, LF, and of a property : and , too.
func TestAnnotationsStandInTheSuite(t *testing.T) {
	r := runSample{suite: "desk", scenarios: []string{"refund", "a, b: 5%"}, trials: 30, passRate: 0.1,
		text: "no\nmatch"}.result(t)
	r.Source = &runs.Source{File: "tests/a,b:c%/tribunal.yaml", Lines: map[string]int{"refund": 12, "a, b: 5%": 14,
		"left": 20}}
	r.Selection = &runs.Selection{Only: []string{"refund"}, LeftOut: []string{"left"}}
	r.Tests[0].Variant, r.Tests[0].Name = "small", "refund [small]"
	lines := strings.Split(written(t, r, AnnotationsFormat), "\n")
	const file = "file=tests/a%2Cb%3Ac%25/tribunal.yaml,"
	for i, begin := range []string{
		"::error " + file + "line=12,title=refund [small]%3A verdict::",
		"::error " + file + "line=14,title=a%2C b%3A 5%25%3A verdict::",
		"::warning " + file + "line=20,title=left%3A not run::",
	} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, begin) }) {
			t.Errorf("no annotation %d begins with %q:\n%s", i, begin, strings.Join(lines, "\n"))
		}
	}
	if reason := "%0Afail: refund#0: "; !strings.Contains(lines[0], reason) && !strings.Contains(lines[1], reason) {
		t.Errorf("nothing says %q:\n%s", reason, strings.Join(lines, "\n"))
	}
	junit := written(t, r, jUnitFormat)
	if want := `name="refund [small]" file="tests/a,b:c%/tribunal.yaml" line="12"`; !strings.Contains(junit, want) {
		t.Errorf("JUnit has no %s:\n%s", want, junit)
	}
	if file, line := r.Place("desk"); file == "" || line != 0 {
		t.Errorf("the suite stands at %q, line %d", file, line)
	}
	r.Source = nil
	if text := written(t, r, AnnotationsFormat) + written(t, r, jUnitFormat); strings.Contains(text, "file=") {
		t.Errorf("a result that says no file has one:\n%s", text)
	}
}

func TestAnnotationsAreFew(t *testing.T) {
	r := runSample{suite: "large", scenarios: scenarioNames(50), trials: 30, passRate: 0.1, text: "no"}.result(t)
	lines := strings.Split(strings.TrimSpace(written(t, r, AnnotationsFormat)), "\n")
	if len(lines) != 10 || !strings.HasSuffix(lines[9], "::41 more are in the summary") &&
		!strings.Contains(lines[9], " more are in the summary") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	r = runSample{suite: "ten", scenarios: scenarioNames(5), trials: 30, passRate: 1, text: "yes"}.result(t)
	if text := written(t, r, AnnotationsFormat); text != "" {
		t.Errorf("a run that passes has annotations: %s", text)
	}
}

func TestDocumentsOfNothing(t *testing.T) {
	for _, f := range Formats() {
		for _, result := range []verdict.Result{
			nil, (*runs.Result)(nil), (*verdict.ThresholdResult)(nil), (*compare.Result)(nil), (*sequential.Result)(nil),
			(*behaviour.Result)(nil), &behaviour.Result{}, (*gate.Result)(nil), &gate.Result{}, (*plan.Plan)(nil),
			(*plan.Suite)(nil), (*plan.Forecast)(nil), (*compliance.Result)(nil), (*verdict.Coverage)(nil),
		} {
			var text bytes.Buffer
			if err := Write(&text, result, f, Options{}); f != JSONFormat && !errors.Is(err, errNoResult) {
				t.Errorf("%s of %T: %v", f, result, err)
			}
		}
		whole := written(t, mixedRun(t), f)
		for _, room := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
			if err := Write(&fullAfter{max(room, 0)}, mixedRun(t), f, Options{}); !errors.Is(err, errFull) {
				t.Errorf("%s: full after %d of %d bytes: %v", f, room, len(whole), err)
			}
		}
	}
}

// Whatever a saved result holds, every document of it is written or refused.
func FuzzReports(f *testing.F) {
	f.Add([]byte(`{"schema":"tribunal/run/v1","scenarios":[{"trials":-1,"outcomes":"P","design":{"max_trials":1,"boundaries":{"pass_at_or_below":[0],"fail_at_or_above":[null]}}}],"characteristics":[{"points":[{},{}]}],"distributions":[{"bins":[{"count":-1}]}]}`))
	f.Add([]byte(`{"schema":"tribunal/sequential/v1","path":[0,7],"design":{"max_trials":2,"boundaries":{"pass_at_or_below":[-1,9],"fail_at_or_above":[3,null]}}}`))
	f.Add([]byte(`{"schema":"tribunal/compare/v1","pairs":{"flips":[{}]},"scenarios":[{}],"metrics":[{}],"behaviour":{"columns":[{}]}}`))
	f.Add([]byte(`{"schema":"tribunal/verdict/v1","scenarios":[{"passes":3}],"suite":{}}`))
	f.Add([]byte(`{"schema":"tribunal/behaviour/v1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		result, err := verify.Decode(text)
		if err != nil || len(text) > 4000 {
			return
		}
		for _, format := range Formats() {
			_ = Write(&bytes.Buffer{}, result, format, Options{})
		}
	})
}
