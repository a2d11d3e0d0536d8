package authoring

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
)

// CheckRequest asks whether a suite can be run, and what that takes.
type CheckRequest struct {
	Suite    string // file or folder; "" is the one that is found from the working directory upwards
	Choice   suitefile.Choice
	Baseline string          // a saved result that all tests are against; "" is what the suite says
	Store    app.StoreChoice // of baselines with names
	Files    []string        // of trials whose rules are asked, by [CheckOffline]; none asks for what they need
	To       deliver.Target
}

// Check loads, designs and prints. Designing is most of the work: the trials that a run
// takes follow from the exact boundaries of each test.
func Check(ctx context.Context, a *world.World, r CheckRequest) error {
	s, err := suitefile.Named(a, r.Suite)
	if err != nil {
		return err
	}
	scenarios, err := r.Choice.Selected(s)
	if err != nil {
		return err
	}
	if err := s.Runnable(); err != nil {
		return err
	}
	if err := keeping.CheckFiles(ctx, s); err != nil {
		return err
	}
	running.TellOfKeys(a, s)
	running.TellOfKeysAbove(a, s)
	tellOfUnjudged(a, s, scenarios)
	running.TellOfSources(a, s)
	for _, line := range runner.Confinable(s) {
		a.Notice("note", "%s", line)
	}
	to, err := r.To.File(ctx, a, []string{s.File})
	if err != nil {
		return err
	}
	progress := a.NewDesigning()
	// Priors that are recordings, and baselines, are read here, as a run would.
	plan, err := runner.Plan(ctx, s, scenarios, runner.PrepareOptions{
		Progress: progress.Share, Read: func(h runner.History) { evidence.Told(a, h) },
		Compared: func(c runner.Comparison) { running.TellOfCompared(a, c) }, Baseline: r.Baseline,
		Named:    suitefile.NewBaselines(a, r.Store, s, nil).Find,
		Together: s.Gated(), Warn: a.Warn,
	})
	// Before any message about the error, which must not share the line of the progress.
	progress.End()
	if err != nil {
		return err
	}
	return r.To.Deliver(ctx, a, to, plan)
}

// tellOfUnjudged warns of scenarios that nothing judges unless the agent prints an outcome, which is not known before
// it runs. What never prints one is refused, see [suite.Suite.Runnable].
func tellOfUnjudged(a *world.World, s *suite.Suite, scenarios []suite.Scenario) {
	var names []string
	for i := range scenarios {
		if len(scenarios[i].Evaluators()) == 0 {
			names = append(names, prose.Quote(scenarios[i].Name))
		}
	}
	const most = 3
	if s.Agent.Output == suite.OutputAuto && len(names) > 0 {
		a.Notice("warning", "no evaluator judges %s: trials whose output has no outcome will be errors; add "+
			"evaluators, such as evaluate: [{contains: done}], or have the agent print a trial with its outcome",
			prose.Some(names, most))
	}
}
