package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
)

// goEvent is an event of go test -json; see go doc test2json.
type goEvent struct {
	Action  string   `json:"Action"`
	Package string   `json:"Package"`
	Test    string   `json:"Test,omitempty"`
	Output  string   `json:"Output,omitempty"`
	Elapsed *float64 `json:"Elapsed,omitempty"`
}

// writeGoTest writes a document as the events of go test -json. The package is the
// subject, each scenario a test and each criterion a subtest. Fail, and what could
// not be run, fails; Inconclusive is skipped. See packageAction for how the package
// ends.
func writeGoTest(w io.Writer, d *document.Document, _ Options) error {
	g := goEvents{pack: "tribunal/" + testName(d.Subject)}
	g.encoder = json.NewEncoder(&g.text)
	g.encoder.SetEscapeHTML(false)
	g.event("start", "", "")
	// Cases of one scenario follow each other. Names that become the same when they
	// are made safe are told apart by underscores: readers would merge their tests.
	names := map[string]bool{}
	for i := 0; i < len(d.Cases); {
		end := i
		for end < len(d.Cases) && d.Cases[end].Scenario == d.Cases[i].Scenario {
			end++
		}
		name := testName(aboutOf(d, d.Cases[i]))
		for names[name] {
			name += "_"
		}
		names[name] = true
		g.scenario(name, d.Cases[i:end])
		i = end
	}
	// Output of the package: what no case says, and the reasons of the verdict.
	for _, line := range besides(d) {
		g.event("output", "", line+"\n")
	}
	for _, r := range d.Reasons {
		g.event("output", "", prose.Capitalised(d.Verdict.String())+": "+safe.Text(r.Text)+"\n")
	}
	g.end(g.packageAction(d), "", d.Seconds)
	if g.err != nil {
		return g.err
	}
	return write(w, escapeUnprintable(g.text.Bytes()))
}

// packageAction is how the package ends: as the verdict, except that an Inconclusive
// result with a failed test (the agent could not be run) fails. Without a verdict it
// fails if a test did, and passes otherwise.
func (g *goEvents) packageAction(d *document.Document) string {
	switch {
	case d.Judged && d.Verdict == verdict.Fail, g.failed && d.Verdict != verdict.Pass: // errors kept it open
		return "fail"
	case d.Judged && d.Verdict == verdict.Inconclusive:
		return "skip"
	}
	return "pass"
}

// goEvents is the stream that is being written. Nothing of it is written if an event
// cannot be encoded.
type goEvents struct {
	// The name of the package: tribunal/ and the subject.
	pack    string
	text    bytes.Buffer
	encoder *json.Encoder
	err     error
	// A scenario failed.
	failed bool
}

// put adds an event, unless there was an error.
func (g *goEvents) put(e goEvent) {
	if g.err == nil {
		g.err = g.encoder.Encode(e)
	}
}

// event adds one without a time: start, run and output.
func (g *goEvents) event(action, test, output string) {
	g.put(goEvent{Action: action, Package: g.pack, Test: test, Output: output})
}

// end adds the event that ends a test or the package.
func (g *goEvents) end(action, test string, seconds float64) {
	g.put(goEvent{Action: action, Package: g.pack, Test: test, Elapsed: &seconds})
}

// Go knows no test that is open: it is skipped, which does not break a build by
// itself.
var goActions = map[document.Status]string{document.Passed: "pass", document.Failed: "fail",
	document.Broken: "fail", document.Open: "skip", document.Aside: "skip"}

// scenario is a test with a subtest for each criterion.
func (g *goEvents) scenario(name string, cases []document.Case) {
	g.event("run", name, "")
	g.event("output", name, "=== RUN   "+name+"\n")
	// The test ends as its worst subtest: fail before skip before pass.
	worst, took := "pass", 0.0
	for _, c := range cases {
		sub := name + "/" + testName(c.Name)
		action := goActions[c.Status]
		if action == "fail" || action == "skip" && worst == "pass" {
			worst = action
		}
		g.event("run", sub, "")
		g.event("output", sub, "=== RUN   "+sub+"\n")
		g.event("output", sub, "    "+safe.Text(c.Message)+"\n")
		for _, line := range c.AllDetails() {
			g.event("output", sub, "    "+safe.Text(line)+"\n")
		}
		g.event("output", sub, fmt.Sprintf("    --- %s: %s (%.2fs)\n", strings.ToUpper(action), sub, c.Seconds))
		g.end(action, sub, c.Seconds)
		took += c.Seconds
	}
	g.failed = g.failed || worst == "fail"
	g.event("output", name, fmt.Sprintf("--- %s: %s (%.2fs)\n", strings.ToUpper(worst), name, took))
	g.end(worst, name, took)
}

// testName is a name as the name of a test has to be: without blanks and slashes.
func testName(name string) string {
	// The slash would make a subtest, so a division slash takes its place.
	return strings.NewReplacer(" ", "_", "/", "∕").Replace(safe.Text(safe.Name(name)))
}
