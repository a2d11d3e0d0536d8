package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// agents returns the trials of an agent in two scenarios: it looks about so many times.
func agents(trials, looks int, seed uint64) []*trial.Trial {
	random := rand.New(rand.NewPCG(seed, 5))
	var list []*trial.Trial
	for i := range trials {
		x := &trial.Trial{
			Scenario: []string{"a", "b"}[i%2], Outcome: trial.Pass, Model: "m", CostUSD: trial.Some(0.01 + random.Float64()/100),
			DurationSeconds: trial.Some(random.Float64()),
			OutputTokens:    trial.Some(int64(100 + random.IntN(50))), Output: trial.RawString(strings.Repeat("ab", 3+i%4)),
			Steps: []trial.Step{{Action: trial.Reason}},
		}
		for k := range looks + random.IntN(3) {
			step := trial.Step{Action: trial.CallTool, Tool: "look", Depth: trial.Some(k),
				Arguments: trial.Raw(fmt.Sprintf(`{"n":%d}`, k))}
			if random.IntN(4) == 0 {
				step.Error = "it broke"
			}
			x.Steps = append(x.Steps, step)
		}
		if i == 0 {
			x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: fmt.Sprint("tool ", looks)})
		}
		if i%3 == 0 {
			x.Steps = append(x.Steps, trial.Step{Action: trial.Respond})
		}
		list = append(list, x)
	}
	return append(list, &trial.Trial{Scenario: "a", Outcome: trial.Error})
}

// Trials of an agent for [comparedAgents].
const (
	sampled = 12 // relabelings are drawn
	fewest  = 6  // all relabelings are looked at, 400, which a test that verifies a thousand changes has the time for
)

// ofSeed is free where all relabelings are looked at; TestEveryChangeOfBehaviourIsFound changes one that draws them.
var ofSeed = map[string]string{"behaviour.seed": "nothing is drawn"}

// comparedAgents compares so many trials of an agent with as many of another; they look about so many times.
func comparedAgents(t *testing.T, trials, before, after int) *behaviour.Comparison {
	t.Helper()
	var baseline, candidate fingerprint.Sample
	for _, x := range agents(trials, before, 1) {
		baseline.Add(x)
	}
	for _, x := range agents(trials, after, 2) {
		candidate.Add(x)
	}
	b, err := behaviour.Compare(t.Context(), &baseline, &candidate, behaviour.Options{Seed: 3, Shift: 2})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func measuredAgents(t *testing.T) *coverage.Result {
	t.Helper()
	c, err := coverage.NewCollector(coverage.Declaration{
		Tools: []string{"look", "book", "walk"}, Models: []string{"m", "other"}, Lambda: 9, Minimum: trial.Some(0.5),
		Boundaries: map[string]map[string]coverage.Domain{"look": {"n": {Minimum: trial.Some(0.0),
			Maximum: trial.Some(90.0)}}, "walk": {"x": {Minimum: trial.Some(0.0)}}},
		Capabilities: []string{"find", "pay"},
		Scenarios: []coverage.Scenario{{Name: "a", Capabilities: []string{"find"}, Threshold: 0.5},
			{Name: "b", Capabilities: []string{"pay"}, Passed: trial.Some(false)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range agents(12, 1, 4) {
		c.Add(x)
	}
	// Those of the run of wholeGate: 20 passes of a, and two and a failure of b.
	measured := c.Measure()
	counts := *measured.Counts
	counts.Trials, counts.Scenarios[0].Threshold = 40, 0.8
	counts.Scenarios[0].Passes, counts.Scenarios[0].Judged = 20, 20
	counts.Scenarios[1].Passes, counts.Scenarios[1].Judged, counts.Scenarios[1].Threshold = 2, 3, 0.8
	return counts.Measure()
}

// measuredGraph is the coverage of three trials by a graph, of which one leaves it, and by extremes.
func measuredGraph(t *testing.T) *coverage.Result {
	t.Helper()
	call := func(tool string, to ...string) graph.Node {
		return graph.Node{Name: tool, Steps: []graph.Step{{Tool: tool}}, To: to}
	}
	c, err := coverage.NewCollector(coverage.Declaration{
		Tools: []string{"look", "book"}, Models: []string{"m"},
		Graph: &graph.Graph{Start: []string{"look"}, Nodes: []graph.Node{call("look", "look", "book"), call("book")},
			MaxDepth: 3},
		Boundaries: map[string]map[string]coverage.Domain{"look": {"n": {Types: []string{"number"}}}}, DefaultExtremes: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tools := range [][]string{{"look", "book"}, {"look", "book"}, {"book"}} {
		x := &trial.Trial{Outcome: trial.Pass, Model: "m"}
		for _, tool := range tools {
			x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: tool, Arguments: trial.Raw(`{"n":0}`)})
		}
		c.Add(x)
	}
	return c.Measure()
}

var gatedPlan = sync.OnceValues(func() (sprt.Plan, error) {
	return sprt.Optimal(context.Background(), sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .05, Beta: .1},
		sprt.OptimalOptions{MaxTrials: 20})
})

// gated is a run whose tests have the outcomes, such as "PPPFE".
func gated(t *testing.T, outcomes ...string) *runs.Result {
	t.Helper()
	plan, err := gatedPlan()
	if err != nil {
		t.Fatal(err)
	}
	return gatedBy(t, plan.Design, outcomes...)
}

func gatedBy(t *testing.T, design sprt.Design, outcomes ...string) *runs.Result {
	t.Helper()
	e := runs.Evidence{Suite: "s", Digest: "sha256:1", StoppedBy: runs.StoppedByDecision, Finished: "2026-11-20T00:00:00Z"}
	for i, text := range outcomes {
		test := runs.TestEvidence{Name: string(rune('a' + i)), Scenarios: []string{string(rune('a' + i))}, Design: design}
		for k, mark := range text {
			outcome := map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[mark]
			test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: test.Name, Number: k,
				Trial: &trial.Trial{Scenario: test.Name, Outcome: outcome}})
		}
		e.Tests = append(e.Tests, test)
		e.Spent.Trials += len(text)
		e.Spent.Attempts += len(text)
	}
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wholeGate is a gate that asks for everything there is; its behaviour is that of so many trials.
func wholeGate(t *testing.T, trials int) *gate.Result {
	t.Helper()
	minimum := 0.9
	passes, fails, mixed := strings.Repeat("P", 20), strings.Repeat("F", 20), "P"+strings.Repeat("FP", 10)
	g, err := gate.Judge(t.Context(), gated(t, passes, "PPF", fails, mixed), gate.Options{
		Correction: multiplicity.Holm, Floor: gate.Floor{Rate: .4},
		Floors:  map[string]gate.Floor{"c": {Rate: .9, AllTrials: true}, "d": {Rate: .95, Point: true}},
		Minimum: &minimum, Coverage: measuredAgents(t), Behaviour: comparedAgents(t, trials, 2, 6),
		Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		Baseline: &gate.BaselineRun{File: "main.json", Run: gate.TestsOf(gated(t, passes, passes, passes, passes)),
			MaxAge: gate.Age(100 * time.Hour)},
		MaxResultAge: gate.Age(48 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// rawOfRun are leaves of a run from which nothing else follows.
func rawOfRun(prefix string) map[string]string {
	free := map[string]string{}
	for path, reason := range map[string]string{
		"suite": "a name", "suite_digest": "what was run", "seed": "what was run",
		"stopped_by":     "a fact, which a reason tells where a test has not ended",
		"spent.cost_usd": "of all attempts, which the result does not hold", "spent.input_tokens": "the same",
		"spent.output_tokens": "the same",
		"spent.duration_s":    "the same", "spent.attempts": "the same",
	} {
		free[prefix+path] = reason
	}
	return free
}

// rawOfTrials are leaves of the trials that a run lists.
func rawOfTrials(prefix string) map[string]string {
	return map[string]string{
		prefix + "trials[].trial": "its number", prefix + "scenarios[].failures[].text": "what a judge said",
	}
}

// rawOfCoverage are leaves of counts of which nothing is shown.
func rawOfCoverage(prefix string) map[string]string {
	free := map[string]string{}
	for _, word := range []string{"kind", "parameter", "tool", "value"} {
		free[prefix+"counts.limits[]."+word] = "of a limit that was touched"
	}
	for _, word := range []string{"name", "passes", "threshold"} {
		free[prefix+"counts.scenarios[]."+word] = "of a scenario that passes, or whose verdict is given"
	}
	if prefix == "" { // a gate has the run to compare it with
		free["counts.scenarios[].judged"] = "one more trial leaves the scenario above its threshold"
	}
	return free
}

// rawOfBehaviour are leaves of trials that a comparison of behaviour does not need one by one.
func rawOfBehaviour(prefix string) map[string]string {
	return map[string]string{
		prefix + "trials.baseline.failed_steps":  "one more than one changes nothing that is compared",
		prefix + "trials.candidate.failed_steps": "one more than one changes nothing that is compared",
		prefix + "alpha":                         "what was asked for, which a reason tells where the behaviour changed",
	}
}

func with(maps ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range maps {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// Whatever is changed in the saved result of a gate, it is found.
func TestEveryChangeOfAGateIsFound(t *testing.T) {
	g := wholeGate(t, fewest)
	for _, missed := range unfounded(t, g,
		with(rawOfRun("run."), map[string]string{"run.finished_at": "a time", "asked.baseline.run.suite": "a name",
			"asked.rules": "rules of before decide this one alike"},
			rawOfTrials("run."), rawOfCoverage("coverage."), rawOfBehaviour("behaviour."), ofSeed)) {
		t.Error(missed)
	}
}

// So it is of gates over results of other commands. What is free there is free here.
func TestEveryChangeOfAGateOverOtherResultsIsFound(t *testing.T) {
	rates, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{{Scenario: "a", Passes: 45, Fails: 5},
		{Scenario: "b", Passes: 5, Fails: 35, Errors: 2}}, verdict.ThresholdOptions{Threshold: 0.8, By: verdict.ByScenario})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := gatedPlan()
	if err != nil {
		t.Fatal(err)
	}
	r := &recording.Recording{}
	for i := range 24 {
		r.Add(&trial.Trial{Scenario: "a", Outcome: []trial.Outcome{trial.Pass, trial.Error, trial.Fail}[i%3]})
	}
	followed, err := sequential.Judge(t.Context(), r, sequential.Options{Design: plan.Design, Order: sequential.FileOrder})
	if err != nil {
		t.Fatal(err)
	}
	compared, err := compare.Judge(t.Context(), taskTrials("before", 1, false, 8, 7), taskTrials("after", 2, false, 8, 0),
		compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		over verdict.Result
		free map[string]string
	}{
		"rates": {rates, nil},
		"sequence": {followed, map[string]string{
			"sequence.seed": "of a shuffle, which there is not", "sequence.rules": "both editions decide alike here",
			"sequence.recording.outcomes":    "of a trial beyond the stop",
			"sequence.recording.scenarios[]": "a name", "sequence.recording.scenario": "whose trial is whose is of no matter",
			"exit_code": "--on-inconclusive may have changed it", "sequence.exit_code": "--on-inconclusive may have changed it",
		}},
		"comparison": {compared, map[string]string{
			"comparison.*": "see TestEveryChangeOfAComparisonIsFound",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := gate.Judge(t.Context(), c.over, gate.Options{Floor: gate.Floor{Rate: .5}, Scenarios: []string{"z"}})
			if err != nil {
				t.Fatal(err)
			}
			asked := map[string]string{
				"asked.alpha": "nothing is near it", "asked.beta": "nothing is near it", "asked.delta": "no baseline is named",
				"asked.correction": "one floor alone is missed, or none", "asked.rules": "both editions decide alike here",
			}
			for _, missed := range unfounded(t, g, with(c.free, asked)) {
				t.Error(missed)
			}
		})
	}
}

// So it is of a gate over a run with tests of its own against a baseline. What is changed in the run is
// found there.
func TestEveryChangeOfAGateOverOwnTestsIsFound(t *testing.T) {
	p, err := smallPlans()
	if err != nil {
		t.Fatal(err)
	}
	e := runs.Evidence{Suite: "s", Digest: "sha256:1", StoppedBy: runs.StoppedByDecision}
	for i, outcomes := range []string{strings.Repeat("P", 30), strings.Repeat("F", 30)} {
		e.Tests = append(e.Tests, marked(t, runs.TestEvidence{Name: string(rune('a' + i)), Against: &runs.Against{
			Gamma: p.stored.Gamma(), Stored: &runs.StoredBaseline{Family: p.stored,
				Outcome: baseline.Outcome{Trials: 12, Failures: 1},
				Source: runs.BaselineSource{File: "main.json", Finished: "2026-11-20T00:00:00Z",
					Changed: []string{"seed: 1 -> 2"}}},
		}}, outcomes, ""))
		e.Spent.Trials, e.Spent.Attempts = e.Spent.Trials+len(outcomes), e.Spent.Attempts+len(outcomes)
	}
	e.StoppedBy = stopOf(t, e)
	run, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.Judge(t.Context(), run, gate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Baseline.Tests) != 2 || !g.Baseline.Tests[0].Tested {
		t.Fatalf("%+v", g.Baseline)
	}
	free := map[string]string{
		"run.*": "see TestEveryChangeOfARegressionIsFound", "asked.alpha": "no floor is asked for",
		"asked.beta":  "no floor is asked for",
		"asked.delta": "the run has its own", "asked.correction": "two scenarios, of which one passes",
		"asked.rules": "both editions decide alike here",
	}
	for _, missed := range unfounded(t, g, free) {
		t.Error(missed)
	}
}

// Whatever is changed in a saved comparison of behaviour, it is found.
func TestEveryChangeOfBehaviourIsFound(t *testing.T) {
	for _, after := range []int{2, 6} {
		r := behaviour.Judge("before", "after", comparedAgents(t, sampled, 2, after))
		for _, missed := range unfounded(t, r,
			with(rawOfBehaviour("behaviour."), map[string]string{"baseline": "a name", "candidate": "a name"})) {
			t.Error(missed)
		}
	}
}
