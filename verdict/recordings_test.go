package verdict

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/trial"
)

// recordings are runs of real agents that are not part of the repository; the
// tests that need them are skipped where they are absent.
const recordings = "../../shared/data/trials"

func eachTrial(t *testing.T, name string, use func(*trial.Trial)) {
	t.Helper()
	path := filepath.Join(recordings, name+".jsonl.gz")
	file, err := os.Open(path)
	if err != nil {
		t.Skipf("the recording %s is not there", path)
	}
	defer file.Close()
	for record, err := range trial.Read(file, trial.Options{File: path}) {
		if err != nil {
			t.Fatal(err)
		}
		use(record)
	}
}

func recording(t *testing.T, name string) *Recording {
	r := &Recording{Name: name}
	eachTrial(t, name, r.Add)
	return r
}

// pass^k are the numbers that the authors of tau-bench published for this run.
func TestTauBenchAirline(t *testing.T) {
	var tallies Tallies
	eachTrial(t, "tau-airline-gpt-4o", tallies.Add)
	result, err := JudgeThreshold(tallies.List(), ThresholdOptions{Threshold: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != Fail || result.Suite.Passes != 84 || result.Suite.Trials != 200 {
		t.Errorf("%v with %d of %d, want fail with 84 of 200", result.Verdict, result.Suite.Passes, result.Suite.Trials)
	}
	for k, want := range map[string][2]float64{"1": {0.42, 0.42}, "2": {0.2733, 0.5667}, "3": {0.22, 0.66}, "4": {0.2, 0.72}} {
		refdata.Close(t, "pass^"+k, result.Reliability.PassHatK[k], want[0], 2e-4)
		refdata.Close(t, "pass@"+k, result.Reliability.PassAtK[k], want[1], 2e-4)
	}
}

func TestRetailRegression(t *testing.T) {
	result, err := Compare(recording(t, "retail-gpt-4.1-mini-before"), recording(t, "retail-gpt-4.1-mini-after"), CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != Fail || result.Baseline.Passes != 79 || result.Candidate.Passes != 67 || result.Candidate.Trials != 114 {
		t.Errorf("%v, %d -> %d of %d", result.Verdict, result.Baseline.Passes, result.Candidate.Passes, result.Candidate.Trials)
	}
	if result.Pairs == nil || result.Pairs.Broke != 15 || result.Pairs.Mended != 3 {
		t.Fatalf("pairs %+v", result.Pairs)
	}
	// Computed by the recordings' editors in Python.
	refdata.Close(t, "two-sided p", result.Tests.McNemar.PTwoSided, 0.007538, 1e-4)
}

func TestRetailWithoutRegression(t *testing.T) {
	result, err := Compare(recording(t, "retail-gpt-4.1-mini-after"), recording(t, "retail-gpt-4.1-mini-later"), CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict == Fail || result.Pairs.Broke != 12 || result.Pairs.Mended != 11 {
		t.Errorf("%v, pairs %+v", result.Verdict, result.Pairs)
	}
}

func TestRetailHarness(t *testing.T) {
	result, err := Compare(recording(t, "retail-gemini-3-flash-base"), recording(t, "retail-gemini-3-flash-harness"), CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, c := result.Baseline, result.Candidate
	if result.Verdict == Fail || b.Passes != 89 || b.Trials != 110 || b.Errors != 4 || c.Passes != 88 || c.Trials != 113 || c.Errors != 1 {
		t.Errorf("%v, baseline %+v, candidate %+v", result.Verdict, b, c)
	}
	for _, m := range result.Metrics {
		switch m.Name {
		case ToolCallsMetric:
			refdata.Close(t, "baseline tool calls", m.Baseline.Mean, 7.6, 0.005)
			refdata.Close(t, "candidate tool calls", m.Candidate.Mean, 21.85, 0.005)
		case CostMetric:
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
