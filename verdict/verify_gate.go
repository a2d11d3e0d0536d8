package verdict

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/coverage"
)

// verifyGate verifies the run, coverage and behaviour, and judges again by what the
// gate asked for.
func verifyGate(g *GateResult) (*Verification, error) {
	if err := checkExit(g.Decision.Verdict(), g.ExitCode); err != nil {
		return nil, err
	}
	run, err := verifyRun(g.Run)
	if err != nil {
		return nil, within("run", err)
	}
	v := &Verification{Verdict: g.Decision.Verdict(), Skipped: []string{}}
	v.add("run", run)
	if g.Asked == nil {
		return v, verifyDecision(g, v)
	}
	o, err := g.Asked.options(g.Run)
	if err != nil {
		return nil, within("asked", err)
	}
	if o.Coverage, err = verifyCoverage(g.Coverage, v); err != nil {
		return nil, within("coverage", err)
	}
	if o.Behaviour, err = verifyBehaviour(g.Behaviour, v); err != nil {
		return nil, within("behaviour", err)
	}
	again, err := JudgeGate(g.Run, o)
	if err != nil {
		return nil, err
	}
	w := &comparisonWalk{given: []string{"exit_code", "run", "coverage", "behaviour", "asked.baseline.run"}}
	if err := w.compare(g, again); err != nil {
		return nil, err
	}
	v.Compared += w.compared
	return v, nil
}

// verifyDecision verifies of a gate that does not say what it asked for that the
// decision follows from the rules.
func verifyDecision(g *GateResult, v *Verification) error {
	again := &GateResult{Rules: g.Rules}
	again.decide()
	if again.Decision != g.Decision {
		return &DifferenceError{"decision", g.Decision.String(), again.Decision.String()}
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
			return &DifferenceError{fmt.Sprintf("run.scenarios[%d].verdict", i), t.Verdict.String(), "a rule that does not hold"}
		}
	}
	v.Compared++
	v.Skipped = append(v.Skipped, "rules", "coverage", "behaviour", "baseline")
	return nil
}

// verifyCoverage measures again from the counts. Coverage without them is taken as it
// is.
func verifyCoverage(c *coverage.Result, v *Verification) (*coverage.Result, error) {
	if c == nil {
		return nil, nil
	}
	if c.Counts == nil {
		v.Skipped = append(v.Skipped, "coverage")
		return c, nil
	}
	if err := c.Counts.Validate(); err != nil {
		return nil, &DifferenceError{"counts", err.Error(), "counts of trials"}
	}
	again := c.Counts.Measure()
	w := &comparisonWalk{given: []string{"counts"}}
	if err := w.compare(c, again); err != nil {
		return nil, err
	}
	v.Compared += w.compared
	return again, nil
}
