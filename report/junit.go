package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
)

// The elements of JUnit XML: testsuites, which holds one testsuite with a testcase
// for each case. The figures of the statistics are properties, of the suite and of
// each case.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr,omitempty"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	// Open cases, unless an option or the result's exit code makes them failures.
	Skipped    int              `xml:"skipped,attr"`
	Time       string           `xml:"time,attr,omitempty"` // seconds, where they are known
	Properties *junitProperties `xml:"properties"`
	Cases      []junitCase      `xml:"testcase"`
	// The headline, all warnings, and what no case says.
	Output string `xml:"system-out,omitempty"`
}

type junitProperties struct {
	List []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// junitCase has at most one of Failure, Error and Skipped; one that passed has none,
// and tells its figures as output.
type junitCase struct {
	Class      string           `xml:"classname,attr"`
	Name       string           `xml:"name,attr"`
	File       string           `xml:"file,attr,omitempty"` // of the suite, where it is known
	Line       int              `xml:"line,attr,omitempty"` // of the scenario in it
	Time       string           `xml:"time,attr,omitempty"` // seconds that its trials took, where they are known
	Properties *junitProperties `xml:"properties"`
	Failure    *junitProblem    `xml:"failure"`
	Error      *junitProblem    `xml:"error"`
	Skipped    *junitProblem    `xml:"skipped"`
	Output     string           `xml:"system-out,omitempty"`
}

// junitProblem is why a case did not pass: a sentence, and the lines of its details.
type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes a document as JUnit XML: a case for each scenario, with what each criterion of it came to inside.
// Fail is a failure; where the agent could not be run, or errors kept the test from a verdict, it is an error;
// Inconclusive is skipped, or a failure by option; what is quarantined is skipped. The document is XML 1.0 whatever
// names and texts hold.
func writeJUnit(w io.Writer, d *document.Document, o Options) error {
	// The exit code may take Inconclusive for Fail by an option of the judgement. The
	// file must not be greener than the exit code.
	o.InconclusiveFails = o.InconclusiveFails || d.Verdict == verdict.Inconclusive &&
		d.ExitCode == verdict.Fail.ExitCode()
	output := append([]string{d.Said()}, d.Notes...)
	cases := byScenario(d.Cases)
	suite := junitSuite{Name: xmlText(d.Subject), Tests: len(cases), Time: junitTime(d.Seconds),
		Output: xmlText(strings.Join(append(output, besides(d)...), "\n"))}
	facts := []document.Fact{fact("schema", d.Schema)}
	if d.Judged {
		facts = append(facts, fact("verdict", d.Verdict.String()))
	}
	facts = append(facts, count("exit_code", d.ExitCode))
	suite.Properties = properties(append(facts, d.Facts()...))
	for _, criteria := range cases {
		suite.Cases = append(suite.Cases, suite.count(criteria, d.Judged, o))
	}
	// There is one suite: its counts are those of the whole.
	document := junitSuites{
		Name: "tribunal", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Skipped: suite.Skipped,
		Time: suite.Time, Suites: []junitSuite{suite},
	}
	var text bytes.Buffer
	text.WriteString(xml.Header)
	e := xml.NewEncoder(&text)
	e.Indent("", "  ")
	if err := e.Encode(document); err != nil {
		return fmt.Errorf("result cannot be written as XML: %w", err)
	}
	text.WriteByte('\n')
	return write(w, text.Bytes())
}

// junitTime is a time in seconds as JUnit has it; "" where it is not known.
func junitTime(seconds float64) string {
	if !(seconds > 0) {
		return ""
	}
	return strconv.FormatFloat(seconds, 'f', 3, 64)
}

// byScenario are the cases in the order of their scenarios, those of one scenario together. What is of no scenario
// stands alone.
func byScenario(cases []document.Case) (groups [][]*document.Case) {
	places := map[string]int{}
	for i := range cases {
		c := &cases[i]
		at, known := places[c.Scenario]
		if !known || c.Scenario == "" {
			at = len(groups)
			places[c.Scenario] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], c)
	}
	return groups
}

// worse orders statuses: what failed decides over what could not be run, that over what is open, and that over what is
// quarantined.
var worse = map[document.Status]int{
	document.Passed: 0, document.Aside: 1, document.Open: 2, document.Broken: 3, document.Failed: 4,
}

// count makes an element of the criteria of a scenario, and adds it to the counts of the suite. The worst criterion
// says how it ended, the first one of those why.
func (s *junitSuite) count(criteria []*document.Case, judged bool, o Options) junitCase {
	c := criteria[0]
	for _, x := range criteria[1:] {
		if worse[x.Status] > worse[c.Status] {
			c = x
		}
	}
	name := c.Scenario
	switch {
	case name == "":
		name = c.Name
	case !judged && len(criteria) == 1: // what a plan promises is no verdict on a scenario
		name += ": " + c.Name
	}
	j := junitCase{Class: xmlText(s.Name), Name: xmlText(safe.Name(name)), File: xmlText(c.File), Line: c.Line}
	seconds := 0.0
	var lines []string
	told := map[string]bool{} // the lines: trials that did not pass are those of each criterion
	tell := func(line string) { lines, told[line] = append(lines, line), true }
	var facts []document.Fact
	for i, x := range criteria {
		// The first is what the case is about; the others are told by their names.
		prefix := ""
		if i > 0 {
			prefix = x.Name + ": "
		}
		if x != c {
			tell(x.Name + ": " + x.Message)
		}
		for _, line := range x.AllDetails() {
			if !told[line] {
				tell(prefix + line)
			}
		}
		for _, f := range x.AllFacts() {
			facts = append(facts, document.Fact{Name: prefix + f.Name, Value: f.Value})
		}
		seconds += x.Seconds
	}
	j.Time, j.Properties = junitTime(seconds), properties(facts)
	details := xmlText(strings.Join(lines, "\n"))
	problem := &junitProblem{Message: xmlText(c.Message), Text: details}
	switch {
	case c.Status == document.Passed:
		j.Output = xmlText(strings.Join(append([]string{c.Message}, lines...), "\n"))
	case c.Status == document.Failed, c.Status == document.Open && o.InconclusiveFails:
		s.Failures++
		problem.Type = "fail"
		if c.Status == document.Open {
			problem.Type = "inconclusive"
		}
		j.Failure = problem
	case c.Status == document.Broken:
		s.Errors++
		problem.Type = "error"
		j.Error = problem
	default:
		s.Skipped++
		j.Skipped = &junitProblem{Message: problem.Message}
		j.Output = details
	}
	return j
}

// properties are facts as properties; nil, and no element, where there are none.
func properties(facts []document.Fact) *junitProperties {
	if len(facts) == 0 {
		return nil
	}
	p := &junitProperties{}
	for _, f := range facts {
		p.List = append(p.List, junitProperty{xmlText(f.Name), xmlText(f.Value)})
	}
	return p
}

// xmlText makes a text safe: within each line as in a terminal, so that a log that
// prints it does no harm, and without characters that XML 1.0 forbids.
func xmlText(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r == '\t' || r >= ' ' && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r > 0xffff && r <= utf8.MaxRune {
				return r
			}
			return '\ufffd'
		}, safe.Text(line))
	}
	return strings.Join(lines, "\n")
}
