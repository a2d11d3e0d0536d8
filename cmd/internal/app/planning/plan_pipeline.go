package planning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/pipeline"
)

// planPipeline multiplies what Theorem 7.6 multiplies, with the numbers of a suite.
func (r *PlanRequest) planPipeline(ctx context.Context, a *world.World) error {
	s, err := suitefile.Load(a, r.Args)
	if err != nil {
		return err
	}
	if err := againstThresholds(s); err != nil {
		return err
	}
	to, err := r.Result.File(ctx, a, []string{s.File})
	if err != nil {
		return err
	}
	o := pipeline.Options{Suite: s.Name, Digest: s.Digest(), Scenarios: len(s.Scenarios)}
	if o.PriceUSD, _ = r.prices(); o.PriceUSD == nil && s.Budget.PricePerTrial.Known {
		o.PriceUSD = new(s.Budget.PricePerTrial.Value)
	}
	if o.Live, err = liveScenarios(ctx, s); err != nil {
		return err
	}
	if o.Tests, err = pipelineTests(ctx, a, s); err != nil {
		return err
	}
	p, err := pipeline.New(o)
	if err != nil {
		return pipelineError(s, err)
	}
	return r.Result.Show(ctx, a, to, pipelineDocument(p))
}

// againstThresholds refuses a suite with tests against baselines: the theorem's fixed number of trials is that of a
// threshold.
func againstThresholds(s *suite.Suite) error {
	refuse := func(t suite.Test, place string) error {
		if !t.Against.Asked() || t.AttackSuccess > 0 {
			return nil
		}
		return problem.BadInput(place+": its test is against a baseline, and the theorem is about thresholds",
			"tribunal check says what such tests take")
	}
	if s.Test.Joint() {
		return problem.BadInput(prose.FileName(s.File)+": its scenarios are tested as one question, and the theorem is "+
			"about a test of each part", "test: {by: scenario}, or collapse: none for one part")
	}
	if s.Test.By == suite.BySuite {
		return refuse(s.Test, prose.FileName(s.File))
	}
	for _, c := range s.Scenarios {
		if err := refuse(c.Test, fmt.Sprintf("%s: scenario %s", prose.FileName(s.File), prose.Quote(c.Name))); err != nil {
			return err
		}
	}
	return nil
}

// liveScenarios counts the scenarios with a rule that recorded trials cannot answer.
func liveScenarios(ctx context.Context, s *suite.Suite) (int, error) {
	rules, err := runner.Offline(ctx, s, s.Scenarios, nil)
	if err != nil {
		return 0, err
	}
	live := map[string]bool{}
	for _, r := range rules {
		for _, name := range r.Scenarios {
			live[name] = live[name] || r.Answer != runner.AnswerYes
		}
	}
	n := 0
	for _, is := range live {
		if is {
			n++
		}
	}
	return n, nil
}

// pipelineTests designs the tests as a run does; those with a history a second time without it.
func pipelineTests(ctx context.Context, a *world.World, s *suite.Suite) ([]pipeline.Test, error) {
	tests, err := designed(ctx, a, s)
	if err != nil {
		return nil, err
	}
	without, history := withoutHistory(s)
	cold := tests
	if len(history) > 0 {
		if cold, err = designed(ctx, a, without); err != nil {
			return nil, err
		}
	}
	list := make([]pipeline.Test, len(tests))
	for i, t := range tests {
		list[i] = pipeline.Test{Name: t.Name, Design: t.Design}
		// A prior shapes optimal designs alone.
		if history[t.Scenarios[0]] && t.Design.Kind == sprt.OptimalKind {
			list[i].Cold = &cold[i].Design
		}
	}
	return list, nil
}

// designed designs the tests of all scenarios.
func designed(ctx context.Context, a *world.World, s *suite.Suite) ([]runner.Test, error) {
	progress := a.NewDesigning()
	defer progress.End()
	return runner.Tests(ctx, s, s.Scenarios, runner.PrepareOptions{
		Progress: progress.Share, Read: func(h runner.History) { evidence.Told(a, h) }, Together: s.Gated(), Warn: a.Warn,
	})
}

// withoutHistory is the suite under the prior that knows no history, which has the same tests in the same order, and
// the scenarios whose tests have one.
func withoutHistory(s *suite.Suite) (*suite.Suite, map[string]bool) {
	without, history := *s, map[string]bool{}
	without.Scenarios = slices.Clone(s.Scenarios)
	for i := range without.Scenarios {
		c := &without.Scenarios[i]
		prior := c.Test.Prior
		if s.Test.By == suite.BySuite {
			prior = s.Test.Prior
		}
		if isHistory(prior) {
			history[c.Name] = true
		}
		c.Test.Prior = suite.Prior{}
	}
	without.Test.Prior = suite.Prior{}
	return &without, history
}

// isHistory reports whether a prior says what was seen or is believed of this agent.
func isHistory(p suite.Prior) bool { return p.Kind != suite.StablePrior && p.Kind != suite.WorstPrior }

// pipelineError names the suite.
func pipelineError(s *suite.Suite, err error) error {
	if e, ok := errors.AsType[*pipeline.NoFixedError](err); ok {
		return problem.BadInput(prose.FileName(s.File)+": "+e.Error(), e.Hint())
	}
	return err
}

// pipelineDocument is the factors, what they come to, and what each is.
func pipelineDocument(p *pipeline.Pipeline) *report.Document {
	d := new(report.Document).Listing(p.Schema, p.Suite, p)
	d.Word = "pipeline"
	d.Headline = "what does Theorem 7.6 of AgentAssay make of a check of " + p.Suite + ", and what do its tests take?"
	fixed, price := fmt.Sprintf("%d trials in all, the fixed numbers of the tests", p.FixedTrials), "not known"
	if p.PricePerTrial != nil {
		fixed, price = fixed+": "+dollars(*p.FixedUSD), dollars(*p.PricePerTrial)+" a trial"
	}
	d.Linef("suite", "%s, %s", prose.Count(p.Scenarios, "scenario"), prose.Count(p.Tests, "test"))
	d.Line("fixed", fixed)
	d.Line("price", price)
	d.Break()
	t := d.NewTable("Factors", "factor", ">all pass", ">at threshold", ">typical (paper)")
	row := func(name string, r *pipeline.Rates, low, high float64) {
		perfect, threshold := "not of this suite", ""
		if r != nil {
			perfect, threshold = fmt.Sprintf("%.3f", r.Perfect), fmt.Sprintf("%.3f", r.Threshold)
		}
		t.Add(name, perfect, threshold, fmt.Sprintf("%.2g to %.2g", low, high))
	}
	for _, f := range p.Factors {
		row(f.Name, f.Value, f.Low, f.High)
	}
	row("product", &p.Product, p.PaperLow, p.PaperHigh)
	d.Break()
	d.Line("Equation 51", costText(p.Theorem))
	d.Line("expected", costText(p.Expected))
	d.Close(p.Differ)
	for _, f := range p.Factors {
		d.Close(fmt.Sprintf("%s: %s. %s.", f.Name, f.Is, prose.Capitalised(f.Here)))
	}
	return d
}

// costText is what a check takes, at both rates.
func costText(c pipeline.Cost) string {
	write := func(trials float64, usd *float64) string {
		text := fmt.Sprintf("%.1f trials", trials)
		if usd != nil {
			text += " (" + dollars(*usd) + ")"
		}
		return text
	}
	var perfect, threshold *float64
	if c.USD != nil {
		perfect, threshold = &c.USD.Perfect, &c.USD.Threshold
	}
	return write(c.Trials.Perfect, perfect) + " where every trial passes, " + write(c.Trials.Threshold, threshold) +
		" at the threshold"
}

// dollars writes an amount in cents, and one of a few cents with three digits.
func dollars(usd float64) string {
	if usd > 0 && usd < 0.1 {
		return fmt.Sprintf("$%.3g", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}
