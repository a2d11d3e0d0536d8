package report

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

func pageOf(t testing.TB, result verdict.Result) string {
	t.Helper()
	var text bytes.Buffer
	if err := Write(&text, result, HTMLFormat, Options{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// mostPageBytes is what the page of a large run may have: it can be attached to a build.
const mostPageBytes = 8_000_000

// A large run stays within what can be attached to a build, and says what it left out.
func TestLargePageIsBounded(t *testing.T) {
	r := runSample{suite: "large", scenarios: scenarioNames(1000), trials: thorough.Draws(30, 150), passRate: 0.85,
		errors: true, text: repeated("some words of an answer ", 30)}.result(t)
	text := pageOf(t, r)
	if len(text) > mostPageBytes {
		t.Errorf("the page has %d bytes", len(text))
	}
	if r.TrialsOmitted == 0 || !strings.Contains(text, fmt.Sprintf("There is no room for %d more.", r.TrialsOmitted)) {
		t.Errorf("%d trials are omitted, and the page does not say so", r.TrialsOmitted)
	}
	for _, name := range []string{"scenario-0000", "scenario-0999"} {
		if !strings.Contains(text, "<bdi>"+name+"</bdi>") {
			t.Errorf("%s is not on the page", name)
		}
	}
	if out := os.Getenv("TRIBUNAL_PAGE"); out != "" {
		if err := os.WriteFile(out, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Sections are there for what is there, in this order, and one heading at each level
// follows another.
func TestPageSections(t *testing.T) {
	ids := regexp.MustCompile(`<h2 id="([^"]+)"`)
	sections := func(result verdict.Result) (list []string) {
		for _, m := range ids.FindAllStringSubmatch(pageOf(t, result), -1) {
			list = append(list, m[1])
		}
		return list
	}
	full := mixedRun(t)
	want := []string{"findings", "passed", "warnings", "statistics", "intervals", "paths", "curves",
		"table-limits", "table-figures", "spreads", "facts"}
	if diff := cmp.Diff(want, sections(full)); diff != "" {
		t.Error(diff)
	}
	bare := &runs.Result{Schema: runs.Schema,
		Reasons: []verdict.Reason{{Code: verdict.CodeNoTrials, Text: "nothing was tested"}}}
	if diff := cmp.Diff([]string{"facts"}, sections(bare)); diff != "" || !strings.Contains(pageOf(t, bare),
		"othing was tested") {
		t.Error(diff)
	}
	level := 0
	for _, m := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(pageOf(t, full), -1) {
		n, _ := strconv.Atoi(m[1])
		if n > level+1 {
			t.Errorf("a heading of level %d follows one of level %d", n, level)
		}
		level = n
	}
}

// Every id is there once, and every link leads to one.
func TestPageLinks(t *testing.T) {
	text := pageOf(t, mixedRun(t))
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if ids[m[1]]++; ids[m[1]] > 1 {
			t.Errorf("id %s is there twice", m[1])
		}
	}
	links := regexp.MustCompile(`(?:href="#|aria-labelledby=")([^"]+)"`).FindAllStringSubmatch(text, -1)
	for _, m := range links {
		if ids[m[1]] == 0 {
			t.Errorf("nothing has the id %s", m[1])
		}
	}
	if len(links) < 10 {
		t.Errorf("there are only %d links", len(links))
	}
}

// The page draws the tests of a run on the scale that the text shows.
func TestPageAndTextShareAScale(t *testing.T) {
	r := mixedRun(t)
	d, err := newDocument(r, Options{}.detail(TextFormat))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range d.Parts {
		table, is := part.(*document.Table)
		if !is || !table.Drawn {
			continue
		}
		a := axesOf(table.Axes, table.Rows)[0]
		// The name of the threshold, 90%, has no room beside that of the end.
		names := fmt.Sprintf(`text-anchor="middle">90%%</text><text x="1" y="31" text-anchor="start">%s</text>`,
			phrase.Rate(a.Low))
		if text := pageOf(t, r); a.High != 1 || strings.Count(text, names) < len(r.Tests) {
			t.Errorf("the page has not the names %s; the scale of the text ends at %v", names, a.High)
		}
		return
	}
	t.Error("the run has no table with a drawing")
}

// The page of a comparison draws both rates and the difference between its interval's ends, with the line of no
// difference and that of the drop that was asked about, on scales that hold them.
func TestPageDrawsTheDifference(t *testing.T) {
	r := samplePaired()
	text := pageOf(t, r)
	_, section, _ := strings.Cut(text, `<h2 id="table-pass-rates">`)
	section, _, _ = strings.Cut(section, "</section>")
	// 95% tango: -0.1053 in -0.1814 to -0.0345, and delta 0.1.
	for _, want := range []string{
		"Delta, the drop that matters, is 10 points.",
		"<title>69.3%, interval [60.3%, 77%], the baseline less delta 59.3%</title>",
		"<title>58.8%, interval [49.6%, 67.4%], the baseline less delta 59.3%</title>",
		"<title>-10.5 points, interval [-18.1, -3.45] points, delta -10</title>",
		// From -0.2 to 0 on 228 units from 6: no difference at 234, delta at half of the way.
		`<path class="axis" d="M234 1V19"/>`, `<path class="threshold" d="M120 1V19"/>`,
		`text-anchor="start">-20</text>`, `text-anchor="end">0 points</text>`, `text-anchor="middle">-10</text>`,
	} {
		if !strings.Contains(section, want) {
			t.Errorf("%s is missing in\n%s", want, section)
		}
	}
	// 70 points are more than half of all that a difference can be, and take most of the scale.
	r.Difference.Low = -0.7
	if !strings.Contains(pageOf(t, r), `text-anchor="start">-80</text>`) {
		t.Error("the scale does not hold the interval")
	}
}

// The pairs that flipped show what both trials did, step by step, and say where a result holds no steps.
func TestPageComparesFlippedSteps(t *testing.T) {
	r := samplePaired()
	look := recording.Step{Action: "call", Tool: "look_up", Arguments: `{"id":1}`, Output: "found"}
	r.Pairs.Flips[0].BaselineSteps = &recording.Steps{List: []recording.Step{look, {Action: "call", Tool: "refund"}}}
	look.Output = "<b>nothing</b>\x1b[31m"
	r.Pairs.Flips[0].CandidateSteps = &recording.Steps{List: []recording.Step{look}, Omitted: 7}
	r.Pairs.Flips[1].BaselineOutput = "done"
	look.Output = ""
	r.Pairs.Flips[2].CandidateSteps = &recording.Steps{List: []recording.Step{look}}
	_, flips, _ := strings.Cut(pageOf(t, r), `<h2 id="flips">`)
	flips, _, _ = strings.Cut(flips, "</section>")
	for _, want := range []string{
		"result differs", "only in the baseline&#39;s trial", "&lt;b&gt;nothing&lt;/b&gt;\\x1b[31m",
		"There was no room for 7 further steps of the candidate&#39;s trial.", "This result holds no steps of either trial.",
		"This result holds no steps of the baseline&#39;s trial.",
	} {
		if strings.Count(flips, want) != 1 {
			t.Errorf("%q is there %d times in\n%s", want, strings.Count(flips, want), flips)
		}
	}
	// A result of which no pair has anything says so at its list.
	r = samplePaired()
	if !strings.Contains(pageOf(t, r), "This result holds neither outputs nor steps of them.") {
		t.Error("the page does not say that there are no steps")
	}
}

// A test of which trials passed and others did not has one of each side by side, with what both did and answered.
func TestPageOfRunSetsTrialsSideBySide(t *testing.T) {
	r := mixedRun(t)
	same := []runs.Step{{Action: "respond"}}
	r.Trials = []runs.Trial{
		{Test: r.Tests[0].Name, Scenario: "refund", Trial: 3, Outcome: "fail", Judged: true, Output: "<no>", Steps: same},
		{Test: r.Tests[0].Name, Scenario: "refund", Trial: 1, Outcome: "pass", Judged: true, Output: "done", Steps: same},
	}
	_, card, _ := strings.Cut(pageOf(t, r), "Step by step: refund#3, which did not pass, beside refund#1, which did")
	card, _, _ = strings.Cut(card, "</details>")
	if want := `<pre tabindex="0">&lt;no&gt;</pre></div><div><span class="word">output</span><pre tabindex="0">done</pre>`; !strings.Contains(card, want) {
		t.Errorf("%s is missing in\n%s", want, card)
	}
}

// A scenario that fell has a trial of each side, what changed stands above it, and nothing can be unfolded or switched
// that shows nothing.
func TestPageOfComparisonSetsTrialsSideBySide(t *testing.T) {
	r := sampleExamples()
	text := pageOf(t, r)
	changes, findings := strings.Index(text, `<h2 id="changes">`), strings.Index(text, `<h2 id="findings">`)
	if rates := strings.Index(text, `<h2 id="table-pass-rates">`); changes < 0 || findings < changes || rates < findings {
		t.Errorf("what changed is at %d, what fell at %d, the rates at %d", changes, findings, rates)
	}
	if strings.Contains(text, `class="filter"`) {
		t.Error("there is a switch between trials, and no trial")
	}
	cards := text[findings:]
	cards, _, _ = strings.Cut(cards, "</section>")
	for _, want := range []string{
		`<p class="pass"><bdi>baseline: airline-9#0 passed</bdi></p><p class="fail"><bdi>candidate: airline-9#3 failed</bdi></p>`,
		"result and error differ", "only in the baseline&#39;s trial", "It is done.", ">it cannot be done it cannot",
		"There was no room for 2 further steps of the candidate&#39;s trial.",
	} {
		if strings.Count(cards, want) != 1 {
			t.Errorf("%q is there %d times in\n%s", want, strings.Count(cards, want), cards)
		}
	}
	// Where no trial of the baseline passed that is said.
	i := slices.IndexFunc(r.Scenarios, func(s compare.Scenario) bool { return s.Name == "airline-9" })
	r.Scenarios[i].Baseline.Passes, r.Scenarios[i].Candidate.Passes = 0, 0
	if text := pageOf(t, r); !strings.Contains(text, "No trial of the baseline passed.") {
		t.Error("the page does not say that no trial of the baseline passed")
	}
}

// The form that is chosen for the colours of a page comes last on it.
func TestThemesComeLast(t *testing.T) {
	text := pageOf(t, samplePass())
	if at := strings.Index(text, `class="theme"`); at < strings.Index(text, `<h2 id="facts">`) {
		t.Errorf("they are at %d of %d bytes", at, len(text))
	}
}
