package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/html"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Format is a form in which a result can be written.
type Format uint8

// The formats of results.
const (
	TextFormat Format = iota
	JSONFormat
	markdownFormat    // for the comment of a pull request
	summaryFormat     // Markdown for the summary of a step
	jUnitFormat       // JUnit XML
	goTestFormat      // events of go test -json
	HTMLFormat        // one file to look at
	AnnotationsFormat // workflow commands of GitHub Actions
	outputsFormat     // values for GITHUB_OUTPUT
	metricsFormat     // what trials took, in the shape of an agent's file of metrics
)

// Document is what a command shows that is no result: lines and tables, and the value that is its JSON.
//
//	d := new(report.Document).Listing("tribunal/prices/v1", "prices", list)
//	t := d.NewTable("Prices", "model", ">input", ">output").Names(12, "model")
//	t.Add("acme-1", 1, 2)
//	err := report.TextFormat.Document(os.Stdout, d, report.Options{})
type Document = document.Document

// formats are all formats by their value: a new one is a row here. The JSON of a result is the result itself, every
// other format is written from its document.
var formats = [...]struct {
	name  string
	write func(w io.Writer, d *document.Document, o Options) error
}{
	TextFormat:        {"text", writeText},
	JSONFormat:        {"json", writeValue},
	markdownFormat:    {"markdown", writeMarkdown},
	summaryFormat:     {"summary", writeSummary},
	jUnitFormat:       {"junit", writeJUnit},
	goTestFormat:      {"gotest", writeGoTest},
	HTMLFormat:        {"html", writeHTML},
	AnnotationsFormat: {"annotations", writeAnnotations},
	outputsFormat:     {"outputs", writeOutputs},
	metricsFormat:     {"metrics", writeMetrics},
}

// String returns the format's name, such as "junit".
func (f Format) String() string {
	if int(f) < len(formats) {
		return formats[f].name
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// Formats are all formats.
func Formats() []Format {
	list := make([]Format, len(formats))
	for i := range list {
		list[i] = Format(i)
	}
	return list
}

// Options say how a result is written. The zero value is plain text for a log, and what
// is usual in the other formats.
type Options struct {
	Width  int  // columns of the text; 0 means 80, less than 40 means 40
	Colour bool // the text has ANSI colour sequences
	ASCII  bool // the text has no box or block characters and no ellipsis character
	// Rows is how many scenarios, clauses or lines of a list the text shows at most. 0
	// means 20; 8 of a comparison's scenarios, and 6 lines of what is not covered.
	Rows    int
	Explain bool // the text of a gate shows every rule, its outcome and its evidence
	Compare bool // the text of a plan sets its tests side by side
	Chart   bool // the text of a plan ends with its boundaries
	// Rest says how a reader gets to see what is left out, by the option that shows it:
	// "Rows", "Clauses", "Explain" or "JSON". It goes behind "and 12 more", such as
	// ", which the option Rows lists"; nil says nothing. Of "Trial NAME" it is how that trial is run again, of "Resume"
	// how a run is continued, of "Continue" how that is whose recording is judged, and of "Record TRIALS FILE" and
	// "Baseline TRIALS NAME" how a baseline is recorded.
	Rest func(option string) string

	Subject string // what was judged, such as a file, for the heading of a result that does not know; "" is not known
	// Links stand above a page of HTML, as those of a server around it; nil is none.
	Links []Link
	// Bytes is how large Markdown may be: 0 means 64,000, and less than 4,000 means 4,000.
	// A summary has up to 1,000,000.
	Bytes int
	// InconclusiveFails makes an Inconclusive case of JUnit XML a failure; otherwise it is
	// skipped, unless the result's exit code takes Inconclusive for Fail.
	InconclusiveFails bool
	// Random is where the delimiters of outputs come from; nil is crypto/rand.
	Random io.Reader
}

// Link leads from a page to another one.
type Link = document.Link

// The width of the text: 80 columns is what a log and most terminals have; below 40
// the labels and the narrowest tables no longer fit. Twenty rows is chosen: a list
// that is seen without scrolling.
const (
	defaultWidth = 80
	leastWidth   = 40
	defaultRows  = 20
)

// detail is how much the document of a format says in its text.
func (o Options) detail(f Format) document.Detail {
	// All other formats show everything, so what shortens the text has no effect on
	// them: the same result gives the same file, whatever the terminal is. Only how
	// to see what is left out is passed on.
	if f != TextFormat {
		o = Options{Rest: o.Rest, Subject: o.Subject}
	}
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	d := document.Detail{
		Width: max(o.Width, leastWidth), Ellipsis: "…", ASCII: o.ASCII, Rows: max(o.Rows, 0),
		Explain: o.Explain, Compare: o.Compare, Chart: o.Chart, Rest: o.Rest, Subject: o.Subject,
	}
	if o.ASCII {
		d.Ellipsis = "..."
	}
	return d
}

// errNoResult is returned where there is no result to report.
var errNoResult = errors.New("no result to report")

// Write writes a result in a format. The text has no line that is wider than the options
// say, and every error of the writer is returned.
func Write(w io.Writer, result verdict.Result, f Format, o Options) error {
	if int(f) >= len(formats) {
		return fmt.Errorf("there is no format %v of results", f)
	}
	if f == JSONFormat {
		return JSON(w, result)
	}
	d, err := f.Build(result, o)
	if err != nil {
		return err
	}
	return f.Document(w, d, o)
}

// Build makes the document of a result, as [Write] writes it, for who adds to it or shows a part of it.
func (f Format) Build(result verdict.Result, o Options) (*Document, error) {
	return newDocument(result, o.detail(f))
}

// Document writes what is no result in the format, as [Write] does a result.
func (f Format) Document(w io.Writer, d *Document, o Options) error {
	d.Detail, d.Links = o.detail(f), o.Links
	return formats[f].write(w, d, o)
}

// writeValue writes the JSON of a document.
func writeValue(w io.Writer, d *document.Document, _ Options) error { return JSON(w, d.Value) }

// writeHTML writes a document as a page.
func writeHTML(w io.Writer, d *document.Document, _ Options) error {
	text, err := html.Page(d)
	if err != nil {
		return err
	}
	return write(w, text)
}

// more says how many are left out, and how they are seen with the option.
func more(d *document.Document, left int, option string) string {
	text := fmt.Sprintf("and %d more", left)
	if d.Detail.Rest != nil {
		text += d.Detail.Rest(option)
	}
	return text
}
