package verify

import (
	"slices"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/history"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
	"github.com/tribunal-dev/tribunal/verdict/race"
	"github.com/tribunal-dev/tribunal/verdict/rank"
	"github.com/tribunal-dev/tribunal/verdict/relations"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// Kind is a kind of results. How one is shown is for package report, which has a page for each.
type Kind struct {
	Schema string // names its JSON form, such as "tribunal/run/v1"
	Older  string // what earlier versions called that; "" is the same
	About  string // what such a result is
	From   string // the commands that make one
	Gate   bool   // a gate decides over it, see [gate.Judge]

	empty func() verdict.Result // to read one into
}

// Kinds are all kinds of results. A new one is a row here.
func Kinds() []Kind {
	return []Kind{
		{runs.Schema, "", "a run of a suite",
			"run, run merge, repeat, run conformance, verdict decide", true, of[runs.Result]},
		{gate.Schema, "", "the decision of a gate, with what it is over", "gate", false, of[gate.Result]},
		{verdict.ThresholdSchema, "", "a pass rate against a threshold", "verdict", true, of[verdict.ThresholdResult]},
		{mean.Schema, "", "the mean of scores against a threshold", "verdict --score", true, of[mean.Result]},
		{compare.Schema, "", "a candidate against a baseline", "compare", true, of[compare.Result]},
		{compare.EndsSchema, "", "two runs that stopped by their outcomes, compared",
			"compare", true, of[compare.Ends]},
		{compare.AnytimeSchema, "", "a comparison that may be analysed at any time",
			"compare --anytime", false, of[compare.Anytime]},
		{proxy.Schema, "", "a comparison that trials of a cheap model help",
			"compare --proxy", false, of[proxy.Comparison]},
		{sequential.Schema, "", "a recording, judged as a sequential test would have",
			"verdict --sequential", true, of[sequential.Result]},
		{behaviour.Schema, "", "whether two recordings behave alike",
			"compare --behaviour-only", false, of[behaviour.Result]},
		{plan.Schema, "", "the plan of a test against a threshold", "plan", false, of[plan.Plan]},
		{plan.AgainstSchema, "", "the plan of a test against a baseline", "plan --baseline", false, of[plan.Against]},
		{plan.SizesSchema, "", "how many trials each side of a comparison takes",
			"plan --sides", false, of[plan.Sizes]},
		{plan.BehaviourSchema, "", "the plan of a test of behaviour", "plan --behaviour", false, of[plan.Behaviour]},
		{plan.SuiteSchema, "", "the plan of a suite", "check", false, of[plan.Suite]},
		{plan.ForecastSchema, "", "what a month will cost", "plan month", false, of[plan.Forecast]},
		{history.Schema, "", "runs of a suite over time, and when they changed", "store history", false, of[history.Result]},
		{mutants.Schema, "", "which changes of an agent its suite detects", "run mutants", false, of[mutants.Result]},
		{mutants.ChecksSchema, "tribunal/checks/v1", "which changes of evaluators recorded trials detect",
			"run mutants --recorded", false, of[mutants.Checks]},
		{race.Schema, "", "which of several variants is best", "improve race", false, of[race.Result]},
		{rank.Schema, "", "how several recordings rank on each axis", "compare rank", false, of[rank.Result]},
		{relations.Schema, "", "whether related inputs have related answers", "run relations", false, of[relations.Result]},
		{improvement.Schema, "", "candidates against the current version of an agent",
			"improve ratchet", false, of[improvement.Result]},
		{compliance.Schema, "", "how trials keep a contract", "check contract", false, of[compliance.Result]},
		{coverage.Schema, "", "what trials covered", "check coverage", false, of[verdict.Coverage]},
	}
}

// of is an empty result of a type.
func of[R any, P interface {
	*R
	verdict.Result
}]() verdict.Result {
	return P(new(R))
}

// KindOf is the kind of a result; the zero value of one that is nil.
func KindOf(r verdict.Result) (k Kind) {
	if r != nil {
		k, _ = kindOf(r.Header().Schema)
	}
	return k
}

// kindOf is the kind of a schema.
func kindOf(schema string) (k Kind, is bool) {
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return schema == k.Schema || k.Older != "" && schema == k.Older })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// schemas are those of all kinds.
func schemas() []string {
	var list []string
	for _, k := range Kinds() {
		list = append(list, k.Schema)
	}
	return list
}
