package prices

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// rows that providers' pages were read for by a person, in US dollars for a million tokens: input, cached, cache write,
// output.
var published = map[string][4]float64{
	"gpt-4o":           {2.5, 1.25, 2.5, 10},
	"gpt-4.1":          {2, 0.5, 2, 8},
	"gpt-5-mini":       {0.25, 0.025, 0.25, 2},
	"claude-opus-4-1":  {15, 1.5, 18.75, 75},
	"claude-3-haiku":   {0.25, 0.03, 0.3, 1.25},
	"claude-haiku-4-5": {1, 0.1, 1.25, 5},
	"gemini-2.5-pro":   {1.25, 0.125, 1.25, 10},
}

func TestEmbeddedPricesArePublished(t *testing.T) {
	table := builtInTable(t)
	for model, want := range published {
		row, match, found := table.Find(model)
		got := [4]float64{row.Rates.Input, row.Rates.cached(), row.Rates.cacheWrite(), row.Rates.Output}
		if !found || match != ExactMatch || got != want {
			t.Errorf("%s: %v, %v; the page has %v", model, got, match, want)
		}
	}
}

func TestEmbeddedRowsAreComplete(t *testing.T) {
	rows := builtInTable(t).Rows()
	if len(rows) < 60 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		_, err := time.Parse(time.DateOnly, r.Date)
		if err != nil || !strings.HasPrefix(r.Source, "https://") || prefixes[r.Provider] == nil {
			t.Errorf("%s: provider %q, date %q, source %q", r.Model, r.Provider, r.Date, r.Source)
		}
		// Nobody sells output or a cache for less than that, and a slip of the point is a factor of ten.
		if r.Rates.Output < r.Rates.Input || r.Rates.cached() > r.Rates.Input || r.Rates.cacheWrite() > 2*r.Rates.Input {
			t.Errorf("%s: %+v", r.Model, r.Rates)
		}
		if r.Above > 0 && (r.Long.Input <= r.Rates.Input || r.Long.Output <= r.Rates.Output) {
			t.Errorf("%s: long requests cost %+v", r.Model, r.Long)
		}
	}
}

func builtInTable(t *testing.T) *Table {
	t.Helper()
	table, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestFind(t *testing.T) {
	table := builtInTable(t)
	for name, want := range map[string]struct {
		model string
		match Match
	}{
		"gpt-4o":                      {"gpt-4o", ExactMatch},
		"gpt-4o-2024-08-06":           {"gpt-4o", datedMatch},
		"gpt-4o-2024-05-13":           {"gpt-4o-2024-05-13", ExactMatch}, // which has another price
		"openai/gpt-4o-mini":          {"gpt-4o-mini", prefixMatch},
		"claude-3-5-sonnet-20241022":  {"claude-3-5-sonnet", datedMatch},
		"claude-opus-4-1@20250805":    {"claude-opus-4-1", datedMatch},
		"anthropic/claude-sonnet-4-0": {"claude-sonnet-4", prefixMatch},
		"models/gemini-2.5-pro":       {"gemini-2.5-pro", prefixMatch},
		"x-ai/grok-3":                 {"grok-3", prefixMatch},
		// None of these is another model's version.
		"gpt-4o-audio-preview":            {},
		"gpt-4o-mini-realtime-preview":    {},
		"gpt-4o-audio-preview-2024-12-17": {},
		"gpt-4":                           {"gpt-4", ExactMatch},
		"gpt-4-32k":                       {},
		"claude-opus-4-9":                 {},
		"openai/claude-opus-4-1":          {},
		"openrouter/openai/gpt-4o":        {},
		"ft:gpt-4o-2024-08-06:me::x":      {},
		"GPT-4o":                          {},
		"gpt-4o-2024-99-99":               {},
		"":                                {},
	} {
		row, match, found := table.Find(name)
		if row.Model != want.model || match != want.match || found != (want.model != "") {
			t.Errorf("%q is priced as %q (%s), want %q (%s)", name, row.Model, match, want.model, want.match)
		}
	}
}

// The bills are written out: tokens times the rate, over a million.
func TestBill(t *testing.T) {
	plain := Row{Rates: Rates{Input: 3, Output: 15, Cached: trial.Some(0.3), CacheWrite: trial.Some(3.75)}}
	tiered := Row{
		Rates: Rates{Input: 1, Output: 10, Cached: trial.Some(0.1)}, Above: 1000,
		Long: Rates{Input: 2, Output: 15, Cached: trial.Some(0.2)},
	}
	none := trial.Optional[int64]{}
	known := func(n int64) trial.Optional[int64] { return trial.Some(n) }
	for name, x := range map[string]struct {
		row    Row
		use    Use
		want   float64
		atMost bool
	}{
		"all is told": {plain, Use{"", 1000, 100, known(600), known(300), true},
			(100*3 + 600*0.3 + 300*3.75 + 100*15) / 1e6, false},
		"no cache": {plain, Use{"", 1000, 100, known(0), known(0), true},
			(1000*3 + 100*15) / 1e6, false},
		// Every input token may have been written to a cache, which is the dearest.
		"nothing of a cache": {plain, Use{"", 1000, 100, none, none, true},
			(1000*3.75 + 100*15) / 1e6, true},
		"nothing of writes": {plain, Use{"", 1000, 100, known(600), none, true},
			(400*3.75 + 600*0.3 + 100*15) / 1e6, true},
		"nothing of reads": {plain, Use{"", 1000, 100, none, known(300), true},
			(700*3 + 300*3.75 + 100*15) / 1e6, true},
		"all of it is cached": {plain, Use{"", 600, 0, known(600), none, true},
			600 * 0.3 / 1e6, false},
		"nothing at all": {plain, Use{"", 0, 0, none, none, true},
			0, false},
		"no price of a cache": {Row{Rates: Rates{Input: 5, Output: 15}}, Use{"", 1000, 10, none, none, true},
			(1000*5 + 10*15) / 1e6, false},
		"a short request": {tiered, Use{"", 1000, 10, known(500), none, true},
			(500*1 + 500*0.1 + 10*10) / 1e6, false},
		"a long request": {tiered, Use{"", 1001, 10, known(500), none, true},
			(501*2 + 500*0.2 + 10*15) / 1e6, false},
		"several, long in all": {tiered, Use{"", 1001, 10, known(500), none, false},
			(501*2 + 500*0.2 + 10*15) / 1e6, true},
		"several, all short": {tiered, Use{"", 900, 10, known(500), none, false},
			(400*1 + 500*0.1 + 10*10) / 1e6, false},
		"by the hour": {Row{Rates: Rates{Input: 1, Output: 2}, Highest: true},
			Use{"", 1000, 10, known(0), known(0), true}, (1000*1 + 10*2) / 1e6, true},
	} {
		bill, ok := x.row.Bill(x.use)
		if !ok || math.Abs(bill.USD()-x.want) > 1e-15 || bill.AtMost != x.atMost {
			t.Errorf("%s: %v, at most: %v; want %v, %v", name, bill.USD(), bill.AtMost, x.want, x.atMost)
		}
	}
	if _, ok := plain.Bill(Use{Input: 1000, Cached: known(700), CacheWrites: known(301)}); ok {
		t.Error("more tokens than there are have to do with a cache, and are priced")
	}
}

func TestEstimateOfTrials(t *testing.T) {
	table, err := Parse("p.yaml", []byte(`version: 1
prices:
  - {model: a, input: 1, cached: 0.1, output: 10}
  - {model: b, input: 2, output: 20, long: {above: 100, input: 4, output: 40}}
`))
	if err != nil {
		t.Fatal(err)
	}
	n := func(x int64) trial.Optional[int64] { return trial.Some(x) }
	step := func(action trial.Action, model string, in, out int64) trial.Step {
		return trial.Step{Action: action, Model: model, InputTokens: trial.Some(in), OutputTokens: trial.Some(out)}
	}
	for name, x := range map[string]struct {
		trial  trial.Trial
		want   float64
		atMost bool
		why    string
	}{
		"of the trial": {trial: trial.Trial{Model: "a", InputTokens: n(100), OutputTokens: n(5),
			CachedTokens: n(40)}, want: (60 + 4 + 50) / 1e6},
		"of two models": {trial: trial.Trial{Steps: []trial.Step{
			step(trial.Reason, "a", 100, 5), {Action: trial.CallTool}, step(trial.Respond, "b", 101, 5),
		}}, want: (100 + 50 + 404 + 200) / 1e6, atMost: true},
		"a sum of short requests": {trial: trial.Trial{Model: "b", Steps: []trial.Step{step(trial.Reason, "", 60, 5),
			step(trial.Respond, "", 60, 5)}}, want: (240 + 200) / 1e6},
		"a sum that may be of long ones": {trial: trial.Trial{Model: "b", InputTokens: n(120),
			OutputTokens: n(10)}, want: (480 + 400) / 1e6, atMost: true},
		"steps that are not all": {trial: trial.Trial{Model: "a", InputTokens: n(500),
			OutputTokens: n(5), Steps: []trial.Step{step(trial.Respond, "", 100, 5)}}, want: (500 + 50) / 1e6,
			atMost: true},
		"no tokens": {trial: trial.Trial{Model: "a"}, why: "no tokens are told"},
		"no output": {trial: trial.Trial{Model: "a", InputTokens: n(5)}, why: "the output tokens are not told"},
		"no model": {trial: trial.Trial{InputTokens: n(5), OutputTokens: n(5)},
			why: "no model is told"},
		"unknown": {trial: trial.Trial{Model: "aa", InputTokens: n(5), OutputTokens: n(5)},
			why: `no price of the model "aa" is known`},
		"several, in all": {trial: trial.Trial{InputTokens: n(5), OutputTokens: n(5),
			Steps: []trial.Step{{Action: trial.Reason, Model: "a"}, {Action: trial.Respond, Model: "b"}}},
			why: "several models answered, and which used how many tokens is not recorded"},
	} {
		got, why := table.Estimate(&x.trial)
		if why != x.why || math.Abs(got.USD-x.want) > 1e-15 || got.AtMost != x.atMost {
			t.Errorf("%s: %v, at most: %v, %q; want %v, %v, %q", name, got.USD, got.AtMost, why, x.want, x.atMost, x.why)
		}
	}
}

func TestLayers(t *testing.T) {
	parse := func(text string) *Table {
		t.Helper()
		table, err := Parse("x.yaml", []byte("version: 1\nprices:\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	base := parse("- {model: a, aliases: [b], input: 1, output: 2}\n- {model: c, input: 3, output: 4}\n")
	both := base.With(parse("- {model: b, input: 7, output: 8}\n"))
	for name, want := range map[string]float64{"a": 1, "b": 7, "c": 3} {
		if row, _, _ := both.Find(name); row.Rates.Input != want {
			t.Errorf("%s costs %v, want %v", name, row.Rates.Input, want)
		}
	}
	if base.Digest() == both.Digest() || both.Digest() != both.With(nil).Digest() {
		t.Error("the digest does not tell tables apart, or tells one from itself")
	}
	again := parse("- {model: c, input: 3, output: 4, date: 2026-01-02}\n" +
		"- {model: b, aliases: [a], input: 1, output: 2}\n")
	if again.Digest() != base.Digest() {
		t.Error("the same prices in another order have another digest")
	}
}

func TestParseRefuses(t *testing.T) {
	row := func(text string) string { return "version: 1\nprices: [{" + text + "}]" }
	for text, want := range map[string]string{
		"prices: []":               `p.yaml:1:1: version is missing; write version: 1`,
		row("model: a, input: 1"):  `p.yaml:2:10: prices[0].output is missing`,
		row("input: 1, output: 1"): `p.yaml:2:10: prices[0].model is missing; name the model as recordings do`,
		row("model: a, input: -1, output: 1"): `p.yaml:2:28: prices[0].input -1 must be from 0 to 100000; ` +
			`it is in US dollars for a million tokens`,
		row("model: a, input: 1, output: 1, date: soon"): `p.yaml:2:48: prices[0].date must be a day, ` +
			`not the text "soon"; write it as 2026-11-24`,
		"version: 1\nprices:\n- {model: a, input: 1, output: 1}\n" +
			"- {model: b, aliases: [a], input: 1, output: 1}": `p.yaml:4:3: ` +
			`prices[1] prices the model "a" again; it stands already in line 3`,
	} {
		_, err := Parse("p.yaml", []byte(text))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Of several models each step keeps what it cost: 1000 tokens in at 2.5 and 100 out at 10, 2000 at 2 and 10 at 8.
func TestCostsOfSeveralModelsStayWithTheirSteps(t *testing.T) {
	step := func(model string, in, out int64) trial.Step {
		return trial.Step{Action: trial.Reason, Model: model, InputTokens: trial.Some(in), OutputTokens: trial.Some(out)}
	}
	record := &trial.Trial{Steps: []trial.Step{
		step("gpt-4o", 1000, 100), {Action: trial.CallTool, Tool: "t"}, step("gpt-4.1", 2000, 10),
	}}
	if !builtInTable(t).Complete(record) {
		t.Fatal("it has no price")
	}
	want := []float64{0.0035, 0, 0.00408}
	for i, s := range record.Steps {
		if s.CostUSD.Known != (want[i] > 0) || math.Abs(s.CostUSD.Value-want[i]) > 1e-12 {
			t.Errorf("step %d: %v, not %v", i, s.CostUSD, want[i])
		}
	}
	if math.Abs(record.CostUSD.Value-0.00758) > 1e-12 {
		t.Errorf("in all %v", record.CostUSD)
	}
	// What a trial tells by model it keeps by model: the same tokens.
	split := &trial.Trial{InputTokens: trial.Some(int64(3000)), OutputTokens: trial.Some(int64(110)),
		ModelUsage: []trial.ModelUse{
			{Model: "gpt-4o", InputTokens: trial.Some(int64(1000)), OutputTokens: trial.Some(int64(100))},
			{Model: "gpt-4.1", InputTokens: trial.Some(int64(2000)), OutputTokens: trial.Some(int64(10))},
		}, Steps: []trial.Step{{Action: trial.Respond, Model: "gpt-4o"}}}
	if !builtInTable(t).Complete(split) || math.Abs(split.CostUSD.Value-0.00758) > 1e-12 ||
		math.Abs(split.ModelUsage[0].CostUSD.Value-0.0035) > 1e-12 ||
		math.Abs(split.ModelUsage[1].CostUSD.Value-0.00408) > 1e-12 {
		t.Errorf("by model: %+v", split)
	}
	more := &trial.Trial{InputTokens: trial.Some(int64(3001)), OutputTokens: split.OutputTokens, ModelUsage: split.ModelUsage}
	if builtInTable(t).Complete(more) {
		t.Error("tokens of no model were priced")
	}
	alone := &trial.Trial{Steps: []trial.Step{step("gpt-4o", 1000, 100)}}
	if builtInTable(t).Complete(alone); alone.Steps[0].CostUSD.Known || !alone.CostUSD.Known {
		t.Errorf("of one model: %v", alone.Steps[0].CostUSD)
	}
}
