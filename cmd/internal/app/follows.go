package app

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/gate"
)

// FollowsGate compares what a saved gate asked for with what a suite asks: it may have asked for more,
// by flags, and for nothing less, but for the floors that --point compares without a test. The error is
// a [runner.Difference].
func FollowsGate(s *suite.Suite, g *gate.Result) error {
	differs := func(what string, have, want any) error {
		return &runner.Difference{What: "asked." + what, Have: fmt.Sprint(have), Where: "the suite", Want: fmt.Sprint(want)}
	}
	if g.Asked == nil {
		return differs("rules", "not told, as in results of earlier versions,", "those of its gate")
	}
	have, want := g.Asked, GateOptions(s)
	switch {
	case have.Alpha != want.Alpha:
		return differs("alpha", have.Alpha, want.Alpha)
	case have.Beta != want.Beta:
		return differs("beta", have.Beta, want.Beta)
	case have.Delta != want.Delta:
		return differs("delta", have.Delta, want.Delta)
	case have.Correction != want.Correction:
		return differs("correction", have.Correction, want.Correction)
	case have.AllowUndecided && !want.AllowUndecided:
		return differs("allow_undecided_regression", true, false)
	case have.AllowIdentical && !want.AllowIdentical:
		return differs("allow_identical_answers", true, false)
	case have.AllowRepeated && !want.AllowRepeated:
		return differs("allow_repeated_attempts", true, false)
	case want.Minimum != nil && (have.Minimum == nil || *have.Minimum < *want.Minimum):
		return differs("min_coverage", "less", *want.Minimum)
	case want.MaxResultAge != 0 && (have.MaxResultAge == 0 || have.MaxResultAge > want.MaxResultAge):
		return differs("max_result_age", have.MaxResultAge, want.MaxResultAge)
	case want.AsksBehaviour && !have.AsksBehaviour && g.Behaviour == nil:
		return differs("asks_behaviour", false, true)
	case g.Run == nil && !reflect.DeepEqual(have.Questions, Questions(s)):
		return differs("questions", "others", "what its tests ask")
	case s.Gate.Baseline != "" && have.Baseline == nil && g.Baseline == nil:
		return differs("baseline", "missing", s.Gate.Baseline)
	case have.Floor.Rate < want.Floor.Rate || want.Floor.AllTrials && !have.Floor.AllTrials:
		return differs("floor", have.Floor, want.Floor)
	}
	for _, name := range slices.Sorted(maps.Keys(want.Floors)) {
		if x, y := have.Floors[name], want.Floors[name]; x.Rate < y.Rate || y.AllTrials && !x.AllTrials {
			return differs("floors."+name, x, y)
		}
	}
	for _, c := range s.Scenarios {
		if !slices.Contains(have.Scenarios, c.Name) {
			return differs("scenarios", "without "+c.Name, "with it")
		}
	}
	return nil
}
