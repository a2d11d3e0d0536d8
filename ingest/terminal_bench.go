package ingest

import (
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// Terminal-Bench writes {results: [{task_id, trial_name, is_resolved, failure_mode}]},
// and each of the results in a file of its own, too.
func showsTerminalBench(s *shape) bool {
	n := s.first()
	return !s.array && (isTerminalBenchResult(n) || isTerminalBenchResult(n.at("results").first()))
}

func isTerminalBenchResult(n node) bool { return n.has("task_id", "trial_name", "is_resolved") }

func readTerminalBench(in *input) error {
	return in.records(func(n node, line int) error {
		results := n.at("results").list()
		if isTerminalBenchResult(n) {
			results = []node{n}
		}
		for _, r := range results {
			if !isTerminalBenchResult(r) {
				in.notes.skip(noResults)
				continue
			}
			if err := in.emitTrace(terminalBenchTrial(in, r, line)); err != nil {
				return err
			}
		}
		return nil
	})
}

// attemptOf is the number of a trial in its name: hello-world.1-of-3.run.
var attemptOf = lazy.Regexp(`\.(\d{1,9})-of-\d{1,9}(?:\.|$)`)

func terminalBenchTrial(in *input, n node, line int) *trace {
	t := newTrace(in, line)
	t.Steps = nil
	t.Scenario = validText(n.at("task_id").text())
	if m := attemptOf().FindStringSubmatch(n.at("trial_name").text()); m != nil {
		t.Index = wholeNumber(m[1])
	}
	t.Input = rawText(n.at("instruction").text())
	t.InputTokens = nonZero(n.at("total_input_tokens"))
	t.OutputTokens = nonZero(n.at("total_output_tokens"))
	stage := "agent" // without setting up and testing
	if !n.at("agent_started_at").exists() {
		stage = "trial"
	}
	t.addTime(n.at(stage + "_started_at").time())
	t.addTime(n.at(stage + "_ended_at").time())
	t.setTag("trial_name", n.at("trial_name"))
	t.setTag("failure_mode", n.at("failure_mode"))
	terminalBenchOutcome(t, n)
	return t
}

// nonZero returns a count that is not 0: agents that are installed write 0 for
// tokens that they do not count.
func nonZero(n node) trial.Optional[int64] {
	if c := n.count(); c.Value > 0 {
		return c
	}
	return trial.Optional[int64]{}
}

// terminalBenchOutcome judges. The tests run also after most failures of the agent,
// so that a trial can be resolved in spite of one.
func terminalBenchOutcome(t *trace, n node) {
	resolved, mode := n.at("is_resolved").truth(), n.at("failure_mode").text()
	broken := mode == "agent_installation_failed" || mode == "unknown_agent_error"
	if mode == "unset" || mode == "none" {
		mode = ""
	}
	switch {
	case resolved.Value:
		t.Outcome = trial.Pass
	case broken:
		t.setInfrastructureError(mode, "")
	case resolved.Known:
		t.Outcome = trial.Fail
		if mode != "" {
			t.Error = &trial.Cause{Type: validText(mode)}
		}
	case mode != "":
		t.Outcome, t.Error = trial.Error, &trial.Cause{Type: validText(mode)}
	}
}
