package report

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// aGate is a decision over a run, with coverage and behaviour.
func aGate(t *testing.T) *gate.Result {
	t.Helper()
	c, err := coverage.NewCollector(coverage.Declaration{Tools: []string{"search", "</script>"}, Models: []string{"m"}})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var before, after fingerprint.Sample
	for i := range 40 {
		x := &trial.Trial{Scenario: "a", Model: "m", Outcome: trial.Pass, Steps: []trial.Step{}}
		for range 1 + i%2*2 + random.IntN(2) {
			x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: "search"})
		}
		c.Add(x)
		if i%2 == 0 {
			before.Add(x)
		} else {
			after.Add(x)
		}
	}
	changed, err := behaviour.Compare(t.Context(), &before, &after, behaviour.Options{Seed: 1})
	if err != nil || !changed.Changed || changed.Map == nil {
		t.Fatalf("%+v, %v", changed, err)
	}
	minimum := 0.9
	g, err := gate.Judge(t.Context(), mixedRun(t),
		gate.Options{Coverage: c.Measure(), Minimum: &minimum, Behaviour: changed})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Every form of a gate shows the decision, its reasons, the rules and what is not
// covered; and it is the same when it was saved and read.
func TestGateInEveryForm(t *testing.T) {
	g := aGate(t)
	if g.Decision != gate.Block {
		t.Fatalf("%v %+v", g.Decision, g.Reasons)
	}
	saved, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	again, err := verify.Decode(saved)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range Formats() {
		text := written(t, g, format)
		if format != outputsFormat && text != written(t, again, format) { // outputs have random delimiters
			t.Errorf("%v: not the same after it was saved", format)
		}
		lower := strings.ToLower(text)
		if !strings.Contains(lower, "block") && format != goTestFormat && format != jUnitFormat &&
			format != AnnotationsFormat && format != metricsFormat { // what trials took is no decision
			t.Errorf("%v does not say the decision:\n%.500s", format, text)
		}
		if strings.Contains(text, "</script>") && format == HTMLFormat {
			t.Errorf("%v: the name of a tool is an element", format)
		}
	}
	html := written(t, g, HTMLFormat)
	for _, want := range []string{`id="behaviour-map"`, `id="coverage-map"`, "Not covered", "data:image/svg",
		"Checks"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	var explained bytes.Buffer
	if err := Write(&explained, g, TextFormat, Options{Explain: true}); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(explained.String(), "\n") {
		if len([]rune(line)) > 80 {
			t.Errorf("too wide: %s", line)
		}
	}
	if n := strings.Count(explained.String(), "  verdict, "); n < 2 {
		t.Errorf("%d checks of verdicts:\n%s", n, explained.String())
	}
}

// So is one over what other commands found, whatever names it holds.
func TestGateOverOtherResultsInEveryForm(t *testing.T) {
	rates, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{{Scenario: "</script>", Passes: 60},
		{Scenario: "b", Fails: 9}},
		verdict.ThresholdOptions{Threshold: .8, By: verdict.ByScenario})
	if err != nil {
		t.Fatal(err)
	}
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: .9, Delta: .2, Alpha: .05, Beta: .1}, 60)
	if err != nil {
		t.Fatal(err)
	}
	recorded := func(name string, outcome trial.Outcome) *recording.Recording {
		r := &recording.Recording{Name: name}
		for range 30 {
			r.Add(&trial.Trial{Scenario: "</script>", Outcome: outcome})
		}
		return r
	}
	sequence, err := sequential.Judge(t.Context(), recorded("", trial.Pass), sequential.Options{Design: design})
	if err != nil {
		t.Fatal(err)
	}
	compared, err := compare.Judge(t.Context(), recorded("</script>", trial.Pass), recorded("b", trial.Fail),
		compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, over := range []verdict.Result{rates, sequence, compared} {
		g, err := gate.Judge(t.Context(), over, gate.Options{Floor: gate.Floor{Rate: .5}})
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range Formats() {
			text := written(t, g, format)
			if format == HTMLFormat && strings.Contains(text, "</script>") {
				t.Errorf("%T, %v: the name of a scenario is an element", over, format)
			}
			if (format == TextFormat || format == markdownFormat || format == HTMLFormat) &&
				!strings.Contains(strings.ToLower(text), g.Decision.String()) {
				t.Errorf("%T, %v does not say the decision:\n%.300s", over, format, text)
			}
		}
	}
}

// A comment says above its fold what was decided against, and leaves out what was not measured and what nothing is known
// of; what was measured stays.
func TestCommentOfGateIsShort(t *testing.T) {
	g := aGate(t)
	g.Baseline = &gate.Baseline{File: "main.json", Finished: "2026-03-01", Comparable: true,
		Changed: []string{"model: a -> b"}}
	head, rest, _ := strings.Cut(written(t, g, markdownFormat), "<details>")
	if want := "\nAgainst the baseline: main.json, finished 2026-03-01; changed: model: a -&#62; b\n"; !strings.Contains(head,
		want) {
		t.Errorf("no %q in\n%s", want, head)
	}
	for _, m := range g.Coverage.Dimensions {
		row := "\n| " + string(m.Dimension) + " | "
		if has := strings.Contains(rest, row); has != (m.Value != nil) {
			t.Errorf("row of %s: %t, its value is %v", m.Dimension, has, m.Value)
		}
	}
	if !strings.Contains(rest, "\nNot measured: ") {
		t.Errorf("%s", rest)
	}
	g.Coverage = nil
	if text := written(t, g, markdownFormat); strings.Contains(text, "Coverage") || strings.Contains(text, "Not measured") {
		t.Errorf("coverage that was not asked for: %s", text)
	}
}
