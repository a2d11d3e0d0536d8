package report

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// Designs that a formula gives: no search can change them.

func usualHypotheses() sprt.Hypotheses {
	return sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func planOf(o plan.Options) *plan.Plan {
	return must(plan.Test(context.Background(), o))
}

// waldPlan is Wald's test, the same for every caller and not to be changed.
var waldPlan = sync.OnceValue(func() *plan.Plan {
	return planOf(plan.Options{Hypotheses: usualHypotheses(), MaxTrials: 152, Kind: sprt.WaldKind, PriceUSD: ptr(0.12),
		Seconds: ptr(40.0)})
})

func samplePricedPlan() *plan.Plan {
	p := *waldPlan()
	return &p
}

// A small plan of 0.9 against 0.6 whose errors were computed by hand. The pass
// boundary counts passes there: n less the passes are the failures here.
var smallFails = []int{-1, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12}
var smallPasses = []int{2, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12, 12, 13, 13}

func smallBoundaries() design.Boundaries {
	b := design.Boundaries{}
	for i := range smallFails {
		n := i + 1
		b.PassAtOrBelow = append(b.PassAtOrBelow, max(n-smallPasses[i], -1))
		var fail *int
		if smallFails[i] >= 0 {
			fail = ptr(n - smallFails[i])
		}
		b.FailAtOrAbove = append(b.FailAtOrAbove, fail)
	}
	return b
}

func sampleSmallPlan() *plan.Plan {
	wald := *planOf(plan.Options{Hypotheses: sprt.Hypotheses{Threshold: 0.9, Delta: 0.3, Alpha: 0.1, Beta: 0.1},
		MaxTrials: 16, Kind: sprt.WaldKind})
	p := wald
	p.Prior = "stable"
	p.Wald, p.Warnings = &wald.Design, []verdict.Warning{}
	p.Floors.OptimalObjective = 5.8321
	p.Design = plan.DesignPlan{
		Kind: "optimal", MaxTrials: 16, Group: 1, Alpha: 0.097151374651, Beta: 0.097381800641, Gates: true, Certified: true,
		Objective: ptr(5.8864), Gap: ptr(0.00931), Boundaries: smallBoundaries(),
		Digest: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		Points: []design.Point{
			{P: 1, Pass: 1, ASN: 6, Q95: 6},
			{P: 0.95, Pass: 0.98, Fail: 0.02, ASN: 7.1, Q95: 12},
			{P: 0.9, Pass: 1 - 0.097151374651, Fail: 0.097151374651, ASN: 8.224437908126, Q95: 16},
			{P: 0.75, Pass: 0.4449999, Fail: 0.5550001, ASN: 9.04, Q95: 16},
			{P: 0.6, Pass: 0.097381800641, Fail: 1 - 0.097381800641, ASN: 6.121471619564, Q95: 14},
			{P: 0.3, Pass: 0.00003, Fail: 0.99997, ASN: 3.1, Q95: 6},
		},
	}
	return &p
}

// sampleGroups looks after every third trial.
func sampleGroups() *plan.Plan {
	p := sampleSmallPlan()
	p.Design.Group, p.Design.Certified, p.Prior = 3, false, "196 of 200 of main.jsonl"
	p.Design.Points[3].Inconclusive = 0.123
	for i := range p.Design.Boundaries.PassAtOrBelow {
		if n := i + 1; n%3 != 0 && n != 16 {
			p.Design.Boundaries.PassAtOrBelow[i], p.Design.Boundaries.FailAtOrAbove[i] = -1, nil
		}
	}
	p.Fixed = nil
	p.Variation = intraclass.Of([]intraclass.Group{
		{Passes: 48, Trials: 50, Scenarios: 2}, {Passes: 50, Trials: 50, Scenarios: 2},
	}, verdict.DefaultAlpha, 1)
	p.Warnings = []verdict.Warning{{Code: "may-end-inconclusive",
		Text: "at a pass rate of 0.75 the test uses up its 16 trials undecided with probability 12.3%"}}
	return p
}

func sampleBaselinePlan() *plan.Plan {
	b := must(sprt.FromBaseline(stats.Counts{Passes: 196, Trials: 200}, 0.1, 0.05, 0.1, 0.05))
	return planOf(plan.Options{Hypotheses: b.Hypotheses, Baseline: &b, Delta: 0.1, Gamma: 0.05, MaxTrials: 278,
		Kind: sprt.WaldKind, PriceUSD: ptr(1.5)})
}

func sampleExceedingPlan() *plan.Plan {
	return planOf(plan.Options{Hypotheses: usualHypotheses(), MaxTrials: 152, Kind: sprt.DensityRatioKind,
		History: stats.Counts{Passes: 19, Trials: 20}, Prior: "19 of 20"})
}

func planSamples() map[string]*plan.Plan {
	return map[string]*plan.Plan{
		"plan-small":    sampleSmallPlan(),
		"plan-prices":   samplePricedPlan(),
		"plan-groups":   sampleGroups(),
		"plan-baseline": sampleBaselinePlan(),
		"plan-exceeds":  sampleExceedingPlan(),
	}
}

func planRenders() map[string]render {
	all := map[string]render{}
	for name, p := range planSamples() {
		all[name] = func(w io.Writer, o Options) error { return Write(w, p, TextFormat, o) }
	}
	charts := map[string]*plan.Plan{"plan-chart-wald": samplePricedPlan(), "plan-chart-small": sampleSmallPlan(),
		"plan-chart-groups": sampleGroups()}
	for name, p := range charts {
		all[name] = func(w io.Writer, o Options) error { return planChart(w, p, o) }
	}
	compared := map[string]*plan.Plan{"plan-compare-small": sampleSmallPlan(), "plan-compare-wald": samplePricedPlan(),
		"plan-compare-exceeds": sampleExceedingPlan()}
	for name, p := range compared {
		all[name] = func(w io.Writer, o Options) error { return planCompare(w, p, o) }
	}
	return all
}

// recorded is a recording of passes (p), failures (f) and errors (e), each of which
// cost 25 cents and took 40 seconds.
func recorded(outcomes string) *recording.Recording {
	r := &recording.Recording{}
	for i := range len(outcomes) {
		r.Add(&trial.Trial{
			Scenario: "a", Outcome: map[byte]trial.Outcome{'p': trial.Pass, 'f': trial.Fail, 'e': trial.Error}[outcomes[i]],
			CostUSD: trial.Some(0.25), DurationSeconds: trial.Some(40.0),
		})
	}
	return r
}

func sequentialResult(outcomes string, o sequential.Options) *sequential.Result {
	if o.Design.Boundaries.MaxTrials() == 0 {
		o.Design = must(sprt.Wald(usualHypotheses(), 152))
	}
	return must(sequential.Judge(context.Background(), recorded(outcomes), o))
}

func sequentialSamples() map[string]*sequential.Result {
	passes := func(n int) string { return strings.Repeat("p", n) }
	mixed := strings.Repeat("pppppppfpppppf", 12)
	short := sequential.Options{Design: must(sprt.Wald(usualHypotheses(), 30))}
	return map[string]*sequential.Result{
		"sequential-pass":    sequentialResult(passes(60), sequential.Options{}),
		"sequential-fail":    sequentialResult("ppfpppfffpppfpfpfffppfpppffffpp"+passes(80), sequential.Options{}),
		"sequential-shuffle": sequentialResult(mixed, sequential.Options{Order: sequential.ShuffleOrder}),
		"sequential-used-up": sequentialResult(mixed, short),
		"sequential-errors":  sequentialResult("ppepp"+passes(16), sequential.Options{}),
		"sequential-ends":    sequentialResult(passes(12), sequential.Options{}),
		"sequential-nothing": sequentialResult("", sequential.Options{}),
		"sequential-last":    sequentialResult(passes(20), sequential.Options{}),
	}
}

func sequentialRenders() map[string]render {
	all := map[string]render{}
	for name, r := range sequentialSamples() {
		all[name] = func(w io.Writer, o Options) error { return Write(w, r, TextFormat, o) }
	}
	return all
}
