package verify

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/history"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

func planned(t *testing.T, o plan.Options) *plan.Plan {
	t.Helper()
	o.MaxTrials = 25
	p, err := plan.Test(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// optimalPlan is against a baseline, and priced.
func optimalPlan(t *testing.T) *plan.Plan {
	t.Helper()
	from, err := sprt.FromBaseline(stats.Counts{Passes: 190, Trials: 200}, 0.5, 0.05, 0.1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	price, seconds := 0.25, 3.0
	return planned(t, plan.Options{
		Hypotheses: from.Hypotheses, Kind: sprt.OptimalKind, Prior: "stable", Baseline: &from, Delta: 0.5, Gamma: 0.05,
		PriceUSD: &price, Seconds: &seconds,
		Scenarios: []intraclass.Group{{Passes: 8, Trials: 10, Scenarios: 5}, {Passes: 10, Trials: 10, Scenarios: 15}},
	})
}

// againstPlan is of a test against a recorded baseline with an error, and priced.
func againstPlan(t *testing.T) *plan.Against {
	t.Helper()
	from, err := baseline.Fixed(20)
	if err != nil {
		t.Fatal(err)
	}
	price, seconds := 0.25, 3.0
	p, err := plan.TestAgainst(t.Context(), plan.AgainstOptions{
		Question: baseline.Question{Delta: 0.4, Alpha: 0.05, Beta: 0.1, Gamma: 0.001}, Sample: from,
		Recorded: design.RecordedOf(baseline.Outcome{Trials: 20, Failures: 1}, baseline.Outcome{Trials: 20, Failures: 2}, 1),
		PriceUSD: &price, Seconds: &seconds, Served: 2,
		Scenarios: []intraclass.Group{{Passes: 1, Trials: 2, Scenarios: 1}, {Passes: 1, Trials: 1, Scenarios: 3},
			{Passes: 2, Trials: 2, Scenarios: 7}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// roundsPlan is of a test that runs both sides.
func roundsPlan(t *testing.T) *plan.Against {
	t.Helper()
	price := 0.25
	p, err := plan.TestInRounds(t.Context(), plan.RoundsOptions{Delta: 0.6, Alpha: 0.05, Beta: 0.1, Guard: 0.8,
		PriceUSD: &price})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sides(t *testing.T) *plan.Sizes {
	t.Helper()
	s, err := plan.SidesFor(t.Context(), 0.9, 0.5, 0.05, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// scenarios is of one question about scenarios, with cases that are exact and that are simulated.
func scenarios(t *testing.T) *plan.Sizes {
	t.Helper()
	s := &plan.Sizes{}
	if err := s.AskScenarios(t.Context(), stratified.Question{Scenarios: 2, Delta: 0.5}, 0); err != nil {
		t.Fatal(err)
	}
	return s
}

// behaviourPlan is of a shift that few trials find, simulated a few times, with the trials that it is made from.
func behaviourPlan(t *testing.T, usd float64, o plan.BehaviourOptions) *plan.Behaviour {
	t.Helper()
	var recorded fingerprint.Sample
	for i := range 24 {
		recorded.Add(&trial.Trial{
			Scenario: []string{"a", "b"}[i%2], Outcome: []trial.Outcome{trial.Pass, trial.Pass, trial.Fail}[i%3],
			OutputTokens: trial.Some(int64(100 + 37*i%89)), CostUSD: trial.Some(usd * float64(1+5*i%7)),
		})
	}
	o.Simulations, o.Permutations, o.Seed = 20, 39, 1
	b, err := plan.TestOfBehaviour(t.Context(), &recorded, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func suitePlan(t *testing.T) *plan.Suite {
	t.Helper()
	price, budget, most := 0.25, 15.0, 2.0
	o := plan.SuiteOptions{Suite: "shop", Digest: "sha256:00", Scenarios: 3, Concurrency: 2, BudgetUSD: &budget,
		PriceUSD: &price, MaxTrials: 10, Timed: true}
	p := plan.NewSuite(o)
	for _, err := range []error{
		p.AddTest(plan.PlannedTest{Name: "refund", Scenarios: []string{"refund"}, Design: sample.Design(),
			MaxCostUSD: &most}),
		p.AddTest(plan.PlannedTest{Name: "all", Scenarios: []string{"a", "b"}, Design: sample.Design()}),
		p.AddTest(plan.PlannedTest{
			Name: "all [small]", Variant: "small", Scenarios: []string{"a", "b"}, Design: sample.Design(),
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p.Complete(o)
	return p
}

func forecast(t *testing.T) *plan.Forecast {
	t.Helper()
	price := 10.0
	f, err := plan.NewForecast([]plan.ForecastTrial{
		{Passed: true, CostUSD: trial.Some(0.02), Tokens: trial.Some(1000.0)},
		{Passed: true, CostUSD: trial.Some(0.04), Tokens: trial.Some(3000.0)},
		{Passed: false, CostUSD: trial.Some(0.06)},
		{Passed: true, Tokens: trial.Some(2000.0)},
	}, plan.ForecastOptions{RunsPerDay: 1000, Price: &price, Sequential: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// proxied compares two targets by pairs with a proxy, in two scenarios.
func proxied(t *testing.T) *proxy.Comparison {
	t.Helper()
	side := func(name string, least int) *proxy.MatchedTrials {
		var both [2]*recording.Recording
		for i := range both {
			both[i] = &recording.Recording{Name: fmt.Sprint(name, i)}
			for n := range 24 + 24*i {
				outcome := trial.Fail
				if (n*7+i*n)%24 >= least {
					outcome = trial.Pass
				}
				both[i].Add(&trial.Trial{Scenario: []string{"a", "b"}[n%2], Index: trial.Some(n), Outcome: outcome})
			}
		}
		m, err := proxy.Match(both[0], both[1])
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	by := controlvariate.Stouffer
	c, err := proxy.Judge(t.Context(), side("before", 10), side("after", 11), proxy.Question{Seed: 1, Combination: &by})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// aHistory is of nights with a drop, with the scenarios of either side.
func aHistory(t *testing.T, m history.Metric) *history.Result {
	t.Helper()
	var points []history.Point
	for i := range 16 {
		p := history.Point{From: time.Date(2026, 3, 1+i, 2, 0, 0, 0, time.UTC), Runs: 1, Run: fmt.Sprint("r", i),
			Commit: fmt.Sprint("c", i),
			Branch: "main", Task: fmt.Sprint("t", i/9), Agent: "a", Passes: 18, Failures: 2, Errors: i % 2}
		if i >= 9 {
			p.Passes, p.Failures = 9+i%2, 11-i%2
		}
		switch m {
		case history.Cost:
			p.Sum = &history.Sum{Known: 20, Total: 4 + float64(i%3) + float64(i/9*8), Squares: 9}
		case history.Distance:
			p.Distance = new(float64(i%3)/8 + float64(i/9))
		}
		points = append(points, p)
	}
	points[4].Runs, points[4].Until = 2, points[4].From.Add(time.Hour)
	r, err := history.Judge(t.Context(), points, func(_ context.Context, from, _ int) (list []history.Tally, err error) {
		for i := range 12 {
			passes := 15
			if from > 0 && i < 6 {
				passes = i
			}
			list = append(list, history.Tally{Name: fmt.Sprint("s", i), Counts: stats.Counts{Passes: passes, Trials: 16 + i%2}})
		}
		return list, nil
	}, history.Options{Suite: "shop", Version: "v", Branch: "main", Scenario: "s*", Metric: m, Baseline: "b", Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Changes) != 1 {
		t.Fatalf("%d changes", len(r.Changes))
	}
	return r
}

// rawOfHistory is what is known of the runs, and of which nothing follows.
var rawOfHistory = map[string]string{
	"suite": "a name", "version": "a name", "branch": "a name", "scenario": "a name", "baseline": "a name",
	"points[].from": "when it was", "points[].until": "when it was", "points[].run": "a name", "points[].commit": "a name",
	"points[].agent": "a digest",
}

// ofSides is what else is so where scenarios are compared.
var ofSides = map[string]string{
	"changes[].scenarios[].name":          "a name",
	"changes[].scenarios[].passes_before": "where no side differs, one more or less makes no difference either",
	"changes[].scenarios[].trials_before": "where no side differs, one more or less makes no difference either",
}

// uncounted is what else is so of a metric that counts do not tell.
var uncounted = map[string]string{
	"points[].passes": "of outcomes", "points[].failures": "of outcomes", "points[].errors": "of outcomes",
	"seed": "other orders seldom give another p-value",
}

const keptContract = `version: 1
name: c
p: 0.5
delta: 0.4
k: 3
clauses:
  - {name: no refund, kind: guardrail, forbid: {tools: refund}}
  - {name: cheap, kind: postcondition, severity: soft, require: trial.cost_usd < 1}
  - {name: rare, kind: invariant, when: step.tool == "rare", require: "true"}
`

// judgedContract judges trials: r refunds, d is dear, u has no steps, - keeps all.
func judgedContract(t *testing.T, trials string) *compliance.Result {
	t.Helper()
	c, err := contract.Parse("c.yaml", []byte(keptContract))
	if err != nil {
		t.Fatal(err)
	}
	s := contract.NewSummary(c)
	for i, kind := range trials {
		x := &trial.Trial{
			Scenario: "s", Index: trial.Some(i), CostUSD: trial.Some(0.5),
			Steps: []trial.Step{{Action: trial.CallTool, Tool: "search"}},
		}
		switch kind {
		case 'r':
			x.Steps[0].Tool = "refund"
		case 'd':
			x.CostUSD.Value = 2
		case 'u':
			x.Steps = nil
		}
		s.Add(x, c.Check(t.Context(), x))
	}
	r, err := compliance.Judge(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const weighted = "skipped: of the weighting that the design was made for, which is not there"

// uncomputed is what a plan does not verify.
var uncomputed = map[string]string{
	"prior": "skipped: a name", "design.group": "skipped: when the test looks, which its boundaries tell",
	"wald_uncut.points[].inconclusive": "what is left of a difference that is 0",
}

// rawOfContract is what a contract's result holds of its trials and of itself.
var rawOfContract = map[string]string{
	"contract": "a name", "digest": "of the contract", "clauses[].name": "a name",
	"clauses[].kind":     "one of those that are known",
	"clauses[].severity": "one of those that are known", "clauses[].violations*": "skipped",
	"clauses[].places": "of trials that are not there", "satisfaction.p": "what is promised",
	"satisfaction.delta":             "what is promised",
	"satisfaction.windows.satisfied": "skipped: of the order of the trials",
	"satisfaction.windows.worst":     "skipped: of the order of the trials",
}

// Whatever is changed in a saved plan, forecast, contract or measure of coverage, it is
// found.
func TestEveryChangeOfWhatIsNoVerdictIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		result verdict.Result
		free   map[string]string
	}{
		"plan": {optimalPlan(t),
			with(uncomputed, map[string]string{"wald.points[].inconclusive": "what is left of a difference that is 0",
				"design.gap": weighted, "design.objective": weighted, "floors.objective_bound": weighted})},
		"wald plan": {planned(t, plan.Options{Hypotheses: sprt.Hypotheses{Threshold: 0.8, Delta: 0.4, Alpha: 0.05, Beta: 0.1},
			Kind: sprt.WaldKind}), uncomputed},
		"against a baseline": {againstPlan(t), map[string]string{
			"design.expected": weighted, "design.bound": weighted, "design.gap": weighted, "design.inconclusive": weighted,
			"design.fixed_trials":             weighted,
			"points[].dropped.inconclusive":   "what is left of a difference that is 0",
			"points[].unchanged.inconclusive": "what is left of a difference that is 0",
		}},
		"side by side": {roundsPlan(t), map[string]string{
			"design.expected": weighted, "design.bound": weighted, "design.gap": weighted, "design.inconclusive": weighted,
			"design.fixed_trials": weighted, "price.fixed.usd": weighted,
			"points[].dropped.inconclusive":   "what is left of a difference that is 0",
			"points[].unchanged.inconclusive": "what is left of a difference that is 0",
		}},
		"sides": {sides(t), map[string]string{"alpha": "what was asked for", "beta": "what was asked for"}},
		"scenarios": {scenarios(t), map[string]string{
			"rate": "one that is chosen", "alpha": "that of the question", "beta": "that of the question",
			"delta": "that of the question", "scenarios.question*": "what was asked for", "scenarios.rate": "one that is chosen",
		}},
		"behaviour": {behaviourPlan(t, 0.01, plan.BehaviourOptions{
			Shift: []plan.ColumnShift{{Column: "output_tokens", SD: 2}}, MaxCostUSD: new(0.5),
		}), map[string]string{
			"sample*": "what it is computed from", "beta": "what was asked for", "delta": "what was asked for",
			"cost.max_usd": "what was asked for", "permutations": "so many at most, which changes few answers",
		}},
		"suite": {suitePlan(t), map[string]string{
			"suite": "a name", "suite_digest": "of the suite", "scenarios": "of the suite", "concurrency": "of the suite",
			"total.budget_timed": "of the suite", "tests*": "skipped: their designs are not there",
			"warnings*": "skipped: of the designs",
		}},
		"forecast": {forecast(t), map[string]string{
			"level": "skipped, as the trials are not there", "trials": "skipped", "passes": "skipped",
			"price_per_mtok": "what was asked for",
			"cost_usd.known": "skipped", "tokens.known": "skipped",
			"cost_usd.dearest.share": "skipped", "tokens.dearest.share": "skipped",
		}},
		"by a proxy": {proxied(t), map[string]string{
			"strata[].name": "a name", "scenarios_left_out": "skipped: of trials that are not there",
			"exit_code": "--on-inconclusive may have changed it",
		}},
		"history":               {aHistory(t, history.Rate), with(rawOfHistory, ofSides)},
		"history of a cost":     {aHistory(t, history.Cost), with(rawOfHistory, uncounted)},
		"history of a distance": {aHistory(t, history.Distance), with(rawOfHistory, uncounted)},
		"kept":                  {judgedContract(t, "----d---"), rawOfContract},
		"violated": {judgedContract(t, "--r-u--d"),
			with(rawOfContract, map[string]string{"clauses[].problem": "a text",
				"warnings[].text": "it alone holds the first problem"})},
		"coverage": {(*verdict.Coverage)(measuredAgents(t)), rawOfCoverage("")},
		"coverage of a graph": {(*verdict.Coverage)(measuredGraph(t)), map[string]string{
			"counts.unjudged": "nothing is said of capabilities", "counts.limits[].kind": "of a limit that was touched",
			"counts.limits[].parameter": "of a limit that was touched", "counts.limits[].tool": "of a limit that was touched",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, missed := range unfounded(t, c.result, c.free) {
				t.Error(missed)
			}
		})
	}
}
