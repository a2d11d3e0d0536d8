package testreports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// event is a line of go test -json (go doc test2json).
// A line is such as
//
//	{"Time":"2026-02-26T09:25:37Z","Action":"run","Package":"example.com/agent","Test":"TestBooking/case/0"}
//
// Elapsed is in seconds, nil where there is none. ImportPath and FailedBuild name builds,
// Key and Value an attribute that t.Attr set (Go 1.25).
type event struct {
	Time        string
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Elapsed     *float64
	Output      string
	FailedBuild string
	Key, Value  string
}

// goTest is the state of the packages and tests that are running.
// line is the number of the line that is read.
type goTest struct {
	in       *record.Input
	line     int
	packages map[string]*goPackage
	builds   map[string]string // output of builds, by import path
	held     []*heldTrial      // in the order of the file, until it is known whether they are new
}

// heldTrial is a trial of a package whose result may come from the test cache: go test says so behind all of its tests.
type heldTrial struct {
	*trial.Trial
	pack      *goPackage
	isSettled bool // it is known whether it is cached
	isCached  bool
}

// goPackage is a package between its first event and its end. Packages run at once, so that
// their events are mixed.
type goPackage struct {
	running map[string]*goTestRun
	ended   int             // tests
	fell    bool            // one of them failed, or did not end
	said    string          // what it printed outside of its tests, without the last word on them
	limit   string          // how long it was given, where it ran out of time
	listing bool            // it names the tests that ran then
	hanging []string        // their names
	names   map[string]bool // of the tests that ended
	isNew   bool            // a test failed or ended twice, which is never cached
}

// goTestRun is a test between its run and its end.
// line is that of the run event. attributes are those that hold for the test: its own, and
// what it takes over from the test around it.
type goTestRun struct {
	line       int
	started    trial.Timestamp
	attributes []attribute
	isParent   bool // has subtests
	childFell  bool // one of them failed
	logged     string
	panicked   string // the line that says so
}

// goLog is the beginning of what t.Error, t.Fatal and t.Log print; what else they print is indented further.
var goLog = lazy.Regexp(`^    \S.*\.go:[0-9]+: `)

// keep keeps what a test logged, and the first line of a panic: why it failed, if it does. What it prints otherwise is
// not told from that of its neighbours.
func (t *goTestRun) keep(output string) {
	switch {
	case strings.HasPrefix(output, "panic: ") && t.panicked == "":
		t.panicked = output
	case len(t.logged) >= record.LongestMessage:
	case goLog().MatchString(output), t.logged != "" && strings.HasPrefix(output, "        "):
		t.logged += strings.TrimLeft(output, " ")
	}
}

// GoTest decodes go test -json.
var GoTest = record.Decoder{
	Read:  readGoTest,
	Empty: "holds no test that ran", Hint: "did the tests run? A package without tests has none",
}

// readGoTest makes a trial of every run of a test without subtests. A test that
// began and did not end, and a package that does not build, reached no verdict.
// Lines are read by hand: unlike other formats, one that is not an event is often what the
// program under test printed, and only one that is cut off is an error.
func readGoTest(in *record.Input) error {
	g := &goTest{in: in, packages: map[string]*goPackage{}, builds: map[string]string{}}
	err := in.EachLine(func(text []byte, line int) error {
		g.line = line
		return g.readLine(text)
	})
	if err != nil {
		return err
	}
	return g.endAll()
}

// readLine reads a line, which may be one that another program printed.
func (g *goTest) readLine(line []byte) error {
	var e event
	err := json.Unmarshal(line, &e)
	switch {
	// An event begins so; anything else that is no JSON is of another program.
	case err != nil && (bytes.HasPrefix(line, []byte(`{"Time":`)) || bytes.HasPrefix(line, []byte(`{"ImportPath":`))):
		return &trial.SyntaxError{
			Place: g.in.Place(g.line), Problem: "not a whole event of go test -json: " + err.Error(),
			Advice: "it seems to be cut off: was the program that wrote it stopped?",
		}
	case err != nil || e.Action == "":
		g.in.Notes.Pass("lines of other programs")
		return nil
	// The compiler's words, kept for the package that fails for them.
	case e.Action == "build-output":
		if len(g.builds[e.ImportPath]) < record.LongestMessage {
			g.builds[e.ImportPath] += e.Output
		}
		return nil
	// Events without a test are the package's own.
	case e.Test == "":
		return g.packageEvent(&e)
	}
	return g.testEvent(&e)
}

// testEvent follows a test from its run to its end.
func (g *goTest) testEvent(e *event) error {
	p := g.pack(e.Package)
	switch e.Action {
	case "output":
		p.heed(e.Output)
		if t := p.running[e.Test]; t != nil {
			t.keep(e.Output)
		}
	case "run":
		t := &goTestRun{line: g.line}
		if _, err := trial.Timestamp(e.Time).Time(); err == nil {
			t.started = trial.Timestamp(e.Time)
		}
		// A test with subtests is a group of trials: what was said of it holds for each of them.
		if parent := p.parent(e.Test); parent != nil {
			parent.isParent = true
			t.attributes = inherited(parent.attributes)
		}
		p.running[e.Test] = t
	case "attr":
		if t := p.running[e.Test]; t != nil {
			t.attributes = append(t.attributes, attribute{name: e.Key, text: e.Value})
		}
	// A benchmark that printed something and did not fail ends so.
	case "bench":
		p.ended++
		delete(p.running, e.Test)
		g.in.Notes.Pass(record.Benchmark)
	case "pass", "fail", "skip":
		return g.end(p, e)
	}
	return nil
}

// end hands out the trial of a test that ended, if it has no subtests.
func (g *goTest) end(p *goPackage, e *event) error {
	t := p.running[e.Test]
	if t == nil {
		t = &goTestRun{line: g.line} // its run was not recorded
	}
	delete(p.running, e.Test)
	p.ended++
	p.fell = p.fell || e.Action == "fail"
	p.isNew = p.isNew || p.fell || p.names[e.Test]
	p.names[e.Test] = true
	// go test fails a parent with its subtest; that is the subtest's failure alone.
	if parent := p.parent(e.Test); parent != nil && e.Action == "fail" {
		parent.childFell = true
	}
	switch {
	case e.Action == "skip":
		g.in.Notes.Pass(record.SkippedTest)
		return nil
	case t.isParent && (e.Action != "fail" || t.childFell):
		return nil // its subtests are the trials
	}
	x := g.trial(e.Package, e.Test, t)
	x.Outcome = trial.Pass
	switch {
	// Its subtests passed, each a trial: that their parent failed by itself is not to be lost.
	case t.isParent:
		x.Outcome = trial.Error
		message := failedAlone
		if said := strings.TrimSpace(cmp.Or(t.panicked, t.logged)); said != "" {
			message += ": " + said
		}
		x.Error = record.NewCause("subtests", message)
	case e.Action == "fail":
		x.Outcome, x.Error = trial.Fail, failure("", strings.TrimSpace(cmp.Or(t.panicked, t.logged)))
	}
	if e.Elapsed != nil {
		x.DurationSeconds = trial.Some(*e.Elapsed)
	}
	return g.handOut(p, x, t.attributes)
}

// trial begins the trial of a test, or of a package where test is "".
func (g *goTest) trial(pack, test string, t *goTestRun) *trial.Trial {
	scenario := pack
	if pack != "" && test != "" {
		scenario += "."
	}
	return &trial.Trial{Scenario: record.Shared(scenario + test), StartedAt: t.started, Place: g.in.Place(t.line)}
}

// handOut hands out a trial with its attributes, once it is known to be new. It gets the next number of its scenario:
// runs of -count have the same name.
func (g *goTest) handOut(p *goPackage, x *trial.Trial, attributes []attribute) error {
	if err := annotate(x, attributes); err != nil {
		return err
	}
	g.held = append(g.held, &heldTrial{Trial: x, pack: p})
	return g.release()
}

// settle says whether the trials of a package that are held come from the test cache.
func (g *goTest) settle(p *goPackage, areCached bool) error {
	for _, h := range g.held {
		if h.pack == p && !h.isSettled {
			h.isSettled, h.isCached = true, areCached
		}
	}
	return g.release()
}

// release hands out the trials before the first one that may be cached. A cached one is none.
func (g *goTest) release() error {
	for len(g.held) > 0 && (g.held[0].isSettled || g.held[0].pack.isNew) {
		h := g.held[0]
		g.held = g.held[1:]
		if h.isCached {
			g.in.Notes.Pass("cached results")
			g.in.Notes.Remark(cachedResult)
		} else if err := g.in.Emit(h.Trial, true); err != nil {
			return err
		}
	}
	return nil
}

// pack returns the state of a package, which begins with its first event.
func (g *goTest) pack(name string) *goPackage {
	p := g.packages[name]
	if p == nil {
		p = &goPackage{running: map[string]*goTestRun{}, names: map[string]bool{}}
		g.packages[name] = p
	}
	return p
}

// parent returns the test that a subtest belongs to. The name of a subtest may
// itself hold slashes.
func (p *goPackage) parent(test string) *goTestRun {
	for {
		i := strings.LastIndexByte(test, '/')
		if i < 0 {
			return nil
		}
		test = test[:i]
		if t := p.running[test]; t != nil {
			return t
		}
	}
}

// cachedResult says why results of the test cache are left out.
const cachedResult = "a result of the test cache repeats an earlier run and is no trial: use -count=1"

// failedAlone is said of a test that failed by itself.
const failedAlone = "the test failed, and none of its subtests did"

// IsGoTest reports whether an object with these names is an event of go test.
func IsGoTest(names []string) bool {
	has := func(name string) bool { return slices.Contains(names, name) }
	return has("Action") && (has("Package") || has("ImportPath"))
}
