package wire

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/door"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// Options say where requests go, and with whose keys.
type Options struct {
	Upstreams Upstreams // see [UpstreamsOf]
	// Key is the key of a provider that the agent does not have: it gets a placeholder, in whose place the key goes up.
	// nil, or "": requests go up with what the agent sends.
	Key func(Provider) string
	// Prices are those of models; nil: none is known.
	Prices *prices.Table
	// MaxCopyBytes bounds what is read of a request and of an answer, unpacked; 0 is 32 MiB. More passes unread.
	MaxCopyBytes int64
	// Transport makes the requests; nil is one with the proxies of the environment.
	Transport http.RoundTripper
	// Listen is HOST:PORT, where it listens; "" is a free port of 127.0.0.1. The host stands in the addresses of routes.
	Listen string
}

// Wire listens for agents. Its methods may be called by several goroutines at once.
type Wire struct {
	options  Options
	listener net.Listener
	loopback bool // it listens for programs of this machine alone
	server   *http.Server
	serve    sync.WaitGroup

	mu      sync.Mutex
	routes  map[string]*Route
	besides map[string]http.Handler // what answers at a secret and is no route
}

// defaultMaxCopyBytes bounds what is read of a request and of an answer.
const defaultMaxCopyBytes = 32 << 20

// Open begins to listen.
func Open(o Options) (*Wire, error) {
	if o.MaxCopyBytes == 0 {
		o.MaxCopyBytes = defaultMaxCopyBytes
	}
	if o.Transport == nil {
		o.Transport = transport()
	}
	o.Transport = hideKeys(o.Transport, o.Key)
	listener, err := net.Listen("tcp", cmp.Or(o.Listen, "127.0.0.1:0"))
	if err != nil {
		return nil, fmt.Errorf("the wire cannot listen: %w", err)
	}
	w := &Wire{options: o, listener: listener, routes: map[string]*Route{}, besides: map[string]http.Handler{}}
	w.loopback = door.IsLoopback(listener.Addr().String())
	w.server = door.Server(w)
	w.serve.Go(func() { _ = w.server.Serve(listener) }) // it returns when it is closed
	return w, nil
}

// transport makes requests as they come: nothing is unpacked on the way.
func transport() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableCompression: true, ForceAttemptHTTP2: true,
		MaxIdleConns: 512, MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second, MaxResponseHeaderBytes: 1 << 20,
	}
}

// Close ends all requests, and stops to listen.
func (w *Wire) Close() error {
	err := w.server.Close()
	w.serve.Wait()
	if t, ok := w.options.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
	return err
}

// Drain lets nobody in any more, and waits for the answers that are under way, until the context ends. Close is still
// needed.
func (w *Wire) Drain(ctx context.Context) { _ = w.server.Shutdown(ctx) } // which says that the context has ended

// Port is where it listens.
func (w *Wire) Port() int { return w.listener.Addr().(*net.TCPAddr).Port }

// Serve answers who connects to another listener too, such as one in the network of a program that reaches nothing
// else, until that or the wire is closed. It returns at once.
func (w *Wire) Serve(listener net.Listener) {
	w.serve.Go(func() { _ = w.server.Serve(listener) }) // it returns when it is closed
}

// Route opens the way of one attempt, on which acts stand: the first nearest to the agent.
func (w *Wire) Route(l Limits, acts ...Act) *Route {
	r := &Route{wire: w, secret: newSecret()}
	r.Begin(l, acts...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.routes[r.secret] = r
	return r
}

// newSecret is 128 random bits as a word of a path.
func newSecret() string {
	var bits [16]byte
	rand.Read(bits[:]) // which never fails
	return hex.EncodeToString(bits[:])
}

// Mount lets a handler answer at an address of its own, with a secret that is none of a route's: who has a route does
// not find it.
func (w *Wire) Mount(h http.Handler) (address string) {
	secret := newSecret()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.besides[secret] = h
	return w.root(secret)
}

// root is the address of a secret.
func (w *Wire) root(secret string) string {
	return "http://" + w.listener.Addr().String() + "/" + secret
}

// route finds a route, or what else answers, by its secret, and the rest of the path behind it.
func (w *Wire) route(path string) (r *Route, besides http.Handler, rest string) {
	secret, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.routes[secret], w.besides[secret], rest
}

// ServeHTTP passes a request on. Without the secret of a route there is nothing to find. On loopback nobody asks by a
// name that is none of this machine's: another site's may lead here. Elsewhere the wire has whatever name a network
// gives it, such as that of a host to its containers.
func (w *Wire) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if w.loopback && !door.IsLoopback(request.Host) {
		http.Error(answer, "the wire has another name", http.StatusMisdirectedRequest)
		return
	}
	route, besides, rest := w.route(request.URL.EscapedPath())
	switch {
	case besides != nil:
		besides.ServeHTTP(answer, request)
		return
	case route == nil:
		http.NotFound(answer, request)
		return
	}
	name, path, _ := strings.Cut(rest, "/")
	if name == toolsPath || name == callsPath {
		route.serveTools(answer, request, name, path)
		return
	}
	p, known := providerOf(Provider(name))
	upstream := w.options.Upstreams[p.name]
	if !known || upstream == nil {
		http.Error(answer, fmt.Sprintf("no server is known for %q on this wire", name), http.StatusNotFound)
		return
	}
	if !route.enter() {
		http.Error(answer, "the attempt of this route is over", http.StatusGone)
		return
	}
	defer route.leave()
	route.pass(answer, request, p, upstream, p.path(path))
}
