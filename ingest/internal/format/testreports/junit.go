package testreports

import (
	"cmp"
	"encoding/xml"
	"io"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// junit is a JUnit XML file that is being read. Testsuites may nest.
// There is no standard; this is what pytest, Maven Surefire, gotestsum and others share:
//
//	<testsuites><testsuite name="booking"><properties><property name="commit" value="c9e1346"/></properties>
//	  <testcase classname="evals.booking" name="refund" time="1.5"><failure message="reward 0 &lt; 1"/></testcase>
//	</testsuite></testsuites>
//
// The file is read token by token, in constant memory but for one testcase.
type junit struct {
	*xmlReport
	suites  []junitSuite    // from the outermost inwards
	bailing bool            // Vitest wrote it, and a test failed: it may have stopped there
	ginkgo  bool            // Ginkgo wrote it
	groups  map[string]bool // of tests of Vitest, with their files; nil where another tool wrote it
	hasID   bool            // its root has one, as that of Playwright has
	isTap   bool            // node-tap wrote it
	// isForgiving says that doctest 2.4, Catch2 2.13 or Meson 1.0 wrote it, which have tests that should have failed as
	// passed; doctest and Meson also those that took too long (findings/*-junit.sh).
	isForgiving bool
	numbered    numberedTests
}

// junitSuite is a suite that is open.
type junitSuite struct {
	name       string
	group      string      // of tests, within those around it, where its attributes are those that node --test writes
	attributes []attribute // with those of the suites around it
	// held are the testcases of a suite of pytest, which counts tests of them: see [junit.handOutHeld].
	held       []*testcase
	tests      trial.Optional[int]
	isUnittest bool // unittest-xml-reporting wrote it
	declared   int  // failures or errors, by its own count
	isListed   bool // it holds something else than passes
}

// JUnit decodes JUnit XML.
var JUnit = record.Decoder{
	Read:  readJUnit,
	Empty: "holds no testcase", Hint: "did the tests run?",
}

// readJUnit makes a trial of every testcase, and of every run of it that the tool
// repeated. A failure is a fail, an error an infrastructure error; a skipped test
// is no trial. A document type declaration is passed over and its entities are
// not resolved.
func readJUnit(in *record.Input) error {
	r := &junit{xmlReport: newXMLReport(in), numbered: numberedTests{}}
	for {
		token, err := r.next()
		if err == io.EOF {
			r.numbered.note(in.Notes)
			return nil
		}
		if err != nil {
			return err
		}
		switch e := token.(type) {
		case xml.StartElement:
			if err := r.start(e); err != nil {
				return err
			}
		case xml.EndElement:
			if e.Name.Local == "testsuite" || e.Name.Local == "testsuites" {
				if err := r.end(&r.suites[len(r.suites)-1]); err != nil {
					return err
				}
				r.suites = r.suites[:len(r.suites)-1]
			}
		}
	}
}

// end ends a suite. One that counts failures, and holds passes alone, is an error: what failed is not known. Counts
// that only differ say nothing, for Bun 1.4 counts the tests behind a hook that failed, and lists the hook.
func (r *junit) end(suite *junitSuite) error {
	if err := r.handOutHeld(suite); err != nil {
		return err
	}
	if suite.declared > 0 && !suite.isListed {
		suite.isListed = true
		err := r.handOut(&testcase{
			place: r.place(), scenario: cmp.Or(suite.name, "suite"), outcome: trial.Error, cause: unlisted(suite.declared),
		})
		if err != nil {
			return err
		}
	}
	if n := len(r.suites); n > 1 && suite.isListed {
		r.suites[n-2].isListed = true
	}
	return nil
}

// isMeson reports whether an element is the root as Meson writes it, which has no name and no time.
func isMeson(e xml.StartElement) bool {
	return len(e.Attr) == 3 && e.Attr[0].Name.Local == "tests" && e.Attr[1].Name.Local == "errors" &&
		e.Attr[2].Name.Local == "failures"
}

// start reads what begins with an element outside of a testcase.
// Other elements, such as properties and system-out, are passed through.
func (r *junit) start(e xml.StartElement) error {
	name := e.Name.Local
	isSuite := name == "testsuite" || name == "testsuites"
	if r.depth == 1 && !isSuite {
		return r.checkRoot(e, "JUnit XML", "testsuites", "testsuite")
	}
	switch {
	case isSuite:
		if r.depth == 1 {
			failures := attr(e, "failures")
			r.hasID = slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "id" })
			if attr(e, "name") == "vitest tests" {
				r.groups = map[string]bool{}
			}
			r.isTap = attr(e, "name") == "TAP Tests"
			r.bailing = r.groups != nil && failures != "" && failures != "0"
		}
		suite := junitSuite{name: attr(e, "name")}
		suite.declared = max(record.WholeNumber(attr(e, "failures")).Value, record.WholeNumber(attr(e, "errors")).Value)
		r.isForgiving = r.isForgiving || attr(e, "doctest_version") != "" || attr(e, "hostname") == "tbd" ||
			isMeson(e)
		if attr(e, "disabled") != "" && attr(e, "hostname") != "" {
			suite.group = suite.name
		}
		if suite.name == "pytest" {
			suite.tests = record.WholeNumber(attr(e, "tests"))
		}
		if n := len(r.suites); n > 0 {
			suite.attributes = r.suites[n-1].attributes
			if suite.group != "" {
				suite.group = joined(r.suites[n-1].group, suite.group)
			}
		}
		r.suites = append(r.suites, suite)
	case name == "property":
		a, err := r.property(e)
		r.ginkgo = r.ginkgo || a.name == "FlakeAttempts"
		suite := &r.suites[len(r.suites)-1]
		// The capacity is cut, so that a suite does not write into the list of the one around it.
		suite.attributes = append(suite.attributes[:len(suite.attributes):len(suite.attributes)], a)
		return err
	case name == "testcase":
		return r.testcase(e)
	case name == "error": // of busted 2.1, around tests, which are not in the report then
		cause, err := r.cause(e, trial.InfrastructureOrigin)
		if err != nil {
			return err
		}
		r.suites[len(r.suites)-1].isListed = true
		return r.handOut(&testcase{
			place: r.place(), scenario: cmp.Or(r.suites[len(r.suites)-1].name, "suite"), outcome: trial.Error, cause: cause,
		})
	}
	return nil
}
