package evidence

import (
	"context"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// RecordedBaseline is a baseline that was recorded before.
type RecordedBaseline struct {
	Sample   baseline.Sample
	Recorded design.RecordedBaseline
	// Of a recording whose number of trials was fixed; nil of others.
	Scenarios []intraclass.Group
}

// Recorded returns the baseline that a flag names: K/N, a recording, or a saved result of
// run, whose sequential test is part of how it was sampled. Of several scenarios of a result
// one has to be chosen; of a recording "" is all of them.
func (s Recordings) Recorded(ctx context.Context, flag, source, scenario string) (b RecordedBaseline, err error) {
	if !IsRatio(source) && app.IsResult(ctx, source) {
		return s.ofResult(ctx, source, scenario)
	}
	if found, err := suitefile.NewBaselines(s.App, s.Reading.Store, nil, nil).Find(ctx, source); err != nil ||
		found != nil {
		return ofNamed(found, source, scenario, err)
	}
	if IsRate(source) {
		return b, problem.Usage("write passes/trials, such as 90/100, or name a recording",
			"--%s %s does not say of how many trials it is", flag, source)
	}
	// Their number was fixed before they ran.
	s.Scenario = scenario
	h, err := s.history(ctx, flag, source)
	if err != nil {
		return b, err
	}
	passed := baseline.Outcome{Trials: h.Counts.Trials + h.Errors, Failures: h.Counts.Trials - h.Counts.Passes}
	failed := baseline.Outcome{Trials: passed.Trials, Failures: passed.Failures + h.Errors}
	b.Recorded = design.RecordedOf(passed, failed, h.Errors)
	b.Scenarios = Groups(h)
	b.Sample, err = baseline.Fixed(passed.Trials)
	return b, err
}

// ofResult takes the baseline from the saved result of a run.
func (s Recordings) ofResult(ctx context.Context, source, scenario string) (b RecordedBaseline, err error) {
	saved, err := app.ReadResult(ctx, source, s.App.Stdin)
	if err != nil {
		return b, err
	}
	run := app.RunOf(saved)
	if run == nil {
		return b, problem.BadInput(prose.FileName(source)+" is not the result of a run",
			"tribunal run saves one in .tribunal; a recording or K/N does as well")
	}
	if scenario, err = scenarioOf(run, source, scenario); err != nil {
		return b, err
	}
	found, err := runs.BaselineOf(run, scenario)
	b.Sample, b.Recorded = found.Sample, design.RecordedOf(found.Outcome, found.Worst, found.Errors)
	return b, err
}

// ofNamed takes the baseline from the runs of a name, together. An error of finding it is returned.
func ofNamed(saved *runs.Baseline, name, scenario string, err error) (b RecordedBaseline, _ error) {
	if err != nil {
		return b, err
	}
	if scenario, err = scenarioOf(saved.First(), name, scenario); err != nil {
		return b, err
	}
	found, err := saved.Recorded(scenario)
	b.Sample, b.Recorded = found.Sample, design.RecordedOf(found.Outcome, found.Worst, found.Errors)
	return b, err
}

// scenarioOf returns the name of the test of a run that is asked for; "" is the only one.
func scenarioOf(run *runs.Result, source, scenario string) (string, error) {
	names := make([]string, len(run.Tests))
	for i := range run.Tests {
		names[i] = run.Tests[i].Name
		if names[i] == scenario || scenario == "" && len(run.Tests) == 1 {
			return names[i], nil
		}
	}
	wrong := fmt.Sprintf("%s holds %s", prose.FileName(source), prose.Count(len(names), "scenario"))
	if scenario != "" {
		wrong = fmt.Sprintf("%s holds no scenario %q", prose.FileName(source), scenario)
	}
	return "", problem.BadInput(wrong, "choose one with --baseline-scenario: "+strings.Join(names, ", "))
}
