package testreports

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// TAP decodes the Test Anything Protocol, versions 12 to 14.
var TAP = record.Decoder{Read: readTAP, Empty: "holds no test", Hint: "did the tests run?"}

// tap is a text in the Test Anything Protocol that is being read.
//
//	TAP version 14
//	1..2
//	# Subtest: booking
//	    ok 1 - seat
//	    not ok 2 - refund
//	      ---
//	      duration_ms: 7
//	      error: '1 == 2'
//	      ...
//	    1..2
//	not ok 1 - booking
//	ok 2 - meal # SKIP no key
//
// A test with subtests stands after them, and gives them its name; Vitest and others write it
// before, with a brace. The results of subtests wait for that name: nothing else is held.
type tap struct {
	in     *record.Input
	line   int
	file   string // that prove names before the tests of it; "" is the only one
	levels []*tapLevel
	last   *report  // the test that what follows may say more of; nil: nothing
	note   *tapNote // of the test that was last; nil: there is none
	plans  bool     // a plan was seen
}

// tapLevel is a sequence of tests: the whole, or the subtests of one.
type tapLevel struct {
	subtest string    // its name as a comment announces it
	plan    int       // how many tests there are to be; -1 is not known
	planned int       // the line of the plan
	ran     int       // how many there were
	braced  *report   // the test whose brace is open; nil where none is
	results []*report // that wait for the name of the test around them
}

// The lines of the protocol, without what they are indented by.
var (
	tapTest    = lazy.Regexp(`^(not )?ok\b(?:[ \t]+(\d{1,9}))?(?:[ \t]+(.*))?$`)
	tapPlan    = lazy.Regexp(`^1\.\.(\d{1,9})[ \t]*(?:#[ \t]*(.*))?$`)
	tapVersion = lazy.Regexp(`^TAP [vV]ersion \d+$`)
	tapFile    = lazy.Regexp(`^(\S*[./]\S*) \.\.+$`) // as prove -v writes it
	tapBrace   = lazy.Regexp(`[ \t]*\{$`)
)

// BeginsTAP reports whether a line says that the protocol follows.
func BeginsTAP(line []byte) bool { return tapVersion().Match(bytes.TrimSpace(line)) }

// IsTAP reports whether a line is one that hardly anything else has: it says that the protocol
// follows, is a plan, or a test with a number.
func IsTAP(line []byte) bool {
	line = bytes.TrimSpace(line)
	m := tapTest().FindSubmatch(line)
	return BeginsTAP(line) || tapPlan().Match(line) || m != nil && m[2] != nil
}

// readTAP makes a trial of every test without subtests. Those that are to be skipped or to be
// written are none. What a plan announces and does not come, and a run that is given up, are
// errors; so is a test with subtests that failed although none of them did.
func readTAP(in *record.Input) error {
	t := &tap{in: in}
	t.begin("")
	err := in.EachWholeLine(func(whole []byte, line int) error {
		t.line = line
		return t.read(strings.TrimRight(string(whole), " \t"))
	})
	if err != nil {
		return err
	}
	return t.end()
}

// begin begins a sequence of tests, of a file if prove names one.
func (t *tap) begin(file string) {
	t.file, t.levels, t.last, t.note = file, []*tapLevel{{plan: -1}}, nil, nil
}

// read reads a line.
func (t *tap) read(line string) error {
	text := strings.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	if t.note.takes(line, indent) {
		return nil
	}
	level := indent / 4
	if text == "}" {
		return t.closeBrace(level)
	}
	isAligned := indent%4 == 0 && level <= min(len(t.levels), deepest)
	switch m := tapTest().FindStringSubmatch(text); {
	case isAligned && m != nil && !(t.file != "" && text == "ok"): // with which prove ends a file
		return t.test(level, m[1] == "", record.WholeNumber(m[2]).Value, m[3])
	case isAligned && tapPlan().MatchString(text):
		return t.plan(level, tapPlan().FindStringSubmatch(text))
	case strings.HasPrefix(text, "Bail out!"):
		return t.bailOut(strings.TrimSpace(text[len("Bail out!"):]))
	case indent == 0 && tapVersion().MatchString(text):
		return t.next("")
	case isAligned && strings.HasPrefix(text, "# Subtest"):
		_, name, _ := strings.Cut(text, ":")
		t.level(level).subtest = unescaped(strings.TrimSpace(name))
		t.last = nil
		return nil
	case indent == 0 && tapFile().MatchString(text):
		return t.next(tapFile().FindStringSubmatch(text)[1])
	}
	t.note = t.note.begin(t.last, line, indent)
	return nil
}

// level returns a sequence, which begins if it was not there.
func (t *tap) level(depth int) *tapLevel {
	for len(t.levels) <= depth {
		t.levels = append(t.levels, &tapLevel{plan: -1})
	}
	return t.levels[depth]
}

// next ends the sequence of all tests and begins another, unless this one has not begun.
func (t *tap) next(file string) error {
	if err := t.end(); err != nil {
		return err
	}
	t.begin(file)
	return nil
}

// plan takes in how many tests there are to be. A second plan is that of another sequence.
func (t *tap) plan(depth int, m []string) error {
	if depth == 0 && t.levels[0].plan >= 0 {
		if err := t.next(t.file); err != nil {
			return err
		}
	}
	l := t.level(depth)
	l.plan, l.planned, t.plans = record.WholeNumber(m[1]).Value, t.line, true
	if depth == 0 && l.plan == 0 {
		t.in.Notes.Pass("files whose tests are all skipped")
	}
	t.last = nil
	return nil
}

// test takes in a test. One with the number 1 begins another sequence where there was a test.
func (t *tap) test(depth int, passed bool, number int, text string) error {
	if depth == 0 && number == 1 && t.levels[0].ran > 0 && t.levels[0].braced == nil {
		if err := t.next(t.file); err != nil {
			return err
		}
	}
	if err := t.flush(); err != nil {
		return err
	}
	l := t.level(depth)
	l.ran++
	r, braced := tapReport(text)
	r.line, r.outcome = t.line, trial.Fail
	if passed {
		r.outcome = trial.Pass
	}
	// One that was expected to fail is ok where it did.
	if r.expected && passed {
		r.omission = expectedFailure
	}
	if r.name == "" {
		r.name = fmt.Sprintf("test %d", max(number, l.ran))
	}
	t.last = r
	if braced {
		l.braced = r
		t.level(depth + 1)
		return nil
	}
	// What was indented deeper are its subtests.
	t.adopt(depth, r)
	return nil
}

// adopt puts the subtests of a test in the place of it, below its name, or the test itself.
func (t *tap) adopt(depth int, r *report) {
	for len(t.levels) > depth+2 {
		t.abandon()
	}
	l := t.levels[depth]
	if len(t.levels) <= depth+1 || t.levels[depth+1].ran == 0 {
		t.levels = t.levels[:depth+1]
		l.results = append(l.results, r)
		return
	}
	inner := t.levels[depth+1]
	t.levels = t.levels[:depth+1]
	l.results = append(l.results, t.within(r.name, inner, r)...)
}

// within returns the results of subtests below the name of the test around them, which is nil
// where it did not come. A test that failed by itself, as by a plan that was not kept or by a hook, is
// a result of its own: an error.
func (t *tap) within(name string, inner *tapLevel, around *report) []*report {
	fell := false
	for _, r := range inner.results {
		r.name = joined(name, r.name)
		fell = fell || r.omission == "" && r.outcome != trial.Pass
		if around != nil && around.omission != "" {
			r.omission = around.omission
		}
	}
	results := inner.results
	missing := inner.missing()
	if around != nil && around.omission == "" && around.outcome == trial.Fail && !fell && missing == "" {
		missing = failedAlone
	}
	if missing == "" {
		return results
	}
	if around == nil {
		around = &report{name: name, line: inner.planned}
	}
	around.outcome, around.cause = trial.Error, broken("subtests", missing)
	return append(results, around)
}

// missing says what the plan announced and did not come, "" if nothing.
func (l *tapLevel) missing() string {
	if l.plan <= l.ran {
		return ""
	}
	return fmt.Sprintf("the plan announces %s, and %d ran", prose.Count(l.plan, "test"), l.ran)
}

// closeBrace ends the subtests of a test that stands before them.
func (t *tap) closeBrace(depth int) error {
	if err := t.flush(); err != nil || depth >= len(t.levels) || t.levels[depth].braced == nil {
		return err
	}
	l := t.levels[depth]
	r := l.braced
	l.braced, t.last = nil, nil
	t.adopt(depth, r)
	return nil
}

// abandon ends the innermost subtests without the test around them, under the name that a
// comment or a brace announced.
func (t *tap) abandon() {
	depth := len(t.levels) - 1
	inner, outer := t.levels[depth], t.levels[depth-1]
	name := outer.subtest
	if outer.braced != nil {
		name = outer.braced.name
	}
	if name == "" {
		name = "unknown test"
	}
	t.levels = t.levels[:depth]
	outer.braced = nil
	outer.results = append(outer.results, t.within(name, inner, nil)...)
}

// flush hands out the tests of the outermost sequence that nothing more is said of.
func (t *tap) flush() error {
	t.note.finish()
	t.note, t.last = nil, nil
	results := t.levels[0].results
	t.levels[0].results = nil
	for _, r := range results {
		r.name = joined(t.file, r.name)
		if err := r.handOut(t.in); err != nil {
			return err
		}
	}
	return nil
}

// bailOut ends the run, which was given up.
func (t *tap) bailOut(reason string) error {
	for len(t.levels) > 1 {
		t.abandon()
	}
	l := t.levels[0]
	l.results = append(l.results, &report{line: t.line, outcome: trial.Error, cause: broken("bail out", reason),
		name: t.ownName()})
	l.plan, t.plans = -1, true // it does not count any more
	return t.flush()
}

// ownName is the scenario of what is wrong with the run as a whole.
func (t *tap) ownName() string {
	if t.file != "" {
		return ""
	}
	return record.FileScenario(t.in.File)
}

// end ends the sequence of all tests.
func (t *tap) end() error {
	for len(t.levels) > 1 {
		t.abandon()
	}
	l := t.levels[0]
	if missing := l.missing(); missing != "" {
		l.results = append(l.results, &report{name: t.ownName(), line: l.planned, outcome: trial.Error,
			cause: broken("plan", missing)})
	}
	if l.ran > 0 && l.plan < 0 && !t.plans {
		t.in.Notes.Remark("there is no plan: whether tests are missing is not known")
	}
	if l.plan >= 0 && l.ran > l.plan && l.plan > 0 {
		t.in.Notes.Remark("more tests ran than the plan announces")
	}
	return t.flush()
}
