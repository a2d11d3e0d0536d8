package cli

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// recording returns the path of a recorded run of real agents, which are kept
// beside this repository; the test is skipped where they are not.
func recordingFile(t *testing.T, name string) string {
	t.Helper()
	return refdata.Recorded(t, "trials", name+".jsonl.gz")
}

// decode runs a command with --json and decodes the result.
func decode[T any](t *testing.T, wantCode int, args ...string) (result T) {
	t.Helper()
	// A slow machine would be told how far a design is: the clock stands still.
	start := time.Now()
	clock := func() time.Time { return start }
	code, stdout, stderr := tribunal(context.Background(), App{Now: clock}, append(args, "--json", "--ledger", "off")...)
	if code != wantCode || stderr != "" {
		t.Fatalf("%q: exit code %d, want %d; stderr %q", args, code, wantCode, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

// TestAirline checks the published pass^k of tau-bench's airline domain for
// gpt-4o (github.com/sierra-research/tau-bench, README).
func TestAirline(t *testing.T) {
	r := decode[verdict.ThresholdResult](t, ExitFail, "verdict", recordingFile(t, "tau-airline-gpt-4o"), "--threshold",
		"0.5")
	if r.Suite == nil || r.Suite.Passes != 84 || r.Suite.Trials != 200 || r.Suite.Errors != 0 || len(r.Scenarios) != 50 {
		t.Errorf("suite %+v of %d scenarios", r.Suite, len(r.Scenarios))
	}
	for k, want := range map[string]float64{"1": 0.4200, "2": 0.2733, "3": 0.2200, "4": 0.2000} {
		near(t, "pass^"+k, r.Reliability.PassHatK[k], want, 0.00005)
	}
	for k, want := range map[string]float64{"1": 0.4200, "2": 0.5667, "3": 0.6600, "4": 0.7200} {
		near(t, "pass@"+k, r.Reliability.PassAtK[k], want, 0.00005)
	}
	if len(r.Reliability.PassHatK) != 4 || len(r.Reliability.PassAtK) != 4 {
		t.Errorf("pass^k %v, pass@k %v", r.Reliability.PassHatK, r.Reliability.PassAtK)
	}
}

func TestRetailThatGotWorse(t *testing.T) {
	r := decode[compare.Result](t, ExitFail, "compare", recordingFile(t, "retail-gpt-4.1-mini-before"),
		recordingFile(t, "retail-gpt-4.1-mini-after"))
	if r.Baseline.Passes != 79 || r.Baseline.Trials != 114 || r.Candidate.Passes != 67 || r.Candidate.Trials != 114 {
		t.Errorf("%+v -> %+v", r.Baseline, r.Candidate)
	}
	if r.Pairs == nil || r.Pairs.Regressed != 15 || r.Pairs.Fixed != 3 || len(r.Pairs.Flips) != 18 {
		t.Fatalf("pairs %+v", r.Pairs)
	}
	// 2·P(Binomial(18, 1/2) <= 3) = 2·(1+18+153+816)/2^18
	mcnemar, _ := r.Tests.Of(stats.McNemarTest)
	near(t, "two-sided McNemar p", mcnemar.Figure("p_two_sided"), 1976/math.Exp2(18), 1e-12)
	near(t, "two-sided McNemar p", mcnemar.Figure("p_two_sided"), 0.007538, 5e-7)
}

// The user of these runs is simulated, so that no input is that of the other run: the original files give the same
// pairs and the same verdict as trial records of them without inputs.
func TestRetailFromTheOriginalFiles(t *testing.T) {
	var files []string
	for _, name := range []string{"2026-02-21T00_37_20.185158", "2026-02-21T14_34_07.403605"} {
		files = append(files, refdata.Recorded(t, "tau2-retail-runs",
			name+"_retail_llm_agent_gpt-4.1-mini_user_simulator_gpt-4.1-mini.jsonl.gz"))
	}
	code, stdout, stderr := tribunal(context.Background(), App{}, "compare", files[0], files[1], "--json", "--ledger",
		"off")
	var r compare.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != ExitFail {
		t.Fatalf("exit code %d: %v; %s", code, err, stderr)
	}
	if r.Pairs == nil || r.Pairs.Pairs != 114 || r.Pairs.Regressed != 15 || r.Pairs.Fixed != 3 {
		t.Fatalf("%+v", r.Pairs)
	}
	mcnemar, _ := r.Tests.Of(stats.McNemarTest)
	if r.DecidedBy != stats.McNemarTest {
		t.Errorf("decided by %v", r.DecidedBy)
	}
	near(t, "two-sided McNemar p", mcnemar.Figure("p_two_sided"), 1976/math.Exp2(18), 1e-12)
	// One p-value decides and one interval is shown: both say that it is worse.
	if r.Difference.High >= 0 || *r.Difference.Value > -0.105 {
		t.Errorf("difference %+v", r.Difference)
	}
	for _, m := range r.Metrics {
		if d := m.Difference; d.Low == nil || (m.P <= r.Alpha) != (*d.Low > 0 || *d.High < 0) {
			t.Errorf("%v has p %v beside %+v", m.Name, m.P, d)
		}
	}
}

func TestRetailThatDidNotGetWorse(t *testing.T) {
	after, later := recordingFile(t, "retail-gpt-4.1-mini-after"), recordingFile(t, "retail-gpt-4.1-mini-later")
	code, _, stderr := tribunal(context.Background(), App{}, "compare", after, later, "--ledger", "off")
	if code != ExitPass && code != ExitInconclusive {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	r := decode[compare.Result](t, code, "compare", after, later)
	if r.Pairs == nil || r.Pairs.Regressed != 12 || r.Pairs.Fixed != 11 {
		t.Errorf("pairs %+v", r.Pairs)
	}
}

func TestRetailThatGotDearer(t *testing.T) {
	base, harness := recordingFile(t, "retail-gemini-3-flash-base"), recordingFile(t, "retail-gemini-3-flash-harness")
	code, _, stderr := tribunal(context.Background(), App{}, "compare", base, harness, "--ledger", "off")
	if code != ExitPass && code != ExitInconclusive {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	r := decode[compare.Result](t, code, "compare", base, harness)
	if r.Baseline.Passes != 89 || r.Baseline.Trials != 110 || r.Baseline.Errors != 4 || r.Candidate.Passes != 88 ||
		r.Candidate.Trials != 113 || r.Candidate.Errors != 1 {
		t.Errorf("%+v -> %+v", r.Baseline, r.Candidate)
	}
	found := 0
	for _, m := range r.Metrics {
		switch m.Name {
		case recording.ToolCallsMetric:
			near(t, "tool calls before", m.Baseline.Mean, 866.0/110, 1e-9)
			near(t, "tool calls after", m.Candidate.Mean, 2491.0/113, 1e-9)
		case recording.CostMetric:
			near(t, "cost before", m.Baseline.Total, 1.74, 0.005)
			near(t, "cost after", m.Candidate.Total, 7.43, 0.005)
		default:
			continue
		}
		found++
		if !m.Changed {
			t.Errorf("%v is not shown as changed: %+v", m.Name, m)
		}
	}
	if found != 2 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}
