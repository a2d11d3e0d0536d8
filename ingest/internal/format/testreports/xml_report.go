package testreports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// xmlReport is an XML file that is being read, token by token: in constant memory but for one
// element. A document type declaration is passed over and its entities are not resolved, and
// characters that XML forbids are left out.
type xmlReport struct {
	in      *record.Input
	xml     *xml.Decoder
	limited *record.LimitedReader
	depth   int // the number of elements that are open
	deepest int // how many may be
}

// deepest is how deep elements may nest: far deeper than any tool writes.
// It is chosen. The decoder of encoding/xml keeps all open elements.
const deepest = 64

// newXMLReport begins to read a file. The limit of a line is that of one token here.
func newXMLReport(in *record.Input) *xmlReport {
	source := &record.LimitedReader{Source: newXMLText(in.Text), Limit: in.Options.MaxLineBytes}
	r := &xmlReport{in: in, xml: xml.NewDecoder(source), limited: source, deepest: deepest}
	r.xml.CharsetReader = refuseCharset
	return r
}

// root reads the beginning of the root element, which is to be one of the names: other XML is
// refused before it reads as a file without tests.
func (r *xmlReport) root(format string, names ...string) (xml.StartElement, error) {
	for {
		token, err := r.next()
		if err == io.EOF {
			err = r.syntax(io.ErrUnexpectedEOF)
		}
		if err != nil {
			return xml.StartElement{}, err
		}
		if e, ok := token.(xml.StartElement); ok {
			return e, r.checkRoot(e, format, names...)
		}
	}
}

// RootOf returns the name of the root element of the beginning of an XML file, "" if it cannot be seen.
func RootOf(text []byte) string {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = refuseCharset
	for {
		token, err := d.RawToken()
		if err != nil {
			return ""
		}
		if e, ok := token.(xml.StartElement); ok {
			return e.Name.Local
		}
	}
}

// checkRoot refuses a root element that is not one of the names.
func (r *xmlReport) checkRoot(e xml.StartElement, format string, names ...string) error {
	if slices.Contains(names, e.Name.Local) {
		return nil
	}
	return r.problem("the root element is "+e.Name.Local+", not "+strings.Join(names, " or "), "is this "+format+"?")
}

// rest reads what follows the root element: nothing but comments, or it is no XML.
func (r *xmlReport) rest() error {
	for {
		if _, err := r.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// next returns the next token, and keeps count of the depth.
func (r *xmlReport) next() (xml.Token, error) {
	// The limit is that of one token: an attribute or a text.
	r.limited.Next()
	token, err := r.xml.Token()
	switch token.(type) {
	case xml.StartElement:
		if r.depth++; r.depth > r.deepest {
			return nil, r.problem(fmt.Sprintf("elements are nested more than %d deep", r.deepest), "")
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
func (r *xmlReport) property(e xml.StartElement) (attribute, error) {
	text, err := r.text()
	if value := attr(e, "value"); value != "" {
		text = value
	}
	return attribute{name: attr(e, "name"), text: strings.TrimSpace(text)}, err
}

// children hands out the elements inside the one that is open, up to its end. Each has to be read
// to its own end: by text, where nothing is wanted of it.
func (r *xmlReport) children(read func(e xml.StartElement) error) error {
	for {
		token, err := r.next()
		if err == io.EOF {
			err = r.syntax(io.ErrUnexpectedEOF)
		}
		if err != nil {
			return err
		}
		switch e := token.(type) {
		case xml.StartElement:
			if err := read(e); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// text reads to the end of the element, and returns its text.
// Elements inside are left out, their text is not; a long text is cut at what is kept.
func (r *xmlReport) text() (string, error) {
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
func (r *xmlReport) place() trial.Place {
	line, column := r.xml.InputPos()
	return trial.Place{File: r.in.File, Line: line, Column: column}
}

// problem is an error about what the file says, at the place of the decoder.
func (r *xmlReport) problem(problem, hint string) error {
	return &trial.SyntaxError{Place: r.place(), Problem: problem, Advice: hint}
}

// syntax turns an error of the XML decoder into one with a place.
// The errors of encoding/xml are told from those of the limits and of the file itself.
func (r *xmlReport) syntax(err error) error {
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
