package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
)

// usual is the example of the manual: 0.9 against 0.8.
func usual(t testing.TB) sprt.Design {
	t.Helper()
	p, err := sprt.Optimal(t.Context(), sprt.Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1},
		sprt.OptimalOptions{MaxTrials: 152})
	if err != nil {
		t.Fatal(err)
	}
	return p.Design
}

// The rates of the whole path are those of the design, although failures take five
// times as long and sixteen trials run at once. TRIBUNAL_LONG makes 20,000 runs.
func TestRunRates(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for many seconds")
	}
	d, runs := usual(t), 300
	if os.Getenv("TRIBUNAL_LONG") != "" {
		runs = 20_000
	}
	for _, rate := range []float64{.9, .8, 1} {
		for _, eager := range []bool{false, true} {
			r, err := RunRates(t.Context(), RunRatesOptions{Design: d, Rate: rate, Runs: runs, Eager: eager, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("rate %v, eager %v: Pass %v, Fail %v, Inconclusive %v; %v trials; "+
				"%.2f overrun, %.2f out of order, %.1f s", rate, eager,
				told(r.Pass), told(r.Fail), told(r.Inconclusive), toldMean(r.Trials), r.Overrun.Observed,
				r.OutOfOrder.Observed, r.Seconds.Observed)
			for name, s := range map[string]Share{"Pass": r.Pass, "Fail": r.Fail, "Inconclusive": r.Inconclusive} {
				if s.Z != nil && math.Abs(*s.Z) > 4 || s.Z == nil &&
					float64(s.Count) != math.Round(s.Exact*float64(runs)) {
					t.Errorf("rate %v, eager %v: %s is %s", rate, eager, name, told(s))
				}
			}
			far := math.Abs(r.Trials.Observed-*r.Trials.Exact) > 1e-9
			if z := r.Trials.Z; z != nil && math.Abs(*z) > 4 || z == nil && far {
				t.Errorf("rate %v, eager %v: %s trials", rate, eager, toldMean(r.Trials))
			}
			if r.Pass.Count+r.Fail.Count+r.Inconclusive.Count != runs || eager == (r.Overrun.Observed == 0) ||
				r.OutOfOrder.Observed < 1 {
				t.Errorf("rate %v, eager %v: %+v", rate, eager, r)
			}
		}
	}
}

func told(s Share) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func toldMean(m Mean) string {
	text, _ := json.Marshal(m)
	return string(text)
}

func TestRunRatesRepeat(t *testing.T) {
	d := usual(t)
	run := func(seed uint64) *RunRatesResult {
		r, err := RunRates(t.Context(), RunRatesOptions{Design: d, Rate: .85, Runs: 20, Seed: seed, Eager: true})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if diff := cmp.Diff(run(3), run(3)); diff != "" {
		t.Errorf("the same seed: %s", diff)
	}
	if run(3).Trials.Observed == run(4).Trials.Observed {
		t.Error("another seed gives the same trials")
	}
}

// Errors and scenarios that differ: a run still ends, and its errors are counted.
func TestRunRatesOfAnAgent(t *testing.T) {
	agent := Agent{PassRate: .9, ScenarioSD: .05, ErrorRate: .1, Slowness: 5, Seconds: Spread{1, .3}}
	r, err := RunRates(t.Context(), RunRatesOptions{Design: usual(t), Agent: &agent, Scenarios: 3, Runs: 100, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	share := r.Errors.Observed / r.Trials.Observed
	if math.Abs(share-.1) > .02 || r.Rate != .9 || r.OutOfOrder.Observed < 1 {
		t.Errorf("%+v, %v of the trials are errors", r, share)
	}
	agent.ErrorRate = 1
	r, err = RunRates(t.Context(), RunRatesOptions{Design: usual(t), Agent: &agent, Runs: 3})
	if err != nil || r.Inconclusive.Count != 3 {
		t.Errorf("nothing but errors: %+v, %v", r, err)
	}
	agent.PassRate = 2
	if _, err = RunRates(t.Context(), RunRatesOptions{Design: usual(t), Agent: &agent}); err == nil {
		t.Error("an agent that passes two of one trials is accepted")
	}
}

// Two of four: the standard error is 1, and one of 4 is one below.
func TestShare(t *testing.T) {
	if s := share(1, 4, .5); *s.Z != -1 || s.Observed != .25 {
		t.Errorf("%s", told(s))
	}
	if s := share(4, 4, 1-1e-16); s.Z != nil {
		t.Errorf("%s", told(s))
	}
	// 1 or 3 trials: a mean of 2 with a variance of 1, over four runs of 0.25.
	if m := meanTrials(3, 4, []float64{0, .5, 0, .5}); *m.Exact != 2 || *m.Z != 2 {
		t.Errorf("%s", toldMean(m))
	}
	if m := meanTrials(2, 4, []float64{0, 0, 1}); *m.Exact != 2 || m.Z != nil {
		t.Errorf("%s", toldMean(m))
	}
	if n := overtaking([]int{0, 3, 1, 2, 4}); n != 1 {
		t.Errorf("%d overtake", n)
	}
	if n := overtaking([]int{2, 1, 0}); n != 2 {
		t.Errorf("%d overtake", n)
	}
}

func TestRunRatesRefuses(t *testing.T) {
	d := usual(t)
	for option, o := range map[string]RunRatesOptions{
		"rate":        {Design: d, Rate: math.NaN()},
		"runs":        {Design: d, Runs: -1},
		"concurrency": {Design: d, Concurrency: -1},
		"slowness":    {Design: d, Slowness: math.Inf(1)},
		"scenarios":   {Design: d, Scenarios: -1},
	} {
		var bad *runner.OptionError
		if _, err := RunRates(t.Context(), o); !errors.As(err, &bad) || bad.Argument != option {
			t.Errorf("%s: %v", option, err)
		}
	}
	if _, err := RunRates(t.Context(), RunRatesOptions{Rate: .9}); err == nil {
		t.Error("no design is accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := RunRates(ctx, RunRatesOptions{Design: d, Rate: .9}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := RunRates(ctx, RunRatesOptions{Design: d, Rate: .9, Runs: 1 << 30})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled on the way: %v", err)
	}
}

// Who waits goes on at its time, one after the other.
func TestClock(t *testing.T) {
	c, ctx := newClock(), t.Context()
	var group sync.WaitGroup
	for number, d := range []time.Duration{3 * time.Hour, time.Hour, 2 * time.Hour, time.Hour} {
		group.Go(func() { c.wait(ctx, d, number) })
	}
	for left := 4; left > 0; left-- {
		c.advance(ctx, left)
	}
	group.Wait()
	if diff := cmp.Diff([]int{1, 3, 2, 0}, c.ended); diff != "" || c.now != 3*time.Hour {
		t.Errorf("%v %s", c.now, diff)
	}
	// A late comer counts from now.
	group.Go(func() { c.wait(ctx, time.Minute, 7) })
	c.advance(ctx, 1)
	group.Wait()
	if c.now != 3*time.Hour+time.Minute {
		t.Error(c.now)
	}
	// The end of the context lets all go.
	ctx, cancel := context.WithCancel(t.Context())
	group.Go(func() { c.wait(ctx, time.Hour, 8) })
	group.Go(func() { c.advance(ctx, 2) })
	cancel()
	group.Wait()
}
