package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/named"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/variation"
)

// isResult reports whether a file is a saved result: a JSON object whose first member is a
// schema of this program. Standard input and pipes are none, for they can be read once only.
func isResult(ctx context.Context, file string) bool {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || file == "-" {
		return false
	}
	in, err := input.Open(ctx, file)
	if err != nil {
		return false
	}
	defer in.Close()
	// A schema is short, whatever else the file is.
	decoder := json.NewDecoder(io.LimitReader(in, 1<<12))
	for _, want := range []any{json.Delim('{'), "schema"} {
		if token, err := decoder.Token(); err != nil || token != want {
			return false
		}
	}
	schema, err := decoder.Token()
	text, isText := schema.(string)
	return err == nil && isText && strings.HasPrefix(text, "tribunal/")
}

// recordedBaseline is a baseline that was recorded before.
type recordedBaseline struct {
	sample   baseline.Sample
	recorded design.Recorded
	// Of a recording whose number of trials was fixed; nil of others.
	scenarios []variation.Group
}

// recorded returns the baseline that a flag names: K/N, a recording, or a saved result of
// run, whose sequential test is part of how it was sampled. Of several scenarios of a result
// one has to be chosen; of a recording "" is all of them.
func (s recordings) recorded(ctx context.Context, flag, source, scenario string) (b recordedBaseline, err error) {
	if !isRatio(source) && isResult(ctx, source) {
		return s.ofResult(ctx, source, scenario)
	}
	if found, err := s.app.baselines(s.flags, nil, nil).find(ctx, source); err != nil || found != nil {
		return ofNamed(found, source, scenario, err)
	}
	// Their number was fixed before they ran.
	s.scenario = scenario
	h, err := s.history(ctx, flag, source)
	if err != nil {
		return b, err
	}
	passed := baseline.Outcome{Trials: h.Counts.Trials + h.Errors, Failures: h.Counts.Trials - h.Counts.Passes}
	failed := baseline.Outcome{Trials: passed.Trials, Failures: passed.Failures + h.Errors}
	b.recorded = design.RecordedOf(passed, failed, h.Errors)
	b.scenarios = groups(h)
	b.sample, err = baseline.Fixed(passed.Trials)
	return b, err
}

// ofResult takes the baseline from the saved result of a run.
func (s recordings) ofResult(ctx context.Context, source, scenario string) (b recordedBaseline, err error) {
	saved, err := app.ReadResult(ctx, source, s.app.Stdin)
	if err != nil {
		return b, err
	}
	run := app.RunOf(saved)
	if run == nil {
		return b, badInput(prose.FileName(source)+" is not the result of a run",
			"tribunal run saves one in .tribunal; a recording or K/N does as well")
	}
	if scenario, err = scenarioOf(run, source, scenario); err != nil {
		return b, err
	}
	found, err := runs.BaselineOf(run, scenario)
	b.sample, b.recorded = found.Sample, design.RecordedOf(found.Outcome, found.Worst, found.Errors)
	return b, err
}

// ofNamed takes the baseline from the runs of a name, together. An error of finding it is returned.
func ofNamed(of *named.Baseline, name, scenario string, err error) (b recordedBaseline, _ error) {
	if err != nil {
		return b, err
	}
	if scenario, err = scenarioOf(of.First(), name, scenario); err != nil {
		return b, err
	}
	found, err := of.Recorded(scenario)
	b.sample, b.recorded = found.Sample, design.RecordedOf(found.Outcome, found.Worst, found.Errors)
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
	problem := fmt.Sprintf("%s holds %s", prose.FileName(source), prose.Count(len(names), "scenario"))
	if scenario != "" {
		problem = fmt.Sprintf("%s holds no scenario %q", prose.FileName(source), scenario)
	}
	return "", badInput(problem, "choose one with --baseline-scenario: "+strings.Join(names, ", "))
}
