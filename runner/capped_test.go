//go:build unix

package runner

import (
	"context"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// A run's budget holds within an attempt: what would go beyond it is not asked, the attempt is no failure, and the run
// goes on from its journal with a larger one.
func TestBudgetHoldsOnTheWire(t *testing.T) {
	for _, mode := range []suite.Mode{suite.ProcessMode, suite.SessionMode} {
		t.Run(string(mode), func(t *testing.T) {
			var asked atomic.Int64
			s := wiredSuite(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				io.WriteString(w, answersFine) // which costs 0.03 USD
			}, `
budget: {max_cost_usd: 0.45}
limits: {max_turns: none, max_cost_usd: none}
scenarios: [{name: endless, input: 40, trials: 3, evaluate: [contains: fine]}]
`)
			s.Agent.Mode = mode
			run := func(budget float64, resume bool, journal string) *Result {
				t.Helper()
				o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: 3})
				if err != nil {
					t.Fatal(err)
				}
				o.Journal, o.Resume, o.Concurrency, o.Budget.MaxCostUSD = journal, resume, 3, budget
				r, err := Run(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			name := filepath.Join(t.TempDir(), "journal")
			r := run(0.45, false, name)
			if asked.Load() != 15 || r.StoppedBy != runs.StoppedByBudget || r.Limit != costLimit ||
				math.Abs(r.Spent.CostUSD-0.45) > 1e-9 || r.Lost != 1 || r.Spent.Attempts != 1 || r.Spent.Turns != 15 {
				t.Errorf("%d requests went up, and %+v", asked.Load(), r)
			}
			for _, x := range r.Trials {
				if x.Standing != Unfinished || x.Trial != nil {
					t.Errorf("%+v", x)
				}
			}
			h, err := journal.Read(name)
			if err != nil || h.Spent != r.Spent || h.Cut != 1 {
				t.Errorf("%+v, %v", h, err)
			}
			// The lost trial is an error, as after an interrupt. The two that are left take 1.20 USD each.
			r = run(3, true, name)
			errors := 0
			for _, x := range r.Trials {
				if x.Trial != nil && x.Trial.Outcome == trial.Error {
					errors++
				}
			}
			if asked.Load() != 15+80 || errors != 1 || len(r.Trials) != 3 || math.Abs(r.Spent.CostUSD-0.45-2.4) > 1e-9 {
				t.Errorf("%d requests went up, and %+v", asked.Load(), r)
			}
		})
	}
}
