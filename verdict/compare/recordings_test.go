package compare

import (
	"context"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

func recordedAgent(t *testing.T, name string) *recording.Recording {
	r := &recording.Recording{Name: name}
	sample.Trials(t, name, r.Add)
	return r
}

// pass^k are the numbers that the authors of tau-bench published for this run.
func TestTauBenchAirline(t *testing.T) {
	var tallies verdict.Tallies
	sample.Trials(t, "tau-airline-gpt-4o", tallies.Add)
	result, err := verdict.JudgeThreshold(t.Context(), tallies.List(), verdict.ThresholdOptions{Threshold: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != verdict.Fail || result.Suite.Passes != 84 || result.Suite.Trials != 200 {
		t.Errorf("%v with %d of %d, want fail with 84 of 200", result.Verdict, result.Suite.Passes, result.Suite.Trials)
	}
	for k, want := range map[string][2]float64{"1": {0.42, 0.42}, "2": {0.2733, 0.5667}, "3": {0.22, 0.66},
		"4": {0.2, 0.72}} {
		refdata.Close(t, "pass^"+k, result.Reliability.PassHatK[k], want[0], 2e-4)
		refdata.Close(t, "pass@"+k, result.Reliability.PassAtK[k], want[1], 2e-4)
	}
}

func TestRetailRegression(t *testing.T) {
	result, err := Judge(context.Background(), recordedAgent(t, "retail-gpt-4.1-mini-before"),
		recordedAgent(t, "retail-gpt-4.1-mini-after"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != verdict.Fail || result.Baseline.Passes != 79 || result.Candidate.Passes != 67 ||
		result.Candidate.Trials != 114 {
		t.Errorf("%v, %d -> %d of %d", result.Verdict, result.Baseline.Passes, result.Candidate.Passes,
			result.Candidate.Trials)
	}
	if result.Pairs == nil || result.Pairs.Regressed != 15 || result.Pairs.Fixed != 3 {
		t.Fatalf("pairs %+v", result.Pairs)
	}
	// Computed by the recordings' editors in Python.
	mcnemar, _ := result.Tests.Of(stats.McNemarTest)
	refdata.Close(t, "two-sided p", mcnemar.Figure("p_two_sided"), 0.007538, 1e-4)
}

func TestRetailWithoutRegression(t *testing.T) {
	result, err := Judge(context.Background(), recordedAgent(t, "retail-gpt-4.1-mini-after"),
		recordedAgent(t, "retail-gpt-4.1-mini-later"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict == verdict.Fail || result.Pairs.Regressed != 12 || result.Pairs.Fixed != 11 {
		t.Errorf("%v, pairs %+v", result.Verdict, result.Pairs)
	}
}

func TestRetailHarness(t *testing.T) {
	result, err := Judge(context.Background(), recordedAgent(t, "retail-gemini-3-flash-base"),
		recordedAgent(t, "retail-gemini-3-flash-harness"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, c := result.Baseline, result.Candidate
	if result.Verdict == verdict.Fail || b.Passes != 89 || b.Trials != 110 || b.Errors != 4 || c.Passes != 88 ||
		c.Trials != 113 || c.Errors != 1 {
		t.Errorf("%v, baseline %+v, candidate %+v", result.Verdict, b, c)
	}
	for _, m := range result.Metrics {
		switch m.Name {
		case recording.ToolCallsMetric:
			// Counted by hand over the trials that did not end in an error of infrastructure.
			refdata.Close(t, "baseline tool calls", m.Baseline.Mean, 866.0/110, 1e-12)
			refdata.Close(t, "candidate tool calls", m.Candidate.Mean, 2491.0/113, 1e-12)
		case recording.CostMetric:
			refdata.Close(t, "baseline cost", m.Baseline.Total, 1.74, 0.005)
			refdata.Close(t, "candidate cost", m.Candidate.Total, 7.43, 0.005)
		default:
			continue
		}
		if !m.Changed {
			t.Errorf("%v is not shown as changed: %+v", m.Name, m)
		}
	}
}
