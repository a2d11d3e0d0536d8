package planning

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// ForecastRequest asks what a month of runs costs.
type ForecastRequest struct {
	File         string // a saved result of a run, or a recording
	Reading      evidence.ReadOptions
	Variant      string
	RunsPerDay   float64                 // that succeed
	PricePerMTok trial.Optional[float64] // USD a million tokens, for trials that do not tell their cost
}

// Forecast projects the cost.
func Forecast(ctx context.Context, w *world.World, r ForecastRequest) (*plan.Forecast, error) {
	trials, stopped, err := r.trials(ctx, w)
	if err != nil {
		return nil, err
	}
	return plan.NewForecast(trials, ForecastOptions(r.RunsPerDay, r.PricePerMTok, stopped))
}

// ForecastOptions are those of a forecast of so many runs a day. The price counts only where it is given.
func ForecastOptions(
	runsPerDay float64, price trial.Optional[float64], stopped StoppedEarly,
) plan.ForecastOptions {
	o := plan.ForecastOptions{RunsPerDay: runsPerDay}
	if price.Known {
		o.Price = &price.Value
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
func (r *ForecastRequest) trials(
	ctx context.Context, a *world.World,
) (list []plan.ForecastTrial, stopped StoppedEarly, err error) {
	// A result is told from a recording by its content, as formats are.
	if app.IsResult(ctx, r.File) {
		result, err := evidence.ReadSaved(ctx, a, "forecast", []string{r.File})
		if err != nil {
			return nil, stopped, err
		}
		found := app.RunOf(result)
		if found == nil {
			return nil, stopped, problem.BadInput(r.File+" is not the result of a run",
				"name the result of run or gate, or a recording")
		}
		list, err = ForecastTrials(found, r.File)
		return list, StoppedOfRun(found), err
	}
	// A price for all models alike that is given is meant.
	if !r.PricePerMTok.Known || r.Reading.Pricing.File != "" {
		if err := r.Reading.Pricing.Load(nil); err != nil {
			return nil, stopped, err
		}
	}
	var guessed evidence.Estimates
	// Steps are read because some formats give tokens and costs for each step alone.
	o := r.Reading.Options(r.Variant, trial.BasicFields|trial.StepFields)
	var recorded recording.Recording
	err = evidence.ReadBoth(ctx, a, []string{r.File}, o, &recorded, evidence.Kept, func(t *trial.Trial) {
		recorded.Add(t) // its order tells where a test stopped
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
	return list, stoppedOfRecording(&recorded), evidence.Naming("variant", err)
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
	s := StoppedEarly{early: stopped != nil, cut: stopped.IsCut() || !stopped.Ended()}
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
