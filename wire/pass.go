package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// pass sends a request up, and its answer down, and reads copies of both where the form is known.
func (r *Route) pass(w http.ResponseWriter, request *http.Request, p provider, upstream *url.URL, path string) {
	o, on := operationOf(request.Method, path), r.checks()
	d := o.dialect
	if upgrades(request) && dialect.Of(path) != nil {
		// Over a socket a whole conversation would pass unread. Clients that are told so ask in plain requests.
		http.Error(w, "the wire reads no sockets: ask by POST", http.StatusUpgradeRequired)
		return
	}
	if why := o.refusal(on, request); why != "" {
		r.turnAway(w, request, p, o, why)
		return
	}
	path = o.path
	if d == nil {
		if why := r.Reason(); why != "" {
			http.Error(w, fmt.Sprintf("stopped by %s: the attempt is over", why), http.StatusGone)
			return
		}
		if o.class != dialect.Free {
			r.mu.Lock()
			r.passed++
			r.mu.Unlock()
		}
		r.proxy(&Request{Provider: p.name, Path: path, route: r}, p, upstream, nil).ServeHTTP(w, request)
		return
	}
	// The request is known whole before it goes up: limits are looked at before, not after.
	packed := request.Header.Get("Content-Encoding") != ""
	if err := unpack(request); err != nil {
		unreadable(w, d, err)
		return
	}
	body, whole, err := readUpTo(request.Body, r.wire.options.MaxCopyBytes)
	if err != nil {
		if packed {
			unreadable(w, d, err)
		}
		return // else the agent went away
	}
	e := &Exchange{Provider: p.name, Dialect: d.Name, Started: time.Now(), length: int64(len(body))}
	understood := false
	if whole {
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		e.Asked, err = d.Asked(path, body)
		understood = err == nil
	} else {
		request.Body = readCloser{io.MultiReader(bytes.NewReader(body), request.Body), request.Body}
	}
	if !understood {
		e.Problem = "what was asked is not understood"
	}
	if why := on.unheld(d, understood, body); why != "" {
		r.turnAway(w, request, p, o, why)
		return
	}
	if on.priced {
		e.bound = d.Bound(body)
	}
	if why, ok := r.ask(request.Context(), e); !ok {
		if why != "" { // else the agent went away
			refuse(w, d, why)
		}
		return
	}
	observed := &observer{route: r, exchange: e, dialect: d, bounded: on.priced}
	request, done := observed.follow(request)
	defer done()
	q := &Request{Provider: p.name, Path: path, route: r}
	if understood {
		q.Dialect, q.Asked, q.Body = d.Name, e.Asked, body
	}
	r.mu.Lock()
	e.Asked.Results = r.untold(e.Asked)
	r.calls = append(r.calls, e)
	r.observers[observed] = true
	r.numbered++
	q.Number, e.Number = r.numbered, r.numbered
	r.mu.Unlock()
	defer observed.end() // whatever happens on the way, such as a reader who goes away
	r.proxy(q, p, upstream, observed).ServeHTTP(w, request)
}

// upgrades reports whether a request asks for another protocol, such as WebSocket.
func upgrades(request *http.Request) bool { return request.Header.Get("Upgrade") != "" }

// unreadable answers a request that is packed, and broken.
func unreadable(w http.ResponseWriter, d *dialect.Dialect, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	// to one who may have gone
	_, _ = w.Write(d.Failure(http.StatusBadRequest, "the request cannot be unpacked: "+err.Error()))
}

// refuse answers in the provider's own form what is not asked of it. The status and the header let no client ask again,
// as Codex would do after a 403.
func refuse(w http.ResponseWriter, d *dialect.Dialect, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Should-Retry", "false")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(d.Failure(http.StatusBadRequest, why)) // to one who may have gone
}

// readUpTo reads a body; whole is false where there is more than the limit.
func readUpTo(body io.Reader, limit int64) (read []byte, whole bool, err error) {
	read, err = io.ReadAll(io.LimitReader(body, limit+1))
	return read, int64(len(read)) <= limit, err
}

// readCloser reads from one thing and closes another.
type readCloser struct {
	io.Reader
	io.Closer
}

// proxy sends requests up as they are, but for the address, and for the key where the agent has none.
func (r *Route) proxy(q *Request, p provider, upstream *url.URL, o *observer) *httputil.ReverseProxy {
	r.mu.Lock()
	acts := r.acts
	r.mu.Unlock()
	return &httputil.ReverseProxy{
		Transport:     actTransport{q, acts, r.wire.options.Transport, o},
		FlushInterval: -1, // parts go down as they come
		BufferPool:    buffers{},
		Rewrite: func(out *httputil.ProxyRequest) {
			to := *upstream
			to.RawQuery = out.In.URL.RawQuery
			to.Path, to.RawPath = joined(upstream, q.Path)
			out.Out.URL, out.Out.Host = &to, upstream.Host
			if n := out.Out.ContentLength; n > 0 {
				// The first byte of an answer closes the request's body, and the transport takes a closed body that it
				// reads once more for a failure, which cuts off a fast answer (Go 1.26, golang/go issue 40747).
				out.Out.Body = readCloser{io.LimitReader(out.Out.Body, n), out.Out.Body}
			}
			r.wire.exchangeKey(p, out.Out)
			encodings(out.Out.Header)
		},
		ModifyResponse: func(answer *http.Response) error {
			if answer.StatusCode/100 == 3 && answer.Header.Get("Location") != "" && r.checks().any() {
				return fmt.Errorf("%w: it leads to another address, past the wire", ErrWithheld)
			}
			if o != nil {
				answer.Body = o.watch(answer)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, request *http.Request, err error) {
			if request.Context().Err() != nil { // the agent went away, or the attempt is over
				panic(http.ErrAbortHandler)
			}
			if errors.Is(err, ErrReset) {
				if o != nil {
					o.note(func(e *Exchange) { e.Problem = err.Error() })
				}
				reset(w)
				return
			}
			if errors.Is(err, ErrWithheld) {
				d := dialect.Spoken(string(p.name))
				if o != nil {
					d = o.dialect
					o.note(func(e *Exchange) { e.withhold(http.StatusOK, err) })
				}
				refuse(w, d, err.Error())
				return
			}
			problem := fmt.Sprintf("the server %s cannot be reached: %v", upstream.Host, cause(err))
			if o == nil {
				http.Error(w, problem, http.StatusBadGateway)
				return
			}
			o.note(func(e *Exchange) { e.Problem = problem })
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write(o.dialect.Failure(http.StatusBadGateway, problem)) // to one who may have gone
		},
		ErrorLog: quiet,
	}
}

// buffers are those through which answers pass.
type buffers struct{}

var bufferPool = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// Get returns a buffer.
func (buffers) Get() []byte { return bufferPool.Get().(*[32 << 10]byte)[:] }

// Put takes one back.
func (buffers) Put(b []byte) { bufferPool.Put((*[32 << 10]byte)(b)) }

// joined is a path of the server, and its escaped form where that is another.
func joined(upstream *url.URL, escaped string) (path, raw string) {
	raw = upstream.EscapedPath() + escaped
	path, err := url.PathUnescape(raw)
	if err != nil {
		return raw, ""
	}
	return path, raw
}

// encodings leaves those that can be read here: an answer in another could not be seen.
func encodings(h http.Header) {
	if h.Get("Accept-Encoding") == "" {
		return
	}
	var kept []string
	for _, one := range strings.Split(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(one), ";")
		if name == "gzip" || name == "identity" {
			kept = append(kept, strings.TrimSpace(one))
		}
	}
	if kept == nil {
		kept = []string{"identity"}
	}
	h.Set("Accept-Encoding", strings.Join(kept, ", "))
}

// cause is an error without the address, in which the key may stand.
func cause(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}
