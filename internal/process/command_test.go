//go:build unix

package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/leftovers"
)

// The test binary is also the program that the tests run: the variable says what it
// does.
const roleVariable = "PROCESS_TEST_ROLE"

func TestMain(m *testing.M) {
	confine.Main()
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role, os.Args[1:]))
	}
	os.Exit(leftovers.After(m.Run))
}

func play(role string, arguments []string) int {
	switch role {
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "environment":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "flood":
		block := bytes.Repeat([]byte("x"), 1<<16)
		for range 40 {
			_, _ = os.Stdout.Write(block)
			_, _ = os.Stderr.Write(bytes.Repeat([]byte("y"), 1<<10))
		}
		fmt.Fprint(os.Stderr, "the end")
	case "exit":
		code, _ := strconv.Atoi(arguments[0])
		fmt.Fprint(os.Stderr, "no luck")
		return code
	case "suicide":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "family": // a child and a grandchild that heed no signal, their numbers in a file
		return family(arguments[0], arguments[1])
	case "secret":
		fmt.Print("key=", os.Getenv("API_KEY"), " end")
		quoted, _ := json.Marshal(os.Getenv("API_KEY"))
		fmt.Fprint(os.Stderr, "bad key ", string(quoted))
	case "endless": // on the standard output, or another stream
		return endless(arguments)
	case "stubborn": // hears nothing of being asked to end
		ignoreTermination()
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "adoptive": // a runner in a process of its own
		return adoptive(arguments)
	case "deaf": // never reads its input
		fmt.Print("done")
	case "confined": // a runner in a process of its own, whose programs have cgroups where that can be had
		return confined(arguments)
	}
	return 0
}

func family(file, depth string) int {
	ignoreTermination()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	fmt.Fprintln(f, os.Getpid())
	f.Close()
	if n, _ := strconv.Atoi(depth); n > 0 {
		child := exec.Command(os.Args[0], file, strconv.Itoa(n-1))
		child.Stdout = os.Stdout
		if child.Start() != nil {
			return 1
		}
	}
	time.Sleep(time.Minute)
	return 0
}

// program returns a command that plays the role.
func program(t testing.TB, role string, arguments ...string) Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command{Argv: append([]string{self}, arguments...), Environment: Environment{Set: map[string]string{
		roleVariable: role, "GORACE": "atexit_sleep_ms=0",
	}}}
}

func execute(t testing.TB, c Command, stdin string) *Result {
	t.Helper()
	p, err := c.Run(context.Background(), []byte(stdin))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// eventually waits for what must come true soon, however slow the machine.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not after 20 s", what)
		}
	}
}

func TestInputReachesTheProgram(t *testing.T) {
	text := strings.Repeat("né\n", 100_000) // more than a pipe holds
	p := execute(t, program(t, "echo"), text)
	if string(p.Stdout) != text || p.ExitCode != 0 || p.Signal != "" || p.TimedOut || p.Truncated || p.Duration <= 0 {
		t.Errorf("%d bytes of %d, exit code %d, signal %q", len(p.Stdout), len(text), p.ExitCode, p.Signal)
	}
	if p := execute(t, program(t, "deaf"), text); string(p.Stdout) != "done" || p.ExitCode != 0 {
		t.Errorf("a program that reads nothing: %+v", p)
	}
}

func TestExitCodeAndSignal(t *testing.T) {
	if p := execute(t, program(t, "exit", "3"), ""); p.ExitCode != 3 || p.Signal != "" || p.Stderr != "no luck" {
		t.Errorf("%+v", p)
	}
	if p := execute(t, program(t, "suicide"), ""); p.ExitCode != -1 || p.Signal != "killed" {
		t.Errorf("%+v", p)
	}
}

func TestProgramThatCannotStart(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		argv []string
		is   error
		hint string
	}{
		{[]string{"no-such-program-anywhere"}, exec.ErrNotFound, "PATH"},
		{[]string{"./no/such/program"}, os.ErrNotExist, "working directory"},
		{[]string{plain}, os.ErrPermission, "executable"},
		{nil, nil, "no program"},
	} {
		_, err := Command{Argv: c.argv}.Run(context.Background(), nil)
		var start *StartError
		if !errors.As(err, &start) || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.hint) {
			t.Errorf("%q: %v", c.argv, err)
		}
	}
}

func TestOutputIsCapped(t *testing.T) {
	c := program(t, "flood")
	c.MaxOutputBytes, c.MaxStderrBytes = 1000, 20
	p := execute(t, c, "")
	if len(p.Stdout) != 1000 || !p.Truncated {
		t.Errorf("%d bytes, truncated %v", len(p.Stdout), p.Truncated)
	}
	if want := strings.Repeat("y", 13) + "the end"; p.Stderr != want {
		t.Errorf("standard error %q, want %q", p.Stderr, want)
	}
	if p.Overflowed {
		t.Error("so much is read")
	}
	c.MaxOutputBytes = 40 << 16
	if p := execute(t, c, ""); len(p.Stdout) != 40<<16 || p.Truncated {
		t.Errorf("%d bytes, truncated %v", len(p.Stdout), p.Truncated)
	}
}

func TestTimeoutKillsGrandchildren(t *testing.T) {
	testFamily(t, func(c *Command) (context.Context, func(*Result) bool) {
		c.Timeout = 300 * time.Millisecond
		return context.Background(), func(p *Result) bool { return p.TimedOut && !p.Cancelled }
	})
}

func TestCancellationKillsGrandchildren(t *testing.T) {
	testFamily(t, func(c *Command) (context.Context, func(*Result) bool) {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		t.Cleanup(cancel)
		return ctx, func(p *Result) bool { return p.Cancelled && !p.TimedOut }
	})
}

func testFamily(t *testing.T, limit func(*Command) (context.Context, func(*Result) bool)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pids")
	c := program(t, "family", file, "2")
	c.Grace = 50 * time.Millisecond
	ctx, ended := limit(&c)
	p, err := c.Run(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !ended(p) || p.Signal != "killed" {
		t.Errorf("%+v", p)
	}
	text, _ := os.ReadFile(file)
	pids := strings.Fields(string(text))
	if len(pids) == 0 {
		t.Fatal("the program never ran")
	}
	for _, field := range pids {
		pid, _ := strconv.Atoi(field)
		eventually(t, "process "+field+" is gone", func() bool { return leftovers.Gone(pid) })
	}
	if len(leftovers.Children(os.Getpid())) > 0 {
		t.Error("a child is left, perhaps as a zombie")
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("PROCESS_TEST_HIDDEN", "h")
	t.Setenv("PROCESS_TEST_ALLOWED", "a")
	t.Setenv("LC_TEST", "l")
	c := program(t, "environment")
	c.Environment.Allow = []string{"PROCESS_TEST_ALLOWED"}
	c.Environment.Set["REGION"] = "eu"
	lines := strings.Split(string(execute(t, c, "").Stdout), "\n")
	for line, want := range map[string]bool{
		"PROCESS_TEST_HIDDEN=h": false, "PROCESS_TEST_ALLOWED=a": true, "LC_TEST=l": true, "REGION=eu": true,
		"PATH=" + os.Getenv("PATH"): true,
	} {
		if slices.Contains(lines, line) != want {
			t.Errorf("%s: %v", line, !want)
		}
	}
}

func TestSecretsAreRemovedFromComplaints(t *testing.T) {
	c := program(t, "secret")
	c.Environment.Set["API_KEY"] = "s3\"cret\\"
	c.Redact = []string{"API_KEY", "NOT_SET"}
	p := execute(t, c, "")
	// Who keeps the output removes them, after it was judged; but what is cut off must not leave a part.
	if want := "key=s3\"cret\\ end"; string(p.Stdout) != want {
		t.Errorf("%q, want %q", p.Stdout, want)
	}
	if want := `bad key "[redacted API_KEY]"`; p.Stderr != want {
		t.Errorf("%q, want %q", p.Stderr, want)
	}
	for limit := 1; limit < 14; limit++ {
		c.MaxOutputBytes, c.MaxStderrBytes = limit, limit
		p := execute(t, c, "")
		part := strings.Contains(string(p.Stdout), "s3") && !strings.Contains(string(p.Stdout), `s3"cret\`)
		if part || strings.Contains(p.Stderr, "et\\") {
			t.Errorf("limit %d: %q, %q", limit, p.Stdout, p.Stderr)
		}
	}
}

// A program leads a session of its own, which has no terminal, and its group.
func TestSessionOfItsOwn(t *testing.T) {
	const fields = `read -r pid name state parent group session terminal rest < /proc/self/stat
		echo $group $session $terminal`
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc: ", err)
	}
	p := execute(t, Command{Argv: []string{"sh", "-c", "echo $$\n" + fields}}, "")
	lines := strings.Fields(string(p.Stdout))
	if len(lines) != 4 || lines[1] != lines[0] || lines[2] != lines[0] || lines[3] != "0" {
		t.Errorf("number, group, session and terminal are %q", lines)
	}
}
