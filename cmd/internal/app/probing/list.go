package probing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
)

// mutantsSchema names the JSON form of the list, and of a mutant that is shown.
const mutantsSchema = "tribunal/mutants/v1"

// mutantForm is a mutant as JSON.
type mutantForm struct {
	ID         string               `json:"id"`
	Key        string               `json:"key"`
	Operator   string               `json:"operator"`
	Class      mutation.Class       `json:"class"`
	Severity   mutation.Severity    `json:"severity"`
	Category   string               `json:"category"`
	Components []mutation.Component `json:"components"`
	Site       string               `json:"site"`
	Line       int                  `json:"line,omitempty"` // of the prompt
	EndOfLine  int                  `json:"end_line,omitempty"`
	Tool       string               `json:"tool,omitempty"`
	Parameter  string               `json:"parameter,omitempty"`
	Document   int                  `json:"document,omitempty"` // of the context
	Parts      []string             `json:"parts,omitempty"`    // of a composed one, their IDs
	Diff       string               `json:"diff,omitempty"`     // of one that is shown
}

func formOf(m mutation.Mutant) mutantForm {
	form := mutantForm{
		ID: m.ID, Key: m.Key, Operator: m.Operator, Class: m.Class, Severity: m.Severity, Category: m.Category,
		Components: m.Components(), Site: m.Site.String(), Line: m.Site.Line, EndOfLine: m.Site.EndOfLine,
		Tool: m.Site.Tool, Parameter: m.Site.Parameter, Document: m.Site.Segment,
	}
	for _, p := range m.Parts {
		form.Parts = append(form.Parts, p.ID)
	}
	return form
}

// listed prints mutants.
func (r *MutateRequest) listed(ctx context.Context, a *world.World, s *suite.Suite, mutants []mutation.Mutant) error {
	forms := []mutantForm{}
	for _, m := range mutants {
		forms = append(forms, formOf(m))
	}
	d := new(report.Document).Listing(mutantsSchema, "mutants of "+s.Name, struct {
		Schema  string       `json:"schema"`
		Suite   string       `json:"suite"`
		Seed    uint64       `json:"seed"`
		Mutants []mutantForm `json:"mutants"`
	}{mutantsSchema, s.Name, r.drawn(), forms})
	listMutants(d, mutants)
	r.Result.Output = r.Output
	to, err := r.Result.File(ctx, a, []string{s.File})
	if err != nil {
		return err
	}
	return r.Result.Show(ctx, a, to, d)
}

// listMutants is a table of mutants, and how many there are of each class.
func listMutants(d *report.Document, mutants []mutation.Mutant) {
	if len(mutants) == 0 {
		d.Headline = "no mutants: nothing of the configuration is changed by these operators"
		return
	}
	t := d.NewTable("Mutants", "mutant", "operator", "severity", "site").Names(16, "operator").Names(20, "site")
	var classes []mutation.Class
	counts := map[mutation.Class]int{}
	for _, m := range mutants {
		t.Add(m.ID, m.Operator, m.Severity, m.Site)
		if counts[m.Class] == 0 {
			classes = append(classes, m.Class)
		}
		counts[m.Class]++
	}
	var parts []string
	for _, c := range classes {
		parts = append(parts, fmt.Sprintf("%s %d", c, counts[c]))
	}
	d.Break()
	d.Below(t, "%s: %s", prose.Count(len(mutants), "mutant"), strings.Join(parts, ", "))
}

// shown prints what a mutant is and changes.
func (r *MutateRequest) shown(
	ctx context.Context, a *world.World, base mutation.Configuration, o mutation.Options,
) error {
	m, err := r.find(ctx, base, o)
	if err != nil {
		return err
	}
	changed, err := m.Apply(base)
	if err != nil {
		return problem.BadInput(m.ID+": "+err.Error(), "its parts change the same thing: omit one of them")
	}
	diff := mutation.Diff(base, changed)
	if r.Result.JSON {
		form := formOf(m)
		form.Diff = diff
		return report.JSON(a.Out, struct {
			Schema string `json:"schema"`
			Seed   uint64 `json:"seed"`
			mutantForm
		}{mutantsSchema, r.drawn(), form})
	}
	_, err = fmt.Fprintf(a.Out, "%s\n\n%s", strings.Join(aboutMutant(m), "\n"), printableLines(diff))
	return err
}

// aboutMutant says what a mutant is.
func aboutMutant(m mutation.Mutant) (lines []string) {
	lines = []string{fmt.Sprintf("%s  %s, %s", m.ID, m.Operator, m.Severity)}
	parts := m.Parts
	if parts == nil {
		parts = []mutation.Mutant{m}
	}
	for _, p := range parts {
		all := mutation.Operators()
		if i := slices.IndexFunc(all, func(o mutation.Operator) bool { return o.Name == p.Operator }); i >= 0 {
			lines = append(lines, "  "+all[i].Summary)
			if all[i].Paper != "" {
				lines = append(lines, "  "+all[i].Paper)
			}
		}
		lines = append(lines, "  "+p.Site.String())
	}
	return append(lines, "  key "+m.Key)
}

// printableLines are lines of others, each printable.
func printableLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(prose.Printable(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}
