package benchmarks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// Terminal-Bench writes {results: [{task_id, trial_name, is_resolved, failure_mode}]},
// and each of the results in a file of its own, too.
//
//	{"results":[{"task_id":"hello-world","trial_name":"hello-world.1-of-3.run","is_resolved":true,
//	  "failure_mode":"unset","agent_started_at":"...","total_input_tokens":0}]}
func showsTerminalBench(s *record.Shape) bool {
	n := s.First()
	return !s.Array && (isTerminalBenchResult(n) || isTerminalBenchResult(n.At("results").First()))
}

// isTerminalBenchResult reports whether n is one result; a list of tests has other names.
func isTerminalBenchResult(n record.Node) bool { return n.Has("task_id", "trial_name", "is_resolved") }

// TerminalBench decodes Terminal-Bench results.
var TerminalBench = record.Decoder{Shows: showsTerminalBench, Read: readTerminalBench, Results: true}

// readTerminalBench makes a trial of each result, of a whole run or of a single trial.
func readTerminalBench(in *record.Input) error {
	return in.Records(func(n record.Node, line int) error {
		results := n.At("results").List()
		if isTerminalBenchResult(n) {
			results = []record.Node{n}
		}
		for _, r := range results {
			if !isTerminalBenchResult(r) {
				in.Notes.Skip(record.NoResults)
				continue
			}
			if err := in.EmitTrace(terminalBenchTrial(in, r, line)); err != nil {
				return err
			}
		}
		return nil
	})
}

// attemptOf is the number of a trial in its name: hello-world.1-of-3.run.
var attemptOf = lazy.Regexp(`\.(\d{1,9})-of-\d{1,9}(?:\.|$)`)

// terminalBenchTrial reads one result. Its steps are unknown: they are in recordings of the
// terminal.
func terminalBenchTrial(in *record.Input, n record.Node, line int) *record.Trace {
	t := record.NewTrace(in, line)
	t.Steps = nil
	if t.ID = n.Either("id", "uuid").Text(); t.ID == "" && n.At("trial_started_at").IsText() {
		t.ID = n.At("trial_name").Text() + " " + n.At("trial_started_at").Text()
	}
	t.Scenario = record.ValidText(n.At("task_id").Text())
	if m := attemptOf().FindStringSubmatch(n.At("trial_name").Text()); m != nil {
		t.Index = record.WholeNumber(m[1])
	}
	t.Input = record.RawText(n.At("instruction").Text())
	t.InputTokens = nonZero(n.At("total_input_tokens"))
	t.OutputTokens = nonZero(n.At("total_output_tokens"))
	stage := "agent" // without setting up and testing
	if !n.At("agent_started_at").Exists() {
		stage = "trial"
	}
	t.AddTime(n.At(stage + "_started_at").Time())
	t.AddTime(n.At(stage + "_ended_at").Time())
	t.SetTag("trial_name", n.At("trial_name"))
	t.SetTag("failure_mode", n.At("failure_mode"))
	terminalBenchOutcome(t, n)
	return t
}

// nonZero returns a count that is not 0: agents that are installed write 0 for
// tokens that they do not count.
func nonZero(n record.Node) trial.Optional[int64] {
	if c := n.Count(); c.Value > 0 {
		return c
	}
	return trial.Optional[int64]{}
}

// terminalBenchOutcome judges. The tests run also after most failures of the agent,
// so that a trial can be resolved in spite of one.
func terminalBenchOutcome(t *record.Trace, n record.Node) {
	resolved, mode := n.At("is_resolved").Truth(), n.At("failure_mode").Text()
	// The agent was not there, or what surrounds it broke in a way that has no name.
	broken := mode == "agent_installation_failed" || mode == "unknown_agent_error"
	if mode == "unset" || mode == "none" {
		mode = ""
	}
	switch {
	case resolved.Value:
		t.Outcome = trial.Pass
	case broken:
		t.SetInfrastructureError(mode, "")
	case resolved.Known:
		t.Outcome = trial.Fail
		if mode != "" {
			t.Error = &trial.Cause{Type: record.ValidText(mode)}
		}
	// Not tested, because the agent failed first: no verdict.
	case mode != "":
		t.Outcome, t.Error = trial.Error, &trial.Cause{Type: record.ValidText(mode)}
	}
}
