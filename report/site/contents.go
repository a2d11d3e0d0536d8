package site

import (
	"html/template"
	"time"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/html"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Content is what a page shows: one of the types of this file.
type Content interface{ template() string }

// Link leads to another page.
type Link struct{ Title, URL string }

// Suite is a suite with its latest runs.
type Suite struct {
	store.SuiteRuns
	Latest []store.Run // the newest first
}

// Suites lists the suites of a store.
type Suites struct {
	List  []Suite
	Kinds []Link // to the runs of other kinds, such as mutation tests; nil is none
	Newer string // address of the suites before; "" is none
	Older string // address of the suites after; "" is none
}

// Runs lists runs, the newest first.
type Runs struct {
	Filter Filter
	Suites []string // to choose from
	List   []store.Run
	Newer  string // address of the runs before; "" is none
	Older  string // address of the runs after; "" is none
}

// Run shows one run.
type Run struct {
	Run       *store.Run
	Tallies   []store.Tally
	More      int        // tallies that there is no room for
	Before    *store.Run // the one before it of its suite; nil is none
	Baselines []string   // names of those that hold it
	Report    bool       // the store has a result that can be shown
}

// Choice chooses the runs of a comparison.
type Choice struct {
	Baseline, Candidate string // as far as they are chosen
	Problem, Hint       string // why they are not compared; "" is nothing
	List                []store.Run
}

// Traces lists trials that were searched for.
type Traces struct {
	Filter Filter
	Suites []string // to choose from
	List   []store.KeptTrial
	Looked int    // trials that were looked at
	On     string // address where the search goes on; "" where there is no more
}

// Trace shows a trial step by step.
type Trace struct {
	Kept          *store.KeptTrial
	Input, Output string
	Steps         []html.Step
	From          int    // number of the first step
	On            string // address of the steps after; "" is none
	Before, Next  string // addresses of the trials beside it; "" is none
	Facts         []Fact
}

// Fact is a named value.
type Fact struct{ Name, Value string }

// NewStep makes the texts of a step safe.
func NewStep(s runs.Step) html.Step { return html.NewStep(s) }

// Indented is JSON in lines, unless it is short or none.
func Indented(text string) string { return html.Indented(text) }

// History shows the rates of a suite over its runs.
type History struct {
	Filter   Filter
	Suites   []string    // to choose from
	Versions []Link      // to the history of each; nil where there is one
	Metrics  []Link      // to where each changed, over all runs
	List     []store.Run // the newest first
	More     bool        // there are earlier ones, for which there is no room
}

// Baselines lists the baselines of a store.
type Baselines struct {
	List []Baseline
	More int // for which there is no room
}

// Baseline is a baseline with what it comes to.
type Baseline struct {
	store.Baseline
	Sums    store.Sums       // of its runs
	Missing int              // of its runs, those that are not in the store
	Old     bool             // it is older than its policy allows
	Earlier []store.Baseline // the revisions before, the last one first
}

// LiveRun shows a run in progress.
type LiveRun struct {
	Name    string // of the journal
	Events  string // address of its events
	State   State
	Problem string // why it cannot be read; "" is nothing
}

// State is where a run stands.
type State struct {
	Tests    []Test // those that a person would ask about first
	More     int    // tests that there is no room for
	Decided  int    // tests
	Failed   int    // tests
	All      int    // tests
	Ended    int    // trials
	Running  int    // trials
	CostUSD  float64
	Tokens   int64
	Elapsed  time.Duration // by the last trial that ended
	Left     string        // how long it still takes, for a person; "" is not known
	Quiet    time.Duration // since something was heard
	Finished bool          // all tests are decided
}

// Test is where one test of a run stands.
type Test struct {
	Name                     string
	Outcome                  string // pass, fail, inconclusive or spared; "" where it goes on
	Passes, Failures, Errors int    // of the trials that ended
	BaselinePasses           int    // of a test in rounds: of the baseline's side
	BaselineTrials           int    // likewise
	Running                  int    // trials
	Most                     int    // trials of the test; 0 is not known
	Outcomes                 string // in the order of launch, P, F and E, of the last ones
	Share                    *float64
}

// Problem says why there is nothing to show.
type Problem struct{ Text, Hint string }

func (Suites) template() string    { return "suites" }
func (Runs) template() string      { return "runs" }
func (Run) template() string       { return "run" }
func (Choice) template() string    { return "choice" }
func (Traces) template() string    { return "traces" }
func (Trace) template() string     { return "trace" }
func (History) template() string   { return "history" }
func (Baselines) template() string { return "baselines" }
func (LiveRun) template() string   { return "live" }
func (Problem) template() string   { return "problem" }

// sums are those of all parts of a run.
func sums(r store.Run) (all store.Sums) {
	for _, p := range r.Parts {
		all.Plus(p.Sums)
	}
	return all
}

// Spark are the pass rates of a suite's latest runs.
func (s Suite) Spark() template.HTML {
	var rates []float64
	for i := len(s.Latest) - 1; i >= 0; i-- {
		if x := sums(s.Latest[i]); x.Passes+x.Failures > 0 {
			rates = append(rates, float64(x.Passes)/float64(x.Passes+x.Failures))
		}
	}
	return html.Sparkline(rates)
}

// chartFigure is a drawing with what it shows.
type chartFigure struct {
	Chart   template.HTML
	Caption string
}

// Figure draws the rates of the runs; there is none of no run.
func (h History) Figure() *chartFigure {
	var points []document.SeriesPoint
	for i := len(h.List) - 1; i >= 0; i-- {
		r := h.List[i]
		x := sums(r)
		low, high, ok := interval(x)
		if !ok {
			continue
		}
		rate := float64(x.Passes) / float64(x.Passes+x.Failures)
		points = append(points, document.SeriesPoint{Value: &rate, Low: &low, High: &high,
			Label: when(r.Started) + commitOf(r) + ": " + seen(x)})
	}
	if len(points) == 0 {
		return nil
	}
	var f chartFigure
	f.Chart, f.Caption = html.RateSeries(points, when(h.List[len(h.List)-1].Started), when(h.List[0].Started))
	return &f
}
