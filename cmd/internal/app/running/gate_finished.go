package running

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// mostFinishedAge is how old a run may be that a gate takes in place of one of its own. It is chosen: what lies behind
// an agent, such as a model, changes unseen.
const mostFinishedAge = 24 * time.Hour

// takeFinished decides over the run that came before, where that was one of the same suite and agent and has ended:
// another one would cost as much, and be another look.
func (f *gateRun) takeFinished(ctx context.Context, a *world.World, args []string) {
	if f.Results != "" || f.Gate.Baseline != "" || f.Fresh || a.Guest != nil || f.Choice.Given() || baselineOf(a,
		args) != "" {
		return
	}
	for _, name := range []string{"resume", "extend", "seed", "looks", "new-agent", "journal", "max-cost", "trusted"} {
		if f.Given.Has(name) {
			return
		}
	}
	s := quietSuite(a, args)
	if s == nil {
		return
	}
	file := app.FilesOf(s, false).Result
	info, err := os.Stat(file)
	if err != nil {
		return
	}
	saved, err := app.ReadVerified(ctx, file, nil, nil)
	if err != nil {
		return
	}
	r, is := saved.(*runs.Result)
	if !is || r.Digest != s.Digest() || r.Selection != nil || r.Recorded ||
		!slices.Contains(ended, r.StoppedBy) ||
		!recent(r, a.Now(), f.MaxAge.Value, time.Duration(app.GateOptions(s).MaxResultAge)) {
		return
	}
	agent, err := keeping.Identify(ctx, a, s)
	if err != nil || !f.Looks.Finished(ctx, a, s, f.Store, agent, r) || !agent.Named && !isHere(s, agent) ||
		runner.FollowsSuite(ctx, s, r, nil) != nil {
		return
	}
	finished, _ := time.Parse(time.RFC3339, r.Finished) // which is recent
	ago := a.Now().Sub(finished).Round(time.Second)
	header, err := journal.HeaderOf(app.FilesOf(s, false).Journal)
	if err != nil {
		return
	}
	switch others, err := changedSince(header, s, agent); {
	case err != nil:
		return
	case len(others) > 0:
		a.Notice("note", "the run that ended %s ago is not taken, as another %s was used", ago, prose.Some(others, 3))
		return
	case s.InheritsAll():
		a.Notice("note", "the run that ended %s ago is not taken, as an agent or a judge inherits all variables, and any "+
			"may have changed; env_allow in the suite can name those that are needed", ago)
		return
	}
	if !agent.Named {
		switch newer, err := newerFile(s.Dir(), info.ModTime(), agent.Tracked, f.toWrite(a, s)); {
		case err != nil:
			return
		case newer != "":
			a.Notice("note", "the run that ended %s ago is not taken, as %s is newer and may be part of the agent; agent.files "+
				"in the suite says what is", ago, newer)
			return
		}
	}
	a.Notice("note", "the run that ended %s ago is taken, of the same suite and agent (compared: %s); --fresh runs again",
		ago, comparedOf(agent))
	f.Results, f.saved = file, []string{file}
}

// comparedOf says what was compared of an agent, so that a person sees what was not.
func comparedOf(agent keeping.Agent) string {
	switch {
	case agent.Named:
		return agent.Compared
	case agent.Worktree != "" && agent.Files:
		return agent.Compared + "; " + commitCompared + datesCompared
	}
	return agent.Compared + datesCompared
}

// datesCompared ends what was compared where the suite does not say of what its agent consists.
const datesCompared = "; the dates of other files in the suite's folder; none elsewhere"

// ended are the causes after which a run does not go on by itself.
var ended = []runs.StopCause{runs.StoppedByDecision, runs.StoppedByMaxTrials, runs.StoppedByBudget}

// recent reports whether a run is younger than all of the ages.
func recent(r *runs.Result, now time.Time, ages ...time.Duration) bool {
	finished, err := time.Parse(time.RFC3339, r.Finished)
	for _, most := range append(ages, mostFinishedAge) {
		if err != nil || most > 0 && now.Sub(finished) > most {
			return false
		}
	}
	return true
}

// isHere reports whether the agent is a program, or a model that the suite describes: others may change unseen.
func isHere(s *suite.Suite, agent keeping.Agent) bool {
	return s.Agent.HTTP == nil && (agent.Files || agent.Worktree != "" || s.Agent.Model != nil)
}
