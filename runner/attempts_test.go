//go:build unix

package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
)

// drawsPass reports whether the draw of a trial is a pass: it follows from the seed of the trial alone, and
// every attempt has its own.
func drawsPass(r Request, rate float64) bool {
	return rand.New(rand.NewPCG(r.Seed, 7+uint64(r.Attempt))).Float64() < rate
}

// ends are the ways in which a program that crashes ends, by their names.
var ends = map[string]struct {
	result process.Result
	output string
}{
	"segmentation fault": {process.Result{ExitCode: -1, Signal: "segmentation fault", Crashed: true}, "{}"},
	"killed":             {process.Result{ExitCode: -1, Signal: "killed"}, ""},
	"half an object":     {process.Result{}, `{"outcome":"pa`},
	"nothing":            {process.Result{}, ""},
	"exit 127":           {process.Result{ExitCode: 127}, ""},
	"exit 1":             {process.Result{ExitCode: 1}, ""},
}

// crashing is a program that passes the share of its attempts, and ends in the others as is said.
func crashing(rate float64, end string) Agent {
	// As a suite has it that says nothing else: an exit without a word is an error.
	reader := &CommandAgent{SilentExitIsError: true, Parse: func(r Request, output []byte) (*trial.Trial, error) {
		return trial.Decode(output, trial.Options{Scenario: r.Scenario})
	}}
	return AgentFunc(func(ctx context.Context, r Request) Attempt {
		time.Sleep(time.Second)
		if drawsPass(r, rate) {
			return reader.read(ctx, r, &process.Result{}, []byte(`{"outcome":"pass"}`))
		}
		bad := ends[end]
		p := bad.result
		return reader.read(ctx, r, &p, []byte(bad.output))
	})
}

// drawnEnd is how a test ends that sees the first draw of each of its trials.
func drawnEnd(t *testing.T, d sprt.Design, seed uint64, rate float64) sprt.Outcome {
	t.Helper()
	test, err := sprt.NewTest(d)
	if err != nil {
		t.Fatal(err)
	}
	for number := range d.Boundaries.MaxTrials() {
		if err := test.Observe(number, drawsPass(Request{Seed: trialSeed(seed, "s", number)}, rate)); err != nil {
			t.Fatal(err)
		}
	}
	return test.Outcome()
}

// agrees demands of the end of a run what each of its draws allows: a Pass where they pass the test, and a
// Fail where they fail it. So its errors are at most those of the design.
func agrees(t *testing.T, about string, got, drawn sprt.Outcome) {
	t.Helper()
	if got != drawn && (got == sprt.Pass || got == sprt.Fail) {
		t.Errorf("%s: the run ends with %v, its draws with %v", about, got, drawn)
	}
}

// However a program crashes, its attempts are not drawn again: at a rate of threshold - delta or less a run
// passes no more often than the design does.
func TestCrashesAreNotDrawnAgain(t *testing.T) {
	d := wald(t, 152)
	for end := range ends {
		for _, crashes := range []float64{.2, .4, .5} {
			synctest.Test(t, func(t *testing.T) {
				const runs = 40
				passed := 0
				for seed := range uint64(runs) {
					o := options(d, crashing(1-crashes, end), "s")
					o.Seed, o.Retries, o.Concurrency, o.MaxErrors = seed, 2, 4, 1000
					r := mustRun(t, o)
					about := fmt.Sprintf("%s in %v, seed %d", end, crashes, seed)
					agrees(t, about, r.Tests[0].Outcome, drawnEnd(t, d, seed, 1-crashes))
					for _, x := range r.Trials {
						if x.Spent.Attempts != 1 {
							t.Fatalf("%s: trial %d had %d attempts", about, x.Number, x.Spent.Attempts)
						}
					}
					if r.Tests[0].Outcome == sprt.Pass {
						passed++
					}
				}
				// 40 runs at a false Pass of 0.1 pass 13 times or more with a chance of 1e-4 (binomial).
				if passed > 12 {
					t.Errorf("%s in %v of the attempts: %d of %d runs pass", end, crashes, passed, runs)
				}
			})
		}
	}
}

// Attempts that never began are made again, and that changes no rate: the attempt that runs is drawn as
// if there had been none before.
func TestUnbegunAttemptsAreDrawnAfresh(t *testing.T) {
	d := wald(t, 152)
	synctest.Test(t, func(t *testing.T) {
		repeated := 0
		for seed := range uint64(40) {
			agent := AgentFunc(func(ctx context.Context, r Request) Attempt {
				if rand.New(rand.NewPCG(r.Seed, uint64(r.Attempt))).Float64() < .3 {
					return Attempt{Err: &InfrastructureError{Type: "start", Problem: "no memory", Unbegun: true}}
				}
				r.Attempt = 0
				return crashing(.7, "nothing").Run(ctx, r)
			})
			o := options(d, agent, "s")
			o.Seed, o.Retries = seed, 100
			r := mustRun(t, o)
			if got, want := r.Tests[0].Outcome, drawnEnd(t, d, seed, .7); got != want {
				t.Errorf("seed %d: %v, want %v", seed, got, want)
			}
			if r.Spent.Attempts != len(r.Trials)+r.Repeated["start"] {
				t.Errorf("%d attempts, %d trials, %v", r.Spent.Attempts, len(r.Trials), r.Repeated)
			}
			repeated += r.Repeated["start"]
		}
		if repeated < 40 {
			t.Errorf("only %d attempts were repeated", repeated)
		}
	})
}

// slowFailures passes at the rate, and takes ten times as long to fail.
func slowFailures(rate float64) Agent {
	return AgentFunc(func(ctx context.Context, r Request) Attempt {
		outcome, lasts := trial.Pass, 100*time.Millisecond
		if !drawsPass(r, rate) {
			outcome, lasts = trial.Fail, 10*lasts
		}
		select {
		case <-time.After(lasts):
			return Attempt{Trial: &trial.Trial{Outcome: outcome, Output: trial.RawString(fmt.Sprint(r.Attempt))}}
		case <-ctx.Done():
			return Attempt{Err: ctx.Err()}
		}
	})
}

// interruptedRun continues a run whose sessions are stopped at random instants, until it ends.
func interruptedRun(
	t *testing.T, d sprt.Design, seed uint64, rate float64, stop func(*Options, *rand.Rand) (context.Context, func()),
) *Result {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 99))
	o := options(d, slowFailures(rate), "s")
	o.Seed, o.Concurrency, o.Retries, o.Journal = seed, 4, 2, filepath.Join(t.TempDir(), "journal")
	for session := 0; ; session++ {
		if session > 10_000 {
			t.Fatal("it never ends")
		}
		ctx, after := stop(&o, random)
		r, err := Run(ctx, o)
		after()
		if err != nil && !strings.Contains(err.Error(), ErrAllErrors.Error()) {
			t.Fatal(err)
		}
		if r.Tests[0].Outcome != sprt.Undecided {
			return r
		}
		o.Resume = true
	}
}

// Interrupts hit slow failures more often than quick passes. They must not have them drawn again.
func TestInterruptsDoNotDrawAgain(t *testing.T) {
	d := wald(t, 152)
	kill := func(_ *Options, random *rand.Rand) (context.Context, func()) {
		return context.WithTimeout(context.Background(), time.Duration(random.Int64N(int64(900*time.Millisecond))))
	}
	// As after kill -9 the journal ends anywhere, and may end within a line.
	cut := func(o *Options, random *rand.Rand) (context.Context, func()) {
		ctx, cancel := kill(o, random)
		return ctx, func() {
			cancel()
			text, err := os.ReadFile(o.Journal)
			if err != nil {
				t.Fatal(err)
			}
			head := strings.IndexByte(string(text), '\n') + 1
			if most := len(text) - head; most > 0 && random.IntN(2) == 0 {
				keep := len(text) - random.IntN(min(most, 80))
				if err := os.WriteFile(o.Journal, text[:keep], 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	interrupt := func(o *Options, random *rand.Rand) (context.Context, func()) {
		stop := make(chan struct{})
		o.Interrupt, o.Grace = stop, trial.Some(50*time.Millisecond)
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(900*time.Millisecond))), func() { close(stop) })
		return context.Background(), func() { timer.Stop() }
	}
	for name, stop := range map[string]func(*Options, *rand.Rand) (context.Context, func()){
		"killed": kill, "cut": cut, "interrupted": interrupt,
	} {
		t.Run(name, func(t *testing.T) {
			const runs = 30
			passed, lost := 0, 0
			for seed := range uint64(runs) {
				synctest.Test(t, func(t *testing.T) {
					r := interruptedRun(t, d, seed, .7, stop)
					agrees(t, fmt.Sprint("seed ", seed), r.Tests[0].Outcome, drawnEnd(t, d, seed, .7))
					lost += r.Lost
					for _, x := range r.Trials {
						if x.Trial != nil && x.Trial.Outcome != trial.Error && x.Trial.Output.Text() != "0" {
							t.Errorf("seed %d: trial %d counts its attempt %s", seed, x.Number, x.Trial.Output.Text())
						}
					}
					if r.Tests[0].Outcome == sprt.Pass {
						passed++
					}
				})
			}
			// 30 runs at a false Pass of 0.1 pass 12 times or more with a chance of 3e-5 (binomial).
			if passed > 11 || lost < runs {
				t.Errorf("%d of %d runs pass, %d attempts were lost", passed, runs, lost)
			}
		})
	}
}

// A journal of an earlier version, which made attempts again that had begun, is continued: their trials
// are errors, and the decision that rests on them does not hold.
func TestJournalsWithReplacedAttempts(t *testing.T) {
	d := wald(t, 30)
	o := options(d, crashing(.7, "exit 1"), "s")
	o.Seed, o.Journal, o.Version = 3, filepath.Join(t.TempDir(), "journal"), "earlier"
	w, err := journal.Create(o.Journal, o.header())
	if err != nil {
		t.Fatal(err)
	}
	pass := func(number, attempt int, retry, lost bool) {
		l := journal.Launch{Test: "s", Scenario: "s", Trial: number, Seed: trialSeed(3, "s", number)}
		w.Launch(l)
		if retry {
			spent := journal.Spend{Attempts: 1, CostUnknown: 1, TokensUnknown: 1}
			w.End(journal.End{Scenario: "s", Trial: number, Retry: true, Error: "a signal", Spent: spent}, nil)
		}
		if retry || lost {
			l.Attempt = attempt
			w.Launch(l)
		}
		w.End(journal.End{Scenario: "s", Trial: number, Attempt: attempt, Spent: journal.Spend{Attempts: 1}},
			&trial.Trial{Scenario: "s", Index: trial.Some(number), Outcome: trial.Pass})
	}
	const trials = 20 // passes that a Wald test of these hypotheses passes after
	for number := range trials {
		pass(number, map[bool]int{true: 1}[number == 2], number == 2, number == 5)
	}
	w.Decide(journal.Decision{Test: "s", Design: d.Digest(), Outcome: "pass", Trials: trials})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	first := mustRun(t, o)
	for _, x := range first.Trials[:trials] {
		if want := x.Number == 2 || x.Number == 5; (x.Trial.Outcome == trial.Error) != want {
			t.Errorf("trial %d is %v", x.Number, x.Trial.Outcome)
		}
	}
	if first.Tests[0].Trials <= trials || first.Tests[0].Errors < 2 {
		t.Errorf("%+v", first.Tests[0])
	}
	// And again: the decision that holds now is read back.
	second := mustRun(t, o)
	if second.Tests[0].Outcome != first.Tests[0].Outcome || second.Tests[0].Trials != first.Tests[0].Trials {
		t.Errorf("%+v, then %+v", first.Tests[0], second.Tests[0])
	}
}

// crash is an agent that ends itself with SIGSEGV where its seed says so.
func crash() int {
	var request Request
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		return 1
	}
	if !drawsPass(Request{Seed: request.Seed}, .7) {
		// Go's runtime would catch the signal.
		return complain(syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -SEGV $$"}, os.Environ()))
	}
	fmt.Println(`{"outcome":"pass"}`)
	return 0
}

// A program that really crashes fails its trials, each after one attempt.
func TestProgramThatCrashes(t *testing.T) {
	d := wald(t, 60)
	o := options(d, &CommandAgent{Command: program(t, "crash"), Parse: func(r Request, output []byte) (*trial.Trial,
		error) {
		return trial.Decode(output, trial.Options{Scenario: r.Scenario})
	}}, "s")
	o.Seed, o.Retries, o.Concurrency = 5, 2, 2
	r := mustRun(t, o)
	crashed := 0
	for _, x := range r.Trials {
		want := trial.Fail
		if drawsPass(Request{Seed: x.Seed}, .7) {
			want = trial.Pass
		}
		if x.Trial.Outcome != want || x.Spent.Attempts != 1 {
			t.Errorf("trial %d is %v after %d attempts, and was drawn %v", x.Number, x.Trial.Outcome, x.Spent.Attempts, want)
		}
		if want == trial.Fail {
			crashed++
			if e := x.Trial.Error; e == nil || e.Type != "signal" || !strings.Contains(e.Message, "segmentation fault") {
				t.Errorf("trial %d: the cause is %+v", x.Number, e)
			}
		}
	}
	if crashed == 0 || r.Tests[0].Outcome == sprt.Pass {
		t.Errorf("%d crashes, %+v", crashed, r.Tests[0])
	}
}

// What a guard denied is kept where the trial ends in an error too, and however it was judged.
func TestErrorsKeepWhatWasDenied(t *testing.T) {
	found := &guardrails.Trial{}
	found.Add("shop", "git", "runs x", false)
	for name, e := range map[string]attemptEnd{
		"an error of the attempt": {attempt: Attempt{Err: &InfrastructureError{Type: "exit", Problem: "it broke"}}},
		"an error of the judge":   {judgeErr: errUnjudged},
	} {
		e.trial = &trialRun{test: &testRun{}, scenario: &scenarioRun{}}
		e.trial.Scenario, e.begun = "s", true
		e.attempt.Trial = &trial.Trial{Scenario: "s"}
		found.Record(e.attempt.Trial)
		record := e.record(0)
		if record.Outcome != trial.Error || !reflect.DeepEqual(guardrails.Of(record), found) {
			t.Errorf("%s: %+v", name, record)
		}
	}
}
