package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/runner/journal"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// gateFlags are those of the command gate: those of run, and what the gate asks for.
type gateFlags struct {
	runFlags
	results     string
	baseline    string
	minPassRate belowOne
	minCoverage proportion
	explain     bool
}

func (a *App) gateCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "gate [SUITE]",
		Short: "decide on a deployment: deploy, block or ask a person",
		Long: `Decide on a deployment from everything that is known: the verdicts of the scenarios,
pass rates that must be reached, the regression against a baseline, behaviour and
coverage, as the suite asks for them under gate and coverage.

Deploy is exit code 0, block 1, manual review 2. What is missing never deploys. Without
--results the suite is run as by tribunal run, with all its flags.`,
		Example: `  tribunal gate
  tribunal gate --results .tribunal/shop.result.json --baseline main.result.json
  tribunal gate --min-coverage 0.8 --explain`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f gateFlags
	f.register(command.Flags())
	command.RunE = a.judging(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *gateFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.results, "results", "", "decide over this saved result `FILE` of run, and run nothing")
	flags.StringVar(&f.baseline, "baseline", "", "compare with this saved result `FILE` (default: that of the suite's gate)")
	flags.Var(&f.minPassRate, "min-pass-rate", "the pass rate that every scenario must reach, which is tested (default: that of the suite's gate)")
	flags.Lookup("min-pass-rate").DefValue = ""
	flags.Var(&f.minCoverage, "min-coverage", "the overall coverage that is needed (default: the suite's)")
	flags.Lookup("min-coverage").DefValue = ""
	flags.BoolVar(&f.explain, "explain", false, "print every rule with its evidence and its outcome")
	f.runFlags.register(flags)
}

func (f *gateFlags) execute(ctx context.Context, a *App, flags *pflag.FlagSet, args []string) error {
	o, trials, err := f.evidence(ctx, a, flags, args)
	if err != nil {
		return err
	}
	options := f.options(ctx, a, flags, o) // reads the baseline, which may be what is saved now
	if o.to != nil {
		if err := f.save(ctx, a, o.result, o.to); err != nil {
			return err
		}
	}
	if err := f.measure(ctx, a, o, trials, &options); err != nil {
		return err
	}
	result, err := gate.Judge(ctx, o.result, options)
	if err != nil {
		return err
	}
	result.ExitCode = f.result.exit(a, result.Decision.Verdict(), result.Reasons)
	return f.deliver(ctx, a, o, result)
}

// evidence runs the suite, or reads what a run has saved, and returns the trials that
// were judged as far as they are known.
func (f *gateFlags) evidence(ctx context.Context, a *App, flags *pflag.FlagSet, args []string) (*outcome, []*trial.Trial, error) {
	if f.results == "" {
		o, err := f.carryOut(ctx, a, flags, args)
		if err != nil {
			return nil, nil, err
		}
		var trials []*trial.Trial
		for _, record := range o.found.Trials {
			if record.Trial != nil {
				trials = append(trials, record.Trial)
			}
		}
		return o, trials, nil
	}
	saved, err := a.readSaved(ctx, "gate", []string{f.results})
	if err != nil {
		return nil, nil, err
	}
	result, ok := saved.(*runs.Result)
	if g, isGate := saved.(*gate.Result); isGate {
		result, ok = g.Run, g.Run != nil
	}
	if !ok {
		return nil, nil, badInput(f.results+" is not the result of a run", "tribunal run saves one in .tribunal")
	}
	o := &outcome{result: result}
	if o.suite, err = f.suiteOf(a, args, result); err != nil {
		return nil, nil, err
	}
	trials, err := f.journalled(o)
	return o, trials, err
}

// suiteOf returns the suite of a saved result, if it is named or found; nil is none.
func (f *gateFlags) suiteOf(a *App, args []string, result *runs.Result) (*suite.Suite, error) {
	if len(args) == 0 {
		if _, err := suite.Find("."); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	s, err := a.load(args)
	if err != nil {
		return nil, err
	}
	if s.Digest() != result.Digest {
		return nil, badInput(fmt.Sprintf("%s is the result of another suite, or of this one before it changed", f.results), "run it again, or name its suite")
	}
	return s, nil
}

// journalled returns the trials of the journal beside a saved result, if it is that
// run's.
func (f *gateFlags) journalled(o *outcome) ([]*trial.Trial, error) {
	name := f.journal
	if name == "" && o.suite != nil {
		name = filepath.Join(o.suite.Dir(), ".tribunal", o.suite.Name+".journal.jsonl")
	}
	if name == "" {
		return nil, nil
	}
	history, err := journal.Read(name)
	switch {
	case errors.Is(err, os.ErrNotExist) && f.journal == "":
		return nil, nil
	case err != nil:
		return nil, badInput(err.Error(), "")
	case history.Header.Suite != o.result.Digest || history.Header.Seed != o.result.Seed:
		return nil, nil // of another run: it says nothing of this one
	}
	var trials []*trial.Trial
	for _, t := range history.Header.Tests {
		for _, scenario := range t.Scenarios {
			trials = append(trials, history.Records(scenario)...)
		}
	}
	return trials, nil
}

// options are what the suite and the flags ask for.
func (f *gateFlags) options(ctx context.Context, a *App, flags *pflag.FlagSet, o *outcome) gate.Options {
	g := gate.Options{Floors: map[string]gate.Floor{}, Now: a.Now()}
	baseline := f.baseline
	if s := o.suite; s != nil {
		g.Alpha, g.Beta, g.Delta, g.Correction = s.Test.Alpha, s.Test.Beta, s.Test.Delta, s.Gate.Correction
		g.Floor = floorOf(s.Gate.Floor)
		for _, c := range s.Scenarios {
			g.Floors[c.Name] = floorOf(c.Floor)
		}
		if s.Coverage.Minimum.Known {
			g.Minimum = &s.Coverage.Minimum.Value
		}
		if baseline == "" && s.Gate.Baseline != "" {
			baseline = s.Resolve(s.Gate.Baseline)
		}
	}
	if flags.Changed("min-pass-rate") && float64(f.minPassRate) > g.Floor.Rate {
		g.Floor.Rate, g.Floor.Point = float64(f.minPassRate), false
	}
	if flags.Changed("min-coverage") {
		minimum := float64(f.minCoverage)
		g.Minimum = &minimum
	}
	if baseline != "" {
		g.Baseline = f.readBaseline(ctx, a, baseline, o.suite)
	}
	return g
}

func floorOf(f suite.Floor) gate.Floor {
	return gate.Floor{Rate: f.MinPassRate.Value, Point: f.Point, AllTrials: f.AllTrials}
}

// readBaseline reads a saved run. What cannot be read is no baseline, and for the gate
// to say: it may be the first run of all.
func (f *gateFlags) readBaseline(ctx context.Context, a *App, name string, s *suite.Suite) *gate.BaselineRun {
	b := &gate.BaselineRun{File: name}
	if s != nil {
		b.MaxAge, b.Strict = s.Gate.MaxAge, s.Gate.Strict
	}
	saved, err := a.readSaved(ctx, "gate", []string{name})
	switch result := saved.(type) {
	case *runs.Result:
		b.Result = result
	case *gate.Result:
		b.Result = result.Run
	default:
		b.Err = err
		if err == nil {
			b.Err = errors.New("it is not the result of a run")
		}
	}
	return b
}

// measure measures coverage and compares behaviour, where they are asked for.
func (f *gateFlags) measure(ctx context.Context, a *App, o *outcome, trials []*trial.Trial, g *gate.Options) error {
	if o.suite == nil || len(trials) == 0 {
		return nil
	}
	declared, err := o.suite.Declared()
	if err != nil {
		return err
	}
	collector, err := coverage.NewCollector(declared)
	if err != nil {
		return badInput(err.Error(), "")
	}
	var candidate fingerprint.Sample
	for _, t := range trials {
		collector.Add(t)
		candidate.Add(t)
	}
	g.Coverage = collector.Measure()
	if o.suite.Gate.Behaviour == "" {
		return nil
	}
	var baseline fingerprint.Sample
	var evidence evidenceFlags
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	evidence.register(flags)
	options := evidence.options(flags, "", trial.BasicFields|trial.StepFields|trial.ContentFields)
	options.Unjudged = true
	if err := a.read(ctx, []string{o.suite.Resolve(o.suite.Gate.Behaviour)}, options, baseline.Add); err != nil {
		return naming("variant", err)
	}
	g.Behaviour, err = behaviour.Compare(ctx, &baseline, &candidate, behaviour.Options{Alpha: g.Alpha, Seed: o.result.Seed})
	return err
}

// deliver prints the decision, and writes the reports that are asked for.
func (f *gateFlags) deliver(ctx context.Context, a *App, o *outcome, g *gate.Result) error {
	if err := f.reports.write(ctx, a, g, &f.result); err != nil {
		return err
	}
	options := f.result.textOptions(a, nil)
	options.Explain = f.explain
	if err := f.result.deliverWith(ctx, a, nil, g, options); err != nil {
		return err
	}
	return decided(g.ExitCode)
}
