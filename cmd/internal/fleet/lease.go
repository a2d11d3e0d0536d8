package fleet

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tribunal-dev/tribunal/runner"
)

// maxLost is with how many workers an errand is lost before it is given up: it may be what ends them. It is chosen.
const maxLost = 3

// state is where an errand is.
type state uint8

// The states.
const (
	waiting   state = iota // in the queue, or on the way there
	recovered              // an earlier session had handed it out: a worker may have it
	leased                 // a worker has it
	reported               // its result is here, and not yet in the journal
)

// task is an errand that the run waits for.
type task struct {
	errand  runner.Errand
	state   state
	queued  string      // the queue that it is in; "" is none
	epoch   int64       // of the last lease
	worker  string      // that has it
	until   time.Time   // the lease, or the wait for who had it
	lost    int         // workers that had it and were lost
	arrived chan result // with room for one
	waiters []*nats.Msg // for the receipt
}

// leases are the errands of a run, and who has them. It does not know of networks, and is for one goroutine at a time.
type leases struct {
	lease time.Duration
	tasks map[string]*task
	done  map[string]int64 // epochs of errands that the journal has
	last  int64            // epoch

	late   map[heldErrand]bool // results that came too late
	relost int                 // errands that were handed out again
}

// newLeases begins with an epoch that is larger than all of earlier sessions: those that began before.
func newLeases(lease time.Duration, now time.Time) *leases {
	return &leases{lease: lease, tasks: map[string]*task{}, done: map[string]int64{}, late: map[heldErrand]bool{},
		last: now.UnixNano()}
}

// add adds an errand. One that was handed out by an earlier session is waited for as long as a lease.
func (l *leases) add(e runner.Errand, now time.Time) *task {
	t := &task{errand: e, arrived: make(chan result, 1)}
	if e.Again {
		t.state, t.until = recovered, now.Add(l.lease)
	}
	l.tasks[e.ID] = t
	return t
}

// claim gives a worker the lease of an errand, if nobody has it.
func (l *leases) claim(c claim, now time.Time) lease {
	t := l.tasks[c.ID]
	if t == nil {
		_, done := l.done[c.ID]
		return lease{Done: done, Wait: l.lease / 3}
	}
	l.expire(t, now)
	switch t.state {
	case reported:
		return lease{Wait: l.lease / 3}
	case leased, recovered:
		return lease{Wait: t.until.Sub(now)}
	}
	l.last++
	t.state, t.epoch, t.worker, t.until = leased, l.last, c.Worker, now.Add(l.lease)
	return lease{Granted: true, Epoch: t.epoch}
}

// renew continues the lease of a worker. One of an earlier session is taken over.
func (l *leases) renew(worker string, h heldErrand, now time.Time) {
	t := l.tasks[h.ID]
	if t == nil {
		return
	}
	switch {
	case t.state == recovered && h.Epoch <= l.last:
		t.state, t.epoch, t.worker, t.until = leased, h.Epoch, worker, now.Add(l.lease)
	case t.state == leased && t.epoch == h.Epoch && !now.After(t.until):
		t.until = now.Add(l.lease)
	}
}

// free ends the lease of a worker that gives an errand back.
func (l *leases) free(h heldErrand, now time.Time) {
	if t := l.tasks[h.ID]; t != nil && t.state == leased && t.epoch == h.Epoch {
		t.until = now.Add(-1)
		l.expire(t, now)
	}
}

// expire ends a lease whose time is over. The errand is in the queue still, which hands it out again.
func (l *leases) expire(t *task, now time.Time) {
	if t.state != leased && t.state != recovered || !now.After(t.until) {
		return
	}
	t.state, t.worker = waiting, ""
	t.lost++
	l.relost++
	if t.lost > maxLost {
		t.state = reported
		failure := runner.LostError(fmt.Sprintf("%d workers that ran it were lost: does the agent end them?", t.lost))
		t.lost-- // the last of them is the attempt itself
		t.arrived <- result{Report: &runner.Report{
			Failure: &runner.Failure{Type: failure.Type, Problem: failure.Problem},
		}}
	}
}

// expireAll ends all leases whose time is over.
func (l *leases) expireAll(now time.Time) {
	for _, t := range l.tasks {
		l.expire(t, now)
	}
}

// extend gives all leases their whole time again, as nobody could renew them.
func (l *leases) extend(now time.Time) {
	for _, t := range l.tasks {
		if t.state == leased || t.state == recovered {
			t.until = now.Add(l.lease)
		}
	}
}

// verdictOf is what becomes of a result.
type verdictOf uint8

// The verdicts on results.
const (
	unknown verdictOf = iota // nobody asked for it, yet
	taken                    // it is the result of the errand
	again                    // it was taken before
	kept                     // the journal has it
	late                     // its lease is over
)

// deliver says what becomes of a result.
func (l *leases) deliver(h heldErrand, worker string, now time.Time) (*task, verdictOf) {
	t := l.tasks[h.ID]
	if t == nil {
		epoch, done := l.done[h.ID]
		switch {
		case !done:
			return nil, unknown
		case epoch == h.Epoch:
			return nil, kept
		}
		l.late[h] = true
		return nil, late
	}
	l.renewRecovered(t, worker, h, now)
	switch {
	case t.state == reported && t.epoch == h.Epoch:
		return t, again
	case t.state == leased && t.epoch == h.Epoch && !now.After(t.until):
		t.state = reported
		return t, taken
	}
	l.expire(t, now)
	l.late[h] = true
	return t, late
}

// renewRecovered takes over the lease of an earlier session that a result is of.
func (l *leases) renewRecovered(t *task, worker string, h heldErrand, now time.Time) {
	if t.state == recovered {
		l.renew(worker, h, now)
	}
}

// finish notes that the journal has what became of an errand, and returns who waits to hear of it.
func (l *leases) finish(id string) []*nats.Msg {
	t := l.tasks[id]
	if t == nil {
		return nil
	}
	delete(l.tasks, id)
	l.done[id] = t.epoch
	return t.waiters
}
