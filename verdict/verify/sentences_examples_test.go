package verify

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/sprt/betting"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	sums "github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/stats/twophase"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/history"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// names of scenarios that read as such.
var exampleNames = []string{"refund", "cancel", "parcel-late", "greeting"}

// outcomeOf is that of a mark: P, F, and E for an error.
func outcomeOf(mark rune) trial.Outcome {
	return map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[mark]
}

// ratesSaid are those of recorded trials against a threshold.
func ratesSaid(t *testing.T, s *sentenceList) {
	judged := func(o verdict.ThresholdOptions, tallies ...verdict.Tally) *verdict.ThresholdResult {
		if o.Threshold = 0.9; len(tallies) == 0 {
			tallies = []verdict.Tally{}
		}
		for i := range tallies {
			tallies[i].Scenario = exampleNames[i]
		}
		r, err := verdict.JudgeThreshold(t.Context(), tallies, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	tell := func(o verdict.ThresholdOptions, tallies ...verdict.Tally) { s.result("verdict", judged(o, tallies...)) }
	good, poor, few := verdict.Tally{Passes: 195, Fails: 5}, verdict.Tally{Passes: 160, Fails: 40},
		verdict.Tally{Passes: 27, Fails: 3}
	var plain verdict.ThresholdOptions
	each := verdict.ThresholdOptions{By: verdict.ByScenario}
	tell(plain)
	tell(plain, good)
	tell(plain, poor)
	tell(plain, few)
	tell(plain, verdict.Tally{Passes: 10})
	tell(plain, verdict.Tally{Errors: 12})
	tell(plain, verdict.Tally{Passes: 190, Fails: 4, Errors: 1})
	tell(plain, verdict.Tally{Passes: 190, Fails: 4, Errors: 12})
	for _, policy := range []verdict.ErrorPolicy{verdict.ExcludeErrors, verdict.FailErrors} {
		tell(verdict.ThresholdOptions{Errors: policy}, verdict.Tally{Passes: 190, Fails: 4, Errors: 2})
	}
	tell(plain, good, good, poor)
	tell(each, good, poor)
	tell(each, good, few)
	tell(each, good, good)
	tell(each, verdict.Tally{Passes: 11, Fails: 4}, verdict.Tally{Passes: 27, Fails: 3},
		verdict.Tally{Passes: 28, Fails: 2})
	tell(each, verdict.Tally{Passes: 25, Fails: 5}, verdict.Tally{Passes: 25, Fails: 5},
		verdict.Tally{Passes: 25, Fails: 5})
	tell(each, verdict.Tally{Passes: 31, Fails: 9}, good, good, good)
	tell(plain, verdict.Tally{Fails: 1})
	known := verdict.Tally{Passes: 195, Fails: 5, Cost: verdict.Cost{Trials: 200, Known: 150, Passes: 148, TotalUSD: 3}}
	tell(plain, known)
	known.Cost.Estimated, known.Cost.AtMost = 120, 40
	tell(plain, known)
	anytime := verdict.ThresholdOptions{Anytime: true}
	tell(anytime, good, few)
	r := judged(plain, few)
	r.Look([]verdict.Look{{Verdict: verdict.Inconclusive, FalsePass: .05, FalseFail: .05}}, 0)
	s.result("verdict", r)
	for _, threshold := range []float64{0.5, 0.9, 0.99} {
		labels := verdict.LabelSample{Sample: twophase.Sample{
			Judged: 200, Passed: 180, OfPassed: stats.Counts{Passes: 24, Trials: 24}, OfFailed: stats.Counts{Passes: 1,
				Trials: 6},
		}}
		r, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{{Scenario: "refund", Passes: 180, Fails: 20}},
			verdict.ThresholdOptions{Threshold: threshold, Labels: &labels})
		if err != nil {
			t.Fatal(err)
		}
		s.result("verdict", r)
	}
}

// exampleRun judges a run whose tests have the marks.
func exampleRun(t *testing.T, d sprt.Design, change func(*runs.Evidence), marks ...string) *runs.Result {
	t.Helper()
	e := runs.Evidence{Suite: "shop", Digest: "sha256:1", Finished: "2026-11-20T00:00:00Z"}
	for i, text := range marks {
		test := runs.TestEvidence{Name: exampleNames[i], Scenarios: []string{exampleNames[i]}, Design: d}
		for k, mark := range text {
			test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: test.Name, Number: k,
				Trial: &trial.Trial{Scenario: test.Name, Outcome: outcomeOf(mark)}})
		}
		e.Tests = append(e.Tests, test)
	}
	return judgedEvidence(t, e, change)
}

func judgedEvidence(t *testing.T, e runs.Evidence, change func(*runs.Evidence)) *runs.Result {
	t.Helper()
	e.StoppedBy, e.Budget = runs.StoppedByBudget, "cost"
	if change != nil {
		change(&e)
	}
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// servedAgain has each answer come so many times.
func servedAgain(times int) func(*runs.Evidence) {
	return func(e *runs.Evidence) {
		for i := range e.Tests[0].Trials {
			text := strings.Repeat("an answer ", 10) + string(rune('a'+i/times))
			e.Tests[0].Trials[i].Trial.Output = trial.RawString(text)
		}
	}
}

// runsSaid are those of runs against thresholds.
func runsSaid(t *testing.T, s *sentenceList) {
	d := sample.Design()
	passes := func(n int) string { return strings.Repeat("P", n) }
	tell := func(d sprt.Design, change func(*runs.Evidence), marks ...string) {
		s.result("run", exampleRun(t, d, change, marks...))
	}
	tell(d, nil, passes(15))
	robbed := exampleRun(t, d, nil, passes(15))
	robbed.LedgerChanged(".tribunal/looks.jsonl")
	s.result("run", robbed)
	tell(d, nil, "FFFF")
	for _, times := range []int{15, 2} {
		tell(d, servedAgain(times), passes(15))
	}
	tell(d, func(e *runs.Evidence) {
		nothing := oracle.Judgement{Outcome: trial.Pass, Results: []oracle.Result{
			{Evaluator: "not-contains", Outcome: trial.Pass}}}
		if err := nothing.Record(e.Tests[0].Trials[3].Trial); err != nil {
			t.Fatal(err)
		}
		e.Tests[0].Trials[4].Process = &journal.Process{ExitCode: 1}
	}, passes(15))
	tell(d, func(e *runs.Evidence) {
		e.Spent.Attempts, e.Spent.Repeated = 20, map[string]int{"refused": 5}
	}, passes(15))
	tell(d, nil, passes(14))
	tell(d, nil, "F"+passes(14))
	tell(d, nil, "")
	tell(d, func(e *runs.Evidence) { e.StoppedBy, e.Budget = runs.StoppedByInterrupt, "" }, "F"+passes(14))
	tell(d, nil, strings.Repeat("E", 152))
	tell(d, nil, passes(15)+"E")
	tell(d, nil, "E"+passes(60))
	// What passes 85% of the time seldom decides.
	tell(d, nil, strings.Repeat("PPPPPPF", 22)[:152])
	for k := 6; k < 12; k++ {
		tell(d, nil, strings.Repeat(passes(k)+"F", 152/(k+1)+1)[:152])
	}
	// One look after four trials: large errors.
	once := sprt.Design{Hypotheses: sample.Hypotheses, Boundaries: sprt.Boundaries{
		PassAtOrBelow: []int{-1, -1, -1, 1}, FailAtOrAbove: []int{sprt.Never, sprt.Never, sprt.Never, 3}}}
	tell(once, nil, "PPFF")
	tell(once, nil, "PFFE")
	record, err := sprt.Recording(20)
	if err != nil {
		t.Fatal(err)
	}
	tell(record, nil, passes(18)+"FF")
	tell(record, nil, passes(18)+"FE")
	tell(record, nil, passes(20), passes(19)+"F")
	// Of several.
	holm := multiplicity.Holm
	corrected := func(e *runs.Evidence) { e.Correction = &holm }
	tell(d, nil)
	tell(d, nil, passes(15), passes(15))
	tell(d, nil, passes(15), passes(15), passes(15))
	tell(d, nil, passes(15), "FFFF")
	tell(d, nil, "FFFF", "FFFF", passes(15))
	tell(d, corrected, passes(15), "FFFF")
	tell(d, nil, passes(15), passes(14))
	tell(d, corrected, passes(15), passes(15), passes(15), strings.Repeat("PPPF", 38))
	// Set aside, new and gone.
	aside := func(which ...int) func(*runs.Evidence) {
		return func(e *runs.Evidence) {
			for _, i := range which {
				e.Tests[i].Quarantined = true
			}
		}
	}
	tell(d, aside(1), passes(15), "PFFFF")
	tell(d, aside(1), passes(15), "PFFFF", passes(15))
	tell(d, aside(0, 1), "FFFF", passes(14))
	tell(d, aside(0), passes(15), passes(15))
	tell(d, func(e *runs.Evidence) {
		e.Gone, e.Added = []string{"greeting"}, []string{"refund"}
	}, passes(15))
	tell(d, func(e *runs.Evidence) {
		e.Gone, e.Missing = []string{"greeting"}, runs.MissingOpen
	}, passes(15))
	tell(d, func(e *runs.Evidence) {
		e.Changed = []string{"agent.py"}
		e.Unconfined = []string{"agent.confine: writes: the kernel has no Landlock, or it is not enabled: function not " +
			"implemented; Linux 6.2 and later have what is needed"}
		e.Spent.Lost = 1
		e.Selection = &runs.Selection{Only: []string{"ref*"}, LeftOut: []string{"cancel", "greeting"}}
	}, passes(15))
	tell(d, func(e *runs.Evidence) {
		e.Spent.Lost = 3
		for i := range e.Tests[0].Trials {
			e.Tests[0].Trials[i].CostUSD = trial.Optional[float64]{Value: 0.5, Known: i < 9}
			j := oracle.Judgement{Outcome: trial.Pass,
				Limits: []oracle.LimitResult{{Name: oracle.CostLimit, Max: 1, Outcome: trial.Error},
					{Name: oracle.TurnLimit, Max: 5, Actual: trial.Some(7.0), Outcome: trial.Fail, Warn: true}}}
			if err := j.Record(e.Tests[0].Trials[i].Trial); err != nil {
				t.Fatal(err)
			}
		}
	}, passes(15))
	// How many trials are recorded.
	calibrated := func(decision *plan.Calibration) {
		tell(d, func(e *runs.Evidence) { e.Calibration = &runs.Calibration{Trials: 10, Decision: decision} }, passes(15))
	}
	calibrated(nil)
	calibrated(&plan.Calibration{Record: 10, Problem: "column output_tokens does not vary among the calibration trials"})
	for i, limit := range []plan.CalibrationLimit{plan.CostLimit, plan.BudgetTrialsLimit, plan.MostTrialsLimit} {
		calibrated(&plan.Calibration{Record: 15, Wanted: []int{52, 52, 0}[i], LimitedBy: limit,
			Plan: &plan.Behaviour{MaxTrials: 2000}})
	}
	calibrated(&plan.Calibration{Record: 52, Wanted: 52})
	r := exampleRun(t, d, nil, passes(15))
	r.Look([]verdict.Look{{Verdict: verdict.Inconclusive, FalsePass: .1, FalseFail: .05, Open: true}}, 0, "agent.py")
	s.result("run", r)
}

// baselinesSaid are those of runs against a baseline.
func baselinesSaid(t *testing.T, s *sentenceList) {
	p, err := smallPlans()
	if err != nil {
		t.Fatal(err)
	}
	recorded := func(errors int) *runs.Against {
		return &runs.Against{Stored: &runs.StoredBaseline{Family: p.stored,
			Outcome: baseline.Outcome{Trials: 12, Failures: 1 - errors},
			Errors:  errors, Source: runs.BaselineSource{File: "main.json"}}}
	}
	// So few trials that some are used up.
	fixed, err := baseline.Fixed(12)
	if err != nil {
		t.Fatal(err)
	}
	one := baseline.Outcome{Trials: 12, Failures: 1}
	short, err := baseline.Against(t.Context(), baseline.Question{Delta: .4, Alpha: .15, Beta: .2, Gamma: .01}, fixed, one,
		baseline.Options{MaxTrials: 8})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := short.Family.Boundaries(one)
	few := &runs.Against{Stored: &runs.StoredBaseline{Family: short.Family, Outcome: one}}
	for _, c := range []struct {
		against *runs.Against
		marks   string
		other   string
	}{
		{recorded(0), strings.Repeat("P", 9), ""}, {recorded(0), "FFFFFFFFF", ""}, {recorded(0), "PF", ""},
		{recorded(0), strings.Repeat("PPF", 20), ""}, {few, between(b), ""}, {recorded(1), strings.Repeat("E", 60), ""},
		{recorded(1), strings.Repeat("P", 12), ""},
		{&runs.Against{Rounds: p.sideBySide}, "PFFFFFPFFP", "PPPPPPPPPP"}, {&runs.Against{Rounds: p.sideBySide}, "PPPP",
			"PPEP"},
		{&runs.Against{Rounds: p.matched}, "PPPPPPPPPPPP", "PPPPPPPPPPPP"}, {&runs.Against{Rounds: p.matched}, "FFFFFFFFFF",
			"PPPPPPPPPP"},
		{&runs.Against{Rounds: p.sideBySide}, strings.Repeat("PPF", 40), strings.Repeat("PPP", 40)},
	} {
		e := runs.Evidence{Suite: "shop", Tests: []runs.TestEvidence{
			marked(t, runs.TestEvidence{Name: exampleNames[0], Against: c.against}, c.marks, c.other)}}
		s.result("run", judgedEvidence(t, e, nil))
	}
	s.result("run", refuted(t, p.sideBySide, .3))
	// Every pair differs, one way and the other in turn, where about a third may.
	pairs, err := baseline.Matched(t.Context(), baseline.MatchedHypotheses{Delta: .3, Alpha: .1, Beta: .1,
		MostDiscordant: .35}, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	half := pairs.Test.MaxRounds()/2 + 1
	s.result("run", judgedEvidence(t, runs.Evidence{Suite: "shop", Tests: []runs.TestEvidence{marked(t,
		runs.TestEvidence{Name: exampleNames[0], Against: &runs.Against{Rounds: pairs.Test}},
		strings.Repeat("FP", half), strings.Repeat("PF", half))}}, nil))
}

// refuted is a run of equal sides, whose rounds refute what its test rests on.
func refuted(t *testing.T, rounds *baseline.Rounds, rate float64) *runs.Result {
	t.Helper()
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 1))
		var sides [2]string
		for i := range 2 * rounds.MaxRounds() {
			mark := "F"
			if random.Float64() < rate {
				mark = "P"
			}
			sides[i%2] += mark
		}
		e := runs.Evidence{Suite: "shop", Tests: []runs.TestEvidence{marked(t,
			runs.TestEvidence{Name: exampleNames[0], Against: &runs.Against{Rounds: rounds}}, sides[0], sides[1])}}
		if r := judgedEvidence(t, e, nil); r.Tests[0].Regression.Refuted() {
			return r
		}
	}
	t.Fatal("no rounds refute the guard")
	return nil
}

// between are marks that reach neither boundary: a failure wherever another pass would pass.
func between(b sprt.Boundaries) (marks string) {
	failures := 0
	for n := range b.MaxTrials() {
		if failures <= b.PassAtOrBelow[n] {
			failures++
			marks += "F"
			continue
		}
		marks += "P"
	}
	return marks
}

// recordOf is a recording of scenarios with the marks.
func recordOf(name string, marks ...string) *recording.Recording {
	r := &recording.Recording{Name: name}
	for i, text := range marks {
		for _, mark := range text {
			r.Add(&trial.Trial{Scenario: exampleNames[i], Outcome: outcomeOf(mark)})
		}
	}
	return r
}

// times repeats passes and failures.
func times(passes, fails int) string { return strings.Repeat("P", passes) + strings.Repeat("F", fails) }

// sequencesSaid are those of recordings that are judged trial by trial.
func sequencesSaid(t *testing.T, s *sentenceList) {
	tell := func(d sprt.Design, marks ...string) {
		r, err := sequential.Judge(t.Context(), recordOf("trials", marks...), sequential.Options{Design: d})
		if err != nil {
			t.Fatal(err)
		}
		s.result("verdict --sequential", r)
	}
	d := sample.Design()
	tell(d, times(15, 0))
	tell(d, "FFFF")
	tell(d, times(14, 0))
	tell(d, "F"+times(14, 0))
	tell(d)
	tell(d, strings.Repeat("PPPPPPF", 30))
	tell(d, "E"+times(20, 0))
	tell(d, "EFFFFFFF")
	tell(d, "FEEEEEE"+times(30, 0))
	tell(sprt.Design{Hypotheses: sample.Hypotheses, Boundaries: sprt.Boundaries{
		PassAtOrBelow: []int{-1, -1, -1, 1}, FailAtOrAbove: []int{sprt.Never, sprt.Never, sprt.Never, 3}}}, "PPFF")
	// The one trial of a scenario comes after the end of the test.
	for _, mark := range "PF" {
		late := recordOf("trials", strings.Repeat(string(mark), 30), string(mark))
		late.Add(&trial.Trial{Scenario: exampleNames[0], Outcome: outcomeOf(mark)})
		r, err := sequential.Judge(t.Context(), late, sequential.Options{Design: d})
		if err != nil {
			t.Fatal(err)
		}
		s.result("verdict --sequential", r)
	}
	p, err := smallPlans()
	if err != nil {
		t.Fatal(err)
	}
	for errors, marks := range []string{times(12, 0), "EFFFFFFFFF"} {
		one, worst := baseline.Outcome{Trials: 12, Failures: 1 - errors}, baseline.Outcome{Trials: 12, Failures: 1}
		r, err := sequential.Judge(t.Context(), recordOf("trials", marks), sequential.Options{
			Against: &sequential.AgainstOptions{Family: p.stored, Source: "main.json",
				Recorded: design.RecordedOf(one, worst, errors)}})
		if err != nil {
			t.Fatal(err)
		}
		s.result("verdict --sequential", r)
	}
}

// comparisonsSaid are those of two recordings.
func comparisonsSaid(t *testing.T, s *sentenceList) {
	judge := func(o compare.Options, before, after *recording.Recording) *compare.Result {
		r, err := compare.Judge(t.Context(), before, after, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	tell := func(o compare.Options, before, after *recording.Recording) {
		s.result("compare", judge(o, before, after))
	}
	one := func(passes, fails int) *recording.Recording { return recordOf("trials", times(passes, fails)) }
	var plain compare.Options
	each := compare.Options{By: verdict.ByScenario}
	z, fisher, boschloo := stats.ZTest, stats.FisherTest, stats.BoschlooTest
	tell(plain, one(93, 7), one(71, 29))
	tell(plain, recordOf("trials", times(60, 0), times(60, 0), times(60, 0)), recordOf("trials", times(60, 0)))
	tell(plain, recordOf("trials", times(60, 0)), recordOf("trials", times(60, 0), times(60, 0)))
	tell(compare.Options{By: verdict.ByScenario, Missing: compare.MissingIgnore}, recordOf("trials", times(5, 0)),
		recordOf("trials", "", times(5, 0)))
	tell(plain, one(93, 7), one(94, 6))
	tell(plain, one(1900, 100), one(1840, 160))
	tell(plain, one(9, 1), one(8, 2))
	tell(plain, one(9, 1), recordOf("trials"))
	tell(plain, one(93, 7), recordOf("trials", times(80, 10)+strings.Repeat("E", 10)))
	tell(plain, recordOf("trials", times(85, 5)+strings.Repeat("E", 10)), one(82, 18))
	tell(compare.Options{Test: &z}, one(93, 7), one(71, 29))
	tell(plain, one(5, 95), one(4, 96))
	counted := func(name string, passes, fails int, steps float64) *recording.Recording {
		r, err := recording.OfGroups(name, []recording.Group{{Scenario: "refund", Passes: passes, Fails: fails,
			Columns: map[string]sums.Moments{"steps": {N: 100, Sum: 100 * steps, Squares: 100 * (steps*steps + 1)}}}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	tell(plain, counted("before", 93, 7, 3), counted("after", 94, 6, 7))
	tell(plain, one(15000, 100), one(15000, 100))
	for _, rule := range []compare.Options{{Rule: compare.PaperRule, Test: &fisher}, {Rule: compare.BayesRule}} {
		for _, after := range []*recording.Recording{one(710, 290), one(900, 100), one(930, 70), one(950, 50)} {
			tell(rule, one(930, 70), after)
		}
		tell(rule, one(9, 1), one(8, 2))
		tell(rule, one(9, 1), recordOf("trials"))
		tell(rule, recordOf("trials", times(90, 10), times(50, 50)), recordOf("trials", times(90, 10), times(50, 50)))
	}
	// Several scenarios.
	both := func(a, b string) *recording.Recording { return recordOf("trials", a, b) }
	same := both(times(90, 10), times(90, 10))
	tell(each, same, both(times(90, 10), times(30, 70)))
	tell(each, same, same)
	tell(each, both(times(9, 1), times(9, 1)), both(times(8, 2), times(9, 1)))
	tell(plain, both(times(900, 100), times(90, 10)), both(times(930, 70), times(55, 45)))
	tell(plain, same, both(times(100, 0), times(60, 40)))
	tell(plain, recordOf("trials", times(400, 0), times(400, 0), times(400, 0), times(80, 0)),
		recordOf("trials", times(400, 0), times(400, 0), times(400, 0), times(60, 20)))
	tell(plain, both(times(90, 10), times(20, 5)), both(times(20, 5), times(90, 10)))
	tell(compare.Options{Test: &boschloo}, both(times(90, 10), times(20, 5)), both(times(20, 5), times(90, 10)))
	tell(compare.Options{Test: &boschloo}, same, same)
	tell(plain, recordOf("trials", times(20, 0)), recordOf("trials", "", times(20, 0)))
	tell(plain, taskTrials("before", 1, true, 8, 7, 8), taskTrials("after", 2, true, 8, 6))
	// A trial of a scenario each, of which the candidate lacks one.
	var before, after recording.Recording
	for i := range 20 {
		x := &trial.Trial{Scenario: string(rune('a' + i)), Outcome: trial.Pass}
		if before.Add(x); i > 0 {
			after.Add(x)
		}
	}
	tell(plain, &before, &after)
	// What trials took.
	spent := func(cost float64) *recording.Recording {
		r := &recording.Recording{Name: "trials"}
		for i := range 40 {
			r.Add(&trial.Trial{Scenario: exampleNames[0], Outcome: trial.Pass,
				CostUSD: trial.Optional[float64]{Value: cost + float64(i%7)/1e3, Known: i > 2}})
		}
		return r
	}
	r := judge(plain, spent(0.02), spent(0.05))
	r.WarnOfSameTrials("trials.jsonl")
	s.result("compare", r)
	for _, most := range []*float64{nil, new(.2), new(1.5), new(1.3)} {
		tell(compare.Options{FailOn: []compare.MetricRise{{Metric: recording.CostMetric, Most: most}}}, spent(0.02),
			spent(0.05))
	}
	tell(compare.Options{FailOn: []compare.MetricRise{{Metric: recording.DurationMetric}}}, spent(0.02), spent(0.02))
	for _, b := range []*behaviour.Comparison{comparedWork(t, 3, 6, 40), comparedWork(t, 3, 3, 200),
		comparedWork(t, 3, 3, 12), comparedWork(t, 0, 0, 0)} {
		r := judge(plain, one(93, 7), one(94, 6))
		r.AddBehaviour(b, true)
		s.result("compare", r)
	}
}

// anytimeSaid are those of two recordings at any time.
func anytimeSaid(t *testing.T, s *sentenceList) {
	for _, c := range [][2]*recording.Recording{
		{recordOf("a", times(200, 0)), recordOf("b", strings.Repeat("PF", 100))},
		{recordOf("a", times(200, 0)), recordOf("b", times(200, 0))},
		{recordOf("a", times(4000, 0)), recordOf("b", strings.Repeat(times(24, 1), 160))},
		{recordOf("a", times(5, 0)), recordOf("b", "PFPFP")},
		{recordOf("a", times(5, 0)), recordOf("b")},
		{recordOf("a", times(20, 0), times(30, 0)), recordOf("b", "E"+times(19, 0), times(24, 1))},
	} {
		r, err := compare.JudgeAnytime(c[0], c[1], compare.AnytimeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s.result("compare --anytime", r)
	}
}

// scoresSaid are those of the mean of scores.
func scoresSaid(t *testing.T, s *sentenceList) {
	scores := []betting.Value{{Value: .5, Times: 10}, {Value: 1, Times: 30}}
	for _, c := range []struct {
		scenarios []mean.Scenario
		o         mean.Options
	}{
		{[]mean.Scenario{{Name: "a", Values: scores}}, mean.Options{Threshold: .7}},
		{[]mean.Scenario{{Name: "a", Values: scores}}, mean.Options{Threshold: .97}},
		{[]mean.Scenario{{Name: "a", Values: scores, Unscored: 1}, {Name: "b", Values: scores}}, mean.Options{Threshold: .87}},
		{[]mean.Scenario{{Name: "a", Values: scores, Unscored: 2}}, mean.Options{Threshold: .7, Errors: verdict.ExcludeErrors}},
		{[]mean.Scenario{{Name: "a", Values: scores, Unscored: 2}}, mean.Options{Threshold: .7, Errors: verdict.FailErrors}},
		{[]mean.Scenario{{Name: "a", Unscored: 2}}, mean.Options{Threshold: .7}},
	} {
		r, err := mean.Judge(c.scenarios, c.o)
		if err != nil {
			t.Fatal(err)
		}
		s.result("verdict --score", r)
	}
}

// proxySaid are those of two targets with a proxy of each, which passes where its target does.
func proxySaid(t *testing.T, s *sentenceList) {
	side := func(marks string) *proxy.MatchedTrials {
		r := &recording.Recording{Name: "a"}
		for i, mark := range marks {
			r.Add(&trial.Trial{Scenario: exampleNames[0], Index: trial.Some(i), Outcome: outcomeOf(mark)})
		}
		m, err := proxy.Match(r, r)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		before, after string
		delta         float64
	}{
		{times(180, 20), times(120, 80), .1}, {times(180, 20), times(180, 20), .3}, {times(180, 20), times(150, 50), .4},
		{times(18, 12), times(17, 13), .1}, {times(9, 1), times(8, 2), .1},
	} {
		r, err := proxy.Judge(t.Context(), side(c.before), side(c.after), proxy.Question{Delta: c.delta, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		s.result("compare --proxy", r)
	}
}

// endsSaid are those of two runs by where their tests ended.
func endsSaid(t *testing.T, s *sentenceList) {
	d, pass := sample.Design(), times(15, 0)
	side := func(marks ...string) compare.EndsSide {
		return compare.EndsOfRun("run.json", exampleRun(t, d, nil, marks...))
	}
	for _, c := range [][2]compare.EndsSide{
		{side(pass, pass), side("FFFF", pass)}, {side(pass), side(pass)}, {side(pass), side("PPP")}, {{}, {}},
		{compare.EndsOfTrials(recordOf("a", times(200, 0))), compare.EndsOfTrials(recordOf("b", times(199, 0)+"E"))},
		{compare.EndsOfTrials(recordOf("a", times(9, 1))), compare.EndsOfTrials(recordOf("b", times(8, 2)))},
	} {
		r, err := compare.JudgeEnds(t.Context(), c[0], c[1], compare.EndsOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s.result("compare of runs", r)
	}
}

// comparedWork compares how an agent works that calls a tool so often with one that calls it so often.
func comparedWork(t *testing.T, before, after, trials int) *behaviour.Comparison {
	t.Helper()
	a, b := sample.Working(trials, before, 1), sample.Working(trials, after, 2)
	if trials == 0 {
		a, b = &fingerprint.Sample{}, &fingerprint.Sample{}
	}
	c, err := behaviour.Compare(t.Context(), a, b, behaviour.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// behaviourSaid are those of two behaviours by themselves.
func behaviourSaid(t *testing.T, s *sentenceList) {
	for _, b := range []*behaviour.Comparison{
		comparedWork(t, 3, 6, 40), comparedWork(t, 3, 3, 200), comparedWork(t, 3, 3, 12), comparedWork(t, 0, 0, 0),
	} {
		s.result("compare fingerprint", behaviour.Judge("baseline.jsonl", "candidate.jsonl", b))
	}
	drawn, err := behaviour.Compare(t.Context(), sample.Working(40, 3, 1), sample.Working(40, 3, 2),
		behaviour.Options{Seed: 1, Drawn: &behaviour.DrawnCounts{Baseline: 20_000, Candidate: 21_000}})
	if err != nil {
		t.Fatal(err)
	}
	s.result("compare", behaviour.Judge("baseline.jsonl", "candidate.jsonl", drawn))
}

// gatesSaid are those of gates.
func gatesSaid(t *testing.T, s *sentenceList) {
	p, err := gatedPlan()
	if err != nil {
		t.Fatal(err)
	}
	run := func(marks ...string) *runs.Result { return exampleRun(t, p.Design, nil, marks...) }
	tell := func(r verdict.Result, o gate.Options) {
		g, err := gate.Judge(t.Context(), r, o)
		if err != nil {
			t.Fatal(err)
		}
		s.result("gate", g)
	}
	pass, fail, open := times(20, 0), times(0, 20), "PPF"
	half := 0.5
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	tell(run(pass), gate.Options{})
	tell(exampleRun(t, sample.Design(), servedAgain(15), times(15, 0)), gate.Options{})
	tell(exampleRun(t, p.Design, func(e *runs.Evidence) {
		e.Spent.Attempts, e.Spent.Repeated = 25, map[string]int{"refused": 5}
	}, pass), gate.Options{})
	tell(run(fail), gate.Options{})
	tell(run(open), gate.Options{})
	tell(run(), gate.Options{})
	tell(run(strings.Repeat("E", 20)), gate.Options{})
	tell(run(pass), gate.Options{Scenarios: []string{"refund", "exchange"}})
	tell(run(pass, pass, pass, "P"+strings.Repeat("FP", 9)), gate.Options{})
	tell(run(pass), gate.Options{Now: now.Add(100 * time.Hour), MaxResultAge: gate.Age(48 * time.Hour)})
	tell(run(pass), gate.Options{Now: now.Add(-100 * time.Hour)})
	// Floors.
	tell(run(pass), gate.Options{Floor: gate.Floor{Rate: .99}})
	tell(run(pass), gate.Options{Floor: gate.Floor{Rate: 1}})
	tell(run(fail), gate.Options{Floor: gate.Floor{Rate: .5}})
	tell(run("PPPF"), gate.Options{Floor: gate.Floor{Rate: .99, Point: true}})
	tell(run(open), gate.Options{Floor: gate.Floor{Rate: .5}})
	tell(run(pass, pass), gate.Options{Floors: map[string]gate.Floor{"cancel": {AllTrials: true}}})
	tell(run(pass, "F"+pass), gate.Options{Floors: map[string]gate.Floor{"cancel": {AllTrials: true}}})
	tell(run(pass, "E"+pass), gate.Options{Floors: map[string]gate.Floor{"cancel": {AllTrials: true}}})
	// Coverage.
	for _, c := range []*coverage.Result{nil, measuredAgents(t)} {
		tell(run(pass), gate.Options{Minimum: &half, Coverage: c})
		most := 0.99
		tell(run(pass), gate.Options{Minimum: &most, Coverage: c})
	}
	// A baseline.
	earlier := func(marks ...string) *gate.BaselineRun {
		return &gate.BaselineRun{File: "main.json", Run: gate.TestsOf(run(marks...))}
	}
	tell(run(fail, fail), gate.Options{Baseline: earlier(pass, pass)})
	tell(run(pass), gate.Options{Baseline: earlier(pass)})
	tell(run(pass), gate.Options{Baseline: earlier(pass), AllowUndecided: true})
	tell(run(open), gate.Options{Baseline: earlier(pass)})
	tell(run(pass), gate.Options{Baseline: earlier(pass, pass)})
	tell(run(pass), gate.Options{Baseline: &gate.BaselineRun{File: "main.json", Problem: "it is not a result"}})
	tell(run(pass), gate.Options{Baseline: &gate.BaselineRun{File: "main.json", Run: gate.TestsOf(run(pass)),
		MaxAge: gate.Age(time.Hour)}, Now: now})
	e := runs.Evidence{Suite: "shop", Finished: "2026-11-20T00:00:00Z"}
	small, err := smallPlans()
	if err != nil {
		t.Fatal(err)
	}
	for i, marks := range []string{times(9, 0), times(0, 9), "PF"} {
		e.Tests = append(e.Tests, marked(t, runs.TestEvidence{Name: exampleNames[i], Against: &runs.Against{
			Stored: &runs.StoredBaseline{Family: small.stored, Outcome: baseline.Outcome{Trials: 12, Failures: 1},
				Source: runs.BaselineSource{File: "main.json"}}}}, marks, ""))
	}
	tell(judgedEvidence(t, e, nil), gate.Options{})
	for _, b := range []*behaviour.Comparison{comparedWork(t, 3, 6, 40), comparedWork(t, 3, 3, 12)} {
		tell(run(pass), gate.Options{Behaviour: b})
	}
	tell(run(pass), gate.Options{AsksBehaviour: true})
	answersSaid(t, tell)
	looked := run(pass)
	looked.Look([]verdict.Look{{Verdict: verdict.Inconclusive, FalsePass: .1, FalseFail: .05}}, 0, "agent.py")
	tell(looked, gate.Options{})
}

// answersSaid are those of gates over results that do not answer what a suite asks.
func answersSaid(t *testing.T, tell func(verdict.Result, gate.Options)) {
	rates := func(o verdict.ThresholdOptions, passes, fails, errors int, names ...string) verdict.Result {
		var tallies []verdict.Tally
		for _, name := range names {
			tallies = append(tallies, verdict.Tally{Scenario: name, Passes: passes, Fails: fails, Errors: errors})
		}
		r, err := verdict.JudgeThreshold(t.Context(), tallies, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	asks := func(change func(*gate.Question)) gate.Options {
		q := gate.Question{Name: "refund", Scenarios: []string{"refund"}, Threshold: .8, Delta: .2, Alpha: .05,
			Beta: .1}
		if change != nil {
			change(&q)
		}
		return gate.Options{Questions: []gate.Question{q}, Scenarios: q.Scenarios}
	}
	good := verdict.ThresholdOptions{Threshold: .8}
	tell(rates(verdict.ThresholdOptions{Threshold: .3}, 30, 30, 0, "refund"), asks(nil))
	tell(rates(verdict.ThresholdOptions{Threshold: .99}, 30, 6, 0, "refund"), asks(nil))
	tell(rates(verdict.ThresholdOptions{Threshold: .8, Alpha: .9}, 5, 1, 0, "refund"), asks(nil))
	tell(rates(verdict.ThresholdOptions{Threshold: .8, Errors: verdict.ExcludeErrors}, 30, 0, 30, "refund"), asks(nil))
	tell(rates(good, 60, 0, 0, "refund", "cancel"), asks(nil))
	tell(rates(good, 60, 0, 0, "refund"), asks(func(q *gate.Question) { q.Judged = true }))
	tell(rates(good, 60, 0, 0, "refund"), asks(func(q *gate.Question) { q.Variant = "small" }))
	tell(rates(good, 60, 0, 0, "refund"), asks(func(q *gate.Question) { q.Against = true }))
}

// contractsSaid are those of contracts.
func contractsSaid(t *testing.T, s *sentenceList) {
	for _, trials := range []string{"", "----", "--d-", "-r--", "rr-", "ru", "uuu", "-u"} {
		s.result("check contract", judgedContract(t, trials))
	}
	// Each trial lacks what one of the clauses needs.
	c, err := contract.Parse("c.yaml", []byte(`version: 1
name: c
clauses:
  - {name: no refund, kind: guardrail, forbid: {tools: refund}}
  - {name: cheap, kind: postcondition, require: trial.cost_usd < 1}
`))
	if err != nil {
		t.Fatal(err)
	}
	summary := contract.NewSummary(c)
	for _, x := range []*trial.Trial{
		{Scenario: "s", CostUSD: trial.Some(0.5)},
		{Scenario: "s", Steps: []trial.Step{{Action: trial.CallTool, Tool: "search"}}},
	} {
		summary.Add(x, c.Check(t.Context(), x))
	}
	r, err := compliance.Judge(summary, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.result("check contract", r)
}

// plansSaid are those of plans, which have warnings alone.
func plansSaid(t *testing.T, s *sentenceList) {
	for _, r := range []verdict.Result{optimalPlan(t), againstPlan(t), roundsPlan(t), suitePlan(t)} {
		s.result("plan", r)
	}
	wald, err := plan.Test(t.Context(), plan.Options{Hypotheses: sample.Hypotheses, Kind: sprt.WaldKind, MaxTrials: 120})
	if err != nil {
		t.Fatal(err)
	}
	s.result("plan", wald)
	from, err := sprt.FromBaseline(stats.Counts{Passes: 30, Trials: 30}, 0.3, 0.05, 0.1, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	s.result("plan", planned(t, plan.Options{Hypotheses: from.Hypotheses, Kind: sprt.OptimalKind, Baseline: &from,
		Delta: 0.3, Gamma: 0.05}))
	budget, price := 1.0, 0.25
	o := plan.SuiteOptions{Suite: "shop", Scenarios: 1, Concurrency: 2, BudgetUSD: &budget, PriceUSD: &price}
	once := sprt.Design{Hypotheses: sample.Hypotheses, Boundaries: sprt.Boundaries{
		PassAtOrBelow: []int{-1, -1, -1, 1}, FailAtOrAbove: []int{sprt.Never, sprt.Never, sprt.Never, 3}}}
	for _, o := range []plan.SuiteOptions{o, {Suite: "shop", Scenarios: 1, Concurrency: 2}} {
		p := plan.NewSuite(o)
		if err := p.AddTest(plan.PlannedTest{Name: "refund", Scenarios: []string{"refund"}, Design: once}); err != nil {
			t.Fatal(err)
		}
		p.Complete(o)
		s.result("plan", p)
	}
	for _, o := range []plan.BehaviourOptions{
		{Distance: 0.01}, {Distance: 3, MaxCostUSD: new(0.001)}, {Distance: 3, MaxCostUSD: new(0.3)},
	} {
		s.result("plan", behaviourPlan(t, 0.01, o))
	}
	s.result("plan", behaviourPlan(t, 0, plan.BehaviourOptions{Distance: 3, MaxCostUSD: new(0.3)}))
}

// historiesSaid are those of histories.
func historiesSaid(t *testing.T, s *sentenceList) {
	point := history.Point{Runs: 1, Branch: "main", Passes: 9, Failures: 1}
	add := func(m history.Metric, points ...history.Point) {
		r, err := history.Judge(t.Context(), points, func(context.Context, int, int) ([]history.Tally, error) {
			return []history.Tally{{Name: "refund", Counts: stats.Counts{Passes: 9, Trials: 10}}}, nil
		}, history.Options{Suite: "shop", Metric: m})
		if err != nil {
			t.Fatal(err)
		}
		s.result("store history", r)
	}
	side, errors, changed, pooled := point, point, point, point
	side.Branch, errors.Errors, pooled.Runs = "side", 2, 3
	point.Task, changed.Task = "t1", "t2"
	add(history.Rate, point)
	add(history.Rate, point, side, errors, changed)
	add(history.Rate, point, changed, point, pooled)
	add(history.Cost, point)
}

// forecastsSaid are those of forecasts.
func forecastsSaid(t *testing.T, s *sentenceList) {
	s.result("plan month", forecast(t))
	var trials []plan.ForecastTrial
	for i := range 10 {
		trials = append(trials, plan.ForecastTrial{Passed: i > 1, CostUSD: trial.Some(0.02)})
	}
	for _, o := range []plan.ForecastOptions{
		{RunsPerDay: 100}, {RunsPerDay: 100, Sequential: true,
			Rate: &plan.StoppedRate{Rate: .8, Limits: stats.Interval{Low: .5, High: .9}}},
		{RunsPerDay: 100, Cut: true},
	} {
		f, err := plan.NewForecast(trials, o)
		if err != nil {
			t.Fatal(err)
		}
		s.result("plan month", f)
	}
	f, err := plan.NewForecast([]plan.ForecastTrial{{}}, plan.ForecastOptions{RunsPerDay: 100})
	if err != nil {
		t.Fatal(err)
	}
	s.result("plan month", f)
	for _, n := range []int{40, 100} {
		trials = nil
		for i := range n {
			trials = append(trials, plan.ForecastTrial{Passed: i%5 > 0, CostUSD: trial.Some(0.02)})
		}
		for i := range n / 20 {
			trials[i].CostUSD.Value *= float64(n) / 4
		}
		if f, err = plan.NewForecast(trials, plan.ForecastOptions{RunsPerDay: 100}); err != nil {
			t.Fatal(err)
		}
		s.result("plan month", f)
	}
}

// suitesSaid are suites that are tested as one question.
func suitesSaid(t *testing.T, s *sentenceList) {
	design := func(q stratified.Question) *stratified.Design {
		d, err := stratified.New(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	four := stratified.Question{Scenarios: 4, Alpha: .15, Beta: .2}
	stored := stratified.Question{Scenarios: 4, Alpha: .15, Beta: .2, Sides: stratified.Stored, MaxRounds: 5}
	for _, c := range []struct {
		question stratified.Question
		recorded string
		marks    []string
	}{
		{four, "", []string{"PPPPPP", "PPPPPP", "PPPPPP", "PPPPPP"}},
		{four, "", []string{"PPPPPP", "FFFFFFFFF", "PPPPPP", "PPPPPP"}},
		{four, "", []string{"FFPF", "FPFF", "PFFP", "PFPF"}},
		{four, "", []string{"PP", "PP", "FP", ""}},
		{four, "", []string{"EEEEEEEE", "EEEEEEEE", "EEEEEEEE", "EEEEEEEE"}},
		{stored, "PPPPP", []string{"PPPPP", "PPPPP", "PPFPP", "PPPPP"}},
		{stored, "PPPPP", []string{"FFFFF", "FFFFF", "FFFFF", "FFFFF"}},
	} {
		j := &runs.Joint{Designs: []*stratified.Design{design(c.question)}, Source: runs.BaselineSource{File: "main.json"}}
		e := runs.Evidence{Suite: "shop"}
		for i, marks := range c.marks {
			x := runs.TestEvidence{Name: exampleNames[i], Joint: j, Recorded: c.recorded}
			e.Tests = append(e.Tests, marked(t, x, marks, ""))
		}
		s.result("run", judgedEvidence(t, e, nil))
	}
}
