package improving

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/looks"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	selection "github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/race"
)

// The parts of a race, by the names of their files.
const (
	racePart         = "race"
	confirmationPart = "confirmation"
)

// raceRun is a race under way.
type raceRun struct {
	RaceRequest
	suite   *suite.Suite
	arms    []suite.Variant // the incumbent first
	options race.Options
	spent   running.Spending
	raced   *running.Outcome // nil until the race has ended
}

// try has the variants race, and the winner confirmed.
func (r *raceRun) try(ctx context.Context, a *world.World) (*race.Result, *outfile.File, error) {
	files := app.FilesOf(r.suite, r.Choice.Given())
	folder := filepath.Join(files.Folder, "race")
	if err := outfile.WorkFolder(files.Folder); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, problem.BadInput(fmt.Sprintf("the folder %s cannot be made: %v", folder, problem.WithoutPath(err)),
			"")
	}
	stem := strings.TrimSuffix(files.Result, ".result.json")
	to, err := running.NewRunFile(r.Given.Origin("output"), cmp.Or(r.Output, stem+".race.json"), r.suite)
	if err != nil {
		return nil, nil, err
	}
	if err := r.Result.Reports.Open(to.Path); err != nil {
		return nil, nil, err
	}
	parts := running.Parts{Called: "race", Kind: "race", Whole: racePart, Run: r.Request,
		Folder: folder, Name: filepath.Base(stem), Spent: &r.spent}
	if err := parts.Begun(racePart, confirmationPart); err != nil {
		return nil, nil, err
	}
	a.Notice("note", "%s race; one is dropped at %s behind the leader", prose.Count(len(r.arms), "agent"),
		prose.Count(r.options.Lead, "pass"))
	look, err := r.begin(ctx, a, r.suite, r.options)
	if err != nil {
		return nil, nil, err
	}
	result, err := r.race(ctx, a, parts)
	if err != nil {
		history, unread := journal.ReadOutcomes(parts.File(racePart, ".journal.jsonl"))
		if unread == nil && history.Outcomes() == 0 {
			look.Void(false)
		}
		return nil, nil, err
	}
	end(r.suite, look, result)
	return result, to, nil
}

// race races the arms, and confirms what it chooses.
func (r *raceRun) race(ctx context.Context, a *world.World, parts running.Parts) (*race.Result, error) {
	raced, err := parts.Carry(ctx, a, racePart, r.racing(), r.adapt)
	if err != nil {
		return nil, err
	}
	r.raced = raced
	e := race.Evidence{Suite: r.suite.Name, Digest: r.suite.Digest(), Arms: r.entrants(raced.Found), Run: raced.Result,
		Options: r.options}
	result, err := race.Judge(ctx, e)
	if err != nil || result.Chosen == "" || result.Chosen == race.Incumbent {
		return result, err
	}
	if _, used := r.spent.Left(r.suite.Budget, confirmationPart); used != nil {
		wrong, _ := problem.Explain(used)
		a.Notice("warning", "%s", wrong)
		return result, nil
	}
	a.Notice("note", "%s won after %s; it now runs against the current version on new trials", prose.Quote(result.Chosen),
		prose.Count(result.Rounds, "round"))
	confirmed, err := r.confirm(ctx, a, parts, result)
	if err != nil {
		return nil, err
	}
	e.Confirmation = confirmed.Result
	return race.Judge(ctx, e)
}

// racing is the suite with all arms as variants, tested by nothing but the race.
func (r *raceRun) racing() suite.Suite {
	s := *r.suite
	s.Variants, s.BaselineAgent, s.Calibrate, s.Gate = r.arms, nil, suite.Calibrate{}, suite.Gate{}
	s.Test = suite.Test{By: suite.BySuite, Pooled: true}
	s.Order = suite.Interleaved
	return s
}

// adapt has the trials of the arms race in place of being tested.
func (r *raceRun) adapt(f *running.Request, h *running.Hooks) {
	f.Quiet = true
	h.Prepare = func(ctx context.Context, s *suite.Suite, o runner.PrepareOptions) (runner.Options, error) {
		scenarios, err := r.Choice.Selected(s)
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

// confirm runs the winner against the current version, side by side, in trials of other seeds than those of the race.
func (r *raceRun) confirm(
	ctx context.Context, a *world.World, parts running.Parts, result *race.Result,
) (*running.Outcome, error) {
	s := *r.suite
	incumbent := r.suite.Agent
	winner := slices.IndexFunc(r.arms, func(v suite.Variant) bool { return v.Name == result.Chosen })
	s.Agent, s.BaselineAgent = r.arms[winner].Agent, &incumbent
	s.Variants, s.Calibrate, s.Gate, s.Order = nil, suite.Calibrate{}, suite.Gate{}, suite.Interleaved
	asked := r.suite.Test.Against
	s.Test = suite.Test{By: suite.BySuite, Pooled: true, Against: suite.Against{SideBySide: true,
		Matched: asked.Matched, Discordant: asked.Discordant, Guard: asked.Guard}}
	s.Test.Alpha, s.Test.Beta, s.Test.Delta = r.options.Alpha, r.options.Beta, r.options.Delta
	s.Seed++
	quiet := func(f *running.Request, _ *running.Hooks) { f.Quiet = true }
	return parts.Carry(ctx, a, confirmationPart, s, quiet)
}

// begin counts a race as a look from its beginning on: the same task, of the same agents.
func (r *RaceRequest) begin(
	ctx context.Context, a *world.World, s *suite.Suite, o race.Options,
) (*looking.RunLook, error) {
	if r.Looks.Ledger == looking.NoLedger {
		return nil, nil
	}
	if err := r.Looks.OutOfReach(s); err != nil {
		return nil, err
	}
	agent, err := keeping.Identify(ctx, a, s)
	if err != nil {
		return nil, err
	}
	task := looks.Digest("race", s.Task().Digest, fmt.Sprint(r.Choice.Only, r.Choice.Tags))
	risk := (&race.Result{Asked: o}).Risk()
	return r.Looks.Begin(ctx, a, s, r.Store, looking.Inquiry{
		Command: "race", Agent: agent, Questions: []string{task}, Risk: risk, Continues: r.Resume,
	}), nil
}

// end counts a race that came to its end.
func end(s *suite.Suite, look *looking.RunLook, r *race.Result) {
	digests := []string{looking.OutcomesOf(r.Run)}
	if r.Confirmation != nil {
		digests = append(digests, looking.OutcomesOf(r.Confirmation))
	}
	before := ""
	if r.Run.Task != nil {
		before = looks.Digest("race", r.Run.Task.Digest, keeping.AgentDigest(s), fmt.Sprint(r.Asked.Delta))
	}
	if r.End == selection.GoesOn {
		return
	}
	look.EndOther(r.Verdict, r.Risk(), r.Trials, looks.Digest(digests...), before, r.Look)
}
