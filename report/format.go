package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/html"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/history"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
	"github.com/tribunal-dev/tribunal/verdict/race"
	"github.com/tribunal-dev/tribunal/verdict/rank"
	"github.com/tribunal-dev/tribunal/verdict/relations"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// Format is a form in which a result can be written.
type Format uint8

// The formats of results.
const (
	TextFormat Format = iota
	JSONFormat
	MarkdownFormat    // for the comment of a pull request
	SummaryFormat     // Markdown for the summary of a step
	JUnitFormat       // JUnit XML
	GoTestFormat      // events of go test -json
	HTMLFormat        // one file to look at
	AnnotationsFormat // workflow commands of GitHub Actions
	OutputsFormat     // values for GITHUB_OUTPUT
	MetricsFormat     // what trials took, in the shape of an agent's file of metrics
)

// formats are all formats by their value: a new one is a row here. JSON is the result
// itself and metrics are figures of it, every other is written from its document.
var formats = [...]struct {
	name  string
	write func(w io.Writer, d *document.Document, o Options) error
}{
	TextFormat:        {"text", writeText},
	JSONFormat:        {"json", nil},
	MarkdownFormat:    {"markdown", writeMarkdown},
	SummaryFormat:     {"summary", writeSummary},
	JUnitFormat:       {"junit", writeJUnit},
	GoTestFormat:      {"gotest", writeGoTest},
	HTMLFormat:        {"html", writeHTML},
	AnnotationsFormat: {"annotations", writeAnnotations},
	OutputsFormat:     {"outputs", writeOutputs},
	MetricsFormat:     {"metrics", nil},
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
	// ", which the option Rows lists"; nil says nothing.
	Rest func(option string) string

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
		o = Options{Rest: o.Rest}
	}
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	d := document.Detail{
		Width: max(o.Width, leastWidth), Ellipsis: "…", ASCII: o.ASCII, Rows: max(o.Rows, 0),
		Explain: o.Explain, Compare: o.Compare, Chart: o.Chart, Rest: o.Rest,
	}
	if o.ASCII {
		d.Ellipsis = "..."
	}
	return d
}

// ErrNoResult is returned where there is no result to report.
var ErrNoResult = errors.New("no result to report")

// Write writes a result in a format. The text has no line that is wider than the options
// say, and every error of the writer is returned.
func Write(w io.Writer, result verdict.Result, f Format, o Options) error {
	if int(f) >= len(formats) {
		return fmt.Errorf("there is no format %v of results", f)
	}
	if f == JSONFormat {
		return JSON(w, result)
	}
	d, err := newDocument(result, o.detail(f))
	if err != nil {
		return err
	}
	if f == MetricsFormat {
		return writeMetrics(w, result)
	}
	d.Links = o.Links
	return writeDocument(w, d, f, o)
}

// writeDocument writes a document in one of the formats that are written from one.
func writeDocument(w io.Writer, d *document.Document, f Format, o Options) error {
	return formats[f].write(w, d, o)
}

// writeHTML writes a document as a page.
func writeHTML(w io.Writer, d *document.Document, _ Options) error {
	text, err := html.Page(d)
	if err != nil {
		return err
	}
	return write(w, text)
}

// newDocument builds the document of a result of any kind.
func newDocument(result verdict.Result, detail document.Detail) (*document.Document, error) {
	d := &document.Document{Detail: detail}
	// An interface that holds a nil pointer is not nil: built refuses it, and the two
	// cases with a pointer of their own inside look at that as well.
	switch r := result.(type) {
	case nil:
		return nil, ErrNoResult
	case *runs.Result:
		return built(d, r, buildRun)
	case *gate.Result:
		if r != nil {
			if over, _ := r.Over(); over == nil {
				return nil, ErrNoResult
			}
		}
		return built(d, r, buildGate)
	case *verdict.ThresholdResult:
		return built(d, r, buildThreshold)
	case *compare.Result:
		return built(d, r, buildComparison)
	case *compare.Ends:
		return built(d, r, buildEnds)
	case *compare.Anytime:
		return built(d, r, buildAnytime)
	case *proxy.Comparison:
		return built(d, r, buildProxy)
	case *sequential.Result:
		return built(d, r, buildSequential)
	case *behaviour.Result:
		if r != nil && r.Behaviour == nil {
			return nil, ErrNoResult
		}
		return built(d, r, buildBehaviour)
	case *plan.Plan:
		return built(d, r, buildPlan)
	case *plan.Against:
		return built(d, r, buildAgainst)
	case *plan.Sizes:
		return built(d, r, buildSizes)
	case *plan.Behaviour:
		return built(d, r, buildBehaviourPlan)
	case *plan.Suite:
		return built(d, r, buildSuitePlan)
	case *compliance.Result:
		return built(d, r, buildContract)
	case *mutants.Result:
		return built(d, r, buildMutation)
	case *mutants.Checks:
		return built(d, r, buildChecks)
	case *race.Result:
		if r != nil && r.Run == nil {
			return nil, ErrNoResult
		}
		return built(d, r, buildRace)
	case *relations.Result:
		return built(d, r, buildRelations)
	case *improvement.Result:
		return built(d, r, buildImprovement)
	case *rank.Result:
		return built(d, r, buildRank)
	case *plan.Forecast:
		return built(d, r, buildForecast)
	case *history.Result:
		return built(d, r, buildHistory)
	case *verdict.Coverage:
		return built(d, r, buildCoverage)
	}
	return nil, fmt.Errorf("there is no report of a %T", result)
}

// built fills the document with a builder, unless there is no result to build it
// from.
func built[R any](d *document.Document, r *R, build func(*document.Document, *R)) (*document.Document, error) {
	if r == nil {
		return nil, ErrNoResult
	}
	build(d, r)
	return d, nil
}

// more says how many are left out, and how they are seen with the option.
func more(d *document.Document, left int, option string) string {
	text := fmt.Sprintf("and %d more", left)
	if d.Detail.Rest != nil {
		text += d.Detail.Rest(option)
	}
	return text
}
