package testreports

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

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
	in      *record.Input
	xml     *xml.Decoder
	limited *record.Limited
	// depth is the number of elements that are open.
	depth  int
	suites []junitSuite // from the outermost inwards
}

// junitSuite is a suite that is open.
type junitSuite struct {
	name       string
	attributes []attribute // with those of the suites around it
}

// deepest is how deep elements may nest: far deeper than any tool writes.
// It is chosen. The decoder of encoding/xml keeps all open elements.
const deepest = 64

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
	source := &record.Limited{Source: in.Text, Limit: in.Options.MaxLineBytes}
	r := &junit{in: in, xml: xml.NewDecoder(source), limited: source}
	r.xml.CharsetReader = refuseCharset
	for {
		token, err := r.next()
		if err == io.EOF {
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
				r.suites = r.suites[:len(r.suites)-1]
			}
		}
	}
}

// start reads what begins with an element outside of a testcase.
// Other elements, such as properties and system-out, are passed through.
func (r *junit) start(e xml.StartElement) error {
	name := e.Name.Local
	isSuite := name == "testsuite" || name == "testsuites"
	// HTML and other XML are refused before they read as a file without tests.
	if r.depth == 1 && !isSuite {
		return r.problem("the root element is "+name+", not testsuites or testsuite", "is this JUnit XML?")
	}
	switch {
	case isSuite:
		suite := junitSuite{name: attr(e, "name")}
		if n := len(r.suites); n > 0 {
			suite.attributes = r.suites[n-1].attributes
		}
		r.suites = append(r.suites, suite)
	case name == "property":
		a, err := r.property(e)
		suite := &r.suites[len(r.suites)-1]
		// The capacity is cut, so that a suite does not write into the list of the one around it.
		suite.attributes = append(suite.attributes[:len(suite.attributes):len(suite.attributes)], a)
		return err
	case name == "testcase":
		return r.testcase(e)
	}
	return nil
}

// next returns the next token, and keeps count of the depth.
func (r *junit) next() (xml.Token, error) {
	// The limit is that of one token: an attribute or a text.
	r.limited.Next()
	token, err := r.xml.Token()
	switch token.(type) {
	case xml.StartElement:
		if r.depth++; r.depth > deepest {
			return nil, r.problem(fmt.Sprintf("elements are nested more than %d deep", deepest), "")
		}
	case xml.EndElement:
		r.depth--
	}
	// token is valid until the next call.
	if err == nil || err == io.EOF {
		return token, err
	}
	return nil, r.syntax(err)
}

// property reads a property to its end. Its value is an attribute or its text.
func (r *junit) property(e xml.StartElement) (attribute, error) {
	text, err := r.text()
	if value := attr(e, "value"); value != "" {
		text = value
	}
	return attribute{name: attr(e, "name"), text: strings.TrimSpace(text)}, err
}

// text reads to the end of the element, and returns its text.
// Elements inside are left out, their text is not; a long text is cut at what is kept.
func (r *junit) text() (string, error) {
	var b strings.Builder
	for depth := 1; depth > 0; {
		token, err := r.next()
		if err == io.EOF {
			err = r.syntax(io.ErrUnexpectedEOF)
		}
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if b.Len() < record.LongestMessage {
				b.Write(e)
			}
		}
	}
	return b.String(), nil
}

// attr returns an attribute of an element, "" if it has none, whatever its namespace.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// place is where the decoder is.
func (r *junit) place() trial.Place {
	line, column := r.xml.InputPos()
	return trial.Place{File: r.in.File, Line: line, Column: column}
}

// problem is an error about what the file says, at the place of the decoder.
func (r *junit) problem(problem, hint string) error {
	return &trial.SyntaxError{Place: r.place(), Problem: problem, Advice: hint}
}

// syntax turns an error of the XML decoder into one with a place.
// The errors of encoding/xml are told from those of the limits and of the file itself.
func (r *junit) syntax(err error) error {
	if errors.Is(err, record.ErrLong) {
		line, _ := r.xml.InputPos()
		return r.in.TooLong("element", line)
	}
	if file, ok := errors.AsType[*trial.FileError](err); ok {
		return file
	}
	place := r.in.Place(r.place().Line)
	e := &trial.SyntaxError{Place: place, Problem: "not valid XML: " + err.Error()}
	if s, ok := errors.AsType[*xml.SyntaxError](err); ok {
		e.Line, e.Problem = s.Line, "not valid XML: "+s.Msg
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(e.Problem, "unexpected EOF") {
		e.Problem = "the XML ends inside an element"
		e.Advice = "it seems to be cut off: was the program that wrote it stopped?"
	}
	if charset, ok := errors.AsType[charsetError](err); ok {
		e.Problem, e.Advice = charset.Error(), "convert the file to UTF-8"
	}
	return e
}

// charsetError is an encoding that is not read.
// It is the name of the encoding.
type charsetError string

func (e charsetError) Error() string { return "the XML is declared to be " + string(e) + ", not UTF-8" }

// refuseCharset is asked for any encoding but UTF-8. ASCII is UTF-8; to guess at the others
// would garble names of tests.
func refuseCharset(charset string, text io.Reader) (io.Reader, error) {
	if strings.EqualFold(charset, "us-ascii") {
		return text, nil
	}
	return nil, charsetError(charset)
}
