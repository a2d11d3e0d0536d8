package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// The loop of the examples, over a service with its pytest suite: its model goes up and down, the champion only up, and
// what lies on disk at the end is what pytest says most for. An attempt of a model that edits the tests fails.
func TestRatchetWithPytest(t *testing.T) {
	if os.Getenv("TRIBUNAL_TEST_NODE_MODULES") == "" {
		t.Skip("it is run with the test runners that others wrote")
	}
	for _, program := range []string{"pytest", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	example, err := filepath.Abs(filepath.Join("..", "..", "..", "examples", "ratchet"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("plain", os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS("edits", os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := tribunal(context.Background(), App{}, "improve", "ratchet", "run", "plain")
	if code > ExitFail {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	r := savedLoop(t, "plain/.tribunal/orders.ratchet.json")
	var champions, passes []int
	for _, a := range r.Attempts {
		champions = append(champions, a.Judged.Best.Passes)
		if a.Judged.Counts != nil {
			passes = append(passes, a.Judged.Counts.Passes)
		}
	}
	t.Logf("passes %d, of the champion %d", passes, champions)
	if !slices.IsSorted(champions) || slices.IsSorted(passes) || len(r.Tests) != 17 || r.Averted == 0 || r.CostUSD() <= 0 {
		t.Errorf("passes %d, of the champion %d, %d tests, %d averted", passes, champions, len(r.Tests), r.Averted)
	}
	// What pytest itself counts of what lies there.
	out, _ := exec.Command("pytest", "-q", "--no-header", "plain").CombinedOutput() // it fails where a test does
	want := champions[len(champions)-1]
	if last := strings.TrimSpace(string(out)); !strings.Contains(last[strings.LastIndexByte(last, '\n')+1:],
		strconv.Itoa(want)+" passed") {
		t.Errorf("the current version passes %d, and pytest says %s", want, last)
	}

	t.Setenv("MODEL_EDITS_TESTS", "1")
	if code, stdout, stderr = tribunal(context.Background(), App{}, "improve", "ratchet", "run", "--attempts", "1",
		"edits"); code != ExitFail {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	if r = savedLoop(t, "edits/.tribunal/orders.ratchet.json"); r.Attempts[1].State != improvement.Tampered ||
		r.Champion != 0 {
		t.Errorf("%+v", r.Attempts)
	}
	for _, name := range []string{"tests/test_service.py", "service.py"} {
		before, err := os.ReadFile(filepath.Join(example, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(filepath.Join("edits", filepath.FromSlash(name))); err != nil ||
			string(after) != string(before) {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
}

// savedLoop is a saved result of a loop, which follows from what its attempts recorded.
func savedLoop(t *testing.T, name string) *improvement.Result {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var saved verdict.Result
	if saved, err = verify.Decode(text); err == nil {
		_, err = verify.Verify(t.Context(), saved)
	}
	if err != nil {
		t.Fatal(err)
	}
	return saved.(*improvement.Result)
}
