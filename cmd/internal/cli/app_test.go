package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// tribunal runs a command within this process.
func tribunal(ctx context.Context, app App, args ...string) (code int, stdout, stderr string) {
	var out, problems bytes.Buffer
	if app.Stdout == nil {
		app.Stdout = &out
	}
	app.Stderr = &problems
	code = app.Run(ctx, args)
	return code, out.String(), problems.String()
}

func TestZeroAppRuns(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{
		{nil, ExitUsage},
		{[]string{"version"}, ExitPass},
		{[]string{"verdict", "--passes", "50", "--trials", "50", "--threshold", "0.85"}, ExitPass},
		{[]string{"verdict", "-", "--threshold", "0.85"}, ExitInput},
		{[]string{"", ""}, ExitUsage},
		{[]string{"--"}, ExitUsage},
		{[]string{"verdict", "--"}, ExitUsage},
	} {
		if got := (App{}).Run(context.Background(), c.args); got != c.want {
			t.Errorf("%q: exit code %d, want %d", c.args, got, c.want)
		}
	}
}

func TestExitCodeOfErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{problem.VerdictError(0), 0},
		{problem.VerdictError(1), 1},
		{fmt.Errorf("wrapped: %w", problem.VerdictError(2)), 2},
		{problem.Usage("", "wrong"), 64},
		{&verdict.OptionError{}, 64},
		{&trial.OptionError{}, 64},
		{fmt.Errorf("baseline: %w", &stats.ArgumentError{}), 64},
		{problem.BadInput("wrong", ""), 65},
		{problem.Unavailable("missing", ""), 69},
		{&trial.FileError{}, 65},
		{&trial.SyntaxError{}, 65},
		{&trial.FieldError{}, 65},
		{&trial.DuplicateError{}, 65},
		{&problem.WriteError{Target: "a", Err: os.ErrPermission}, 74},
		{&problem.ClosedPipe{Err: syscall.EPIPE}, 141},
		{fmt.Errorf("journal: %w", &os.PathError{Op: "write", Path: "j", Err: syscall.ENOSPC}), 74},
		{&problem.PanicError{}, 70},
		{errors.New("who knows"), 70},
		{io.ErrUnexpectedEOF, 70},
		{context.Canceled, 130},
		{context.DeadlineExceeded, 130},
		{&problem.SignalError{Signal: syscall.SIGINT}, 130},
		{&problem.SignalError{Signal: syscall.SIGTERM}, 143},
		{&problem.WriteError{Target: "a", Err: problem.Usage("", "wrong")}, 74}, // the outermost counts
	} {
		if got := problem.ExitCode(c.err); got != c.want {
			t.Errorf("%T %v: exit code %d, want %d", c.err, c.err, got, c.want)
		}
	}
}

func TestContextEndsARead(t *testing.T) {
	for _, c := range []struct {
		cause error
		want  int
		says  string
	}{
		{&problem.SignalError{Signal: syscall.SIGINT}, ExitInterrupted, "tribunal: interrupted\n"},
		{&problem.SignalError{Signal: syscall.SIGTERM}, ExitTerminated, "tribunal: terminated\n"},
		{nil, ExitInterrupted, "tribunal: context canceled\n"},
	} {
		for _, args := range [][]string{
			{"verdict", "-", "--threshold", "0.5"},
			{"compare", "-", "other.jsonl"},
			{"import", "-"},
		} {
			ctx, cancel := context.WithCancelCause(context.Background())
			stdin, feed := io.Pipe() // stays open: the read waits for ever
			go func() {
				io.WriteString(feed, manyTrials(1000))
				cancel(c.cause)
			}()
			code, stdout, stderr := tribunal(ctx, App{Stdin: stdin}, args...)
			if code != c.want || stdout != "" || stderr != c.says {
				t.Errorf("%q, %v: exit code %d, stdout %q, stderr %q", args, c.cause, code, stdout, stderr)
			}
			feed.Close()
		}
	}
}

func TestContextThatEndedLeavesNoFile(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&problem.SignalError{Signal: syscall.SIGTERM})
	code, stdout, _ := tribunal(ctx, App{}, "verdict", "--passes", "50", "--trials", "50", "--threshold", "0.85",
		"--output", filepath.Join(folder, "out"))
	if code != ExitTerminated || stdout != "" {
		t.Errorf("exit code %d, stdout %q", code, stdout)
	}
	o, err := outfile.New("--output", filepath.Join(folder, "out"))
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Write(ctx, []byte("text")); problem.ExitCode(err) != ExitTerminated {
		t.Errorf("write: %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestPanicIsInternal(t *testing.T) {
	for _, args := range []string{"verdict - --threshold 0.5", "compare - nothing.jsonl"} {
		code, stdout, stderr := tribunal(context.Background(), App{Stdin: panicReader{}}, strings.Fields(args)...)
		says := regexp.MustCompile(`(?s)^tribunal: internal error: the reader is broken.*panicReader.*hint: .*please`)
		if code != ExitInternal || stdout != "" || !says.MatchString(stderr) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
	app := App{TerminalWidth: func(io.Writer) (int, bool) { panic("no width") }}
	code, _, stderr := tribunal(context.Background(), app, "help")
	if code != ExitInternal || !strings.Contains(stderr, "no width") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

// TestJudgingNeedsAVerdict: a command that forgets its verdict must not pass.
func TestJudgingNeedsAVerdict(t *testing.T) {
	a := completed(App{})
	command := versionCommand(a)
	base.RegisterGlobal(command.Flags(), a)
	forgetful := base.Judging(a, func(context.Context, *pflag.FlagSet, []string) error { return nil })
	defer func() {
		if recover() == nil {
			t.Error("no panic, which Run would turn into exit code 70")
		}
	}()
	t.Errorf("returned %v", forgetful(command, nil))
}

// fullDisk takes some bytes and then no more.
type fullDisk struct{ room int }

func (d *fullDisk) Write(b []byte) (int, error) {
	n := min(len(b), d.room)
	d.room -= n
	if n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func TestFailedWriteIsNoVerdict(t *testing.T) {
	for _, args := range [][]string{
		{"verdict", "--passes", "50", "--trials", "50", "--threshold", "0.85"},
		{"verdict", "--passes", "50", "--trials", "50", "--threshold", "0.85", "--json"},
		{"compare", "--baseline", "93/100", "--candidate", "71/100"},
		{"version"}, {"help"}, {"verdict", "--help"}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"},
		{"completion", "powershell"},
	} {
		for _, room := range []int{0, 5} {
			code, _, stderr := tribunal(context.Background(), App{Stdout: &fullDisk{room}}, args...)
			if want := "tribunal: cannot write standard output: no space left on device\n"; code != ExitOutput ||
				stderr != want {
				t.Errorf("%q with room for %d bytes: exit code %d, stderr %q", args, room, code, stderr)
			}
		}
	}
}

func TestOutputIntoAFolderThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := tribunal(context.Background(), App{}, "verdict", "--passes", "50", "--trials", "50",
		"--threshold", "0.85", "--output", filepath.Join(folder, "out"))
	if code != ExitOutput || stdout != "" || !strings.Contains(stderr, "permission denied") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// TestOutputFallsBackToNothing: what goes wrong after the temporary file was made
// takes that file away again and leaves the target alone.
func TestOutputFallsBackToNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	o, err := outfile.New("--output", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "in-the-way"), 0o777); err != nil { // renaming onto it fails
		t.Fatal(err)
	}
	if err := o.Write(context.Background(), []byte("text")); problem.ExitCode(err) != ExitOutput {
		t.Errorf("write: %v", err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 || left[0].Name() != "out" {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestNewFilesArePrivate: what agents said is the user's own, whatever the umask is; a file that is there
// keeps the mode that somebody gave it.
func TestNewFilesArePrivate(t *testing.T) {
	folder := t.TempDir()
	shared := filepath.Join(folder, "shared.json")
	if err := os.WriteFile(shared, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o644); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]fs.FileMode{filepath.Join(folder, "new.json"): 0o600, shared: 0o644} {
		code, _, stderr := tribunal(context.Background(), App{}, "verdict", "--passes", "50", "--trials", "50",
			"--threshold", "0.85", "--output", file)
		info, err := os.Stat(file)
		if code != 0 || err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: exit code %d, %v, mode %v, want %v: %s", filepath.Base(file), code, err, info.Mode(), want, stderr)
		}
	}
}

// TestEveryFlagHasAVariable: the name that the help promises sets the flag.
func TestEveryFlagHasAVariable(t *testing.T) {
	a := completed(App{})
	root := root(a)
	values := map[string]string{
		"bool": "true", "P": "0.25", "C": "0.75", "N": "7", "K/N": "3/4", "I/N": "2/8", "SIZE": "2MiB", "X": "0.5",
		"SD": "0.25", "AGE": "60d", "string": "text",
		"DESIGN": "wald", "MODE": "density-ratio", "ORDER": "shuffle",
		"METHOD": "", "DETECTOR": "", "METRIC": "cost", "UNIT": "trials", "LIST": "cost", "STREAMS": "suite", "WHEN": "",
		"POLICY": "fail", "GROUP": "scenario", "FORMAT": "csv", "DIALECT": "spark", "VERDICT": "fail", "TEST": "fisher",
		"RULE": "bayes", "WAY": "ignore", "WHAT": "behaviour",
		"COLUMN=SD": "steps=0.5sd", "D=C,...": "tool=0.5", "stringSlice": "[text]", "stringArray": "[text]", "FORM": "junit",
		"FORMAT=FILE": "html=x.html", "duration": "3s", "PATTERN": "^Error",
	}
	// Others of their types are words, and may be smaller.
	rules := map[string]string{"scenario-from": "attribute:task", "pass-when": "score>=0.5", "max-memory": "64MiB",
		"trial-from": "order", "file-mode": "0640"}
	checked := 0
	for _, command := range root.Commands() {
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			// A flag that all commands share is tried once.
			if flag.Name == base.HelpFlag || flag.Changed {
				return
			}
			want, known := values[flag.Value.Type()]
			if rule, ok := rules[flag.Name]; ok {
				want = rule
			}
			if list, ok := flag.Value.(interface{ Completions() []string }); ok && !slices.Contains(list.Completions(), want) {
				names := list.Completions()
				want = names[len(names)-1]
			}
			if !known || want == flag.Value.String() {
				t.Errorf("%s --%s: no value of type %s to try", command.Name(), flag.Name, flag.Value.Type())
				return
			}
			env := clitest.Environment(map[string]string{world.EnvironmentName(flag.Name): strings.Trim(want, "[]")})
			if err := base.ApplyEnvironment(command.Flags(), env); err != nil || flag.Value.String() != want || !flag.Changed {
				t.Errorf("%s --%s is %s after %s=%s: %v", command.Name(), flag.Name, flag.Value, world.EnvironmentName(flag.Name),
					want, err)
			}
			checked++
		})
	}
	if checked < 30 {
		t.Errorf("only %d flags were found", checked)
	}
}

// completed is the app as Run uses it.
func completed(a App) *world.World {
	b := world.World(a)
	return b.Complete()
}

// TestWrongNumbersOfArgumentsAreUsage: too few or too many arguments are no mistake of the program, and get a hint.
func TestWrongNumbersOfArgumentsAreUsage(t *testing.T) {
	refused := 0
	for _, command := range base.WithSubcommands(root(completed(App{}))) {
		for _, n := range []int{0, 1, 2, 50} {
			if command.Args == nil || !command.Runnable() {
				continue
			}
			err := command.Args(command, slices.Repeat([]string{"x"}, n))
			if err == nil {
				continue
			}
			refused++
			said, ok := errors.AsType[interface {
				error
				Hint() string
				ExitCode() int
			}](err)
			if !ok || said.Hint() == "" || said.ExitCode() != ExitUsage {
				t.Errorf("%s with %d arguments: %v", command.CommandPath(), n, err)
			}
		}
	}
	if refused < 10 {
		t.Errorf("%d are refused: nothing is shown", refused)
	}
}
