package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tribunal-dev/tribunal/prices"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// quiet drops what the proxy logs: an agent that goes away is nothing to tell.
var quiet = log.New(io.Discard, "", 0)

// observer keeps a copy of an answer, and reads it when it has ended.
type observer struct {
	route    *Route
	exchange *Exchange
	dialect  *dialect.Dialect

	streamed bool
	packed   bool
	copy     bytes.Buffer
	more     bool // than is copied
	cut      error
	began    bool
	asked    atomic.Bool // it went up to the server
	ended    sync.Once
}

// watch returns the body of an answer as it is, of which a copy is kept.
func (o *observer) watch(answer *http.Response) io.ReadCloser {
	o.exchange.Status = answer.StatusCode
	o.packed = answer.Header.Get("Content-Encoding") == "gzip"
	o.streamed = o.dialect.Streamed(o.exchange.Asked.Stream, answer.Header.Get("Content-Type"))
	return &watched{answer.Body, o}
}

// watched is a body of which a copy is kept.
type watched struct {
	io.ReadCloser
	observer *observer
}

// Read reads, and keeps what was read.
func (w *watched) Read(into []byte) (int, error) {
	n, err := w.ReadCloser.Read(into)
	o := w.observer
	if n > 0 && !o.began {
		o.began = true
		o.exchange.FirstByte = time.Since(o.exchange.Started)
	}
	if room := int(o.route.wire.options.MaxCopyBytes) - o.copy.Len(); n <= room {
		o.copy.Write(into[:n])
	} else {
		o.copy.Write(into[:room])
		o.more = true
	}
	if err != nil && err != io.EOF {
		o.cut = err
	}
	if err == io.EOF { // before the agent has the end, after which it may ask again
		o.end()
	}
	return n, err
}

// end reads the copy, and counts what came, once.
func (o *observer) end() { o.ended.Do(o.count) }

// count reads the copy, and counts what came.
func (o *observer) count() {
	e := o.exchange
	e.Duration = time.Since(e.Started)
	o.read()
	if u := e.Answer.Usage; e.Turn() && u.Input.Known && u.Output.Known {
		e.CostUSD, e.CostBasis = o.route.wire.options.Prices.Request(prices.Use{
			Model: e.model(), Input: u.Input.Value, Output: u.Output.Value, Cached: u.Cached, CacheWrites: u.Written,
		})
	}
	o.route.answered(e)
}

// read makes an answer of the copy.
func (o *observer) read() {
	e := o.exchange
	body, more, err := o.unpacked()
	switch {
	case e.unread: // an act kept it back
		return
	case e.Status == 0:
		if e.Problem == "" {
			e.Problem, e.gone = "the agent did not wait for the answer", o.asked.Load()
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
	case err != nil:
		e.Problem = "the answer is not understood: " + err.Error()
	case e.Answer.Failure != "":
		e.Problem = e.Answer.Failure
	case o.cut != nil || !e.Answer.Ended:
		e.Problem = "the answer was cut off"
	}
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
