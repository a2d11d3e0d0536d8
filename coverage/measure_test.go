package coverage

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

func collect(t testing.TB, d Declaration, trials ...*trial.Trial) *Result {
	t.Helper()
	c, err := NewCollector(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range trials {
		c.Add(x)
	}
	return c.Measure()
}

// of returns a passing trial that calls tools, with arguments where there are some.
func of(scenario, model string, calls ...string) *trial.Trial {
	x := &trial.Trial{Scenario: scenario, Model: model, Outcome: trial.Pass, Steps: []trial.Step{}}
	for i := 0; i < len(calls); i += 2 {
		x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: calls[i], Arguments: trial.Raw(calls[i+1])})
	}
	return x
}

func codes(r *Result) (list []Code) {
	for _, w := range r.Warnings {
		list = append(list, w.Code)
	}
	return list
}

// Four trials whose coverage is worked out by hand.
//
// Tools: search and refund of search, refund, close. Paths: (search) twice,
// (search, refund) once, () once: 3 seen, f1 = 2, f2 = 1: 3 + 4/2 = 5. States: search
// first; refund after search: 2. Boundaries: refund.amount 1 to 500 whole, touched at
// 500 by 499; close is never called. Models: small of small and large.
func TestMeasureByHand(t *testing.T) {
	d := Declaration{
		Tools: []string{"search", "refund", "close"}, Models: []string{"small", "large"}, Lambda: 4,
		Boundaries: map[string]map[string]Domain{
			"refund": {"amount": {Minimum: trial.Some(1.0), Maximum: trial.Some(500.0), Integer: true}},
			"close":  {"reason": {Enum: []trial.Raw{trial.Raw(`"done"`)}}},
		},
		Minimum: trial.Some(0.5),
	}
	r := collect(t, d,
		of("a", "small", "search", `{}`), of("a", "small", "search", `{}`),
		of("b", "small", "search", `{}`, "refund", `{"amount": 499}`), of("c", "small"),
		&trial.Trial{Scenario: "d", Outcome: trial.Error, Steps: []trial.Step{{Action: trial.CallTool, Tool: "close"}}})
	// Two of three later trials took a new path: the limit u of that chance has 1 - u^3 = 0.05.
	seen := 1 - math.Cbrt(0.95)
	values := []float64{2.0 / 3, math.NaN(), 1 - math.Exp(-0.5), 1.0 / 3, 1.0 / 2}
	product := 1.0
	for i, m := range r.Dimensions {
		if m.Dimension != Dimensions()[i] || m.Weight != 1 {
			t.Errorf("%+v", m)
		}
		if m.Dimension == PathDimension {
			if m.Value != nil || m.Reason != "4 trials are too few" || math.Abs(*m.Low-seen) > 1e-9 {
				t.Errorf("%+v, want at least %v", m, seen)
			}
			continue
		}
		if m.Value == nil || math.Abs(*m.Value-values[i]) > 1e-12 || *m.Low != *m.Value {
			t.Errorf("%+v, want %v", m, values[i])
		}
		product *= values[i]
	}
	if want := math.Pow(product, 0.25); r.Overall == nil || math.Abs(*r.Overall-want) > 1e-12 {
		t.Errorf("overall %v, want %v", *r.Overall, want)
	}
	if want := math.Pow(product*seen, 0.2); r.Low == nil || math.Abs(*r.Low-want) > 1e-9 || r.Level != 0.95 {
		t.Errorf("overall at least %v, want %v", *r.Low, want)
	}
	if r.Met == nil || *r.Met || r.Weakest != BoundaryDimension || r.Trials != 4 || r.Errors != 1 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff(&ToolCoverage{Declared: 3, Called: 2, Uncalled: []string{"close"}}, r.Tools); diff != "" {
		t.Error(diff)
	}
	paths := &PathCoverage{Distinct: 3, Once: 2, Twice: 1, Estimated: 5, Unseen: 2, Low: r.Dimensions[1].Low}
	if diff := cmp.Diff(paths, r.Paths); diff != "" {
		t.Error(diff)
	}
	untouched := []Boundary{{"refund", "amount", minimumBoundary, json.RawMessage("1")},
		{"close", "reason", EnumBoundary, json.RawMessage(`"done"`)}}
	if diff := cmp.Diff(&BoundaryCoverage{Declared: 3, Touched: 1, Untouched: untouched}, r.Boundaries); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&ModelCoverage{Declared: 2, Run: 1, NotRun: []string{"large"}}, r.Models); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Code{errorTrials, NotMeasured}, codes(r)); diff != "" {
		t.Error(diff)
	}
	if want := `add a scenario that leads to extreme arguments: refund amount minimum 1, close reason enum "done"`; r.Advice != want {
		t.Errorf("%q", r.Advice)
	}
}

// Nothing that is not declared is measured, and what is not measured is in no mean.
func TestNotMeasured(t *testing.T) {
	ten := slices.Repeat([]*trial.Trial{of("a", "m", "x", `{}`)}, 10)
	r := collect(t, Declaration{}, ten...)
	for _, m := range r.Dimensions {
		if (m.Value != nil) != (m.Dimension == PathDimension) || (m.Reason == "") != (m.Value != nil) {
			t.Errorf("%+v", m)
		}
	}
	if r.Overall != nil || r.Low != nil || !slices.Contains(codes(r), notAsked) {
		t.Errorf("what nobody asked for is covered: %+v", r)
	}
	r = collect(t, Declaration{Weights: map[Dimension]float64{PathDimension: 1}}, ten...)
	if r.Overall == nil || *r.Overall != 1 || math.Abs(*r.Low-math.Pow(0.05, 1.0/9)) > 1e-12 || len(r.Warnings) != 4 ||
		r.Weakest != "" {
		t.Errorf("%+v", r)
	}
	for name, c := range map[string]struct {
		d      Declaration
		trials []*trial.Trial
	}{
		"no trials":   {Declaration{Tools: []string{"x"}, Lambda: 1, Models: []string{"m"}}, nil},
		"only errors": {Declaration{Tools: []string{"x"}}, []*trial.Trial{{Outcome: trial.Error}}},
		"one trial":   {Declaration{}, []*trial.Trial{of("a", "m", "x", `{}`)}},
		"no steps":    {Declaration{}, []*trial.Trial{{Outcome: trial.Pass}, {Outcome: trial.Pass}}},
		"no weight": {Declaration{Weights: map[Dimension]float64{PathDimension: 0}},
			[]*trial.Trial{of("a", "m"), of("a", "m")}},
	} {
		c.d.Minimum = trial.Some(0.0)
		r := collect(t, c.d, c.trials...)
		if r.Overall != nil || r.Met == nil || *r.Met || len(r.Warnings) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// What is declared and not recorded counts as not covered, with a warning.
func TestNotRecorded(t *testing.T) {
	d := Declaration{
		Tools: []string{"x"}, Models: []string{"m"}, Lambda: 3,
		Boundaries: map[string]map[string]Domain{"x": {"n": {Minimum: trial.Some(1.0)}}},
	}
	r := collect(t, d, &trial.Trial{Outcome: trial.Pass},
		&trial.Trial{Steps: []trial.Step{{Action: trial.CallTool, Tool: "x"}}})
	if diff := cmp.Diff([]Code{NotMeasured, noSteps, noModels, noArguments}, codes(r)); diff != "" {
		t.Error(diff)
	}
	if *r.Overall != 0 || r.Weakest != BoundaryDimension || r.WithoutSteps != 1 {
		t.Errorf("%v %+v", *r.Overall, r)
	}
}

func TestUndeclared(t *testing.T) {
	x := of("a", "", "z", `{}`, "y", `{}`)
	x.Steps[0].Model = "other"
	r := collect(t, Declaration{Tools: []string{"x"}, Models: []string{"m"}}, x)
	if diff := cmp.Diff([]string{"y", "z"}, r.Tools.Undeclared); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"other"}, r.Models.Undeclared); diff != "" {
		t.Error(diff)
	}
	if got := codes(r); !slices.Contains(got, undeclaredTools) || !slices.Contains(got, undeclaredModels) {
		t.Error(got)
	}
}

// Two in three at weight 2 and one in two at weight 1.
func TestWeights(t *testing.T) {
	d := Declaration{
		Tools: []string{"x", "y", "z"}, Models: []string{"m", "n"},
		Weights: map[Dimension]float64{ToolDimension: 2, PathDimension: 0},
	}
	r := collect(t, d, of("a", "m", "x", `{}`, "y", `{}`))
	if want := math.Cbrt(4.0 / 9 / 2); math.Abs(*r.Overall-want) > 1e-12 {
		t.Errorf("%v, want %v", *r.Overall, want)
	}
	eight := 0.8
	ms := slices.Repeat([]Measurement{{Value: &eight, Weight: 1}}, 5)
	c := &Counts{Minimum: &eight}
	r = &Result{Overall: Overall(ms)}
	if c.compareMinimum(r); !*r.Met {
		t.Errorf("%v is not 0.8", *r.Overall)
	}
}

func TestCapabilities(t *testing.T) {
	d := Declaration{
		Capabilities: []string{"infer", "switch", "stop", "retry"},
		Scenarios: []Scenario{
			{Name: "a", Capabilities: []string{"infer", "switch"}, Threshold: 0.5},
			{Name: "b", Capabilities: []string{"infer", "stop"}, Threshold: 0.9},
			{Name: "c", Capabilities: []string{"switch"}, Passed: trial.Some(false)},
		},
	}
	fail := of("b", "m")
	fail.Outcome = trial.Fail
	unjudged := of("b", "m")
	unjudged.Outcome = trial.Unjudged
	r := collect(t, d, of("a", "m"), of("b", "m"), fail, unjudged, of("c", "m"))
	want := &CapabilityCoverage{Value: 0.5, Declared: 4, Covered: []string{"infer", "switch"},
		Uncovered: []UncoveredCapability{
			{"stop", []FailingScenario{{"b", 1, 2}}}, {"retry", nil},
		}}
	if diff := cmp.Diff(want, r.Capabilities); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(codes(r), unjudgedTrials) {
		t.Error(codes(r))
	}
	d.Scenarios[1].Passed = trial.Some(true)
	if r := collect(t, d); len(r.Capabilities.Covered) != 2 || r.Capabilities.Covered[1] != "stop" {
		t.Errorf("%+v", r.Capabilities)
	}
}

func TestBadDeclarations(t *testing.T) {
	domain := func(d Domain) Declaration {
		return Declaration{Boundaries: map[string]map[string]Domain{"t": {"p": d}}}
	}
	for want, d := range map[string]Declaration{
		`coverage: tools x is given twice`:                         {Tools: []string{"x", "x"}},
		`coverage: models "" is no name`:                           {Models: []string{""}},
		`coverage: lambda -1 must be a positive number`:            {Lambda: -1},
		`coverage: lambda NaN must be a positive number`:           {Lambda: math.NaN()},
		`coverage: lambda +Inf must be a positive number`:          {Lambda: math.Inf(1)},
		`coverage: minimum 1.5 must lie between 0 and 1`:           {Minimum: trial.Some(1.5)},
		`coverage: weights.tool -1 must be a number from 0 to 1e9`: {Weights: map[Dimension]float64{ToolDimension: -1}},
		`coverage: weights speed is no dimension`:                  {Weights: map[Dimension]float64{"speed": 1}},
		`coverage: boundaries t is none of the tools`: {Tools: []string{"x"},
			Boundaries: domain(Domain{}).Boundaries},
		`coverage: boundaries.t.p.minimum 2 lies above the maximum`: domain(Domain{Minimum: trial.Some(2.0),
			ExclusiveMaximum: trial.Some(1.0)}),
		`coverage: boundaries.t.p.maximum NaN must be a finite number`: domain(Domain{Maximum: trial.Some(math.NaN())}),
		`coverage: boundaries.t.p.minLength -1 must not be negative`:   domain(Domain{MinLength: trial.Some(-1)}),
		`coverage: boundaries.t.p.minItems 3 lies above maxItems`: domain(Domain{MinItems: trial.Some(3),
			MaxItems: trial.Some(2)}),
		`coverage: boundaries.t.p.enum {a is no JSON value`: domain(Domain{Enum: []trial.Raw{trial.Raw("{a")}}),
		`coverage: scenarios.a.capabilities infre is none of the capabilities`: {Capabilities: []string{"infer"},
			Scenarios: []Scenario{{Name: "a", Capabilities: []string{"infre"}}}},
		`coverage: scenarios.a.threshold 2 must lie between 0 and 1`: {Scenarios: []Scenario{{Name: "a",
			Threshold: 2}}},
	} {
		_, err := NewCollector(d)
		if _, ok := errors.AsType[*DeclarationError](err); !ok || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func anyTrial() *rapid.Generator[*trial.Trial] {
	return rapid.Custom(func(t *rapid.T) *trial.Trial {
		x := of("s", rapid.SampledFrom([]string{"", "m1", "m2", "m3"}).Draw(t, "model"))
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			n := rapid.IntRange(-2, 12).Draw(t, "n")
			text, _ := json.Marshal(map[string]any{"n": n, "s": "abcdefgh"[:max(n, 0)%8]})
			x.Steps = append(x.Steps, trial.Step{
				Action: trial.CallTool, Tool: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "tool"),
				Arguments: text, Error: rapid.SampledFrom([]string{"", "e"}).Draw(t, "error"),
			})
		}
		return x
	})
}

// Theorem 4.1: one more trial never lowers tool, state, boundary and model coverage, and
// raises the first and the last when it shows something new.
func TestMonotone(t *testing.T) {
	d := Declaration{
		Tools: []string{"a", "b", "x"}, Models: []string{"m1", "m2", "x"}, Lambda: 20,
		Boundaries: map[string]map[string]Domain{"a": {
			"n": {Minimum: trial.Some(0.0), Maximum: trial.Some(10.0), Integer: true},
			"s": {MinLength: trial.Some(1), MaxLength: trial.Some(6)},
		}},
	}
	thorough.Check(t, func(t *rapid.T) {
		c, err := NewCollector(d)
		if err != nil {
			t.Fatal(err)
		}
		c.Add(of("s", ""))
		before := c.Measure()
		for range rapid.IntRange(1, 12).Draw(t, "trials") {
			x := anyTrial().Draw(t, "trial")
			c.Add(x)
			after := c.Measure()
			for i, m := range after.Dimensions {
				if m.Dimension == PathDimension {
					continue
				}
				if *m.Value < *before.Dimensions[i].Value {
					t.Fatalf("%s fell", m.Dimension)
				}
			}
			if slices.Contains(before.Models.NotRun, x.Model) != (*after.Dimensions[4].Value > *before.Dimensions[4].Value) {
				t.Fatal("the model dimension does not show the new model")
			}
			fresh := slices.ContainsFunc(x.Steps,
				func(s trial.Step) bool { return slices.Contains(before.Tools.Uncalled, s.Tool) })
			if fresh != (*after.Dimensions[0].Value > *before.Dimensions[0].Value) {
				t.Fatal("the tool dimension does not show the new tool")
			}
			before = after
		}
	})
}

// The order of the trials does not matter, and paths and states are those that a
// comparison of whole sequences tells apart.
func TestBruteForce(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		trials := rapid.SliceOfN(anyTrial(), 2, 30).Draw(t, "trials")
		paths, states := map[string]int{}, map[string]bool{}
		for _, x := range trials {
			path := ""
			for i, s := range x.Steps {
				path += s.Tool + ","
				from := max(i-2, 0)
				here := s.Error + "|"
				for _, h := range x.Steps[from : i+1] {
					here += h.Tool + ","
				}
				states[here] = true
			}
			paths[path]++
		}
		once, twice := 0, 0
		for _, n := range paths {
			if n == 1 {
				once++
			} else if n == 2 {
				twice++
			}
		}
		add := func(list []*trial.Trial) *Result {
			c, _ := NewCollector(Declaration{Lambda: 5, Tools: []string{"a", "b"}})
			for _, x := range list {
				c.Add(x)
			}
			return c.Measure()
		}
		r := add(trials)
		if r.Paths.Distinct != len(paths) || r.Paths.Once != once || r.Paths.Twice != twice ||
			r.States.Distinct != len(states) {
			t.Fatalf("%+v %+v, want %d paths (%d once, %d twice) and %d states", r.Paths, r.States, len(paths), once, twice,
				len(states))
		}
		backwards := slices.Clone(trials)
		slices.Reverse(backwards)
		if diff := cmp.Diff(r, add(backwards)); diff != "" {
			t.Fatal(diff)
		}
	})
}
