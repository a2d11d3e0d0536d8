//go:build unix

package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// lines is an agent that stays up. It notes in a file, a line each, which trials it read, and answers with its own
// number. What it does otherwise stands in its arguments: KIND=TRIAL.
func lines(file string, arguments ...string) int {
	log, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return complain(err)
	}
	defer log.Close()
	fmt.Fprintln(os.Stderr, "imports")
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var request struct {
			Scenario string
			Trial    int
			Seed     uint64
		}
		if err := json.Unmarshal(in.Bytes(), &request); err != nil {
			return complain(err)
		}
		fmt.Fprintln(log, request.Scenario, request.Trial)
		fmt.Fprintln(os.Stderr, "on trial", request.Trial)
		does := func(kind string) bool {
			return slices.Contains(arguments, fmt.Sprintf("%s=%d", kind, request.Trial)) || slices.Contains(arguments, kind)
		}
		switch {
		case does("hang"):
			time.Sleep(time.Minute)
		case does("segfault"):
			// Go's runtime would catch the signal.
			return complain(syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -SEGV $$"}, os.Environ()))
		case does("exit"):
			return 3
		case does("two"):
			fmt.Printf("\"a\"\n\"b\"\n")
			continue
		case does("other"):
			fmt.Printf("{\"trial\":%d,\"output\":0}\n", request.Trial+1)
			continue
		case does("long"):
			fmt.Println(strings.Repeat("x", 3000))
			continue
		case does("endless"):
			for block := strings.Repeat("x", 1<<16); ; {
				fmt.Print(block)
			}
		}
		fmt.Printf("{\"outcome\":\"pass\",\"output\":%d}\n", os.Getpid())
		if does("last") {
			return 4
		}
	}
	return 0
}

// sessionAgent returns an agent that plays lines, and the file in which it notes what it read.
func sessionAgent(t testing.TB, arguments ...string) (*SessionAgent, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log")
	command := program(t, "lines", append([]string{file}, arguments...)...)
	command.Timeout, command.Grace = 10*time.Second, time.Second
	a := &SessionAgent{CommandAgent: CommandAgent{Command: command, SilentExitIsError: true, Parse: decoded}}
	t.Cleanup(a.Close)
	return a, file
}

// decoded reads a record.
func decoded(r Request, output []byte) (*trial.Trial, error) {
	return trial.Decode(output, trial.Options{Scenario: r.Scenario, Unjudged: true})
}

func ask(a Agent, n int) Attempt {
	return a.Run(context.Background(), Request{Scenario: "s", Trial: n})
}

func TestSessionStaysUp(t *testing.T) {
	a, file := sessionAgent(t)
	var pids []string
	for n := range 3 {
		attempt := ask(a, n)
		if attempt.Err != nil || attempt.Broken || attempt.Trial.Outcome != trial.Pass || attempt.Process.ExitCode != 0 {
			t.Fatalf("%d: %+v", n, attempt)
		}
		pids = append(pids, string(attempt.Trial.Output))
		want := fmt.Sprintf("on trial %d\n", n)
		if n == 0 {
			want = "imports\n" + want
		}
		if attempt.Process.Stderr != want {
			t.Errorf("trial %d complained %q, not %q", n, attempt.Process.Stderr, want)
		}
	}
	if pids[0] != pids[2] || pids[0] != pids[1] {
		t.Errorf("another program answered: %v", pids)
	}
	if diff := cmp.Diff("s 0\ns 1\ns 2\n", content(t, file)); diff != "" {
		t.Error(diff)
	}
	a.Close()
	if attempt := ask(a, 3); attempt.Err != nil || string(attempt.Trial.Output) == pids[0] {
		t.Errorf("after its end: %+v", attempt)
	}
}

func content(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What a program does wrong is the end of one trial alone: the next has another program, and none is asked twice.
func TestSessionThatBreaksIsAnother(t *testing.T) {
	for _, c := range []struct {
		kind    string
		err     string // type of the error of the trial; "" where it is the agent's failure
		problem string
	}{
		{"hang", "", "timeout"},
		{"segfault", "", "signal"},
		{"exit", "exit", ""},
		{"two", "", "output"},
		{"other", "", "output"},
		{"endless", "", "output"},
	} {
		t.Run(c.kind, func(t *testing.T) {
			a, file := sessionAgent(t, c.kind+"=1")
			a.Command.MaxOutputBytes = 1000
			if c.kind == "hang" {
				a.Command.Timeout, a.Command.Grace = 2*time.Second, 0
			}
			first, broken, last := ask(a, 0), ask(a, 1), ask(a, 2)
			if first.Err != nil || last.Err != nil || first.Broken || last.Broken ||
				string(first.Trial.Output) == string(last.Trial.Output) {
				t.Errorf("first %+v, last %+v", first, last)
			}
			var infrastructure *InfrastructureError
			switch {
			case c.err != "":
				if !errors.As(broken.Err, &infrastructure) || infrastructure.Type != c.err || infrastructure.Unbegun {
					t.Errorf("%+v", broken)
				}
			case broken.Err != nil || !broken.Broken || broken.Trial.Error.Type != c.problem:
				t.Errorf("%+v", broken)
			}
			if diff := cmp.Diff("s 0\ns 1\ns 2\n", content(t, file)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// One that ends after each answer is started anew, and no request is lost to it.
func TestSessionThatEndsAfterItsAnswer(t *testing.T) {
	a, file := sessionAgent(t, "last")
	want := ""
	for n := range 10 {
		if attempt := ask(a, n); attempt.Err != nil || attempt.Broken || attempt.Process.ExitCode != 0 {
			t.Fatalf("%d: %+v %+v", n, attempt, attempt.Process)
		}
		want += fmt.Sprintf("s %d\n", n)
	}
	if diff := cmp.Diff(want, content(t, file)); diff != "" {
		t.Error(diff)
	}
}

func TestSessionLongLines(t *testing.T) {
	a, _ := sessionAgent(t, "long=1")
	a.Command.MaxOutputBytes, a.Parse = 1000, nil
	first, long, last := ask(a, 0), ask(a, 1), ask(a, 2)
	if !long.Process.Truncated || len(long.Process.Stdout) != 1000 || long.Broken {
		t.Errorf("%+v", long)
	}
	if string(first.Trial.Output) != string(last.Trial.Output) {
		t.Error("it was started again")
	}
	// More than a pipe holds, both ways at once.
	attempt := a.Run(context.Background(), Request{Scenario: "s", Input: trial.RawString(strings.Repeat("y", 4<<20))})
	if attempt.Err != nil || string(attempt.Trial.Output) != string(last.Trial.Output) {
		t.Errorf("%+v", attempt)
	}
}

func TestSessionThatCannotBegin(t *testing.T) {
	a := &SessionAgent{CommandAgent: CommandAgent{Command: process.Command{Argv: []string{"no-such-program-anywhere"}}}}
	var infrastructure *InfrastructureError
	if attempt := ask(a, 0); !errors.As(attempt.Err, &infrastructure) || !infrastructure.Unbegun {
		t.Errorf("%+v", attempt)
	}
	// One that ends without reading is asked once, and not for ever.
	silent := &SessionAgent{CommandAgent: CommandAgent{
		Command: process.Command{Argv: []string{"sh", "-c", "exit 5"}}, SilentExitIsError: true,
	}}
	if attempt := ask(silent, 0); !errors.As(attempt.Err, &infrastructure) || infrastructure.Type != "exit" ||
		attempt.Process.ExitCode != 5 {
		t.Errorf("%+v", attempt)
	}
}

func TestSessionIsCancelled(t *testing.T) {
	a, _ := sessionAgent(t, "hang")
	a.Command.Grace = 0
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	attempt := a.Run(ctx, Request{Scenario: "s"})
	if attempt.Process == nil || !attempt.Process.Cancelled || attempt.Err == nil {
		t.Errorf("%+v", attempt)
	}
}

// A program that is killed from elsewhere in the middle of a run costs the trials that it was on, and no other is lost
// or made twice.
func TestRunWithSessionsThatAreKilled(t *testing.T) {
	const trials = 300
	a, file := sessionAgent(t)
	d, err := fixedDesign(trials)
	if err != nil {
		t.Fatal(err)
	}
	o := options(d, a, "s")
	o.Journal, o.Concurrency = filepath.Join(t.TempDir(), "journal"), 3
	killed := 0
	o.Progress = func(p Progress) {
		if p.Trials/50 > killed {
			killed++
			for _, pid := range pidsOf(file) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				break
			}
		}
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	launched, ended := counted(t, o.Journal)
	if len(launched) != trials || len(ended) != trials {
		t.Errorf("%d trials were launched and %d ended", len(launched), len(ended))
	}
	for key, n := range ended {
		if n != 1 || launched[key] != 1 {
			t.Errorf("%v was launched %d times, and ended %d times", key, launched[key], n)
		}
	}
	read := map[string]int{}
	for line := range strings.Lines(content(t, file)) {
		read[line]++
	}
	for line, n := range read {
		if n != 1 {
			t.Errorf("%q was asked %d times", line, n)
		}
	}
	if errored := r.Tests[0].Errors; killed == 0 || errored > killed {
		t.Errorf("%d programs were killed, and %d trials are errors", killed, errored)
	}
	if left := pidsOf(file); len(left) > 0 {
		t.Errorf("%v still run", left)
	}
}

// fixedDesign is one of so many trials.
func fixedDesign(trials int) (sprt.Design, error) {
	return sprt.Fixed(sprt.Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}, trials)
}

// counted counts the launches and the ends of trials in a journal.
func counted(t testing.TB, file string) (launched, ended map[journal.Key]int) {
	t.Helper()
	launched, ended = map[journal.Key]int{}, map[journal.Key]int{}
	for text := range strings.Lines(content(t, file)) {
		line, err := journal.ParseLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case line.Launch != nil:
			launched[line.Launch.Key()]++
		case line.End != nil:
			ended[line.End.Key()]++
		}
	}
	return launched, ended
}

// pidsOf are the processes with a file among their arguments.
func pidsOf(file string) (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil || !slices.Contains(strings.Split(string(text), "\x00"), file) {
			continue
		}
		pid := 0
		if _, err := fmt.Sscanf(name, "/proc/%d/", &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// upRunner is a runner of sessions in a process of its own. It continues the journal if there is one.
func upRunner(arguments []string) int {
	file, log := arguments[0], arguments[1]
	command, err := player("lines", log)
	if err != nil {
		return complain(err)
	}
	command.Timeout, command.Grace = time.Minute, time.Second
	d, err := fixedDesign(200)
	if err != nil {
		return complain(err)
	}
	o := options(d, &SessionAgent{CommandAgent: CommandAgent{Command: command, Parse: slowly}}, "s")
	o.Journal, o.Concurrency, o.Suite, o.Version = file, 3, "kill", "test"
	_, err = os.Stat(file)
	o.Resume = err == nil
	if _, err := Run(context.Background(), o); err != nil {
		return complain(err)
	}
	return 0
}

// slowly reads a record, so that a run takes a while.
func slowly(r Request, output []byte) (*trial.Trial, error) {
	time.Sleep(2 * time.Millisecond)
	return decoded(r, output)
}

// A runner that is killed is continued: its programs end with it, what they were on is an error, and no trial is
// lost or made twice.
func TestKilledRunnerOfSessions(t *testing.T) {
	folder := t.TempDir()
	file, log := filepath.Join(folder, "journal"), filepath.Join(folder, "log")
	killed := 0
	for i := 0; ; i++ {
		if i == 100 {
			t.Fatal("it does not come to an end")
		}
		command, err := player("up-runner", file, log)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(command.Argv[0], command.Argv[1:]...)
		cmd.Env = append(os.Environ(), roleVariable+"=up-runner")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if i < 4 {
			timer := time.AfterFunc(150*time.Millisecond, func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
		}
		if err := cmd.Wait(); err == nil {
			break
		} else if cmd.ProcessState.ExitCode() != -1 {
			t.Fatal(err, stderr.String())
		}
		killed++
	}
	launched, ended := counted(t, file)
	if len(launched) != 200 || len(ended) != 200 {
		t.Errorf("after %d kills %d trials were launched and %d ended", killed, len(launched), len(ended))
	}
	read := map[string]int{}
	for line := range strings.Lines(content(t, log)) {
		if read[line]++; read[line] > 1 {
			t.Errorf("%q was asked twice", line)
		}
	}
	for key, n := range ended {
		if n != 1 {
			t.Errorf("%v ended %d times", key, n)
		}
	}
	if left := pidsOf(log); len(left) > 0 {
		t.Errorf("%v still run", left)
	}
}

// BenchmarkSession runs 10,000 trials of a program that stays up and does nothing, and reports what the runner adds
// to the bare exchange of lines.
func BenchmarkSession(b *testing.B) {
	const trials = 10_000
	count := 0
	for b.Loop() {
		a, _ := sessionAgent(b)
		o := benchmarked(b, a, trials)
		o.Concurrency = 2
		runAll(b, o)
		count += trials
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(count), "ms/trial")
}
