package report

import (
	"crypto/rand"
	"io"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
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
)

var formatNames = [...]string{"text", "json", "markdown", "summary", "junit", "gotest", "html", "annotations", "outputs"}

// String returns the format's name, such as "junit".
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return "unknown"
}

// Formats are all formats.
func Formats() []Format {
	list := make([]Format, len(formatNames))
	for i := range list {
		list[i] = Format(i)
	}
	return list
}

// Options say how a result is written in the formats that leave a choice.
type Options struct {
	Text     TextOptions
	Markdown MarkdownOptions
	JUnit    JUnitOptions
}

// Write writes a result, as [verify.Decode] returns it, in a format.
func Write(w io.Writer, result any, f Format, o Options) error {
	switch f {
	case JSONFormat:
		return JSON(w, result)
	case MarkdownFormat:
		return Markdown(w, result, o.Markdown)
	case SummaryFormat:
		return Markdown(w, result, MarkdownOptions{Bytes: SummaryBytes})
	case JUnitFormat:
		return JUnit(w, result, o.JUnit)
	case GoTestFormat:
		return GoTest(w, result)
	case HTMLFormat:
		return HTML(w, result)
	case AnnotationsFormat:
		return Annotations(w, result)
	case OutputsFormat:
		return Outputs(w, result, rand.Reader)
	}
	return Text(w, result, o.Text)
}

// Text writes a result of any kind as text.
func Text(w io.Writer, result any, o TextOptions) error {
	switch r := result.(type) {
	case *runs.Result:
		return Run(w, r, o)
	case *gate.Result:
		return Gate(w, r, o)
	case *verdict.ThresholdResult:
		return Threshold(w, r, o)
	case *compare.Result:
		return Comparison(w, r, o)
	case *sequential.Result:
		return Sequential(w, r, o)
	case *behaviour.Result:
		return Behaviour(w, r, o)
	}
	return &OutlineError{result}
}
