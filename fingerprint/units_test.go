package fingerprint

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// of returns a vector of one column.
func of(input string, outcome trial.Outcome, x float64) Vector {
	return Vector{Input: input, Outcome: outcome, Values: []trial.Optional[float64]{trial.Some(x)}}
}

// How many relabelings there are says what changes places; the numbers are binomial coefficients.
func TestWhatChangesPlaces(t *testing.T) {
	pairs := func(from float64) (list []Vector) {
		for i, input := range []string{"a", "b", "c"} {
			list = append(list, of(input, trial.Pass, from+float64(i*i)))
		}
		return list
	}
	clusters := func(side string, inputs, trials int) (list []Vector) {
		for i := range inputs * trials {
			list = append(list, of(fmt.Sprint(side, i%inputs), trial.Pass, float64(i*i%7)))
		}
		return list
	}
	stopped := func(passes, fails int) (list []Vector) {
		for i := range passes + fails {
			outcome := trial.Pass
			if i >= passes {
				outcome = trial.Fail
			}
			list = append(list, of("", outcome, float64(i*i%5)))
		}
		return list
	}
	for _, c := range []struct {
		name                string
		baseline, candidate []Vector
		o                   Options
		want                int
	}{
		{"inputs that both sides tried", pairs(0), pairs(1), Options{}, 2 * 2 * 2},
		{"inputs of one side each", clusters("x", 2, 3), clusters("y", 2, 3), Options{}, 6},
		{"single trials of inputs", clusters("x", 3, 1), clusters("y", 2, 1), Options{}, 10},
		{"a side that was stopped", stopped(4, 1), stopped(3, 3), Options{Stopped: true}, 35 * 4},
		{"the same, if it was not", stopped(4, 1), stopped(3, 3), Options{}, 462},
	} {
		got, err := CompareVectors(t.Context(), numbered(1), c.baseline, c.candidate, c.o)
		if err != nil || got.Permutations != c.want || !got.Exhaustive {
			t.Errorf("%s: %v relabelings, want %d: %v", c.name, got, c.want, err)
		}
	}
	// Inputs with fewer trials than most are left out, and the others are cut to one number.
	for want, sizes := range map[int][]int{1: {1, 1, 1, 5}, 4: {4, 4, 4, 1}, 3: {3, 4, 5}} {
		if got := clusterSize(slices.Clone(sizes)); got != want {
			t.Errorf("inputs of %v trials are cut to %d, want %d", sizes, got, want)
		}
	}
	_, err := CompareVectors(t.Context(), numbered(1), stopped(5, 0), stopped(0, 5), Options{Stopped: true})
	if err == nil {
		t.Error("passes were compared with fails")
	}
}

// The candidate alone does not know everything. Of all labels that leave each side as many trials of
// either kind, at most the share x has p <= x.
func TestUnknownOfOneSideKeepsTheLevel(t *testing.T) {
	random := seeded.Stream(9, 9)
	rows := make([]Vector, 10)
	for i := range rows {
		rows[i].Values = []trial.Optional[float64]{trial.Some(random.ExpFloat64()), trial.Some(random.NormFloat64())}
		rows[i].Values[1].Known = i < 8
	}
	var p []float64
	for set := range uint(1) << 8 {
		sides := [2][]Vector{nil, {rows[8], rows[9]}} // what knows less is the candidate's
		for i := range 8 {
			sides[set>>i&1] = append(sides[set>>i&1], rows[i])
		}
		if len(sides[0]) != 4 {
			continue
		}
		c, err := CompareVectors(t.Context(), numbered(2), sides[0], sides[1], Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Permutations != 70 || c.CandidateTrials != 4 || c.Columns[1].Status != Tested {
			t.Fatalf("%+v", c)
		}
		p = append(p, c.P)
	}
	checkSuperuniform(t, p)
}

// A column that one side alone knows is given up, not the trials.
func TestColumnOfOneSideIsNotTested(t *testing.T) {
	var baseline, candidate []Vector
	for i := range 20 {
		v := Vector{Values: []trial.Optional[float64]{trial.Some(float64(i % 7)), trial.Some(float64(i % 3))}}
		baseline = append(baseline, v)
		if i < 4 {
			v = Vector{Values: slices.Clone(v.Values)}
			v.Values[1].Known = false
			candidate = append(candidate, v)
		}
	}
	c, err := CompareVectors(t.Context(), numbered(2), baseline, candidate, Options{Permutations: 99})
	if err != nil || c.Columns[0].Status != Tested || c.Columns[1].Status != Unknown || c.CandidateTrials != 4 {
		t.Errorf("%+v, %v", c, err)
	}
}

// Shares of tools add up to one; calls do not, so that the tools that did not change are not named.
func TestToolsThatDidNotChangeAreNotNamed(t *testing.T) {
	var sides [2]Sample
	random := seeded.Stream(3, 3)
	for i := range 200 {
		var steps []trial.Step
		calls := func(tool string, n int) {
			for range n {
				steps = append(steps, trial.Step{Action: trial.CallTool, Tool: tool})
			}
		}
		calls("search", 1+random.IntN(3))
		calls("get", 1+random.IntN(2))
		if i%2 == 1 {
			calls("lookup", 2)
		}
		sides[i%2].Add(&trial.Trial{Scenario: "s", Outcome: trial.Pass, Steps: steps})
	}
	c, err := Compare(t.Context(), &sides[0], &sides[1], Options{Permutations: 999})
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, change := range c.ChangedColumns() {
		named = append(named, change.Column.Name)
	}
	if !slices.Contains(named, "tool.lookup") || slices.Contains(named, "tool.search") ||
		slices.Contains(named, "tool.get") {
		t.Errorf("named are %v", named)
	}
}

// A larger spread of the smaller side is told as one, not as a change of the mean.
func TestSpreadIsToldAsSpread(t *testing.T) {
	spreads := 0
	for seed := range uint64(20) {
		random := seeded.Stream(seed, 5)
		draw := func(n int, deviation float64) (list []Vector) {
			for range n {
				list = append(list, of("", trial.Pass, 10+deviation*random.NormFloat64()))
			}
			return list
		}
		c, err := CompareVectors(t.Context(), []Column{{"cost_usd", Cost, identity}}, draw(100, 1), draw(20, 4),
			Options{Permutations: 999})
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range c.ChangedColumns() {
			if strings.HasPrefix(change.String(), "spread of cost usd ") {
				spreads++
			}
		}
	}
	// Of 20, one is told as a mean by chance at 5 %; four have a chance of 1.6 %.
	if spreads < 17 {
		t.Errorf("%d of 20 changes of the spread are told as such", spreads)
	}
}

// Limits of the shift by brute force: each shift is taken off, and all relabelings of the rest are looked at.
func TestShiftsAgreeWithBruteForce(t *testing.T) {
	baseline, candidate := []float64{1, 4, 2, 8, 5}, []float64{7, 1.5, 9, 3, 11, 6}
	var rows [2][][]float64
	for _, x := range baseline {
		rows[0] = append(rows[0], []float64{x})
	}
	for _, x := range candidate {
		rows[1] = append(rows[1], []float64{x})
	}
	// Share of the relabelings whose difference of means is at most that observed, after the shift is taken off.
	below := func(shift float64) float64 {
		all := slices.Clone(baseline)
		for _, x := range candidate {
			all = append(all, x-shift)
		}
		difference := func(set uint) (d float64, ok bool) {
			n := 0
			for i, x := range all {
				if set>>i&1 == 1 {
					d += x / 6
					n++
				} else {
					d -= x / 5
				}
			}
			return d, n == 6
		}
		observed, _ := difference(0b11111100000)
		hits, total := 0, 0
		for set := range uint(1) << 11 {
			if d, ok := difference(set); ok {
				total++
				if d <= observed+1e-9 {
					hits++
				}
			}
		}
		return float64(hits) / float64(total)
	}
	p := poolOfRows(rows[0], rows[1])
	list, err := p.shifts(t.Context(), .1, seeded.Stream(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	// The picked side is the smaller one, the baseline's: its limits are those of the candidate's, turned round.
	high := -list[0].low * p.scales[0]
	if at := below(high + 1e-6); at > .1 {
		t.Errorf("a shift of %v is excluded, and has p = %v", high, at)
	}
	if at := below(high - 1e-6); at <= .1 {
		t.Errorf("a shift below %v is not excluded, and has p = %v", high, at)
	}
}

func TestExcludedShiftByHand(t *testing.T) {
	// (s - 1)² = 0.25 + 0.01·s² by the formula of quadratic equations.
	want := (1 + math.Sqrt(1-.99*.75)) / .99
	if got := excludedShift(1, .5, .1); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := excludedShift(0, math.Inf(1), .1); !math.IsInf(got, 1) {
		t.Errorf("%v without a limit", got)
	}
}

func TestDaysApart(t *testing.T) {
	var sides [2]Sample
	for i := range 10 {
		x := travel()
		x.StartedAt = trial.Timestamp(fmt.Sprintf("2026-03-%02dT10:00:00Z", 1+i%2*7))
		sides[i%2].Add(x)
	}
	if gap := gapBetween(&sides[1], &sides[0]); gap != 7*24*time.Hour || inWords(gap) != "7 days" {
		t.Errorf("%v apart: %s", gap, inWords(gap))
	}
	sides[0].Add(&trial.Trial{StartedAt: "2026-03-09T10:00:00Z"})
	if gap := gapBetween(&sides[0], &sides[1]); gap != 0 {
		t.Errorf("%v apart, though they overlap", gap)
	}
}
