package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// performer does errands.
type performer interface {
	Do(context.Context, runner.Errand) runner.Report
	Close()
}

// servedRun is a run that a worker serves.
type servedRun struct {
	worker *worker
	names  names
	ctx    context.Context // of all that is done for it
	end    context.CancelFunc

	mutex    sync.Mutex
	said     announcement
	heardAt  time.Time
	place    performer // nil until the suite is there
	refused  bool
	over     bool
	consumer jetstream.Consumer // of the queue that was announced last; nil: not looked up yet
	from     string             // the queue of that
	waiting  context.CancelFunc // ends the wait for an errand; nil: nobody waits
	held     map[string]*errand
	dir      string // of the suite's files; "" is none

	working sync.WaitGroup
}

// errand is one that is done here, or whose result is not yet acknowledged.
type errand struct {
	heldErrand
	message jetstream.Msg
	queue   string
	end     context.CancelFunc
	freed   bool // given back, or stopped
}

// newServed begins to serve a run.
func newServed(w *worker, a announcement) *servedRun {
	s := &servedRun{worker: w, names: names{w.options.Prefix, a.Run}, said: a, heardAt: time.Now(),
		held: map[string]*errand{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// compareNames orders runs.
func compareNames(a, b *servedRun) int { return cmp.Compare(a.names.run, b.names.run) }

// join fetches the suite, and serves the run until it is dropped.
func (s *servedRun) join() {
	stops, err := s.worker.nc.Subscribe(s.names.subject(stopKind), s.stopped)
	if err != nil {
		return
	}
	defer stops.Unsubscribe()
	place, err := s.mount()
	if s.ctx.Err() != nil {
		return
	}
	if err != nil {
		s.mutex.Lock()
		s.refused = true
		s.mutex.Unlock()
		s.worker.tell("warning", "a suite cannot be run here: "+err.Error())
		s.note(note{Worker: s.worker.name, Text: err.Error(), Refused: true})
		<-s.ctx.Done()
		return
	}
	s.mutex.Lock()
	s.place = place
	s.mutex.Unlock()
	s.worker.look()
	for {
		s.beat(false)
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(s.announced().Lease / 3):
		}
	}
}

// announced is what was said of the run last.
func (s *servedRun) announced() announcement {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.said
}

// mount makes a place to work of the files of the suite.
func (s *servedRun) mount() (performer, error) {
	if s.worker.options.perform != nil {
		return s.worker.options.perform, nil
	}
	a := s.announced()
	var files []byte
	for try := 0; ; try++ {
		bounded, done := context.WithTimeout(s.ctx, time.Minute)
		var err error
		files, err = fetched(bounded, s.worker.js, s.names, a.Bundle, maxBundleBytes)
		done()
		if err == nil {
			break
		}
		if try == 5 || s.ctx.Err() != nil {
			return nil, fmt.Errorf("its files cannot be fetched: %w", err)
		}
		time.Sleep(min(time.Second, 100*time.Millisecond<<try))
	}
	dir, err := os.MkdirTemp("", "tribunal-worker-")
	if err != nil {
		return nil, err
	}
	s.mutex.Lock()
	s.dir = dir
	s.mutex.Unlock()
	return s.placeIn(dir, files, a)
}

// placeIn unpacks the files of a suite, and makes its agents.
func (s *servedRun) placeIn(dir string, files []byte, a announcement) (performer, error) {
	if err := unpack(files, a.Bundle, dir); err != nil {
		return nil, err
	}
	if a.Suite != filepath.Base(a.Suite) {
		return nil, errors.New("the suite is no file of its folder")
	}
	plain := func(err error) error {
		return errors.New(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	loaded, err := suite.LoadContext(suite.WithProfile(s.ctx, a.Profile), filepath.Join(dir, a.Suite))
	if err != nil {
		return nil, plain(err)
	}
	if loaded.Digest() != a.Digest {
		return nil, errors.New("the suite reads as another one here: is this another version of tribunal than the " +
			"coordinator's?")
	}
	table, err := prices.Embedded()
	if err != nil {
		return nil, err
	}
	if len(a.Prices) > 0 {
		over, err := prices.Parse("prices", a.Prices)
		if err != nil {
			return nil, err
		}
		table = table.With(over)
	}
	place, err := runner.NewWorkplace(loaded, runner.WorkplaceOptions{
		Slots: s.worker.options.Slots, Prices: table.With(loaded.Prices), Judges: a.Judges, PricePerTrial: a.Price,
	})
	if err != nil {
		return nil, plain(err)
	}
	for _, lack := range place.Unconfined() {
		s.note(note{Worker: s.worker.name, Text: lack})
	}
	return place, nil
}

// note tells the coordinator something for a person.
func (s *servedRun) note(n note) {
	_ = s.worker.nc.Publish(s.names.subject(noteKind), s.worker.seal.close(noteKind, s.names.run, n))
}

// hear takes in what the coordinator says now.
func (s *servedRun) hear(a announcement) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if a.Sent < s.said.Sent && a.Session == s.said.Session { // sent again by somebody
		return
	}
	s.heardAt = time.Now()
	other := a.Queue != s.said.Queue || a.Session != s.said.Session
	// The suite is what was said first: a run that is resumed is of the same.
	a.Bundle, a.Suite, a.Digest = s.said.Bundle, s.said.Suite, s.said.Digest
	s.said = a
	if a.Ended {
		s.over = true
	}
	if (other || a.Ended) && s.waiting != nil {
		s.waiting()
	}
	if other {
		go s.beat(false)
	}
	s.worker.look()
}

// wait ends the wait for an errand.
func (s *servedRun) wait() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.waiting != nil {
		s.waiting()
	}
}

// isReady reports whether an errand may be taken.
func (s *servedRun) isReady() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	silent := time.Since(s.heardAt) > 3*s.said.Lease+3*time.Second
	return s.place != nil && !s.over && !silent
}

// isOver reports whether the run is to be dropped.
func (s *servedRun) isOver(keep time.Duration) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.over || time.Since(s.heardAt) > keep
}

// busy is how many errands are done here, or not yet acknowledged.
func (s *servedRun) busy() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.held)
}

// next waits for an errand.
func (s *servedRun) next(ctx context.Context, patience time.Duration) (m jetstream.Msg, from string) {
	bounded, done := context.WithTimeout(ctx, patience)
	defer done()
	s.mutex.Lock()
	s.waiting, from = done, s.said.Queue
	consumer := s.consumer
	if s.from != from {
		consumer = nil
	}
	s.mutex.Unlock()
	defer func() {
		s.mutex.Lock()
		s.waiting = nil
		s.mutex.Unlock()
	}()
	failed := func() (jetstream.Msg, string) { // there may be another queue soon
		select {
		case <-bounded.Done():
		case <-time.After(100 * time.Millisecond):
		}
		return nil, ""
	}
	if consumer == nil {
		var err error
		if consumer, err = s.worker.js.Consumer(bounded, from, consumerName); err != nil {
			return failed()
		}
		s.mutex.Lock()
		s.consumer, s.from = consumer, from
		s.mutex.Unlock()
	}
	batch, err := consumer.Fetch(1, jetstream.FetchContext(bounded))
	if err != nil {
		return failed()
	}
	for m = range batch.Messages() {
		return m, from
	}
	if err := batch.Error(); err != nil && bounded.Err() == nil {
		return failed()
	}
	return nil, ""
}

// do does an errand: it asks for the lease, runs the agent, and reports until the coordinator has it.
func (s *servedRun) do(m jetstream.Msg, from string, free func()) {
	defer free()
	a := s.announced()
	var e runner.Errand
	if s.worker.seal.open(errandKind, s.names.run, m.Data(), &e) != nil {
		_ = m.Term()
		s.note(note{Worker: s.worker.name, Text: "an errand was not signed with the token, and is not run"})
		return
	}
	granted, err := s.claim(e.ID, a.Lease)
	switch {
	case err != nil:
		_ = m.NakWithDelay(a.Lease / 3)
		return
	case granted.Done:
		_ = m.Ack()
		return
	case !granted.Granted:
		_ = m.NakWithDelay(max(10*time.Millisecond, granted.Wait))
		return
	}
	ctx, end := context.WithCancel(s.ctx)
	defer end()
	h := &errand{heldErrand: heldErrand{e.ID, granted.Epoch}, message: m, queue: from, end: end}
	s.mutex.Lock()
	s.held[e.ID] = h
	s.mutex.Unlock()
	defer s.release(h)
	if err := s.pace(ctx, a); err != nil {
		return
	}
	report := s.place.Do(ctx, e)
	if ctx.Err() != nil { // stopped, or given back
		return
	}
	free()
	s.penalise(ctx, a, report)
	s.deliver(ctx, h, &report)
}

// release drops an errand.
func (s *servedRun) release(h *errand) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.held[h.ID] == h {
		delete(s.held, h.ID)
	}
}

// claim asks the coordinator for the lease of an errand.
func (s *servedRun) claim(id string, patience time.Duration) (l lease, err error) {
	ask := s.worker.seal.close(claimKind, s.names.run, claim{id, s.worker.name})
	answer, err := s.worker.nc.Request(s.names.subject(claimKind), ask, min(2*time.Second, patience))
	if err != nil {
		return l, err
	}
	return l, s.worker.seal.open(leaseKind, s.names.run, answer.Data, &l)
}

// deliver reports what came of an errand, again and again until the coordinator has it.
func (s *servedRun) deliver(ctx context.Context, h *errand, report *runner.Report) {
	message := result{heldErrand: h.heldErrand, Worker: s.worker.name, Report: report}
	text := s.worker.seal.close(resultKind, s.names.run, message)
	for ctx.Err() == nil {
		if int64(len(text)) > s.worker.nc.MaxPayload() && s.worker.nc.IsConnected() {
			digest, err := send(ctx, s.worker.js, s.names, report)
			if err == nil {
				parcel := result{heldErrand: h.heldErrand, Worker: s.worker.name, Parcel: digest}
				if s.handed(ctx, h, s.worker.seal.close(resultKind, s.names.run, parcel)) {
					return
				}
				continue
			}
		} else if s.handed(ctx, h, text) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// handed sends a result, and reports whether the coordinator has said what became of it.
func (s *servedRun) handed(ctx context.Context, h *errand, text []byte) bool {
	bounded, done := context.WithTimeout(ctx, max(100*time.Millisecond, s.announced().Lease/3))
	defer done()
	answer, err := s.worker.nc.RequestWithContext(bounded, s.names.subject(resultKind), text)
	if err != nil {
		if errors.Is(err, nats.ErrNoResponders) { // it is not there now
			<-bounded.Done()
		}
		return false
	}
	var r receipt
	if s.worker.seal.open(receiptKind, s.names.run, answer.Data, &r) != nil {
		return false
	}
	// In a queue that was made again there is another message, which asks for a lease in vain.
	switch {
	case h.queue != s.announced().Queue:
	case r.Kept:
		_ = h.message.Ack()
	case r.Late:
		_ = h.message.Nak()
	}
	return r.Kept || r.Late
}

// beat renews the leases of what is held, at the queue and at the coordinator. One that leaves gives all of it back.
func (s *servedRun) beat(leaves bool) {
	b := beat{Worker: s.worker.name, Slots: s.worker.options.Slots}
	s.mutex.Lock()
	if s.place == nil {
		s.mutex.Unlock()
		return
	}
	if leaves || s.worker.draining.Load() {
		b.Slots = 0
	}
	for _, h := range s.held {
		if h.freed {
			continue
		}
		if leaves {
			h.freed = true
			b.Freed = append(b.Freed, h.heldErrand)
		} else {
			b.Held = append(b.Held, h.heldErrand)
		}
		if h.queue != s.said.Queue {
			continue
		}
		if leaves {
			_ = h.message.NakWithDelay(10 * time.Millisecond) // after the coordinator has heard of it
		} else {
			_ = h.message.InProgress()
		}
	}
	s.mutex.Unlock()
	_ = s.worker.nc.Publish(s.names.subject(beatKind), s.worker.seal.close(beatKind, s.names.run, b))
}

// stopped ends an errand that nobody needs any more.
func (s *servedRun) stopped(m *nats.Msg) {
	var h heldErrand
	if s.worker.seal.open(stopKind, s.names.run, m.Data, &h) != nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if e := s.held[h.ID]; e != nil && e.Epoch <= h.Epoch {
		e.end()
	}
}

// drop ends all that is done for the run, and removes its files.
func (s *servedRun) drop() {
	s.end()
	s.working.Wait()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.place != nil && s.worker.options.perform == nil {
		s.place.Close()
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}
