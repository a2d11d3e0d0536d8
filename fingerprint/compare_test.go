package fingerprint

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

func TestCompareRefuses(t *testing.T) {
	rows := vectors("a", [][]float64{{1}, {2}})
	elsewhere := vectors("b", [][]float64{{1}, {2}})
	var argument *stats.ArgumentError
	check := func(name string, want error, columns []Column, baseline, candidate []Vector, o Options) {
		t.Helper()
		_, err := CompareVectors(t.Context(), columns, baseline, candidate, o)
		if want == nil && !errors.As(err, &argument) || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("no candidate", ErrTooFewTrials, numbered(1), rows, nil, Options{})
	check("other scenarios", ErrNoSharedScenario, numbered(1), rows, elsewhere, Options{})
	check("too few for Hotelling", ErrTooFewTrials, numbered(1), rows[:1], rows[1:], Options{Test: HotellingT2})
	check("two columns of a name", nil, []Column{{Name: "x"}, {Name: "x"}}, vectors("", [][]float64{{1, 2}}),
		vectors("", [][]float64{{1, 2}}), Options{})
	check("too many values", nil, numbered(1), vectors("", [][]float64{{1, 2}}), rows, Options{})
	check("NaN", nil, numbered(1), vectors("a", [][]float64{{math.NaN()}}), rows, Options{})
	check("logarithm of a negative number", nil, []Column{{Name: "x", Transform: Log1p}}, vectors("a", [][]float64{{-1}}),
		rows, Options{})
	for _, o := range []Options{{Alpha: -1}, {Alpha: 1}, {Alpha: math.NaN()}, {Permutations: -1}, {Test: 9},
		{MaxUnknown: -1}, {MaxUnknown: 1}} {
		check("options", nil, numbered(1), rows, rows, o)
	}
	if c, err := CompareVectors(t.Context(), numbered(1), rows, elsewhere, Options{Pooled: true}); err != nil ||
		c.Scenarios != 1 {
		t.Errorf("pooled: %v", err)
	}
}

func TestNothingVaries(t *testing.T) {
	same := vectors("", [][]float64{{1, 2}, {1, 2}})
	for _, test := range []Test{PermutationT2, HotellingT2} {
		c, err := CompareVectors(t.Context(), numbered(2), same, same, Options{Test: test})
		if err != nil {
			t.Fatal(err)
		}
		if c.P != 1 || c.Changed || len(c.Warnings) != 1 || c.Warnings[0].Code != NothingVaries ||
			c.Columns[1].Status != Constant {
			t.Errorf("%+v", c)
		}
	}
}

// Of two columns with correlation r > 0 the axes are their sum and their difference, with the shares (1+r)/2 and
// (1-r)/2 of the variance, and r is .624 here. On the first alone T² is Student's t of the sum of the standardised
// columns, squared, whose p-value with 4 degrees of freedom has a closed form. On both it is T² of the columns as they
// are, and F(2, 3) has the upper tail (1+2F/3)^-1.5. The figures follow these formulas in Python.
func TestHotellingOnAShareOfTheVariance(t *testing.T) {
	baseline := vectors("", [][]float64{{1, 2}, {2, 1}, {4, 3}})
	candidate := vectors("", [][]float64{{3, 5}, {6, 4}, {5, 8}})
	for _, c := range []struct {
		share       float64
		components  int
		tSquared, p float64
	}{
		{0, 2, 9.611940298507463, 0.1592978570663566}, // 0.95
		{0.82, 2, 9.611940298507463, 0.1592978570663566},
		{0.81, 1, 8.70438559079816, 0.04195602618005401},
		{1, 2, 9.611940298507463, 0.1592978570663566},
	} {
		o := Options{Test: HotellingT2, Explained: c.share}
		got, err := CompareVectors(t.Context(), numbered(2), baseline, candidate, o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Hotelling.Components != c.components || got.EffectiveDimension != 2 {
			t.Errorf("share %v: %d components tested, %d hold 95 %%", c.share, got.Hotelling.Components,
				got.EffectiveDimension)
		}
		refdata.Close(t, "T²", got.Hotelling.TSquared, c.tSquared, 1e-12)
		refdata.Close(t, "p", got.P, c.p, 1e-12)
		nominal := slices.ContainsFunc(got.Warnings, func(w Warning) bool { return w.Code == nominalLevel })
		if got.Changed != (c.p < 0.05) || !nominal {
			t.Errorf("share %v: changed %t, warnings %v", c.share, got.Changed, got.Warnings)
		}
	}
	for _, share := range []float64{-0.1, 1.1, math.NaN()} {
		o := Options{Explained: share}
		if _, err := CompareVectors(t.Context(), numbered(2), baseline, candidate, o); err == nil {
			t.Errorf("a share of %v is taken", share)
		}
	}
}

// Three against three is 20 splits, of which two are the clearest: p is 0.1 at least.
func TestTooFewToReject(t *testing.T) {
	c, err := CompareVectors(t.Context(), numbered(1), vectors("", [][]float64{{1}, {2}, {4}}),
		vectors("", [][]float64{{101}, {102}, {104}}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "p", c.P, 0.1, 1e-15)
	if c.Changed || len(c.Warnings) != 1 || c.Warnings[0].Code != CannotReject {
		t.Errorf("warnings %v", c.Warnings)
	}
}

// All five candidates fail, after five baselines that did not: 1 of 252 splits.
func TestFailuresOfTheCandidateAloneByHand(t *testing.T) {
	c, err := CompareVectors(t.Context(), []Column{{"any_error", anyError, identity}},
		vectors("", [][]float64{{0}, {0}, {0}, {0}, {0}}), vectors("", [][]float64{{1}, {1}, {1}, {1}, {1}}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []SeparatingEvent{{Column: Column{"any_error", anyError, identity}, Value: 0, Trials: 5, P: 1.0 / 252,
		AdjustedP: 2.0 / 252}}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	// Each of the two values could have filled the baseline's side.
	if diff := cmp.Diff(want, c.SeparatingEvents, near); diff != "" {
		t.Error(diff)
	}
	refdata.Close(t, "p", c.P, 2.0/252, 1e-12) // T² is as large for the exchanged sides
	if len(c.ChangedColumns()) != 1 || c.ChangedColumns()[0].String() != "trials with a failed step 0 % -> 100 %" {
		t.Errorf("%v", c.ChangedColumns())
	}
}

// A column that is unknown for a few trials is filled in, with the median of both
// sides; one that is unknown for many is not tested, and never is the wall time.
func TestUnknownColumns(t *testing.T) {
	columns := []Column{{Name: "few"}, {Name: "many"}, {Name: "never"}, {"duration_s", duration, Log1p}}
	side := func(from float64) (list []Vector) {
		for i := range 10 {
			x := trial.Some(from + float64(i))
			v := Vector{Values: []trial.Optional[float64]{x, x, {}, x}}
			v.Values[0].Known = i != 2
			v.Values[1].Known = i > 3
			list = append(list, v)
		}
		return list
	}
	c, err := CompareVectors(t.Context(), columns, side(1), side(1.5), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var status []Status
	for _, change := range c.Columns {
		status = append(status, change.Status)
	}
	if diff := cmp.Diff([]Status{Tested, Unknown, Unknown, LeftOut}, status); diff != "" {
		t.Error(diff)
	}
	var codes []Code
	for _, w := range c.Warnings {
		codes = append(codes, w.Code)
	}
	if diff := cmp.Diff([]Code{unknownColumn, partlyUnknown}, codes); diff != "" {
		t.Error(diff)
	}
	// The means are of known values: 1 to 10 without 3.
	if diff := cmp.Diff(Mean{Value: 52.0 / 9, Trials: 9}, c.Columns[0].Baseline,
		cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })); diff != "" {
		t.Error(diff)
	}
	if c.Columns[2].String() != "never unknown" || c.Columns[3].Baseline.Trials != 10 {
		t.Errorf("%v, %v", c.Columns[2], c.Columns[3])
	}
	c, err = CompareVectors(t.Context(), columns, side(1), side(1.5), Options{IncludeDuration: true, MaxUnknown: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if c.Columns[1].Status != Tested || c.Columns[3].Status != Tested {
		t.Errorf("%+v", c.Columns)
	}
}

// A different mix of scenarios is no change: the means weigh scenarios alike.
func TestMixOfScenariosIsNoChange(t *testing.T) {
	side := func(short, long int) (list []Vector) {
		for i := range short {
			list = append(list, vectors("short", [][]float64{{10 + float64(i%2)}})...)
		}
		for i := range long {
			list = append(list, vectors("long", [][]float64{{100 + float64(i%2)}})...)
		}
		return list
	}
	c, err := CompareVectors(t.Context(), []Column{{"steps", StepCount, identity}}, side(12, 4), side(4, 12), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Changed || math.Abs(c.Columns[0].Baseline.Value-c.Columns[0].Candidate.Value) > 1e-9 {
		t.Errorf("p = %v, %v", c.P, c.Columns[0])
	}
	if c, err = CompareVectors(t.Context(), []Column{{"steps", StepCount, identity}}, side(12, 4), side(4, 12),
		Options{Pooled: true}); err != nil || !c.Changed {
		t.Errorf("pooled the mix is a change: %+v, %v", c, err)
	}
}

func TestChangeText(t *testing.T) {
	mean := func(x float64) Mean { return Mean{x, 10} }
	for _, c := range []struct {
		change Change
		want   string
	}{
		{Change{Column: Column{"output_tokens", outputTokens, Log1p}, Baseline: mean(512), Candidate: mean(706.56)},
			"output tokens 512 -> 707 (+38 %)"},
		{Change{Column: Column{toolPrefix + "search", ToolCalls, Log1p}, Baseline: mean(2.1), Candidate: mean(3.4)},
			"calls of search 2.1 -> 3.4 per trial"},
		{Change{Column: Column{toolPrefix + "search", ToolCalls, Log1p}, Baseline: mean(0.101), Candidate: mean(0.1042)},
			"calls of search 0.101 -> 0.104 per trial"},
		{Change{Column: Column{pairPrefix + "refund -> check", toolPair, Log1p}, Baseline: mean(0), Candidate: mean(0.9)},
			"calls in the order refund -> check: 0 -> 0.9 per trial"},
		{Change{Column: Column{"cost_usd", Cost, Log1pThousandths}, Baseline: mean(0.0123), Candidate: mean(0.00615)},
			"cost $0.012 -> $0.0062 (-50 %)"},
		{Change{Column: Column{"steps", StepCount, Log1p}, Baseline: mean(0), Candidate: mean(3)}, "steps 0 -> 3"},
		{Change{Column: Column{"duration_s", duration, Log1p}, Baseline: mean(20), Candidate: mean(25)},
			"wall time 20 s -> 25 s (+25 %)"},
		{Change{Column: Column{actionPrefix + "respond", actionSteps, Log1p}, Baseline: mean(1), Candidate: mean(0.5)},
			"respond steps 1 -> 0.5 per trial"},
		{Change{Column: Column{Name: "grade"}, Baseline: mean(1.25), Candidate: mean(-1.25)}, "grade 1.2 -> -1.2"},
	} {
		if got := c.change.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Results hold no NaN and no infinity, whatever comes in, do not change what they
// were given, and come out the same again.
func TestCompareLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "columns")
		value := rapid.SampledFrom([]float64{0, 0, 0, 1, 2, 1e-12, -5, 1e9, math.Pi})
		side := func(name string) (list []Vector) {
			for range rapid.IntRange(1, 7).Draw(t, name) {
				v := Vector{Scenario: rapid.SampledFrom([]string{"", "x"}).Draw(t, "scenario")}
				for range d {
					v.Values = append(v.Values, trial.Optional[float64]{Value: value.Draw(t, "value"),
						Known: rapid.IntRange(0, 9).Draw(t, "known") > 0})
				}
				list = append(list, v)
			}
			return list
		}
		baseline, candidate := side("baseline"), side("candidate")
		o := Options{Test: rapid.SampledFrom([]Test{PermutationT2, ShrunkT2, HotellingT2}).Draw(t, "test"), Permutations: 50,
			Seed:   3,
			Pooled: rapid.Bool().Draw(t, "pooled")}
		before, err := json.Marshal([][]Vector{baseline, candidate})
		if err != nil {
			t.Fatal(err)
		}
		c, err := CompareVectors(t.Context(), numbered(d), baseline, candidate, o)
		if errors.Is(err, ErrNoSharedScenario) || errors.Is(err, ErrTooFewTrials) || errors.Is(err, hotelling.ErrSingular) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal([][]Vector{baseline, candidate}); string(after) != string(before) {
			t.Fatal("the vectors were changed")
		}
		if !(c.P > 0 || c.Hotelling != nil) || c.P > 1 {
			t.Fatalf("p = %v", c.P)
		}
		for _, column := range c.Columns {
			if !(column.AdjustedP > 0 && column.AdjustedP <= 1) {
				t.Fatalf("%+v", column)
			}
		}
		again, err := CompareVectors(t.Context(), numbered(d), baseline, candidate, o)
		if err != nil {
			t.Fatal(err)
		}
		if text2, _ := json.Marshal(again); string(text2) != string(text) {
			t.Fatal("another result from the same seed")
		}
	})
}

// Stopping early ends with the decision that all permutations would have given.
func TestEarlyStoppingKeepsTheDecision(t *testing.T) {
	for i := range 60 {
		random := rand.New(rand.NewPCG(2, uint64(i)))
		draw := func(shift float64) (rows [][]float64) {
			for range 12 {
				rows = append(rows, []float64{shift + random.NormFloat64(), random.NormFloat64()})
			}
			return rows
		}
		p, err := newPool(numbered(2), vectors("", draw(0)), vectors("", draw(0.9)), Options{MaxUnknown: 0.2})
		if err != nil {
			t.Fatal(err)
		}
		test, _ := newPermutationTest(p, nil, PermutationT2, 0.05)
		run := func(alpha float64) permutationResult {
			found, err := test.run(t.Context(), alpha, 399, rand.New(rand.NewPCG(4, 4)))
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		stopped := run(0.05)
		full := run(0.9999) // stops only at the end
		if full.stopped || stopped.stopped != (full.p > 0.05 && stopped.permutations < 400) {
			t.Errorf("stopped %t after %d, p = %v; in full %v", stopped.stopped, stopped.permutations, stopped.p, full.p)
		}
		if (stopped.p <= 0.05) != (full.p <= 0.05) {
			t.Errorf("p = %v stopped early, %v in full", stopped.p, full.p)
		}
	}
}

// The map by hand: two columns that rise together, so that the first axis is their
// diagonal and holds everything.
func TestMapByHand(t *testing.T) {
	c, err := CompareVectors(t.Context(), numbered(2), vectors("", [][]float64{{1, 10}, {2, 20}}),
		vectors("", [][]float64{{3, 30}, {4, 40}}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	half := math.Sqrt(0.5)
	unit := math.Sqrt(2) / math.Sqrt(1.25) // along the diagonal, in standard deviations sqrt(1.25) of 1, 2, 3, 4
	want := Map{
		Columns:    numbered(2),
		Axes:       []Axis{{Share: 1, Difference: 2 / math.Sqrt(1.25), Loadings: []float64{half, half}}},
		Separation: []float64{half, half},
		Points: []Point{{X: -1.5 * unit}, {X: -0.5 * unit}, {X: 0.5 * unit, Candidate: true},
			{X: 1.5 * unit, Candidate: true}},
	}
	if diff := cmp.Diff(want, c.Map, near); diff != "" {
		t.Error(diff)
	}
	refdata.Close(t, "participation ratio", c.Participation, 1, 1e-9)
	if c.EffectiveDimension != 1 {
		t.Errorf("%d components hold 95 %% of the variance of a line", c.EffectiveDimension)
	}
}

func TestNamesOfTests(t *testing.T) {
	for test := range testNames.All() {
		var got Test
		if err := got.UnmarshalText([]byte(test.String())); err != nil || got != test {
			t.Errorf("%v: %v, %v", test, got, err)
		}
	}
	if err := new(Test).UnmarshalText([]byte("t-test")); err == nil || !strings.Contains(err.Error(), "permutation-t2") {
		t.Errorf("%v", err)
	}
	if _, err := json.Marshal(Column{Kind: 99}); err == nil {
		t.Error("an unknown kind was written")
	}
}
