package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// defaultLease is how long a worker has an errand without a sign of life. It is chosen: long beside a busy network's
// pauses, and short beside a person's patience.
const defaultLease = 30 * time.Second

// defaultPrefix begins the names of all that is at a server.
const defaultPrefix = "tribunal"

// Options say what is run by a fleet, and how.
type Options struct {
	Address Address
	Token   Token
	Suite   *suite.Suite
	Profile string // with which the suite was read; "" is none
	// Lease is how long a worker may be silent; 0 is [defaultLease].
	Lease  time.Duration
	Label  string  // that workers must have; "" is any
	Rate   float64 // attempts a minute that begin, over all workers and all runs with the label; 0 is not bounded
	Prices []byte  // a file of prices over those that are built in; nil is none
	// RunFile keeps the name of the run for who resumes it; "" keeps none. Resume continues that run.
	RunFile string
	Resume  bool
	Prefix  string // of all names at the server; "" is [defaultPrefix]
	// Notice is told what a person should know: kind is "note" or "warning". It may be nil, and is called by several
	// goroutines at once.
	Notice func(kind, text string)
}

// Coordinator hands the trials of one run to workers. It is the [runner.Agent] and the [runner.Pool] of that run.
type Coordinator struct {
	options Options
	names   names
	seal    seal
	bundle  *bundle
	queue   queue
	session string
	file    *runFile

	server *server.Server // in this process; nil is one elsewhere
	folder string         // of that; "" is none
	nc     *nats.Conn
	js     jetstream.JetStream

	mutex   sync.Mutex
	leases  *leases
	workers map[string]presence
	told    map[string]bool // what was told already
	current string          // the queue; "" while there is none
	tallies tallies
	sent    int64 // when the last announcement was

	changed chan struct{} // there may be more workers
	wake    chan struct{} // the queue is to be looked at
	end     context.CancelFunc
	ended   sync.WaitGroup
}

// presence is what is known of a worker.
type presence struct {
	slots int
	until time.Time
}

// Open begins to coordinate a run: it starts a server where the address says so, sends the files of the suite there,
// and lets workers know of the run.
func Open(ctx context.Context, o Options) (*Coordinator, error) {
	if o.Lease == 0 {
		o.Lease = defaultLease
	}
	if o.Prefix == "" {
		o.Prefix = defaultPrefix
	}
	if o.Notice == nil {
		o.Notice = func(string, string) {}
	}
	if err := judgeable(o.Suite); err != nil {
		return nil, err
	}
	packed, err := bundled(ctx, o.Suite, o.Profile)
	if err != nil {
		return nil, err
	}
	file, err := openRunFile(o.RunFile, o.Resume)
	if err != nil {
		return nil, err
	}
	c := &Coordinator{
		options: o, names: names{o.Prefix, file.run}, seal: newSeal(o.Token), bundle: packed, session: random(), file: file,
		leases: newLeases(heldFor(o.Lease), time.Now()), workers: map[string]presence{},
		told: map[string]bool{}, tallies: tallies{}, changed: make(chan struct{}, 1), wake: make(chan struct{}, 1),
	}
	if err := c.connect(); err != nil {
		return nil, errors.Join(err, file.close(false))
	}
	if c.js, err = jetstream.New(c.nc); err != nil {
		return nil, err
	}
	c.queue = queue{c.names, c.js, heldFor(o.Lease)}
	if c.current, err = c.queue.open(ctx, c.bundle); err != nil {
		c.disconnect()
		return nil, errors.Join(unreachable(c.URL(), fmt.Errorf("no queue can be made there: %w", err)), file.close(false))
	}
	if err := c.listen(); err != nil {
		c.disconnect()
		return nil, err
	}
	background, end := context.WithCancel(context.WithoutCancel(ctx))
	c.end = end
	c.ended.Go(func() { c.announceAgain(background) })
	c.ended.Go(func() { c.tick(background) })
	c.ended.Go(func() { c.keep(background) })
	return c, nil
}

// judgeable refuses a suite whose judges look for what an agent leaves, where they would not be beside it.
func judgeable(s *suite.Suite) error {
	for _, a := range s.Score {
		if a.Report != "" && s.Judge != suite.AtWorker {
			return unpackable(s.File, fmt.Sprintf("scores trials by the file %q, which stays at the worker", a.Report),
				"write judge: worker into the suite")
		}
	}
	return nil
}

// heldFor is how long a lease holds: somewhat less than it may, so that an errand is with another worker when that is
// over.
func heldFor(lease time.Duration) time.Duration { return lease * 9 / 10 }

// connect starts the server, where there is to be one, and connects to it.
func (c *Coordinator) connect() (err error) {
	a := c.options.Address
	more := []nats.Option{nats.ReconnectHandler(func(*nats.Conn) { c.look() })}
	if a.Listen == "" {
		if c.nc, err = a.dial(c.options.Token, "tribunal coordinator", more...); err != nil {
			return withAddress(a.URL, err)
		}
		return nil
	}
	own, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	public, err := own.PublicKey()
	if err != nil {
		return err
	}
	if c.folder, err = os.MkdirTemp("", "tribunal-queue-"); err != nil {
		return err
	}
	if c.server, err = a.listen(c.options.Token, public, c.folder); err != nil {
		c.disconnect()
		return err
	}
	if a.WorkerNKeys != "" {
		more = append(more, nats.Nkey(public, own.Sign))
	} else {
		more = append(more, nats.Token(c.options.Token.password()))
	}
	more = append(more, nats.InProcessServer(c.server), nats.MaxReconnects(-1), nats.Name("tribunal coordinator"))
	if c.nc, err = nats.Connect("", more...); err != nil {
		c.disconnect()
		return err
	}
	return nil
}

// withAddress says which server cannot be used, unless the error says it.
func withAddress(address string, err error) error {
	if _, ok := errors.AsType[*addressError](err); ok {
		return err
	}
	return unreachable(address, err)
}

// disconnect ends the connection and the server.
func (c *Coordinator) disconnect() {
	if c.nc != nil {
		c.nc.Close()
	}
	if c.server != nil {
		c.server.Shutdown()
		c.server.WaitForShutdown()
	}
	if c.folder != "" {
		_ = os.RemoveAll(c.folder) // of memory nothing is there
	}
}

// URL is where workers reach the server, as seen from this machine.
func (c *Coordinator) URL() string {
	if c.server != nil {
		return c.server.ClientURL()
	}
	return c.options.Address.URL
}

// listen subscribes to what workers say.
func (c *Coordinator) listen() error {
	for subject, handle := range map[string]nats.MsgHandler{
		c.names.subject(claimKind): c.claimed, c.names.subject(beatKind): c.beaten,
		c.names.subject(resultKind): c.delivered, c.names.subject(noteKind): c.noted,
		c.names.hello(): func(*nats.Msg) { c.announce(false) },
	} {
		s, err := c.nc.Subscribe(subject, handle)
		if err != nil {
			return err
		}
		if err := s.SetPendingLimits(-1, -1); err != nil {
			return err
		}
	}
	return c.nc.Flush()
}

// announcement is what the run is.
func (c *Coordinator) announcement(ended bool) announcement {
	o := c.options
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.sent = max(c.sent+1, time.Now().UnixNano())
	return announcement{
		Version: protocolVersion, Run: c.names.run, Session: c.session, Queue: c.current, Sent: c.sent, Ended: ended,
		Lease: heldFor(o.Lease), Label: o.Label, Bundle: c.bundle.digest, Suite: filepath.Base(o.Suite.File),
		Profile: o.Profile, Digest: o.Suite.Digest(), Prices: o.Prices, Judges: o.Suite.Judge == suite.AtWorker,
		Price: o.Suite.Budget.PricePerTrial.Value, Rate: o.Rate,
	}
}

// announce lets workers know of the run.
func (c *Coordinator) announce(ended bool) {
	_ = c.nc.Publish(c.names.announcements(), c.seal.close(announcementKind, "", c.announcement(ended)))
}

// announceAgain does so again and again: a worker may have come, or missed it.
func (c *Coordinator) announceAgain(ctx context.Context) {
	for every := min(time.Second, c.options.Lease/3); ; {
		c.announce(false)
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

// tick ends leases, and forgets workers of whom nothing was heard for the time of one.
func (c *Coordinator) tick(ctx context.Context) {
	every := min(250*time.Millisecond, max(5*time.Millisecond, c.options.Lease/30))
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		now := time.Now()
		c.mutex.Lock()
		if !c.nc.IsConnected() { // nobody can renew anything
			c.leases.extend(now)
			for name, w := range c.workers {
				w.until = now.Add(c.leases.lease)
				c.workers[name] = w
			}
		}
		c.leases.expireAll(now)
		maps.DeleteFunc(c.workers, func(_ string, w presence) bool { return now.After(w.until) })
		c.mutex.Unlock()
	}
}

// look has the queue looked at soon.
func (c *Coordinator) look() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// keep keeps the queue: it is made again where it is gone, and what is in none is put into it.
func (c *Coordinator) keep(ctx context.Context) {
	for every := c.leases.lease / 3; ; {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		case <-time.After(every):
		}
		if !c.nc.IsConnected() {
			continue
		}
		if err := c.restore(ctx); err != nil && ctx.Err() == nil {
			c.tell("warning", "the queue of the fleet cannot be used: "+err.Error())
		}
	}
}

// restore makes the queue again where it is gone, and puts into it what is in none.
func (c *Coordinator) restore(ctx context.Context) error {
	c.mutex.Lock()
	current := c.current
	c.mutex.Unlock()
	bounded, done := context.WithTimeout(ctx, 10*time.Second)
	defer done()
	there, err := c.queue.isThere(bounded, current)
	if err != nil {
		return err
	}
	if !there {
		if current, err = c.queue.open(bounded, c.bundle); err != nil {
			return err
		}
		c.mutex.Lock()
		c.current = current
		c.mutex.Unlock()
		c.announce(false)
	}
	c.mutex.Lock()
	var missing []*task
	for _, t := range c.leases.tasks {
		if t.queued != current {
			missing = append(missing, t)
		}
	}
	c.mutex.Unlock()
	for _, t := range missing {
		if err := c.enqueue(bounded, t); err != nil {
			return err
		}
	}
	return nil
}

// enqueue puts an errand into the queue. Put there twice it is there once, by its name.
func (c *Coordinator) enqueue(ctx context.Context, t *task) error {
	c.mutex.Lock()
	current := c.current
	c.mutex.Unlock()
	text := c.seal.close(errandKind, c.names.run, t.errand)
	if _, err := c.js.Publish(ctx, c.names.errands(current), text, jetstream.WithMsgID(t.errand.ID)); err != nil {
		return err
	}
	c.mutex.Lock()
	t.queued = current
	c.mutex.Unlock()
	return nil
}

// Run has an attempt made by a worker, and returns what came of it.
func (c *Coordinator) Run(ctx context.Context, r runner.Request) runner.Attempt {
	e := r.Errand()
	if e.Again && c.file.wasStopped(e.ID) {
		return runner.Attempt{Err: runner.LostError("the run was stopped while the agent was running")}
	}
	c.mutex.Lock()
	t := c.leases.add(e, time.Now())
	c.mutex.Unlock()
	if int64(len(e.Input)) > c.nc.MaxPayload()-4096 {
		c.forget(e.ID)
		return runner.Attempt{Err: &runner.InfrastructureError{
			Type: "input", Problem: fmt.Sprintf("the input is too long for the server, which takes %d bytes", c.nc.MaxPayload()),
			Unbegun: true,
		}}
	}
	if err := c.enqueue(ctx, t); err != nil {
		c.look()
	}
	for {
		select {
		case <-ctx.Done():
			return c.cancelled(ctx, t)
		case came := <-t.arrived:
			report, err := c.report(ctx, came)
			if err != nil { // who has it sends it again
				c.mutex.Lock()
				t.state, t.until = leased, time.Now().Add(c.leases.lease)
				c.mutex.Unlock()
				continue
			}
			return c.attempt(t, report)
		}
	}
}

// report is that of a result, which may be in the store of files.
func (c *Coordinator) report(ctx context.Context, r result) (*runner.Report, error) {
	if r.Parcel == "" {
		return r.Report, nil
	}
	bounded, done := context.WithTimeout(ctx, 30*time.Second)
	defer done()
	return receive(bounded, c.js, c.names, r.Parcel)
}

// attempt is what a report says, which is acknowledged once the journal has it.
func (c *Coordinator) attempt(t *task, report *runner.Report) runner.Attempt {
	c.mutex.Lock()
	report.Again, report.Took = t.lost, max(0, report.Took)
	worker := t.worker
	c.mutex.Unlock()
	attempt, err := report.Attempt()
	if err != nil {
		attempt = runner.Attempt{Err: &runner.InfrastructureError{
			Type: "output", Problem: "what the worker sent cannot be read: " + err.Error(), Err: err,
		}}
	}
	attempt.Kept = func(record *trial.Trial) {
		c.mutex.Lock()
		c.tallies.count(worker, record)
		waiters := c.leases.finish(t.errand.ID)
		c.mutex.Unlock()
		for _, m := range waiters {
			respond(c.nc, m, c.seal.close(receiptKind, c.names.run, receipt{Kept: true}))
		}
	}
	return attempt
}

// forget drops an errand that nobody needs.
func (c *Coordinator) forget(id string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.leases.finish(id)
}

// cancelled ends an attempt that the run has stopped, wherever it is.
func (c *Coordinator) cancelled(ctx context.Context, t *task) runner.Attempt {
	c.file.stopped(t.errand.ID)
	c.mutex.Lock()
	h := heldErrand{t.errand.ID, t.epoch}
	c.leases.finish(t.errand.ID)
	c.mutex.Unlock()
	_ = c.nc.Publish(c.names.subject(stopKind), c.seal.close(stopKind, c.names.run, h))
	return runner.Attempt{Err: &runner.InfrastructureError{
		Type: "cancelled", Problem: "the run was stopped", Err: context.Cause(ctx),
	}}
}

// claimed answers who asks for a lease.
func (c *Coordinator) claimed(m *nats.Msg) {
	var ask claim
	if c.seal.open(claimKind, c.names.run, m.Data, &ask) != nil {
		return
	}
	c.mutex.Lock()
	answer := c.leases.claim(ask, time.Now())
	c.mutex.Unlock()
	respond(c.nc, m, c.seal.close(leaseKind, c.names.run, answer))
}

// beaten takes in a worker's sign of life.
func (c *Coordinator) beaten(m *nats.Msg) {
	var b beat
	if c.seal.open(beatKind, c.names.run, m.Data, &b) != nil {
		return
	}
	now := time.Now()
	c.mutex.Lock()
	before, known := c.workers[b.Worker]
	if b.Slots > 0 {
		c.workers[b.Worker] = presence{min(b.Slots, maxWaiting), now.Add(c.leases.lease)}
	} else {
		delete(c.workers, b.Worker)
	}
	for _, h := range b.Held {
		c.leases.renew(b.Worker, h, now)
	}
	for _, h := range b.Freed {
		c.leases.free(h, now)
	}
	c.mutex.Unlock()
	if b.Slots > before.slots {
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
	if !known && b.Slots > 0 {
		c.tell("note", fmt.Sprintf("worker %s is there, for %d at a time", b.Worker, b.Slots))
	}
}

// delivered takes in a result, and answers it where nothing is to be waited for.
func (c *Coordinator) delivered(m *nats.Msg) {
	var r result
	if c.seal.open(resultKind, c.names.run, m.Data, &r) != nil || r.Report == nil && r.Parcel == "" {
		return
	}
	c.mutex.Lock()
	t, verdict := c.leases.deliver(r.heldErrand, r.Worker, time.Now())
	switch verdict {
	case taken:
		t.waiters = append(t.waiters, m)
		t.arrived <- r
	case again: // who asks has not heard of it: the journal may take a while
		t.waiters = append(t.waiters[:min(len(t.waiters), 8)], m)
	}
	c.mutex.Unlock()
	switch verdict {
	case kept:
		respond(c.nc, m, c.seal.close(receiptKind, c.names.run, receipt{Kept: true}))
	case late:
		respond(c.nc, m, c.seal.close(receiptKind, c.names.run, receipt{Late: true}))
	}
}

// noted tells what a worker has to say.
func (c *Coordinator) noted(m *nats.Msg) {
	var n note
	if c.seal.open(noteKind, c.names.run, m.Data, &n) != nil {
		return
	}
	if n.Refused {
		c.tell("warning", "worker "+n.Worker+" cannot run the suite: "+n.Text)
		return
	}
	c.tell("note", "worker "+n.Worker+": "+n.Text)
}

// tell tells a person something, once.
func (c *Coordinator) tell(kind, text string) {
	c.mutex.Lock()
	told := c.told[kind+text] || len(c.told) > 1000
	c.told[kind+text] = true
	c.mutex.Unlock()
	if !told {
		c.options.Notice(kind, text)
	}
}

// ahead is how many slots there are for one errand that waits in the queue, so that a worker finds one when it has
// ended another. It is chosen.
const ahead = 8

// Slots is how many attempts may be under way, now: those that all workers run at once, and of many some more that
// wait.
func (c *Coordinator) Slots() int {
	n := c.running()
	return min(n+n/ahead, maxWaiting)
}

// running is how many errands all workers do at once, now.
func (c *Coordinator) running() (n int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, w := range c.workers {
		n += w.slots
	}
	return n
}

// Changed has a value when there may be more slots.
func (c *Coordinator) Changed() <-chan struct{} { return c.changed }

// Close ends the coordination, and says what the fleet did. A run that has ended is not continued: workers drop what
// they have of it. Of one that has not they keep it for who resumes the run.
func (c *Coordinator) Close(ended bool) (Summary, error) {
	c.end()
	c.ended.Wait()
	if ended {
		c.announce(true)
	}
	var err error
	if c.server == nil && c.nc.IsConnected() {
		ctx, done := context.WithTimeout(context.Background(), 10*time.Second)
		err = c.queue.close(ctx)
		done()
	}
	_ = c.nc.FlushTimeout(2 * time.Second) // who does not hear of the end forgets the run after a while
	c.disconnect()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	s := c.tallies.summary()
	s.Relaunched, s.Late = c.leases.relost, len(c.leases.late)
	return s, errors.Join(err, c.file.close(ended))
}
