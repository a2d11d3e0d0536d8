package web

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/history"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

const (
	pageHistory   = 80 // runs. Chosen, so that no page has more than 80 kB
	pageBaselines = 30
	mostEarlier   = 10  // revisions of a baseline
	mostPooled    = 100 // runs of a baseline
)

// history shows the rates of runs.
func (s *Server) history(ctx context.Context, r *http.Request) (p site.Page, err error) {
	c := &site.History{}
	c.Now = s.now()
	var q store.Query
	if c.Filter, q, c.Suites, err = s.filtered(ctx, r); err != nil {
		return p, err
	}
	// Rates of several suites make no line.
	if q.Suite == "" && len(c.Suites) > 0 {
		latest, err := s.options.Store.Suites(ctx, 0, 1)
		if err != nil {
			return p, err
		}
		c.Filter.Suite = latest[0].Name
		q.Suite = latest[0].Name
	}
	q.Own = true
	found, err := s.options.Store.Runs(ctx, q, 0, pageHistory+1)
	if err != nil {
		return p, err
	}
	c.More = len(found) > pageHistory
	c.List = found[:min(len(found), pageHistory)]
	if err := s.require(ctx, c); err != nil {
		return p, err
	}
	title := "History"
	if q.Suite != "" {
		title = "History of " + q.Suite
		c.Versions, c.Metrics = ways(c)
	}
	return site.Page{Title: title, Here: "/history", Content: c}, nil
}

// require finds out what the runs of a history had to reach.
func (s *Server) require(ctx context.Context, c *site.History) (err error) {
	var latest []taskRun
	for _, r := range c.List {
		if r.Verdict != "" {
			latest = append(latest, taskRun{r.Task, r.ID})
		}
	}
	c.Thresholds, err = s.required(ctx, latest)
	return err
}

// taskRun is a run of a task, by its digest.
type taskRun struct{ task, run string }

// required are the rates that tasks had to reach, from the result of the latest run of each, which comes first.
func (s *Server) required(ctx context.Context, latest []taskRun) (map[string]float64, error) {
	const most = 5 // tasks. Chosen: a page reads no more results
	seen, thresholds := map[string]bool{}, map[string]float64{}
	for _, r := range latest {
		if seen[r.task] {
			continue
		}
		if seen[r.task] = true; len(seen) > most {
			break
		}
		run, err := s.options.Store.Run(ctx, r.run)
		if err != nil {
			return nil, err
		}
		if run.Result == nil || len(run.Result.Text) > mostReason {
			continue
		}
		if result, err := resultOf(run); err == nil {
			if rate, known := requiredBy(result); known {
				thresholds[r.task] = rate
			}
		}
	}
	return thresholds, nil
}

// mark draws the rate that each point of a history of rates had to reach.
func (s *Server) mark(ctx context.Context, d *report.Document, points []history.Point) error {
	var latest []taskRun
	for i := len(points) - 1; i >= 0; i-- {
		if points[i].Run != "" {
			latest = append(latest, taskRun{points[i].Task, points[i].Run})
		}
	}
	thresholds, err := s.required(ctx, latest)
	if err != nil {
		return err
	}
	for _, series := range d.Series() {
		for i := range series.Points[:min(len(series.Points), len(points))] {
			if rate, known := thresholds[points[i].Task]; known {
				series.Points[i].Mark = &rate
			}
		}
	}
	return nil
}

// requiredBy is the pass rate that a result required of its trials, where it is one for all scenarios.
func requiredBy(result verdict.Result) (rate float64, known bool) {
	var rates []float64
	switch r := result.(type) {
	case *verdict.ThresholdResult:
		rates = append(rates, r.Threshold)
	case *gate.Result:
		if r.Run != nil {
			return requiredBy(r.Run)
		}
		if r.Rates != nil {
			return requiredBy(r.Rates)
		}
	case *runs.Result:
		for _, t := range r.SuiteTests {
			if t.Question.Sides == stratified.Threshold {
				rates = append(rates, t.Question.Threshold)
			}
		}
		for _, t := range r.Tests {
			if len(r.SuiteTests) == 0 && t.Threshold > 0 {
				rates = append(rates, t.Threshold)
			}
		}
	}
	if len(rates) == 0 || slices.Min(rates) != slices.Max(rates) {
		return 0, false
	}
	return rates[0], rates[0] > 0
}

// ways are the histories of each version, where runs have several, and else those of each metric.
func ways(c *site.History) (versions, metrics []site.Link) {
	const most = 20 // versions to choose from
	if c.Filter.Version == "" {
		f := c.Filter
		for _, run := range c.List {
			for _, part := range run.Parts {
				is := func(l site.Link) bool { return l.Title == part.Version }
				f.Version = part.Version
				if f.Version != "" && len(versions) < most && !slices.ContainsFunc(versions, is) {
					versions = append(versions, site.Link{Title: f.Version, URL: f.Address("/history")})
				}
			}
		}
		if len(versions) > 1 {
			return versions, nil
		}
	}
	for _, m := range history.Metrics() {
		address := c.Filter.Address("/history/report", "metric", m.String())
		metrics = append(metrics, site.Link{Title: metricTitles[m], URL: address})
	}
	return nil, metrics
}

// metricTitles name what a history may be of.
var metricTitles = map[history.Metric]string{
	history.Rate: "Pass rate", history.Cost: "Cost", history.Turns: "Turns", history.Duration: "Time",
	history.Tokens:   "Tokens",
	history.Distance: "Behaviour",
}

// historyReport shows where a metric changed over all runs of a suite.
func (s *Server) historyReport(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	f, q, _, err := s.filtered(ctx, r)
	if err != nil {
		return err
	}
	request := app.HistoryRequest{Query: q}
	word := r.URL.Query().Get("metric")
	at := slices.IndexFunc(history.Metrics(), func(m history.Metric) bool { return m.String() == word })
	if at < 0 && word != "" {
		return &problem{http.StatusBadRequest, "there is no such metric", ""}
	}
	request.Metric = history.Metrics()[max(at, 0)]
	result, err := app.History(ctx, s.options.Store, request)
	if _, several := errors.AsType[*app.SeveralError](err); several {
		return &problem{http.StatusBadRequest, err.Error(), "name one"}
	}
	if err != nil {
		return err
	}
	document, err := report.HTMLFormat.Build(result, report.Options{})
	if err == nil && request.Metric == history.Rate {
		err = s.mark(ctx, document, result.Points)
	}
	if err != nil {
		return err
	}
	return s.writeDocument(w, document, "/history", site.Link{Title: "This suite", URL: f.Address("/history")})
}

// baselines lists baselines with what they come to.
func (s *Server) baselines(ctx context.Context, r *http.Request) (p site.Page, err error) {
	all, err := s.options.Store.Baselines(ctx)
	if err != nil {
		return p, err
	}
	var c site.Baselines
	c.Now = s.now()
	last := ""
	for _, b := range all { // by name, the last revision of each first
		first := b.Name != last
		last = b.Name
		switch n := len(c.List); {
		case !first && n > 0 && c.List[n-1].Name == b.Name:
			if len(c.List[n-1].Earlier) < mostEarlier {
				c.List[n-1].Earlier = append(c.List[n-1].Earlier, b)
			}
		case !first: // of a name that there is no room for
		case n == pageBaselines:
			c.More++
		default:
			c.List = append(c.List, site.Baseline{Baseline: b,
				Old: b.Policy.MaxAge > 0 && s.now().Sub(b.At) > b.Policy.MaxAge})
		}
	}
	for i := range c.List {
		x := &c.List[i]
		q := store.Query{Baseline: x.Name}
		if len(x.Runs) > mostPooled {
			q.Last = mostPooled
		}
		points, err := s.options.Store.History(ctx, q, store.HistoryOptions{})
		if err != nil {
			return p, err
		}
		for _, point := range slices.Backward(points) {
			x.Sums.Plus(point.Sums)
		}
		found := len(points)
		if found < min(len(x.Runs), mostPooled) { // some have no trials, or are gone
			if found, err = s.options.Store.Count(ctx, q); err != nil {
				return p, err
			}
		}
		x.Missing = min(len(x.Runs), mostPooled) - found
		x.Runs = x.Runs[:min(len(x.Runs), 20)]
	}
	return site.Page{Title: "Baselines", Here: "/baselines", Content: c}, nil
}
