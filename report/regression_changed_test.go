package report

import (
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// What changed of one variant is told with its name, what changed of all of them once.
func TestChangesOfVariantsHaveTheirNames(t *testing.T) {
	of := func(variant string, changed ...string) runs.Test {
		return runs.Test{Variant: variant, Regression: &runs.Regression{Source: runs.BaselineSource{Changed: changed}}}
	}
	r := &runs.Result{Tests: []runs.Test{
		of("small", "agent.env.MODEL: a -> b", "seed: 1 -> 2"),
		of("large", "seed: 1 -> 2", "agent.env.MODEL: a -> c"),
	}}
	_, changed, _ := baselinesOf(r)
	want := []string{"small: agent.env.MODEL: a -> b", "seed: 1 -> 2", "large: agent.env.MODEL: a -> c"}
	if !slices.Equal(changed, want) {
		t.Errorf("%q, want %q", changed, want)
	}
}
