package otlphttp

import (
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options limit what is received. The zero value has the defaults.
type Options struct {
	MaxBody   int64         // bytes of a request, unpacked; 0 is 16 MiB
	MaxHeld   int64         // bytes of the traces that are not whole yet; 0 is 256 MiB
	AfterRoot time.Duration // how long a trace whose root has ended is waited for; 0 is two seconds
	Idle      time.Duration // how long any other is; 0 is a minute
}

func (o Options) withDefaults() Options {
	if o.MaxBody == 0 {
		o.MaxBody = 16 << 20
	}
	if o.MaxHeld == 0 {
		o.MaxHeld = 256 << 20
	}
	if o.AfterRoot == 0 {
		o.AfterRoot = 2 * time.Second
	}
	if o.Idle == 0 {
		o.Idle = time.Minute
	}
	return o
}

// Trace is one trace.
type Trace struct {
	ID   string // in hexadecimal digits
	Text []byte // exports of OTLP JSON, a line for each request that had a part of it
}

// SeenTraces is how many ids of the last traces are known. Chosen: an exporter sends again what failed within minutes.
const SeenTraces = 10_000

// Receiver is an [http.Handler] that takes exports of traces. It may be used by several goroutines.
type Receiver struct {
	options Options

	mutex   sync.Mutex
	pending map[string]*pendingTrace
	held    int64
	seen    map[string]bool // that were handed out, or came before
	order   []string        // of them, the oldest first
	late    int
}

// pendingTrace is a trace that is not whole yet.
type pendingTrace struct {
	text  []byte
	root  bool // its root has come
	heard time.Time
}

// New returns a receiver without traces.
func New(o Options) *Receiver {
	return &Receiver{options: o.withDefaults(), pending: map[string]*pendingTrace{}, seen: map[string]bool{}}
}

// ServeHTTP takes one export. What is acknowledged is held in memory until it is whole.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "traces are sent by POST", http.StatusMethodNotAllowed)
		return
	}
	// Pages of browsers can send other types to this machine, unasked.
	kind, _, err := mime.ParseMediaType(request.Header.Get("Content-Type"))
	if err != nil || kind != jsonType && kind != protobufType {
		http.Error(w, "the content is neither "+protobufType+" nor "+jsonType, http.StatusUnsupportedMediaType)
		return
	}
	parts, status, err := r.read(w, request, kind)
	if err != nil {
		http.Error(w, err.Error(), status)
		return
	}
	if !r.take(parts, time.Now()) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many traces are under way", http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", kind)
	// The answer has no field, which in protobuf is no byte. Who does not read it sends again, and is known.
	if kind == jsonType {
		_, _ = io.WriteString(w, "{}")
	}
}

const (
	jsonType     = "application/json"
	protobufType = "application/x-protobuf"
)

// read decodes a request.
func (r *Receiver) read(w http.ResponseWriter, request *http.Request, kind string) ([]part, int, error) {
	var body io.Reader = http.MaxBytesReader(w, request.Body, r.options.MaxBody)
	switch encoding := request.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, http.StatusBadRequest, err
		}
		body = unpacked
	default:
		return nil, http.StatusUnsupportedMediaType, errors.New("the content is encoded, and not by gzip")
	}
	text, err := io.ReadAll(io.LimitReader(body, r.options.MaxBody+1))
	if is := new(http.MaxBytesError); errors.As(err, &is) || err == nil && int64(len(text)) > r.options.MaxBody {
		return nil, http.StatusRequestEntityTooLarge, errors.New("the request is too long")
	}
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	decode := fromProtobuf
	if kind == jsonType {
		decode = fromJSON
	}
	export, err := decode(text)
	if err != nil {
		return nil, http.StatusBadRequest, errors.New("the request is no export of traces: " + err.Error())
	}
	return divide(export), 0, nil
}

// take adds the parts of an export to their traces. It takes all of them, or none where there is no room.
func (r *Receiver) take(parts []part, now time.Time) bool {
	var bytes int64
	for _, p := range parts {
		bytes += int64(len(p.text))
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.held+bytes > r.options.MaxHeld {
		return false
	}
	for _, p := range parts {
		if r.seen[p.id] {
			r.late++
			continue
		}
		t := r.pending[p.id]
		if t == nil {
			t = &pendingTrace{}
			r.pending[p.id] = t
		}
		t.text = append(append(t.text, p.text...), '\n')
		t.root = t.root || p.root
		t.heard = now
		r.held += int64(len(p.text)) + 1
	}
	return true
}

// Whole returns the traces that nothing more is expected of, in the order of their ids, and lets go of them.
func (r *Receiver) Whole(now time.Time) []Trace {
	return r.handOut(func(t *pendingTrace) bool {
		quiet := now.Sub(t.heard)
		return t.root && quiet >= r.options.AfterRoot || quiet >= r.options.Idle
	})
}

// All returns all traces that were received, whole or not, and lets go of them.
func (r *Receiver) All() []Trace { return r.handOut(func(*pendingTrace) bool { return true }) }

func (r *Receiver) handOut(due func(*pendingTrace) bool) (whole []Trace) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for id, t := range r.pending {
		if due(t) {
			whole = append(whole, Trace{id, t.text})
			r.held -= int64(len(t.text))
			delete(r.pending, id)
		}
	}
	slices.SortFunc(whole, func(a, b Trace) int { return strings.Compare(a.ID, b.ID) })
	for _, t := range whole {
		r.know(t.ID)
	}
	return whole
}

// know remembers an id. The lock is held.
func (r *Receiver) know(id string) {
	if r.seen[id] {
		return
	}
	r.seen[id] = true
	r.order = append(r.order, id)
	if len(r.order) > SeenTraces {
		delete(r.seen, r.order[0])
		r.order = slices.Delete(r.order, 0, 1)
	}
}

// Seen returns the ids of the last traces that were handed out, the oldest first: what comes of them later is dropped.
func (r *Receiver) Seen() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.order)
}

// Know takes ids for those of traces that were handed out before.
func (r *Receiver) Know(ids []string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, id := range ids {
		r.know(id)
	}
}

// Late returns how many parts came of traces that had been handed out.
func (r *Receiver) Late() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.late
}
