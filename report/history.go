package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/history"
)

// How many of the latest points stand in a table, and how many scenarios a change names. Chosen: the chart and the
// saved
// result have all of them.
const (
	latestInText   = 10
	latestPoints   = 30
	namedScenarios = 5
	mostCommit     = 10 // characters of a commit; git shows 7 or more
)

// metricNames are what the metrics are called in a sentence.
var metricNames = map[history.Metric]string{
	history.Rate: "pass rate", history.Cost: "cost", history.Turns: "turns", history.Duration: "duration",
	history.Tokens:   "tokens",
	history.Distance: "distance",
}

// writeMetric writes a value of a metric.
func writeMetric(m history.Metric) func(float64) string {
	switch m {
	case history.Rate:
		return phrase.Rate
	case history.Cost:
		return figure.Money
	case history.Duration:
		return figure.Duration
	}
	return figure.Quantity
}

// writeDifference writes a difference of two values.
func writeDifference(m history.Metric, x float64) string {
	sign := "up "
	if x < 0 {
		sign, x = "down ", -x
	}
	if m == history.Rate {
		return sign + phrase.Points(x)
	}
	return sign + writeMetric(m)(x)
}

// buildHistory is the runs of a suite over time: where what of them changed, with the scenarios that did, and the
// latest runs.
// A history has no verdict and is shown in green.
func buildHistory(d *document.Document, r *history.Result) {
	d.Begin(r.Header(), safe.Name(cmp.Or(r.Suite, "runs without a suite")))
	d.Word, d.Colour = "history", verdict.Pass
	h := historian{d: d, r: r, write: writeMetric(r.Metric), name: metricNames[r.Metric], layout: layoutOf(r.Points)}
	d.Headline = h.headline()
	d.Break()
	h.about()
	h.series()
	d.Break()
	c := document.Case{Scenario: "history", Name: r.Metric.String(), Status: document.Passed, Message: d.Headline,
		Facts: []document.Fact{count("runs", r.Runs), count("changes", len(r.Changes))}}
	h.changes(&c)
	h.latest()
	h.variation(&c)
	if len(r.Warnings) > 0 {
		d.Break()
	}
	d.Warn(r.Warnings)
	d.Cases, d.Outputs = []document.Case{c}, c.Facts
	d.FactStat("permutations", fmt.Sprintf("%d of %s, seed %d", r.Permutations, r.Unit, r.Seed))
}

// historian builds the document of a history.
type historian struct {
	d     *document.Document
	r     *history.Result
	write func(float64) string
	name  string // of the metric
	// Of times: the day, and the minute where days have several points.
	layout string
}

// headline says what the end of the series is like, and whether it changed.
func (h *historian) headline() string {
	r := h.r
	if len(r.Segments) == 0 {
		return fmt.Sprintf("nothing is known of the %s in %s", h.name, prose.Count(r.Runs, "run"))
	}
	last := r.Segments[len(r.Segments)-1]
	known, least := knownPoints(r), leastPoints(r.Alpha)
	if len(r.Changes) == 0 && r.Unit == change.Runs && known < least {
		unit := "run"
		if r.Runs > len(r.Points) {
			unit = "point"
		}
		return fmt.Sprintf("%s %s too few to tell whether the %s changed: at least %d are needed",
			prose.Count(known, unit), prose.Form(known, "is", "are"), h.name, least)
	}
	if len(r.Changes) == 0 {
		return fmt.Sprintf("no change of the %s is found in %s: %s", h.name, prose.Count(r.Runs, "run"), h.write(last.Value))
	}
	at := r.Changes[len(r.Changes)-1].At
	before := r.Segments[len(r.Segments)-2]
	return fmt.Sprintf("%s %s since %s, %s before", h.name, h.write(last.Value), h.place(at), h.write(before.Value))
}

// knownPoints is how many points have a value.
func knownPoints(r *history.Result) (n int) {
	for i := range r.Points {
		if r.Points[i].Value != nil {
			n++
		}
	}
	return n
}

// leastPoints is how many points it takes to find a change at alpha where they are exchanged: of n points, the rarest
// order, one half before the other, and its reverse are 2 of the n over n/2 ways to divide them.
func leastPoints(alpha float64) int {
	n, ways := 2, 2.0
	for 2/ways > alpha && n < history.MostPoints {
		n++
		ways = ways * float64(n) / float64((n+1)/2)
	}
	return n
}

// place names a point: its commit and when it was.
func (h *historian) place(i int) string {
	p := &h.r.Points[i]
	when := h.when(p.From)
	if p.Commit == "" {
		return when
	}
	return shortCommit(p.Commit) + " (" + when + ")"
}

// shortCommit is the beginning of a commit, as git shows it; another name is cut where it is long.
func shortCommit(commit string) string {
	if len(commit) > mostCommit && strings.Trim(commit, "0123456789abcdef") == "" {
		return commit[:mostCommit]
	}
	return prose.CutRunes(safe.Text(commit), 2*mostCommit)
}

// when writes the time of a point.
func (h *historian) when(t time.Time) string {
	if t.IsZero() {
		return "an unknown time"
	}
	return t.UTC().Format(h.layout)
}

// layoutOf is that of the times of points.
func layoutOf(points []history.Point) string {
	days := map[string]bool{}
	for i := range points {
		day := points[i].From.UTC().Format(time.DateOnly)
		if days[day] {
			return "2006-01-02 15:04"
		}
		days[day] = true
	}
	return time.DateOnly
}

// unnamedVersion is that of trials whose agent has no variants.
const unnamedVersion = "agent"

// about says what the runs are of.
func (h *historian) about() {
	r := h.r
	parts := ""
	for _, part := range []struct{ what, name string }{{"version", r.Version}, {"branch", r.Branch}, {"scenarios",
		r.Scenario}} {
		if part.name != "" && part.name != unnamedVersion {
			parts += fmt.Sprintf(", %s %s", part.what, shorten(h.d, part.name, 40))
		}
	}
	h.d.Line("runs", prose.Count(r.Runs, "run")+parts)
	if r.Metric == history.Distance {
		from := "the first run"
		if r.Baseline != "" {
			from = "baseline " + shorten(h.d, r.Baseline, 40)
		}
		h.d.Line("distance", "of the behaviour from that of "+from+", in standard deviations of a trial")
	}
}

// series is the drawing.
func (h *historian) series() {
	r := h.r
	if len(r.Segments) == 0 {
		return
	}
	s := &document.Series{Name: h.name, Write: h.write, First: h.when(r.Points[0].From),
		Last: h.when(r.Points[len(r.Points)-1].From)}
	if r.Metric == history.Rate {
		s.Most = 1
	}
	for i := range r.Points {
		p := &r.Points[i]
		s.Points = append(s.Points, document.SeriesPoint{Value: p.Value, Low: p.Low, High: p.High,
			Label: h.place(i) + ": " + h.told(p)})
	}
	for _, g := range r.Segments {
		s.Segments = append(s.Segments, document.SeriesSegment{From: g.From, To: g.To, Value: g.Value})
	}
	for i, c := range r.Changes {
		s.Changes = append(s.Changes, document.SeriesChange{At: c.At, Earliest: c.Earliest, Latest: c.Latest,
			Label: h.change(i)})
	}
	h.d.Parts = append(h.d.Parts, s)
}

// told is what a point comes to.
func (h *historian) told(p *history.Point) string {
	text := phrase.Seen(p.Passes, p.Failures, p.Errors)
	if h.r.Metric != history.Rate && p.Value != nil {
		text = h.write(*p.Value) + ", " + text
	}
	if p.Runs > 1 {
		text += fmt.Sprintf(", in %d runs", p.Runs)
	}
	return text
}

// change says what changed, where and by which test.
func (h *historian) change(i int) string {
	c, before, after := h.r.Changes[i], h.r.Segments[i], h.r.Segments[i+1]
	text := fmt.Sprintf("%s to %s (%s) at %s", h.write(before.Value), h.write(after.Value), writeDifference(h.r.Metric,
		c.Difference),
		h.place(c.At))
	if c.Earliest < c.At || c.Latest > c.At {
		text += fmt.Sprintf(", not before %s nor after %s", h.place(c.Earliest), h.place(c.Latest))
	}
	return text + ", " + figure.Equals("p", figure.PValue(c.P))
}

// changes are the segments, and below them the changes with the scenarios that changed.
func (h *historian) changes(c *document.Case) {
	r := h.r
	if len(r.Segments) == 0 {
		return
	}
	t := &document.Table{Title: "Between changes", Rank: 1, Columns: []document.Column{
		{Title: "from"}, {Title: "until", Text: table.Column{Drop: 1}}, {Title: "points", Right: true}, {Title: h.name,
			Right: true},
		{Title: "interval"},
	}}
	for _, g := range r.Segments {
		interval := document.None
		if g.Low != nil && g.High != nil {
			interval = figure.Interval(h.write(*g.Low), h.write(*g.High))
		}
		t.Add(document.Plain(h.place(g.From)), document.Plain(h.place(g.To-1)), g.To-g.From, document.Plain(h.write(g.Value)),
			document.Plain(interval))
	}
	h.d.Table(t)
	h.d.Break()
	for i := range r.Changes {
		h.d.Line("change", h.change(i))
		if names := h.changed(&r.Changes[i]); names != "" {
			h.d.Line("scenarios", names)
		}
		if r.Changes[i].SuiteChanged {
			h.d.Line("suite", "what is asked, or how it is judged, changed there too")
		}
		c.Details = append(c.Details, h.change(i))
	}
	h.d.Stat("level", fmt.Sprintf("any change that is none: %s at most; intervals: %s", figure.Level(r.Alpha),
		figure.Level(r.Level)))
	h.d.Break()
}

// changed names the scenarios that changed with a change.
func (h *historian) changed(c *history.Change) string {
	var names []string
	left, added, gone := 0, 0, 0
	for _, s := range c.Scenarios {
		switch {
		case s.New:
			added++
		case s.Gone:
			gone++
		case s.Changed && len(names) < namedScenarios:
			names = append(names, fmt.Sprintf("%s %d of %d to %d of %d (%s)", shorten(h.d, s.Name, 30), s.PassesBefore,
				s.TrialsBefore,
				s.PassesAfter, s.TrialsAfter, figure.Equals("p holm", figure.PValue(s.Adjusted))))
		case s.Changed:
			left++
		}
	}
	if left > 0 {
		names = append(names, fmt.Sprintf("%d more", left))
	}
	if len(names) == 0 && len(c.Scenarios) > added+gone {
		names = append(names, "none of them changed for itself alone")
	}
	if added > 0 {
		names = append(names, fmt.Sprintf("%d new", added))
	}
	if gone > 0 {
		names = append(names, fmt.Sprintf("%d gone", gone))
	}
	return strings.Join(names, ", ")
}

// latest is a table of the last points, the last one first.
func (h *historian) latest() {
	r := h.r
	pooled := r.Runs > len(r.Points)
	t := &document.Table{Title: "Latest runs", Rank: 2, Columns: []document.Column{
		{Title: "when"}, {Title: "run"}, {Title: "commit", Text: table.Column{Drop: 1}},
		{Title: "runs", Right: true, In: document.Nowhere},
		{Title: "passed", Right: true}, {Title: h.name, Right: true}, {Title: "interval", Text: table.Column{Drop: 2}},
		{Title: "drawing", Bar: true, Plain: true, In: document.Text, Text: table.Column{Least: 10, Most: 24, Drop: 3}},
	}}
	// By its ID a run is found again; points of several have none, nor have those of results of earlier versions.
	if !slices.ContainsFunc(r.Points, func(p history.Point) bool { return p.Run != "" }) {
		t.Columns[1].In = document.Nowhere
	}
	if pooled {
		t.Columns[3].In = document.Everywhere
	}
	if r.Metric == history.Rate {
		t.Axes = []document.Axis{{Most: 1}}
	} else {
		t.Columns[7].In = document.Nowhere
	}
	for i := len(r.Points) - 1; i >= max(0, len(r.Points)-latestPoints); i-- {
		p := &r.Points[i]
		interval := document.None
		row := t.Add(document.Plain(h.when(p.From)), document.Name(cmp.Or(shortCommit(p.Run), document.None)),
			document.Name(cmp.Or(shortCommit(p.Commit), document.None)), p.Runs,
			document.Plain(fmt.Sprintf("%d/%d", p.Passes, p.Passes+p.Failures)), document.Plain(figure.Optional(p.Value,
				h.write)))
		if p.Low != nil && p.High != nil {
			interval = figure.Interval(h.write(*p.Low), h.write(*p.High))
			row.Span = &document.Span{Low: *p.Low, High: *p.High, Estimate: p.Value, Unmarked: true}
		}
		row.Cells = append(row.Cells, document.Plain(interval), document.Cell{})
	}
	t.List(latestInText, func(int) string { return fmt.Sprintf("and %d before", len(r.Points)-latestInText) })
	if len(r.Points) > latestPoints {
		t.Note = fmt.Sprintf("The last %d of %s; the others are in the drawing and in the saved result.", latestPoints,
			prose.Count(len(r.Points), "point"))
	}
	h.d.Table(t)
}

// variation says what more scenarios or more trials would tell.
func (h *historian) variation(c *document.Case) {
	if buildVariation(h.d, h.r.Variation) {
		c.Facts = append(c.Facts, number("intraclass_correlation", *h.r.Variation.Correlation))
	}
}
