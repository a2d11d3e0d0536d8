package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// A read that waits ends with the context, with its cause.
func TestReadResultEndsWithTheContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	stdin, feed := io.Pipe() // nobody writes
	defer feed.Close()
	go cancel(cause)
	if result, err := ReadResult(ctx, "-", stdin); !errors.Is(err, cause) || result != nil {
		t.Errorf("%v, %v", result, err)
	}
}

func TestReadResultSaysWhatIsWrong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(file, []byte(`{"a":1}`), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := ReadResult(context.Background(), file, nil)
	var problem *Problem
	if !errors.As(err, &problem) || problem.ExitCode() != exit.Input ||
		!strings.HasPrefix(problem.Message(), file+" is no saved") {
		t.Errorf("no result: %v", err)
	}
	if _, err := ReadResult(context.Background(), file+"x", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestSelect(t *testing.T) {
	s := &suite.Suite{Scenarios: []suite.Scenario{
		{Name: "payment-card", Tags: []string{"slow"}}, {Name: "refund"},
		{Name: "payment-cash", Tags: []string{"new", "slow"}},
	}}
	for _, c := range []struct {
		globs, tags []string
		want        []string
	}{
		{nil, nil, []string{"payment-card", "refund", "payment-cash"}},
		{[]string{"payment-*"}, nil, []string{"payment-card", "payment-cash"}},
		{[]string{"refund", "*-cash"}, nil, []string{"refund", "payment-cash"}},
		{nil, []string{"new", "odd"}, []string{"payment-cash"}},
		{[]string{"*-card"}, []string{"new"}, nil},
	} {
		chosen, err := Select(s, c.globs, c.tags)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, scenario := range chosen {
			names = append(names, scenario.Name)
		}
		if diff := cmp.Diff(c.want, names); diff != "" {
			t.Errorf("%v %v (-want +got):\n%s", c.globs, c.tags, diff)
		}
	}
	if _, err := Select(s, []string{"["}, nil); !errors.Is(err, path.ErrBadPattern) {
		t.Errorf("a bad glob: %v", err)
	}
}

func TestRunOf(t *testing.T) {
	run := &runs.Result{}
	for _, c := range []struct {
		result verdict.Result
		want   *runs.Result
	}{{run, run}, {&gate.Result{Run: run}, run}, {&gate.Result{}, nil}, {&verdict.ThresholdResult{}, nil}, {nil, nil}} {
		if got := RunOf(c.result); got != c.want {
			t.Errorf("%T: %v", c.result, got)
		}
	}
}

// A journal that nobody asked for may be missing; one that was named may not.
func TestJournalTrialsOfNoFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.jsonl")
	if trials, err := JournalTrials(context.Background(), file, false, &runs.Result{}); trials != nil || err != nil {
		t.Errorf("%v, %v", trials, err)
	}
	if _, err := JournalTrials(context.Background(), file, true, &runs.Result{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("required: %v", err)
	}
}
