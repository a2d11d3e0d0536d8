package report

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/nodeserver"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// browserTools returns the programs of the check in a browser. Where one is missing the test is skipped, and fails if
// it is required.
func browserTools(t *testing.T) (node, modules, browser string) {
	t.Helper()
	found, missing, required := nodeserver.FindBrowser()
	switch {
	case missing != "" && required:
		t.Fatal(missing)
	case missing != "":
		t.Skip(missing)
	}
	return found.Node, found.Modules, found.Program
}

// browserPage is a page to check; see testdata/browser/check.cjs.
type browserPage struct {
	Name     string   `json:"name"`
	File     string   `json:"file"`
	Sections []string `json:"sections"`
	Axe      bool     `json:"axe"`
	Unfold   bool     `json:"unfold"`
}

// A browser shows every page without a word on its console, without a request and
// without scrolling sideways, in both themes, on a desk and on a phone; and axe finds
// nothing about contrast, headings, names and landmarks.
func TestPagesInBrowser(t *testing.T) {
	node, modules, browser := browserTools(t)
	folder := t.TempDir()
	var plan []browserPage
	add := func(name string, result verdict.Result, axe bool, sections ...string) int {
		text := pageOf(t, result)
		file := filepath.Join(folder, name+".html")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, browserPage{name, file, append(sections, "facts"), axe, axe})
		return len(text)
	}
	gate := aGate(t)
	add("gate", gate, true, "rules", "findings", "statistics", "warnings")
	paired := samplePaired()
	paired.Pairs.Flips[0].BaselineOutput, paired.Pairs.Flips[0].CandidateOutput = "it is done",
		repeated("it cannot be done ", 40)
	paired.Pairs.Flips[0].BaselineSteps, paired.Pairs.Flips[0].CandidateSteps = stepsOfBoth()
	paired.AddBehaviour(gate.Behaviour, true)
	add("comparison", paired, true, "table-pass-rates", "flips", "statistics")
	add("behaviour", behaviour.Judge("before", "after", gate.Behaviour), true, "behaviour-map", "reasons")
	add("verdict", sampleByScenario(), true, "intervals")
	add("examples", sampleExamples(), true, "changes", "findings", "table-pass-rates", "statistics")
	add("mutants", mutationSample(), true, "findings", "table-mutants", "statistics")
	// A page of every kind fits a phone, folded or not.
	for name, result := range kinds(t) {
		add("kind "+name, result, false)
		plan[len(plan)-1].Unfold = true
	}
	large := runSample{suite: "large", scenarios: scenarioNames(1000), trials: 150, passRate: 0.85, errors: true,
		text: repeated("some words of an answer ", 30)}
	size := add("large", large.result(t), false, "findings", "passed", "statistics", "trials")
	t.Logf("the large page has %d bytes", size)
	if size > mostPageBytes {
		t.Errorf("that is more than %d", mostPageBytes)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "plan.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "browser", "check.cjs"), modules,
		browser, file)
	command.Env = append(os.Environ(), "SCREENSHOTS="+os.Getenv("TRIBUNAL_TEST_SCREENSHOTS"))
	var wrong, notes bytes.Buffer
	command.Stdout, command.Stderr = &wrong, &notes
	err = command.Run()
	t.Log(notes.String())
	if err != nil || wrong.Len() > 0 {
		t.Errorf("%v\n%s", err, wrong.String())
	}
}

// stepsOfBoth are the steps of a pair that flipped.
func stepsOfBoth() (baseline, candidate *recording.Steps) {
	look := recording.Step{Action: "call", Tool: "find_order",
		Arguments: `{"order_id":"#W12","with":["items","address","payment"],"n":1}`,
		Output:    "found"}
	refund := recording.Step{Action: "call", Tool: "refund", Arguments: `{"order_id":"#W12"}`, Output: "refunded"}
	missing := look
	missing.Output, missing.Error = "", "no such order"
	return &recording.Steps{List: []recording.Step{look, refund}}, &recording.Steps{List: []recording.Step{missing},
		Omitted: 2}
}
