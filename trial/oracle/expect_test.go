package oracle

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// How a trial ended, as its record says: by its outcome and its error.
func TestEndOf(t *testing.T) {
	cause := func(origin trial.Origin, kind string) *trial.Cause {
		return &trial.Cause{Origin: origin, Type: kind, Message: "m"}
	}
	const infrastructure = trial.InfrastructureOrigin
	for _, c := range []struct {
		name    string
		outcome trial.Outcome
		cause   *trial.Cause
		want    End
	}{
		{"pass", trial.Pass, nil, End{Status: Completed}},
		{"answer", trial.Unjudged, nil, End{Status: Completed}},
		{"told failure", trial.Fail, nil, End{Status: Failed, Text: "reported as failed"}},
		{"exit code", trial.Fail, cause("", "exit"), End{Status: Failed, Text: "m"}},
		{"exit code of a pass", trial.Pass, cause("", "exit"), End{Status: Failed, Text: "m"}},
		{"timeout", trial.Fail, cause("", "timeout"), End{Status: TimedOut, Text: "m"}},
		{"timeout as an error", trial.Error, cause(infrastructure, "timeout"), End{TimedOut, true, "m"}},
		{"exit code as an error", trial.Error, cause(infrastructure, "exit"), End{Failed, true, "m"}},
		{"status as an error", trial.Error, cause(infrastructure, "status"), End{Failed, true, "m"}},
		{"output as an error", trial.Error, cause(infrastructure, "output"), End{Failed, true, "m"}},
		{"signal", trial.Error, cause(infrastructure, "signal"), End{Errored, true, "m"}},
		{"told error", trial.Error, cause("", "timeout"), End{Errored, true, "m"}},
		{"error", trial.Error, nil, End{Errored, true, ""}},
		{"lost", trial.Error, cause(infrastructure, "lost"), End{}},
		{"not started", trial.Error, cause(infrastructure, "start"), End{}},
		{"not judged", trial.Error, cause(JudgeOrigin, "judge"), End{}},
	} {
		record := &trial.Trial{Scenario: "s", Outcome: c.outcome, Error: c.cause}
		if diff := cmp.Diff(c.want, EndOf(record)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if x := (Expectation{Status: Errored}); x.Admits(record) != (c.outcome != trial.Error || c.want.Known() ||
			c.name == "not judged") {
			t.Errorf("%s: admitted: %v", c.name, x.Admits(record))
		}
	}
}

// What was noted when a trial was judged goes before what its outcome says, which the judgement changed.
func TestEndIsKept(t *testing.T) {
	record := &trial.Trial{Scenario: "s", Outcome: trial.Fail}
	x := Expectation{Status: Failed}
	for range 2 {
		j := Judge(t.Context(), Evidence{Trial: record}, []Evaluator{x.Evaluator()}, Limits{})
		if err := j.Record(record); err != nil || record.Outcome != trial.Pass {
			t.Fatalf("%v %+v", err, j)
		}
		if got := EndOf(record).Status; got != Failed {
			t.Errorf("it %s", got)
		}
	}
	var e End
	for _, text := range []string{`{"status":"late"}`, `[]`} {
		if json.Unmarshal([]byte(text), &e) == nil {
			t.Errorf("%s is an end", text)
		}
	}
	// Without an expectation nothing is noted.
	if j := Judge(t.Context(), Evidence{Trial: record}, []Evaluator{fixed(passing)}, Limits{}); j.Ended.Known() {
		t.Errorf("%+v", j.Ended)
	}
}

func TestExpectation(t *testing.T) {
	took := func(seconds float64) *trial.Trial {
		return &trial.Trial{Scenario: "s", DurationSeconds: trial.Some(seconds)}
	}
	for _, c := range []struct {
		x     Expectation
		end   End
		trial *trial.Trial
		want  trial.Outcome
		text  string
	}{
		{Expectation{Status: TimedOut}, End{Status: TimedOut, Text: "too slow"}, took(1), trial.Pass,
			"as expected, it timed out: too slow"},
		{Expectation{Status: TimedOut}, End{Status: Completed}, took(1), trial.Fail, "expected timed-out, and it completed"},
		{Expectation{Status: Errored}, End{TimedOut, true, ""}, took(1), trial.Pass, "as expected, it timed out"},
		{Expectation{Status: Errored}, End{Status: TimedOut}, took(1), trial.Fail, "expected errored, and it timed out"},
		{Expectation{Status: Completed}, End{Errored, true, "no network"}, took(1), trial.Fail,
			"expected completed, and it ended in an error: no network"},
		{Expectation{Status: Completed, Within: 2 * time.Second}, End{Status: Completed}, took(2), trial.Pass,
			"as expected, it completed, after 2 s of 2s"},
		{Expectation{Status: Completed, Within: 2 * time.Second}, End{Status: Completed}, took(2.25), trial.Fail,
			"expected completed within 2s, and it took 2.25 s"},
		{Expectation{Status: Completed, Within: 2 * time.Second}, End{Status: Completed}, &trial.Trial{Scenario: "s"},
			trial.Error,
			"expected within 2s; the duration is not known"},
		// What ended otherwise has failed, however long it took.
		{Expectation{Status: Completed, Within: 2 * time.Second}, End{Status: Failed}, &trial.Trial{Scenario: "s"},
			trial.Fail, "expected completed, and it failed"},
		{Expectation{Status: Errored}, End{}, &trial.Trial{Outcome: trial.Error, Error: &trial.Cause{Origin: JudgeOrigin}},
			trial.Error,
			"expected errored; how the agent ended is not known"},
	} {
		got := c.x.Evaluator().Evaluate(t.Context(), Evidence{Trial: c.trial, End: c.end})
		if got.Outcome != c.want || got.Text != c.text || got.Evaluator != ExpectName {
			t.Errorf("%+v of %+v: %+v", c.x, c.end, got)
		}
	}
}
