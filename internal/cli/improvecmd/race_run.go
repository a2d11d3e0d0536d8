package improvecmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/internal/cli/base"
	"github.com/tribunal-dev/tribunal/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/internal/cli/keeping"
	"github.com/tribunal-dev/tribunal/internal/cli/outfile"
	"github.com/tribunal-dev/tribunal/internal/cli/problem"
	"github.com/tribunal-dev/tribunal/internal/cli/runcmd"
	"github.com/tribunal-dev/tribunal/internal/looks"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	selection "github.com/tribunal-dev/tribunal/selection/race"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/race"
)

// The parts of a race, by the names of their files.
const (
	racePart         = "race"
	confirmationPart = "confirmation"
)

// raceRun is a race under way.
type raceRun struct {
	flags   *raceFlags
	suite   *suite.Suite
	arms    []suite.Variant // the incumbent first
	options race.Options
	spent   runcmd.Spending
	raced   *runcmd.Outcome // nil until the race has ended
}

// try has the variants race, and the winner confirmed.
func (r *raceRun) try(ctx context.Context, a *base.App, flags *pflag.FlagSet) (*race.Result, *outfile.File, error) {
	f := r.flags
	files := app.FilesOf(r.suite, f.suite.Given())
	folder := filepath.Join(files.Folder, "race")
	if err := outfile.WorkFolder(files.Folder); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, problem.BadInput(fmt.Sprintf("the folder %s cannot be made: %v", folder, problem.WithoutPath(err)),
			"")
	}
	stem := strings.TrimSuffix(files.Result, ".result.json")
	to, err := runcmd.NewRunFile(base.Origin(flags, "output"), cmp.Or(f.run.Output, stem+".race.json"), r.suite)
	if err != nil {
		return nil, nil, err
	}
	if err := f.result.Reports.Open(to.Path); err != nil {
		return nil, nil, err
	}
	of := runcmd.Parts{Called: "race", Kind: "race", Whole: racePart, Run: &f.run, Suite: f.suite, Folder: folder,
		Name: filepath.Base(stem), Spent: &r.spent}
	if err := of.Begun(racePart, confirmationPart); err != nil {
		return nil, nil, err
	}
	a.Notice("note", "%s race; one is dropped at %s behind the leader", prose.Count(len(r.arms), "agent"),
		prose.Count(r.options.Lead, "pass"))
	raced, err := of.Carry(ctx, a, racePart, r.racing(), r.adapt)
	if err != nil {
		return nil, nil, err
	}
	r.raced = raced
	e := race.Evidence{Suite: r.suite.Name, Digest: r.suite.Digest(), Arms: r.entrants(raced.Found), Run: raced.Result,
		Options: r.options}
	result, err := race.Judge(ctx, e)
	if err != nil || result.Chosen == "" || result.Chosen == race.Incumbent {
		return result, to, err
	}
	if _, used := r.spent.Left(r.suite.Budget, confirmationPart); used != nil {
		wrong, _ := problem.Explain(used)
		a.Notice("warning", "%s", wrong)
		return result, to, nil
	}
	a.Notice("note", "%s won after %s; it now runs against the incumbent on fresh trials", prose.Quote(result.Chosen),
		prose.Count(result.Rounds, "round"))
	confirmed, err := r.confirm(ctx, a, of, result)
	if err != nil {
		return nil, nil, err
	}
	e.Confirmation = confirmed.Result
	result, err = race.Judge(ctx, e)
	return result, to, err
}

// racing is the suite with all arms as variants, tested by nothing but the race.
func (r *raceRun) racing() suite.Suite {
	s := *r.suite
	s.Variants, s.BaselineAgent, s.Calibrate, s.Gate = r.arms, nil, suite.Calibrate{}, suite.Gate{}
	s.Test = suite.Test{By: suite.BySuite}
	s.Order = suite.Interleaved
	return s
}

// adapt has the trials of the arms race in place of being tested.
func (r *raceRun) adapt(f *runcmd.RunFlags) {
	f.Quiet = true
	f.Prepared = func(ctx context.Context, s *suite.Suite, o runner.PrepareOptions) (runner.Options, error) {
		scenarios, err := r.flags.suite.Selected(s)
		if err != nil {
			return runner.Options{}, err
		}
		o.Record = 1 // which tests nothing; how many follows
		options, err := runner.Prepare(ctx, s, scenarios, o)
		if err != nil {
			return options, err
		}
		for i := range options.Tests {
			if options.Tests[i].Design, err = sprt.Recording(r.options.MaxRounds); err != nil {
				return options, err
			}
		}
		options.Race = &selection.Rule{Lead: r.options.Lead, MaxRounds: r.options.MaxRounds, Worth: r.options.Worth}
		return options, nil
	}
}

// entrants are the arms with what their trials took on average.
func (r *raceRun) entrants(found *runner.Result) []race.Entrant {
	list := make([]race.Entrant, len(r.arms))
	for i, arm := range r.arms {
		list[i].Name = arm.Name
		if found.Prices != nil {
			list[i].Price = new(found.Prices[i])
		}
		if i >= len(found.Tests) {
			continue
		}
		spent := found.Tests[i].Spent
		ended := 0
		for _, t := range found.Trials {
			if t.Test == found.Tests[i].Name && t.Trial != nil {
				ended++
			}
		}
		if ended == 0 {
			continue
		}
		if spent.CostUnknown == 0 && spent.Attempts > 0 {
			list[i].CostUSD = new(spent.CostUSD / float64(ended))
		}
		list[i].Seconds = new(spent.Duration.Seconds() / float64(ended))
	}
	return list
}

// confirm runs the winner against the incumbent, side by side, in trials of other seeds than those of the race.
func (r *raceRun) confirm(
	ctx context.Context, a *base.App, of runcmd.Parts, result *race.Result,
) (*runcmd.Outcome, error) {
	s := *r.suite
	incumbent := r.suite.Agent
	winner := slices.IndexFunc(r.arms, func(v suite.Variant) bool { return v.Name == result.Chosen })
	s.Agent, s.BaselineAgent = r.arms[winner].Agent, &incumbent
	s.Variants, s.Calibrate, s.Gate, s.Order = nil, suite.Calibrate{}, suite.Gate{}, suite.Interleaved
	asked := r.suite.Test.Against
	s.Test = suite.Test{By: suite.BySuite, Against: suite.Against{SideBySide: true, Matched: asked.Matched,
		Discordant: asked.Discordant, Guard: asked.Guard}}
	s.Test.Alpha, s.Test.Beta, s.Test.Delta = r.options.Alpha, r.options.Beta, r.options.Delta
	s.Seed++
	quiet := func(f *runcmd.RunFlags) { f.Quiet = true }
	return of.Carry(ctx, a, confirmationPart, s, quiet)
}

// look counts a race that came to its end: the same task, of the same agents.
func (f *raceFlags) look(a *base.App, s *suite.Suite, r *race.Result) {
	if r.Run.Task == nil || r.End == selection.GoesOn {
		return
	}
	digests := []string{judging.OutcomesOf(r.Run)}
	if r.Confirmation != nil {
		digests = append(digests, judging.OutcomesOf(r.Confirmation))
	}
	risk := r.Risk()
	e := looks.Entry{
		Question: looks.Digest("race", r.Run.Task.Digest, keeping.AgentDigest(s), fmt.Sprint(r.Asked.Delta)),
		Evidence: looks.Digest(digests...), Trials: r.Trials,
		Look: verdict.Look{Command: "race", Verdict: r.Verdict, FalsePass: risk.FalsePass, FalseFail: risk.FalseFail},
	}
	if earlier, counted := f.looks.Count(a, s.Dir(), e, looks.Sight{Continues: f.run.Resume}); counted {
		r.Look(earlier, f.looks.Planned.Value)
	}
}
