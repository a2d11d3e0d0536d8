package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
)

func ptr[T any](x T) *T { return &x }

func wilson(low, high float64) *verdict.Interval {
	return &verdict.Interval{Method: "wilson", Level: 0.95, Low: low, High: high}
}

func reasons(code verdict.Code, text string) []verdict.Reason {
	return []verdict.Reason{{Code: code, Text: text}}
}

// rateVerdict is a verdict on a rate with the reason that goes with it.
func rateVerdict(name string, passes, trials int, i *verdict.Interval, threshold float64) verdict.RateVerdict {
	v := verdict.RateVerdict{Name: name, Passes: passes, Trials: trials, Interval: i,
		Rate: ptr(float64(passes) / float64(trials))}
	limits := fmt.Sprintf("the 95%% interval [%.4f, %.4f]", i.Low, i.High)
	switch {
	case i.Low >= threshold:
		v.Verdict = verdict.Pass
		v.Reasons = reasons(verdict.CodeAboveThreshold,
			fmt.Sprintf("%s lies at or above the threshold %v", limits, threshold))
	case i.High < threshold:
		v.Verdict = verdict.Fail
		v.Reasons = reasons(verdict.CodeBelowThreshold, fmt.Sprintf("%s lies below the threshold %v", limits, threshold))
	default:
		v.Reasons = reasons(verdict.CodeStraddlesThreshold, fmt.Sprintf("%s holds the threshold %v", limits, threshold))
	}
	return v
}

func thresholdResult(threshold float64, scenarios ...verdict.RateVerdict) *verdict.ThresholdResult {
	r := &verdict.ThresholdResult{
		Schema: verdict.ThresholdSchema, Alpha: 0.05, Threshold: threshold,
		Warnings: []verdict.Warning{}, Scenarios: scenarios,
		Reliability: &verdict.Reliability{PassHatK: map[string]float64{}, PassAtK: map[string]float64{}},
	}
	if len(scenarios) == 1 {
		r.Verdict, r.Reasons = scenarios[0].Verdict, scenarios[0].Reasons
	}
	r.ExitCode = r.Verdict.ExitCode()
	return r
}

// Wilson intervals of k passes in 4 trials, as SciPy's binomtest gives them.
var ofFour = [...][2]float64{{0, 0.4899}, {0.0456, 0.6994}, {0.15, 0.85}, {0.3006, 0.9544}, {0.5101, 1}}

func thresholdSamples() map[string]*verdict.ThresholdResult {
	return map[string]*verdict.ThresholdResult{
		"threshold-inconclusive": sampleInconclusive(),
		"threshold-pass":         samplePass(),
		"threshold-suite-fails":  sampleSuite(),
		"threshold-errors":       sampleErrors(),
		"threshold-by-scenario":  sampleByScenario(),
		"threshold-names":        sampleNames(),
		"threshold-all-errors":   sampleAllErrors(),
		"threshold-nothing": {
			Schema: verdict.ThresholdSchema, ExitCode: 2, Alpha: 0.05, Threshold: 0.9,
			Reasons: reasons(verdict.CodeNoTrials, "there are no trials"), Warnings: []verdict.Warning{},
			Scenarios:   []verdict.RateVerdict{},
			Reliability: &verdict.Reliability{PassHatK: map[string]float64{}, PassAtK: map[string]float64{}},
		},
	}
}

func sampleInconclusive() *verdict.ThresholdResult {
	v := rateVerdict("all", 45, 50, wilson(0.7864, 0.9565), 0.85)
	v.Risk = &verdict.Risk{FalsePass: 0.0142, FalseFail: 0.0301}
	v.MoreTrials = &verdict.MoreTrials{Trials: 341, Chance: 0.8043}
	return thresholdResult(0.85, v)
}

func samplePass() *verdict.ThresholdResult {
	v := rateVerdict("refund", 9986, 10000, wilson(0.997652, 0.999166), 0.995)
	v.Risk = &verdict.Risk{FalsePass: 0.0267, FalseFail: 0.00003}
	r := thresholdResult(0.995, v)
	r.Reliability = &verdict.Reliability{
		PassHatK: map[string]float64{}, PassAtK: map[string]float64{},
		CostPerSuccess: ptr(0.00123), Cost: &verdict.CostView{KnownTrials: 10000, Trials: 10000, TotalUSD: 12.2828},
	}
	for k := 1; k <= 10; k++ {
		r.Reliability.PassHatK[fmt.Sprint(k)] = 1 - 0.0014*float64(k)
		r.Reliability.PassAtK[fmt.Sprint(k)] = 1
	}
	return r
}

func sampleSuite() *verdict.ThresholdResult {
	var scenarios []verdict.RateVerdict
	for i := range 50 {
		k := []int{0, 2, 4, 1, 0, 3, 4, 0, 1, 2}[i%10]
		scenarios = append(scenarios, rateVerdict(fmt.Sprintf("airline-%d", i), k, 4, wilson(ofFour[k][0], ofFour[k][1]),
			0.5))
	}
	suite := rateVerdict("suite", 84, 200, wilson(0.3537, 0.4893), 0.5)
	suite.Risk = &verdict.Risk{FalsePass: 0.0284, FalseFail: 0.0284}
	suite.Scope = &verdict.Scope{Scenarios: 50, ThisSuite: wilson(0.3768, 0.4632), NewScenarios: wilson(0.3125, 0.5275)}
	r := thresholdResult(0.5, scenarios...)
	r.Suite, r.Verdict, r.Reasons, r.ExitCode = &suite, suite.Verdict, suite.Reasons, 1
	r.Reliability.PassHatK = map[string]float64{"1": 0.42, "2": 0.2733, "3": 0.22, "4": 0.2}
	r.Reliability.PassAtK = map[string]float64{"1": 0.42, "2": 0.5667, "3": 0.66, "4": 0.72}
	r.Warnings = []verdict.Warning{{Code: "scenarios-below-threshold",
		Text: `15 scenarios are below the 90% you require by themselves: "airline-0", "airline-4", "airline-7", "airline-10", "airline-14" and 10 more`}}
	return r
}

func sampleErrors() *verdict.ThresholdResult {
	a := rateVerdict("lookup", 38, 38, wilson(0.9082, 1), 0.9)
	a.Errors = 1
	b := rateVerdict("cancel", 36, 37, wilson(0.8618, 0.9952), 0.9)
	b.Errors = 3
	suite := rateVerdict("suite", 74, 75, wilson(0.9283, 0.9976), 0.9)
	suite.Errors = 4
	suite.Risk = &verdict.Risk{FalsePass: 0.0241, FalseFail: 0.0407}
	suite.Verdict = verdict.Inconclusive
	suite.Reasons = reasons(verdict.CodeErrorsMatter,
		"4 errors could change the verdict: it is pass without them, and another if they were all passes or all failures")
	suite.Scope = &verdict.Scope{Scenarios: 2, ThisSuite: wilson(0.9607, 1)}
	r := thresholdResult(0.9, a, b)
	r.Suite, r.Verdict, r.Reasons, r.ExitCode = &suite, suite.Verdict, suite.Reasons, 2
	r.Warnings = []verdict.Warning{
		{Code: "few-scenarios",
			Text: "with 2 scenarios little can be said of new scenarios like these; even 10 leave an interval of about 30 " +
				"points"},
		{Code: verdict.WarnErrors,
			Text: "4 trials ended in an error: Pass or Fail is said only where it holds whether they would have passed or " +
				"failed"},
		{Code: verdict.WarnCostPartlyKnown,
			Text: "the cost of 71 of 79 trials is known; cost per success is taken over these alone"},
	}
	r.Reliability.CostPerSuccess = ptr(1.25)
	r.Reliability.Cost = &verdict.CostView{KnownTrials: 71, Trials: 79, TotalUSD: 86.2501}
	return r
}

func sampleByScenario() *verdict.ThresholdResult {
	few := rateVerdict("too few", 4, 4, wilson(0.5101, 1), 0.9)
	few.Reasons = append(few.Reasons, verdict.Reason{Code: verdict.CodePassUnreachable,
		Text: "no outcome of 4 trials could pass: it takes at least 35, all passing"})
	few.MoreTrials = &verdict.MoreTrials{Trials: 31, Chance: 1}
	chance := rateVerdict("maybe chance", 40, 50, wilson(0.6696, 0.8876), 0.9)
	chance.Verdict = verdict.Inconclusive
	chance.Reasons = reasons(verdict.CodeCorrected,
		"its own interval lies below the threshold, but among 5 scenarios that happens by chance too often (Holm-adjusted "+
			"level 0.11, alpha 0.05)")
	chance.MoreTrials = &verdict.MoreTrials{Trials: 25, Chance: 0.81}
	r := thresholdResult(0.9,
		rateVerdict("good", 400, 400, wilson(0.9905, 1), 0.9), few, chance,
		rateVerdict("bad", 60, 100, wilson(0.502, 0.6906), 0.9),
		verdict.RateVerdict{Name: "unknown", Errors: 7,
			Reasons: reasons(verdict.CodeNoTrials, "all 7 trials ended in an error, so nothing is known of the pass rate")},
	)
	suite := rateVerdict("suite", 504, 554, wilson(0.8831, 0.9309), 0.9)
	suite.Errors = 7
	r.By, r.Suite, r.Verdict, r.ExitCode = verdict.ByScenario, &suite, verdict.Fail, 1
	r.Reasons = []verdict.Reason{
		{Code: verdict.CodeScenariosFail, Text: `1 scenario is below the threshold after Holm's correction: "bad"`},
		{Code: verdict.CodeScenariosOpen, Text: `3 scenarios are undecided: "too few", "maybe chance", "unknown"`},
	}
	return r
}

// longNames are wide, long, hostile and empty.
var longNames = []string{
	"航空券のキャンセルと払い戻しの手続きに関するシナリオ",
	"tests/agents/test_support.py::TestRefunds::test_partial_refund_with_two_payment_methods[card+voucher]",
	strings.Repeat("1234567890", 1000),
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 tab\there\nnew line \u202egnp.exe \u200b\xff\xc3(",
	"::error file=a.go::not ours",
	"##[group]x ##vso[task.setvariable variable=a]b",
	"👩‍💻 ❤️ 🇩🇪 e\u0301" + strings.Repeat("\u0301", 40),
	"",
	"a b   c",
}

func sampleNames() *verdict.ThresholdResult {
	var scenarios []verdict.RateVerdict
	for i, name := range longNames {
		scenarios = append(scenarios, rateVerdict(name, i%5, 4, wilson(ofFour[i%5][0], ofFour[i%5][1]), 0.5))
	}
	r := thresholdResult(0.5, scenarios...)
	suite := rateVerdict("suite", 16, 36, wilson(0.2955, 0.6043), 0.5)
	r.Suite, r.Verdict, r.ExitCode = &suite, verdict.Inconclusive, 2
	r.Reasons = append(suite.Reasons, verdict.Reason{Code: verdict.CodeScenariosOpen,
		Text: fmt.Sprintf("scenarios are undecided: %q, %s", longNames[:4], longNames[2])})
	r.Warnings = []verdict.Warning{{Code: "scenarios-below-threshold",
		Text: "1 scenario is below the 90% you require by itself: " + strings.Join(longNames, ", ")}}
	return r
}

func sampleAllErrors() *verdict.ThresholdResult {
	v := verdict.RateVerdict{Name: "refund", Errors: 12,
		Reasons: reasons(verdict.CodeNoTrials, "all 12 trials ended in an error, so nothing is known of the pass rate")}
	r := thresholdResult(0.9, v)
	r.Warnings = []verdict.Warning{{Code: verdict.WarnErrors,
		Text: "12 trials ended in an error: Pass or Fail is said only where it holds whether they would have passed or " +
			"failed"}}
	r.Reliability.Cost = &verdict.CostView{KnownTrials: 12, Trials: 12, TotalUSD: 0.0433}
	return r
}
