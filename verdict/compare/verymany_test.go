package compare

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// countedSide has so many trials of each scenario, of which a share passes that falls from scenario to scenario.
func countedSide(name string, scenarios, trials int, rate float64) *recording.Recording {
	r := &recording.Recording{Name: name}
	for i := range scenarios {
		passes := int(math.Round((rate - .1*float64(i%5)/5) * float64(trials)))
		r.AddCount(fmt.Sprint("s", i), trial.Pass, passes)
		r.AddCount(fmt.Sprint("s", i), trial.Fail, trials-passes)
	}
	return r
}

// A billion trials are judged, by exact tests throughout, and judged again from nothing but their counts.
func TestBillionTrials(t *testing.T) {
	for _, c := range []struct {
		rate float64
		want verdict.Verdict
	}{{.95, verdict.Pass}, {.945, verdict.Pass}, {.93, verdict.Fail}} {
		baseline, candidate := countedSide("baseline", 100, 5_000_000, .95), countedSide("candidate", 100, 5_000_000, c.rate)
		result, err := Judge(t.Context(), baseline, candidate, Options{Delta: .01})
		if err != nil {
			t.Fatal(err)
		}
		if result.Verdict != c.want || result.Edition != veryMany || result.DecidedBy != stats.StratifiedTest {
			t.Errorf("%v: %v of edition %d, by %v", c.rate, result.Verdict, result.Edition, result.DecidedBy)
		}
		if h := result.Heterogeneity; h == nil || result.Seed != 0 {
			t.Errorf("%v: differing changes are %+v, seed %d", c.rate, h, result.Seed)
		}
		for _, s := range result.Scenarios {
			if s.Verdict != c.want {
				t.Errorf("%v: %s is %v", c.rate, s.Name, s.Verdict)
			}
		}
		found, err := result.Rejudge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again := found.Again.(*Result)
		if len(found.Skipped) > 0 || slices.Contains(found.Skip, "verdict") ||
			slices.Contains(found.Skip, "scenarios.verdict") {
			t.Errorf("%v: %v and %v are taken as they are", c.rate, found.Skipped, found.Skip)
		}
		if again.Verdict != c.want || again.Tests.NonInferiority.P != result.Tests.NonInferiority.P ||
			again.Heterogeneity.P != result.Heterogeneity.P {
			t.Errorf("%v: judged again it is %v, %v, %+v", c.rate, again.Verdict, again.Tests.NonInferiority,
				again.Heterogeneity)
		}
	}
}

// A billion trials of a single scenario: Boschloo's p is Fisher's.
func TestBillionTrialsOfOneScenario(t *testing.T) {
	result, err := Judge(t.Context(), countedSide("baseline", 1, 500_000_000, .9),
		countedSide("candidate", 1, 500_000_000, .89), Options{Delta: .005})
	if err != nil {
		t.Fatal(err)
	}
	boschloo, there := result.Tests.Of(stats.BoschlooTest)
	fisher, _ := result.Tests.Of(stats.FisherTest)
	if !there || boschloo.P != fisher.P || result.Verdict != verdict.Fail || result.Tests.NonInferiority.P < .999 {
		t.Errorf("%v, %v, Fisher's %v, not worse %v", result.Verdict, boschloo, fisher, result.Tests.NonInferiority)
	}
}

// What a scenario's p stands for is never below Boschloo's, and what its verdict says of "not worse by delta" is what
// the exact test over all rates says, but where that is at the very level.
func TestScenariosOfVeryManyTrials(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	const delta = .02
	for _, trials := range []int{100, 900, 4000} {
		baseline, candidate := countedSide("baseline", 400_000/trials, trials, .9), &recording.Recording{Name: "candidate"}
		for i, tally := range baseline.Tallies() {
			passes := tally.Passes - int(float64(trials)*.0001*float64(i%400))
			candidate.AddCount(tally.Scenario, trial.Pass, passes)
			candidate.AddCount(tally.Scenario, trial.Fail, trials-passes)
		}
		c, err := newComparer(t.Context(), baseline, candidate, Options{Delta: delta})
		if err != nil || !c.options.ofVeryMany() {
			t.Fatalf("edition %d, %v", c.options.edition(), err)
		}
		within := map[bool]int{}
		for i := 0; i < len(c.rows); i += thorough.Draws(max(7, len(c.rows)/14), 7) {
			row := c.row(i)
			b, k := scored(row[0], c.scorings[0].baseline), scored(row[1], c.scorings[0].candidate)
			worse, err, shown, errShown := c.scenarioPs(row, nil, c.scorings[0])
			if err != nil || errShown != nil {
				t.Fatal(err, errShown)
			}
			boschloo, err := stats.Boschloo(t.Context(), b, k)
			if err != nil {
				t.Fatal(err)
			}
			if worse < boschloo*(1-1e-9) || worse > boschloo*1.2+.02 {
				t.Errorf("%v and %v: p %v; Boschloo's is %v", b, k, worse, boschloo)
			}
			p, err := stats.NonInferiority(t.Context(), b, k, delta)
			if err != nil {
				t.Fatal(err)
			}
			within[shown]++
			if shown != (p <= c.options.Beta) && math.Abs(p-c.options.Beta) > .005 {
				t.Errorf("%v and %v: not worse %v; p is %v", b, k, shown, p)
			}
		}
		if len(within) < 2 && trials > 100 {
			t.Errorf("%d trials: shown %v", trials, within)
		}
	}
}

// A result of an earlier edition of as many trials stays one: what its version searched for is taken as it is.
func TestEarlierEditionOfVeryManyTrials(t *testing.T) {
	result, err := Judge(t.Context(), countedSide("baseline", 3, 100_000, .95), countedSide("candidate", 3, 100_000, .95),
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	result.Edition = shortOfMany
	result.Tests.NonInferiority.P, result.Heterogeneity.P = .01234, .4321
	found, err := result.Rejudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again := found.Again.(*Result)
	if again.Edition != shortOfMany || again.Tests.NonInferiority.P != .01234 || again.Heterogeneity.P != .4321 ||
		!slices.Contains(found.Skipped, "tests.noninferiority") {
		t.Errorf("edition %d, %v, %+v, taken %v", again.Edition, again.Tests.NonInferiority, again.Heterogeneity,
			found.Skipped)
	}
}
