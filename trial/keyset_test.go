package trial

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func numbered(variant, scenario string, index, line int) *Trial {
	return &Trial{Variant: variant, Scenario: scenario, Index: Some(index), Place: Place{File: "f", Line: line}}
}

// A KeySet finds what a map of all keys finds.
func TestKeySetIsAMap(t *testing.T) {
	type key struct {
		variant, scenario string
		index             int
	}
	thorough.Check(t, func(t *rapid.T) {
		var set KeySet
		seen := map[key]Place{}
		line := 0
		indexes := rapid.OneOf(rapid.IntRange(0, 30),
			rapid.SampledFrom([]int{math.MinInt, -1, math.MaxInt, math.MaxInt / 7}))
		for range rapid.IntRange(0, 80).Draw(t, "trials") {
			line += rapid.IntRange(1, 3).Draw(t, "distance")
			place := Place{File: rapid.SampledFrom([]string{"f", "f", "f", "g"}).Draw(t, "file"), Line: line}
			k := key{rapid.SampledFrom([]string{"", "v"}).Draw(t, "variant"),
				rapid.SampledFrom([]string{"a", "b"}).Draw(t, "scenario"), indexes.Draw(t, "index")}
			err := set.Add(&Trial{Variant: k.variant, Scenario: k.scenario, Index: Some(k.index), Place: place})
			first, again := seen[k]
			if !again {
				if err != nil {
					t.Fatalf("%v at %v is new, but: %v", k, place, err)
				}
				seen[k] = place
				continue
			}
			e, ok := errors.AsType[*DuplicateError](err)
			if !ok || *e != (DuplicateError{k.variant, k.scenario, k.index, first, place}) {
				t.Fatalf("%v at %v was at %v, but: %v", k, place, first, err)
			}
		}
	})
}

func TestKeySetUnnumbered(t *testing.T) {
	var set KeySet
	for range 3 {
		if err := set.Add(&Trial{Scenario: "a"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDuplicateErrorMessage(t *testing.T) {
	for _, c := range []struct {
		e    DuplicateError
		want string
	}{
		{DuplicateError{Scenario: "x", Index: 3, First: Place{File: "f", Line: 5}, Again: Place{File: "f", Line: 9}},
			`f:9: trial 3 of scenario "x" is on line 5 and again on line 9; drop one, or let both count with AllowDuplicates; of runs that are each numbered anew, count the trials with TrialRule`},
		{DuplicateError{Variant: "v", Scenario: "x", Index: 3, First: Place{File: "f", Line: 5}, Again: Place{File: "-", Line: 9}},
			`standard input:9: trial 3 of scenario "x" of variant "v" is on line 5 of f and again on line 9 of standard input; drop one, or let both count with AllowDuplicates; of runs that are each numbered anew, count the trials with TrialRule`},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// orders are the orders in which trials usually come, and the worst.
func orders(scenarios, trials int) map[string]func(yield func(scenario, index int) error) error {
	random := rand.New(rand.NewPCG(3, 4))
	return map[string]func(func(int, int) error) error{
		"scenario by scenario": func(yield func(int, int) error) error {
			for i := range scenarios * trials {
				if err := yield(i/trials, i%trials); err != nil {
					return err
				}
			}
			return nil
		},
		"in turn": func(yield func(int, int) error) error {
			for i := range scenarios * trials {
				if err := yield(i%scenarios, i/scenarios); err != nil {
					return err
				}
			}
			return nil
		},
		"in shuffled turns": func(yield func(int, int) error) error {
			for round := range trials {
				for _, s := range random.Perm(scenarios) {
					if err := yield(s, round); err != nil {
						return err
					}
				}
			}
			return nil
		},
		"numbers shuffled": func(yield func(int, int) error) error {
			for s := range scenarios {
				for _, i := range random.Perm(trials) {
					if err := yield(s, i); err != nil {
						return err
					}
				}
			}
			return nil
		},
		"every third number": func(yield func(int, int) error) error {
			for i := range scenarios * trials {
				if err := yield(i/trials, 3*(i%trials)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func TestKeySetMemory(t *testing.T) {
	const scenarios, trials = 10, 20_000
	for name, each := range orders(scenarios, trials) {
		var set KeySet
		line := 0
		if err := each(func(scenario, index int) error {
			line++
			return set.Add(numbered("v", fmt.Sprint(scenario), index, line))
		}); err != nil {
			t.Fatal(err)
		}
		bytes := 0
		for _, n := range set.numbers {
			bytes += cap(n.runs)*int(unsafe.Sizeof(run{})) + cap(n.others.slots)*int(unsafe.Sizeof(slot{}))
		}
		most := 24.0
		if name == "scenario by scenario" || name == "in turn" {
			most = 0.1
		}
		if perTrial := float64(bytes) / (scenarios * trials); perTrial > most {
			t.Errorf("%s: %.2f bytes a trial, want at most %g", name, perTrial, most)
		}
	}
}

func BenchmarkKeySet(b *testing.B) {
	const scenarios, trials = 100, 1_000
	names := make([]string, scenarios)
	for i := range names {
		names[i] = fmt.Sprint("scenario ", i)
	}
	for name, each := range orders(scenarios, trials) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var set KeySet
				line := 0
				x := numbered("v", "", 0, 0)
				if err := each(func(scenario, index int) error {
					line++
					x.Scenario, x.Index.Value, x.Place.Line = names[scenario], index, line
					return set.Add(x)
				}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(scenarios*trials), "ns/trial")
		})
	}
}
