package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/relation"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
)

// complete says everything that can be said.
func complete(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/complete.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestComplete(t *testing.T) {
	s, err := Parse("testdata/tribunal.yaml", complete(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Scenarios {
		for _, e := range c.Evaluate {
			if e.Evaluator == nil || e.Evaluator.Name() != e.Name {
				t.Errorf("%s: %v", e.Name, e.Evaluator)
			}
		}
	}
	used := make(map[string]bool)
	for _, e := range s.Scenarios[0].Evaluate {
		used[e.Name] = true
	}
	for _, name := range evaluatorNames() {
		if !used[name] {
			t.Errorf("complete.yaml does not use %s", name)
		}
	}
	if len(s.Scenarios[0].Evaluators()) != len(s.Scenarios[0].Evaluate) {
		t.Error("evaluators are missing")
	}
	// Relations are no values to compare; see TestRelations.
	kinds := map[relation.Kind]bool{}
	for _, r := range s.Relations {
		kinds[r.Kind] = true
	}
	for _, k := range relation.Kinds() {
		if !kinds[k] {
			t.Errorf("complete.yaml has no relation of kind %s", k)
		}
	}
	s.Relations = nil
	// Nor are judges of axes: those without one come first.
	var axes []string
	for _, a := range s.Score {
		axes = append(axes, fmt.Sprint(a.Name, " ", a.Points, " ", a.From, len(a.Parts), " ", a.Left(), a.Judged()))
	}
	if diff := cmp.Diff([]string{
		"tests 63 tests0 [junit-{id}.xml] false", "scars 9 3 [work/{id}/**/*.py work/{id}/*.py lib/{id}/*.py] false",
		"scores 5 evaluators0 [] false", "principles 20 2 [] true",
	}, axes); diff != "" {
		t.Error(diff)
	}
	s.Score, s.ScoreSpec = nil, nil
	// Evaluators are no values to compare; of the other scenarios the names say which are inherited.
	var others []string
	for i := range s.Scenarios {
		for _, e := range s.Scenarios[i].Evaluate {
			if i > 0 {
				others = append(others, s.Scenarios[i].Name+" "+e.Name)
			}
		}
		s.Scenarios[i].Evaluate, s.Scenarios[i].Place = nil, trial.Place{}
	}
	if diff := cmp.Diff([]string{"second not-contains", "third contains", "fourth not-contains", "fifth not-contains"},
		others); diff != "" {
		t.Errorf("evaluators (-want +got):\n%s", diff)
	}
	base := sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.01, Beta: 0.2}
	own := base
	own.Threshold = 0.8
	beta := Prior{Kind: BetaPrior, A: 49, B: 3}
	wired := &Wire{
		Upstream: map[string]string{"openai": "http://localhost:11434/v1", "anthropic": "https://models.example"},
		KeyEnv:   map[string]string{"openai": "OPENAI_API_KEY"},
		Guard:    guard.Deny,
		MCP: map[string]mcp.Server{
			"files": {Command: []string{"npx", "server-filesystem", "."}, Env: map[string]string{"LEVEL": "info"}},
			"docs":  {URL: "https://docs.example/mcp"},
		},
		Cassette: Cassette{
			File: "complete.cassette", Replay: "or-record", Ignore: []string{"metadata.user_id", "messages.*.id"}, Timing: true,
		},
	}
	agent := Agent{
		Command: []string{"./agent", "--model", "small"}, Env: map[string]string{"REGION": "eu", "LEVEL": "3"},
		EnvAllow: []string{"PATH", "API_KEY"}, EnvAllowGiven: true, EnvFile: ".env",
		Files:   []string{"prompts/**"},
		Timeout: 90 * time.Second, Output: "otlp",
		OutputFile: "out.json",
		Retries:    Retries{Infrastructure: 5, Backoff: 0}, Infrastructure: []Cause{NoOutputCause, TimeoutCause},
		WorkingDir: "work", Redact: []string{"API_KEY"}, MaxOutputBytes: 1000, Grace: 2 * time.Second,
		Wire:    wired,
		Confine: &Confine{Write: []string{".", "../${CACHE}"}, Network: confine.Wire, OnMissing: TryMissing},
		Config: &Config{ // with the digests of sha256sum
			Prompt: ConfigFile{
				File: "config/prompt.md", SHA256: "8d319f3bd0ee1ed943e03e368fad13bfe59d003ff7e91ffe58c63a9d3c4b6014",
				Text: "You answer questions about orders.\n[[mutate]]\n- Always be kind.\n- Never promise a refund.\n[[/mutate]]\n",
			},
			Tools: ConfigFile{
				File: "config/tools.json", SHA256: "94fd155167e1c2f29af7c99432ad8b181753dd999baaf28444dcbc3e6060813a",
				Text: `[{"name": "look_up", "input_schema": {"type": "object"}}]` + "\n",
			},
			Model: "small", Models: mutation.Models{SameTier: []string{"other"}, Older: []string{"smaller", "oldest"}},
			Context: ConfigFile{
				File: "config/context.txt", SHA256: "ddec5d1e5ad2e20260292509b250ed3aee2d4c0f7683d9f2c6596305486919cf",
				Text: "The shop opens at nine.\n\nRefunds take a week.\n",
			},
		},
	}
	fast := agent
	fast.Command, fast.Timeout = []string{"./fast"}, 10*time.Second
	// combined is the agent with a model and a prompt.
	combined := func(model, prompt string) Agent {
		a := agent
		a.Env = map[string]string{"REGION": "eu", "LEVEL": "3", "MODEL": model, "PROMPT": prompt + ".txt"}
		if model == "large" {
			a.Grace = 3 * time.Second
		}
		if prompt == "long" {
			a.Timeout = 30 * time.Second
			a.Redact = []string{"API_KEY", "PROMPT"}
		}
		return a
	}
	attacked := Test{
		Hypotheses:    sprt.Hypotheses{Threshold: 0.9995, Delta: 0.0495, Alpha: 0.05, Beta: 0.05},
		AttackSuccess: 0.05, Window: 6 * time.Hour, MaxTrials: 200, Design: sprt.OptimalKind, Prior: beta, By: byScenario,
	}
	matched := Test{Hypotheses: base, Window: 6 * time.Hour, MaxTrials: 200, Design: sprt.OptimalKind, Prior: beta,
		By:      byScenario,
		Against: Against{SideBySide: true, Matched: true, Discordant: 0.3}}
	independent, alone := matched, matched
	independent.Against, alone.Against = Against{SideBySide: true}, Against{}
	want := &Suite{
		File: "testdata/tribunal.yaml", Name: "complete-1.0",
		Agent: agent,
		BaselineAgent: &Agent{
			Command: []string{"./old", "--model", "small"}, Env: map[string]string{"REGION": "us", "MODE": "slow"},
			EnvAllow: []string{"PATH"}, EnvAllowGiven: true, EnvFile: "old.env", Files: []string{"prompts/**"},
			Timeout: 60 * time.Second, Output: "text",
			OutputFile: "old.txt",
			Retries:    Retries{Infrastructure: 5, Backoff: 0}, Infrastructure: []Cause{NoOutputCause, TimeoutCause},
			WorkingDir: "old", Redact: []string{"API_KEY", "OLD_KEY"}, MaxOutputBytes: 2000, Grace: time.Second,
			Wire: wired, Confine: agent.Confine, Config: agent.Config,
		},
		Variants: []Variant{
			{"current", agent},
			{"fast", fast},
			{"small/concise", combined("small", "concise")},
			{"small/long", combined("small", "long")},
			{"large/concise", combined("large", "concise")},
			{"large/long", combined("large", "long")},
		},
		Test: matched,
		Budget: Budget{
			MaxCostUSD: trial.Some(20.0), MaxTokens: trial.Some(int64(2000000)), MaxDuration: 30 * time.Minute,
			MaxTrials: trial.Some(500), PricePerTrial: trial.Some(0.01),
		},
		Calibrate: Calibrate{
			Trials: 12, Shift: []ColumnShift{{"output_tokens", 0.5}, {"turns", -1}}, Power: 0.8, Alpha: 0.01, MaxTrials: 60,
			Test: fingerprint.ShrunkT2,
		},
		Concurrency: 8, LaunchJitter: 250 * time.Millisecond, Order: Listed, Seed: 42, SeedGiven: true, Judge: AtWorker,
		Store: filepath.FromSlash("testdata/runs.db"),
		Coverage: Coverage{
			Minimum: trial.Some(0.6), Tools: []string{"search", "refund"}, Models: []string{"small", "large"},
			Lambda: 40, DefaultExtremes: true, MaxDepth: 6,
			Graph: &graph.Graph{Start: []string{"plan"}, MaxDepth: 6, Nodes: []graph.Node{
				{Name: "plan", To: []string{"find", "refund", "answer"}},
				{Name: "find", Steps: []graph.Step{{Tool: "search"}}, To: []string{"plan"}, End: true},
				{Name: "refund", Steps: []graph.Step{{Tool: "refund"}}, To: []string{"answer"}},
				{Name: "answer", Steps: []graph.Step{{Action: trial.Respond}}},
			}},
			Boundaries: map[string]map[string]coverage.Domain{"refund": {
				"amount":      {Minimum: trial.Some(1.0), Maximum: trial.Some(500.0), Integer: true},
				"rate":        {ExclusiveMinimum: trial.Some(0.0), ExclusiveMaximum: trial.Some(0.5)},
				"address.zip": {MinLength: trial.Some(5), MaxLength: trial.Some(9)},
				"lines[]":     {MinItems: trial.Some(0), MaxItems: trial.Some(3)},
				"currency": {Enum: []trial.Raw{trial.Raw(`"EUR"`), trial.Raw(`"USD"`), trial.Raw("3"),
					trial.Raw("null")}},
				"note":    {Types: []string{"string"}},
				"express": {Enum: []trial.Raw{trial.Raw("false"), trial.Raw("true")}},
			}},
			Weights: map[coverage.Dimension]float64{
				coverage.ToolDimension: 2, coverage.PathDimension: 1, coverage.StateDimension: 0,
				coverage.BoundaryDimension: 0.5, coverage.ModelDimension: 1,
			},
			Targets: map[coverage.Dimension]float64{
				coverage.ToolDimension: 1, coverage.PathDimension: 0.8, coverage.StateDimension: 0.5,
				coverage.BoundaryDimension: 0.9, coverage.ModelDimension: 1,
			},
		},
		Capabilities: []string{"infer", "switch"},
		Gate: Gate{
			Asked:    true,
			Floor:    Floor{MinPassRate: trial.Some(0.85), AllTrials: true},
			Baseline: "main.result.json", MaxAge: 720 * time.Hour, AllowUndecidedRegression: true,
			AllowIdenticalAnswers: true, AllowRepeatedAttempts: true,
			Behaviour: "main.jsonl", Correction: multiplicity.NoCorrection,
		},
		Scenarios: []Scenario{
			{
				Name: "first", Input: trial.Raw(`{"text":"hé","n":[1,2.50,255,null,true],"date":"2026-01-02"}`),
				Tags:   []string{"a", "b", "nightly"},
				Limits: oracle.Limits{MaxTurns: trial.Some(12), MaxCostUSD: trial.Some(2.0)},
				Floor:  Floor{MinPassRate: trial.Some(0.7)}, Test: matched, Evaluate: nil,
			},
			{
				Name: "second", Tags: []string{"nightly"}, Kind: conformanceKind, Capabilities: []string{"switch"},
				Input:  trial.Raw("null"),
				Limits: oracle.Limits{MaxTurns: trial.Some(20), MaxCostUSD: trial.Some(2.0), MaxTokens: trial.Some[int64](90000)},
				Floor:  Floor{MinPassRate: trial.Some(0.75)},
				Test: Test{Hypotheses: own, Window: 6 * time.Hour, MaxTrials: 200, Design: sprt.OptimalKind,
					Against: Against{Baseline: "main.result.json", Guard: 0.85},
					Prior:   Prior{Kind: FilePrior, File: "main.jsonl"}, By: byScenario},
			},
			{
				Name: "third", Tags: []string{"nightly"}, Input: trial.Raw(`"text"`), Trials: 50,
				Expect: oracle.Expectation{
					Status: oracle.TimedOut, Within: 2 * time.Minute, MaxAttempts: 3, MustNotCall: []string{"refund"},
					Denied: []string{"/etc/*"}, NoCanary: true, BilledTokens: trial.Some[int64](0),
				},
				Faults: []fault.Fault{
					{Kind: fault.RateLimit},
					{Kind: fault.Slow, At: 1, Times: 2, Rate: 0.5, Latency: 2 * time.Second, TokensPerSecond: 40},
					{Kind: fault.Overloaded, RetryAfter: time.Second},
					{Kind: fault.UnknownTool, Tool: "search", Name: "refund"},
					{Kind: fault.ToolInjection, Payload: "important", Place: fault.Comment},
					{Kind: fault.HugeResult, Size: 1000},
				},
				Floor: Floor{MinPassRate: trial.Some(0.7)}, Test: alone,
			},
			{
				Name: "fourth", Tags: []string{"nightly"}, Input: trial.Raw(`7`), Limits: oracle.Limits{MaxTurns: trial.Some(12)},
				Floor: Floor{MinPassRate: trial.Some(0.6), Point: true, AllTrials: true}, Test: independent,
			},
			{
				Name: "fifth", Tags: []string{"nightly"}, Kind: SecurityKind, Input: trial.Raw("null"),
				Limits: oracle.Limits{MaxTurns: trial.Some(12), MaxCostUSD: trial.Some(2.0)},
				Floor:  Floor{MinPassRate: trial.Some(0.7)}, Test: attacked,
			},
		},
	}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(Suite{}),
		cmp.FilterPath(func(p cmp.Path) bool {
			return slices.Contains([]string{".digest", ".task", ".programs", ".references", ".inherited", ".dotenvs", ".judgeEnv"},
				p.Last().String())
		}, cmp.Ignore())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const minimal = `
version: 1
name: tiny
agent: {command: [./agent]}
test: {threshold: 0.9}
limits: none
scenarios: [{name: one, input: {a: 1, b: 2}}]
`

func TestDefaults(t *testing.T) {
	s, err := Parse("tribunal.yaml", []byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	if s.Concurrency != 4 || s.Order != Interleaved || s.Seed != 1 || s.Test != s.Scenarios[0].Test ||
		s.Scenarios[0].Limits != (oracle.Limits{}) {
		t.Errorf("%+v", s)
	}
	want := Agent{Command: []string{"./agent"}, Timeout: 5 * time.Minute, Output: OutputAuto,
		Retries: Retries{2, time.Second}, MaxOutputBytes: 16 << 20, Grace: 5 * time.Second}
	if diff := cmp.Diff(want, s.Agent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if h := (sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}); s.Test.Hypotheses != h {
		t.Errorf("%+v", s.Test)
	}
}

// against is a suite around what is said of a test, and further keys.
func against(test, further string) string {
	return "version: 1\nname: tiny\nagent: {command: [./agent], env: {MODEL: small, REGION: eu}}\nlimits: none\n" +
		"test: " + test + "\n" + further
}

// Baselines, in the forms in which a suite may ask for them.
func TestAgainst(t *testing.T) {
	const one, two = "scenarios: [{name: one}]\n", "scenarios: [{name: one, test: "
	const beside = "baseline_agent: {env: {MODEL: old}}\n"
	for _, c := range []struct {
		test, further string
		threshold     float64
		want          Against
		floor         float64
	}{
		{"{baseline: main.json}", one, 0, Against{Baseline: "main.json"}, 0},
		{"{baseline: main.json, threshold: 0.9}", one, 0.9, Against{Baseline: "main.json"}, 0},
		{"{baseline: main.json, guard: 0.8, floor: 0.7}", one, 0, Against{Baseline: "main.json", Guard: 0.8}, 0.7},
		{"{by: suite}", beside + one, 0, Against{SideBySide: true}, 0},
		{"{threshold: 0.9}", beside + one, 0.9, Against{SideBySide: true}, 0},
		{"{pairs: matched}", beside + one, 0, Against{SideBySide: true, Matched: true}, 0},
		{"{pairs: matched, discordant: 0.2}", beside + two + "{delta: 0.15}}]", 0,
			Against{SideBySide: true, Matched: true, Discordant: 0.2}, 0},
		{"{guard: 0.8, floor: 0.7}", beside + two + "{guard: 0.85, floor: 0.6}}]", 0,
			Against{SideBySide: true, Guard: 0.85}, 0.6},
		{"{guard: 0.8}", two + "{baseline: main.json}}]", 0, Against{Baseline: "main.json", Guard: 0.8}, 0},
		// What is for rounds stays with the tests that run in rounds.
		{"{pairs: matched, discordant: 0.2}", beside + "scenarios: [{name: one, test: {baseline: x.json}}, {name: b}]", 0,
			Against{Baseline: "x.json"}, 0},
		{"{guard: 0.8}", beside + "scenarios: [{name: one, test: {baseline: none, threshold: 0.9}}, {name: b}]", 0.9,
			Against{}, 0},
		// A higher bar of the scenario holds, and a rate that is compared goes before the floor.
		{"{baseline: main.json, floor: 0.7}", "scenarios: [{name: one, min_pass_rate: 0.8}]", 0,
			Against{Baseline: "main.json"}, 0.8},
		{"{baseline: main.json, floor: 0.7}", "scenarios: [{name: one, min_pass_rate: 0.6}]", 0,
			Against{Baseline: "main.json"}, 0.7},
	} {
		s := parsed(t, against(c.test, c.further))
		got := s.Scenarios[0]
		if got.Test.Against != c.want || got.Test.Threshold != c.threshold || got.Floor.MinPassRate.Value != c.floor {
			t.Errorf("%s %s: %+v, floor %+v", c.test, c.further, got.Test, got.Floor)
		}
		if declared, err := s.Declared(); err != nil || declared.Scenarios[0].Threshold != max(c.threshold, c.floor) {
			t.Errorf("%s: the rate for coverage is %v (%v)", c.test, declared.Scenarios, err)
		}
	}
}

// A variant changes nothing of the agent and of other variants, and both are part of the digest.
func TestVariantsOverTheAgent(t *testing.T) {
	base := against("{threshold: 0.9}", "scenarios: [{name: one}]\n")
	s := parsed(t, base+"variants: [{name: a, env: {MODEL: large}}, {name: b, env: {REGION: ~, NEW: x}}]\n"+
		"matrix: {k: [{name: c, command: [./c]}]}\nbaseline_agent: {env: {REGION: us}}\n")
	if diff := cmp.Diff(map[string]string{"MODEL": "small", "REGION": "eu"}, s.Agent.Env); diff != "" {
		t.Errorf("the agent's (-want +got):\n%s", diff)
	}
	want := []map[string]string{
		{"MODEL": "large", "REGION": "eu"}, {"MODEL": "small", "NEW": "x"}, {"MODEL": "small", "REGION": "eu"},
	}
	var got []map[string]string
	for _, v := range s.Variants {
		got = append(got, v.Agent.Env)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantLines := []string{
		"variants.a.agent.env.MODEL: large", "variants.b.agent.env.NEW: x", `variants.c.agent.command: ["./c"]`,
	}
	lines := s.AgentSettings()
	if diff := cmp.Diff(wantLines, lines[len(lines)-3:]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantChange := []string{"agent.env.REGION: us -> eu"}
	if diff := cmp.Diff(wantChange, Changed(s.BaselineAgent.Settings(), s.Agent.Settings())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	digests := map[string]string{}
	for _, further := range []string{"", "variants: [{name: a}]\n", "variants: [{name: b}]\n",
		"variants: [{name: a, timeout: 1m}]\n", "matrix: {k: [{name: a}], l: [{name: b}]}\n", "baseline_agent: {}\n",
		"baseline_agent: {timeout: 1m}\n"} {
		s := parsed(t, base+further)
		if other, known := digests[s.Digest()]; known {
			t.Errorf("%q and %q have one digest", further, other)
		}
		digests[s.Digest()] = further
		if s.Task().Digest != parsed(t, base).Task().Digest {
			t.Errorf("%q changes the task", further)
		}
	}
	// What may change between a run and its continuation may of them, too.
	one := parsed(t, base+"baseline_agent: {}\nvariants: [{name: a}]\n").Digest()
	two := parsed(t, base+"baseline_agent: {grace: 1s}\nvariants: [{name: a, grace: 2s}]\n").Digest()
	if one != two {
		t.Error("grace or retries change the digest")
	}
}
