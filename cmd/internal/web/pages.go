package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// What of a list stands on a page. Chosen, so that no page has more than 80 kB.
const (
	pageSuites    = 20
	pageRuns      = 30
	pageScenarios = 35
	pageTraces    = 60
	sparkRuns     = 20
	latestRuns    = 10         // of all suites, on the first page
	choices       = 100        // suites to choose from
	mostPage      = 1_000_000  // number of a page
	mostResult    = 32_000_000 // bytes of a saved result that is shown
)

// problem is an error with what a browser is told of it.
type problem struct {
	status     int
	text, hint string
}

func (p *problem) Error() string { return p.text }

// missing is the problem of what is not there.
func missing(text, hint string) error { return &problem{http.StatusNotFound, text, hint} }

// problemOf is an error as a problem: of what was asked, or of what it was asked of.
func problemOf(err error) *problem {
	if p, is := errors.AsType[*problem](err); is {
		return p
	}
	p := &problem{http.StatusInternalServerError, err.Error(), ""}
	if hinted, is := err.(interface{ Hint() string }); is {
		p.hint = hinted.Hint()
	}
	if told, is := err.(interface{ Message() string }); is {
		p.text = told.Message()
	}
	if e, is := errors.AsType[*store.Error](err); is && e.Err == nil {
		p.status, p.hint = http.StatusNotFound, ""
	}
	_, filter := errors.AsType[*site.FilterError](err)
	_, query := errors.AsType[*store.QueryError](err)
	if filter || query {
		p.status = http.StatusBadRequest
	}
	if errors.Is(err, context.DeadlineExceeded) {
		p.status, p.text, p.hint = http.StatusServiceUnavailable, "that takes too long", "ask for less of the store"
	}
	return p
}

// asset answers with a text that never changes while the server runs.
func (s *Server) asset(kind, text string) http.HandlerFunc {
	digest := sha256.Sum256([]byte(text))
	tag := `"` + hex.EncodeToString(digest[:8]) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte(text)))
	}
}

// bounded answers a request whose work is bounded, and no more of them at once than there is room for.
func (s *Server) bounded(
	answer func(ctx context.Context, w http.ResponseWriter, r *http.Request) error,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.busy <- struct{}{}:
			defer func() { <-s.busy }()
		case <-r.Context().Done():
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), mostWork)
		defer cancel()
		if err := answer(ctx, w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

// page answers with a page of the site.
func (s *Server) page(builder func(context.Context, *http.Request) (site.Page, error)) http.HandlerFunc {
	return s.bounded(func(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
		p, err := builder(ctx, r)
		if err != nil {
			return err
		}
		return s.write(w, http.StatusOK, p)
	})
}

// write writes a page of the site.
func (s *Server) write(w http.ResponseWriter, status int, p site.Page) error {
	p.Lists = s.lists()
	var text bytes.Buffer
	if err := site.Write(&text, p); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // to one who may have gone
	return nil
}

// fail says why there is no page.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody waits
	}
	p := problemOf(err)
	title := "This cannot be shown"
	if p.status == http.StatusNotFound {
		title = "Not found"
	}
	if s.write(w, p.status, site.Page{Title: title, Content: site.Problem{Text: p.text, Hint: p.hint}}) != nil {
		http.Error(w, p.text, p.status)
	}
}

// lists are those of the site.
func (s *Server) lists() (list []site.Link) {
	if s.options.Store != nil {
		list = []site.Link{{Title: "Suites", URL: "/"}, {Title: "Runs", URL: "/runs"}, {Title: "Traces", URL: "/traces"},
			{Title: "History", URL: "/history"}, {Title: "Compare", URL: "/compare"}, {Title: "Baselines", URL: "/baselines"}}
	}
	if s.follow != nil {
		list = append(list, site.Link{Title: "Run in progress", URL: "/live"})
	}
	return list
}

// number reads the number of a page, from 0.
func number(r *http.Request) (int, error) {
	text := r.URL.Query().Get("page")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostPage {
		return 0, &problem{http.StatusBadRequest, "there is no such page of the list", ""}
	}
	return n, nil
}

// beside are the addresses of the pages of a list before and after one; a list that is longer than a page has one
// after.
func beside[T any](list []T, most, page int, address func(page int) string) (shown []T, newer, older string) {
	if page > 0 {
		newer = address(page - 1)
	}
	if len(list) > most {
		list, older = list[:most], address(page+1)
	}
	return list, newer, older
}

// kinds are what a store holds besides runs of a suite, by the command that added it.
var kinds = []struct{ kind, title string }{
	{"mutate", "Mutation tests"}, {"conform", "Conformance"}, {"race", "Races"}, {"relate", "Relations"},
	{"gate", "Gates"}, {"decide", "Decisions"},
}

// listSuites is the first page.
func (s *Server) listSuites(ctx context.Context, r *http.Request) (p site.Page, err error) {
	page, err := number(r)
	if err != nil {
		return p, err
	}
	found, err := s.options.Store.Suites(ctx, page*pageSuites, pageSuites+1)
	if err != nil {
		return p, err
	}
	var c site.Suites
	c.Now = s.now()
	found, c.Newer, c.Older = beside(found, pageSuites, page, func(page int) string {
		return site.Filter{}.Address("/", "page", strconv.Itoa(page))
	})
	for _, one := range found {
		x := site.Suite{SuiteRuns: one}
		// Runs without a suite have nothing in common.
		if one.Name != "" {
			if err := s.follows(ctx, &x); err != nil {
				return p, err
			}
		}
		c.List = append(c.List, x)
	}
	if page == 0 {
		if c.Latest, err = s.options.Store.Runs(ctx, store.Query{}, 0, latestRuns); err != nil {
			return p, err
		}
	}
	if s.follow != nil {
		c.Kinds = append(c.Kinds, site.Link{Title: "Run in progress", URL: "/live"})
	}
	for _, k := range kinds {
		one, err := s.options.Store.Heads(ctx, store.Query{Kind: k.kind}, 0, 1)
		if err != nil {
			return p, err
		}
		if len(one) > 0 {
			c.Kinds = append(c.Kinds, site.Link{Title: k.title, URL: site.Filter{Kind: k.kind}.Address("/runs")})
		}
	}
	return site.Page{Title: c.Title(), Here: "/", Content: c}, nil
}

// names are the suites to choose from, as they were a few seconds ago; nil where they are too many.
func (s *Server) names(ctx context.Context) ([]string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.now().Sub(s.known) < suitesKept {
		return s.suites, nil
	}
	found, err := s.options.Store.Suites(ctx, 0, choices+1)
	if err != nil {
		return nil, err
	}
	s.suites, s.known = nil, s.now()
	for _, x := range found {
		if x.Name != "" {
			s.suites = append(s.suites, x.Name)
		}
	}
	slices.Sort(s.suites)
	if len(found) > choices {
		s.suites = nil
	}
	return s.suites, nil
}

// filtered reads the filter of a list, and the suites to choose from.
func (s *Server) filtered(
	ctx context.Context, r *http.Request,
) (f site.Filter, q store.Query, suites []string, err error) {
	if f, err = site.ReadFilter(r.URL.Query()); err != nil {
		return f, q, nil, err
	}
	if q, err = f.Query(s.now()); err != nil {
		return f, q, nil, err
	}
	suites, err = s.names(ctx)
	return f, q, suites, err
}

// listRuns lists runs.
func (s *Server) listRuns(ctx context.Context, r *http.Request) (p site.Page, err error) {
	page, err := number(r)
	if err != nil {
		return p, err
	}
	var c site.Runs
	var q store.Query
	c.Now = s.now()
	if c.Filter, q, c.Suites, err = s.filtered(ctx, r); err != nil {
		return p, err
	}
	found, err := s.options.Store.Runs(ctx, q, page*pageRuns, pageRuns+1)
	if err != nil {
		return p, err
	}
	c.List, c.Newer, c.Older = beside(found, pageRuns, page, func(page int) string {
		return c.Filter.Address("/runs", "page", strconv.Itoa(page))
	})
	return site.Page{Title: "Runs", Here: "/runs", Content: c}, nil
}

// named returns the run of an address.
func (s *Server) named(ctx context.Context, id string) (*store.Run, error) {
	if !store.IsRunID(id) {
		return nil, missing("there is no such run", "the ID of a run has digits and the letters a to f")
	}
	return s.options.Store.Run(ctx, id)
}

// run shows a run: the report of its result, or where there is none what its trials come to.
func (s *Server) run(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	run, err := s.named(ctx, r.PathValue("run"))
	if err != nil {
		return err
	}
	c := site.Run{Run: run}
	c.Now = s.now()
	if c.Before, err = s.before(ctx, run); err != nil {
		return err
	}
	if c.Baselines, err = s.holding(ctx, run); err != nil {
		return err
	}
	if run.Result != nil {
		document, err := documentOf(run)
		if err == nil {
			told := document.Facts()
			for _, f := range c.Facts() {
				if !slices.Contains(told, f) {
					document.Fact(f.Name, f.Value)
				}
			}
			return s.writeDocument(w, document, "/runs", c.Links()...)
		}
		c.Problem = problemOf(err).text
	}
	tallies, err := s.options.Store.Tallies(ctx, run.ID)
	if err != nil {
		return err
	}
	slices.SortStableFunc(tallies, worst)
	c.Tallies = tallies[:min(len(tallies), pageScenarios)]
	c.More = len(tallies) - len(c.Tallies)
	return s.write(w, http.StatusOK, site.Page{Title: titleOf(run), Here: "/runs", Content: c})
}

// moved leads from where reports were to the page of the run.
func (s *Server) moved(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Location", "../"+url.PathEscape(r.PathValue("run"))) // below the same first folder
	w.WriteHeader(http.StatusMovedPermanently)
}

// before is the run before one of its suite and, where it is an experiment, of its kind; nil is none.
func (s *Server) before(ctx context.Context, run *store.Run) (*store.Run, error) {
	if run.Started.IsZero() || run.Suite == "" {
		return nil, nil
	}
	earlier := store.Query{Suite: run.Suite, Until: run.Started, Own: true}
	if store.IsExperiment(run.Kind) {
		earlier.Kind = run.Kind
	}
	list, err := s.options.Store.Heads(ctx, earlier, 0, 1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// holding are the names of the baselines that hold a run.
func (s *Server) holding(ctx context.Context, run *store.Run) (names []string, err error) {
	baselines, err := s.options.Store.Baselines(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range baselines {
		if slices.Contains(b.Runs, run.ID) && !slices.Contains(names, b.Name) && len(names) < pageScenarios {
			names = append(names, b.Name)
		}
	}
	return names, nil
}

// worst orders tallies by their share of passes.
func worst(a, b store.Tally) int {
	share := func(t store.Tally) float64 {
		if t.Passes+t.Failures == 0 {
			return 2
		}
		return float64(t.Passes) / float64(t.Passes+t.Failures)
	}
	switch x, y := share(a), share(b); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// titleOf names a run.
func titleOf(r *store.Run) string {
	title := "Run " + r.ID[:min(len(r.ID), 12)]
	if r.Suite != "" {
		title = r.Suite + ", run " + r.ID[:min(len(r.ID), 12)]
	}
	return title
}

// resultOf is the saved result of a run.
func resultOf(run *store.Run) (verdict.Result, error) {
	switch {
	case run.Result == nil:
		return nil, missing("this run has no saved result", "")
	case len(run.Result.Text) > mostResult:
		return nil, missing("it is too large for a page; tribunal store result prints it", "")
	}
	return verify.Decode(run.Result.Text)
}

// documentOf is what the report of a run says.
func documentOf(run *store.Run) (*report.Document, error) {
	result, err := resultOf(run)
	if err != nil {
		return nil, err
	}
	return report.HTMLFormat.Build(result, report.Options{})
}

// writeDocument writes a document as a page below one of the lists of the site, with links to these and to others.
func (s *Server) writeDocument(w http.ResponseWriter, d *report.Document, here string, more ...site.Link) error {
	var text bytes.Buffer
	var links []report.Link
	for _, l := range s.lists() {
		links = append(links, report.Link{Title: l.Title, URL: l.URL, Site: true, Here: l.URL == here})
	}
	for _, l := range more {
		links = append(links, report.Link{Title: l.Title, URL: l.URL})
	}
	if err := report.HTMLFormat.Document(&text, d, report.Options{Links: links}); err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", reportPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes()) // to one who may have gone
	return nil
}
