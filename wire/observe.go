package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// quiet drops what the proxy logs: an agent that goes away is nothing to tell.
var quiet = log.New(io.Discard, "", 0)

// For so long, at most, an answer is read on that the agent does not wait for: a limit counts what it takes.
const readOn = time.Minute

// observer keeps a copy of an answer, and reads it when it has ended.
type observer struct {
	route    *Route
	exchange *Exchange
	dialect  *dialect.Dialect
	bounded  bool               // what the answer takes is bounded: it is read on where the agent does not wait for it
	cancel   context.CancelFunc // ends what goes up
	asked    atomic.Bool        // it went up to the server
	ended    sync.Once

	mu       sync.Mutex // of the exchange until it has ended, and of what follows
	finished bool
	streamed bool
	packed   bool
	copy     bytes.Buffer
	more     bool // than is copied
	whole    bool // its end was read
	size     int  // bytes that were copied
	cut      error
	began    bool
	left     bool        // the agent did not wait for the end
	had      int         // bytes of the copy that it may have had
	timer    *time.Timer // of an answer that is read on
}

// follow returns a request that does not end with the agent's own, where its answer is to be read on, and what is to be
// called when it has been answered.
func (o *observer) follow(request *http.Request) (followed *http.Request, done func()) {
	agent := request.Context()
	ctx, cancel := context.WithCancel(context.WithoutCancel(agent))
	o.cancel = cancel
	stop := context.AfterFunc(agent, o.leave)
	return request.WithContext(ctx), func() {
		stop()
		cancel()
	}
}

// leave notes that the agent went away.
func (o *observer) leave() {
	o.mu.Lock()
	if o.finished || o.left {
		o.mu.Unlock()
		return
	}
	o.left, o.had = true, o.copy.Len()
	if !o.bounded || !o.asked.Load() {
		o.mu.Unlock()
		o.cancel()
		return
	}
	o.timer = time.AfterFunc(readOn, o.cancel)
	o.mu.Unlock()
	o.route.left(o.exchange)
}

// abandon ends a request that the agent did not wait for.
func (o *observer) abandon() {
	o.mu.Lock()
	left := o.left
	o.mu.Unlock()
	if left {
		o.cancel()
	}
}

// note changes the exchange, unless it has ended.
func (o *observer) note(change func(*Exchange)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.finished {
		change(o.exchange)
	}
}

// watch returns the body of an answer as it is, of which a copy is kept.
func (o *observer) watch(answer *http.Response) io.ReadCloser {
	o.note(func(e *Exchange) { e.Status = answer.StatusCode })
	o.mu.Lock()
	defer o.mu.Unlock()
	o.packed = answer.Header.Get("Content-Encoding") == "gzip"
	o.streamed = o.dialect.Streamed(o.exchange.Asked.Stream, answer.Header.Get("Content-Type"))
	return &watchedBody{answer.Body, o}
}

// watchedBody is a body of which a copy is kept.
type watchedBody struct {
	io.ReadCloser
	observer *observer
}

// Read reads, and keeps what was read.
func (w *watchedBody) Read(into []byte) (int, error) {
	n, err := w.ReadCloser.Read(into)
	if w.observer.read(into[:n], err) { // before the agent has the end, after which it may ask again
		w.observer.end()
	}
	return n, err
}

// Close reads on what is to be known whole, and closes the body.
func (w *watchedBody) Close() error {
	if o := w.observer; o.readsOn() {
		buffer := make([]byte, 32<<10)
		for o.readsOn() {
			if _, err := w.Read(buffer); err != nil {
				break
			}
		}
	}
	return w.ReadCloser.Close()
}

// readsOn reports whether there is more to be read of an answer than the agent takes.
func (o *observer) readsOn() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bounded && !o.finished && !o.more && o.cut == nil
}

// read keeps what was read, and reports whether that was the end.
func (o *observer) read(part []byte, err error) (ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.finished {
		return false
	}
	if len(part) > 0 && !o.began {
		o.began = true
		o.exchange.FirstByte = time.Since(o.exchange.Started)
	}
	if room := int(o.route.wire.options.MaxCopyBytes) - o.copy.Len(); len(part) <= room {
		o.copy.Write(part)
	} else {
		o.copy.Write(part[:room])
		o.more = true
	}
	if err != nil && err != io.EOF {
		o.cut = err
	}
	o.whole = err == io.EOF
	return o.whole
}

// end reads the copy, and counts what came, once.
func (o *observer) end() {
	o.ended.Do(func() {
		o.conclude()
		o.route.answered(o.exchange)
		o.route.mu.Lock()
		delete(o.route.observers, o)
		o.route.mu.Unlock()
	})
}

// conclude reads the copy.
func (o *observer) conclude() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finished, o.size = true, o.copy.Len()
	if o.timer != nil {
		o.timer.Stop()
	}
	e := o.exchange
	e.Duration = time.Since(e.Started)
	o.understand()
	e.CutOff = e.Turn() && !e.Answer.Ended && !e.unread
	e.price(o.route.wire.options.Prices)
	o.copy = bytes.Buffer{}
}

// The problems of answers that did not come to their end.
const (
	notWaitedFor = "the agent did not wait for the answer"
	cutOff       = "the answer was cut off"
)

// understand makes an answer of the copy.
func (o *observer) understand() {
	e := o.exchange
	body, more, err := o.unpacked()
	switch {
	case e.unread: // an act kept it back
		return
	case e.Status == 0:
		if e.Problem == "" {
			e.Problem, e.gone = notWaitedFor, o.asked.Load()
		}
		return
	case e.Status < 200 || e.Status > 299:
		e.Problem = fmt.Sprintf("%d %s", e.Status, problemOf(body, e.Status))
		return
	case more:
		e.unread = true
		e.Problem = fmt.Sprintf("the answer is longer than the %d bytes that are read", o.route.wire.options.MaxCopyBytes)
		return
	case err != nil:
		e.Problem = "the answer cannot be unpacked: " + err.Error()
		return
	}
	e.Answer, err = o.dialect.Answer(body, o.streamed)
	e.Asked.Identify(e.Answer.Calls)
	switch {
	case errors.Is(o.cut, ErrWithheld):
		e.withhold(e.Status, o.cut)
	case !o.whole && (err != nil || !e.Answer.Ended):
		if e.Problem, e.gone = notWaitedFor, true; o.cut != nil && !o.left {
			e.Problem, e.gone = cutOff, false
		}
	case err != nil:
		e.Problem = "the answer is not understood: " + err.Error()
	case e.Answer.Failure != "":
		e.Problem = e.Answer.Failure
	case !e.Answer.Ended:
		e.Problem = cutOff
	case o.left && !o.hadAll(body):
		e.Problem, e.gone = notWaitedFor, true
	case e.Answer.Usage.Odd:
		e.Problem = "the answer tells a number of tokens that is none"
	}
}

// hadAll reports whether the agent may have had all of an answer before it went away.
func (o *observer) hadAll(body []byte) bool {
	if o.packed || o.had >= len(body) {
		return o.had >= o.size
	}
	had, err := o.dialect.Answer(body[:o.had], o.streamed)
	return err == nil && had.Ended
}

// unpacked is the copy as it was before it was packed.
func (o *observer) unpacked() (body []byte, more bool, err error) {
	if !o.packed {
		return o.copy.Bytes(), o.more, nil
	}
	z, err := gzip.NewReader(&o.copy)
	if err != nil {
		return nil, o.more, err
	}
	body, whole, err := readUpTo(z, o.route.wire.options.MaxCopyBytes)
	if o.cut != nil { // what came until then
		err = nil
	}
	return body, o.more || !whole, err
}

// problemOf is what a provider says of an error, in a line.
func problemOf(body []byte, status int) string {
	said := dialect.Problem(body)
	if said == "" {
		return http.StatusText(status)
	}
	return strings.Join(strings.Fields(said), " ")
}
