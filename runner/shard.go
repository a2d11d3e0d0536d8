package runner

import (
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// part is the part of a run that one shard makes: its share of all trials that the tests can have. No test decides
// there, as the trials of the other shards are not known; [Merge] judges all of them.
type part struct {
	shard  journal.Shard
	queue  []*trialRun    // that are still to be launched
	needed int            // trials of the part, but for those that were found needless
	told   *journal.Share // what the journal says of its end; nil until it does
}

// shardState is what a shard knows of a test.
type shardState struct {
	// From this place on no trial is needed, whatever those of the other shards come to.
	stop     int
	failAt   []int // failures that end the test, by the number of trials less 1; nil where other counts do too
	failures []int // places of the own trials that failed, in their order
	trials   int   // own trials
	ended    int   // of them
	errors   int   // among those
}

// owner says which shard makes a round of a group of tests: rounds go round the shards, and each group begins with
// another one. A round is a trial of each test of the same scenarios and of each side, so what is compared within one
// is made by one shard.
func owner(group, round, count int) int { return (group+round)%count + 1 }

// plan hands out the trials of the full plan, with the shard that makes each, in a canonical order: that of a run of
// one worker in which no test ends before its last trial. It follows from the tests and the seed alone.
func (r *run) plan(count int, give func(s *trialRun, shard int)) {
	order := newRounds(r.options.Seed, "tests", "", len(r.groups))
	done := make([]int, len(r.groups)) // rounds
	for left := len(r.groups); left > 0; {
		at := 0
		if r.options.Listed {
			at = len(r.groups) - left
		} else {
			at = order.take()
		}
		g := r.groups[at]
		if done[at] < 0 {
			continue // it has had all of its rounds
		}
		shard, launched := owner(at, done[at], count), false
		for _, i := range g.order(done[at]) {
			t := g.tests[i]
			for range t.sides() {
				if len(t.trials) < t.maxTrials() {
					give(t.open(r.options.Seed), shard)
					launched = true
				}
			}
		}
		if done[at]++; !launched {
			done[at] = -1
			left--
		}
	}
}

// newPart takes the part of a shard out of the plan; nil is a whole run.
func newPart(r *run) *part {
	if r.options.Shard == nil {
		return nil
	}
	p := &part{shard: *r.options.Shard}
	r.plan(p.shard.Count, func(s *trialRun, shard int) {
		if shard == p.shard.Index {
			p.queue = append(p.queue, s)
		}
	})
	for _, t := range r.tests {
		t.sharing = &shardState{stop: t.maxTrials()}
		if b, bounded := t.test.Boundaries(); bounded {
			t.sharing.failAt = b.FailAtOrAbove
		}
		t.trials = nil // those of other shards are none of this run
	}
	for _, s := range p.queue {
		s.test.sharing.trials++
		s.test.trials = append(s.test.trials, s)
	}
	p.needed = len(p.queue)
	return p
}

// next returns the test of the trial that is to be launched next; nil where none has room.
func (p *part) next() *testRun {
	for len(p.queue) > 0 && p.queue[0].place >= p.queue[0].test.sharing.stop {
		p.queue = p.queue[1:]
		p.needed--
	}
	if len(p.queue) == 0 {
		return nil
	}
	if t := p.queue[0].test; t.atOnce == 0 || t.inFlight < t.atOnce {
		return t
	}
	return nil
}

// open takes the next trial of the part.
func (p *part) open() *trialRun {
	s := p.queue[0]
	p.queue = p.queue[1:]
	return s
}

// skipTo drops what an earlier session did not launch before a trial, and returns that; nil where it is no trial of the
// part, or was launched before.
func (p *part) skipTo(k journal.Key) *trialRun {
	at := slices.IndexFunc(p.queue, func(s *trialRun) bool { return s.key() == k })
	if at < 0 {
		return nil
	}
	p.needed -= at
	p.queue = p.queue[at:]
	return p.open()
}

// observe takes in what came of an own trial. The failures that are known, in whatever order they came, are failures
// among the first trials of the test however those of other shards come out: so many of them as end the test do end it
// there at the latest, with its errors as passes and as failures alike.
func (x *shardState) observe(place int, o trial.Outcome) {
	x.ended++
	if o == trial.Error {
		x.errors++
	}
	if o != trial.Fail {
		return
	}
	at, _ := slices.BinarySearch(x.failures, place)
	x.failures = slices.Insert(x.failures, at, place)
	for i, place := range x.failures {
		if place < len(x.failAt) && i+1 >= x.failAt[place] {
			x.stop = min(x.stop, place+1)
			return
		}
	}
}

// settlePart ends a shard whose part was run, or that its budget ended.
func (r *run) settlePart() {
	p := r.part
	if r.err != nil || r.ledger.inFlight > 0 {
		return
	}
	switch {
	case r.stoppedBy == notStopped && len(r.waiting) == 0 && p.next() == nil && len(p.queue) == 0:
		r.endPart("")
		r.stop(runs.StoppedByMaxTrials, noLimit)
	case r.stoppedBy == runs.StoppedByBudget:
		r.endPart(r.limit.String())
	}
}

// endPart writes down that nothing of the part is launched any more.
func (r *run) endPart(budget string) {
	p := r.part
	if p.told != nil {
		return
	}
	ended := 0
	for _, s := range r.trials {
		if s.finished() {
			ended++
		}
	}
	r.fail(r.journal.Sync())
	p.told = &journal.Share{Trials: ended, Needed: p.needed, Budget: budget}
	r.journal.Share(*p.told)
	r.fail(r.journal.Sync())
}

// shared is the progress of a test of which a shard makes a part: its own trials, of both sides together, among all
// that it makes at most.
func (t *testRun) shared() Progress {
	x := t.sharing
	return Progress{
		Test: t.spec.Name, Outcome: sprt.Undecided, Trials: x.ended, Failures: len(x.failures), Errors: x.errors,
		InFlight: t.inFlight, MaxTrials: x.trials, Needed: x.trials - x.ended, Sides: 1,
		PassAtOrBelow: -1, FailAtOrAbove: sprt.Never,
	}
}
