package cli

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
)

// bomb writes a compressed file that is small, and not what is in it.
func bomb(t *testing.T, name string, write func(io.Writer)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(file)
	write(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// savedRun is the result of a run of an agent that always passes.
func savedRun(t *testing.T) []byte {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the agent needs a shell")
	}
	folder := t.TempDir()
	suite := `version: 1
name: s
limits: none
agent: {command: [sh, -c, "echo pass"], output: lines}
test: {threshold: 0.8, delta: 0.4, max_trials: 20}
scenarios: [{name: one, input: 1}]
`
	if err := os.WriteFile(filepath.Join(folder, "tribunal.yaml"), []byte(suite), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := tribunal(context.Background(), App{}, "run", folder, "--ledger", "off"); code != ExitPass {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	text, err := os.ReadFile(filepath.Join(folder, ".tribunal", "s.result.json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What does not fit into the memory that there may be is refused by its name, with the flag, and nothing is printed.
// None of these files is larger than some hundred kilobytes.
func TestFilesBeyondTheMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads files of many megabytes")
	}
	repeat := func(line string, times int) func(io.Writer) {
		return func(w io.Writer) {
			block := strings.Repeat(line, 1000)
			for range times / 1000 {
				io.WriteString(w, block)
			}
		}
	}
	trials := bomb(t, "trials.jsonl.gz", repeat(`{"scenario":"s","outcome":"pass"}`+"\n", 1_000_000))
	steps := bomb(t, "steps.jsonl.gz", repeat(`{"scenario":"s","outcome":"pass","steps":[`+
		strings.Repeat(`{"action":"respond"},`, 99)+`{"action":"respond"}]}`+"\n", 10_000))
	scenarios := bomb(t, "scenarios.jsonl.gz", func(w io.Writer) {
		for i := range 50_000 {
			fmt.Fprintf(w, `{"scenario":"s%d","outcome":"pass"}`+"\n", i)
		}
	})
	cases := bomb(t, "cases.xml.gz", func(w io.Writer) {
		io.WriteString(w, "<testsuites><testsuite name='a'>")
		for i := range 50_000 {
			fmt.Fprintf(w, "<testcase classname='c' name='t%d'/>", i)
		}
		io.WriteString(w, "</testsuite></testsuites>")
	})
	line := bomb(t, "line.jsonl.gz", repeat(`{"scenario":"s","outcome":"pass","output":"`+strings.Repeat("x", 1<<10),
		3_000))
	document := bomb(t, "document.json.gz", func(w io.Writer) {
		io.WriteString(w, "[\n")
		repeat(`{"id":"a","input":{"a":1}},`, 200_000)(w)
		io.WriteString(w, "{}]")
	})
	result := filepath.Join(t.TempDir(), "result.json")
	longer := regexp.MustCompile(`"outcomes": "P`).ReplaceAll(savedRun(t),
		[]byte(`"outcomes": "P`+strings.Repeat("P", 100_000)))
	if err := os.WriteFile(result, longer, 0o600); err != nil {
		t.Fatal(err)
	}
	wide := filepath.Join(t.TempDir(), "wide.json")
	if err := os.WriteFile(wide, []byte(`{"schema":"tribunal/run/v1","scenarios":[`+strings.Repeat("{},", 200_000)+`{}]}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "long.json")
	if err := os.WriteFile(long, []byte(`{"schema":"`+strings.Repeat("x", 5<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	const taken = "takes more memory than the 32 MiB that are allowed"
	for _, c := range []struct{ args, file, problem string }{
		{"compare " + trials + " " + trials, trials, taken},
		{"compare fingerprint " + trials, trials, taken},
		{"compare fingerprint " + steps, steps, taken},
		{"plan month " + trials + " --runs-per-day 5", trials, taken},
		{"verdict " + trials + " --threshold 0.5", trials, taken},
		{"verdict " + scenarios + " --threshold 0.5", scenarios, taken},
		{"verdict " + cases + " --threshold 0.5", cases, taken},
		{"import " + line, line + ":1", "is longer than 1 MiB"},
		{"check coverage " + line, line + ":1", "is longer than 1 MiB"},
		{"import " + document + " --from langfuse", document, taken},
		{"report " + result + " --format text", result, taken},
		{"report verify " + result, result, taken},
		{"report verify " + wide, wide, taken},
		{"gate --results " + wide, wide, taken},
		{"report " + long + " --format html", long, "is larger than 4 MiB"},
	} {
		args := append(strings.Fields(c.args), "--max-memory", "32MiB")
		code, stdout, stderr := tribunal(context.Background(), App{}, args...)
		message, hint, _ := strings.Cut(stderr, "\n")
		if code != ExitInput || stdout != "" && !strings.HasSuffix(stdout, outfile.CutMark) ||
			!strings.HasPrefix(message, "tribunal: "+c.file) || !strings.HasSuffix(message, c.problem) ||
			!strings.Contains(hint, "--max-memory") {
			t.Errorf("%s: exit code %d, stdout of %d bytes, %s", c.args, code, len(stdout), stderr)
		}
	}
}

// With the memory that is there by default, the same files are read.
func TestMemoryByDefault(t *testing.T) {
	trials := bomb(t, "trials.jsonl.gz", func(w io.Writer) { io.WriteString(w, manyTrials(20_000)) })
	code, _, stderr := tribunal(context.Background(), App{}, "compare", trials, trials, "--allow-duplicates")
	if code > ExitInconclusive {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// A device never ends, and nobody means it. The null device is an empty file, and what a shell gives for <(command) is
// a pipe.
func TestDevicesAreNoInput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the devices are those of Linux")
	}
	folder := t.TempDir()
	suite := filepath.Join(folder, "tribunal.yaml")
	text := "version: 1\nname: s\nlimits: none\nagent: {command: [\"true\"]}\ntest: {threshold: 0.8, delta: 0.4, " +
		"max_trials: 20}\nscenarios: [{name: one, input: 1}]\n"
	if err := os.WriteFile(suite, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"verdict %s --threshold 0.5", "compare %s x", "fingerprint %s", "coverage %s", "coverage x --tools %s", "import %s",
		"forecast %s --runs-per-day 5", "limits %s", "suggest " + suite + " %s", "report %s --format text", "verify %s",
		"gate --results %s", "check %s", "run %s",
		"contract check %s x", "contract check x %s", "run " + suite + " --journal %s", "plan --prior %s --threshold 0.9",
		"run " + suite + " --baseline %s", "check " + suite + " --baseline %s",
	} {
		for _, device := range []string{"/dev/zero", "/dev/urandom", "/dev/full"} {
			code, stdout, stderr := tribunal(context.Background(), App{},
				strings.Fields(strings.ReplaceAll(args, "%s", device))...)
			if code != ExitInput || stdout != "" || !strings.Contains(stderr, device) &&
				!strings.Contains(stderr, "x does not exist") {
				t.Errorf("%s, %s: exit code %d, %s", args, device, code, stderr)
			}
		}
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, name := range []string{os.DevNull, "-"} {
		code, _, stderr := tribunal(context.Background(), App{Stdin: null}, "verdict", name, "--threshold", "0.5")
		if code != ExitInput || !strings.Contains(stderr, "is empty") {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer zero.Close()
	for _, args := range []string{"verdict - --threshold 0.5", "report - --format text", "verify -", "import -"} {
		code, stdout, stderr := tribunal(context.Background(), App{Stdin: zero}, strings.Fields(args)...)
		if code != ExitInput || stdout != "" || !strings.Contains(stderr, "standard input is a device") {
			t.Errorf("%s: exit code %d, %s", args, code, stderr)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		io.WriteString(w, manyTrials(100))
		w.Close()
	}()
	code, _, stderr := tribunal(context.Background(), App{}, "verdict", fmt.Sprintf("/dev/fd/%d", r.Fd()), "--threshold",
		"0.5")
	if code != ExitPass {
		t.Errorf("a pipe by its number: exit code %d, %s", code, stderr)
	}
}
