package runner

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// A run without variants is what it was before there were any, to the last byte of its
// journal. The sums are of journals that the program of before wrote.
func TestRunsWithoutVariantsStayAsTheyWere(t *testing.T) {
	d := wald(t, 40)
	for concurrency, want := range map[int]string{
		1: "176c3109d79e14768f8b5d871ab9b43da5422b72eed30cee0ae13a66433e8dc8",
		7: "7f496dd7b8949fd0e9650ec90b48b45439ae1d7cbd63c64da33a48a1231b769e",
	} {
		synctest.Test(t, func(t *testing.T) {
			o := options(d, simulated(.9), letters(3)...)
			o.Tests = append(o.Tests, Test{Name: "pooled", Design: d, Scenarios: []string{"p", "q"}})
			o.Scenarios = append(o.Scenarios, Scenario{Name: "p"}, Scenario{Name: "q"})
			o.Concurrency, o.Suite, o.Version = concurrency, "suite", "version"
			o.Journal = filepath.Join(t.TempDir(), "journal")
			mustRun(t, o)
			text, err := os.ReadFile(o.Journal)
			if err != nil {
				t.Fatal(err)
			}
			// Where tests stop was not in it, nor were the values of its lines.
			text = regexp.MustCompile(`,"stops":\{[^{}]*\}|,"chain":"[0-9a-f]{32}"`).ReplaceAll(text, nil)
			if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
				t.Errorf("%d at a time: %s", concurrency, got)
			}
		})
	}
}

// varied returns options with a test of every scenario for each of three variants, and one of
// pooled scenarios for two of them. The variants pass at different rates, so that their tests
// end at different times.
func varied(d sprt.Design) Options {
	o := Options{Concurrency: 1, Seed: 5, Variants: map[string]Agent{}}
	for _, name := range []string{"s0", "s1", "p", "q"} {
		o.Scenarios = append(o.Scenarios, Scenario{Name: name})
	}
	for i, variant := range []string{"old", "new", "odd"} {
		o.Variants[variant] = simulated(1 - .2*float64(i))
		for _, name := range []string{"s0", "s1"} {
			o.Tests = append(o.Tests, Test{
				Name: name + " of " + variant, Design: d, Scenarios: []string{name}, Variant: variant,
			})
		}
		if variant != "odd" {
			o.Tests = append(o.Tests, Test{
				Name: "pooled of " + variant, Design: d, Scenarios: []string{"p", "q"}, Variant: variant,
			})
		}
	}
	return o
}

// byGroup sorts the trials of a run by what their tests are of, in launch order.
func byGroup(r *Result) map[string][]Record {
	names := map[string]string{}
	for _, test := range r.Tests {
		names[test.Name] = fmt.Sprint(test.Scenarios)
	}
	list := map[string][]Record{}
	for _, record := range r.Trials {
		list[names[record.Test]] = append(list[names[record.Test]], record)
	}
	return list
}

// In a round every variant that goes on has one trial, of the same scenario, number and seed.
func TestVariantsTakeTurns(t *testing.T) {
	d := wald(t, 40)
	for _, concurrency := range []int{1, 3, 16} {
		for _, eager := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				o := varied(d)
				o.Concurrency, o.Eager = concurrency, eager
				r := mustRun(t, o)
				checkDecisions(t, r)
				orders := map[string]bool{}
				for group, records := range byGroup(r) {
					checkRounds(t, group, records, orders)
				}
				if len(orders) < 6 {
					t.Errorf("the orders within rounds are %v", orders)
				}
				for _, test := range r.Tests {
					if !eager && test.Overrun+test.Ahead > 0 {
						t.Errorf("%+v", test)
					}
				}
			})
		}
	}
}

// checkRounds checks the launches of a group: round after round, each with the tests that go
// on once. It notes the orders of rounds with all three variants.
func checkRounds(t *testing.T, group string, records []Record, orders map[string]bool) {
	t.Helper()
	place, first := map[string]int{}, map[int]Record{}
	last, order := 0, ""
	for _, record := range records {
		round := place[record.Test]
		place[record.Test]++
		if round < last {
			t.Errorf("%s: round %d is not over, and %d of it comes after", group, round, last)
		}
		if round > last {
			order = ""
		}
		last = round
		order += record.Variant + " "
		if len(order) == len("old new odd ") {
			orders[order] = true
		}
		begun, known := first[round]
		if !known {
			first[round] = record
			continue
		}
		if record.Scenario != begun.Scenario || record.Number != begun.Number || record.Seed != begun.Seed {
			t.Errorf("%s, round %d: %+v, and then %+v", group, round, begun, record)
		}
		if record.Trial.Variant != record.Variant || record.Variant == begun.Variant {
			t.Errorf("%s, round %d: variants %q and %q", group, round, record.Trial.Variant, begun.Variant)
		}
	}
}

// At one trial at a time nothing depends on how long a trial takes, and the rounds of a group
// follow each other without a gap: no variant is run while another one waits for its turn.
func TestRoundsAreNotInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := mustRun(t, varied(wald(t, 40)))
		for i := 1; i < len(r.Trials); i++ {
			a, b := r.Trials[i-1], r.Trials[i]
			partner := slices.IndexFunc(r.Trials, func(x Record) bool {
				return x.Scenario == a.Scenario && x.Number == a.Number && x.Variant != a.Variant
			})
			if partner > i && (b.Scenario != a.Scenario || b.Number != a.Number) {
				t.Errorf("trial %d, %+v, is followed by %+v, and its partner by %d", i-1, a, b, partner)
			}
		}
	})
}

// Stopped again and again, a run with variants has the trials of one that was not stopped.
func TestVariantsAreResumed(t *testing.T) {
	d := wald(t, 40)
	var want []string
	for _, each := range []int{0, 1, 7} {
		synctest.Test(t, func(t *testing.T) {
			o := varied(d)
			o.Journal = filepath.Join(t.TempDir(), "journal")
			o.Concurrency = 1 + each
			r := mustRun(t, resumed(t, o, each))
			got := summary(r)
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("stopped after every %d (-want +got):\n%s", each, diff)
			}
			for group, records := range byGroup(r) {
				checkRounds(t, group, records, map[string]bool{})
			}
			history, err := journal.Read(o.Journal)
			if err != nil {
				t.Fatal(err)
			}
			for i, test := range history.Header.Tests {
				if test.Variant != o.Tests[i].Variant {
					t.Errorf("the header says %+v", test)
				}
			}
		})
	}
}

// resumed runs sessions that are interrupted after so many changes of progress until the run
// has ended, and returns options of one more. 0 is without an interrupt.
func resumed(t *testing.T, o Options, each int) Options {
	t.Helper()
	for sessions := 0; ; sessions++ {
		interrupt := make(chan struct{})
		o.Interrupt = interrupt
		told := 0
		o.Progress = func(Progress) {
			if told++; told == 4*each {
				close(interrupt)
			}
		}
		r := mustRun(t, o)
		o.Resume = true
		if r.StoppedBy != "interrupt" {
			o.Interrupt, o.Progress = nil, nil
			return o
		}
		if sessions > 1000 {
			t.Fatal("it never ends")
		}
	}
}

func TestVariantsThatCannotBeRun(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"variant":  func(o *Options) { delete(o.Variants, "odd") },
		"agent":    func(o *Options) { o.Tests[0].Variant = "" },
		"scenario": func(o *Options) { o.Tests[1].Scenarios = []string{"s0"} },
	} {
		o := varied(wald(t, 40))
		change(&o)
		var option *OptionError
		if _, err := Run(context.Background(), o); !errors.As(err, &option) || option.Argument != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// An agent is told its variant, and none of its names is that of another variant's attempt.
func TestRequestsOfVariants(t *testing.T) {
	r := Request{Scenario: "x", Variant: "new", Input: trial.Raw("1"), Trial: 2, Seed: 3}
	text, err := r.JSON()
	if want := `{"scenario":"x","input":1,"trial":2,"seed":3,"variant":"new"}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	other := r
	other.Variant = ""
	if r.id() == other.id() {
		t.Errorf("both are %s", r.id())
	}
}
