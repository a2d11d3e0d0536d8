package probing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/proposal"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// campaign is what is tried: the mutants of the agent of a suite.
type campaign struct {
	MutateRequest
	suite   *suite.Suite
	list    []mutants.Mutant
	agents  map[string]suite.Agent // of the mutants, by ID
	prompt  map[int]string         // lines of the prompt that mutants change
	options mutants.Options        // without what is asked for

	folder   string // of its journals and results
	compared string // the part whose trials the mutants are compared with
	spent    running.Spending
	price    float64 // of a trial of the agent as it is, on average; 0: it is not known
}

// parts of a campaign, by the names of their files.
const (
	originalPart = "original" // the suite on the agent as it is
	recordedPart = "recorded" // trials that the mutants are compared with
	morePart     = "more"     // more of them, in place of the recorded ones where these are too few
	mutantsPart  = "mutants"
)

// try runs the campaign: the suite on the agent as it is, which must pass; more trials of that agent, to compare with;
// and the mutants, all of them beside each other. The trials that the mutants are compared with are others than those
// by which the agent passed: chosen for their passes they would lie too high.
func (c *campaign) try(ctx context.Context, a *world.World) error {
	if len(c.suite.Variants) > 0 {
		return problem.BadInput(fmt.Sprintf("the suite %s has variants of the agent, and mutants are of one agent",
			c.suite.Name),
			"name a suite of one of them")
	}
	scenarios, err := c.Choice.Selected(c.suite)
	if err != nil {
		return err
	}
	to, err := c.begin(ctx, a, scenarios)
	if err != nil {
		return err
	}
	original, err := c.part(ctx, a, originalPart, *c.suite, func(*running.Request, *running.Hooks) {})
	if err != nil {
		return err
	}
	if original.Result.Verdict != verdict.Pass {
		a.Notice("warning", "%v: nothing is scored", mutants.ErrOriginal)
		if err := c.Result.Deliver(ctx, a, nil, original.Result); err != nil {
			return err
		}
		return problem.VerdictError(verdict.Inconclusive.ExitCode())
	}
	recorded, err := c.recordEnough(ctx, a, original.Result)
	if err != nil {
		return err
	}
	run, err := c.mutated(ctx, a, scenarios)
	// The agent as it is could be run: what cannot be is its mutants.
	if err != nil && problem.ExitCode(err) == exit.Unavailable {
		return problem.BadInput("no trial of a mutant reached an outcome, so there is no score: "+err.Error(),
			"an agent that ends without an answer fails where the suite says infrastructure: []")
	} else if err != nil {
		return err
	}
	o := c.judgedBy()
	compared, err := c.behaviour(ctx, o.Levels, recorded.Found, run.Found)
	if err != nil {
		return err
	}
	c.reached(run.Found)
	sensors, err := c.sensors(ctx, recorded.Found, run.Found)
	if err != nil {
		return err
	}
	result, err := mutants.Judge(ctx, mutants.Campaign{
		Suite: c.suite.Name, Digest: c.suite.Digest(), Original: original.Result, Run: run.Result, Mutants: c.list,
		Behaviour: compared, Sensors: sensors, Prompt: c.prompt, Options: o,
	})
	if err != nil {
		return err
	}
	result.ExitCode = c.Result.Exit(a, result.Verdict, result.Reasons)
	if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		return err
	}
	a.Notice("note", "the result is in %s", to.Path)
	err = c.Result.Conclude(ctx, a, nil, result)
	if problem.Is[problem.VerdictError](err) {
		c.Kind = "mutate"
		c.KeepRun(ctx, a, run, result)
	}
	return err
}

// begin makes the folder of the campaign, and returns the file of its result.
func (c *campaign) begin(ctx context.Context, a *world.World, scenarios []suite.Scenario) (*outfile.File, error) {
	partial := c.Choice.Selection(c.suite, scenarios) != nil
	files := app.FilesOf(c.suite, partial)
	c.folder = filepath.Join(files.Folder, "mutation")
	if err := outfile.WorkFolder(files.Folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return nil, problem.BadInput(fmt.Sprintf("the folder %s cannot be made: %v", c.folder, problem.WithoutPath(err)), "")
	}
	to, err := running.NewRunFile(c.Given.Origin("output"),
		cmp.Or(c.Output, strings.TrimSuffix(files.Result, ".result.json")+".mutation.json"), c.suite)
	if err != nil {
		return nil, err
	}
	if err := c.Result.Reports.Open(to.Path); err != nil {
		return nil, err
	}
	if err := c.parts().Begun(originalPart, recordedPart, morePart, mutantsPart); err != nil {
		return nil, err
	}
	c.Override(c.suite)
	return to, c.DrawSeed(ctx, a, c.suite, "")
}

// reached counts the trials of each mutant that it reached, of those that are changed on the wire: what is changed in
// files always gets there.
func (c *campaign) reached(run *runner.Result) {
	place := map[string]int{}
	for i, m := range c.list {
		if w := c.agents[m.ID].Wire; w != nil && len(w.Mutants)+len(w.Faults) > 0 {
			place[m.ID], c.list[i].Applied = i, new(int)
		}
	}
	for _, t := range run.Trials {
		i, onWire := place[t.Variant]
		if onWire && t.Trial != nil && runner.Reached(c.agents[t.Variant], t.Trial) {
			*c.list[i].Applied++
		}
	}
}

// judgedBy are the options with what is asked for.
func (c *campaign) judgedBy() mutants.Options {
	o := c.options
	o.Levels, o.FailUnder = c.Levels, c.failUnder()
	return o
}

// parts are the runs of the campaign.
func (c *campaign) parts() running.Parts {
	return running.Parts{Called: "campaign", Kind: "mutate", Whole: mutantsPart, Run: c.Request,
		Folder: c.folder, Name: c.suite.Name, Spent: &c.spent}
}

// part runs one part of the campaign with what is left of the budget, and saves its result.
func (c *campaign) part(
	ctx context.Context, a *world.World, name string, s suite.Suite, adapt func(*running.Request, *running.Hooks),
) (*running.Outcome, error) {
	return c.parts().Carry(ctx, a, name, s, adapt)
}

// recordEnough records trials of the agent as it is, and where what they come to tells no mutant from it, others, of
// which there are more. They take the place of the first: chosen for how these came out, both together would be no
// recording.
func (c *campaign) recordEnough(ctx context.Context, a *world.World, original *runs.Result) (*running.Outcome, error) {
	trials := c.Tests.Record
	if trials == 0 {
		var err error
		if trials, err = c.needed(ctx, original); err != nil {
			return nil, err
		}
	}
	a.Notice("note", "%s passes; recording %s of each scenario to compare mutants with", prose.FileName(c.suite.Name),
		prose.Count(trials, "trial"))
	done, err := c.record(ctx, a, recordedPart, trials)
	if err != nil || c.Tests.Record > 0 {
		return done, err
	}
	more, err := c.lacking(ctx, done.Result)
	if err != nil || more == 0 {
		return done, err
	}
	a.Notice("note", "the agent passes less often than it did: %d trials tell no drop by %s; recording %d others of "+
		"each scenario", trials, phrase.Points(c.Levels.Delta), more)
	return c.record(ctx, a, morePart, more)
}

// lacking is how many trials to record in place of those that were, where no test against what they came to tells a
// drop; 0 where each does.
func (c *campaign) lacking(ctx context.Context, recorded *runs.Result) (more int, err error) {
	o := c.judgedBy()
	for place, t := range recorded.Tests {
		sample, err := baseline.Fixed(t.Trials)
		if err != nil {
			return 0, err
		}
		q := baseline.Question{Delta: o.Delta, Alpha: o.OfTest(place, len(c.list)), Beta: o.Beta,
			Guard: c.Guard}
		outcome := baseline.Outcome{Trials: t.Trials, Failures: t.Fails + t.Errors}
		_, err = baseline.Against(ctx, q, sample, outcome, baseline.Options{})
		if small, ok := errors.AsType[*baseline.TooSmallError](err); ok {
			more = max(more, small.Needed+small.Needed/4)
		} else if ctx.Err() != nil {
			return 0, err
		}
	}
	return min(more, value.MaxDesign), nil
}

// record records so many trials of the agent as it is, as a part.
func (c *campaign) record(ctx context.Context, a *world.World, part string, trials int) (*running.Outcome, error) {
	s := *c.suite
	s.Seed++ // other trials than those by which it passed
	if part == morePart {
		s.Seed += 2 // and than those of the mutants
	}
	c.compared = part
	done, err := c.part(ctx, a, part, s, func(f *running.Request, _ *running.Hooks) {
		f.Tests.Record = trials
	})
	if err != nil {
		return nil, err
	}
	if spent := done.Result.Spent; spent.CostUSD != nil && spent.CostUnknown == 0 && spent.Trials > 0 {
		c.price = *spent.CostUSD / float64(spent.Trials)
	}
	for _, t := range done.Result.Tests {
		if t.Trials < trials {
			return nil, problem.BadInput(fmt.Sprintf("recording the agent as it is ended after %d of %d trials of %q", t.Trials,
				trials, t.Name),
				"give a larger --max-cost, or --resume later")
		}
	}
	return done, nil
}

// needed is how many trials of each scenario of the original to record so that all trials together are fewest, by what
// it passed at. What it comes to may lie lower: a sixth more is recorded for that.
func (c *campaign) needed(ctx context.Context, original *runs.Result) (int, error) {
	o := c.judgedBy()
	rate := 1.0
	for _, t := range original.Tests {
		if t.Rate != nil {
			rate = math.Min(rate, *t.Rate)
		}
	}
	rate = math.Max(rate, o.Delta+0.05)
	alpha := o.OfTest(len(original.Tests)-1, len(c.list))
	need, err := baseline.Needed(ctx, baseline.Question{Delta: o.Delta, Alpha: alpha, Beta: o.Beta,
		Guard: c.Guard},
		rate, len(c.list), baseline.Options{})
	if err != nil {
		return 0, problem.BadInput(err.Error(),
			"give a larger --kill-delta, or a --guard below which the original does not pass")
	}
	return need.Trials + need.Trials/6, nil
}

// mutated runs the mutants.
func (c *campaign) mutated(ctx context.Context, a *world.World, scenarios []suite.Scenario) (*running.Outcome, error) {
	o := c.judgedBy()
	s := *c.suite
	s.Seed += 2 // other trials than those that are compared with
	s.BaselineAgent, s.Calibrate, s.Gate = nil, suite.Calibrate{}, suite.Gate{}
	s.Scenarios = slices.Clone(s.Scenarios)
	asked := func(t *suite.Test, place int) {
		by, pooled := t.By, t.Pooled
		if t.Joint() {
			by = "" // whether a mutant is killed is asked of each scenario
		}
		*t = suite.Test{By: by, Pooled: pooled, Against: suite.Against{Guard: c.Guard}}
		t.Alpha, t.Beta, t.Delta = o.OfTest(place, len(c.list)), o.Beta, o.Delta
	}
	asked(&s.Test, 0)
	for place, chosen := range scenarios {
		i := slices.IndexFunc(s.Scenarios, func(x suite.Scenario) bool { return x.Name == chosen.Name })
		asked(&s.Scenarios[i].Test, place)
		s.Scenarios[i].Trials = 0
	}
	identity := sha256.New()
	for _, m := range c.list {
		s.Variants = append(s.Variants, suite.Variant{Name: m.ID, Agent: c.agents[m.ID]})
		fmt.Fprintln(identity, m.ID, m.Key, m.Operator, m.Site)
	}
	return c.part(ctx, a, mutantsPart, s, func(f *running.Request, h *running.Hooks) {
		f.Tests.Baseline = c.parts().File(c.compared, ".result.json")
		f.Quiet = true
		h.Adapt = func(options *runner.Options) {
			// Mutants that change nothing would all be killed together by one unlucky draw of seeds, if they shared them.
			options.FirstFail, options.OwnSeeds = true, true
			options.Suite += "+" + hex.EncodeToString(identity.Sum(nil)[:8])
			c.tellOfCost(a, options)
		}
	})
}

// tellOfCost says before the mutants run what they are expected to take.
func (c *campaign) tellOfCost(a *world.World, o *runner.Options) {
	expected, most := 0.0, 0
	for _, t := range o.Tests {
		b := t.Against.Stored
		if b == nil {
			return
		}
		p := float64(b.Outcome.Passes()) / float64(b.Outcome.Trials)
		expected += b.Family.At(p, p).ExpectedTrials
		most += b.Family.MaxTrials()
	}
	fixed := mutants.DefaultFixed * len(o.Tests)
	costs := func(trials float64) string {
		if c.price == 0 {
			return ""
		}
		return fmt.Sprintf(" ($%.3g)", c.price*trials)
	}
	a.Notice("note", "%s: about %.0f trials%s if none changes anything, fewer where they are broken, at most %d%s; "+
		"%d each would be %d%s", prose.Count(len(c.list), "mutant"), expected, costs(expected), most, costs(float64(most)),
		mutants.DefaultFixed, fixed, costs(float64(fixed)))
}

// behaviour compares that of each mutant whose tests all pass with that of the original: by the first trials of each
// test, as many as every test that passes has. So the trials that are compared are fixed beforehand.
func (c *campaign) behaviour(
	ctx context.Context, levels mutants.Levels, original, run *runner.Result,
) (map[string]*behaviour.Comparison, error) {
	var before fingerprint.Sample
	for _, t := range original.Trials {
		if t.Trial != nil {
			before.Add(t.Trial)
		}
	}
	first, failed := map[string]int{}, failedVariants(run) // first: trials to compare, by test
	for _, t := range run.Tests {
		first[t.Name] = leastPass(t)
	}
	after := map[string]*fingerprint.Sample{}
	taken := map[string]int{}
	for _, t := range run.Trials {
		if taken[t.Test]++; failed[t.Variant] || taken[t.Test] > first[t.Test] || t.Trial == nil {
			continue
		}
		if after[t.Variant] == nil {
			after[t.Variant] = &fingerprint.Sample{}
		}
		after[t.Variant].Add(t.Trial)
	}
	found := map[string]*behaviour.Comparison{}
	for id, sample := range after {
		b, err := behaviour.Compare(ctx, &before, sample, behaviour.Options{Alpha: levels.OfBehaviour(len(c.list)),
			Seed: run.Seed})
		if err != nil {
			return nil, err
		}
		b.Map, b.Trials = nil, nil // one for each mutant would be most of the result
		found[id] = b
	}
	return found, nil
}

// sensors are the evaluators that would catch mutants no test of which failed, for each test by the trials of its
// scenarios; none where they were not asked for.
func (c *campaign) sensors(ctx context.Context, original, run *runner.Result) (map[string][]mutants.Sensor, error) {
	if !c.Suggest {
		return nil, nil
	}
	before, after, failed := trialsByTest(original), trialsByTest(run), failedVariants(run)
	found := map[string][]mutants.Sensor{}
	for _, m := range c.list {
		if failed[m.ID] {
			continue
		}
		for _, t := range original.Tests {
			list, err := proposal.Sensors(ctx, before[t.Name], after[suite.TestName(t.Name, m.ID)])
			if err != nil {
				return nil, err
			}
			for _, s := range list {
				found[m.ID] = append(found[m.ID], mutants.Sensor{
					Test: t.Name, YAML: s.YAML, P: s.P, Original: mutants.Tally{Passes: s.Original.Passes, Trials: s.Original.Trials},
					Mutant: mutants.Tally{Passes: s.Changed.Passes, Trials: s.Changed.Trials},
				})
			}
		}
		slices.SortStableFunc(found[m.ID], func(a, b mutants.Sensor) int { return cmp.Compare(a.P, b.P) })
		found[m.ID] = found[m.ID][:min(len(found[m.ID]), 3)]
	}
	return found, nil
}

// failedVariants are the mutants that a test fails.
func failedVariants(run *runner.Result) map[string]bool {
	failed := map[string]bool{}
	for _, t := range run.Tests {
		failed[t.Variant] = failed[t.Variant] || t.Outcome == sprt.Fail
	}
	return failed
}

// trialsByTest are the trials of a run that have an outcome, by the name of their test.
func trialsByTest(r *runner.Result) map[string][]*trial.Trial {
	list := map[string][]*trial.Trial{}
	for _, t := range r.Trials {
		if t.Trial != nil && t.Trial.Outcome != trial.Error {
			list[t.Test] = append(list[t.Test], t.Trial)
		}
	}
	return list
}

// leastPass is how many trials a test against a stored baseline has when it passes at the earliest; 0 if it never does.
func leastPass(t runner.TestResult) int {
	if t.Against == nil || t.Against.Stored == nil {
		return 0
	}
	b, ok := t.Against.Stored.Family.Boundaries(t.Against.Stored.Outcome)
	if !ok {
		return 0
	}
	for i, pass := range b.PassAtOrBelow {
		if pass >= 0 {
			return i + 1
		}
	}
	return 0
}
