//go:build unix

package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/leftovers"
	"github.com/tribunal-dev/tribunal/runner/journal"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// longVariable asks for the tests that take minutes.
const longVariable = "TRIBUNAL_LONG"

func kills() int {
	switch {
	case os.Getenv(longVariable) != "":
		return 200
	case testing.Short():
		return 8
	}
	return 20
}

// coin is an agent: what comes of a trial follows from its seed, and failures take
// longer. It writes down in a file which trial it runs, and its number into the record,
// so that a trial that is run again has another record. That of the baseline's side fails less.
func coin(file string, baseline bool) int {
	var request struct {
		Scenario string
		Variant  string
		Trial    int
		Seed     uint64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		return 1
	}
	log, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	fmt.Fprintln(log, journal.Key{
		Scenario: request.Scenario, Variant: request.Variant, Baseline: baseline, Number: request.Trial,
	})
	log.Close()
	outcome, delay := toss(request.Seed, request.Variant, baseline), 2*time.Millisecond
	if outcome == trial.Fail {
		delay *= 5
	}
	time.Sleep(delay)
	fmt.Printf(`{"outcome":%q,"output":%d}`, outcome, os.Getpid())
	return 0
}

// toss is what comes of a trial.
func toss(seed uint64, variant string, baseline bool) trial.Outcome {
	rate := .75
	if variant == "better" || baseline {
		rate = .95
	}
	if rand.New(rand.NewPCG(seed, 3)).Float64() > rate {
		return trial.Fail
	}
	return trial.Pass
}

// session is a runner in a process of its own. It goes on with the journal if there
// is one.
func session(arguments []string) int {
	file, log := arguments[0], arguments[1]
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: .9, Delta: .3, Alpha: .1, Beta: .1}, 30)
	if err != nil {
		return complain(err)
	}
	agent, err := tossed(log)
	if err != nil {
		return complain(err)
	}
	other, err := tossed(log, "baseline")
	if err != nil {
		return complain(err)
	}
	against, err := sides()
	if err != nil {
		return complain(err)
	}
	tests, scenarios := single(design, "a", "b", "c")
	o := Options{
		Tests:     append(tests, Test{Name: "pooled", Design: design, Scenarios: []string{"p", "q"}}),
		Scenarios: append(scenarios, Scenario{Name: "p"}, Scenario{Name: "q"}),
		Agent:     agent, BaselineAgent: other,
		Concurrency: 4, Seed: 11, Retries: 1000, Journal: file, Suite: "kill", Version: "test",
	}
	// The sides of a test take turns, and so do two variants of one scenario.
	o.Tests = append(o.Tests, Test{Name: "sides", Against: against, Scenarios: []string{"r"}})
	o.Scenarios = append(o.Scenarios, Scenario{Name: "r"})
	o.Variants = map[string]Agent{"usual": o.Agent, "better": o.Agent}
	o.Scenarios = append(o.Scenarios, Scenario{Name: "v"})
	for _, variant := range []string{"usual", "better"} {
		o.Tests = append(o.Tests, Test{Name: "v " + variant, Variant: variant, Design: design, Scenarios: []string{"v"}})
	}
	_, err = os.Stat(file)
	o.Resume = err == nil
	if _, err := Run(context.Background(), o); err != nil {
		return complain(err)
	}
	return 0
}

// tossed is the coin as an agent.
func tossed(arguments ...string) (Agent, error) {
	command, err := player("coin", arguments...)
	return &CommandAgent{Command: command, Parse: func(r Request, output []byte) (*trial.Trial, error) {
		return trial.Decode(output, trial.Options{Scenario: r.Scenario})
	}}, err
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// sessions starts sessions over one journal, one after the other.
type sessions struct {
	t            *testing.T
	journal, log string
	cmd          *exec.Cmd
	stderr       *os.File // a file: a pipe would be waited for until the last agent has ended
	ended        chan error
}

func newSessions(t *testing.T) *sessions {
	dir := t.TempDir()
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stderr.Close() })
	return &sessions{t: t, journal: filepath.Join(dir, "journal"), log: filepath.Join(dir, "log"), stderr: stderr}
}

func (s *sessions) start() {
	s.t.Helper()
	c := program(s.t, "session", s.journal, s.log)
	s.cmd = exec.Command(c.Argv[0], c.Argv[1:]...)
	s.cmd.Env = os.Environ()
	for name, value := range c.Environment.Set {
		s.cmd.Env = append(s.cmd.Env, name+"="+value)
	}
	s.cmd.Stderr = s.stderr
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.cmd.Wait() }()
}

// within reports whether the session ended by itself in that time, and well.
func (s *sessions) within(limit time.Duration) bool {
	s.t.Helper()
	select {
	case err := <-s.ended:
		if err != nil {
			text, _ := os.ReadFile(s.stderr.Name())
			s.t.Fatalf("the session ended with %v: %s", err, text)
		}
		return true
	case <-time.After(limit):
		return false
	}
}

// kill kills the session. It reports false where the session was faster.
func (s *sessions) kill() bool {
	_ = s.cmd.Process.Kill()
	err := <-s.ended
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != -1) {
		text, _ := os.ReadFile(s.stderr.Name())
		s.t.Fatalf("the session ended with %v: %s", err, text)
	}
	return err != nil
}

// moment is what a journal and the log of the agents say at one time.
type moment struct {
	finished map[string]string // record by trial
	logged   int               // bytes
}

func (s *sessions) moment() moment {
	s.t.Helper()
	m := moment{finished: map[string]string{}}
	// First the journal: what it tells has ended by the time that the log is read.
	history, err := journal.Read(s.journal)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, journal.ErrNoHeader):
	case err != nil:
		s.t.Fatal(err)
	default:
		for _, x := range history.Trials {
			if x.End != nil {
				m.finished[x.Launch.Key().String()] = string(x.End.Record)
			}
		}
	}
	if information, err := os.Stat(s.log); err == nil {
		m.logged = int(information.Size())
	}
	return m
}

// check compares the end of a run with what its journal said before.
func (s *sessions) check(before []moment) {
	s.t.Helper()
	last := s.moment()
	log, err := os.ReadFile(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	for i, m := range before {
		for key, record := range m.finished {
			if last.finished[key] != record {
				s.t.Errorf("kill %d: trial %s was %s, and is %s", i, key, record, last.finished[key])
			}
		}
		for line := range strings.Lines(string(log[m.logged:])) {
			if key := strings.TrimSpace(line); m.finished[key] != "" {
				s.t.Errorf("kill %d: trial %s had ended, and is run again", i, key)
			}
		}
	}
}

// judged is what a journal says of the judged trials of each test, and of its end.
func judged(t *testing.T, file string) (lines []string) {
	t.Helper()
	history, err := journal.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range history.Decisions {
		var trials []string
		failures, errs, seen := 0, 0, map[journal.Key]bool{}
		for _, x := range history.Trials {
			l := x.Launch
			if l.Test != d.Test || len(trials) == d.Trials {
				continue
			}
			key := l.Key()
			if seen[key] || x.End == nil {
				t.Fatalf("test %s: %v is judged twice, or has not ended", d.Test, key)
			}
			seen[key] = true
			switch x.Record.Outcome {
			case trial.Fail:
				failures++
			case trial.Error:
				errs++
			}
			trials = append(trials, fmt.Sprint(d.Test, " ", key, " ", l.Seed, " ", x.Record.Outcome))
		}
		if len(trials) != d.Trials || failures != d.Failures || errs != d.Errors {
			t.Errorf("test %s: %d trials with %d failures and %d errors, and the decision is %+v", d.Test, len(trials), failures, errs, d)
		}
		lines = append(append(lines, fmt.Sprintf("%s: %+v", d.Test, d)), trials...)
	}
	slices.Sort(lines) // the tests may end in another order
	return lines
}

// undisturbed returns the verdicts of a run that nobody kills, by test, and how long it took.
func undisturbed(t *testing.T) (map[string]string, time.Duration) {
	t.Helper()
	s := newSessions(t)
	begin := time.Now()
	s.start()
	if !s.within(time.Minute) {
		s.kill()
		t.Fatal("the session never ends")
	}
	took := time.Since(begin)
	want := judged(t, s.journal)
	if decided := strings.Count(strings.Join(want, "\n"), "Outcome:"); decided != 7 || len(want) < 60 {
		t.Fatalf("%d tests and %d lines are too few to tell anything", decided, len(want))
	}
	return verdicts(t, s.journal), took
}

// verdicts are the decisions of a journal, by test.
func verdicts(t *testing.T, file string) map[string]string {
	t.Helper()
	history, err := journal.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, d := range history.Decisions {
		list[d.Test] = d.Outcome
	}
	return list
}

// checkDraws demands that every trial is drawn once: it ended as its seed says or is an error, no agent was
// asked twice, and no verdict is the opposite of that of the run that nobody kills, which has the same draws.
func (s *sessions) checkDraws(want map[string]string) {
	s.t.Helper()
	judged(s.t, s.journal)
	history, err := journal.Read(s.journal)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, x := range history.Trials {
		if x.Record == nil || x.Record.Outcome == trial.Error {
			continue
		}
		if drawn := toss(x.Launch.Seed, x.Launch.Variant, x.Launch.Baseline); x.Record.Outcome != drawn {
			s.t.Errorf("%v is %v, and was drawn %v", x.Launch.Key(), x.Record.Outcome, drawn)
		}
	}
	log, err := os.ReadFile(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	asked := map[string]bool{}
	for line := range strings.Lines(string(log)) {
		if asked[line] {
			s.t.Errorf("asked twice: %s", line)
		}
		asked[line] = true
	}
	got := verdicts(s.t, s.journal)
	for test, verdict := range want {
		if got[test] != verdict && got[test] != "inconclusive" {
			s.t.Errorf("test %s is %q, and %q where nothing is killed", test, got[test], verdict)
		}
	}
}

// A run whose sessions are killed again and again never says the opposite of one that is not.
func TestKilledSessions(t *testing.T) {
	want, took := undisturbed(t)
	random := rand.New(rand.NewPCG(1, 2))
	killed, runs, inside := 0, 0, 0
	for ; killed < kills(); runs++ {
		s := newSessions(t)
		var before []moment
		// Longer each time: on a slow machine a session may do nothing but begin.
		longest := took / 2
		for s.start(); !s.within(time.Duration(random.Int64N(int64(longest)))); s.start() {
			longest += took / 20
			if !s.kill() {
				break
			}
			killed++
			m := s.moment()
			if len(m.finished) > 0 {
				inside++
			}
			before = append(before, m)
		}
		s.check(before)
		if s.checkDraws(want); t.Failed() {
			t.Fatalf("run %d, after %d kills", runs, len(before))
		}
	}
	t.Logf("%d kills, %d of them after the first trial had ended, in %d runs; one takes %v", killed, inside, runs, took)
	if inside < killed/4 {
		t.Errorf("only %d of %d kills came after the first trial had ended", inside, killed)
	}
}

// A run whose agents are killed again and again never says the opposite of one that is not.
func TestKilledAgents(t *testing.T) {
	if len(leftovers.Children(os.Getppid())) == 0 {
		t.Skip("the children of a process cannot be listed here")
	}
	want, _ := undisturbed(t)
	random := rand.New(rand.NewPCG(3, 4))
	killed, noticed := 0, 0
	for killed < kills() {
		s := newSessions(t)
		const most = 30 // in a run: where programs start slowly, none would ever end
		inRun := 0
		for s.start(); !s.within(time.Duration(random.Int64N(int64(20 * time.Millisecond)))); {
			if agents := leftovers.Children(s.cmd.Process.Pid); len(agents) > 0 && inRun < most {
				if syscall.Kill(agents[random.IntN(len(agents))], syscall.SIGKILL) == nil {
					inRun++
				}
			}
		}
		killed += inRun
		if s.checkDraws(want); t.Failed() {
			t.Fatalf("after %d kills", killed)
		}
		text, err := os.ReadFile(s.journal)
		if err != nil {
			t.Fatal(err)
		}
		noticed += bytes.Count(text, []byte("ended by a signal: killed"))
	}
	t.Logf("%d agents were killed, %d before they had ended", killed, noticed)
	if noticed < killed/4 {
		t.Errorf("only %d of %d killed agents were noticed", noticed, killed)
	}
}
