package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// runAxes is what trials have on the axes of the suite: of a test alone a line for each axis, of several a row for each
// test, and on pages the evidence of every trial.
func runAxes(d *document.Document, r *runs.Result) {
	scored := slices.IndexFunc(r.Tests, func(t runs.Test) bool { return len(t.Axes) > 0 })
	if scored < 0 {
		return
	}
	if len(r.Tests) == 1 {
		oneTestsAxes(d, r.Tests[0].Axes)
	} else {
		axesTable(d, r, r.Tests[scored].Axes)
	}
	axesEvidence(d, r)
}

// axesTable is the mean of each axis in each test, and the sum.
func axesTable(d *document.Document, r *runs.Result, axes []score.Series) {
	columns := []string{"scenario"}
	for _, s := range axes {
		columns = append(columns, fmt.Sprintf(">%s of %s", s.Name, points(s.Max)))
	}
	t := &document.Table{
		Title: "Points by axis", Rank: rankMembers,
		Note: "Means of the trials whose points are known. Axes are tested one by one, and the sum never alone.",
	}
	t.Columns = document.Columns(append(columns, ">sum")...)
	for i := range r.Tests {
		test := &r.Tests[i]
		cells := []any{document.Name(safe.Name(test.Name))}
		for _, s := range axes {
			cells = append(cells, meanOf(test.Axes, s.Name))
		}
		t.Add(append(cells, sumOf(test.Axes))...)
	}
	d.Table(t)
}

// meanOf is the mean of an axis as a cell has it; "-" is not known.
func meanOf(axes []score.Series, name string) string {
	for _, s := range axes {
		if s.Name == name && s.Mean != nil {
			return points(*s.Mean)
		}
	}
	return "-"
}

// sumOf is the sum of the means, where all are known.
func sumOf(axes []score.Series) string {
	sum := 0.0
	for _, s := range axes {
		if s.Mean == nil {
			return "-"
		}
		sum += *s.Mean
	}
	if len(axes) == 0 {
		return "-"
	}
	return points(sum)
}

// oneTestsAxes is a row for each axis of a test that stands alone, and their sum.
func oneTestsAxes(d *document.Document, axes []score.Series) {
	t := &document.Table{
		Title: "Points by axis", Rank: rankMembers,
		Columns: document.Columns("axis", ">points", ">of", ">95% interval", ">gated", ">not known"),
	}
	most := 0.0
	for _, s := range axes {
		interval := ""
		if i := s.Interval; i != nil {
			interval = points(i.Low) + " to " + points(i.High)
		}
		t.Add(document.Name(safe.Name(s.Name)), meanOf(axes, s.Name), points(s.Max), interval, s.Gated, s.Unknown)
		most += s.Max
	}
	if len(axes) > 1 {
		t.Add(document.Name("sum, never tested alone"), sumOf(axes), points(most), "", "", "")
	}
	d.Table(t)
}

// points are written to a tenth of one.
func points(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// axesEvidence is a row for each axis of each trial that is listed.
func axesEvidence(d *document.Document, r *runs.Result) {
	t := &document.Table{
		Title: "Points of trials", In: document.Pages, Rank: rankPassed, Fold: true,
		Columns: document.Columns("scenario", ">trial", "axis", ">points", "evidence"),
	}
	for _, x := range r.Trials {
		if x.Axes == nil || x.Baseline {
			continue
		}
		for _, a := range x.Axes.Axes {
			has := "-"
			if a.Points != nil {
				has = points(*a.Points)
			}
			t.Add(document.Name(safe.Name(x.Test)), x.Trial, document.Name(safe.Name(a.Name)), has,
				document.Name(safe.Text(evidenceOf(a))))
		}
	}
	d.Table(t)
}

// evidenceOf is why an axis has its points: its own, or that of each part.
func evidenceOf(a score.AxisResult) string {
	var parts []string
	for _, p := range a.Parts {
		level := "not known"
		if p.Level != nil {
			level = fmt.Sprintf("%s of %s", points(*p.Level), points(p.Max))
		}
		parts = append(parts, fmt.Sprintf("%s: %s, %s", p.Name, level, p.Text))
	}
	if len(parts) == 0 {
		return a.Text
	}
	return strings.Join(parts, "; ")
}
