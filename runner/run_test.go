package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// quick is a design of a few trials.
func quick(t testing.TB) sprt.Design {
	t.Helper()
	p, err := sprt.Optimal(context.Background(), sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .1, Beta: .1},
		sprt.OptimalOptions{MaxTrials: 20})
	if err != nil {
		t.Fatal(err)
	}
	return p.Design
}

// simulated is an agent in this process that passes with the rate; failures take
// five times as long. What it does follows from the seed of the trial.
func simulated(rate float64) AgentFunc {
	return func(ctx context.Context, r Request) Attempt {
		random := rand.New(rand.NewPCG(r.Seed, 1))
		pass, delay := random.Float64() < rate, time.Duration(500+random.IntN(1000))*time.Millisecond
		t := &trial.Trial{Outcome: trial.Pass}
		if !pass {
			t.Outcome, delay = trial.Fail, 5*delay
		}
		if !pause(ctx, delay) {
			return Attempt{Err: ctx.Err()}
		}
		return Attempt{Trial: t}
	}
}

func single(d sprt.Design, names ...string) (tests []Test, scenarios []Scenario) {
	for _, name := range names {
		tests = append(tests, Test{Name: name, Design: d, Scenarios: []string{name}})
		scenarios = append(scenarios, Scenario{Name: name, Input: trial.Raw(`{"n":1}`)})
	}
	return tests, scenarios
}

func options(d sprt.Design, agent Agent, names ...string) Options {
	tests, scenarios := single(d, names...)
	return Options{Tests: tests, Scenarios: scenarios, Agent: agent, Concurrency: 16, Seed: 5}
}

func mustRun(t testing.TB, o Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func letters(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("s%d", i))
	}
	return names
}

// Judged one after the other, the trials give the decision, and none was wasted.
func TestDecisionIsThatOfTheLaunchOrder(t *testing.T) {
	d := quick(t)
	for seed := range uint64(40) {
		for _, eager := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				o := options(d, simulated(.6), letters(5)...)
				o.Seed, o.Eager = seed, eager
				pooled := Test{Name: "pooled", Design: d, Scenarios: []string{"p", "q", "r"}}
				o.Tests = append(o.Tests, pooled)
				o.Scenarios = append(o.Scenarios, Scenario{Name: "p"}, Scenario{Name: "q"}, Scenario{Name: "r"})
				r := mustRun(t, o)
				checkDecisions(t, r)
				for _, test := range r.Tests {
					if !eager && (test.Overrun != 0 || test.Ahead != 0) || test.Unfinished != 0 {
						t.Errorf("seed %d: %+v", seed, test)
					}
				}
			})
		}
	}
}

// checkDecisions judges the trials of a result again, in launch order, by the
// boundaries alone: once with errors as failures, once with errors as passes.
func checkDecisions(t testing.TB, r *Result) {
	t.Helper()
	for _, test := range r.Tests {
		var records []Record
		next := map[string]int{}
		for _, record := range r.Trials {
			if record.Test != test.Name {
				continue
			}
			records = append(records, record)
			if record.Number != next[record.Scenario] {
				t.Errorf("%s: trial %d of %s is launched as the %d.", test.Name, record.Number, record.Scenario,
					next[record.Scenario])
			}
			next[record.Scenario]++
		}
		low, high := sprt.Undecided, sprt.Undecided
		outcome, trials, failures, errs := sprt.Undecided, 0, 0, 0
		for i, record := range records {
			if (record.Standing == Judged) == (outcome != sprt.Undecided) {
				t.Errorf("%s: trial %d of %s is %v", test.Name, record.Number, record.Scenario, record.Standing)
			}
			if outcome != sprt.Undecided {
				continue
			}
			trials++
			switch record.Trial.Outcome {
			case trial.Fail:
				failures++
			case trial.Error:
				errs++
			}
			if low == sprt.Undecided {
				low = stands(test.Design.Boundaries, i, failures+errs)
			}
			if high == sprt.Undecided {
				high = stands(test.Design.Boundaries, i, failures)
			}
			switch {
			case low == sprt.Pass:
				outcome = sprt.Pass
			case high == sprt.Fail:
				outcome = sprt.Fail
			case low != sprt.Undecided && high != sprt.Undecided:
				outcome = sprt.Inconclusive
			}
		}
		if outcome != test.Outcome || trials != test.Trials || failures != test.Failures || errs != test.Errors {
			t.Errorf("%s: %v after %d trials with %d failures and %d errors, judged again %v, %d, %d, %d", test.Name,
				test.Outcome, test.Trials, test.Failures, test.Errors, outcome, trials, failures, errs)
		}
	}
}

func stands(b sprt.Boundaries, i, failures int) sprt.Outcome {
	switch {
	case failures <= b.PassAtOrBelow[i]:
		return sprt.Pass
	case failures >= b.FailAtOrAbove[i]:
		return sprt.Fail
	case i+1 == b.MaxTrials():
		return sprt.Inconclusive
	}
	return sprt.Undecided
}

func TestSameSeedSameOrder(t *testing.T) {
	d := quick(t)
	order := func(seed uint64) (list []string) {
		var mutex sync.Mutex
		agent := AgentFunc(func(_ context.Context, r Request) Attempt {
			mutex.Lock()
			defer mutex.Unlock()
			list = append(list, fmt.Sprint(r.Scenario, r.Trial, r.Seed))
			return Attempt{Trial: &trial.Trial{Outcome: trial.Pass}}
		})
		o := options(d, agent, letters(8)...)
		o.Seed, o.Concurrency = seed, 1
		mustRun(t, o)
		return list
	}
	first := order(1)
	if diff := cmp.Diff(first, order(1)); diff != "" {
		t.Errorf("the same seed: %s", diff)
	}
	if slices.Equal(first, order(2)) {
		t.Error("another seed gives the same order")
	}
	scenarios := map[string]bool{}
	for _, text := range first[:8] {
		scenarios[text[:2]] = true
	}
	if len(scenarios) != 8 {
		t.Errorf("the first eight trials are of %d scenarios, want one of each", len(scenarios))
	}
}

// Errors are counted and decide nothing. An attempt that never began is made again, and no other.
func TestErrorsDecideNothing(t *testing.T) {
	d := quick(t)
	attempts := map[string]int{}
	var mutex sync.Mutex
	agent := AgentFunc(func(ctx context.Context, r Request) Attempt {
		mutex.Lock()
		attempts[fmt.Sprint(r.Scenario, r.Trial)]++
		mutex.Unlock()
		switch {
		case r.Trial%4 == 3: // had begun
			return Attempt{Err: &InfrastructureError{Type: "net", Problem: "no network"}}
		case r.Trial%4 == 2 || r.Trial%4 == 1 && r.Attempt == 0:
			return Attempt{Err: &InfrastructureError{Type: "provider", Problem: "too many requests", Unbegun: true}}
		}
		return simulated(.9)(ctx, r)
	})
	synctest.Test(t, func(t *testing.T) {
		o := options(d, agent, letters(3)...)
		o.Retries, o.Backoff = 2, time.Second
		r := mustRun(t, o)
		checkDecisions(t, r)
		for _, record := range r.Trials {
			want := []int{1, 2, 3, 1}[record.Number%4]
			if got := attempts[fmt.Sprint(record.Scenario, record.Number)]; got != want || record.Spent.Attempts != want {
				t.Errorf("trial %d had %d attempts, recorded %d, want %d", record.Number, got, record.Spent.Attempts, want)
			}
			if (record.Trial.Outcome == trial.Error) != (record.Number%4 >= 2) {
				t.Errorf("trial %d is %v, %v", record.Number, record.Trial.Outcome, record.Standing)
			}
		}
		repeated := 0
		for _, record := range r.Trials {
			repeated += record.Spent.Attempts - 1
		}
		if diff := cmp.Diff(map[string]int{"provider": repeated}, r.Repeated); diff != "" ||
			r.Evidence("", "", "").Spent.Repeated["provider"] != repeated {
			t.Error(diff)
		}
		if r.Tests[0].Errors == 0 || r.StoppedBy != runs.StoppedByDecision && r.StoppedBy != runs.StoppedByMaxTrials {
			t.Errorf("%+v", r.Tests[0])
		}
	})
}

func TestAllErrors(t *testing.T) {
	agent := AgentFunc(func(context.Context, Request) Attempt { return Attempt{Err: errors.New("no such model")} })
	r, err := Run(context.Background(), options(quick(t), agent, letters(30)...))
	if !errors.Is(err, ErrAllErrors) || r == nil || r.StoppedBy != runs.StoppedByErrors || len(r.Trials) > 30 {
		t.Errorf("%v, %+v", err, r)
	}
	for _, test := range r.Tests {
		if test.Outcome != sprt.Undecided {
			t.Errorf("%+v", test)
		}
	}
}

func TestUnjudgedTrialsAreErrors(t *testing.T) {
	broken := errors.New("the judge broke")
	o := options(quick(t), AgentFunc(func(context.Context, Request) Attempt {
		return Attempt{Trial: &trial.Trial{Outcome: trial.Pass, Output: trial.RawString("x"), CostUSD: trial.Some(.1)}}
	}), "s")
	o.Judge = func(context.Context, Request, *Attempt) error { return broken }
	o.Retries = 3
	r, err := Run(context.Background(), o)
	if !errors.Is(err, ErrAllErrors) {
		t.Errorf("err = %v", err)
	}
	got := r.Trials[0]
	if got.Spent.Attempts != 1 || got.Trial.Outcome != trial.Error || got.Trial.Error.Message != broken.Error() ||
		got.Trial.Output.Text() != "x" {
		t.Errorf("%+v, %+v", got, got.Trial)
	}
}

func TestInterruptLetsTrialsEnd(t *testing.T) {
	d := quick(t)
	for _, grace := range []trial.Optional[time.Duration]{{}, trial.Some(100 * time.Millisecond),
		trial.Some[time.Duration](0)} {
		synctest.Test(t, func(t *testing.T) {
			interrupt := make(chan struct{})
			o := options(d, simulated(.7), letters(4)...)
			o.Interrupt, o.Grace = interrupt, grace
			time.AfterFunc(1500*time.Millisecond, func() { close(interrupt) })
			r := mustRun(t, o)
			unfinished := 0
			for _, test := range r.Tests {
				unfinished += test.Unfinished
			}
			if r.StoppedBy != runs.StoppedByInterrupt || (unfinished > 0) != grace.Known || r.Lost != unfinished {
				t.Errorf("grace %v: %v, %d unfinished, %d lost", grace, r.StoppedBy, unfinished, r.Lost)
			}
		})
	}
}

func TestContextKills(t *testing.T) {
	d := quick(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		r, err := Run(ctx, options(d, simulated(.7), letters(4)...))
		if err != nil || r.StoppedBy != runs.StoppedByDeadline || r.Elapsed > time.Second || r.Lost == 0 {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// A run that goes on has the trials and the verdict of one that was not stopped.
func TestResumeAfterInterrupts(t *testing.T) {
	d := quick(t)
	agent := AgentFunc(func(_ context.Context, r Request) Attempt {
		random := rand.New(rand.NewPCG(r.Seed, 2))
		time.Sleep(time.Duration(random.IntN(300)) * time.Microsecond)
		if r.Attempt == 0 && random.Float64() < .1 {
			return Attempt{Err: &InfrastructureError{Type: "start", Problem: "no memory", Unbegun: true}}
		}
		return Attempt{Trial: &trial.Trial{Outcome: trial.ByScore(random.Float64(), .4), CostUSD: trial.Some(.01)}}
	})
	o := options(d, agent, letters(6)...)
	o.Retries = 1
	o.Tests[0].Scenarios = []string{"s0", "p"}
	o.Scenarios = append(o.Scenarios, Scenario{Name: "p"})
	want := summary(mustRun(t, o))

	o.Journal = filepath.Join(t.TempDir(), "journal")
	sessions := 0
	for ; ; sessions++ {
		interrupt := make(chan struct{})
		o.Interrupt = interrupt
		launches := 0
		o.Progress = func(Progress) {
			if launches++; launches == 4 {
				close(interrupt)
			}
		}
		r := mustRun(t, o)
		if sessions > 1000 {
			t.Fatal("it never ends")
		}
		if r.StoppedBy != runs.StoppedByInterrupt {
			if diff := cmp.Diff(want, summary(r)); diff != "" {
				t.Errorf("after %d sessions (-want +got):\n%s", sessions, diff)
			}
			if r.Lost == 0 && r.Spent.Attempts < len(r.Trials) {
				t.Errorf("%d attempts of %d trials", r.Spent.Attempts, len(r.Trials))
			}
			break
		}
		o.Resume = true
	}
	if sessions < 2 {
		t.Errorf("only %d sessions", sessions)
	}
	o.Resume = false
	if _, err := Run(context.Background(), o); !errors.Is(err, journal.ErrExists) {
		t.Errorf("err = %v", err)
	}
	o.Resume, o.Seed = true, 6
	var header *journal.HeaderError
	if _, err := Run(context.Background(), o); !errors.As(err, &header) {
		t.Errorf("err = %v", err)
	}
}

// summary is what must not depend on how often a run was stopped.
func summary(r *Result) (lines []string) {
	for _, t := range r.Tests {
		lines = append(lines, fmt.Sprintf("%s %v %d %d %d %d", t.Name, t.Outcome, t.Trials, t.Failures, t.Errors,
			t.Unfinished))
	}
	var trials []string
	for _, record := range r.Trials {
		if record.Standing == Judged {
			trials = append(trials, fmt.Sprint(record.Test, " ", record.Scenario, " ", record.Number, " ", record.Seed, " ",
				record.Trial.Outcome))
		}
	}
	slices.Sort(trials)
	return append(lines, trials...)
}

func TestOptionsThatCannotBeRun(t *testing.T) {
	d := quick(t)
	for want, change := range map[string]func(*Options){
		"agent":       func(o *Options) { o.Agent = nil },
		"tests":       func(o *Options) { o.Tests = nil },
		"concurrency": func(o *Options) { o.Concurrency = -1 },
		"budget":      func(o *Options) { o.Budget.MaxCostUSD = math.NaN() },
		"resume":      func(o *Options) { o.Resume = true },
		"scenario":    func(o *Options) { o.Tests[1].Scenarios = []string{"s0"} },
		"test":        func(o *Options) { o.Tests[1].Scenarios = nil },
	} {
		o := options(d, simulated(1), "s0", "s1")
		change(&o)
		_, err := Run(context.Background(), o)
		var option *OptionError
		if !errors.As(err, &option) || option.Argument != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}
