package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// experimented runs a program with one experiment, which finds this or fails.
func experimented(t *testing.T, found *Finding, failure error, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	measure := func(_ context.Context, o ExperimentOptions) (*Finding, error) {
		o.Progress(0, 1, "all of it")
		if found != nil {
			found.Document = map[string]any{"short": o.Short, "long": o.Long, "seed": o.Seed, "drawn": o.Drawn}
		}
		return found, failure
	}
	app := App{Stdout: &out, Stderr: &problems}
	code = app.RunExperiments(t.Context(), "laboratory", "Experiments.", []Experiment{{
		Name: "weigh", Summary: "weigh all", Text: "Weigh all.", Example: "  laboratory weigh --short",
		Short: "weigh some", Long: "weigh twice", Drawn: "the scales", Run: measure,
	}}, args)
	return code, out.String(), problems.String()
}

// aFinding is one with every form.
func aFinding(code int) *Finding {
	print := func(text string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	return &Finding{
		Text:     func(w io.Writer, columns int) error { return print(fmt.Sprintf("in %d columns\n", columns))(w) },
		CSV:      print("name,value\na,1\n"),
		SVG:      print("<svg/>\n"),
		ExitCode: code,
	}
}

func TestExperimentExitCode(t *testing.T) {
	for _, form := range []string{"", "--json", "--csv"} {
		for _, want := range []int{ExitPass, ExitFail} {
			args := []string{"weigh", "--short"}
			if form != "" {
				args = append(args, form)
			}
			code, stdout, stderr := experimented(t, aFinding(want), nil, args...)
			if code != want || stdout == "" || stderr != "" {
				t.Errorf("%q: exit code %d, want %d; stdout %q, stderr %q", args, code, want, stdout, stderr)
			}
		}
	}
	if code, stdout, _ := experimented(t, nil, errors.New("it broke"), "weigh"); code != ExitInternal || stdout != "" {
		t.Errorf("a failure: exit code %d, stdout %q", code, stdout)
	}
}

func TestExperimentForms(t *testing.T) {
	if _, stdout, _ := experimented(t, aFinding(0), nil, "weigh"); stdout != "in 80 columns\n" {
		t.Errorf("text is %q", stdout)
	}
	_, stdout, _ := experimented(t, aFinding(0), nil, "weigh", "--json", "--long", "--seed", "7")
	var document struct {
		Short, Long, Drawn bool
		Seed               uint64
	}
	if err := json.Unmarshal([]byte(stdout), &document); err != nil {
		t.Fatal(err)
	}
	if document.Short || !document.Long || document.Drawn || document.Seed != 7 {
		t.Errorf("%+v", document)
	}
	folder := t.TempDir()
	rows, drawing := filepath.Join(folder, "rows.csv"), filepath.Join(folder, "drawing.svg")
	code, stdout, stderr := experimented(t, aFinding(ExitFail), nil, "weigh", "--csv", "-o", rows, "--chart", drawing)
	if code != ExitFail || stdout != "" || stderr != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	for path, want := range map[string]string{rows: "name,value\na,1\n", drawing: "<svg/>\n"} {
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", path, text, err)
		}
	}
}

// What was measured is told though its drawing cannot be made.
func TestExperimentWithoutItsDrawing(t *testing.T) {
	found := aFinding(ExitPass)
	found.SVG = func(io.Writer) error { return errors.New("no scales") }
	code, stdout, _ := experimented(t, found, nil, "weigh", "--chart", filepath.Join(t.TempDir(), "drawing.svg"))
	if code < ExitUsage || stdout != "in 80 columns\n" {
		t.Errorf("exit code %d, stdout %q", code, stdout)
	}
}

func TestExperimentsThatCannotBe(t *testing.T) {
	for args, want := range map[string]string{
		"":                             "no command is given",
		"wiegh":                        `unknown command "wiegh"`,
		"weigh now":                    `weigh takes no argument, but there is "now"`,
		"weigh --json --csv":           "are two forms",
		"weigh --short --long":         "are two forms",
		"weigh --chart scales.png":     "must end in .svg",
		"weigh --chart a.svg -o a.svg": "name the same file",
		"weigh --seed x":               "must be a whole number",
		"weigh --runs 3":               "unknown flag --runs",
	} {
		code, stdout, stderr := experimented(t, aFinding(0), nil, strings.Fields(args)...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, want) || !strings.Contains(stderr,
			"\n  hint: ") && args != "" && !strings.Contains(args, "seed") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
	if _, _, stderr := experimented(t, nil, nil, "wiegh"); !strings.Contains(stderr, "did you mean laboratory weigh?") {
		t.Errorf("stderr is %q", stderr)
	}
}

func TestExperimentHelp(t *testing.T) {
	for _, args := range []string{"weigh --help", "help weigh"} {
		code, stdout, stderr := experimented(t, nil, nil, strings.Fields(args)...)
		if code != ExitPass || stderr != "" {
			t.Errorf("%s: exit code %d, stderr %q", args, code, stderr)
		}
		for _, want := range []string{"Weigh all.", "laboratory weigh --short", "weigh some", "weigh twice",
			"draw the scales into"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: %q is missing:\n%s", args, want, stdout)
			}
		}
	}
	if _, stdout, _ := experimented(t, nil, nil, "--help"); !strings.Contains(stdout, "weigh        weigh all") {
		t.Errorf("help lists %s", stdout)
	}
}
