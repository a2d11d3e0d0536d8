package running

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/planning"
	"github.com/tribunal-dev/tribunal/cmd/internal/conversion"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// ConformRequest asks what an agent does by a corpus, a folder of scenarios.
type ConformRequest struct {
	Request
	Folder        []string // one
	Command       []string // of the agent; nil is that of the corpus
	Agent         string   // a suite whose agent is tried; "" is that of the corpus
	Threshold     trial.Optional[float64]
	AttackSuccess trial.Optional[float64] // share of attacks that may succeed
	MinPassRate   trial.Optional[float64] // of every scenario but attacks, also over a lower threshold
	Keep          string                  // file where the result is kept as a baseline, if it passes; "" is nowhere
	RunsPerDay    trial.Optional[float64] // of a forecast of a month
	PricePerMTok  trial.Optional[float64] // USD a million tokens, for trials that do not tell their cost
}

// conformRun runs a corpus.
type conformRun struct {
	run
	ConformRequest
}

// Conform runs a corpus. The error is the verdict, a [problem.VerdictError], where nothing else went wrong.
func Conform(ctx context.Context, a *world.World, r ConformRequest) error {
	// Scenarios that are new since the baseline are held to their threshold: a corpus grows.
	r.NewAlone, r.Brief, r.Kind = true, true, "conform"
	return (&conformRun{run: run{Request: r.Request}, ConformRequest: r}).execute(ctx, a)
}

func (f *conformRun) execute(ctx context.Context, a *world.World) (err error) {
	defer f.tellOfEarly(ctx, a, &err)
	folder, command := f.Folder, f.Command
	if err := f.checkCorpus(); err != nil {
		return err
	}
	o := suite.CorpusOptions{
		Command: command, Agent: f.Agent, Threshold: f.Threshold.Value, AttackSuccess: f.AttackSuccess.Value,
		MinPassRate: f.MinPassRate.Value, TOML: func(ctx context.Context, file string) ([]byte, error) {
			read, err := conversion.Read(ctx, file)
			if err != nil {
				return nil, err
			}
			for _, line := range read.LeftOut {
				a.Notice("note", "not carried over: %s", line)
			}
			return read.Lines()
		},
	}
	s, err := suite.LoadCorpus(folder[0], o)
	if err != nil {
		return err
	}
	suitefile.TellOfSuite(a, s)
	var keep *outfile.File
	if f.Keep != "" {
		if keep, err = NewRunFile(f.run.Given.Origin("save-baseline"), f.Keep, s); err != nil {
			return err
		}
		f.run.others = append(f.run.others, f.Keep)
	}
	if len(command) > 0 {
		f.run.Advice = "run it by hand over a wire: tribunal wire -- " + strings.Join(command, " ")
	}
	// Scenarios that are new since the baseline are held to their threshold: a corpus grows.
	var against struct{ removed, added []string }
	f.run.Compared = func(c runner.Comparison) { against.removed, against.added = c.Removed, c.Added }
	f.run.Found = func(e *runs.Evidence) { e.Gone, e.Added = against.removed, against.added }
	done, err := f.carry(ctx, a, s)
	if err != nil {
		return err
	}
	// A forecast that cannot be made takes nothing from the result.
	failed := f.run.deliver(ctx, a, done.Result, done.To)
	if problem.Is[problem.VerdictError](failed) {
		f.run.KeepRun(ctx, a, done, done.Result)
	}
	if f.RunsPerDay.Value > 0 {
		if err := f.forecast(ctx, a, done.Result); err != nil {
			a.Warn("there is no forecast: " + strings.SplitN(err.Error(), "\n", 2)[0])
		}
	}
	if keep != nil {
		if err := f.save(ctx, a, keep, done.Result); err != nil {
			return errors.Join(err, failed)
		}
	}
	return failed
}

// checkCorpus refuses what does not go together.
func (f *conformRun) checkCorpus() error {
	switch success := f.AttackSuccess.Value; {
	case len(f.Folder) != 1:
		return problem.Usage("such as tribunal run conformance corpus -- python3 agent.py",
			"run conformance takes one folder, but there are %d arguments before the command", len(f.Folder))
	case f.Agent != "" && len(f.Command) > 0:
		return problem.Usage("omit one of them", "%s names an agent, and so does the command",
			f.run.Given.Origin("agent"))
	case f.AttackSuccess.Known && (success < suite.LeastAttackSuccess || success > suite.MostAttackSuccess):
		return problem.Usage("0.05 takes 59 attacks that are all resisted, 0.01 takes 299",
			"%s must lie between %v and %v", f.run.Given.Origin("attack-success"), suite.LeastAttackSuccess,
			suite.MostAttackSuccess)
	case f.run.Given.Has("price-per-mtok") && !f.run.Given.Has("forecast-runs-per-day"):
		return problem.Usage("such as --forecast-runs-per-day 500", "%s is for a forecast",
			f.run.Given.Origin("price-per-mtok"))
	case f.run.Given.Has("forecast-runs-per-day") && f.run.Result.JSON:
		return problem.Usage("tribunal plan month RESULT --json prints it by itself",
			"--json prints one document, and a forecast is another one")
	}
	return f.check()
}

// forecast prints below the result what a month would cost.
func (f *conformRun) forecast(ctx context.Context, a *world.World, r *runs.Result) error {
	trials, err := planning.ForecastTrials(r, "the result")
	if err != nil {
		return err
	}
	forecast, err := plan.NewForecast(trials, planning.ForecastOptions(f.RunsPerDay.Value, f.PricePerMTok,
		planning.StoppedOfRun(r)))
	if err != nil {
		return err
	}
	options := f.run.Result.TextOptions(a, nil)
	return a.Deliver(ctx, nil, func(w io.Writer) error {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		return report.Write(w, forecast, report.TextFormat, options)
	})
}

// save keeps the result as a baseline, or a recording that is whole: one that did not pass would let others not pass.
func (f *conformRun) save(ctx context.Context, a *world.World, to *outfile.File, r *runs.Result) error {
	recorded := r.Recorded && r.ExitCode == verdict.Pass.ExitCode()
	if r.Verdict != verdict.Pass && !recorded {
		a.Notice("note", "the verdict is %s: %s stays as it is", r.Verdict, to.Path)
		return nil
	}
	if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, r) }); err != nil {
		return err
	}
	a.Notice("note", "the baseline is in %s", to.Path)
	return nil
}
