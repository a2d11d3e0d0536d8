package runner

import (
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Once a test of a variant fails, the others of it launch nothing more; those of other variants go on. Gone on with,
// the journal is that of a run that has ended, and gives the same.
func TestFirstFailEndsAVariant(t *testing.T) {
	d := wald(t, 40)
	for _, concurrency := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			o := Options{Concurrency: concurrency, Seed: 5, FirstFail: true, Variants: map[string]Agent{
				"broken": simulated(.05), "whole": simulated(1),
			}}
			for _, name := range []string{"a", "b", "c", "d"} {
				o.Scenarios = append(o.Scenarios, Scenario{Name: name})
				for variant := range o.Variants {
					o.Tests = append(o.Tests, Test{Name: name + " of " + variant, Design: d, Scenarios: []string{name},
						Variant: variant})
				}
			}
			o.Journal = filepath.Join(t.TempDir(), "journal")
			r := mustRun(t, o)
			if r.StoppedBy != runs.StoppedByFirstFail {
				t.Errorf("stopped by %v", r.StoppedBy)
			}
			failed, open, trials := 0, 0, 0
			for _, test := range r.Tests {
				switch {
				case test.Variant == "whole" && test.Outcome != sprt.Pass:
					t.Errorf("%s: %v", test.Name, test.Outcome)
				case test.Variant == "broken" && test.Outcome == sprt.Fail:
					failed++
				case test.Variant == "broken" && test.Outcome == sprt.Undecided:
					open++
				}
				if test.Variant == "broken" {
					trials += test.Trials + test.Overrun + test.Ahead
				}
			}
			if failed == 0 || failed+open != 4 || open == 0 {
				t.Errorf("%d tests of the broken variant fail, and %d are open", failed, open)
			}
			// Without it every test of the variant is decided, with more trials.
			all := o
			all.FirstFail, all.Journal = false, ""
			whole := 0
			for _, test := range mustRun(t, all).Tests {
				if test.Variant == "broken" {
					whole += test.Trials + test.Overrun + test.Ahead
				}
			}
			if trials >= whole {
				t.Errorf("%d trials of the broken variant, and %d where all of its tests decide", trials, whole)
			}
			history, err := journal.Read(o.Journal)
			if err != nil || !history.Decided() {
				t.Fatal(history.Decided(), err)
			}
			o.Resume = true
			again := mustRun(t, o)
			if again.StoppedBy != r.StoppedBy || len(again.Trials) != len(r.Trials) {
				t.Errorf("continued: %v after %d trials, and %v after %d before", again.StoppedBy, len(again.Trials),
					r.StoppedBy, len(r.Trials))
			}
			outcomes := func(r *Result) (list []sprt.Outcome) {
				for _, test := range r.Tests {
					list = append(list, test.Outcome)
				}
				return list
			}
			if diff := cmp.Diff(outcomes(r), outcomes(again)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// With seeds of their own no two variants of a trial share one, and a run has the same ones again.
func TestOwnSeeds(t *testing.T) {
	d := wald(t, 40)
	synctest.Test(t, func(t *testing.T) {
		o := varied(d)
		o.OwnSeeds = true
		first := mustRun(t, o)
		seeds := map[uint64]string{}
		for _, r := range first.Trials {
			key := r.Scenario + " " + r.Variant
			if other, there := seeds[r.Seed]; there {
				t.Errorf("%s and %s share a seed", key, other)
			}
			seeds[r.Seed] = key
		}
		for i, r := range mustRun(t, o).Trials {
			if r.Seed != first.Trials[i].Seed {
				t.Fatalf("trial %d has another seed in another run", i)
			}
		}
	})
}
