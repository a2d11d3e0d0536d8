package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Test is what is decided: one design, over the trials of one scenario or of several
// that are pooled. A scenario belongs to one test, or, where there are variants of the agent,
// to one test of each. Tests of the same scenarios take turns: see [Run].
type Test struct {
	Name string // of its own among the tests
	// When to stop, and with which verdict; zero where Against alone decides.
	Design sprt.Design
	// Against is a test against a baseline; nil is none. Beside a design both must hold.
	Against *runs.Against
	// Joint is the question that this test and others are asked together, in their order; nil: it has one of its own.
	// With it there is neither a design nor a baseline of its own.
	Joint *runs.Joint
	// Recorded are the outcomes of a baseline that Joint is against; see [runs.TestEvidence].
	Recorded  string
	Scenarios []string // their names, one at least
	Variant   string   // of the agent; empty where there are none
	Shared    int      // how many tests share the alpha that was asked for; 0: it is the test's own
}

// inRounds reports whether the test runs both sides, a trial of each in every round.
func (t Test) inRounds() bool {
	return t.Against != nil && t.Against.Rounds != nil || t.Joint.Paired()
}

// Evidence is what decides the test, without trials.
func (t Test) Evidence() runs.TestEvidence {
	return runs.TestEvidence{
		Name: t.Name, Variant: t.Variant, Scenarios: t.Scenarios, Design: t.Design, Against: t.Against,
		Joint: t.Joint, Recorded: t.Recorded, Shared: t.Shared,
	}
}

// digest identifies what decides the test: the digest of its design, and where it is against a
// baseline, the hash of that and of the baseline's.
func (t Test) digest() string {
	if t.Joint != nil {
		return t.Joint.Digest(t.Recorded)
	}
	if t.Against == nil {
		return t.Design.Digest()
	}
	h := sha256.New()
	fmt.Fprintln(h, "tribunal test against a baseline 1")
	if t.Design.Boundaries.MaxTrials() > 0 {
		fmt.Fprintln(h, t.Design.Digest())
	}
	if s := t.Against.Stored; s != nil {
		worst := s.WithErrorsFailed()
		fmt.Fprintln(h, s.Family.Digest(), s.Outcome.Trials, s.Outcome.Failures, worst.Trials, worst.Failures)
	}
	if t.inRounds() {
		fmt.Fprintln(h, t.Against.Rounds.Digest())
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Scenario is what an agent is asked to do again and again.
type Scenario struct {
	Name  string    // of its own among the scenarios
	Input trial.Raw // JSON that the agent is given; nil is null

	expect oracle.Expectation // how its trials are to end
}

// Options say what is run.
type Options struct {
	Tests     []Test     // one at least
	Scenarios []Scenario // those that the tests name; others are not run
	Agent     Agent      // what is tested
	// BaselineAgent runs the baseline's trials of tests in rounds; nil where there are none.
	BaselineAgent Agent
	// Variants are the agents of tests that name a variant, by its name.
	Variants map[string]Agent
	Judge    Judge // nil: the outcome that the agent records counts

	Seed        uint64 // of the order and of each trial's seed
	Concurrency int    // attempts at once; 0 is 1
	// Pool says how many attempts may run at once, where that changes while the run goes on, such as by workers that
	// come and go; Concurrency bounds it where that is not 0. Nil: Concurrency alone says it.
	Pool Pool
	// Recovers says that attempts outlive the process of the run, as on other machines: those that were running when an
	// earlier session ended are waited for again, and not made errors of.
	Recovers bool
	// AtOnce is how many trials of one scenario may run at once; 0 is as many as there is room for. An agent that tries
	// all scenarios together has no use for more.
	AtOnce int
	// Eager launches trials that a decision may waste, to keep all workers busy.
	// Without it no trial is launched that might not be needed.
	Eager bool
	// FirstFail ends the tests of a variant once one of them failed: what the others would say of it is not needed. Those
	// that it ends have no decision.
	FirstFail bool
	// Race has the tests race as arms, in their order: each is a variant of the same scenarios, and records as many trials
	// as the race has rounds. An arm that leaves the race ends without a decision, and so do all of them once it is over.
	// Nil: they do not race.
	Race *race.Rule
	// OwnSeeds gives the trials of each variant seeds of their own. Without it those of one scenario and number have the
	// same, so that what they differ in is the variant; with it they are independent.
	OwnSeeds bool
	// Listed launches trials of the first test that has not ended, in place of a random
	// round-robin. Then no test may have several scenarios: it would judge the first.
	Listed bool

	Retries int           // at most, of an attempt that never began; see [InfrastructureError]
	Backoff time.Duration // before the first retry, doubled for each one more
	// MaxErrors is after how many trials a run without any outcome is given up, because
	// all of them were errors; 0 is [defaultMaxErrors].
	MaxErrors int

	// Prices make an estimate of what a trial cost that tells its tokens and not its cost; nil makes none.
	Prices *prices.Table
	Budget Budget // what the run may take; the zero value limits nothing
	// Grace is how long running trials may go on after a stop: then they are asked to end, with the grace of their
	// agent. With 0 they are killed at once, whatever that grace, and where it is not known they may end.
	Grace    trial.Optional[time.Duration]
	Deadline time.Time // when launching stops; zero is never
	// Window is how long the run may stretch, all its sessions together: launching stops so long after it began, and it
	// is not continued later. 0 is any time.
	Window time.Duration
	// Jitter is how long the first attempt at a trial waits at most: a share of it that follows from the seed of the
	// trial.
	Jitter time.Duration
	// Profile is the tier of the suite, for the journal; "" is none. A run is continued as the same.
	Profile string
	// Interrupt stops launching when it is closed; it may be nil. What runs goes on for
	// Grace, whereas the end of the context kills it at once.
	Interrupt <-chan struct{}
	// Failing is told, once, that the first trials of the run all ended in errors, how many they are, and what the
	// last of them says. It may be nil.
	Failing func(trials int, cause string)
	// Stopping is told how many attempts still run when Interrupt is closed. It may be nil.
	Stopping func(running int)

	// Calibrate works out from the behaviour of the first trials how many are recorded; nil records those that the tests
	// need. Its scenarios, budgets and costs are those of the run. It is for tests of one agent, and not in rounds.
	Calibrate *plan.CalibrationOptions
	// Calibrated is told the number once it is known. It may be nil.
	Calibrated func(*plan.Calibration)

	// Shard is the part of the run that is made here, while others make the rest; nil makes all of it. A shard needs a
	// journal, decides nothing, and its budget is its own: see [Merge].
	Shard *journal.Shard

	Journal string // file; "" keeps none
	// Brief keeps of each trial that is in the journal what [runs.Judge] lists of it, so that the memory of a run does
	// not grow with all that its agent writes.
	Brief  bool
	Resume bool // continue the run of the journal
	// Replace decides what becomes of a journal that is there when a run begins; nil refuses.
	Replace journal.Replace
	// Extend gives every test that used up its trials without a decision so many more,
	// where its design allows that; see [sprt.Design.Extend]. It needs Resume.
	Extend int
	Suite  string // digest of what defines the run, for the journal
	// Describes says what that digest is of, for the journal; see [suite.Suite.Description]. It may be nil.
	Describes []string
	// Identity is the digest of what the agent is known by, for the journal; "" is not told.
	Identity string
	Version  string // of the program, for the journal
	Command  string // that continues the run, for the journal; "" is not told
	// Programs are the files that agent and judge are made of, for the journal: where they are others when the run is
	// continued, the result warns of it, and Changed is told first. It may be nil.
	Programs []journal.Program
	// Newer are other files of the agents or their judges that changed since the last session of a run that goes on.
	Newer []string

	// Unconfined says what of the agents the suite asks to be held and this machine cannot hold, such as "agent.confine:
	// network: …", for journal and result. A run is continued where as much is held.
	Unconfined []string
	Changed    func(files []string)

	began string // RFC 3339, when a run began that is merged; "" is now

	// The files in which the agent leaves what its trials are scored by.
	reports []string

	// What is removed from trials before they are kept; nil is nothing.
	secrets *redact.Secrets

	// Progress is told where a test stands whenever that has changed and nothing more
	// is to be launched for now. It may be nil, and is not called by two goroutines at once.
	Progress func(Progress)
}

// Pool is where attempts run, if that is not this machine.
type Pool interface {
	Slots() int               // how many attempts may run at once, now
	Changed() <-chan struct{} // has a value when there may be more of them
}

// defaultMaxErrors is how many trials are tried before a run without any outcome is
// given up.
const defaultMaxErrors = 10

// Progress is where one test stands.
type Progress struct {
	Test      string       // its name
	Outcome   sprt.Outcome // Undecided until the test ends
	Trials    int          // judged, of both sides in a test in rounds
	Failures  int          // among the judged trials
	Errors    int          // among the judged trials
	InFlight  int          // attempts that run now
	MaxTrials int          // of the test
	Needed    int          // trials that are needed in any case, those in flight among them
	// Sides is 2 in a test in rounds, half of whose judged trials are the baseline's, and 1 in others.
	// The failures and errors are those of the baseline's side.
	Sides, BaselineFailures, BaselineErrors int
	// Bounded says that one number of failures passes the test and one fails it, as in all tests
	// but those in rounds and those of a threshold and a baseline together.
	Bounded bool
	// The next judged trial passes the test at or below, and fails it at or above,
	// these failures; -1 and [sprt.Never] where neither is possible.
	PassAtOrBelow, FailAtOrAbove int

	Spent   journal.Spend // by the whole run
	Elapsed time.Duration // of the whole run
}

// OptionError says which option cannot be used, and why.
type OptionError = argument.Error

// Validate returns an [OptionError] where the options cannot be run.
func (o *Options) Validate() error {
	finite := func(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
	switch b := o.Budget; {
	case o.Agent == nil && slices.ContainsFunc(o.Tests, func(t Test) bool { return t.Variant == "" }):
		return argument.Wrong("agent", nil, "must be given")
	case len(o.Tests) == 0:
		return argument.Wrong("tests", 0, "must be one at least")
	case o.Concurrency < 0:
		return argument.Wrong("concurrency", o.Concurrency, "must not be negative")
	case o.Retries < 0:
		return argument.Wrong("retries", o.Retries, "must not be negative")
	case o.MaxErrors < 0:
		return argument.Wrong("max errors", o.MaxErrors, "must not be negative")
	case o.Backoff < 0 || o.Grace.Value < 0:
		return argument.Wrong("backoff and grace", fmt.Sprint(o.Backoff, " ", o.Grace.Value), "must not be negative")
	case !finite(b.MaxCostUSD) || !finite(b.PricePerTrial):
		return argument.Wrong("budget", fmt.Sprint(b.MaxCostUSD, " ", b.PricePerTrial), "must be finite and not negative")
	case b.MaxTokens < 0 || b.MaxDuration < 0 || b.MaxTrials < 0:
		return argument.Wrong("budget", fmt.Sprintf("%+v", b), "must not be negative")
	case o.Window < 0 || o.Jitter < 0:
		return argument.Wrong("window and jitter", fmt.Sprint(o.Window, " ", o.Jitter), "must not be negative")
	case o.Pool != nil && o.Shard != nil:
		return argument.Wrong("pool", o.Shard, "makes a whole run, and a shard a part of one")
	case o.Resume && o.Journal == "":
		return argument.Wrong("resume", true, "needs a journal")
	case o.Calibrate != nil && (o.Calibrate.Trials < 1 || o.Calibrate.MaxTrials < o.Calibrate.Trials):
		return argument.Wrong("calibrate", o.Calibrate.Trials,
			"must be trials of each scenario, and not more than are recorded")
	case o.Calibrate != nil && slices.ContainsFunc(o.Tests, func(t Test) bool { return t.inRounds() || t.Variant != "" }):
		return argument.Wrong("calibrate", o.Calibrate.Trials, "is for one agent, without variants and rounds")
	case o.Shard != nil && (!o.Shard.Valid() || o.Journal == ""):
		return argument.Wrong("shard", o.Shard, "must be such as 2/8, and needs a journal")
	case o.Shard != nil && (o.Calibrate != nil || o.Race != nil || o.Extend > 0):
		return argument.Wrong("shard", o.Shard, "does not see the trials of the others: leave calibrate, race and extend out")
	case o.Extend < 0 || o.Extend > 0 && !o.Resume:
		return argument.Wrong("extend", o.Extend, "must not be negative, and needs resume")
	}
	if err := o.validateScenarios(); err != nil {
		return err
	}
	if _, err := o.deciders(); err != nil {
		return err
	}
	return o.validateRace()
}

// deciders decide the tests, in their order.
func (o *Options) deciders() ([]runs.Decider, error) {
	evidence := make([]runs.TestEvidence, len(o.Tests))
	for i, t := range o.Tests {
		evidence[i] = t.Evidence()
	}
	return runs.NewDeciders(evidence)
}

// agent returns the agent of a variant; nil if there is none.
func (o *Options) agent(variant string) Agent {
	if variant == "" {
		return o.Agent
	}
	return o.Variants[variant]
}

// validateScenarios refuses names that are not of their own, and tests of one variant that
// share a scenario, or tests that have none.
func (o *Options) validateScenarios() error {
	tests, known := map[string]bool{}, map[string]bool{}
	for _, s := range o.Scenarios {
		if s.Name == "" || known[s.Name] {
			return argument.Wrong("scenario", fmt.Sprintf("%q", s.Name), "must have a name of its own")
		}
		known[s.Name] = true
	}
	type use struct{ scenario, variant string }
	used := map[use]bool{}
	for _, t := range o.Tests {
		if t.Name == "" || tests[t.Name] {
			return argument.Wrong("test", fmt.Sprintf("%q", t.Name), "must have a name of its own")
		}
		tests[t.Name] = true
		if len(t.Scenarios) == 0 {
			return argument.Wrong("test", fmt.Sprintf("%q", t.Name), "has no scenario")
		}
		if o.Listed && len(t.Scenarios) > 1 {
			value := fmt.Sprintf("with test %q", t.Name)
			return argument.Wrong("listed order", value, "would judge the first of its scenarios alone")
		}
		if o.agent(t.Variant) == nil {
			return argument.Wrong("variant", fmt.Sprintf("%q", t.Variant), fmt.Sprintf("of test %q has no agent", t.Name))
		}
		for _, name := range t.Scenarios {
			use := use{name, t.Variant}
			switch {
			case !known[name]:
				return argument.Wrong("scenario", fmt.Sprintf("%q", name), fmt.Sprintf("of test %q is not there", t.Name))
			case used[use]:
				return argument.Wrong("scenario", fmt.Sprintf("%q", name), "belongs to two tests, or twice to one")
			}
			used[use] = true
		}
		if err := o.validateTest(t); err != nil {
			return err
		}
	}
	return nil
}

// validateTest refuses what cannot decide, and a side without an agent.
func (o *Options) validateTest(t Test) error {
	if t.inRounds() && o.BaselineAgent == nil {
		return argument.Wrong("baseline agent", nil, fmt.Sprintf("must be given for test %q", t.Name))
	}
	if t.Joint != nil {
		return nil // newTests sees to it
	}
	if t.Against == nil || t.Design.Boundaries.MaxTrials() > 0 {
		if err := t.Design.Boundaries.Validate(); err != nil {
			return fmt.Errorf("test %q: %w", t.Name, err)
		}
	}
	return nil
}

// stops is what the journal says of where the test may stop. Of one against a baseline it is
// nothing: what the baseline came to is a part of that.
func (t Test) stops() *journal.Stops {
	if t.Against != nil || t.Joint != nil {
		return nil
	}
	s, err := baseline.Stopping(t.Design.Boundaries)
	if err != nil {
		return nil // no boundaries, which is refused elsewhere
	}
	r := s.Record()
	if r.Sequential == nil {
		return &journal.Stops{Fixed: r.Fixed}
	}
	return &journal.Stops{MaxTrials: r.Sequential.MaxTrials, Boundaries: r.Sequential.Boundaries}
}

// header is what the journal says of the run.
func (o *Options) header() journal.Header {
	h := journal.Header{Suite: o.Suite + raceText(o.Race), Describes: o.Describes, Seed: o.Seed, Version: o.Version,
		Programs: o.Programs, Agent: o.Identity, Command: o.Command,
		Unconfined: partsOf(o.Unconfined), Profile: o.Profile, Shard: o.Shard,
	}
	if o.Command != "" {
		h.File = o.Journal
	}
	if h.Began = o.began; h.Began == "" && o.Window > 0 {
		h.Began = time.Now().UTC().Format(time.RFC3339Nano)
	}
	if o.Calibrate != nil {
		h.Calibrate = o.Calibrate.Trials
	}
	for _, t := range o.Tests {
		h.Tests = append(h.Tests, journal.Test{
			Name: t.Name, Variant: t.Variant, Design: t.digest(), Scenarios: t.Scenarios, Stops: t.stops(),
		})
	}
	return h
}
