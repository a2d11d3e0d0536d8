package runner

import (
	"context"
	"errors"
	"time"

	"github.com/tribunal-dev/tribunal/runner/journal"
)

// run is a run under way. One goroutine owns it; each attempt has one of its own,
// which does nothing but report its end.
type run struct {
	options  *Options
	tests    []*testRun
	order    *rounds  // over tests
	slots    []*slot  // in launch order
	waiting  []*slot  // launched, and to be repeated
	turn     *testRun // whose turn it is to launch; nil: not known yet
	ledger   ledger
	journal  *journal.Writer // nil: none is kept
	ends     chan ended
	work     context.Context
	kill     context.CancelFunc
	grace    <-chan time.Time
	reason   StopReason
	limit    Limit
	err      error
	outcomes int // trials that passed or failed
	errors   int // trials that are errors
	resumed  int
}

// Run launches trials until every test has ended, or something stops it.
//
// Trials are numbered when they are launched, and judged in that order. Those of
// several scenarios are interleaved in a random round-robin that follows from the
// seed. A trial whose attempts all ended in an infrastructure error is an error: a
// test decides only what holds whether its errors would have passed or failed.
//
// The result is there whatever stopped the run, and is nil only where nothing could
// begin. The error is [ErrAllErrors] where no trial reached an outcome, an
// [UnknownSpendError] where a budget cannot be kept, and otherwise that of the
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
	if r.journal != nil {
		r.fail(r.journal.Close())
	}
	if r.err == nil {
		r.err = r.allErrors()
	}
	return r.result(), r.err
}

func newRun(ctx context.Context, o *Options) (*run, error) {
	concurrency := max(1, o.Concurrency)
	r := &run{
		options: o, order: newRounds(o.Seed, "tests", "", len(o.Tests)),
		ends: make(chan ended, concurrency), ledger: ledger{budget: o.Budget},
	}
	inputs := map[string]Scenario{}
	for _, s := range o.Scenarios {
		inputs[s.Name] = s
	}
	for _, t := range o.Tests {
		test, err := newTestRun(t, o, inputs)
		if err != nil {
			return nil, err
		}
		r.tests = append(r.tests, test)
	}
	if err := r.openJournal(); err != nil {
		return nil, err
	}
	r.work, r.kill = context.WithCancel(ctx)
	r.ledger.start = time.Now()
	return r, nil
}

// loop launches, waits and judges until nothing runs and nothing is to be launched.
func (r *run) loop(ctx context.Context) {
	interrupt, done := r.options.Interrupt, ctx.Done()
	timer, expired := r.timer()
	defer timer.Stop()
	r.settle()
	for {
		// Who was told to stop before must not launch one more.
		select {
		case <-done:
			r.stop(cancellation(ctx), NoLimit)
		case <-interrupt:
			r.stop(StoppedInterrupt, NoLimit)
		case <-timer.C:
			r.stop(expired, DurationLimit)
		default:
		}
		r.launch()
		r.report()
		if r.ledger.inFlight == 0 {
			return
		}
		select {
		case e := <-r.ends:
			r.batch(e)
		case <-done:
			done = nil
			r.stop(cancellation(ctx), NoLimit)
		case <-interrupt:
			interrupt = nil
			r.stop(StoppedInterrupt, NoLimit)
		case <-timer.C:
			r.stop(expired, DurationLimit)
		case <-r.grace:
			r.kill()
		}
	}
}

func cancellation(ctx context.Context) StopReason {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return StoppedDeadline
	}
	return StoppedInterrupt
}

// timer ends when launching must, and the reason is why.
func (r *run) timer() (*time.Timer, StopReason) {
	const never = 1 << 62
	left, reason := time.Duration(never), StoppedDeadline
	if !r.options.Deadline.IsZero() {
		left = time.Until(r.options.Deadline)
	}
	if most := r.options.Budget.MaxDuration; most > 0 && most-r.ledger.elapsed() < left {
		left, reason = most-r.ledger.elapsed(), StoppedBudget
	}
	return time.NewTimer(max(0, left)), reason
}

// stop ends launching. Only the first reason counts.
func (r *run) stop(reason StopReason, limit Limit) {
	if r.reason != NotStopped {
		return
	}
	r.reason = reason
	if reason == StoppedBudget {
		r.limit = limit
	}
	if r.options.Grace > 0 {
		r.grace = time.After(r.options.Grace)
	}
}

func (r *run) fail(err error) {
	if err != nil && r.err == nil {
		r.err = err
		r.stop(StoppedFailure, NoLimit)
		r.reason = StoppedFailure
	}
}
