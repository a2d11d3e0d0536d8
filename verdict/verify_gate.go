package verdict

import "fmt"

// verifyGate verifies the run, and that the decision follows from the rules. What the
// rules found besides is not recomputed: coverage, behaviour and the baseline are read
// from elsewhere.
func verifyGate(g *GateResult) (*Verification, error) {
	v, err := verifyRun(g.Run)
	if err != nil {
		return nil, err
	}
	again := &GateResult{Rules: g.Rules}
	again.decide()
	if again.Decision != g.Decision {
		return nil, &DifferenceError{"decision", g.Decision.String(), again.Decision.String()}
	}
	for i, t := range g.Run.Tests {
		if t.Verdict == Pass {
			continue
		}
		holds := false
		for _, r := range g.Rules {
			holds = holds || r.Name == "suite-verdict" && r.Scenario == t.Name && r.Outcome != RuleHolds
		}
		if !holds {
			return nil, &DifferenceError{fmt.Sprintf("run.scenarios[%d].verdict", i), t.Verdict.String(), "a rule that does not hold"}
		}
	}
	if err := checkExit(g.Decision.Verdict(), g.ExitCode); err != nil {
		return nil, err
	}
	return &Verification{g.Decision.Verdict(), v.Compared + 1, append(v.Skipped, "rules", "coverage", "behaviour", "baseline")}, nil
}
