package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// kinds is a result of each kind.
func kinds(t *testing.T) map[string]verdict.Result {
	t.Helper()
	gate := aGate(t)
	sideSizes, baselineSize := sampleSizes()
	casesSize, storedSize := sampleSuiteSizes()
	baselines, err := baselinesRun()
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := recordedRun()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]verdict.Result{
		"run":                  mixedRun(t),
		"baselines":            baselines,
		"recorded":             recorded,
		"gate":                 gate,
		"threshold":            sampleByScenario(),
		"scores":               sampleScores(),
		"comparison":           sampleMetrics(),
		"comparison of rows":   sampleRows(),
		"ends":                 sampleEnds(),
		"anytime":              sampleAnytime(),
		"proxy":                sampleProxy(),
		"sequential":           sequentialSamples()["sequential-pass"],
		"sequential against":   sampleSequentialAgainst("pf" + strings.Repeat("f", 9)),
		"behaviour":            behaviour.Judge("before", "after", gate.Behaviour),
		"plan":                 samplePricedPlan(),
		"against":              sampleAgainstRun(),
		"suite plan":           sampleSuitePlan(),
		"sides":                sideSizes,
		"trials of a baseline": baselineSize,
		"scenarios":            casesSize,
		"stored scenarios":     storedSize,
		"plan of behaviour":    sampleBehaviourPlan(),
		"contract":             contractResult(t, 3),
		"coverage":             (*verdict.Coverage)(sampleCoverage()),
		"forecast":             sampleForecast(),
		"history":              historySamples()["history"],
		"mutation":             mutationSample(),
		"checks":               checksSample(),
		"relations":            relationsSample(),
		"race":                 raceSample(),
		"open race":            openRace(),
		"improvement":          improvementSample(),
		"improvement by pairs": improvementByPairs(),
		"rank":                 rankSample(),
	}
}

func sampleSuitePlan() *plan.Suite {
	p := &plan.Suite{
		Schema: plan.SuiteSchema, Suite: "shop", Digest: "sha256:0123456789abcdef0123456789abcdef", Scenarios: 3,
		Concurrency: 4,
		Warnings:    []verdict.Warning{{Code: "cost-unbounded", Text: "nothing bounds the cost"}},
		Total: plan.SuiteTotal{
			MaxTrials: 456, Expected: plan.Ladder{Perfect: 45, Threshold: 123.4}, WorstUSD: ptr(12.5), BudgetUSD: ptr(12.5),
			ExpectedUSD: &plan.Ladder{Perfect: 1.5, Threshold: 3.4},
		},
	}
	for i := range 3 {
		p.Tests = append(p.Tests, plan.SuiteTest{
			Name: fmt.Sprintf("test-%d", i), Scenarios: 1, Kind: "optimal", Threshold: 0.9, Delta: 0.1, Alpha: 0.0499,
			Beta:      0.0987,
			LeastPass: 15, LeastFail: 4, MaxTrials: 152, ExpectedAt: plan.Ladder{Perfect: 15, Threshold: 41.5, Lower: 33.1},
			Undecided: &plan.UndecidedChance{Threshold: 0.1, Largest: 0.2, At: 0.85},
		})
	}
	p.Tests = append(p.Tests, plan.SuiteTest{
		Name: "test-1 [small]", Variant: "small", Scenarios: 1, Delta: 0.1, Alpha: 0.0499, Beta: 0.0987, LeastPass: 22,
		LeastFail: 5, MaxTrials: 250, ExpectedAt: plan.Ladder{Perfect: 22, Threshold: 43.7, Lower: 43.6},
		Against: &plan.SuiteAgainst{
			Kind: plan.StoredKind, Digest: "sha256:0123456789abcdef0123456789abcdef", File: "main.json", Passes: 285,
			Trials: 300, Guarded: plan.Range{Low: 0.8613, High: 1}, Alpha: 0.0499, Beta: 0.0987, Gamma: 1e-6, Rate: 0.95,
			MaxTrials: 250, Expected: plan.AgainstLadder{Perfect: 22, Unchanged: 43.7, Dropped: 43.6},
		},
	})
	p.Variants = []plan.SuiteVariant{
		{Name: "small", Tests: 1, MaxTrials: 250, Expected: plan.Ladder{Perfect: 22, Threshold: 43.7, Lower: 43.6}},
	}
	return p
}

func sampleForecast() *plan.Forecast {
	return &plan.Forecast{
		Schema: plan.ForecastSchema, RunsPerDay: 1000, PerMonth: 30437.5, Level: 0.95, Trials: 20, Passes: 17,
		Price: ptr(3.5),
		Cost: &plan.Projection{
			Known: 20, PerSuccess: 0.0123, Low: ptr(0.011), High: ptr(0.0131), Month: 374.4, MonthLow: ptr(334.8),
			MonthHigh: ptr(398.7),
		},
		Tokens:   &plan.Projection{Known: 20, PerSuccess: 12345, Month: 375750937},
		Warnings: []verdict.Warning{{Code: "few", Text: "few trials"}},
	}
}

// There is a sample of each kind of result.
func TestEveryKindHasASample(t *testing.T) {
	sampled := map[string]bool{}
	for _, result := range kinds(t) {
		sampled[verify.KindOf(result).Schema] = true
	}
	for _, k := range verify.Kinds() {
		if !sampled[k.Schema] {
			t.Errorf("report/kinds_test.go has no sample of %s, which says whether report/kinds.go has its builder", k.Schema)
		}
	}
}

// Every kind of result can be written in every format, and each document is what others
// read it as.
func TestEveryKindInEveryFormat(t *testing.T) {
	for kind, result := range kinds(t) {
		for _, f := range Formats() {
			t.Run(kind+"/"+f.String(), func(t *testing.T) {
				text := written(t, result, f)
				if text == "" && f != AnnotationsFormat {
					t.Fatal("nothing is written")
				}
				checkDocument(t, f, text)
			})
		}
	}
}

func checkDocument(t *testing.T, f Format, text string) {
	t.Helper()
	switch f {
	case TextFormat:
		for line := range strings.Lines(text) {
			if table.Width(strings.TrimSuffix(line, "\n")) > defaultWidth {
				t.Errorf("too wide: %q", line)
			}
		}
	case JSONFormat:
		if !json.Valid([]byte(text)) {
			t.Errorf("no JSON: %s", text)
		}
	case markdownFormat, summaryFormat:
		if !regexp.MustCompile(`^## ([✅❌❔] [A-Z]|Score: )`).MatchString(text) || !strings.Contains(text, "| --- |") {
			t.Errorf("no heading or no table:\n%s", text)
		}
	case jUnitFormat:
		var suites junitSuites
		if err := xml.Unmarshal([]byte(text), &suites); err != nil || suites.Tests == 0 {
			t.Errorf("%d tests, %v", suites.Tests, err)
		}
	case goTestFormat:
		var last goEvent
		for line := range strings.Lines(text) {
			last = goEvent{}
			if err := json.Unmarshal([]byte(line), &last); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
		if last.Test != "" || last.Elapsed == nil || !slices.Contains([]string{"pass", "fail", "skip"}, last.Action) {
			t.Errorf("the package does not end: %+v", last)
		}
	case HTMLFormat:
		if !strings.HasPrefix(text, "<!doctype html>") || !strings.HasSuffix(text, "</html>\n") {
			t.Error("no page")
		}
	case outputsFormat:
		values := readOutputs(t, text)
		if _, there := values["verdict"]; !there || values["headline"] == "" || values["schema"] == "" {
			t.Errorf("%v", values)
		}
		// An empty value is empty, and not two quotes.
		for name, value := range values {
			if value == `""` {
				t.Errorf("%s is two quotes", name)
			}
		}
	}
}

// figureFormats are those that show every figure. Annotations say what failed, outputs
// what scripts are told.
var figureFormats = []Format{TextFormat, markdownFormat, summaryFormat, jUnitFormat, goTestFormat, HTMLFormat}

// A line and a column that a builder adds without another word appear in every format.
func TestANewFigureIsInEveryFormat(t *testing.T) {
	for kind, result := range kinds(t) {
		for _, f := range figureFormats {
			t.Run(kind+"/"+f.String(), func(t *testing.T) {
				d, err := newDocument(result, Options{Width: 300}.detail(f))
				if err != nil {
					t.Fatal(err)
				}
				d.Line("new line", "marked-line")
				tables := 0
				for _, part := range d.Parts {
					if x, is := part.(*document.Table); is && x.In == document.Everywhere {
						tables++
						x.Columns = append(x.Columns, document.Column{Title: "new column"})
						for _, row := range x.Rows {
							row.Cells = append(row.Cells, make([]document.Cell, len(x.Columns)-1-len(row.Cells))...)
							row.Cells = append(row.Cells, document.Plain(fmt.Sprintf("marked-%d", tables)))
						}
					}
				}
				var out bytes.Buffer
				if err := f.Document(&out, d, Options{}); err != nil {
					t.Fatal(err)
				}
				want := []string{"new line", "marked-line"}
				for i := range tables {
					want = append(want, "new column", fmt.Sprintf("marked-%d", i+1))
				}
				for _, text := range want {
					if !strings.Contains(out.String(), text) {
						t.Errorf("%q is missing in\n%s", text, out.String())
					}
				}
			})
		}
	}
}

// Every kind that has a table in its text is among those of the test above.
func TestKindsHaveTables(t *testing.T) {
	// lines alone
	without := map[string]bool{"sequential": true, "sequential against": true, "sides": true, "trials of a baseline": true,
		"behaviour": true, "forecast": true, "proxy": true}
	all := kinds(t)
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		d, err := newDocument(all[kind], Options{}.detail(TextFormat))
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(d.Parts, func(part document.Part) bool {
			x, is := part.(*document.Table)
			return is && x.In == document.Everywhere
		})
		if has == without[kind] {
			t.Errorf("%s: tables: %v", kind, has)
		}
	}
}

// What a row says and its case does not is added to the case; what the case says already
// is not said twice.
func TestCasesTakeOverTheirRows(t *testing.T) {
	x := &document.Table{Columns: document.Columns("name", "told", "new", "unknown")}
	row := &document.Row{Cells: []document.Cell{
		document.Name("a"), document.Told("1.0", document.Fact{Name: "exact", Value: "0.999"}), document.Plain("2"),
		document.Plain(none),
	}}
	c := document.Case{Details: []string{"told 1.0"}, Facts: []document.Fact{{Name: "first", Value: "0"}}, Table: x,
		Row: row}
	if got := fmt.Sprint(c.AllDetails(), c.AllFacts()); got != "[told 1.0 new: 2] [{first 0} {exact 0.999} {new 2}]" {
		t.Error(got)
	}
}
