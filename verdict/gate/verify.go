package gate

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Verify verifies the run, coverage and behaviour, and judges again by what the
// gate asked for.
func Verify(ctx context.Context, g *Result) (*recheck.Verification, error) {
	if err := recheck.CheckExit(g.Decision.Verdict(), g.ExitCode); err != nil {
		return nil, err
	}
	run, err := runs.Verify(g.Run)
	if err != nil {
		return nil, recheck.Within("run", err)
	}
	v := &recheck.Verification{Verdict: g.Decision.Verdict(), Skipped: []string{}}
	v.Add("run", run)
	if g.Asked == nil {
		return v, verifyDecision(g, v)
	}
	o, err := g.Asked.options(g.Run)
	if err != nil {
		return nil, recheck.Within("asked", err)
	}
	if o.Coverage, err = verifyCoverage(g.Coverage, v); err != nil {
		return nil, recheck.Within("coverage", err)
	}
	if o.Behaviour, err = behaviour.VerifyPart(ctx, g.Behaviour, v); err != nil {
		return nil, recheck.Within("behaviour", err)
	}
	again, err := Judge(g.Run, o)
	if err != nil {
		return nil, err
	}
	w := &recheck.Walk{Given: []string{"exit_code", "run", "coverage", "behaviour", "asked.baseline.run"}}
	if err := w.Compare(g, again); err != nil {
		return nil, err
	}
	v.Compared += w.Compared
	return v, nil
}

// verifyDecision verifies of a gate that does not say what it asked for that the
// decision follows from the rules.
func verifyDecision(g *Result, v *recheck.Verification) error {
	again := &Result{Rules: g.Rules}
	again.decide()
	if again.Decision != g.Decision {
		return &verdict.DifferenceError{Path: "decision", Have: g.Decision.String(), Want: again.Decision.String()}
	}
	for i, t := range g.Run.Tests {
		if t.Verdict == verdict.Pass {
			continue
		}
		holds := false
		for _, r := range g.Rules {
			holds = holds || r.Name == "suite-verdict" && r.Scenario == t.Name && r.Outcome != RuleHolds
		}
		if !holds {
			return &verdict.DifferenceError{Path: fmt.Sprintf("run.scenarios[%d].verdict", i), Have: t.Verdict.String(), Want: "a rule that does not hold"}
		}
	}
	v.Compared++
	v.Skipped = append(v.Skipped, "rules", "coverage", "behaviour", "baseline")
	return nil
}

// verifyCoverage measures again from the counts. Coverage without them is taken as it
// is.
func verifyCoverage(c *coverage.Result, v *recheck.Verification) (*coverage.Result, error) {
	if c == nil {
		return nil, nil
	}
	if c.Counts == nil {
		v.Skipped = append(v.Skipped, "coverage")
		return c, nil
	}
	if err := c.Counts.Validate(); err != nil {
		return nil, &verdict.DifferenceError{Path: "counts", Have: err.Error(), Want: "counts of trials"}
	}
	again := c.Counts.Measure()
	w := &recheck.Walk{Given: []string{"counts"}}
	if err := w.Compare(c, again); err != nil {
		return nil, err
	}
	v.Compared += w.Compared
	return again, nil
}
