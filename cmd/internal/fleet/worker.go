package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// defaultKeep is how long a worker keeps what it has of a run whose coordinator is silent. It is chosen: time for a
// person to see that a run ended, and to resume it.
const defaultKeep = 15 * time.Minute

// WorkerOptions say how a worker works.
type WorkerOptions struct {
	Address Address
	Token   Token
	Slots   int      // errands at once; 0 is 1
	Labels  []string // of the worker: a run that asks for one of them, or for none, is served
	Name    string   // of the worker, for people; "" is that of the machine
	Health  string   // HOST:PORT where /healthz and /readyz are served; "" is nowhere
	Prefix  string   // of all names at the server; "" is [defaultPrefix]
	// Keep is how long what is there of a run is kept whose coordinator is silent; 0 is [defaultKeep].
	Keep time.Duration
	// Drain is closed when no more errands are to be taken: those that run come to their end. It may be nil.
	Drain <-chan struct{}
	// Notice is told what a person should know; see [Options].Notice. It may be nil.
	Notice func(kind, text string)

	// perform does an errand in place of the suite's agents; nil does it with them. It is for measurements.
	perform performer
}

// worker is a worker at work.
type worker struct {
	options WorkerOptions
	name    string
	seal    seal
	nc      *nats.Conn
	js      jetstream.JetStream
	slots   chan struct{} // has an item for each errand that runs

	mutex    sync.Mutex
	runs     map[string]*servedRun // by the name of the run
	changed  chan struct{}         // there may be something to take
	draining atomic.Bool
	joined   sync.WaitGroup
}

// Work serves runs until the context ends, which ends what runs and gives it back, or until the worker is drained.
func Work(ctx context.Context, o WorkerOptions) error {
	w, err := newWorker(o)
	if err != nil {
		return err
	}
	defer w.nc.Close()
	if err := w.listen(); err != nil {
		return err
	}
	health, err := w.serveHealth()
	if err != nil {
		return err
	}
	defer health()
	w.tell("note", fmt.Sprintf("worker %s waits for runs at %s, for %d at a time", w.name, shown(w.options.Address.URL),
		w.options.Slots))
	background, end := context.WithCancel(ctx)
	defer end()
	var parts sync.WaitGroup
	parts.Go(func() { w.take(background) })
	parts.Go(func() { w.forget(background) })
	select {
	case <-ctx.Done():
	case <-o.Drain:
		w.draining.Store(true)
		for _, s := range w.all() {
			s.wait()
		}
		w.beatAll()
		w.finish(ctx)
	}
	end()
	parts.Wait()
	w.leave()
	return nil
}

// newWorker connects to the server, which need not be there yet.
func newWorker(o WorkerOptions) (*worker, error) {
	o.Slots = max(1, o.Slots)
	if o.Keep == 0 {
		o.Keep = defaultKeep
	}
	if o.Prefix == "" {
		o.Prefix = defaultPrefix
	}
	if o.Notice == nil {
		o.Notice = func(string, string) {}
	}
	w := &worker{
		options: o, name: o.Name, seal: newSeal(o.Token), slots: make(chan struct{}, o.Slots), runs: map[string]*servedRun{},
		changed: make(chan struct{}, 1),
	}
	if w.name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "worker"
		}
		w.name = host
	}
	w.name += "-" + random()[:6]
	var err error
	w.nc, err = o.Address.dial(o.Token, "tribunal run worker "+w.name,
		nats.RetryOnFailedConnect(true),
		nats.ConnectHandler(w.hello),
		nats.ReconnectHandler(w.hello),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { w.refusedBy(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { w.refusedBy(err) }),
	)
	if err != nil {
		return nil, withAddress(o.Address.URL, err)
	}
	w.js, err = jetstream.New(w.nc)
	return w, err
}

// refusedBy tells of a server that turns the worker away.
func (w *worker) refusedBy(err error) {
	if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) {
		w.tell("warning", unreachable(w.options.Address.URL, err).Error())
	}
}

// tell tells a person something.
func (w *worker) tell(kind, text string) { w.options.Notice(kind, text) }

// hello asks coordinators to say what they run, and says what is held.
func (w *worker) hello(nc *nats.Conn) {
	_ = nc.Publish(names{prefix: w.options.Prefix}.hello(), nil)
	w.beatAll()
}

// listen hears of runs.
func (w *worker) listen() error {
	_, err := w.nc.Subscribe(names{prefix: w.options.Prefix}.announcements(), w.heard)
	if err != nil {
		return err
	}
	if w.nc.IsConnected() {
		w.hello(w.nc)
	}
	return nil
}

// heard takes in what a coordinator says of its run. What is not signed with our token is not for us.
func (w *worker) heard(m *nats.Msg) {
	var a announcement
	if w.seal.open(announcementKind, "", m.Data, &a) != nil || a.Version != protocolVersion || !isName(a.Run) ||
		a.Label != "" && !slices.Contains(w.options.Labels, a.Label) || a.Lease <= 0 {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	s := w.runs[a.Run]
	if s == nil {
		if a.Ended || w.draining.Load() || time.Since(time.Unix(0, a.Sent)) > w.options.Keep {
			return
		}
		s = newServed(w, a)
		w.runs[a.Run] = s
		w.joined.Go(s.join)
		return
	}
	s.hear(a)
}

// take takes errands of all runs, one after the other, as long as there is a slot for them.
func (w *worker) take(ctx context.Context) {
	for turn := 0; ctx.Err() == nil && !w.draining.Load(); turn++ {
		select {
		case w.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		ready := w.ready()
		if len(ready) == 0 || w.draining.Load() {
			<-w.slots
			select {
			case <-ctx.Done():
			case <-w.changed:
			case <-time.After(time.Second):
			}
			continue
		}
		patience := 20 * time.Second
		if len(ready) > 1 {
			patience = 200 * time.Millisecond
		}
		s := ready[turn%len(ready)]
		m, queue := s.next(ctx, patience)
		if m != nil && w.draining.Load() {
			_ = m.Nak()
			m = nil
		}
		if m == nil {
			<-w.slots
			continue
		}
		s.working.Go(func() { s.do(m, queue, sync.OnceFunc(func() { <-w.slots })) })
	}
}

// ready are the runs that errands may be taken of, in the order of their names.
func (w *worker) ready() (list []*servedRun) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, s := range w.runs {
		if s.isReady() {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *servedRun) int { return compareNames(a, b) })
	return list
}

// look has the worker look for something to take.
func (w *worker) look() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// forget drops runs that have ended, and those whose coordinator is silent for too long.
func (w *worker) forget(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(time.Second, w.options.Keep/10)):
		}
		w.mutex.Lock()
		var gone []*servedRun
		for name, s := range w.runs {
			if s.isOver(w.options.Keep) {
				gone = append(gone, s)
				delete(w.runs, name)
			}
		}
		w.mutex.Unlock()
		for _, s := range gone {
			s.drop()
		}
	}
}

// finish waits until all errands have come to their end, and the coordinators have it.
func (w *worker) finish(ctx context.Context) {
	for ctx.Err() == nil {
		busy := 0
		for _, s := range w.all() {
			busy += s.busy()
		}
		if busy == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// all are all runs.
func (w *worker) all() (list []*servedRun) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, s := range w.runs {
		list = append(list, s)
	}
	return list
}

// beatAll says of all runs that the worker is there.
func (w *worker) beatAll() {
	for _, s := range w.all() {
		s.beat(false)
	}
}

// leave gives back what is held, and says that the worker goes.
func (w *worker) leave() {
	w.draining.Store(true)
	for _, s := range w.all() {
		s.beat(true)
	}
	_ = w.nc.FlushTimeout(2 * time.Second)
	for _, s := range w.all() {
		s.drop()
	}
	w.joined.Wait()
}
