package report

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

func side(name string, passes, trials int, low, high float64) compare.Side {
	return compare.Side{Name: name, Passes: passes, Trials: trials, Rate: ptr(float64(passes) / float64(trials)),
		Interval: wilson(low, high)}
}

func comparison(v verdict.Verdict, baseline, candidate compare.Side, why ...verdict.Reason) *compare.Result {
	return &compare.Result{
		Schema: compare.Schema, Verdict: v, ExitCode: v.ExitCode(), Alpha: 0.05, Beta: 0.1, Delta: 0.1,
		Reasons: why, Warnings: []verdict.Warning{}, Baseline: baseline, Candidate: candidate,
		Scenarios: []compare.Scenario{}, Metrics: []compare.Metric{},
	}
}

func comparisonSamples() map[string]*compare.Result {
	return map[string]*compare.Result{
		"compare-counts":       sampleCounts(),
		"compare-rows":         sampleRows(),
		"compare-paired":       samplePaired(),
		"compare-posterior":    samplePosterior(),
		"compare-metrics":      sampleMetrics(),
		"compare-scenarios":    sampleScenarios(),
		"compare-inconclusive": sampleUndecided(),
		"compare-names":        sampleComparedNames(),
		"compare-nothing": comparison(verdict.Inconclusive, compare.Side{Name: "main.jsonl", Errors: 3},
			side("new.jsonl", 5, 5, 0.5655, 1),
			verdict.Reason{Code: verdict.CodeNoTrials,
				Text: "a comparison needs trials with an outcome on both sides: the baseline has 0, the candidate 5"}),
	}
}

func sampleCounts() *compare.Result {
	r := comparison(verdict.Fail, side("baseline", 93, 100, 0.8625, 0.9657), side("candidate", 71, 100, 0.6146, 0.7899),
		verdict.Reason{Code: compare.CodeWorse, Text: "the candidate is worse: boschloo p = 2.5e-05, at most alpha 0.05"})
	r.Difference = compare.Difference{Value: ptr(-0.22), Method: "miettinen-nurminen", Level: 0.95, Low: -0.3247,
		High: -0.1182}
	r.Tests = compare.Tests{
		Rates:          independentTests(2.41e-05, 3.785e-05, 4.05, 2.526e-05),
		NonInferiority: &compare.PValue{P: 0.9894},
	}
	r.Effect = compare.Effect{CohensH: ptr(0.6018), Magnitude: "medium", OddsRatio: ptr(0.18428)}
	r.Power = &compare.Power{AtDelta: 0.6127, MDE: ptr(0.1356)}
	r.Bayes = compare.Bayes{Probability: ptr(0.98876), Verdict: verdict.Fail}
	return r
}

// sampleRows is judged from rows that a database counted, of four million trials.
func sampleRows() *compare.Result {
	side := func(name string, rates ...float64) *recording.Recording {
		var groups []recording.Group
		for i, rate := range rates {
			const trials = 500_000
			passes := int(rate * trials)
			cost := 0.01 * float64(i+1)
			groups = append(groups, recording.Group{
				Scenario: fmt.Sprint("scenario-", i+1), Passes: passes, Fails: trials - passes, PaidPasses: passes,
				Metrics: map[recording.MetricName]sample.Moments{
					recording.CostMetric: {N: trials, Sum: cost * trials, Squares: 1.04 * cost * cost * trials},
				},
				Columns: map[string]sample.Moments{"steps": {N: trials, Sum: 8 * trials, Squares: 70 * trials}},
			})
		}
		r, err := recording.OfGroups(name, groups)
		if err != nil {
			panic(err)
		}
		return r
	}
	r, err := compare.Judge(context.Background(), side("v6", .93, .91, .9, .88), side("v7", .93, .905, .902, .86),
		compare.Options{Delta: 0.01})
	if err != nil {
		panic(err)
	}
	return r
}

func summary(known, trials int, mean, median float64) compare.Summary {
	return compare.Summary{Known: known, Trials: trials, Mean: mean, Median: new(median), Total: mean * float64(known)}
}

func metric(name recording.MetricName, b, c compare.Summary, low, high, p float64) compare.Metric {
	return compare.Metric{
		Name: name, Unit: name.Unit(), Baseline: b, Candidate: c, P: p / 6, PAdjusted: p, Changed: p <= 0.05,
		Difference: compare.MeanChange{
			Value: c.Mean - b.Mean, Ratio: ptr(c.Mean / b.Mean), Method: "skewness-corrected", Level: 0.95,
			Low: ptr(low), High: ptr(high), ByPairs: true,
		},
	}
}

func flips(to string, names ...int) []compare.Flip {
	var list []compare.Flip
	for _, n := range names {
		list = append(list, compare.Flip{Scenario: fmt.Sprint(n), Trial: ptr(0), To: to})
	}
	return list
}

// samplePosterior has priors, and ten parts of a distribution.
func samplePosterior() *compare.Result {
	r := sampleCounts()
	r.Posterior = &compare.Posterior{
		Baseline:  compare.BetaRate{PriorA: 191, PriorB: 11, A: 284, B: 18},
		Candidate: compare.BetaRate{PriorA: 1, PriorB: 1, A: 72, B: 30},
		Source:    "last month.jsonl", Mean: .2345, Dropped: .99996, Beyond: .9956,
		Interval: verdict.Interval{Method: compare.EqualTails, Level: .95, Low: .1472, High: .3288},
		Bins:     compare.Bins{Low: 0, High: .4, Shares: []float64{0, 0, .0004, .0246, .1, .2, .3, .25, .1, .025}},
	}
	return r
}

func samplePaired() *compare.Result {
	r := comparison(verdict.Fail, side("retail-gpt-4.1-mini-before", 79, 114, 0.6030, 0.7702),
		side("retail-gpt-4.1-mini-after", 67, 114, 0.4960, 0.6738),
		verdict.Reason{Code: compare.CodeWorse, Text: "the candidate is worse: mcnemar p = 0.0038, at most alpha 0.05"})
	r.DecidedBy = stats.McNemarTest
	r.Difference = compare.Difference{Value: ptr(-12.0 / 114), Method: "tango", Level: 0.95, Low: -0.1814,
		High: -0.0345, NewScenarios: &verdict.Interval{Method: "bounded-mean", Level: 0.95, Low: -0.1775, High: -0.0331}}
	r.Pairs = &compare.FlipTable{Pairs: 114, BothPass: 64, Regressed: 15, Fixed: 3, BothFail: 32}
	r.Pairs.Flips = append(flips("fail", 2, 5, 11, 17, 23, 34, 41, 50, 56, 60, 71, 88, 93, 104, 111),
		flips("pass", 8, 39, 77)...)
	r.Tests = compare.Tests{
		Rates: append(independentTests(0.0524, 0.0653, 1.6556, 0.0489), mcnemar(0.003769, 0.007538, 0.002212),
			compare.TestOfRates{Test: stats.StratifiedTest, TestResult: stats.TestResult{P: 0.003769}}),
		CMH:            &compare.CMH{P: 0.00234, PTwoSided: 0.00468, OddsRatio: ptr(0.2)},
		NonInferiority: &compare.PValue{P: 0.5562},
	}
	r.Effect = compare.Effect{CohensH: ptr(0.2203), Magnitude: "small", OddsRatio: ptr(0.6316)}
	r.Power = &compare.Power{AtDelta: 0.9312, MDE: ptr(0.0913)}
	r.Bayes = compare.Bayes{Probability: ptr(0.5299)}
	for i := range 114 {
		r.Scenarios = append(r.Scenarios, compare.Scenario{
			Name: fmt.Sprint(i), Baseline: compare.PassCounts{Passes: 1, Trials: 1},
			Candidate: compare.PassCounts{Passes: i % 2, Trials: 1}, P: 0.5, PHolm: 1, PBH: 1,
		})
	}
	r.Metrics = []compare.Metric{
		metric(recording.CostMetric, summary(114, 114, 0.01531, 0.01402), summary(114, 114, 0.01487, 0.01391), -0.00191,
			0.00104, 1),
		metric(recording.TurnsMetric, summary(114, 114, 14.21, 13), summary(114, 114, 14.02, 13), -0.9, 0.55, 1),
		metric(recording.ToolCallsMetric, summary(114, 114, 6.88, 7), summary(114, 114, 6.51, 6), -0.81, 0.09, 0.412),
		metric(recording.ToolErrorsMetric, summary(114, 114, 0.0526, 0), summary(114, 114, 0.0614, 0), -0.05, 0.07, 1),
	}
	for _, s := range []*compare.Side{&r.Baseline, &r.Candidate} {
		s.Reliability = &verdict.Reliability{
			PassHatK: map[string]float64{"1": *s.Rate}, PassAtK: map[string]float64{"1": *s.Rate},
			CostPerSuccess: ptr(1.72 / float64(s.Passes)), Cost: &verdict.CostView{KnownTrials: 114, Trials: 114,
				TotalUSD: 1.72},
		}
	}
	return r
}

func sampleMetrics() *compare.Result {
	r := comparison(verdict.Inconclusive, side("retail-gemini-3-flash-base.jsonl.gz", 89, 110, 0.7256, 0.8715),
		side("retail-gemini-3-flash-harness.jsonl.gz", 88, 113, 0.6939, 0.8453),
		verdict.Reason{Code: verdict.CodeErrorsMatter,
			Text: "5 errors could change the verdict: it is pass without them, and inconclusive if the baseline's were passes " +
				"and the candidate's failures; run those trials again"},
		verdict.Reason{Code: compare.CodeNotWorseByDelta,
			Text: "a drop of 0.1 or more is excluded: non-inferiority p = 0.075, at most beta 0.1"})
	r.Baseline.Errors, r.Candidate.Errors = 4, 1
	r.DecidedBy = stats.McNemarTest
	r.Difference = compare.Difference{Value: ptr(-3.0 / 109), Method: "tango", Level: 0.95, Low: -0.1193, High: 0.0634}
	r.Pairs = &compare.FlipTable{Pairs: 109, BothPass: 74, Regressed: 14, Fixed: 11, BothFail: 10, WithErrors: 5,
		Flips: append(
			flips("fail", 1, 4, 9, 12, 20, 27, 33, 36, 48, 52, 69, 74, 90, 101), flips("pass", 3, 7, 18, 21, 40, 44, 58, 63,
				70, 85, 99)...)}
	r.Tests = compare.Tests{
		Rates:          append(independentTests(0.302, 0.3456, 0.561, 0.2874), mcnemar(0.345, 0.69, 0.2786)),
		NonInferiority: &compare.PValue{P: 0.0751},
	}
	r.Effect = compare.Effect{CohensH: ptr(0.0747), Magnitude: "negligible", OddsRatio: ptr(0.8306)}
	r.Power = &compare.Power{AtDelta: 0.704, MDE: ptr(0.1345)}
	r.Bayes = compare.Bayes{Probability: ptr(0.1077)}
	r.Metrics = []compare.Metric{
		metric(recording.CostMetric, summary(114, 114, 0.015263, 0.01411), summary(114, 114, 0.065175, 0.05912), 0.04412,
			0.05613, 0),
		metric(recording.TokensMetric, summary(106, 114, 51234, 48800), summary(112, 114, 151234, 140100), 88001,
			112345.6, 1e-22),
		metric(recording.TurnsMetric, summary(114, 114, 13.1, 12), summary(114, 114, 29.44, 28), 14.2, 18.6, 3e-20),
		metric(recording.ToolCallsMetric, summary(114, 114, 7.6, 7), summary(114, 114, 21.9, 20), 12.6, 16.1, 1e-25),
		metric(recording.ToolErrorsMetric, summary(114, 114, 0.0526, 0), summary(114, 114, 0.0614, 0), -0.05, 0.07, 0.8123),
		metric(recording.DurationMetric, summary(114, 114, 81.3, 77.2), summary(114, 114, 123.9, 119), 30.1, 55.2, 0.00021),
	}
	r.Metrics[4].Difference.Ratio = nil
	r.Warnings = []verdict.Warning{
		{Code: verdict.WarnErrors,
			Text: "5 trials, 4 of the baseline and 1 of the candidate, ended in an error: Pass or Fail is said only where it " +
				"holds whether they would have passed or failed"},
		{Code: compare.WarnMetricsChanged, Text: "changed: cost_usd 0.0153 -> 0.0652"},
	}
	for i, s := range []*compare.Side{&r.Baseline, &r.Candidate} {
		total := []float64{1.74, 7.43}[i]
		s.Reliability = &verdict.Reliability{
			PassHatK: map[string]float64{"1": *s.Rate}, PassAtK: map[string]float64{"1": *s.Rate},
			CostPerSuccess: ptr(total / float64(s.Passes)), Cost: &verdict.CostView{KnownTrials: 114, Trials: 114,
				TotalUSD: total},
		}
	}
	return r
}

func sampleScenarios() *compare.Result {
	r := comparison(verdict.Fail, side("gpt-4o", 84, 200, 0.3537, 0.4893), side("sonnet", 69, 200, 0.2827, 0.4132),
		verdict.Reason{Code: verdict.CodeScenariosFail,
			Text: `1 scenario is worse, corrected for the number of scenarios: "airline-9"`})
	r.By = verdict.ByScenario
	r.Difference = compare.Difference{Value: ptr(-0.075), Method: "miettinen-nurminen", Level: 0.95, Low: -0.1694,
		High: 0.0206, NewScenarios: &verdict.Interval{Method: "bounded-mean", Level: 0.95, Low: -0.1664, High: 0.0164}}
	r.Tests = compare.Tests{
		Rates:          independentTests(0.0632, 0.0745, 1.5436, 0.0613),
		NonInferiority: &compare.PValue{P: 0.301},
	}
	r.Effect = compare.Effect{CohensH: ptr(0.1547), Magnitude: "negligible",
		OddsRatioReason: "no failure in the candidate"}
	r.Power = &compare.Power{AtDelta: 0.6573}
	r.Bayes = compare.Bayes{Probability: ptr(0.2997)}
	for i := range 12 {
		s := compare.Scenario{
			Name: fmt.Sprintf("airline-%d", i), Baseline: compare.PassCounts{Passes: 16 - i, Trials: 16},
			Candidate: compare.PassCounts{Passes: 15 - i/2, Trials: 17},
			P:         0.9 - 0.05*float64(i), PHolm: 1, PBH: 0.9,
		}
		if i == 9 {
			s.Baseline.Passes, s.Candidate.Passes, s.Candidate.Errors = 16, 1, 1
			s.Verdict, s.P, s.PHolm, s.PBH = verdict.Fail, 1.2e-8, 1.44e-7, 1.44e-7
		}
		r.Scenarios = append(r.Scenarios, s)
	}
	r.Candidate.Errors = 1
	r.Warnings = []verdict.Warning{{Code: "scenario-mix-differs",
		Text: "the two sides tried the scenarios in different proportions; the pooled rates mix that with the systems' own " +
			"difference, the stratified tests do not"}}
	r.Baseline.Reliability = &verdict.Reliability{
		PassHatK: map[string]float64{"1": 0.42, "2": 0.2733, "3": 0.22, "4": 0.2}, PassAtK: map[string]float64{"1": 0.42,
			"2": 0.5667, "3": 0.66, "4": 0.72}}
	r.Candidate.Reliability = &verdict.Reliability{
		PassHatK: map[string]float64{"1": 0.345, "2": 0.2233, "3": 0.17}, PassAtK: map[string]float64{"1": 0.345,
			"2": 0.4667, "3": 0.55},
		Cost: &verdict.CostView{KnownTrials: 150, Trials: 201, TotalUSD: 1234.5}}
	return r
}

func sampleUndecided() *compare.Result {
	r := comparison(verdict.Inconclusive, side("baseline", 10, 10, 0.7225, 1), side("candidate", 8, 10, 0.4902, 0.9433),
		verdict.Reason{Code: compare.CodeUndecided,
			Text: "neither is shown: worse (boschloo p = 0.13, alpha 0.05) or not worse by 0.1 (non-inferiority p = 0.78, " +
				"beta 0.1)"})
	r.Difference = compare.Difference{Value: ptr(-0.2), Method: "miettinen-nurminen", Level: 0.95, Low: -0.5098,
		High: 0.1055}
	r.Tests = compare.Tests{
		Rates:          independentTests(0.1316, 0.2368, 1.4907, 0.068),
		NonInferiority: &compare.PValue{P: 0.7791},
	}
	r.Effect = compare.Effect{CohensH: ptr(0.9273), Magnitude: "large", OddsRatioReason: "the baseline never fails"}
	r.Power = &compare.Power{AtDelta: 0.0702, MDE: ptr(0.5414)}
	r.Bayes = compare.Bayes{Probability: ptr(0.6789)}
	r.MoreTrials = &compare.MorePairs{Baseline: 27, Candidate: 28, Chance: 0.8112}
	return r
}

func sampleComparedNames() *compare.Result {
	r := samplePaired()
	r.Baseline.Name, r.Candidate.Name = longNames[2], longNames[3]
	r.Reasons[0].Text += ": " + longNames[4]
	r.Scenarios = []compare.Scenario{}
	r.Pairs.Flips, r.Pairs.UnpairedCandidate = []compare.Flip{}, 3
	for i, name := range longNames {
		r.Scenarios = append(r.Scenarios, compare.Scenario{
			Name: name, Baseline: compare.PassCounts{Passes: 3, Trials: 4}, Candidate: compare.PassCounts{Passes: 2, Trials: 4},
			P: 0.5, PHolm: 1, PBH: 0.75,
		})
		r.Pairs.Flips = append(r.Pairs.Flips, compare.Flip{Scenario: name, Trial: ptr(i), To: "fail"},
			compare.Flip{Scenario: name, To: "pass"})
	}
	r.Warnings = []verdict.Warning{{Code: verdict.WarnCostPartlyKnown,
		Text: longNames[3] + ": the cost of 3 of 4 trials is known"}}
	return r
}

// independentTests are the tests of independent sides.
func independentTests(boschloo, fisher, z, zP float64) []compare.TestOfRates {
	return []compare.TestOfRates{
		{Test: stats.BoschlooTest, TestResult: stats.TestResult{P: boschloo}},
		{Test: stats.FisherTest, TestResult: stats.TestResult{P: fisher}},
		{Test: stats.ZTest, TestResult: stats.TestResult{P: zP, Figures: []stats.Figure{{Name: "z", Value: z}}}},
	}
}

func mcnemar(p, twoSided, midP float64) compare.TestOfRates {
	return compare.TestOfRates{Test: stats.McNemarTest, TestResult: stats.TestResult{P: p, Figures: []stats.Figure{
		{Name: "p_two_sided", Value: twoSided},
		{Name: "mid_p", Value: midP},
	}}}
}

// sampleExamples is a comparison of trials that are no pairs, with a trial of each side of a scenario that fell.
func sampleExamples() *compare.Result {
	r := sampleScenarios()
	r.Metrics = sampleMetrics().Metrics
	before, after := stepsOfBoth()
	r.Examples = []compare.Flip{{Scenario: "airline-9", Trial: ptr(0), CandidateTrial: ptr(3), To: "fail",
		BaselineOutput: "It is done.", CandidateOutput: repeated("it cannot be done ", 20), BaselineSteps: before,
		CandidateSteps: after}}
	return r
}
