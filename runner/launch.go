package runner

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// launch launches what may be launched now: as many attempts as run at once, unless
// nothing is needed, the budget refuses, or the run was stopped. All of them are in the
// journal before the first one begins.
func (r *run) launch() {
	r.hold()
	// Attempts are collected and begin only after the journal's lines are flushed.
	var begun []*trialRun
	for r.stoppedBy == notStopped && r.ledger.inFlight < r.atOnce() {
		next, test := r.next()
		if next == nil && test == nil {
			break
		}
		// A repeat is no new trial: the limit of trials is not asked for it.
		if limit := r.ledger.refuses(next == nil); limit != noLimit {
			if r.ledger.inFlight == 0 {
				r.stop(runs.StoppedByBudget, limit)
			}
			break // what is in flight may turn out to take less
		}
		if next != nil {
			r.waiting = r.waiting[1:]
		} else {
			next = r.open(test)
		}
		r.announce(next)
		begun = append(begun, next)
	}
	r.flush() // a program that runs and is in no journal could be run twice
	for _, s := range begun {
		r.begin(s, r.backoff(s))
	}
}

// atOnce is how many attempts may run at once, now.
func (r *run) atOnce() int {
	if r.options.Pool == nil {
		return cap(r.ends)
	}
	return min(r.options.Pool.Slots(), cap(r.ends))
}

// recover goes on waiting for the attempts that an earlier session launched, whose launches the journal has.
func (r *run) recover() {
	for _, s := range r.recovered {
		s.test.inFlight++
		s.test.changed = true
		r.ledger.inFlight++
		request := s.request()
		request.budget, request.recovered = r.capped, true
		r.beginWith(s, request, 0)
	}
	r.recovered = nil
}

// open makes the next trial of a test one of the run.
func (r *run) open(test *testRun) *trialRun {
	var next *trialRun
	if r.part != nil {
		next = r.part.open()
	} else {
		next = test.open(r.options.Seed)
	}
	r.add(next)
	r.ledger.launched++
	r.hold()
	// A round that has begun is continued.
	if r.turn != nil && !r.turn.within() {
		r.turn = nil
	}
	return next
}

// add makes a trial one of the run.
func (r *run) add(s *trialRun) {
	s.at = len(r.trials)
	r.trials = append(r.trials, s)
}

// backoff is how long the attempt that comes next waits: twice as long each time, and no
// more than 65,536 times the first. The shift is bounded, for a longer one would
// overflow a Duration. The first attempt waits for the jitter alone, which follows from the seed of the trial.
func (r *run) backoff(s *trialRun) time.Duration {
	if s.attempt == 0 {
		return jitter(s.Seed, r.options.Jitter)
	}
	return max(s.after, r.options.Backoff<<min(s.attempt-1, 16))
}

// jitter is a share of the longest one, uniform over seeds.
func jitter(seed uint64, most time.Duration) time.Duration {
	if most <= 0 {
		return 0
	}
	return time.Duration(rand.New(rand.NewPCG(seed, 0x6a6974746572)).Int64N(int64(most) + 1)) // the word jitter
}

// next returns what is to be launched next: a trial that must be repeated, or else
// the test whose turn it is, or neither.
//
// A repeat comes first, since the trials after it wait for it to be judged. The turn stays with a test that
// was chosen and could not be launched yet, so that a budget that refuses for a while does not change the
// order.
func (r *run) next() (*trialRun, *testRun) {
	for len(r.waiting) > 0 {
		if repeat := r.waiting[0]; repeat.test.needs(repeat) {
			return repeat, nil
		}
		r.waiting = r.waiting[1:] // its test needs it no more
	}
	if r.part != nil {
		return nil, r.part.next()
	}
	eager := r.options.Eager
	if r.turn != nil {
		if t := r.turn.next(eager); t != nil {
			return nil, t
		}
	}
	// The order of the suite: the next group begins when those before it have no room.
	if r.options.Listed {
		for _, g := range r.groups {
			if t := g.next(eager); t != nil {
				return nil, t
			}
		}
		return nil, nil
	}
	// Two rounds hold every group at least once, wherever the first one begins.
	for range 2 * len(r.groups) {
		g := r.groups[r.order.take()]
		if t := g.next(eager); t != nil {
			r.turn = g
			return nil, t
		}
	}
	return nil, nil
}

// announce writes down that an attempt begins.
func (r *run) announce(s *trialRun) {
	s.test.inFlight++
	r.news.add(s.test)
	r.ledger.inFlight++
	if r.journal != nil {
		r.journal.Launch(journal.Launch{
			Test: s.Test, Scenario: s.Scenario, Variant: s.Variant, Baseline: s.Baseline,
			Trial: s.Number, Attempt: s.attempt, Seed: s.Seed, Changed: r.toTell,
		})
		r.toTell = nil
	}
}

// flush hands the journal's lines to the system, so that they survive this process.
func (r *run) flush() {
	if r.journal != nil {
		r.fail(r.journal.Flush())
	}
}

// begin begins an attempt after a delay, in a goroutine that reports its end. The goroutine's send never
// blocks: the channel has room for as many as run at once.
func (r *run) begin(s *trialRun, delay time.Duration) {
	request := s.request()
	request.budget = r.capped
	r.beginWith(s, request, delay)
}

// beginWith begins the attempt of a request.
func (r *run) beginWith(s *trialRun, request Request, delay time.Duration) {
	go func() { r.ends <- perform(r.work, r.options, s, request, delay).redacted(r.options.secrets) }()
}

// batch takes in an end and all others that are there already, so that they share
// one write, and judges. What ends at the same time is judged together, and costs one flush.
func (r *run) batch(e attemptEnd) {
	for more := true; more; {
		r.end(e)
		select {
		case e = <-r.ends:
		default:
			more = false
		}
	}
	r.flush()
	if r.err == nil {
		for _, kept := range r.keeping {
			kept()
		}
	}
	r.keeping = nil
	r.settle()
}

// end takes in the end of an attempt: what it took, whether it is repeated, and if not,
// the record of its trial. One that is to be repeated waits for what stop and budget say:
// it may be for a later session.
//
// One that this run cancelled has no end in the journal, as after a kill: who continues the run takes
// its trial for an error. Made again, slow failures would be drawn until they are quick passes.
func (r *run) end(e attemptEnd) {
	s := e.trial
	r.ledger.inFlight--
	s.test.inFlight--
	r.news.add(s.test)
	if e.cancelled && e.begun {
		r.ledger.lost++
		if e.attempt.cut {
			r.capped.Reach()
		}
		if r.capped.Reached() != "" {
			r.cut.Add(e.cutOff(r.options.Budget.PricePerTrial))
		}
		return
	}
	spent := e.spent(r.options.Budget.PricePerTrial)
	r.settled(e, spent)
	s.Spent.Add(spent)
	r.ledger.spent.Add(spent)
	r.demandKnown(e, spent)

	end := journal.End{
		Scenario: s.Scenario, Variant: s.Variant, Baseline: s.Baseline, Trial: s.Number, Attempt: s.attempt,
		Spent: spent, ElapsedSeconds: r.ledger.elapsed().Seconds(),
	}
	// A test that has decided meanwhile needs no repeat: the trial is recorded as an error.
	if e.cancelled || e.repeatable() && s.attempt < r.options.Retries && s.test.needs(s) {
		end.Retry = true
		end.Cause, end.Error = e.cause(), prose.Reason(e.attempt.Err.Error())
		r.write(end, nil)
		r.ledger.repeat(end.Cause)
		s.attempt++
		s.after = e.after()
		r.waiting = append(r.waiting, s)
		r.tellKept(e, nil)
		return
	}
	record := e.record(r.options.Budget.PricePerTrial)
	end.Process = e.process(record)
	s.Process = end.Process
	record = r.write(end, record)
	r.calibration.take(s.key(), record)
	r.tellKept(e, record)
	record = r.keep(s, record)
	r.fail(s.test.finish(s, record))
	r.pack(s.test)
	r.count(record)
}

// tellKept tells who waits for it that an attempt is in the journal, once that is written.
func (r *run) tellKept(e attemptEnd, record *trial.Trial) {
	if kept := e.attempt.Kept; kept != nil {
		r.keeping = append(r.keeping, func() { kept(record) })
	}
}

// write puts the end of an attempt into the journal, and returns the record that stands there: the one that is
// given, or an error in its place where that is longer than a journal's line may be. The record is nil where
// another attempt follows.
func (r *run) write(end journal.End, record *trial.Trial) *trial.Trial {
	if r.journal == nil {
		return record
	}
	if err := r.journal.End(end, record); err != nil {
		record = &trial.Trial{
			Scenario: record.Scenario, Variant: record.Variant, Index: record.Index, Attempt: record.Attempt,
			Outcome: trial.Error, Error: &trial.Cause{
				Origin: trial.InfrastructureOrigin, Type: outputProblem,
				Message: "the record of the trial cannot be kept: " + err.Error(),
			},
		}
		r.fail(r.journal.End(end, record))
	}
	return record
}

// keep returns what is kept of the record of a trial once it is written.
func (r *run) keep(s *trialRun, record *trial.Trial) *trial.Trial {
	if r.journal != nil && r.options.Brief {
		var took usage.Trial
		s.Answer = new(verdict.AnswerOf(record))
		record, s.MoreSteps, took = runs.Brief(record)
		s.Usage = &took
	}
	return record
}

// demandKnown stops the run where a trial with an outcome does not tell what a
// budget limits. Attempts that broke off count as the mean instead.
func (r *run) demandKnown(e attemptEnd, spent journal.Spend) {
	b := r.options.Budget
	if e.attempt.Err != nil || e.attempt.Broken {
		return
	}
	problem, advice := "", "have the agent record them, or limit the trials instead"
	again := e.attempt.again // of which nobody could tell
	switch {
	case b.MaxCostUSD > 0 && b.PricePerTrial == 0 && spent.CostUnknown > again:
		problem = "the cost of the trial is not known, and a budget limits it"
		advice = "have the agent record it as cost_usd, set price_per_trial in the budget of the suite, or drop " +
			"max_cost_usd there"
	case b.MaxTokens > 0 && spent.TokensUnknown > again:
		problem = "the tokens of the trial are not known, and a budget limits them"
	default:
		return
	}
	problem = fmt.Sprintf("scenario %q, trial %d: %s", prose.Excerpt(e.trial.Scenario), e.trial.Number, problem)
	r.fail(&fault.Error{Problem: problem, Advice: advice})
}

// count gives the run up if its first trials are all errors: what is wrong then is
// wrong for every test, such as a program that is not there. Errors count over all tests together, and only
// until the first outcome.
func (r *run) count(record *trial.Trial) {
	if record.Outcome != trial.Error {
		r.outcomes++
		return
	}
	r.errors++
	// Three in a row are hardly chance: who waits for a run of hours is told at once.
	const enough = 3
	if r.outcomes == 0 && r.errors == enough && r.options.Failing != nil {
		r.options.Failing(r.errors, causeOf(record))
	}
	if r.outcomes == 0 && r.errors >= cmp.Or(r.options.MaxErrors, defaultMaxErrors) {
		r.stop(runs.StoppedByErrors, noLimit)
	}
}

// settle ends the tests that have decided, and the run when all of them have and all was recorded. What a decision uses
// is on the disk before anybody learns of the decision, and before the next launch goes by it.
//
// There are two syncs: the ends before the decision that rests on them, the decision before anybody acts on
// it.
func (r *run) settle() {
	if r.part != nil {
		r.settlePart()
		return
	}
	first := !r.counted
	looked := r.news.list()
	if first {
		looked, r.going, r.counted = r.tests, len(r.tests), true
	}
	if r.spare(looked) && !first {
		looked = r.news.list()
	}
	var decided []*testRun
	for _, t := range looked {
		if !t.over() {
			continue
		}
		if !t.closed {
			t.closed = true
			r.going--
		}
		if !t.written {
			decided = append(decided, t)
			t.written = true
		}
	}
	if len(decided) > 0 && r.journal != nil {
		r.fail(r.journal.Sync())
		for _, t := range decided {
			r.journal.Decide(t.decision())
		}
		r.fail(r.journal.Sync())
	}
	r.calibrate()
	if r.going == 0 && r.recorded() {
		r.stop(r.endOfTests(), noLimit)
	}
}

// spare ends the tests of a variant of which one has failed, where the options say so, and those that have left their
// race. Only what is looked at can have failed since; it reports whether others may be over.
func (r *run) spare(looked []*testRun) (others bool) {
	r.racing.ranked()
	if !r.options.FirstFail {
		return r.racing != nil
	}
	failed := map[string]bool{}
	for _, t := range looked {
		if t.test.Outcome() == sprt.Fail {
			failed[t.spec.Variant] = true
		}
	}
	if len(failed) == 0 {
		return false
	}
	for _, t := range r.tests {
		if failed[t.spec.Variant] && !t.ended() && !t.spared {
			t.spared = true
			r.news.add(t)
		}
	}
	return true
}

// decision is what the journal says of a test that has ended, or that is spared.
func (t *testRun) decision() journal.Decision {
	if t.spared {
		return journal.Decision{Test: t.spec.Name, Design: t.spec.digest(), Outcome: journal.Spared}
	}
	if t.beside != nil { // trials that are under way may still count
		return journal.Decision{Test: t.spec.Name, Design: t.spec.digest(), Outcome: t.test.Outcome().String()}
	}
	return journal.Decision{
		Test: t.spec.Name, Design: t.spec.digest(), Outcome: t.test.Outcome().String(),
		Trials: t.test.Trials(), Failures: t.test.Failures(), Errors: t.test.Errors(),
	}
}

// endOfTests returns why a run ends all of whose tests have.
func (r *run) endOfTests() runs.StopCause {
	cause := runs.StoppedByDecision
	for _, t := range r.tests {
		switch {
		case t.spared && !t.ended() && r.racing != nil:
			return runs.StoppedByRace
		case t.spared && !t.ended():
			return runs.StoppedByFirstFail
		case t.test.Outcome() == sprt.Inconclusive:
			cause = runs.StoppedByMaxTrials
		}
	}
	return cause
}

// report tells the progress of the tests about which something is new.
func (r *run) report() {
	for _, t := range r.news.list() {
		if r.options.Progress != nil {
			p := t.progress()
			p.Spent = r.ledger.spent
			p.Elapsed = r.ledger.elapsed()
			r.options.Progress(p)
		}
	}
	r.news.clear()
}
