package runner

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/wire"
)

// run is a run under way. One goroutine owns it; each attempt has one of its own,
// which does nothing but report its end.
//
// Fields are of four kinds: what was asked (options, tests, order), what has happened (trials, ledger,
// counts of outcomes), what is under way (ends, work, waiting, turn), and why it ends (stoppedBy, limit,
// err).
type run struct {
	options *Options
	tests   []*testRun      // in the order of the options
	groups  []*group        // of the tests
	order   *rounds         // over groups
	journal *journal.Writer // nil: none is kept

	trials  []*trialRun // in launch order; nil: packed
	waiting []*trialRun // launched, and to be repeated
	turn    *group      // whose turn it is to launch; nil: not known yet
	ledger  ledger
	racing  *raceState // of the tests; nil: they do not race
	part    *part      // of a shard; nil: the run is whole
	// How many trials are recorded; nil: those that the tests need.
	calibration *calibration

	news    news // of tests, since progress was last told
	going   int  // tests that are not over
	counted bool // going is known

	ends  chan attemptEnd    // as many at once as attempts may run
	work  context.Context    // of the attempts
	kill  context.CancelFunc // ends work
	grace <-chan time.Time   // when what still runs is ended; nil: not at all
	now   chan struct{}      // closed before kill where programs have no time to end by themselves

	killed bool          // now is closed
	capped *wire.Budget  // of what is asked on the wire; nil: none bounds it
	cut    journal.Spend // by attempts that it ended

	recovered []*trialRun // that an earlier session launched, and that go on to be waited for
	keeping   []func()    // told once what was written is flushed

	stoppedBy runs.StopCause // why nothing more is launched; notStopped: it is
	limit     Limit          // of the budget that stopped it
	err       error          // that of Run
	outcomes  int            // trials that passed or failed
	errors    int            // trials that are errors
	resumed   int            // trials that the journal had the end of
	changed   []string       // programs, since the run began
	toTell    []string       // those of this session, until the journal has them

	reduced map[journal.Key]omittedParts // of trials of the journal, what their brief records do not keep
}

// notStopped is the cause of a run that goes on.
const notStopped runs.StopCause = ""

// Run launches trials until every test has ended, or something stops it.
//
// Trials are numbered when they are launched, and judged in that order. Those of
// several scenarios are interleaved in a random round-robin that follows from the
// seed; those of several variants of a scenario have the same turns, in rounds. A trial
// that broke off without an outcome is an error: a test decides only what holds whether its
// errors would have passed or failed. It is made again only where it never began; see
// [InfrastructureError].
//
// The result is there whatever stopped the run, and is nil only where nothing could
// begin. The error is [ErrAllErrors] where no trial reached an outcome, one
// that says so where a budget cannot be kept, and otherwise that of the
// options or the journal. A budget, a deadline or an interrupt is no error.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r, err := newRun(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer r.kill()
	r.loop(ctx)
	r.tellCut()
	if r.part != nil {
		r.settlePart()
	}
	closeAll(append(slices.Collect(maps.Values(o.Variants)), o.Agent, o.BaselineAgent)...)
	if r.journal != nil {
		r.fail(r.journal.Close())
	}
	// Of a shard that has run its part others may know more.
	if r.err == nil && (r.part == nil || r.part.told == nil) {
		r.err = r.allErrors()
	}
	return r.result(), r.err
}

// mostAtOnce bounds the attempts that run at once where a pool says how many. It is chosen.
const mostAtOnce = 1 << 14

// newRun makes the tests, and puts them where the journal ends if the run is resumed.
func newRun(ctx context.Context, o *Options) (*run, error) {
	r, err := assemble(o)
	if err != nil {
		return nil, err
	}
	r.part = newPart(r)
	if err := r.openJournal(); err != nil {
		return nil, err
	}
	// An interrupt or a budget ends launching alone, and attempts go on for the grace period: what ends them is
	// this context, which kill ends, and the caller's with it.
	r.work, r.kill = context.WithCancel(process.WithKill(process.WithMark(ctx, r.mark()), r.now))
	// The clock begins after the journal was read: reading is no time of the run.
	r.ledger.start = time.Now()
	r.capped = r.ledger.onWire()
	return r, nil
}

// assemble makes the tests of a run, of which nothing was launched.
func assemble(o *Options) (*run, error) {
	concurrency := max(1, o.Concurrency)
	if o.Pool != nil && o.Concurrency == 0 {
		concurrency = mostAtOnce
	}
	r := &run{
		options: o,
		ends:    make(chan attemptEnd, concurrency),
		ledger:  ledger{budget: o.Budget},
		now:     make(chan struct{}),
	}
	var err error
	if r.groups, r.tests, err = newGroups(o); err != nil {
		return nil, err
	}
	for i, t := range r.tests {
		t.number, t.news = i, &r.news
	}
	if r.racing, err = newRacing(o, r.tests); err != nil {
		return nil, err
	}
	r.order = newRounds(o.Seed, "tests", "", len(r.groups))
	r.calibration = newCalibration(o)
	return r, nil
}

// mark is what the programs of the run carry, so that one who continues it finds those that outlived it.
func (r *run) mark() string {
	if r.journal == nil {
		return ""
	}
	return process.FileMark(r.options.Journal)
}

// loop launches, waits and judges until nothing runs and nothing is to be launched.
func (r *run) loop(ctx context.Context) {
	interrupt, done := r.options.Interrupt, ctx.Done()
	timer, expired := r.timer()
	defer timer.Stop()
	capped := r.capped.Done()
	var pool <-chan struct{}
	if r.options.Pool != nil {
		pool = r.options.Pool.Changed()
	}
	// A journal may hold all that the tests need: then nothing is launched.
	r.settle()
	r.recover()
	for {
		// Who was told to stop before must not launch one more.
		select {
		// A nil channel never fires: each cause is heard once, and the loop waits for what is in flight.
		case <-done:
			r.stop(cancellation(ctx), noLimit)
		case <-interrupt:
			interrupt = nil
			r.interrupted()
		case <-timer.C:
			r.stop(expired, durationLimit)
		default:
		}
		r.launch()
		r.report()
		var worked chan calibrationResult
		if r.calibration.pending() {
			worked = r.calibration.worked
		}
		// What stopped the run may leave the number to a later session; a budget does not.
		if r.ledger.inFlight == 0 && !r.awaits() && (worked == nil || r.stoppedBy != notStopped &&
			r.stoppedBy != runs.StoppedByBudget) {
			return
		}
		select {
		case e := <-r.ends:
			r.batch(e)
		case <-pool: // there may be room
		case w := <-worked:
			r.calibrated(w)
		case <-done:
			done = nil
			r.stop(cancellation(ctx), noLimit)
		case <-interrupt:
			interrupt = nil
			r.interrupted()
		case <-timer.C:
			r.stop(expired, durationLimit)
		case <-capped:
			capped = nil
			r.stop(runs.StoppedByBudget, r.cap())
			r.killNow()
		case <-r.grace:
			if r.options.Grace.Value == 0 {
				r.killNow()
			}
			r.kill()
		}
	}
}

// awaits reports whether something could be launched, were there room for any attempt at all.
func (r *run) awaits() bool {
	if r.options.Pool == nil || r.stoppedBy != notStopped || r.atOnce() > 0 {
		return false
	}
	for _, t := range r.tests {
		if t.goesOn() {
			return true
		}
	}
	return len(r.waiting) > 0
}

// killNow ends all attempts at once.
func (r *run) killNow() {
	if !r.killed {
		r.killed = true
		close(r.now)
	}
	r.kill()
}

// interrupted ends launching, and says what still runs.
func (r *run) interrupted() {
	r.stop(runs.StoppedByInterrupt, noLimit)
	if r.options.Stopping != nil {
		r.options.Stopping(r.ledger.inFlight)
	}
}

// cancellation returns why a context ended: its deadline, or somebody.
func cancellation(ctx context.Context) runs.StopCause {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return runs.StoppedByDeadline
	}
	return runs.StoppedByInterrupt
}

// timer fires when launching must end, and the cause says why: the deadline, or a budget
// of time that is used up before it.
func (r *run) timer() (*time.Timer, runs.StopCause) {
	// About 146 years: a timer that does not fire.
	const never = time.Duration(1 << 62)
	left, cause := never, runs.StoppedByDeadline
	if !r.options.Deadline.IsZero() {
		left = time.Until(r.options.Deadline)
	}
	if most := r.options.Budget.MaxDuration; most > 0 {
		if rest := most - r.ledger.elapsed(); rest < left {
			left, cause = rest, runs.StoppedByBudget
		}
	}
	return time.NewTimer(max(0, left)), cause
}

// stop ends launching. Only the first cause counts. Limit is that of the budget, where it
// is the cause.
func (r *run) stop(cause runs.StopCause, limit Limit) {
	if r.stoppedBy != notStopped {
		return
	}
	r.stoppedBy = cause
	if cause == runs.StoppedByBudget {
		r.limit = limit
	}
	if grace := r.options.Grace; grace.Known {
		r.grace = time.After(grace.Value)
	}
}

// fail stops the run for an error, which is more than what stopped it before.
func (r *run) fail(err error) {
	if err != nil && r.err == nil {
		r.err = err
		r.stop(runs.StoppedByFailure, noLimit)
		r.stoppedBy = runs.StoppedByFailure
	}
}
