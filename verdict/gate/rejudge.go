package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Header returns what every result has.
func (g *Result) Header() verdict.Header {
	return verdict.Header{
		Schema: g.Schema, Judged: true, Verdict: g.Decision.Verdict(), ExitCode: g.ExitCode, Reasons: g.Reasons,
		Warnings: g.Warnings,
	}
}

// Rejudge judges the run, coverage and behaviour again, each from its own evidence, and then
// the gate by what it asked for, which the result holds. Results of older versions do not
// hold that; see redecide.
func (g *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	over, name := g.Over()
	if over == nil {
		return nil, fmt.Errorf("%w: the gate holds no run", verdict.ErrNoOutcomes)
	}
	// The parts come first: the gate is then judged over what they come to, not over what the
	// document says of them.
	part, err := over.Rejudge(ctx)
	if err != nil {
		return nil, recheck.Within(name, err)
	}
	found := &rejudged.Result{Given: []string{"asked.baseline.run"}}
	found.Include(name, over, part)
	again := part.Again.(verdict.Result)
	// What cannot be computed again is taken as it is.
	if slices.Contains(part.Skip, "verdict") {
		again = over
	}
	if g.Asked == nil {
		run, ok := again.(*runs.Result)
		if !ok {
			return nil, fmt.Errorf("%w: the gate does not say what it asked for", verdict.ErrNoOutcomes)
		}
		return found, g.redecide(run, found)
	}
	// Coverage and behaviour are no part of what was asked, as it is saved.
	o := *g.Asked
	if o.Coverage, err = g.remeasure(ctx, found); err != nil {
		return nil, recheck.Within("coverage", err)
	}
	if g.Behaviour != nil {
		b, err := g.Behaviour.Rejudge(ctx)
		if err != nil {
			return nil, recheck.Within("behaviour", err)
		}
		found.Include("behaviour", g.Behaviour, b)
		o.Behaviour = b.Again.(*behaviour.Comparison)
	}
	if o.Edition > today {
		return nil, &verdict.DifferenceError{Path: "asked.rules", Have: fmt.Sprint(o.Edition),
			Want: fmt.Sprintf("at most %d", today)}
	}
	found.Skipped = append(found.Skipped, "asked")
	found.Then = func() error { return g.checkCounts(o) }
	found.Again, err = judge(ctx, again, o)
	return found, err
}

// redecide decides again by the rules, of a gate that does not say what it asked for: they
// and what they rest on are taken as they are, but that no test may fail without a rule.
func (g *Result) redecide(run *runs.Result, found *rejudged.Result) error {
	// The rules are claims here. The least that must hold: a test that does not pass has a
	// rule of verdicts that does not hold.
	for i, t := range run.Tests {
		holds := t.Verdict == verdict.Pass
		for _, r := range g.Rules {
			holds = holds || r.Name == ruleVerdict && r.Scenario == t.Name && r.Outcome != RuleHolds
		}
		if !holds {
			return &verdict.DifferenceError{
				Path: fmt.Sprintf("run.scenarios[%d].verdict", i), Have: t.Verdict.String(),
				Want: "a rule that does not hold",
			}
		}
	}
	// A copy with the recomputed run and no decision yet: decide weighs the saved rules.
	again := *g
	again.Run, again.Decision, again.Reasons = run, Review, nil
	again.decide()
	found.Again = &again
	found.Given = append(found.Given, "rules", "coverage", "behaviour", "baseline")
	found.Skipped = append(found.Skipped, "rules", "coverage", "behaviour", "baseline")
	return nil
}

// remeasure measures coverage again from the counts. Coverage without them is taken as it
// is.
func (g *Result) remeasure(ctx context.Context, found *rejudged.Result) (*coverage.Result, error) {
	switch {
	case g.Coverage == nil:
		return nil, nil
	case g.Coverage.Counts == nil:
		found.Include("coverage", g.Coverage, rejudged.AsItIs(g.Coverage))
		return g.Coverage, nil
	}
	have := (*verdict.Coverage)(g.Coverage)
	part, err := have.Rejudge(ctx)
	if err != nil {
		return nil, err
	}
	found.Include("coverage", have, part)
	return (*coverage.Result)(part.Again.(*verdict.Coverage)), nil
}

// checkCounts compares what coverage counted of scenarios with the trials of the run that it was
// measured by: no more passes, no more trials, and the thresholds of their tests.
func (g *Result) checkCounts(o Options) error {
	if g.Run == nil || g.Coverage == nil || g.Coverage.Counts == nil || o.Edition < fourthEdition {
		return nil
	}
	for i, c := range g.Coverage.Counts.Scenarios {
		passes, judged, alone := 0, 0, true
		var thresholds []float64
		for k := range g.Run.Tests {
			t := &g.Run.Tests[k]
			if len(t.Members) > 0 {
				alone = false // which of its trials are of the scenario, the outcomes do not tell
				continue
			}
			if scenarioOf(t) == c.Name {
				p := strings.Count(t.Outcomes, "P")
				passes, judged = passes+p, judged+p+strings.Count(t.Outcomes, "F")
				thresholds = append(thresholds, t.Threshold)
			}
		}
		path := fmt.Sprintf("coverage.counts.scenarios[%d].", i)
		switch {
		case !alone || c.Judged == 0 && c.Passes == 0:
		case c.Passes != passes:
			return &verdict.DifferenceError{Path: path + "passes", Have: fmt.Sprint(c.Passes), Want: fmt.Sprint(passes)}
		case c.Judged != judged:
			return &verdict.DifferenceError{Path: path + "judged", Have: fmt.Sprint(c.Judged), Want: fmt.Sprint(judged)}
		case len(thresholds) > 0 && thresholds[0] > 0 && c.Threshold != thresholds[0]:
			return &verdict.DifferenceError{Path: path + "threshold", Have: fmt.Sprint(c.Threshold),
				Want: fmt.Sprint(thresholds[0])}
		}
	}
	return nil
}

// Problem says what of a saved decision does not fit together, so that it could not even be shown; "" is nothing.
// One over nothing may be shown, and has nothing to verify.
func (g *Result) Problem() string {
	over, name := g.Over()
	if over == nil {
		return ""
	}
	if problem := rejudged.PartProblem(name, over); problem != "" {
		return problem
	}
	if g.Asked == nil || g.Asked.Baseline == nil || g.Asked.Baseline.Run == nil {
		return ""
	}
	for i, d := range g.Asked.Baseline.Run.Designs {
		if problem := d.Problem(); problem != "" {
			return fmt.Sprintf("asked.baseline.run.designs[%d]: %s", i, problem)
		}
	}
	return ""
}
