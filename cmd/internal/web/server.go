package web

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/door"
	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/report/store"
)

// Options say what is served. One of the store and the journal is needed.
type Options struct {
	Store   *store.Store     // nil is none
	Journal string           // file of the run in progress; "" is none
	Planned <-chan struct{}  // closed once that run is planned, before which the file is of an earlier one; nil is planned
	Token   string           // that is asked for as a password; "" asks for none
	Secret  string           // the first folder of every address, where there is no token; "" is none
	Now     func() time.Time // nil is time.Now
}

// Server serves pages. Its methods can be called at the same time.
type Server struct {
	options Options
	now     func() time.Time
	pages   *http.ServeMux
	follow  *follower     // nil without a journal
	busy    chan struct{} // requests that are answered
	watched chan struct{} // streams of events
	over    chan struct{} // closed when the server ends

	mutex  sync.Mutex
	suites []string // names, for choices
	known  time.Time
	states map[string]suiteState // by name
}

// What one client, or many, may ask of the server. Chosen: a person opens a few pages, and a page has a script and a
// style.
const (
	mostRequests = 16
	mostStreams  = 32
	mostWork     = 10 * time.Second // of one request
	suitesKept   = 10 * time.Second // the names for choices
)

// New prepares a server.
func New(o Options) (*Server, error) {
	if o.Store == nil && o.Journal == "" {
		return nil, errors.New("there is nothing to serve: neither a store nor a journal")
	}
	s := &Server{options: o, now: o.Now, pages: http.NewServeMux(), busy: make(chan struct{}, mostRequests),
		watched: make(chan struct{}, mostStreams), over: make(chan struct{})}
	if s.now == nil {
		s.now = time.Now
	}
	s.pages.HandleFunc("GET /style.css", s.asset("text/css; charset=utf-8", site.Style()))
	s.pages.HandleFunc("GET /page.js", s.asset("text/javascript; charset=utf-8", site.Script()))
	if o.Journal != "" {
		s.follow = &follower{name: o.Journal}
		s.pages.HandleFunc("GET /live", s.page(s.live))
		s.pages.HandleFunc("GET /live/events", s.events)
	}
	if o.Store == nil {
		s.pages.HandleFunc("GET /{$}", s.page(s.live))
	} else {
		s.pages.HandleFunc("GET /{$}", s.page(s.listSuites))
		s.pages.HandleFunc("GET /runs", s.page(s.listRuns))
		s.pages.HandleFunc("GET /runs/{run}", s.bounded(s.run))
		s.pages.HandleFunc("GET /runs/{run}/report", s.moved)
		s.pages.HandleFunc("GET /compare", s.bounded(s.compare))
		s.pages.HandleFunc("GET /traces", s.page(s.search))
		s.pages.HandleFunc("GET /traces/{run}/{part}/{position}", s.bounded(s.trace))
		s.pages.HandleFunc("GET /history", s.page(s.history))
		s.pages.HandleFunc("GET /history/report", s.bounded(s.historyReport))
		s.pages.HandleFunc("GET /baselines", s.page(s.baselines))
	}
	s.pages.HandleFunc("GET /", s.page(func(context.Context, *http.Request) (site.Page, error) {
		return site.Page{}, missing("there is no such page", "")
	}))
	return s, nil
}

// Serve answers what comes to a listener until the context ends, and closes it. Who follows a run then hears of its
// last state.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	rules := door.Rules{Token: s.options.Token, Secret: s.options.Secret}
	server := door.Server(policed(rules.Guard(listener.Addr(), readOnly(s.pages))))
	server.ReadTimeout, server.WriteTimeout = 10*time.Second, 30*time.Second // events set their own
	server.ErrorLog = log.New(io.Discard, "", 0)                             // of what others send, nothing is told
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	close(s.over)
	// Chosen: what is under way is a page, and nobody waits for longer.
	door.End(server, 2*time.Second)
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
