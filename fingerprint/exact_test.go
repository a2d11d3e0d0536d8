package fingerprint

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// Exactness, by enumeration: of all ways to split a fixed set of trials into two
// sides, at most the share x may have p <= x, for every x. Everything that Compare
// does takes part: vocabulary, transforms, unknown values, columns, constants.
func TestPValuesAreSuperuniformOverAllSplits(t *testing.T) {
	for name, trials := range splitCases() {
		for _, test := range []Test{PermutationT2, ShrunkT2} {
			for _, baseline := range []int{3, 4, 5} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, test, baseline), func(t *testing.T) {
					checkSuperuniform(t, splitEvery(t, trials, baseline, Options{Test: test}))
				})
			}
		}
	}
}

// The same with random permutations that stop early. The p-values then also depend on
// the draw, so that the shares are those of a draw for each split: three standard
// errors are allowed.
func TestEarlyStoppedPValuesAreSuperuniform(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for many seconds")
	}
	var all []float64
	trials := splitCases()["tools and errors"]
	for seed := range uint64(thorough.Draws(10, 40)) {
		all = append(all, splitEvery(t, trials, 4, Options{Permutations: 59, Alpha: 0.2, Seed: seed})...)
	}
	slices.Sort(all)
	for i, p := range all {
		if i+1 < len(all) && all[i+1] == p {
			continue
		}
		// 70 splits of some seeds are far fewer than so many independent ones
		if at := float64(i+1) / float64(len(all)); at > p+3*0.5/10 {
			t.Errorf("P(p <= %.3f) = %.3f", p, at)
		}
	}
}

func checkSuperuniform(t *testing.T, p []float64) {
	t.Helper()
	slices.Sort(p)
	for i, x := range p {
		if i+1 < len(p) && p[i+1] == x {
			continue
		}
		if at := float64(i+1) / float64(len(p)); at > x+1e-12 {
			t.Errorf("P(p <= %.5f) = %.5f", x, at)
		}
	}
}

// splitEvery returns the p-value of every split of the trials.
func splitEvery(t *testing.T, trials []*trial.Trial, baseline int, o Options) (p []float64) {
	t.Helper()
	for set := range uint(1) << len(trials) {
		var sides [2]Sample
		for i, one := range trials {
			sides[set>>i&1].Add(one)
		}
		if sides[0].Len() != baseline {
			continue
		}
		c, err := Compare(t.Context(), &sides[0], &sides[1], o)
		if err != nil {
			t.Fatal(err)
		}
		p = append(p, c.P)
	}
	return p
}

// splitCases are sets of eight trials that could mislead a test whose columns
// depend on the sides.
func splitCases() map[string][]*trial.Trial {
	random := seeded.Stream(7, 7)
	cases := make(map[string][]*trial.Trial)
	for i := range 8 {
		add := func(name string, one *trial.Trial) {
			one.Scenario, one.Outcome = "s", trial.Pass
			cases[name] = append(cases[name], one)
		}
		// Tools that are called once, by one trial each.
		add("tools of their own", &trial.Trial{Steps: []trial.Step{
			{Action: trial.CallTool, Tool: fmt.Sprint("tool", i)}, {Action: trial.Respond},
		}})
		// Two tools, rare failures, and costs that are not always known.
		one := &trial.Trial{OutputTokens: trial.Some(int64(100 + random.IntN(900)))}
		for range 2 + random.IntN(4) {
			one.Steps = append(one.Steps, trial.Step{Action: trial.CallTool, Tool: []string{"search", "book"}[random.IntN(2)]})
		}
		if i < 3 {
			one.Steps[0].Error = "timeout"
		}
		if i != 5 {
			one.CostUSD = trial.Some(random.ExpFloat64() / 50)
		}
		add("tools and errors", one)
		// Nothing but a failure in half of the trials.
		steps := []trial.Step{{Action: trial.Respond}}
		if i%2 == 0 {
			steps[0].Error = "refused"
		}
		add("a flag", &trial.Trial{Steps: steps})
		// One trial that exceeds all others by far.
		add("an outlier", &trial.Trial{OutputTokens: trial.Some([]int64{9, 10, 11, 9, 12, 8, 10, 1 << 40}[i]),
			CostUSD: trial.Some(float64(i % 3))})
	}
	return cases
}

// Scenarios: exchanged within each, over all splits that keep their numbers.
func TestStratifiedPValuesAreSuperuniform(t *testing.T) {
	random := seeded.Stream(3, 1)
	scenarios := []string{"a", "a", "a", "a", "b", "b", "b", "c", "c"}
	rows := make([][]float64, len(scenarios))
	for i, name := range scenarios {
		level := float64(name[0]-'a') * 10
		rows[i] = []float64{level + random.NormFloat64(), float64(random.IntN(2)), level}
	}
	var p []float64
	for set := range uint(1) << len(rows) {
		var sides [2][]Vector
		baseline := map[string]int{}
		for i, name := range scenarios {
			side := set >> i & 1
			sides[side] = append(sides[side], vectors(name, rows[i:i+1])...)
			baseline[name] += int(1 - side)
		}
		if baseline["a"] != 2 || baseline["b"] != 2 || baseline["c"] != 1 {
			continue
		}
		c, err := CompareVectors(t.Context(), numbered(3), sides[0], sides[1], Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := 6 * 3 * 2; !c.Exhaustive || c.Permutations != want {
			t.Fatalf("%d permutations, want %d", c.Permutations, want)
		}
		if c.Columns[2].Status != Constant {
			t.Fatal("a column that varies between scenarios alone was tested")
		}
		p = append(p, c.P)
	}
	if len(p) != 36 {
		t.Fatalf("%d splits", len(p))
	}
	checkSuperuniform(t, p)
}

// Tools that were called by one trial each belong to no side: if a column depended on
// which side called them, two halves of one system would always differ.
func TestToolsCalledOnceAreNoChange(t *testing.T) {
	var sides [2]Sample
	for i := range 40 {
		sides[i%2].Add(&trial.Trial{Scenario: "s", Outcome: trial.Pass, Steps: []trial.Step{
			{Action: trial.CallTool, Tool: fmt.Sprint("tool", i/6)}, {Action: trial.CallTool, Tool: fmt.Sprint("once", i)},
		}})
	}
	c, err := Compare(t.Context(), &sides[0], &sides[1], Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Changed {
		t.Errorf("halves of one system: p = %v", c.P)
	}
	if len(c.NewTools) != 20 || len(c.UncalledTools) != 20 {
		t.Errorf("%d new tools and %d uncalled ones", len(c.NewTools), len(c.UncalledTools))
	}
}
