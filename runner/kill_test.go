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
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

func kills() int { return thorough.Draws(8, 200) }

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

// session is a runner in a process of its own. It continues the journal if there
// is one.
func session(arguments []string) int {
	file, log := arguments[0], arguments[1]
	o, err := killed(log)
	if err != nil {
		return complain(err)
	}
	o.Journal = file
	if len(arguments) > 2 {
		shard, err := journal.ParseShard(arguments[2])
		if err != nil {
			return complain(err)
		}
		o.Shard = &shard
	}
	_, err = os.Stat(file)
	o.Resume = err == nil
	if _, err := Run(context.Background(), o); err != nil {
		return complain(err)
	}
	return 0
}

// killed are the options of the run whose sessions are killed.
func killed(log string) (Options, error) {
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: .9, Delta: .3, Alpha: .1, Beta: .1}, 30)
	if err != nil {
		return Options{}, err
	}
	agent, err := tossed(log)
	if err != nil {
		return Options{}, err
	}
	other, err := tossed(log, "baseline")
	if err != nil {
		return Options{}, err
	}
	against, err := sides()
	if err != nil {
		return Options{}, err
	}
	tests, scenarios := single(design, "a", "b", "c")
	o := Options{
		Tests:     append(tests, Test{Name: "pooled", Design: design, Scenarios: []string{"p", "q"}}),
		Scenarios: append(scenarios, Scenario{Name: "p"}, Scenario{Name: "q"}),
		Agent:     agent, BaselineAgent: other,
		Concurrency: 4, Seed: 11, Retries: 1000, Suite: "kill", Version: "test",
		// Where programs start slowly, the first ten agents may all be killed.
		MaxErrors: 1000,
	}
	// The sides of a test take turns, and so do two variants of one scenario.
	o.Tests = append(o.Tests, Test{Name: "sides", Against: against, Scenarios: []string{"r"}})
	o.Scenarios = append(o.Scenarios, Scenario{Name: "r"})
	o.Variants = map[string]Agent{"usual": o.Agent, "better": o.Agent}
	o.Scenarios = append(o.Scenarios, Scenario{Name: "v"})
	for _, variant := range []string{"usual", "better"} {
		o.Tests = append(o.Tests, Test{Name: "v " + variant, Variant: variant, Design: design, Scenarios: []string{"v"}})
	}
	return o, nil
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
	shard        string // such as 2/3; "" is a whole run
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
	arguments := []string{s.journal, s.log}
	if s.shard != "" {
		arguments = append(arguments, s.shard)
	}
	c := program(s.t, "session", arguments...)
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
			t.Errorf("test %s: %d trials with %d failures and %d errors, and the decision is %+v", d.Test, len(trials), failures,
				errs, d)
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
	s.checkDrawn()
	got := verdicts(s.t, s.journal)
	for test, verdict := range want {
		if got[test] != verdict && got[test] != "inconclusive" {
			s.t.Errorf("test %s is %q, and %q where nothing is killed", test, got[test], verdict)
		}
	}
}

// checkDrawn demands that every trial ended as its seed says or is an error, and that no agent was asked twice.
func (s *sessions) checkDrawn() {
	s.t.Helper()
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

// Shards that are killed and resumed, again and again, have drawn every trial once, and merge into what one process
// finds that is given the same outcomes; no verdict is the opposite of that where nothing is killed.
func TestKilledShards(t *testing.T) {
	const count = 3
	want, took := undisturbed(t)
	random := rand.New(rand.NewPCG(5, 6))
	killings := 0
	for killings < kills() {
		var files []string
		for i := range count {
			s := newSessions(t)
			s.shard = journal.Shard{Index: i + 1, Count: count}.String()
			var before []moment
			longest := took / 2
			for s.start(); !s.within(time.Duration(random.Int64N(int64(longest)))); s.start() {
				longest += took / 4
				if !s.kill() {
					break
				}
				killings++
				before = append(before, s.moment())
			}
			s.check(before)
			s.checkDrawn()
			files = append(files, s.journal)
		}
		o, err := killed("")
		if err != nil {
			t.Fatal(err)
		}
		o.Journal = filepath.Join(t.TempDir(), "merged")
		merged, err := Merge(t.Context(), o, files)
		if err != nil {
			t.Fatal(err)
		}
		got := verdicts(t, o.Journal)
		for test, verdict := range want {
			if got[test] != verdict && got[test] != "inconclusive" {
				t.Errorf("test %s is %q, and %q where nothing is killed", test, got[test], verdict)
			}
		}
		same := retold(t, o, files)
		if one, other := outcomesIn(merged.Result), outcomesIn(same); one != other {
			t.Errorf("merged: %s\nrun:    %s", one, other)
		}
		if t.Failed() {
			t.Fatalf("after %d kills", killings)
		}
	}
	t.Logf("%d kills", killings)
}

// retold is the run of one process whose agent has the outcomes that shards found.
func retold(t *testing.T, o Options, files []string) *Result {
	t.Helper()
	known := map[journal.Key]trial.Outcome{}
	for _, file := range files {
		history, err := journal.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range history.Trials {
			known[x.Launch.Key()] = x.Record.Outcome
		}
	}
	agent := AgentFunc(func(_ context.Context, r Request) Attempt {
		one := &trial.Trial{Outcome: known[journal.Key{Scenario: r.Scenario, Variant: r.Variant, Baseline: r.Baseline,
			Number: r.Trial}]}
		if one.Outcome == trial.Error {
			one.Error = &trial.Cause{Origin: "agent", Message: "lost"}
		}
		return Attempt{Trial: one}
	})
	o.Agent, o.BaselineAgent, o.Journal = agent, agent, ""
	o.Variants = map[string]Agent{"usual": agent, "better": agent}
	return mustRun(t, o)
}

// outcomesIn is what each test came to, with the outcomes in launch order.
func outcomesIn(r *Result) string {
	var b strings.Builder
	for _, x := range r.Tests {
		fmt.Fprintf(&b, "%s %v %d %d %d:", x.Name, x.Outcome, x.Trials, x.Failures, x.Errors)
		for _, s := range r.Trials {
			if s.Test == x.Name {
				fmt.Fprintf(&b, " %v", s.Trial.Outcome)
			}
		}
		b.WriteString("; ")
	}
	return b.String()
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
