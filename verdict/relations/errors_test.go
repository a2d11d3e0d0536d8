package relations

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// planned is the test of a relation that says nothing of how it is tested. It is planned once.
var planned = sync.OnceValues(func() (*baseline.Rounds, error) {
	const delta = suite.DefaultRelationDelta
	plan, err := baseline.Matched(context.Background(), baseline.MatchedHypotheses{
		Delta: delta, Alpha: 0.05, Beta: 0.1, MostDiscordant: (1 + delta*delta) / 2,
	}, baseline.Options{})
	return plan.Test, err
})

func mustPlanned(t *testing.T) *baseline.Rounds {
	t.Helper()
	r, err := planned()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ended is a test after rounds whose pairs hold with these probabilities, by the decider of runs: how it ended, and the
// rounds that it took.
func ended(t *testing.T, test *baseline.Rounds, random *rand.Rand, control, followUp float64) (sprt.Outcome, int) {
	t.Helper()
	d, err := runs.NewDecider(runs.TestEvidence{Name: "r/s", Scenarios: []string{"r/s"},
		Against: &runs.Against{Rounds: test}})
	if err != nil {
		t.Fatal(err)
	}
	place := 0
	for ; !d.Decided(); place++ {
		holds := control
		if place%2 == 1 {
			holds = followUp
		}
		outcome := trial.Fail
		if random.Float64() < holds {
			outcome = trial.Pass
		}
		if err := d.Observe(place, outcome); err != nil {
			t.Fatal(err)
		}
	}
	return d.Outcome(), place / 2
}

// An agent that the transformation changes nothing for has pairs of both kinds that hold alike, at whatever rate: the
// proved errors of the test are over the share of discordant rounds, which is 2p(1-p), and at most ½, and (1+δ²)/2
// after a drop.
func TestErrorsAreKeptAtAnyAgreement(t *testing.T) {
	test := mustPlanned(t)
	const delta, alpha, beta = suite.DefaultRelationDelta, 0.05, 0.1
	if e := test.Errors(); e.Alpha > alpha || e.Beta > beta {
		t.Fatalf("proved errors %v", e)
	}
	for i := range 201 {
		p := float64(i) / 200
		discordant := p * (1 - p)
		if 2*discordant > test.Hypotheses().Guarded.High {
			t.Fatalf("at %v more rounds are discordant than are guarded", p)
		}
		if got := test.AtPairs(discordant, discordant).Fail; got > alpha {
			t.Errorf("an agent that holds with %v is called a violator in %v", p, got)
		}
		q := p - delta
		if q < 0 {
			continue
		}
		fixed, broke := q*(1-p), p*(1-q)
		if fixed+broke > test.Hypotheses().Guarded.High+1e-12 {
			t.Fatalf("at %v and %v more rounds are discordant than are guarded", p, q)
		}
		if got := test.AtPairs(fixed, broke).Pass; got > beta {
			t.Errorf("a violator that holds with %v, and %v of equal inputs, passes in %v", q, p, got)
		}
	}
}

// The same by simulation with the decider that runs stop by, at rates over the whole range: agents that are
// blind to the order, and 5 standard errors above alpha.
func TestOrderBlindAgentsAreNoViolators(t *testing.T) {
	test := mustPlanned(t)
	agents := thorough.Draws(500, 4000)
	most := 0.05 + 5*math.Sqrt(0.05*0.95/float64(agents))
	for i, p := range []float64{0.02, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99, 1} {
		random := seeded.Stream(7, uint64(i))
		failed := 0
		for range agents {
			if outcome, _ := ended(t, test, random, p, p); outcome == sprt.Fail {
				failed++
			}
		}
		if share := float64(failed) / float64(agents); share > most {
			t.Errorf("of agents that hold with %v %v are called violators", p, share)
		}
	}
}

// An agent that takes the first document half of the time, where the right one stands first in the source: pairs of
// equal inputs always agree, and follow-ups in 1/2 + 1/2 · 5/23 with four documents: of the 23 other orders 5 leave the
// first where it is. It is found with 100 pairs of both kinds in 90 % at least, exactly: the probability of the ends of
// Fail up to 50 rounds, by going through all paths.
func TestFirstDocumentIsFound(t *testing.T) {
	test := mustPlanned(t)
	const control, followUp = 1.0, 0.5 + 0.5*5/23
	const rounds = 50
	// at[b][c] is the probability of so many rounds that broke and were fixed, undecided.
	at := map[[2]int]float64{{0, 0}: 1}
	found := 0.0
	for n := 1; n <= rounds; n++ {
		next := map[[2]int]float64{}
		for counts, p := range at {
			for _, step := range []struct {
				broke, fixed int
				p            float64
			}{
				{1, 0, control * (1 - followUp)}, {0, 1, (1 - control) * followUp},
				{0, 0, control*followUp + (1-control)*(1-followUp)},
			} {
				if step.p > 0 {
					next[[2]int{counts[0] + step.broke, counts[1] + step.fixed}] += p * step.p
				}
			}
		}
		for counts, p := range next {
			switch test.Outcome(n, counts[1], counts[0]) {
			case sprt.Fail:
				found += p
				delete(next, counts)
			case sprt.Pass:
				delete(next, counts)
			}
		}
		at = next
	}
	if found < 0.9 {
		t.Errorf("found in %v within %d pairs", found, 2*rounds)
	}
	t.Logf("found in %.4f within %d pairs, %.1f rounds on average", found, 2*rounds,
		test.AtPairs(0, 1-followUp).ExpectedTrials)
	// The same agent, step by step.
	random := seeded.Stream(11, 0)
	const agents = 2000
	seen := 0
	for range agents {
		if outcome, n := ended(t, test, random, control, followUp); outcome == sprt.Fail && n <= rounds {
			seen++
		}
	}
	if share := float64(seen) / agents; math.Abs(share-found) > 5*math.Sqrt(found*(1-found)/agents)+1e-9 {
		t.Errorf("found in %v of simulated agents, and exactly in %v", share, found)
	}
}

// The table of the manual says what the test takes.
func TestManualSaysWhatItTakes(t *testing.T) {
	page, err := os.ReadFile("../../docs/run-relations.md")
	if err != nil {
		t.Fatal(err)
	}
	test := mustPlanned(t)
	rows := regexp.MustCompile(`(?m)^\| ([0-9]+) % \| ([0-9]+) % \| (Pass|Fail)(?: in ([0-9.]+) %)? \| ([0-9]+) \|$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) < 6 {
		t.Fatalf("only %d rows are read", len(rows))
	}
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(cmp.Or(text, "100"), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, row := range rows {
		p, q := number(row[1])/100, number(row[2])/100
		c := test.AtPairs(q*(1-p), p*(1-q))
		chance := c.Pass
		if row[3] == "Fail" {
			chance = c.Fail
		}
		if math.Abs(100*chance-number(row[4])) > 0.5 || math.Abs(c.ExpectedTrials-number(row[5])) > 0.5 {
			t.Errorf("%s: %v in %v rounds", row[0], chance, c.ExpectedTrials)
		}
	}
}
