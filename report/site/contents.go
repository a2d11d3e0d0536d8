package site

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/html"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Content is what a page shows: one of the types of this file.
type Content interface{ template() string }

// Link leads to another page.
type Link struct{ Title, URL string }

// clock is when a page is written: times on it are so long ago.
type clock struct{ Now time.Time }

// Ago says how long ago something was; "" is not known.
func (c clock) Ago(at time.Time) template.HTML {
	if at.IsZero() || c.Now.Before(at) {
		return ""
	}
	return template.HTML(` <span class="note">` + phrase.Ago(c.Now.Sub(at)) + "</span>")
}

// Suite is a suite with its latest runs, without experiments.
type Suite struct {
	store.SuiteRuns
	Latest []store.Run // the newest first
	// Verdict is that of the latest run that was judged; "" is none. Where it is not Pass:
	Verdict string
	Kind    string     // the command that gave it
	Failing int        // runs that were judged since the last Pass, none of which passed
	Since   *store.Run // the first of them
	Passed  *store.Run // the last Pass; nil is not known
	More    bool       // there are more runs before Since than were looked at
	Judged  string     // the ID of the latest of them
	Why     *Why       // of that one; nil is not known
}

// Why says why a run did not pass.
type Why struct {
	Headline string // of its result; "" is not known
	Findings []document.Finding
	Left     int                         // findings that there is no room for
	shown    map[string]*store.KeptTrial // the first trials of causes, by their names
}

// About is the headline, unless a finding says it.
func (w *Why) About() string {
	for _, f := range w.Findings {
		if strings.HasSuffix(w.Headline, f.Sentence) {
			return ""
		}
	}
	return w.Headline
}

// Lead remembers, of trials that failed, the first one of the first cause of each finding.
func (w *Why) Lead(trials []store.KeptTrial) {
	w.shown = map[string]*store.KeptTrial{}
	for _, f := range w.Findings {
		if len(f.Causes) > 0 && len(f.Causes[0].Trials) > 0 {
			w.shown[f.Causes[0].Trials[0]] = nil
		}
	}
	for i := range trials {
		if t := trials[i].Trial; t.Index.Known {
			name := safe.TrialName(t.Scenario, int(t.Index.Value))
			if _, wanted := w.shown[name]; wanted {
				w.shown[name] = &trials[i]
			}
		}
	}
}

// Trial is the first trial of a cause; nil is not known.
func (w *Why) Trial(c document.Cause) *store.KeptTrial {
	if len(c.Trials) == 0 {
		return nil
	}
	return w.shown[c.Trials[0]]
}

// Take reads it from the document of the result.
func (w *Why) Take(d *document.Document) {
	const most = 3 // of a suite on the first page. Chosen: a person mends one at a time
	w.Headline = strings.TrimPrefix(d.Headline, safe.Text(d.Subject)+": ")
	w.Findings = d.Findings[:min(len(d.Findings), most)]
	w.Left = len(d.Findings) - len(w.Findings)
}

// Count reads it from what the trials of scenarios came to, the worst first, where there is no document.
func (w *Why) Count(tallies []store.Tally) {
	const most = 3
	for _, t := range tallies {
		if t.Failures+t.Errors > 0 && len(w.Findings) < most {
			w.Findings = append(w.Findings, document.Finding{Name: t.Scenario, Sentence: seen(t.Sums)})
		}
	}
}

// Suites is the first page: the suites of a store, those that do not pass first, and the latest runs of all.
type Suites struct {
	clock
	List   []Suite
	Latest []store.Run // of all suites, the newest first
	Kinds  []Link      // to the runs of other kinds, such as mutation tests; nil is none
	Newer  string      // address of the suites before; "" is none
	Older  string      // address of the suites after; "" is none
}

// Runs lists runs, the newest first.
type Runs struct {
	clock
	Filter Filter
	Suites []string // to choose from
	List   []store.Run
	Newer  string // address of the runs before; "" is none
	Older  string // address of the runs after; "" is none
}

// Run shows one run that has no result which could be shown in its place.
type Run struct {
	clock
	Run       *store.Run
	Problem   string // why its result cannot be shown; "" where it has none
	Tallies   []store.Tally
	More      int        // tallies that there is no room for
	Before    *store.Run // the one before it of its suite; nil is none
	Baselines []string   // names of those that hold it
}

// LinkAs leads to the run, and says what it is, when it began, what it came to and of which commit.
func (r Run) LinkAs(what string) Link {
	return Link{what + ", " + when(r.Run.Started) + ", " + about(*r.Run) + commitOf(*r.Run), "/runs/" + r.Run.ID}
}

// Links are those of a run to other pages.
func (r Run) Links() []Link {
	list := []Link{{"Trials of this run", Filter{Run: r.Run.ID}.Address("/traces")}}
	if x := sums(*r.Run); x.Failures > 0 {
		list = append(list, Link{"Trials that failed", Filter{Run: r.Run.ID, Outcome: "fail"}.Address("/traces")})
	}
	if r.Before != nil {
		list = append(list, Link{"Compare with the run before it, " + when(r.Before.Started),
			"/compare?baseline=" + r.Before.ID + "&candidate=" + r.Run.ID})
	}
	if r.Run.Suite != "" {
		f := Filter{Suite: r.Run.Suite}
		list = append(list, Link{"History of the suite", f.Address("/history")},
			Link{"Runs of the suite", f.Address("/runs")})
	}
	return list
}

// Facts are what a store knows of a run beside its result.
func (r Run) Facts() (list []document.Fact) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, document.Fact{Name: name, Value: prose.CutRunes(value, mostFact)})
		}
	}
	run := r.Run
	add("run", run.ID)
	add("suite", run.Suite)
	add("agent version", versions(*run))
	add("branch", run.Branch)
	add("commit", run.Commit)
	add("build", run.Build)
	for _, text := range run.Changed {
		add("changed of the agent", text)
	}
	add("digest of the task", run.Task)
	add("digest of the agent", run.Agent)
	add("began", when(run.Started))
	add("added", when(run.Added))
	for _, name := range slices.Sorted(maps.Keys(run.Labels)) {
		add("label "+name, run.Labels[name])
	}
	for _, name := range r.Baselines {
		add("baseline", name)
	}
	return list
}

// mostFact bounds a fact, in characters.
const mostFact = 500

// Choice chooses the runs of a comparison.
type Choice struct {
	clock
	Baseline, Candidate string // as far as they are chosen
	Problem, Hint       string // why they are not compared; "" is nothing
	List                []store.Run
}

// Traces lists trials that were searched for.
type Traces struct {
	clock
	Filter Filter
	Suites []string // to choose from
	List   []store.KeptTrial
	Looked int    // trials that were looked at
	On     string // address where the search goes on; "" where there is no more
}

// Trace shows a trial: why it did not pass, and what happened step by step.
type Trace struct {
	clock
	Kept          *store.KeptTrial
	Why           string            // it did not pass; "" is not known, or that it passed
	Judgement     *oracle.Judgement // nil is not known
	Points        *score.Trial      // on the axes of its suite; nil is none
	Input, Output string
	Steps         []html.Step
	From          int    // number of the first step
	On            string // address of the steps after; "" is none
	Before, Next  string // addresses of the trials beside it; "" is none
}

// AddStep adds a step, whose texts it makes safe.
func (t *Trace) AddStep(s runs.Step) { t.Steps = append(t.Steps, html.NewStep(s)) }

// Facts are those of the trial that are known, as people write them.
func (t *Trace) Facts() (list []document.Fact) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, document.Fact{Name: name, Value: prose.CutRunes(value, mostFact)})
		}
	}
	k, x := t.Kept, t.Kept.Trial
	amount := func(name string, known bool, value float64, write func(float64) string) {
		if known {
			add(name, write(value))
		}
	}
	add("trial", k.ID.String())
	add("scenario", x.Scenario)
	add("version", x.Variant)
	add("suite", k.Suite)
	began := string(x.StartedAt)
	if at, err := x.StartedAt.Time(); err == nil && !at.IsZero() {
		began = when(at)
	}
	add("began", began)
	add("model", x.Model)
	amount("score", x.Score.Known, x.Score.Value, figure.Brief)
	amount("cost", x.CostUSD.Known, x.CostUSD.Value, figure.Money)
	amount("time", x.DurationSeconds.Known, x.DurationSeconds.Value, figure.Duration)
	amount("input tokens", x.InputTokens.Known, float64(x.InputTokens.Value), figure.Quantity)
	amount("output tokens", x.OutputTokens.Known, float64(x.OutputTokens.Value), figure.Quantity)
	amount("turns", x.Turns.Known, float64(x.Turns.Value), figure.Quantity)
	amount("tool calls", x.ToolCalls.Known, float64(x.ToolCalls.Value), figure.Quantity)
	const mostTags = 20
	for _, tag := range x.Tags[:min(len(x.Tags), mostTags)] {
		text, _ := x.Tag(tag.Name)
		add("tag "+prose.CutRunes(tag.Name, 60), text)
	}
	return list
}

// Message is that of the error of the trial, unless it stands in why the trial did not pass; "" is none.
func (t *Trace) Message() string {
	e := t.Kept.Trial.Error
	if e == nil || strings.Contains(t.Why, e.Message) {
		return ""
	}
	return e.Message
}

// Evaluators are what the evaluators found.
func (t *Trace) Evaluators() []html.Evaluator {
	if t.Judgement == nil {
		return nil
	}
	return html.NewEvaluators(t.Judgement.Results)
}

// Indented is JSON in lines, unless it is short or none.
func Indented(text string) string { return html.Indented(text) }

// History shows the rates of a suite over its runs.
type History struct {
	clock
	Filter   Filter
	Suites   []string    // to choose from
	Versions []Link      // to the history of each; nil where there is one
	Metrics  []Link      // to where each changed, over all runs
	List     []store.Run // the newest first
	More     bool        // there are earlier ones, for which there is no room
	// Thresholds are the rates that runs had to reach, by the digest of their task.
	Thresholds map[string]float64
}

// Turns reports whether turns are known of any of the runs.
func (h *History) Turns() bool {
	return slices.ContainsFunc(h.List, func(r store.Run) bool { return sums(r).Turns.Known > 0 })
}

// Baselines lists the baselines of a store.
type Baselines struct {
	clock
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
	Tests    []Test                  // those that a person would ask about first
	Together []Question              // of all scenarios; none where each test is a question of its own
	More     int                     // tests that there is no room for
	Decided  int                     // tests
	Failed   int                     // tests
	Open     int                     // tests that ended without a verdict
	All      int                     // tests
	Ended    int                     // trials
	Running  int                     // trials
	CostUSD  trial.Optional[float64] // of those that tell it
	Tokens   trial.Optional[int64]
	Elapsed  time.Duration // by the last trial that ended
	Left     string        // how long it still takes, for a person; "" is not known
	Quiet    time.Duration // since something was heard
	Finished bool          // all tests are decided
	Recorded bool          // no test decides: trials are recorded alone
}

// Question is what all scenarios are asked together.
type Question struct {
	Variant string // of the agent; "" is the only one
	Outcome string // as that of a test
}

// Test is where one test of a run stands.
type Test struct {
	Name                     string
	Outcome                  string // pass, fail, inconclusive, recorded or spared; "" where it goes on
	Passes, Failures, Errors int    // of the trials that ended
	BaselinePasses           int    // of a test in rounds: of the baseline's side
	BaselineTrials           int    // likewise
	Running                  int    // trials
	Most                     int    // trials of the test; 0 is not known
	CostUSD                  trial.Optional[float64]
	Outcomes                 string // in the order of launch, P, F and E, of the last ones
	Share                    *float64
	Why                      string // the last trial that did not pass did not; "" is not known
}

// Problem says why there is nothing to show.
type Problem struct{ Text, Hint string }

func (Suites) template() string    { return "suites" }
func (Runs) template() string      { return "runs" }
func (Run) template() string       { return "run" }
func (Choice) template() string    { return "choice" }
func (Traces) template() string    { return "traces" }
func (*Trace) template() string    { return "trace" }
func (*History) template() string  { return "history" }
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

// Red are the suites that do not pass: those that fail, then those that are undecided.
func (s Suites) Red() (list []Suite) {
	for _, verdict := range []string{"fail", "inconclusive"} {
		for _, x := range s.List {
			if x.Verdict == verdict {
				list = append(list, x)
			}
		}
	}
	return list
}

// Others are the suites that pass, and those that nobody judged.
func (s Suites) Others() []Suite {
	red := func(x Suite) bool { return x.Verdict == "fail" || x.Verdict == "inconclusive" }
	return slices.DeleteFunc(slices.Clone(s.List), red)
}

// Title says how the suites are.
func (s Suites) Title() string {
	counts := map[string]int{}
	for _, x := range s.List {
		counts[x.Verdict]++
	}
	all := prose.Count(len(s.List), "suite")
	if s.Newer != "" || s.Older != "" {
		all = "these " + all
	}
	red := s.Red()
	switch failed, undecided, passed := counts["fail"], counts["inconclusive"], counts["pass"]; {
	case failed+undecided == 1 && len([]rune(red[0].Name)) < 60:
		said := map[string]string{"fail": " fails", "inconclusive": " is undecided", "block": " is blocked",
			"review": " needs review"}
		return red[0].Name + said[decided(red[0].Kind, red[0].Verdict)]
	case failed > 0:
		return fmt.Sprintf("%d of %s %s", failed, all, prose.Form(failed, "fails", "fail"))
	case undecided > 0:
		return fmt.Sprintf("%d of %s %s undecided", undecided, all, prose.Form(undecided, "is", "are"))
	case passed == 1 && len(s.List) == 1:
		return "The suite passes"
	case passed > 0 && passed == len(s.List):
		return "All " + all + " pass"
	case passed > 0:
		return fmt.Sprintf("%d of %s %s, and none fails", passed, all, prose.Form(passed, "passes", "pass"))
	}
	return "Suites"
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
func (h *History) Figure() *chartFigure {
	var points []document.SeriesPoint
	var before *store.Run // that was drawn, and nothing came between
	most := pause(h.List)
	for i := len(h.List) - 1; i >= 0; i-- {
		r := &h.List[i]
		x := sums(*r)
		low, high, ok := interval(x)
		if !ok {
			before = nil
			continue
		}
		rate := float64(x.Passes) / float64(x.Passes+x.Failures)
		p := document.SeriesPoint{Value: &rate, Low: &low, High: &high, Class: verdictClass(r.Verdict),
			Label: when(r.Started) + commitOf(*r) + ": " + seen(x),
			Apart: before == nil || before.Task != r.Task || versions(*before) != versions(*r) ||
				most > 0 && r.Started.Sub(before.Started) > most}
		if mark, known := h.Thresholds[r.Task]; known {
			p.Mark = &mark
		}
		points = append(points, p)
		before = r
	}
	if len(points) == 0 {
		return nil
	}
	var f chartFigure
	f.Chart, f.Caption = html.RateSeries(points, when(h.List[len(h.List)-1].Started), when(h.List[0].Started))
	return &f
}

// pause is for how long no run may begin between two that a line joins: ten times what is usual between these runs, and
// a day at the least; 0 is not known. Chosen.
func pause(list []store.Run) time.Duration {
	var between []time.Duration
	for i := 1; i < len(list); i++ {
		between = append(between, list[i-1].Started.Sub(list[i].Started))
	}
	if len(between) == 0 {
		return 0
	}
	slices.Sort(between)
	return max(10*between[len(between)/2], 24*time.Hour)
}
