package tribunaltest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const source = `package x

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/tribunaltest"
)

var design = tribunaltest.Design{Threshold: 0.9}

func rate(t *testing.T, d tribunaltest.Design, share float64) {
	tribunaltest.Rate(t, d, func(t *tribunaltest.Trial) {
		if t.Rand().Float64() >= share {
			t.Errorf("reply: %q", "no")
		}
	})
}

func TestGood(t *testing.T) { rate(t, design, 1) }

func TestBad(t *testing.T) { rate(t, design, 0.5) }

func TestPanics(t *testing.T) {
	tribunaltest.Rate(t, design, func(*tribunaltest.Trial) { panic("on the floor") })
}

func TestDown(t *testing.T) {
	tribunaltest.Rate(t, design, func(t *tribunaltest.Trial) { t.Infrastructure(errors.New("the network is down")) })
}

func TestDownIsSkipped(t *testing.T) {
	d := design
	d.SkipUndecided = true
	tribunaltest.Rate(t, d, func(t *tribunaltest.Trial) { t.Infrastructure(errors.New("the network is down")) })
}

func TestSlow(t *testing.T) {
	if os.Getenv("SLOW") == "" {
		t.Skip()
	}
	tribunaltest.Rate(t, design, func(t *tribunaltest.Trial) {
		select {
		case <-t.Context().Done():
		case <-time.After(300 * time.Millisecond):
		}
	})
}

func TestAgainstABaseline(t *testing.T) {
	share := 1.0
	if os.Getenv("DROPPED") != "" {
		share = 0.6
	}
	d := tribunaltest.Design{Threshold: 0.9, Delta: 0.3}
	if os.Getenv("TRIBUNAL_BASELINE") != "" {
		d.Threshold = 0 // the baseline alone decides
	}
	rate(t, d, share)
}

func TestNothingToJudgeBy(t *testing.T) { rate(t, tribunaltest.Design{}, 1) }
`

// event is a line of go test -json.
type event struct{ Action, Test, Output, Key, Value string }

// module is one of its own that uses this package from here.
type module struct{ folder string }

func newModule(t *testing.T) module {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds a module")
	}
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	m := module{t.TempDir()}
	theirs, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := strings.Cut(string(theirs), "\n\n")
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"x_test.go": source, "go.sum": string(sums),
		"go.mod": "module x\n\n" + requirements + "\nrequire github.com/tribunal-dev/tribunal v0.0.0\n" +
			"replace github.com/tribunal-dev/tribunal => " + here + "\n",
	} {
		if err := os.WriteFile(filepath.Join(m.folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// run runs go test and returns how each test ended, what it printed, and its attributes.
func (m module) run(
	t *testing.T, environment []string, args ...string,
) (actions, outputs map[string]string, all string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"test", "-json", "-mod=mod"}, args...)...)
	command.Dir = m.folder
	command.Env = append(os.Environ(), environment...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, _ := command.Output() // which fails where a test does
	actions, outputs = map[string]string{}, map[string]string{}
	for line := range bytes.Lines(out) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch e.Action {
		case "pass", "fail", "skip":
			actions[e.Test] = e.Action
		case "output":
			outputs[e.Test] += e.Output
		case "attr":
			outputs[e.Test] += e.Key + "=" + e.Value + "\n"
		}
	}
	if len(actions) == 0 {
		t.Fatalf("no test ran: %s%s", out, stderr.Bytes())
	}
	return actions, outputs, string(out)
}

func TestUnderGoTest(t *testing.T) {
	m := newModule(t)
	actions, outputs, _ := m.run(t, nil, "-v")
	for name, want := range map[string]struct{ action, text string }{
		"TestGood":             {"pass", "tribunal.verdict=pass"},
		"TestBad":              {"fail", `fail: reply: "no" (#`},
		"TestPanics":           {"fail", "panic: on the floor"},
		"TestDown":             {"fail", "the network is down"},
		"TestDownIsSkipped":    {"skip", "undecided: "},
		"TestAgainstABaseline": {"pass", "Pass: "},
		"TestNothingToJudgeBy": {"fail", "set Threshold, or name the folder of a baseline by TRIBUNAL_BASELINE"},
	} {
		if actions[name] != want.action || !strings.Contains(outputs[name], want.text) {
			t.Errorf("%s: %s, want %s with %q\n%s", name, actions[name], want.action, want.text, outputs[name])
		}
	}
}

// A test that tries something at random is tried again, although nothing changed.
func TestGoTestDoesNotRemember(t *testing.T) {
	m := newModule(t)
	for range 2 {
		if _, _, all := m.run(t, nil, "-run", "TestGood$"); strings.Contains(all, "(cached)") {
			t.Fatalf("the second run was not one:\n%s", all)
		}
	}
}

// Trials end in time for a word about them: go test would end the program otherwise, with the stacks of all goroutines.
func TestTimeOfGoTestIsKept(t *testing.T) {
	m := newModule(t)
	actions, outputs, all := m.run(t, []string{"SLOW=1"}, "-run", "TestSlow$", "-timeout", "3s", "-parallel", "2", "-cpu",
		"1")
	if actions["TestSlow"] != "fail" || !strings.Contains(outputs["TestSlow"], "undecided: ") {
		t.Errorf("%s\n%s", actions["TestSlow"], all)
	}
	if strings.Contains(all, "panic: test timed out") {
		t.Error("the time was over before the verdict")
	}
}

func TestBaselineUnderGoTest(t *testing.T) {
	m := newModule(t)
	folder := filepath.Join(m.folder, "main")
	const only = "TestAgainstABaseline$"
	if actions, _, all := m.run(t, []string{"TRIBUNAL_RECORD=100", "TRIBUNAL_RESULTS=" + folder},
		"-run", only); actions["TestAgainstABaseline"] != "pass" {
		t.Fatal(all)
	}
	against := "TRIBUNAL_BASELINE=" + folder
	actions, outputs, _ := m.run(t, []string{against, "DROPPED=1"}, "-run", only, "-v")
	if actions["TestAgainstABaseline"] != "fail" {
		t.Errorf("a drop from 1 to 0.6 is not found: %s", outputs["TestAgainstABaseline"])
	}
	if actions, outputs, _ = m.run(t, []string{against}, "-run", only, "-v"); actions["TestAgainstABaseline"] != "pass" {
		t.Errorf("what did not change does not pass: %s", outputs["TestAgainstABaseline"])
	}
	// Words that were changed do not count.
	file := filepath.Join(folder, "TestAgainstABaseline.result.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	forged := bytes.Replace(text, []byte(`"passes": 100`), []byte(`"passes": 90`), 1)
	if bytes.Equal(forged, text) {
		t.Fatalf("there is no such word: %s", text)
	}
	if err := os.WriteFile(file, forged, 0o600); err != nil {
		t.Fatal(err)
	}
	if actions, _, all := m.run(t, []string{against}, "-run", only); actions["TestAgainstABaseline"] != "fail" ||
		!strings.Contains(all, "TestAgainstABaseline.result.json") {
		t.Error("a result that was changed is a baseline: ", all)
	}
	if actions, _, _ := m.run(t, []string{"TRIBUNAL_BASELINE=" + filepath.Join(m.folder, "nowhere")}, "-run",
		only); actions["TestAgainstABaseline"] != "fail" {
		t.Error("a folder that is not there is a baseline")
	}
}
