package plancmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// forecastFlags are those of the command forecast.
type forecastFlags struct {
	// Runs a day that must succeed; more will be started, as some fail.
	runs value.Amount
	// USD a million tokens; it counts only where it is given.
	price    value.Amount
	variant  string
	evidence evidence.Reading
	result   deliver.Target
}

// ForecastCommand is no judgement: a month that is dear is not a failure, and the exit code
// is 0 whatever it costs.
func ForecastCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "forecast [RESULT] --runs-per-day N",
		Short: "project the tokens and the money of a month",
		Long: `Project what a month will cost, from the cost of a success: that of all trials, failures
too, over the passes. RESULT is a saved result of run or gate, or a recording as verdict
reads it; without it, it is the last result of the suite that is found from here
upwards. The interval is approximate, and for work like that of the trials; it takes 20
of them, with 3 passes and 3 failures. Of a run that one test stopped it allows for that.`,
		Example: `  tribunal forecast .tribunal/shop.result.json --runs-per-day 5000
  tribunal forecast trials.jsonl --runs-per-day 5000 --price-per-mtok 5 --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f forecastFlags
	flags := command.Flags()
	flags.Var(&f.runs, "runs-per-day", "runs a day that must succeed; required")
	flags.Lookup("runs-per-day").DefValue = ""
	flags.Var(&f.price, "price-per-mtok", "USD a million tokens, for trials that do not tell their cost")
	flags.Lookup("price-per-mtok").DefValue = ""
	flags.StringVar(&f.variant, "variant", "", "take the trials of this `VARIANT`")
	bind.Reading(flags, &f.evidence)
	bind.Prices(flags, &f.evidence.Pricing)
	bind.Target(flags, &f.result)
	bind.Reports(flags, &f.result)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// execute needs exactly one source: a result and a recording would count the same trials
// twice.
func (f *forecastFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	args, err := evidence.LastResult(a, "forecast", args, false)
	switch {
	case err != nil:
		return err
	case len(args) != 1:
		return problem.Usage("such as .tribunal/NAME.result.json",
			"forecast takes one result or recording, but there are %d arguments", len(args))
	case !flags.Changed("runs-per-day"):
		return problem.Usage("such as --runs-per-day 5000", "--runs-per-day is missing: the runs a day that must succeed")
	}
	to, err := f.result.File(ctx, a, args)
	if err != nil {
		return err
	}
	if err := f.result.Spared("--output", to, args, f.evidence.EveryFile()); err != nil {
		return err
	}
	trials, stopped, err := f.trials(ctx, a, flags, args)
	if err != nil {
		return err
	}
	forecast, err := plan.NewForecast(trials, ForecastOptions(flags, f.runs, &f.price, stopped))
	if err != nil {
		return err
	}
	return f.result.Deliver(ctx, a, to, forecast)
}

// ForecastOptions are those of a forecast of so many runs a day. The price counts only where it is given.
func ForecastOptions(
	flags *pflag.FlagSet, runsPerDay value.Amount, price *value.Amount, stopped StoppedEarly,
) plan.ForecastOptions {
	o := plan.ForecastOptions{RunsPerDay: float64(runsPerDay)}
	if flags.Changed("price-per-mtok") {
		o.Price = price.Pointer()
	}
	// The share of passes of a run that stopped when it had decided leans to the side of
	// the decision; the end of its test tells the rate.
	o.Sequential, o.Rate, o.Cut = stopped.early && !stopped.cut, stopped.rate, stopped.cut
	return o
}

// StoppedEarly says whether tests stopped the trials by their outcomes, and the rate by the end
// of the test where there is one alone.
type StoppedEarly struct {
	early bool
	cut   bool // none did, but the recording was stopped before its end
	rate  *plan.StoppedRate
}

// trials returns what is known of the trials, and how tests stopped them.
func (f *forecastFlags) trials(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string,
) (list []plan.ForecastTrial, stopped StoppedEarly, err error) {
	// A result is told from a recording by its content, as formats are.
	if evidence.IsResult(ctx, args[0]) {
		result, err := evidence.ReadSaved(ctx, a, "forecast", args)
		if err != nil {
			return nil, stopped, err
		}
		found := app.RunOf(result)
		if found == nil {
			return nil, stopped, problem.BadInput(args[0]+" is not the result of a run",
				"name the result of run or gate, or a recording")
		}
		list, err = ForecastTrials(found, args[0])
		return list, StoppedOfRun(found), err
	}
	// A price for all models alike that is given is meant.
	if !flags.Changed("price-per-mtok") || flags.Changed("prices") {
		if err := f.evidence.Pricing.Load(nil); err != nil {
			return nil, stopped, err
		}
	}
	var guessed evidence.Estimates
	// Steps are read because some formats give tokens and costs for each step alone.
	o := f.evidence.Options(f.variant, trial.BasicFields|trial.StepFields)
	var r recording.Recording
	err = evidence.ReadBoth(ctx, a, args, o, &r, evidence.Kept, func(t *trial.Trial) {
		r.Add(t) // its order tells where a test stopped
		guessed.Add(t)
		x := plan.ForecastTrial{Passed: t.Outcome == trial.Pass, CostUSD: t.TotalCostUSD()}
		if input, output := t.TotalInputTokens(), t.TotalOutputTokens(); input.Known && output.Known {
			x.Tokens = trial.Some(float64(input.Value) + float64(output.Value))
		}
		list = append(list, x)
	})
	if err == nil {
		guessed.Warn(a)
	}
	return list, stoppedOfRecording(&r), evidence.Naming("variant", err)
}

// ForecastTrials are the trials of the agent in a run, by whose name an error calls it.
func ForecastTrials(found *runs.Result, name string) (list []plan.ForecastTrial, err error) {
	// A part of the trials may cost more or less than all.
	if found.TrialsOmitted > 0 {
		return nil, problem.BadInput(name+" does not list all its trials: there are too many", "name a recording of them")
	}
	for _, t := range found.Trials {
		// What the other side of a test in rounds takes says nothing of the agent.
		if !t.Baseline {
			list = append(list, forecastOfRun(t))
		}
	}
	return list, nil
}

// StoppedOfRun is how the tests of a saved run stopped its trials.
func StoppedOfRun(saved *runs.Result) StoppedEarly {
	stopped := runs.StoppedOf(saved)
	s := StoppedEarly{early: stopped != nil, cut: stopped.IsCut()}
	if s.early && len(saved.Tests) == 1 {
		if found, err := runs.BaselineOf(saved, saved.Tests[0].Name); err == nil {
			s.rate = plan.StoppedRateOf(found.Sample, found.Worst, verdict.DefaultAlpha)
		}
	}
	return s
}

// stoppedOfRecording is how tests stopped the trials of a recording.
func stoppedOfRecording(r *recording.Recording) StoppedEarly {
	stopped := r.Stopped()
	s := StoppedEarly{early: stopped != nil, cut: stopped.IsCut()}
	if s.early && len(stopped.Tests) == 1 {
		if found, err := r.End(stopped.Tests[0]); err == nil {
			s.rate = plan.StoppedRateOf(found.Sample, found.Worst, verdict.DefaultAlpha)
		}
	}
	return s
}

// forecastOfRun takes over what a saved run says of a trial. Half of the tokens, input or
// output alone, is as good as none: their sum would be too low.
func forecastOfRun(t runs.Trial) plan.ForecastTrial {
	x := plan.ForecastTrial{Passed: t.Outcome == trial.Pass.String()}
	if t.CostUSD != nil {
		x.CostUSD = trial.Some(*t.CostUSD)
	}
	if t.InputTokens != nil && t.OutputTokens != nil {
		x.Tokens = trial.Some(float64(*t.InputTokens) + float64(*t.OutputTokens))
	}
	return x
}
