package fleet

import (
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/tribunal-dev/tribunal/internal/door"
)

// serveHealth answers the probes of Kubernetes: /healthz while the worker is up, and /readyz while it can take errands.
func (w *worker) serveHealth() (end func(), err error) {
	if w.options.Health == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", w.options.Health)
	if err != nil {
		return nil, &addressError{w.options.Health, "cannot be listened on: " + err.Error(), "such as --health :8080"}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(out http.ResponseWriter, _ *http.Request) {
		_, _ = out.Write([]byte("ok\n"))
	})
	mux.HandleFunc("GET /readyz", func(out http.ResponseWriter, _ *http.Request) {
		switch {
		case !w.nc.IsConnected():
			http.Error(out, "not connected", http.StatusServiceUnavailable)
		case w.draining.Load():
			http.Error(out, "draining", http.StatusServiceUnavailable)
		default:
			_, _ = out.Write([]byte("ok\n"))
		}
	})
	server := door.Server(mux)
	go func() { _ = server.Serve(listener) }()
	w.tell("note", "probes are answered at http://"+listener.Addr().String()+"/healthz and /readyz")
	return func() { door.End(server, time.Second) }, nil
}

// shown is an address without a password.
func shown(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Redacted()
	}
	return address
}
