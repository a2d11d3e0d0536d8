package paper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What the tables are made of is what closed forms say.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares behaviour some hundred times")
	}
	r, err := Measure(context.Background(), Options{Short: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	by := make(map[string]Approach)
	for _, a := range r.Approaches {
		by[a.Name] = a
	}
	// An agent that passes every trial: Wald's test ends at the first n with n·ln(0.9/0.8) >= ln(0.95/0.10).
	wald := math.Ceil(math.Log(.95/.10) / math.Log(.9/.8))
	for name, want := range map[string]float64{"fixed": 100, "sprt": wald, "fingerprint": wald, "offline": 0} {
		if a := by[name]; a.Trials.Mean != want || a.Trials.SD != 0 {
			t.Errorf("%s takes %v trials, want %v", name, a.Trials, want)
		}
	}
	for _, name := range []string{"fixed", "sprt", "optimal"} {
		if a := by[name]; a.Found.Count+a.Alarms.Count != 0 || a.Found.Of != 60 || a.Alarms.Of != 60 {
			t.Errorf("%s found %v, %v", name, a.Found, a.Alarms)
		}
	}
	if by["optimal"].Trials.Mean >= wald || by["budget"].Trials.Mean < wald {
		t.Errorf("optimal takes %v, with a budget %v", by["optimal"].Trials, by["budget"].Trials)
	}
	// A change that T² finds in 86 % of the cases, at level 0.05: within three standard errors, or more surely.
	if found, e := by["fingerprint"].Found.Value(); found < .86-3*e {
		t.Errorf("found %.2f", found)
	}
	for _, a := range r.Approaches {
		if alarms, e := a.Alarms.Value(); alarms > alpha+3*math.Max(e, math.Sqrt(alpha*(1-alpha)/60)) {
			t.Errorf("%s: false alarms %.2f", a.Name, alarms)
		}
	}
	// The costs are those that the agents were given, and what the paper prints of models.
	for _, c := range r.ByModel {
		if c.Paper == nil || math.Abs(c.Fixed-c.Paper.Fixed) > .12*c.Paper.Fixed {
			t.Errorf("%+v, paper %+v", c, c.Paper)
		}
	}
	for _, m := range r.Models {
		if n := float64(m.Trials); n != 1050 || math.Abs(m.Tokens.Mean-m.Paper.Tokens) > 4*m.Paper.TokensSD/math.Sqrt(n) {
			t.Errorf("%+v, paper %+v", m, m.Paper)
		}
	}
	// Violations that are certain are all found, and nothing is found where there are none. Of those that five times the
	// calls (Poisson) or the tokens (lognormal) are, so many pass four times the mean of 50 trials: by numpy, 10^6 draws.
	for _, e := range r.Experiments {
		for _, f := range e.Found {
			want, is := map[string]float64{
				"known tools: planted, found": 1, "an answer at the end: planted, found": 1, "known tools: false alarms": 0,
				"calls, 4 times the mean: planted, found": .659, "tokens, 4 times the mean: planted, found": .732,
			}[f.Name]
			if got, _ := f.Share.Value(); is && math.Abs(got-want) > .08*4*want*(1-want) {
				t.Errorf("%s %s: %v, want %v", e.Name, f.Name, got, want)
			}
		}
	}
	if e := r.Example; math.Abs(e.Fixed-750) > 1e-9 || math.Abs(e.Paper-11.10) > 1e-9 ||
		math.Abs(e.Converged-0.88452) > 1e-9 ||
		math.Abs(e.FailureLimit-.5271) > 1e-4 {
		t.Errorf("%+v", e)
	}
	if p := r.Theorem; math.Abs(p.Low-.0018) > 1e-12 || math.Abs(p.High-.216) > 1e-12 {
		t.Errorf("%+v", p)
	}
	var csv bytes.Buffer
	if err := r.Records().WriteCSV(&csv); err != nil || !strings.Contains(csv.String(), "5,sprt,trials,20,22\n") {
		t.Errorf("%v\n%s", err, csv.String())
	}
	if text, err := json.Marshal(r); err != nil || bytes.Contains(text, []byte("NaN")) {
		t.Error(err)
	}
}

// models is a suite of two variants, of which each trial is noted.
func models(t *testing.T) (file string, started func() int) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the agents need a shell")
	}
	folder := t.TempDir()
	file = filepath.Join(folder, "models.yaml")
	agent := `echo x >>%s; echo '{"outcome":"pass","cost_usd":0.01,"output_tokens":'%s',"steps":[{"action":"call_tool","tool":"look"},{"action":"respond"}]}'`
	text := fmt.Sprintf(`version: 1
name: models
limits: none
test: {threshold: 0.9, delta: 0.1}
agent: {command: [sh, -c, %q]}
variants:
  - {name: small, command: [sh, -c, %q]}
  - {name: large, command: [sh, -c, %q]}
scenarios: [{name: a}, {name: b}]
`, fmt.Sprintf(agent, "started", "1"), fmt.Sprintf(agent, "started", "10$(($$ % 7))"), fmt.Sprintf(agent, "started", "90$(($$ % 7))"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, func() int {
		text, err := os.ReadFile(filepath.Join(folder, "started"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte("\n"))
	}
}

// The recording that is shipped has what its runs printed: 17, 16 and 19 passes of 20 by each program.
func TestShippedRecording(t *testing.T) {
	r, err := Read(t.Context(), filepath.Join("..", "..", "testdata", "agents.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.agents) != 3 || len(r.kinds) != 3 {
		t.Fatalf("agents %q, scenarios %q", r.agents, r.kinds)
	}
	for a := range r.agents {
		for k, kind := range r.kinds {
			want := map[string]int{"plain": 17, "hasty": 16, "thorough": 19}[kind]
			if c := countsOf(r.cells[a][k]); c.Passes != want || c.Trials != 20 {
				t.Errorf("%s, %s: %v, want %d of 20", r.agents[a], kind, c, want)
			}
		}
	}
	if _, err := Read(t.Context(), filepath.Join("..", "..", "..", "examples", "refunds", "tribunal.yaml")); err == nil {
		t.Error("a suite is read as a recording")
	}
}

// Agents of a suite are run once, within a budget, and what was run is not run again.
func TestRecordedAgents(t *testing.T) {
	file, started := models(t)
	ctx := context.Background()
	if _, err := Record(ctx, file, RecordOptions{Trials: LeastTrials - 1}); !errors.Is(err, ErrFewTrials) {
		t.Errorf("%v", err)
	}
	o := RecordOptions{Trials: 30, Seed: 1, Concurrency: 2, MaxCostUSD: 0.5}
	if _, err := Record(ctx, file, o); !errors.Is(err, ErrUnfinished) {
		t.Fatalf("of half a dollar: %v", err)
	}
	if n := started(); n == 0 || n > 50 {
		t.Fatalf("%d trials for half a dollar", n)
	}
	o.Resume, o.MaxCostUSD = true, 0
	last := 0
	o.Progress = func(done, all int) {
		if all != 120 {
			t.Errorf("of %d", all)
		}
		last = max(last, done)
	}
	recorded, err := Record(ctx, file, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := started(); n != 120 || last != 120 || math.Abs(recorded.Spent-1.2) > 1e-9 {
		t.Errorf("%d trials, progress %d, %v dollars", n, last, recorded.Spent)
	}
	r, err := Measure(ctx, Options{Short: true, Seed: 1, Recorded: recorded})
	if err != nil {
		t.Fatal(err)
	}
	if r.Agents != "models" || r.Pairs != 4 || len(r.Models) != 2 || r.Models[0].Name != "small" {
		t.Errorf("%s, %d pairs, models %+v", r.Agents, r.Pairs, r.Models)
	}
	for _, a := range r.Approaches {
		// Another variant writes nine times as much: it cannot be missed.
		if a.Name == "fingerprint" && (a.Found.Count != 20 || a.Alarms.Count > 5) {
			t.Errorf("found %v, false alarms %v", a.Found, a.Alarms)
		}
	}
}
