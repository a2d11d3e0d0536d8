package savings

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/bench/internal/simulation"
)

func TestSimulatedShares(t *testing.T) {
	for _, c := range []struct {
		count, runs int
		want        SimulatedShare
	}{
		{50, 100, SimulatedShare{.5, .05}},
		{0, 98, SimulatedShare{0, math.Sqrt(.01*.99) / math.Sqrt(98)}}, // one of a hundred
		{98, 98, SimulatedShare{1, math.Sqrt(.01*.99) / math.Sqrt(98)}},
	} {
		got := simulated(c.count, c.runs)
		if got.Share != c.want.Share || math.Abs(got.StdErr-c.want.StdErr) > 1e-12 {
			t.Errorf("%d of %d: %+v, not %+v", c.count, c.runs, got, c.want)
		}
	}
}

// A shift leaves the pass rate and what it does not name as they are, and moves what the
// agent draws from by the distance.
func TestSavingsShifts(t *testing.T) {
	const distance = 1.25
	for kind, agent := range simulation.Domains() {
		before := agent.Tools[0].Calls
		changed := simulation.ShiftOf(kind, agent, distance).Change(agent)
		if changed.PassRate != agent.PassRate || agent.Tools[0].Calls != before || changed.Validate() != nil {
			t.Errorf("%s: %+v", agent.Name, changed)
		}
		cv := agent.Tokens.SD / agent.Tokens.Mean
		moved := math.Pow(math.Log(changed.Tokens.Mean/agent.Tokens.Mean), 2) / math.Log1p(cv*cv)
		for i, use := range changed.Tools {
			moved += math.Pow(use.Calls-agent.Tools[i].Calls, 2) / agent.Tools[i].Calls
		}
		if math.Abs(math.Sqrt(moved)-distance) > 1e-9 {
			t.Errorf("%s moves by %v", agent.Name, math.Sqrt(moved))
		}
		// The spread, and the price of a token, are the same.
		if math.Abs(changed.Tokens.SD/changed.Tokens.Mean-cv) > 1e-12 ||
			math.Abs(changed.CostUSD/changed.Tokens.Mean-agent.CostUSD/agent.Tokens.Mean) > 1e-12 {
			t.Errorf("%s: %+v", agent.Name, changed)
		}
	}
}

// All that a baseline may be has a probability of 1.
func TestBaselinesAddUp(t *testing.T) {
	a, err := newAveragedBaseline(hypotheses())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, w := range a.weights {
		sum += w
	}
	if math.Abs(sum-1) > 3*negligibleBaseline {
		t.Errorf("%v", sum)
	}
}
