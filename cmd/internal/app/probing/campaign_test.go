package probing

import (
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// A recording that tells no drop is too small, and so many trials as are named tell one.
func TestLacking(t *testing.T) {
	c := &campaign{
		MutateRequest: MutateRequest{Levels: mutants.Levels{Alpha: 0.05, Beta: 0.1, Delta: 0.3}},
		list:          make([]mutants.Mutant, 3),
	}
	recorded := func(trials, fails int) *runs.Result {
		return &runs.Result{Tests: []runs.Test{{Name: "a", Trials: 200, Passes: 200},
			{Name: "b", Trials: trials, Passes: trials - fails, Fails: fails}}}
	}
	if more, err := c.lacking(t.Context(), recorded(200, 20)); more != 0 || err != nil {
		t.Errorf("of 200 trials that pass nine times in ten %d more are wanted, %v", more, err)
	}
	more, err := c.lacking(t.Context(), recorded(10, 5))
	if err != nil || more <= 10 {
		t.Fatalf("of 10 trials that pass half of the time %d more are wanted, %v", more, err)
	}
	sample, err := baseline.Fixed(more)
	if err != nil {
		t.Fatal(err)
	}
	o := c.judgedBy()
	q := baseline.Question{Delta: o.Delta, Alpha: o.OfTest(1, len(c.list)), Beta: o.Beta}
	half := baseline.Outcome{Trials: more, Failures: more / 2}
	if _, err := baseline.Against(t.Context(), q, sample, half, baseline.Options{}); err != nil {
		t.Errorf("%d trials do not do: %v", more, err)
	}
}
