package runner

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// taking is an agent in this process all of whose trials take the same.
func taking(rate, cost float64, tokens int64) AgentFunc {
	inner := simulated(rate)
	return func(ctx context.Context, r Request) Attempt {
		a := inner(ctx, r)
		if a.Trial != nil && cost > 0 {
			a.Trial.CostUSD = trial.Some(cost)
		}
		if a.Trial != nil && tokens > 0 {
			a.Trial.InputTokens, a.Trial.OutputTokens = trial.Some(tokens-tokens/3), trial.Some(tokens/3)
		}
		return a
	}
}

// lasting is an agent whose trials pass after a time.
func lasting(duration func(Request) time.Duration) AgentFunc {
	return func(ctx context.Context, r Request) Attempt {
		if !pause(ctx, duration(r)) {
			return Attempt{Err: ctx.Err()}
		}
		return Attempt{Trial: &trial.Trial{Outcome: trial.Pass}}
	}
}

// always is an agent whose trials pass after a second and cost 1.
var always = AgentFunc(func(ctx context.Context, r Request) Attempt {
	a := lasting(func(Request) time.Duration { return time.Second })(ctx, r)
	if a.Trial != nil {
		a.Trial.CostUSD = trial.Some(1.0)
	}
	return a
})

// long is a design that nothing decides before its end.
func long(t testing.TB, trials int) sprt.Design {
	t.Helper()
	d, err := sprt.Fixed(sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .1, Beta: .1}, trials)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Where all trials take the same, a budget is used up to the last trial that fits, and
// never exceeded.
func TestEqualTrialsKeepTheBudget(t *testing.T) {
	d := quick(t)
	const cost, tokens = .1, 300
	for _, fits := range []int{1, 2, 7, 25, 60} {
		for _, concurrency := range []int{1, 4, 16} {
			for _, eager := range []bool{false, true} {
				for limit, budget := range map[string]Budget{
					"cost":      {MaxCostUSD: (float64(fits) + .5) * cost},
					"all cost":  {MaxCostUSD: float64(fits) * cost},
					"price":     {MaxCostUSD: (float64(fits) + .5) * cost, PricePerTrial: cost},
					"tokens":    {MaxTokens: int64(fits)*tokens + tokens/2},
					"trials":    {MaxTrials: fits},
					"all of it": {MaxTrials: fits, MaxTokens: 1e9, MaxCostUSD: 1e9, MaxDuration: 1e9 * time.Second},
				} {
					synctest.Test(t, func(t *testing.T) {
						agent := taking(.7, cost, tokens)
						if budget.PricePerTrial > 0 {
							agent = taking(.7, 0, 0)
						}
						o := options(d, agent, letters(8)...)
						o.Budget, o.Concurrency, o.Eager = budget, concurrency, eager
						checkUsed(t, fmt.Sprint(limit, " ", fits, " ", concurrency, " ", eager), fits, mustRun(t, o))
					})
				}
			}
		}
	}
}

func checkUsed(t testing.TB, name string, fits int, r *Result) {
	t.Helper()
	checkDecisions(t, r)
	switch {
	case r.StoppedBy != runs.StoppedByBudget && fits < 30:
		t.Errorf("%s: the run ended with %v", name, r.StoppedBy)
	case r.StoppedBy == runs.StoppedByBudget && (r.Limit == noLimit || len(r.Trials) != fits || r.Spent.Attempts != fits):
		t.Errorf("%s: %d trials, limit %q", name, len(r.Trials), r.Limit)
	case r.StoppedBy != runs.StoppedByBudget && (r.Limit != noLimit || len(r.Trials) > fits):
		t.Errorf("%s: %v after %d trials", name, r.StoppedBy, len(r.Trials))
	}
}

// What is in flight counts as the mean so far.
func TestRunningMean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := AgentFunc(func(ctx context.Context, r Request) Attempt {
			a := always(ctx, r)
			a.Trial.CostUSD = trial.Some([]float64{1, 3, 2}[min(r.Trial, 2)]) // a mean of 1, of 2, and then always of 2
			return a
		})
		o := options(long(t, 40), agent, "s")
		o.Concurrency, o.Budget.MaxCostUSD = 3, 13
		// 1 alone. Then three of 1 are thought to fit and cost 3, 2 and 2: 8. Two more fit.
		r := mustRun(t, o)
		if r.Spent.CostUSD != 12 || len(r.Trials) != 6 || r.Elapsed != 3*time.Second || r.Limit != costLimit {
			t.Errorf("%v for %d trials in %v, %v", r.Spent.CostUSD, len(r.Trials), r.Elapsed, r.Limit)
		}
	})
}

func TestKnownCostsComeBeforeThePrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(long(t, 40), taking(.7, .2, 0), "s")
		o.Concurrency, o.Budget = 1, Budget{MaxCostUSD: 1, PricePerTrial: .1}
		if r := mustRun(t, o); len(r.Trials) != 5 || math.Abs(r.Spent.CostUSD-1) > 1e-9 ||
			r.Trials[0].Trial.CostUSD.Value != .2 {
			t.Errorf("%d trials, %+v", len(r.Trials), r.Spent)
		}
	})
	// A price above the budget leaves no trial to launch.
	o := options(long(t, 40), taking(.7, 0, 0), "s")
	o.Budget = Budget{MaxCostUSD: 1, PricePerTrial: 1.01}
	if r := mustRun(t, o); len(r.Trials) != 0 || r.StoppedBy != runs.StoppedByBudget || r.Limit != costLimit {
		t.Errorf("%+v", r)
	}
}

// An attempt that never began costs nothing, and says nothing of what others cost.
func TestProgramsThatDidNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := AgentFunc(func(ctx context.Context, r Request) Attempt {
			if r.Attempt < 3 {
				return Attempt{Err: &InfrastructureError{Type: "start", Problem: "no memory", Unbegun: true}}
			}
			return always(ctx, r)
		})
		o := options(quick(t), agent, letters(8)...)
		o.Retries, o.Budget.MaxCostUSD = 3, 5
		r := mustRun(t, o)
		if r.Spent.CostUSD != 5 || r.Spent.CostUnknown != 0 || r.StoppedBy != runs.StoppedByBudget || r.Lost != 0 {
			t.Errorf("%v after %+v, %d lost", r.StoppedBy, r.Spent, r.Lost)
		}
	})
}

func TestUnknownSpend(t *testing.T) {
	for _, c := range []struct {
		budget Budget
		agent  AgentFunc
		want   string
	}{
		{Budget{MaxCostUSD: 1}, taking(.7, 0, 10), `scenario "s", trial 0: the cost of`},
		{Budget{MaxTokens: 1000}, taking(.7, .01, 0), `scenario "s", trial 0: the tokens of`},
		{Budget{MaxTokens: 1000, MaxCostUSD: 1, PricePerTrial: .01}, taking(.7, 0, 0), `scenario "s", trial 0: the tokens of`},
		{Budget{MaxCostUSD: 1}, func(ctx context.Context, r Request) Attempt {
			if r.Trial == 3 {
				return taking(.7, 0, 10)(ctx, r)
			}
			return taking(.7, .01, 10)(ctx, r)
		}, `scenario "s", trial 3: the cost of`},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := options(long(t, 40), c.agent, "s")
			o.Budget = c.budget
			r, err := Run(context.Background(), o)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || r == nil {
				t.Fatalf("%+v: %v, %+v", c.budget, err, r)
			}
			if r.StoppedBy != runs.StoppedByFailure {
				t.Errorf("%v", r.StoppedBy)
			}
			// While nothing is known one trial finds out.
			if strings.Contains(c.want, "trial 0") && len(r.Trials) != 1 {
				t.Errorf("%d trials were launched", len(r.Trials))
			}
		})
	}
	// Nobody asks where nothing limits it.
	synctest.Test(t, func(t *testing.T) {
		o := options(quick(t), taking(.7, 0, 0), "s")
		o.Budget.MaxTrials = 1000
		mustRun(t, o)
	})
}

func TestDurationBudget(t *testing.T) {
	second := func(Request) time.Duration { return time.Second }
	slow := func(r Request) time.Duration {
		if r.Trial == 20 { // launched after 5 s
			return 20 * time.Second
		}
		return time.Second
	}
	for _, c := range []struct {
		name     string
		most     time.Duration
		grace    time.Duration
		duration func(Request) time.Duration
		elapsed  time.Duration
		ended    int
		lost     int
		finished bool
	}{
		{"what does not fit is not launched", 9500 * time.Millisecond, 0, second, 9 * time.Second, 36, 0, false},
		{"what fits is", 9 * time.Second, 0, second, 9 * time.Second, 36, 0, false},
		{"what runs may end", 10 * time.Second, 0, slow, 25 * time.Second, 36, 0, false},
		{"with grace it may not", 10 * time.Second, 2 * time.Second, slow, 12 * time.Second, 35, 1, false},
		{"or does", 10 * time.Second, 16 * time.Second, slow, 25 * time.Second, 36, 0, false},
		{"long enough", time.Minute, 0, second, 20 * time.Second, 80, 0, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := options(long(t, 80), lasting(c.duration), "s")
			o.Concurrency, o.Budget.MaxDuration = 4, c.most
			o.Grace = trial.Optional[time.Duration]{Value: c.grace, Known: c.grace > 0}
			r := mustRun(t, o)
			ended := 0
			for _, record := range r.Trials {
				if record.Trial != nil {
					ended++
				}
			}
			if r.Elapsed != c.elapsed || (r.StoppedBy == runs.StoppedByBudget) == c.finished ||
				(r.Limit == durationLimit) == c.finished || r.Lost != c.lost {
				t.Errorf("%s: %v after %v, limit %q, %d lost", c.name, r.StoppedBy, r.Elapsed, r.Limit, r.Lost)
			}
			// The mean has risen to (35+20)/36 s when the slow one ended: it is not asked again.
			if ended < c.ended-4 || ended > c.ended+4 || c.finished && ended != c.ended {
				t.Errorf("%s: %d trials ended, want about %d", c.name, ended, c.ended)
			}
			if r.Tests[0].StoppedBy != r.StoppedBy && !c.finished {
				t.Errorf("%s: the test ended with %v", c.name, r.Tests[0].StoppedBy)
			}
		})
	}
}

// Attempts that never began cost nothing, and only trials count as trials.
func TestBudgetOfTrialsThatAreRepeated(t *testing.T) {
	agent := AgentFunc(func(ctx context.Context, r Request) Attempt {
		if r.Attempt == 0 {
			return Attempt{Err: &InfrastructureError{Type: "start", Problem: "no memory", Unbegun: true}}
		}
		return always(ctx, r)
	})
	synctest.Test(t, func(t *testing.T) {
		o := options(long(t, 40), agent, "s")
		o.Retries, o.Budget.MaxTrials = 1, 6
		if r := mustRun(t, o); len(r.Trials) != 6 || r.Spent.Attempts != 12 || r.Spent.CostUSD != 6 || r.Limit != trialLimit {
			t.Errorf("%d trials, %+v, %v", len(r.Trials), r.Spent, r.Limit)
		}
	})
	// A later session continues those that are waiting.
	synctest.Test(t, func(t *testing.T) {
		o := options(long(t, 6), agent, "s")
		o.Retries, o.Concurrency, o.Budget.MaxCostUSD = 1, 4, 3
		o.Journal = filepath.Join(t.TempDir(), "journal")
		r := mustRun(t, o)
		if r.Spent.CostUSD != 3 || r.Limit != costLimit || r.Lost != 0 {
			t.Errorf("%+v, %+v, %d lost", r.Spent, r.Tests[0], r.Lost)
		}
		for _, record := range r.Trials {
			if record.Trial != nil && record.Trial.Outcome != trial.Pass {
				t.Errorf("trial %d is %v", record.Number, record.Trial.Outcome)
			}
		}
		o.Resume, o.Budget.MaxCostUSD = true, 6
		if r := mustRun(t, o); r.Spent.CostUSD != 6 || r.Spent.Attempts != 12 || r.Tests[0].Outcome != sprt.Pass ||
			r.Lost != 0 {
			t.Errorf("%+v, %+v", r.Spent, r.Tests[0])
		}
	})
}

// What earlier sessions took counts, and so does what is not known of them.
func TestBudgetOverSessions(t *testing.T) {
	for name, more := range map[string]func(*Budget, int){
		"cost":     func(b *Budget, n int) { b.MaxCostUSD = float64(n) + .5 },
		"trials":   func(b *Budget, n int) { b.MaxTrials = n },
		"duration": func(b *Budget, n int) { b.MaxDuration = time.Duration(n/2)*time.Second + time.Millisecond },
	} {
		synctest.Test(t, func(t *testing.T) {
			o := options(long(t, 40), always, "s")
			o.Concurrency, o.Journal = 2, filepath.Join(t.TempDir(), "journal")
			for _, c := range []struct{ budget, resumed int }{{6, 0}, {6, 6}, {4, 6}, {14, 6}} {
				more(&o.Budget, c.budget)
				r := mustRun(t, o)
				if want := max(c.budget, c.resumed); len(r.Trials) != want || r.Resumed != c.resumed ||
					r.StoppedBy != runs.StoppedByBudget ||
					r.Spent.CostUSD != float64(want) || r.Limit.String() != name || name != "cost" &&
					r.Elapsed != time.Duration(want)*time.Second/2 {
					t.Errorf("%s: budget %d: %d trials, %d of them resumed, %v of %v, %+v in %v", name, c.budget, len(r.Trials),
						r.Resumed, r.StoppedBy, r.Limit, r.Spent, r.Elapsed)
				}
				o.Resume = true
				time.Sleep(time.Hour) // is not the run's
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		o := options(long(t, 40), always, "s")
		o.Concurrency, o.Journal, o.Budget.MaxCostUSD = 2, filepath.Join(t.TempDir(), "journal"), 6
		ctx, cancel := context.WithTimeout(context.Background(), 2500*time.Millisecond)
		defer cancel()
		// One alone, two together, and two are killed.
		if r, err := Run(ctx, o); err != nil || r.Spent.CostUSD != 3 || r.Lost != 2 {
			t.Fatalf("%+v, %v", r, err)
		}
		// They count as 1 each: one more fits.
		o.Resume = true
		if r := mustRun(t, o); r.Spent.CostUSD != 4 || r.Lost != 2 || r.Limit != costLimit {
			t.Errorf("%+v, %d lost, %v", r.Spent, r.Lost, r.Limit)
		}
		// What is lost took none of the time of the session that finds it.
		if text, err := os.ReadFile(o.Journal); err != nil || !bytes.Contains(text, []byte(`"lost":true`)) ||
			bytes.Contains(text, []byte("922337203")) {
			t.Errorf("%v\n%s", err, text)
		}
	})
}

// The verdict is that of the trials there are.
func TestVerdictUnderABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := quick(t)
		o := options(d, always, "s0", "s1")
		least := slices.IndexFunc(d.Boundaries.PassAtOrBelow, func(failures int) bool { return failures >= 0 }) + 1
		o.Listed, o.Concurrency, o.Budget.MaxCostUSD = true, 1, float64(least)+1
		r := mustRun(t, o)
		if a, b := r.Tests[0], r.Tests[1]; a.Outcome != sprt.Pass || a.StoppedBy != runs.StoppedByDecision ||
			b.Outcome != sprt.Undecided || b.StoppedBy != runs.StoppedByBudget || b.Trials != 1 {
			t.Fatalf("%+v\n%+v", a, b)
		}
		judged, err := runs.Judge(t.Context(), r.Evidence("suite", "digest", "1"))
		if err != nil {
			t.Fatal(err)
		}
		if judged.Verdict != verdict.Inconclusive || judged.ExitCode != 2 || judged.StoppedBy != runs.StoppedByBudget ||
			judged.Budget != "cost" {
			t.Errorf("%+v", judged)
		}
		if a, b := judged.Tests[0], judged.Tests[1]; a.Verdict != verdict.Pass || b.Verdict != verdict.Inconclusive ||
			b.Reasons[0].Code != runs.CodeNotEnded {
			t.Errorf("%+v\n%+v", a, b)
		}
		if *judged.Spent.CostUSD != float64(least)+1 || judged.Spent.Trials != least+1 || judged.Spent.Attempts != least+1 ||
			judged.Spent.InputTokens != nil {
			t.Errorf("%+v", judged.Spent)
		}
	})
}
