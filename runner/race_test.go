package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// racers returns options of a race of four variants in two scenarios, of which each passes at another rate.
func racers(t *testing.T, rule race.Rule) Options {
	t.Helper()
	d, err := sprt.Recording(rule.MaxRounds)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Concurrency: 1, Seed: 5, Variants: map[string]Agent{}, Race: &rule,
		Scenarios: []Scenario{{Name: "p"}, {Name: "q"}}}
	for i, rate := range []float64{.6, .95, .7, .3} {
		name := fmt.Sprintf("v%d", i)
		o.Variants[name] = priced(simulated(rate), []float64{.01, .01, .05, .01}[i])
		o.Tests = append(o.Tests, Test{Name: "all of " + name, Design: d, Scenarios: []string{"p", "q"}, Variant: name})
	}
	// What passes follows from the seed; with one of its own each variant is independent of the others.
	o.OwnSeeds = true
	return o
}

// priced is an agent that tells what it costs.
func priced(agent AgentFunc, cost float64) AgentFunc {
	return func(ctx context.Context, r Request) Attempt {
		a := agent(ctx, r)
		if a.Trial != nil {
			a.Trial.CostUSD = trial.Some(cost)
		}
		return a
	}
}

// judgedAgain races the trials of a run again, in the order of their places.
func judgedAgain(t *testing.T, o Options, r *Result) *race.Race {
	t.Helper()
	again, err := race.New(len(o.Tests), *o.Race)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range o.Tests {
		place := 0
		for _, record := range r.Trials {
			if record.Test == test.Name && record.Trial != nil {
				if err := again.Observe(i, place, record.Trial.Outcome); err != nil {
					t.Fatal(err)
				}
				place++
			}
		}
	}
	return again
}

// The variants race until one is left: in each round all that are left have one trial of the same scenario and number,
// none has a trial that is not needed, and the race is the same however many run at once.
func TestVariantsRace(t *testing.T) {
	var want []string
	for _, concurrency := range []int{1, 3, 16} {
		synctest.Test(t, func(t *testing.T) {
			o := racers(t, race.Rule{Lead: 6, MaxRounds: 150})
			o.Concurrency = concurrency
			r := mustRun(t, o)
			again := judgedAgain(t, o, r)
			winner, ok := again.Winner()
			if !ok || winner != 1 || r.StoppedBy != "race" {
				t.Errorf("%d at a time: winner %d %v, stopped by %s", concurrency, winner, ok, r.StoppedBy)
			}
			var got []string
			first := map[int]Record{}
			place := map[string]int{}
			for _, record := range r.Trials {
				n := place[record.Test]
				place[record.Test]++
				before, known := first[n]
				if first[n] = record; known && (record.Scenario != before.Scenario || record.Number != before.Number) {
					t.Errorf("round %d: %s#%d beside %s#%d", n, record.Scenario, record.Number, before.Scenario, before.Number)
				}
			}
			for i, test := range r.Tests {
				if test.Outcome != sprt.Undecided || place[test.Name] != again.Judged(i) {
					t.Errorf("%d at a time: %s has %d trials and %v, and %d count", concurrency, test.Name, place[test.Name],
						test.Outcome, again.Judged(i))
				}
				got = append(got, fmt.Sprint(test.Name, again.Dropped(i), again.Judged(i)))
			}
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d at a time (-want +got):\n%s", concurrency, diff)
			}
		})
	}
}

// Stopped again and again, a race comes to what it would have come to, with prices too.
func TestRacesAreResumed(t *testing.T) {
	for _, worth := range []float64{0, 1000} {
		var want []string
		for _, each := range []int{0, 1, 7} {
			synctest.Test(t, func(t *testing.T) {
				o := racers(t, race.Rule{Lead: 6, MaxRounds: 150, Worth: worth})
				o.Journal = filepath.Join(t.TempDir(), "journal")
				o.Concurrency = 1 + each
				o = resumed(t, o, each)
				r := mustRun(t, o)
				var got []string
				trials := map[string]int{}
				for _, record := range r.Trials {
					trials[record.Test]++
				}
				for _, test := range r.Tests {
					got = append(got, fmt.Sprint(test.Name, trials[test.Name]))
				}
				if want == nil {
					want = got
				}
				if diff := cmp.Diff(want, got); diff != "" || r.StoppedBy != "race" {
					t.Errorf("worth %v, stopped after every %d, by %s (-want +got):\n%s", worth, each, r.StoppedBy, diff)
				}
				o.Race = &race.Rule{Lead: 5, MaxRounds: 150, Worth: worth}
				var other *journal.HeaderError
				if _, err := Run(t.Context(), o); !errors.As(err, &other) {
					t.Errorf("a race with another lead went on: %v", err)
				}
			})
		}
	}
}

// An arm that costs five times as much as the others has no trial after the rounds in which nobody can be dropped until
// these have ended their race.
func TestDearVariantsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := racers(t, race.Rule{Lead: 6, MaxRounds: 150, Worth: 1000})
		r := mustRun(t, o)
		others, dear, waited := 0, 0, 0
		for _, record := range r.Trials {
			if record.Variant != "v2" {
				others++
				continue
			}
			if dear++; dear == 7 {
				waited = others
			}
		}
		if waited < 4*6 || dear < 7 {
			t.Errorf("the dear one began again after %d trials of the others, and had %d", waited, dear)
		}
		o = racers(t, race.Rule{Lead: 6, MaxRounds: 150, Worth: 1e-6})
		r = mustRun(t, o)
		if len(r.Trials) != 4*6 || r.StoppedBy != "race" {
			t.Errorf("%d trials, stopped by %s, where nothing is worth any", len(r.Trials), r.StoppedBy)
		}
	})
}

func TestRacesThatCannotBeRun(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"rule":      func(o *Options) { o.Race = &race.Rule{} },
		"scenarios": func(o *Options) { o.Tests[1].Scenarios = []string{"p"} },
		"rounds":    func(o *Options) { o.Race = &race.Rule{Lead: 6, MaxRounds: 149} },
		"one":       func(o *Options) { o.Tests = o.Tests[:1] },
		"others":    func(o *Options) { o.FirstFail = true },
	} {
		o := racers(t, race.Rule{Lead: 6, MaxRounds: 150})
		change(&o)
		var option *OptionError
		if _, err := Run(t.Context(), o); !errors.As(err, &option) || option.Argument != "race" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
