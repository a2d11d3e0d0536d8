package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/report/internal/document"
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
// subject, each scenario a test and each criterion a subtest. Fail, and what could not be
// run, fails; Inconclusive is skipped there, and the package passes only if the verdict is
// Pass: it is skipped if that is Inconclusive.
func writeGoTest(w io.Writer, d *document.Document, _ Options) error {
	g := goEvents{pack: "tribunal/" + testName(d.Subject)}
	g.encoder = json.NewEncoder(&g.text)
	g.encoder.SetEscapeHTML(false)
	g.event("start", "", "")
	names := map[string]bool{}
	for i := 0; i < len(d.Cases); {
		end := i
		for end < len(d.Cases) && d.Cases[end].Scenario == d.Cases[i].Scenario {
			end++
		}
		name := testName(d.Cases[i].Scenario)
		for names[name] {
			name += "_"
		}
		names[name] = true
		g.scenario(name, d.Cases[i:end])
		i = end
	}
	for _, line := range besides(d) {
		g.event("output", "", line+"\n")
	}
	for _, r := range d.Reasons {
		g.event("output", "", capitalised(d.Verdict.String())+": "+clean(r.Text)+"\n")
	}
	g.end(g.packageAction(d), "", d.Seconds)
	if g.err != nil {
		return g.err
	}
	return write(w, escapeUnprintable(g.text.Bytes()))
}

// packageAction is how the package ends: as the verdict, or as its tests where there is
// none.
func (g *goEvents) packageAction(d *document.Document) string {
	switch {
	case d.Judged && d.Verdict == verdict.Fail, g.failed && d.Verdict != verdict.Pass: // errors kept it open
		return "fail"
	case d.Judged && d.Verdict == verdict.Inconclusive:
		return "skip"
	}
	return "pass"
}

type goEvents struct {
	pack    string
	text    bytes.Buffer
	encoder *json.Encoder
	err     error
	failed  bool
}

func (g *goEvents) put(e goEvent) {
	if g.err == nil {
		g.err = g.encoder.Encode(e)
	}
}

func (g *goEvents) event(action, test, output string) {
	g.put(goEvent{Action: action, Package: g.pack, Test: test, Output: output})
}

func (g *goEvents) end(action, test string, seconds float64) {
	g.put(goEvent{Action: action, Package: g.pack, Test: test, Elapsed: &seconds})
}

var goActions = map[document.Status]string{document.Passed: "pass", document.Failed: "fail",
	document.Broken: "fail", document.Open: "skip"}

// scenario is a test with a subtest for each criterion.
func (g *goEvents) scenario(name string, cases []document.Case) {
	g.event("run", name, "")
	g.event("output", name, "=== RUN   "+name+"\n")
	worst := "pass"
	for _, c := range cases {
		sub := name + "/" + testName(c.Name)
		action := goActions[c.Status]
		if action == "fail" || action == "skip" && worst == "pass" {
			worst = action
		}
		g.event("run", sub, "")
		g.event("output", sub, "=== RUN   "+sub+"\n")
		g.event("output", sub, "    "+clean(c.Message)+"\n")
		for _, line := range c.AllDetails() {
			g.event("output", sub, "    "+clean(line)+"\n")
		}
		g.event("output", sub, "    --- "+strings.ToUpper(action)+": "+sub+" (0.00s)\n")
		g.end(action, sub, 0)
	}
	g.failed = g.failed || worst == "fail"
	g.event("output", name, "--- "+strings.ToUpper(worst)+": "+name+" (0.00s)\n")
	g.end(worst, name, 0)
}

// testName is a name as the name of a test has to be: without blanks and slashes.
func testName(name string) string {
	return strings.NewReplacer(" ", "_", "/", "∕").Replace(clean(nameOf(name)))
}
