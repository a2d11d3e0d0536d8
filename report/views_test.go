package report

import (
	"io"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

func planText(w io.Writer, p *plan.Plan, o Options) error { return Write(w, p, TextFormat, o) }

func planCompare(w io.Writer, p *plan.Plan, o Options) error {
	o.Compare = true
	return Write(w, p, TextFormat, o)
}

// planChart writes the boundaries of a plan alone.
func planChart(w io.Writer, p *plan.Plan, o Options) error {
	o.Chart = true
	d, err := newDocument(p, o.detail(TextFormat))
	if err != nil {
		return err
	}
	page := newPage(d.Detail.Width, o)
	for _, path := range d.Paths() {
		page.parts([]document.Part{path})
	}
	return page.flush(w)
}
