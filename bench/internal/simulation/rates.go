package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
)

// RunRatesOptions say which agent is simulated, and how it is run.
type RunRatesOptions struct {
	Design sprt.Design // of the test that the trials are judged by
	Rate   float64     // the probability that a trial passes
	Runs   int         // 0 is [DefaultRuns]

	// Agent is run in place of one of which nothing but its rate and its slowness is
	// known; then Rate and Slowness are not used, and what is exact is so for an agent
	// of its pass rate, without errors or drift and with scenarios that are alike.
	Agent     *Agent
	Scenarios int // that the test pools; 0 is 1

	Concurrency int     // trials at once; 0 is [DefaultConcurrency]
	Slowness    float64 // how much longer failures take than passes; 0 is [DefaultSlowness]
	Eager       bool    // as in [runner.Options]
	Seed        uint64  // of everything that is simulated
}

// What holds where [RunRatesOptions] say 0.
const (
	DefaultRuns        = 1000
	DefaultConcurrency = 16
	DefaultSlowness    = 5.0
)

// RunRatesResult is how often runs ended in which way, and how often they should.
type RunRatesResult struct {
	Digest      string  `json:"design_digest"` // of the design
	Rate        float64 `json:"rate"`          // at which trials pass
	Runs        int     `json:"runs"`          // that were made
	Concurrency int     `json:"concurrency"`   // trials at once
	Slowness    float64 `json:"slowness"`      // how much longer failures take than passes
	Eager       bool    `json:"eager"`         // as in [runner.Options]
	Seed        uint64  `json:"seed"`          // of everything that is simulated

	Pass         Share `json:"pass"`         // runs that ended in Pass
	Fail         Share `json:"fail"`         // in Fail
	Inconclusive Share `json:"inconclusive"` // without a verdict
	Errors       Mean  `json:"errors"`       // infrastructure errors among the judged trials, a run
	Trials       Mean  `json:"trials"`       // judged, a run
	Overrun      Mean  `json:"overrun"`      // launched beyond the decision, a run; Exact is 0 where not Eager
	Seconds      Mean  `json:"seconds"`      // a run, in simulated time; a pass takes 1 s on average
	OutOfOrder   Mean  `json:"out_of_order"` // trials that ended before one that was launched earlier, a run
}

// Share is how many of the runs ended in one way.
type Share struct {
	Count    int     `json:"count"`    // of the runs that ended so
	Observed float64 `json:"observed"` // the count over the runs
	Exact    float64 `json:"exact"`    // the probability
	// Z is the difference in standard errors of the exact share, positive where more runs
	// ended so; nil where it has none, for its probability is 0 or 1.
	Z *float64 `json:"z"`
}

// Mean is the mean of a number of all runs. Exact and Z are nil where nothing says what
// it should be, and Z where the number is always the same.
type Mean struct {
	Observed float64  `json:"observed"` // over the runs
	Exact    *float64 `json:"exact"`    // what it should be
	Z        *float64 `json:"z"`        // observed less exact, in standard errors of the mean
}

// RunRates runs a simulated agent again and again through [runner.Run] and counts what
// comes of it. The agent's trials pass with the rate, independently; they take a second
// of simulated time on average, and failures longer: whoever judged trials in the order
// in which they end would see too many passes. Equal options give equal results.
//
// It returns a [runner.OptionError] where the options cannot be used, and the context's
// error where that has ended.
func RunRates(ctx context.Context, o RunRatesOptions) (*RunRatesResult, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	lattice, err := o.Design.Boundaries.Lattice()
	if err != nil {
		return nil, err
	}
	counts := map[sprt.Outcome]int{}
	var trials, broken, overrun, swaps int // whole numbers: the order of the runs does not matter
	var elapsed time.Duration
	var mutex sync.Mutex
	err = bench.Repeat(ctx, o.Runs, func(i int) error {
		test, clock, err := simulate(ctx, o, seeded.Stream(o.Seed, uint64(i)).Uint64())
		if err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
		mutex.Lock()
		defer mutex.Unlock()
		counts[test.Outcome]++
		trials += test.Trials
		broken += test.Errors
		overrun += test.Overrun
		swaps += overtaking(clock.ended)
		elapsed += clock.now
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := &RunRatesResult{
		Digest: o.Design.Digest(), Rate: o.Rate, Runs: o.Runs,
		Concurrency: o.Concurrency, Slowness: o.Slowness, Eager: o.Eager, Seed: o.Seed,
	}
	// What the runs should come to, if trials are judged in the order of their launch.
	exact := lattice.At(o.Rate)
	r.Pass = share(counts[sprt.Pass], o.Runs, exact.Pass)
	r.Fail = share(counts[sprt.Fail], o.Runs, exact.Fail)
	r.Inconclusive = share(counts[sprt.Inconclusive], o.Runs, exact.Inconclusive)
	n := float64(o.Runs)
	r.Trials = meanTrials(float64(trials)/n, n, lattice.StoppingTime(o.Rate))
	r.Errors.Observed = float64(broken) / n
	r.Overrun.Observed, r.Seconds.Observed, r.OutOfOrder.Observed = float64(overrun)/n, elapsed.Seconds()/n,
		float64(swaps)/n
	if !o.Eager {
		none := 0.0
		r.Overrun.Exact = &none
	}
	return r, nil
}

// complete sets what is 0 and refuses what cannot be simulated.
func (o *RunRatesOptions) complete() error {
	if o.Runs == 0 {
		o.Runs = DefaultRuns
	}
	if o.Concurrency == 0 {
		o.Concurrency = DefaultConcurrency
	}
	if o.Slowness == 0 {
		o.Slowness = DefaultSlowness
	}
	if o.Scenarios == 0 {
		o.Scenarios = 1
	}
	switch {
	case o.Scenarios < 0:
		return &runner.OptionError{Argument: "scenarios", Value: o.Scenarios, Problem: "must not be negative"}
	case !(o.Rate >= 0 && o.Rate <= 1):
		return &runner.OptionError{Argument: "rate", Value: o.Rate, Problem: "must be from 0 to 1"}
	case o.Runs < 0:
		return &runner.OptionError{Argument: "runs", Value: o.Runs, Problem: "must not be negative"}
	case o.Concurrency < 0:
		return &runner.OptionError{Argument: "concurrency", Value: o.Concurrency, Problem: "must not be negative"}
	case !(o.Slowness > 0 && o.Slowness <= 1e6):
		return &runner.OptionError{Argument: "slowness", Value: o.Slowness,
			Problem: "must be positive, and at most a million"}
	}
	if o.Agent == nil {
		o.Agent = &Agent{Name: "simulated", PassRate: o.Rate, Slowness: o.Slowness, Seconds: Spread{1, 0.3}}
	}
	if o.Rate, o.Slowness = o.Agent.PassRate, o.Agent.Slowness; o.Slowness == 0 {
		o.Slowness = 1
	}
	return o.Agent.Validate()
}

// simulate makes one run in simulated time.
func simulate(ctx context.Context, o RunRatesOptions, seed uint64) (runner.TestResult, *clock, error) {
	test := runner.Test{Name: "simulated", Design: o.Design}
	for i := range o.Scenarios {
		test.Scenarios = append(test.Scenarios, fmt.Sprintf("s%d", i))
	}
	result, clock, err := runTest(ctx, test, runTestOptions{
		agents: [2]*Agent{o.Agent, o.Agent}, concurrency: o.Concurrency, eager: o.Eager, seed: seed,
	})
	if err != nil {
		return runner.TestResult{}, nil, err
	}
	return result.Tests[0], clock, nil
}

// RunTest runs a test once through [runner.Run], in simulated time, and returns all that
// came of it. Trials of a baseline, in a test in rounds, are those of the second agent, which
// may be nil otherwise. So many trials run at once; the seed is that of everything.
//
// It returns a [runner.OptionError] where the test cannot be run, and the context's error
// where that has ended.
func RunTest(
	ctx context.Context, test runner.Test, agent, baseline *Agent, concurrency int, seed uint64,
) (*runner.Result, error) {
	result, _, err := runTest(ctx, test, runTestOptions{
		agents: [2]*Agent{agent, baseline}, concurrency: concurrency, seed: seed,
	})
	return result, err
}

// runTestOptions say how a test is run.
type runTestOptions struct {
	agents      [2]*Agent // of the candidate and of the baseline
	concurrency int
	eager       bool
	seed        uint64
}

// runTest runs a test in simulated time. No trial that has an outcome is not an error.
func runTest(ctx context.Context, test runner.Test, o runTestOptions) (*runner.Result, *clock, error) {
	clock := newClock()
	var scenarios []runner.Scenario
	// scenario numbers by name, for the agent
	numbers := map[string]int{}
	for i, name := range test.Scenarios {
		scenarios = append(scenarios, runner.Scenario{Name: name})
		numbers[name] = i
	}
	run := func(side int) runner.Agent {
		return runner.AgentFunc(func(ctx context.Context, r runner.Request) runner.Attempt {
			scenario := numbers[r.Scenario]
			t := o.agents[side].Trial(rand.New(rand.NewPCG(r.Seed, uint64(side))), scenario, r.Trial)
			number := (r.Trial*len(scenarios)+scenario)*len(o.agents) + side
			clock.wait(ctx, time.Duration(t.DurationSeconds.Value*float64(time.Second)), number)
			return runner.Attempt{Trial: t, Err: ctx.Err()}
		})
	}
	options := runner.Options{
		Tests: []runner.Test{test}, Scenarios: scenarios, Agent: run(0),
		MaxErrors: math.MaxInt,
		Seed:      o.seed, Concurrency: o.concurrency, Eager: o.eager,
		// Nothing more is launched until one ends: time may pass.
		Progress: func(p runner.Progress) { clock.advance(ctx, p.InFlight) },
	}
	if o.agents[1] != nil {
		options.BaselineAgent = run(1)
	}
	result, err := runner.Run(ctx, options)
	if errors.Is(err, runner.ErrAllErrors) {
		err = nil // no trial had an outcome, and that is one
	}
	if err == nil {
		err = ctx.Err()
	}
	return result, clock, err
}

// overtaking counts the numbers that come before a lower one.
//
// It goes backwards, with the lowest of those that ended later.
func overtaking(numbers []int) (count int) {
	lowest := math.MaxInt
	for i := len(numbers) - 1; i >= 0; i-- {
		if numbers[i] > lowest {
			count++
		}
		lowest = min(lowest, numbers[i])
	}
	return count
}

// negligible is a variance that is nothing but rounding.
//
// A share whose variance is below that has no z: a rate of 0 or 1, but for rounding.
const negligible = 1e-9

func share(count, runs int, p float64) Share {
	s := Share{Count: count, Observed: float64(count) / float64(runs), Exact: p}
	if variance := float64(runs) * p * (1 - p); variance > negligible {
		z := (float64(count) - float64(runs)*p) / math.Sqrt(variance)
		s.Z = &z
	}
	return s
}

// meanTrials compares a mean with that of the distribution of the number of trials.
func meanTrials(observed, runs float64, distribution []float64) Mean {
	mean, square := 0.0, 0.0
	for n, p := range distribution {
		mean += float64(n) * p
		square += float64(n) * float64(n) * p
	}
	m := Mean{Observed: observed, Exact: &mean}
	if variance := square - mean*mean; variance > negligible*square {
		z := (observed - mean) / math.Sqrt(variance/runs)
		m.Z = &z
	}
	return m
}
