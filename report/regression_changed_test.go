package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// What changed of one variant is told with its name, what changed of all of them once.
func TestChangesOfVariantsHaveTheirNames(t *testing.T) {
	test := func(variant string, changed ...string) runs.Test {
		return runs.Test{Variant: variant, Regression: &runs.Regression{Source: runs.BaselineSource{Changed: changed}}}
	}
	r := &runs.Result{Tests: []runs.Test{
		test("small", "agent.env.MODEL: a -> b", "seed: 1 -> 2"),
		test("large", "seed: 1 -> 2", "agent.env.MODEL: a -> c"),
	}}
	_, changed, _ := baselinesOf(r)
	want := []string{"small: agent.env.MODEL: a -> b", "seed: 1 -> 2", "large: agent.env.MODEL: a -> c"}
	if !slices.Equal(changed, want) {
		t.Errorf("%q, want %q", changed, want)
	}
}

// The errors beside a baseline are said for what they are of: equal scenarios alone, or unlike ones too.
func TestErrorsOfPooledScenarios(t *testing.T) {
	x := &runs.Regression{Kind: runs.StoredKind, ProvedAlpha: 0.05, ProvedBeta: 0.1, High: 1}
	one := &runs.Test{Regression: x}
	several := &runs.Test{Regression: x, Members: make([]runs.Member, 2)}
	unlike := *x
	unlike.UnlikeAlpha, unlike.UnlikeBeta = new(0.04), new(0.11)
	computed := &runs.Test{Regression: &unlike, Members: several.Members}
	for _, c := range []struct {
		t    *runs.Test
		want string
	}{
		{one, "at most (proved), "}, {several, "at most (proved where all scenarios pass equally often), "},
		{computed, "at most (proved where all scenarios pass equally often; computed where they do not: 4% and 11%), "},
	} {
		if got := provedText(c.t); !strings.Contains(got, c.want) {
			t.Errorf("%q lacks %q", got, c.want)
		}
	}
}
