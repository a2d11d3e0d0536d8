package wire_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/wire"
)

// Many attempts at once have one budget: what goes up beyond it are requests that were under way.
func TestBudgetOfAttemptsAtOnce(t *testing.T) {
	// An answer of 100 and 10 tokens costs 0.25 USD.
	table, err := prices.Parse("prices.yaml",
		[]byte("version: 1\nprices: [{model: small-1, input: 2400, cached: 2400, output: 1000}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	const attempts = 50
	for reason, budget := range map[string]*wire.Budget{
		wire.MaxCostUSD: wire.NewBudget(trial.Some(25.0), trial.Optional[int64]{}, wire.BudgetUse{}),
		wire.MaxTokens:  wire.NewBudget(trial.Optional[float64]{}, trial.Some[int64](11_000), wire.BudgetUse{}),
	} {
		var asked atomic.Int64
		w := open(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			time.Sleep(time.Millisecond)
			io.WriteString(w, said("on"))
		}, wire.Options{Prices: table})
		var all sync.WaitGroup
		var took atomic.Int64
		for range attempts {
			all.Go(func() {
				route := w.Route(wire.Limits{Budget: budget})
				for range 40 {
					status, text := ask(t, route.Root()+"/openai/v1/chat/completions", `{"model":"m"}`)
					if status != 200 && !(status == 400 && strings.Contains(text, `"error"`) &&
						strings.Contains(text, "budget of the run")) {
						t.Errorf("%d %s", status, text)
					}
				}
				<-route.Stopped()
				seen := route.Close()
				if seen.Stopped != wire.RunBudget {
					t.Errorf("%+v", seen)
				}
				took.Add(int64(seen.Taken.Turns))
			})
		}
		all.Wait()
		<-budget.Done()
		if n := asked.Load(); n < 100 || n > 100+attempts || took.Load() != n || budget.Reached() != reason {
			t.Errorf("%d requests went up and %d were counted, %q", n, took.Load(), budget.Reached())
		}
	}
}

// What attempts took by all accounts, and what does not tell its cost, counts.
func TestBudgetCountsWhatIsNotSeen(t *testing.T) {
	table, err := prices.Parse("prices.yaml",
		[]byte("version: 1\nprices: [{model: small-1, input: 2400, cached: 2400, output: 1000}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	unpriced := strings.Replace(said("on"), "small-1", "unheard-of", 1)
	for name, c := range map[string]struct {
		taken wire.BudgetUse // before
		took  wire.BudgetUse // of what is no request
		odd   string         // the answer to every other request
		asked int
	}{
		"by one":              {asked: 10},
		"a session before":    {taken: wire.BudgetUse{CostUSD: 1.75}, asked: 3},
		"besides the wire":    {took: wire.BudgetUse{CostUSD: 2}, asked: 2},
		"without a price too": {odd: unpriced, asked: 10},
	} {
		asked := 0
		w := open(t, func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked%2 == 0 && c.odd != "" {
				io.WriteString(w, c.odd)
				return
			}
			io.WriteString(w, said("on"))
		}, wire.Options{Prices: table})
		budget := wire.NewBudget(trial.Some(2.5), trial.Optional[int64]{}, c.taken)
		budget.Settle(wire.BudgetUse{}, c.took)
		route := w.Route(wire.Limits{Budget: budget})
		for range 40 {
			ask(t, route.Root()+"/openai/v1/chat/completions", `{"model":"m"}`)
		}
		if asked != c.asked {
			t.Errorf("%s: %d requests went up, and not %d", name, asked, c.asked)
		}
	}
}
