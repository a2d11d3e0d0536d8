package report

import (
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/sprt/betting"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// sampleAgainst is of a made-up test against a baseline of a fixed number of trials.
func sampleAgainst() *plan.Against {
	rates := func(pass, fail, trials, given float64) plan.AgainstRate {
		return plan.AgainstRate{Pass: pass, Fail: fail, ASN: trials, Given: ptr(given)}
	}
	p := &plan.Against{
		Schema: plan.AgainstSchema, Delta: .1, Alpha: .05, Beta: .1, Gamma: 1e-6, Warnings: []verdict.Warning{},
		Baseline: &design.RecordedBaseline{Passes: 285, Trials: 300}, Guarded: plan.Range{Low: .861282, High: 1},
		Design: plan.AgainstDesign{
			Kind: "baseline", MaxTrials: 16, Alpha: .0499826, Beta: .1, AlphaAt: .9063, BetaAt: .8922, Gates: true,
			Expected: 41.66, Bound: 41.46, Gap: .0049, FixedTrials: 12, Boundaries: smallBoundaries(),
			Digest: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		},
		Points: []plan.AgainstPoint{
			{P: 1, Guarded: true, Unchanged: rates(1, 0, 22, 23), Dropped: rates(.0985, .9015, 9, 9.5)},
			{P: .95, Guarded: true, Unchanged: rates(.9503, .0497, 43.91, 44.47), Dropped: rates(.0996, .9004, 43.8, 42)},
			{P: .9, Unchanged: rates(.95, .05, 67.6, 62.2), Dropped: rates(.09999, .90001, 80.4, 26.5)},
		},
		Dependence: &plan.DependenceOfBoth{Served: 2, FalseFail: .1288, FailAt: .933, FalsePass: .26648, PassAt: .893,
			BaselineTrials: 600, MaxTrials: 32},
		Limits: &plan.LimitsPlan{Gamma: .05, MaxTrials: 496, ASN: 87.22},
		Family: &baseline.Record{Sample: baseline.SampleRecord{Fixed: 300}},
		Variation: intraclass.Of([]intraclass.Group{
			{Passes: 15, Trials: 30, Scenarios: 1}, {Passes: 30, Trials: 30, Scenarios: 9},
		}, verdict.DefaultAlpha, 1),
	}
	return p
}

// sampleAgainstRun is of the sequential run of a baseline, with more trials than there are
// for the candidate to decide always, and priced.
func sampleAgainstRun() *plan.Against {
	p := sampleAgainst()
	p.Gamma, p.Limits, p.Variation, p.Dependence = 0, nil, nil, nil
	p.Family.Sample = baseline.SampleRecord{Sequential: &baseline.StopsRecord{MaxTrials: 152}}
	p.Design.FixedTrials, p.Design.Inconclusive, p.Design.Gates = 24, .25, false
	p.Price = &plan.Price{PerTrialUSD: ptr(.12), SecondsPerTrial: ptr(40.0),
		Worst: plan.Spending{USD: ptr(1.92), Seconds: ptr(640.0)}}
	p.Warnings = []verdict.Warning{{Code: "may-end-inconclusive",
		Text: "the test uses up its trials, 16 at most, undecided with probability up to 25%"}}
	return p
}

// sampleRounds runs both sides; the numbers are made up.
func sampleRounds() *plan.Against {
	p := sampleAgainst()
	p.Dependence = nil
	p.Baseline, p.Limits, p.Variation, p.Family, p.Gamma = nil, nil, nil, nil, 0
	p.Design.Kind, p.Design.MaxTrials, p.Design.FixedTrials, p.Design.Boundaries = plan.SideBySideKind, 45, 32,
		design.Boundaries{}
	for i := range p.Points {
		p.Points[i].Unchanged.Given, p.Points[i].Dropped.Given = nil, nil
	}
	return p
}

func againstRenders() map[string]render {
	all := map[string]render{}
	for name, p := range map[string]*plan.Against{
		"against-fixed": sampleAgainst(), "against-rounds": sampleRounds(), "against-run": sampleAgainstRun(),
	} {
		all["plan-"+name] = func(w io.Writer, o Options) error {
			o.Chart = name == "against-run"
			return Write(w, p, TextFormat, o)
		}
	}
	return all
}

// sampleSequentialAgainst is a recording that was judged against a baseline; the numbers of
// the drop are made up.
func sampleSequentialAgainst(outcomes string) *sequential.Result {
	r := sequentialResult(outcomes, sequential.Options{})
	r.Threshold, r.Savings = 0, nil
	r.Design.Kind = "baseline"
	r.Against = &sequential.Against{
		Source: "main.jsonl", Baseline: design.RecordedBaseline{Passes: 285, Trials: 300}, Gamma: 1e-6, Low: .86, High: 1,
		PUnchanged: ptr(.0123), PDropped: ptr(.00004),
		Difference: &design.Difference{MedianUnbiased: -.0312, Naive: .05, Level: .95, Low: -.12, High: .0412},
	}
	return r
}

func sequentialAgainstRenders() map[string]render {
	open := sampleSequentialAgainst("ppppp")
	open.Against.PUnchanged, open.Against.PDropped, open.Against.Difference = nil, nil, nil
	open.Against.Baseline.Errors = 3
	all := map[string]render{}
	for name, r := range map[string]*sequential.Result{
		"pass": sampleSequentialAgainst(strings.Repeat("p", 60)),
		"fail": sampleSequentialAgainst("pf" + strings.Repeat("f", 9)),
		"open": open,
	} {
		all["sequential-baseline-"+name] = func(w io.Writer, o Options) error { return Write(w, r, TextFormat, o) }
	}
	return all
}

// sampleEnds is a comparison of runs with a scenario of each kind; the p-values are made up.
func sampleEnds() *compare.Ends {
	end := func(passes, trials, errors int) *compare.SampledEnd {
		e := &compare.SampledEnd{Sample: baseline.SampleRecord{Fixed: trials}}
		e.Passes, e.Trials, e.Errors = passes, trials, errors
		return e
	}
	r := &compare.Ends{
		Schema: compare.EndsSchema, Verdict: verdict.Fail, ExitCode: 1, Alpha: .05, Beta: .1, Delta: .1,
		Baseline: "main.result.json", Candidate: "new.result.json",
		Reasons: []verdict.Reason{compare.CodeWorse.Reason("1 scenario is worse, corrected for the number of scenarios: %q",
			"refund")},
		Warnings: []verdict.Warning{{Code: "errors", Text: "2 trials ended in an error"}},
	}
	row := func(name string, v verdict.Verdict, before, after *compare.SampledEnd, difference, worse, drop float64) {
		r.Scenarios = append(r.Scenarios, compare.EndsOfScenario{Name: name, Verdict: v, Baseline: before, Candidate: after,
			Difference: ptr(difference), PWorse: ptr(worse / 3), PCorrected: ptr(worse), PDrop: ptr(drop)})
	}
	row("refund", verdict.Fail, end(15, 15, 0), end(0, 4, 0), -1, .00002, 1)
	row("search", verdict.Pass, end(58, 60, 0), end(60, 60, 0), .0333, .9, .0021)
	row("a name that is rather long for a column", verdict.Inconclusive, end(30, 30, 2), end(24, 26, 0), -.0769, .3, .34)
	r.Scenarios = append(r.Scenarios, compare.EndsOfScenario{Name: "gone", Baseline: end(15, 15, 0),
		Problem: "only the baseline has it"})
	return r
}

func endsRenders() map[string]render {
	passed := *sampleEnds()
	passed.Verdict, passed.ExitCode, passed.Scenarios = verdict.Pass, 0, passed.Scenarios[1:2]
	passed.Reasons = []verdict.Reason{compare.CodeNotWorseByDelta.Reason("not worse: a drop of 10 points or more is " +
		"ruled out")}
	all := map[string]render{}
	for name, r := range map[string]*compare.Ends{"mixed": sampleEnds(), "pass": &passed} {
		all["compare-runs-"+name] = func(w io.Writer, o Options) error { return Write(w, r, TextFormat, o) }
	}
	return all
}

// sampleSizes are answers to both questions for how many trials; the numbers are made up.
func sampleSizes() (sides, recorded *plan.Sizes) {
	sizes := plan.Sizes{Schema: plan.SizesSchema, Rate: .95, Delta: .1, Alpha: .05, Beta: .1,
		Warnings: []verdict.Warning{}}
	first, second := sizes, sizes
	first.Sides = &plan.Sides{Trials: 154, Power: .901612, Settled: 158, Pass: .99382,
		Equation1: plan.FormulaSize{Trials: 100, Power: .73362}, Equation6: plan.FormulaSize{Trials: 150, Power: .89385}}
	second.Recorded = &plan.RecordedSize{Gamma: 1e-6, Candidates: 20, Trials: 230, Unchanged: 45.586, Dropped: 47.7,
		Total: 1141.72, MaxTrials: 331}
	return &first, &second
}

// sampleSuiteSizes are answers for one question about scenarios, with a baseline that is run beside, or stored; the
// numbers are made up.
func sampleSuiteSizes() (cases, stored *plan.Sizes) {
	sizes := plan.Sizes{Schema: plan.SizesSchema, Rate: .97, Delta: .1, Alpha: .05, Beta: .1,
		Warnings: []verdict.Warning{}}
	first, second := sizes, sizes
	q := stratified.Question{Scenarios: 20, Threshold: .9, Delta: .1, Alpha: .05, Beta: .1,
		Floor: stratified.Floor{From: .7, To: .3}}
	first.Scenarios = &stratified.Size{Question: q, FalseFail: .049697, FalsePass: .099477, MaxTrials: 1205,
		Cases: []stratified.Case{
			{Rate: 1, Pass: 1, Trials: 40, Exact: true}, {Rate: .9, Pass: .955, Fail: .045, Trials: 77.1, Exact: true},
			{Rate: .97, Broken: new(.3), Pass: .0925, Fail: .9075, Trials: 61.6}, {Rate: .97, Broken: new(0.), Fail: 1, Trials: 51.9},
		}, Repetitions: 2000, Seed: 1}
	q.Sides = stratified.Stored
	second.Scenarios = &stratified.Size{Question: q, Recorded: []stratified.Recording{
		{Trials: 3, Passes: .535, Finds: .183}, {Trials: 10, Passes: .98, Finds: .768, Failures: 4},
	}}
	return &first, &second
}

// sampleBehaviourPlan is of a shift that no number of trials finds, with every kind of formula and a budget; the
// numbers are made up.
func sampleBehaviourPlan() *plan.Behaviour {
	budget := 1.5
	return &plan.Behaviour{
		Schema: plan.BehaviourSchema, Test: fingerprint.PermutationT2, Alpha: .05, Beta: .1, Delta: .1,
		Shift:    []plan.ColumnShift{{Column: "cost_usd", SD: -.05}, {Column: "output_tokens", SD: .1}},
		Distance: .15, Power: .6225, PowerErr: .0242, MaxTrials: 2000,
		Formulas: []plan.BehaviourFormula{
			{Name: "Equation 30", Trials: 1907, Power: new(.5975), NormalPower: new(.9719)},
			{Name: "Equation 31"}, {Name: "Equation 39", Trials: 4, Power: new(.0425)}, {Name: "Algorithm 4", Trials: 9000},
		},
		EffectiveDimension: 4, Participation: 1.73, Columns: 10, Variance: .595,
		VarianceInterval: [2]float64{.477, .763}, Class: hotelling.Volatile,
		Recorded: 150, Scenarios: 10, Simulations: 400, Permutations: 299, Seed: 1,
		Cost: &plan.BehaviourCost{Known: 150, PerTrialUSD: .0027, MaxUSD: &budget,
			Affordable: &plan.Affordable{PerScenario: 35, Trials: 350, USD: 1.49, Power: .18, PowerErr: .0192}},
		Warnings: []verdict.Warning{verdict.Code("shift-out-of-reach").Warning("2000 trials do not find the shift")},
	}
}

func sizesRenders() map[string]render {
	sides, recorded := sampleSizes()
	cases, stored := sampleSuiteSizes()
	return map[string]render{
		"plan-sides":           func(w io.Writer, o Options) error { return Write(w, sides, TextFormat, o) },
		"plan-trials-baseline": func(w io.Writer, o Options) error { return Write(w, recorded, TextFormat, o) },
		"plan-scenarios":       func(w io.Writer, o Options) error { return Write(w, cases, TextFormat, o) },
		"plan-stored-suite":    func(w io.Writer, o Options) error { return Write(w, stored, TextFormat, o) },
		"plan-behaviour":       func(w io.Writer, o Options) error { return Write(w, sampleBehaviourPlan(), TextFormat, o) },
	}
}

// sampleAnytime is a comparison at any time with errors and a scenario of one side.
func sampleAnytime() *compare.Anytime {
	return &compare.Anytime{
		Schema: compare.AnytimeSchema, Verdict: verdict.Fail, ExitCode: 1, Alpha: .05, Beta: .1, Delta: .1,
		Reasons:  []verdict.Reason{compare.CodeWorse.Reason("the candidate is worse: evidence 33, of at least 20")},
		Warnings: []verdict.Warning{verdict.Code("trials-unused").Warning("3 trials without a partner")},
		Baseline: "main", Candidate: "new", Worse: 3.5, NotWorse: -2,
		Scenarios: []compare.AnytimeScenario{
			{Name: "refund", BothPass: 4, Broke: 9, Mended: 1, BothFail: 1, Unjudged: [5]int{1, 0, 0, 0, 1},
				Difference: -8. / 15},
			{Name: "gone", Unpaired: 3},
		},
	}
}

// sampleProxy is a comparison with the help of a proxy.
func sampleProxy() *proxy.Comparison {
	side := controlvariate.Sample{BothPass: 9, TargetOnly: 2, ProxyOnly: 1, BothFail: 8, Further: 40, FurtherPasses: 20}
	by := &proxy.CombinedTest{Combination: controlvariate.Fisher, Rho: .6, P: .2, Unchanged: .07, Changed: ptr(.8)}
	return &proxy.Comparison{
		Schema: proxy.Schema, ExitCode: 2, Verdict: verdict.Inconclusive, Delta: .1, Alpha: .05, Beta: .1, Seed: 1,
		Reasons:  []verdict.Reason{compare.CodeUndecided.Reason("too few trials to tell")},
		Baseline: side, Candidate: side, LeftOut: 1, Gain: ptr(1.4), Combined: by,
		Strata: []proxy.NamedStratum{{Name: "refund", Stratum: controlvariate.Stratum{Baseline: side, Candidate: side}}},
	}
}

// sampleScores is of made-up scores of two scenarios.
func sampleScores() *mean.Result {
	return &mean.Result{
		Schema: mean.Schema, Verdict: verdict.Pass, Alpha: .05, Threshold: .8, Trials: 60, Unscored: 1, Mean: ptr(.9),
		Reasons:  []verdict.Reason{verdict.CodeAboveThreshold.Reason("the mean score of 60 trials is 0.900")},
		Warnings: []verdict.Warning{verdict.WarnErrors.Warning("1 trial has no score")},
		Interval: &verdict.Interval{Method: "betting", Level: .9, Low: .82, High: .94},
		Scenarios: []mean.Scenario{
			{Name: "refund", Mean: ptr(.95), Values: []betting.Value{{Value: .5, Times: 3}, {Value: 1, Times: 27}}},
			{Name: "gone", Unscored: 1, Mean: ptr(.85), Values: []betting.Value{{Value: .85, Times: 30}}},
		},
	}
}
