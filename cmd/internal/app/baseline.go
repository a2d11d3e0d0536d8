package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// BaselineSchema names the JSON form of a [BaselineState].
const BaselineSchema = "tribunal/baseline/v1"

// BaselineState is what there is to know of a baseline with a name.
type BaselineState struct {
	Schema   string    `json:"schema"`
	Name     string    `json:"name"`
	Revision int       `json:"revision"` // from 1
	At       time.Time `json:"at"`       // when it was set
	Who      string    `json:"who"`      // set it; "" is not known
	Reason   string    `json:"reason,omitempty"`
	MaxAge   float64   `json:"max_age_s,omitempty"` // seconds after which it is no baseline any more; 0 is for ever

	Finished string   `json:"finished_at,omitempty"` // when the oldest of its runs ended, RFC 3339
	Age      *float64 `json:"age_s"`                 // of that run, in seconds; nil where it is not known
	TooOld   bool     `json:"too_old"`
	// Why nothing can be tested against it; "" where it can.
	Problem string         `json:"problem,omitempty"`
	Runs    []BaselineRun  `json:"runs"`
	Rates   []BaselineRate `json:"rates"` // by test, in the order of the first run
	// Runs since then of the same suite, task and version, the latest so many at most.
	LaterRuns int                `json:"later_runs"`
	Revisions []BaselineRevision `json:"revisions"` // the latest first
}

// BaselineRevision is a revision of a baseline, as programs read it.
type BaselineRevision struct {
	Name     string    `json:"name"`
	Revision int       `json:"revision"` // from 1; the last one holds
	At       time.Time `json:"at"`       // when it was set
	Who      string    `json:"who"`      // set it; "" is not known
	Reason   string    `json:"reason,omitempty"`
	MaxAge   float64   `json:"max_age_s,omitempty"` // in seconds; 0 is for ever
	Runs     []string  `json:"runs"`                // their IDs
}

// RevisionOf is a revision of a store.
func RevisionOf(b store.Baseline) BaselineRevision {
	return BaselineRevision{b.Name, b.Revision, b.At, b.Who, b.Reason, b.Policy.MaxAge.Seconds(), b.Runs}
}

// BaselineRun is a run of a baseline.
type BaselineRun struct {
	ID       string   `json:"id"`
	Suite    string   `json:"suite"`
	Commit   string   `json:"commit,omitempty"`
	Finished string   `json:"finished_at,omitempty"`
	Trials   int      `json:"trials"` // judged, of all tests
	Passes   int      `json:"passes"`
	Errors   int      `json:"errors"` // without an outcome
	Changed  []string `json:"changed,omitempty"`
}

// BaselineRate is the pass rate of a test in a baseline, and in later runs.
type BaselineRate struct {
	Test string `json:"test"`
	ObservedRate
	Later *ObservedRate `json:"later"` // nil where there are no later trials
	// The two intervals have no rate in common.
	Apart bool `json:"apart"`
}

// ObservedRate is a pass rate with an interval of 95 %.
type ObservedRate struct {
	Trials int     `json:"trials"` // judged
	Passes int     `json:"passes"`
	Errors int     `json:"errors"` // without an outcome
	Rate   float64 `json:"rate"`   // passes over passes and failures; 0 where there are none
	// Of a baseline exact, as its runs were sampled, with all errors as failures in Low and as passes in High; of later
	// runs one that holds however they were stopped, over trials with an outcome.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	baselineAlpha = 0.05 // of the intervals, as everywhere
	mostLater     = 200  // runs that are looked at for drift; chosen
)

// DescribeBaseline returns the state of a baseline at a time. Runs that cannot be read are a problem of the baseline,
// and no error: then there are no rates.
func DescribeBaseline(ctx context.Context, s *store.Store, name string, now time.Time) (*BaselineState, error) {
	b, err := s.Baseline(ctx, name)
	if err != nil {
		return nil, err
	}
	state := &BaselineState{
		Schema: BaselineSchema, Name: b.Name, Revision: b.Revision, At: b.At, Who: b.Who, Reason: b.Reason,
		MaxAge: b.Policy.MaxAge.Seconds(), Runs: []BaselineRun{}, Rates: []BaselineRate{},
	}
	all, err := s.Baselines(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Name == name {
			state.Revisions = append(state.Revisions, RevisionOf(r))
		}
	}
	found, err := namedRuns(ctx, s, b, nil)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		state.Problem = messageOf(err)
		return state, nil
	}
	state.age(found, now)
	for _, r := range found.Runs {
		state.Runs = append(state.Runs, baselineRunOf(r, found.First()))
	}
	later, err := state.later(ctx, s, b, found)
	if err != nil {
		return nil, err
	}
	return state, state.rates(found, later)
}

// messageOf is an error without its hint.
func messageOf(err error) string {
	if m, ok := err.(interface{ Message() string }); ok {
		return m.Message()
	}
	return err.Error()
}

// age says how old the oldest run is.
func (b *BaselineState) age(found *runs.Baseline, now time.Time) {
	b.Finished = found.Finished()
	end, err := time.Parse(time.RFC3339, b.Finished)
	if err != nil {
		b.TooOld = b.MaxAge > 0 // of any age, as a gate takes it
		return
	}
	age := now.Sub(end)
	b.Age = new(max(0, age.Seconds()))
	b.TooOld = found.MaxAge > 0 && age > found.MaxAge
}

// baselineRunOf sums up a run. What changed of its agent is beside the first one's.
func baselineRunOf(r runs.BaselineRun, first *runs.Result) BaselineRun {
	run := BaselineRun{ID: r.ID, Suite: r.Result.Suite, Commit: r.Result.Commit, Finished: r.Result.Finished,
		Changed: AgentChanges(first, r.Result)}
	for i := range r.Result.Tests {
		t := &r.Result.Tests[i]
		run.Trials, run.Passes, run.Errors = run.Trials+t.Trials, run.Passes+t.Passes, run.Errors+t.Errors
	}
	return run
}

// AgentChanges is what a run says otherwise of its agent than another, a line each; nothing where one does not say it.
func AgentChanges(before, after *runs.Result) (changed []string) {
	if before.Settings == nil || after.Settings == nil {
		return nil
	}
	agent := func(lines []string) (list []string) {
		for _, line := range lines {
			if len(line) > len(agentLine) && line[:len(agentLine)] == agentLine {
				list = append(list, line)
			}
		}
		return list
	}
	return suite.Changed(agent(before.Settings), agent(after.Settings))
}

// agentLine begins the lines of a suite's settings that are of its agent.
const agentLine = "agent."

// laterKey is what later trials are counted by.
type laterKey struct{ scenario, version string }

// later counts the trials of later runs.
func (b *BaselineState) later(
	ctx context.Context, s *store.Store, stored *store.Baseline, found *runs.Baseline,
) (map[laterKey]store.Sums, error) {
	last, task, versions := time.Time{}, "", map[string]bool{}
	for _, id := range stored.Runs {
		r, err := s.Run(ctx, id)
		if err != nil {
			return nil, err
		}
		begun := r.Started
		if begun.IsZero() { // as earlier versions recorded it
			begun = r.Added
		}
		if begun.After(last) {
			last = begun
		}
		task = r.Task
		for _, p := range r.Parts {
			versions[p.Version] = true
		}
	}
	list, err := s.Runs(ctx, store.Query{Suite: found.First().Suite, Since: last, Own: true}, 0, mostLater)
	if err != nil {
		return nil, err
	}
	sums := map[laterKey]store.Sums{}
	for _, r := range list {
		if slices.Contains(stored.Runs, r.ID) || task != "" && r.Task != task {
			continue
		}
		tallies, err := s.Tallies(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		counted := false
		for _, t := range tallies {
			if !versions[t.Version] {
				continue
			}
			counted = true
			key := laterKey{t.Scenario, t.Version}
			sum := sums[key]
			sum.Plus(t.Sums)
			sums[key] = sum
		}
		if counted {
			b.LaterRuns++
		}
	}
	return sums, nil
}

// rates adds the rates of the tests.
func (b *BaselineState) rates(found *runs.Baseline, later map[laterKey]store.Sums) error {
	for i := range found.First().Tests {
		t := &found.First().Tests[i]
		r, err := found.Recorded(t.Name)
		if err != nil {
			b.Problem = cmp.Or(b.Problem, messageOf(err))
			continue
		}
		rate := BaselineRate{Test: t.Name}
		side := r.Counts()
		rate.Trials, rate.Passes, rate.Errors = side.Trials, side.Passes, side.Errors
		if side.Rate != nil {
			rate.Rate = *side.Rate
		}
		low, err := r.Sample.Guard(r.Worst, baselineAlpha)
		if err != nil {
			return err
		}
		high, err := r.Sample.Guard(r.Outcome, baselineAlpha)
		if err != nil {
			return err
		}
		rate.Low, rate.High = low.Low, high.High
		if rate.Later, err = laterRate(t, later); err != nil {
			return err
		}
		rate.Apart = rate.Later != nil && (rate.Later.High < rate.Low || rate.Later.Low > rate.High)
		b.Rates = append(b.Rates, rate)
	}
	return nil
}

// laterRate is that of later trials of a test, over its scenarios; nil where there are none.
func laterRate(t *runs.Test, later map[laterKey]store.Sums) (*ObservedRate, error) {
	scenarios := map[string]bool{}
	for _, m := range t.Members {
		scenarios[m.Name] = true
	}
	if len(t.Members) == 0 {
		name := t.Name
		// The name of a variant's test ends in it.
		if t.Variant != "" {
			for key := range later {
				if suite.TestName(key.scenario, t.Variant) == t.Name {
					name = key.scenario
				}
			}
		}
		scenarios[name] = true
	}
	version := cmp.Or(t.Variant, store.DefaultVersion)
	var sum store.Sums
	for key, s := range later {
		if scenarios[key.scenario] && key.version == version {
			sum.Plus(s)
		}
	}
	known := sum.Passes + sum.Failures
	if known+sum.Errors == 0 {
		return nil, nil
	}
	o := &ObservedRate{Trials: known + sum.Errors, Passes: sum.Passes, Errors: sum.Errors}
	if known > 0 {
		o.Rate = float64(sum.Passes) / float64(known)
	}
	interval, err := sprt.ConfidenceSequence(stats.Counts{Passes: sum.Passes, Trials: known}, baselineAlpha, 1, 1)
	o.Low, o.High = interval.Low, interval.High
	return o, err
}

// CheckBaseline refuses runs of a store that are no baseline together: what has no saved result, was asked otherwise,
// or has a test that has not ended. Changes of the agent between them are returned, a line each: one rate is then that
// of several agents.
func CheckBaseline(
	ctx context.Context, s *store.Store, name string, ids []string,
) (found *runs.Baseline, changed []string, err error) {
	found, err = namedRuns(ctx, s, &store.Baseline{Name: name, Runs: ids}, nil)
	if err != nil {
		return nil, nil, err
	}
	if len(found.First().Tests) == 0 {
		return nil, nil, &Problem{Text: "run " + ids[0] + " has no tests", Advice: "take one that has"}
	}
	for _, r := range found.Runs {
		_, err := runs.BaselineOf(r.Result, found.First().Tests[0].Name)
		if whole, ok := errors.AsType[*runs.BaselineError](err); ok && whole.Test == "" {
			return nil, nil, &Problem{Text: strings.Replace(whole.Problem, "the run", "run "+r.ID, 1), Err: err,
				Advice: "record one with tribunal store baseline record " + name + " --store " + prose.FileName(s.String())}
		}
	}
	for _, t := range found.First().Tests {
		if _, err := found.Recorded(t.Name); err != nil {
			advice := ""
			if hinted, ok := err.(interface{ Hint() string }); ok {
				advice = hinted.Hint()
			}
			return nil, nil, &Problem{Text: messageOf(err), Advice: advice, Err: err}
		}
	}
	for _, r := range found.Runs[1:] {
		for _, line := range AgentChanges(found.First(), r.Result) {
			if !slices.Contains(changed, line) {
				changed = append(changed, line)
			}
		}
	}
	return found, changed, nil
}

// PassedGate refuses a run of a store that is not one for which a gate decided to deploy. The decision is judged again.
func PassedGate(ctx context.Context, s *store.Store, id string) error {
	kept, err := s.Run(ctx, id)
	if err != nil {
		return err
	}
	refuse := func(format string, args ...any) error {
		return &Problem{Text: fmt.Sprintf("run %s ", kept.ID) + fmt.Sprintf(format, args...),
			Advice: "promote a run that tribunal gate deploys, or force it with a reason"}
	}
	if kept.Result == nil || kept.Result.Name != gate.Schema {
		return refuse("passed no gate: it is of %s", prose.Printable(cmp.Or(kept.Kind, "no command")))
	}
	result, err := verify.Decode(kept.Result.Text)
	if err != nil {
		return refuse("has a decision that cannot be read: %v", err)
	}
	if _, err := Verify(ctx, "run "+kept.ID, result); err != nil {
		return err
	}
	if g, ok := result.(*gate.Result); !ok || g.Decision.Verdict() != verdict.Pass {
		return refuse("did not pass its gate: %s", prose.Printable(cmp.Or(kept.Verdict, "no verdict")))
	}
	return nil
}
