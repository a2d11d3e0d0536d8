package faults

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/bench"
)

// Page implements [bench.Report].
func (r *Result) Page() bench.Page {
	t := bench.Table{
		Title: "Faults that suites find, by thirds of their coverage, and Spearman's correlation of both",
		Columns: []bench.Column{
			{Header: "more", Words: true}, {Header: "faults", Words: true}, {Header: "least"}, {Header: "middle"},
			{Header: "most"}, {Header: "rho"}, {Header: "low"}, {Header: "high"}, {Header: "p"}, {Header: "shuffled"},
			{Header: "p"},
		},
	}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word(row.Design), bench.Word(row.Faults), bench.Number(row.Found[0], 1),
			bench.Number(row.Found[1], 1), bench.Number(row.Found[2], 1), bench.Number(row.Rho, 2),
			bench.Number(row.Low, 2), bench.Number(row.High, 2), probability(row.P), bench.Number(row.ShuffledRho, 2),
			probability(row.ShuffledP),
		})
	}
	return bench.Page{
		Title:  "Do suites that cover more find more faults?",
		Tables: []bench.Table{t},
		Notes: []string{fmt.Sprintf("Simulated: %d agents with %d faults each and %d suites of each agent: of more and more "+
			"trials (size), and of 30 trials each with more and more tools, limits and models (breadth). Half of the faults "+
			"are at what coverage counts (seen): a tool, a tool after another, a limit, a tool on "+
			"a model. The others are at a value among many, at tools apart from each other, in long tasks (unseen). rho is the "+
			"mean over agents of the correlation within each, low and high its 95%% interval; p is one-sided, of permutations "+
			"within agents. Shuffled: with the coverage of another suite.", r.Agents, r.Faults, r.Suites)},
	}
}

// probability is a p-value, of which there is none below one in the number of permutations.
func probability(p float64) bench.Cell {
	c := bench.Number(p, 3)
	if p < 0.001 {
		c.Text = "<.001"
	}
	return c
}

// Records implements [bench.Report].
func (r *Result) Records() bench.Table {
	t := bench.Table{Columns: []bench.Column{
		{Name: "design", Words: true}, {Name: "faults", Words: true}, {Name: "found_least"}, {Name: "found_middle"},
		{Name: "found_most"}, {Name: "rho"}, {Name: "low"}, {Name: "high"}, {Name: "p"}, {Name: "shuffled_rho"},
		{Name: "shuffled_p"},
	}}
	for _, row := range r.Rows {
		cells := []bench.Cell{bench.Word(row.Design), bench.Word(row.Faults)}
		for _, x := range []float64{
			row.Found[0], row.Found[1], row.Found[2], row.Rho, row.Low, row.High, row.P, row.ShuffledRho, row.ShuffledP,
		} {
			cells = append(cells, bench.Number(x, 4))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
