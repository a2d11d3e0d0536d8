package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/bench"
)

// sortedNames are the names of a set in their order.
func sortedNames(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// Page implements [bench.Report].
func (r *Result) Page() bench.Page {
	agents := "simulated agents"
	if r.Agents != "simulated" {
		agents = "the agents of " + r.Agents
	}
	return bench.Page{
		Title: fmt.Sprintf("The experiments of AgentAssay on %s, beside what the paper prints. False alarms at most %g%%.",
			agents, 100*alpha),
		Tables: []bench.Table{r.modelTable(), r.experimentTable(), r.approachTable(),
			r.costTable("Table 6: what a check costs, by model; "+
				"dollars", r.ByModel), r.costTable("Table 7: the same by kind of scenario", r.ByDomain), r.theoremTable()},
		Notes: r.notes(),
	}
}

// words is a column of names.
func words(header string) bench.Column { return bench.Column{Header: header, Words: true} }

// amount is a mean with its standard deviation.
func amount(a Amount, decimals int) bench.Cell {
	if a.Known == 0 {
		return bench.Unknown()
	}
	return bench.Word(fmt.Sprintf("%.*f ± %.*f", decimals, a.Mean, decimals, a.SD))
}

// modelTable is Table 4.
func (r *Result) modelTable() bench.Table {
	t := bench.Table{Title: "Table 4: what a trial takes; in brackets what the paper has", Columns: []bench.Column{
		words("model"), {Header: "trials"}, {Header: "tokens"}, {Header: "(paper)"}, {Header: "seconds"}, {Header: "(paper)"},
	}}
	for _, m := range r.Models {
		row := []bench.Cell{bench.Word(m.Name), bench.Count(m.Trials), amount(m.Tokens, 0), bench.Unknown(),
			amount(m.Seconds, 1), bench.Unknown()}
		if p := m.Paper; p != nil {
			row[3] = bench.Word(fmt.Sprintf("(%.0f ± %.0f)", p.Tokens, p.TokensSD))
			row[5] = bench.Word(fmt.Sprintf("(%.1f ± %.1f)", p.Seconds, p.SD))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// percent is a share of repetitions.
func percent(s Share) bench.Cell {
	p, _ := s.Value()
	return bench.Percent(p, 1)
}

// experimentTable are E1 to E6.
func (r *Result) experimentTable() bench.Table {
	t := bench.Table{Title: "E1 to E6, 50 trials of each model and kind of scenario", Columns: []bench.Column{
		words("experiment"), words("what"), {Header: "share"}, {Header: "of"},
	}}
	for _, e := range r.Experiments {
		for i, f := range e.Found {
			name := ""
			if i == 0 {
				name = e.Name + " " + e.Title
			}
			t.Rows = append(t.Rows, []bench.Cell{bench.Word(name), bench.Word(f.Name), percent(f.Share),
				bench.Count(f.Share.Of)})
		}
	}
	t.Columns[0].Least = 20
	return t
}

// approachTable is Table 5.
func (r *Result) approachTable() bench.Table {
	t := bench.Table{Title: fmt.Sprintf("Table 5: five approaches and the optimal test, %d repetitions on %d pairs; in "+
		"brackets what the paper has",
		r.Repetitions, r.Pairs), Columns: []bench.Column{
		words("approach"), {Header: "trials"}, {Header: "()"}, {Header: "cost"}, {Header: "stored", Drop: 1},
		{Header: "saved"}, {Header: "()"},
		{Header: "found"}, {Header: "()"}, {Header: "alarms"},
	}}
	for _, a := range r.Approaches {
		row := []bench.Cell{bench.Word(a.Title), bench.Number(a.Trials.Mean, 1), bench.Unknown(),
			bench.Number(a.CostUSD.Mean, 3),
			bench.Number(a.Stored, 3), bench.Unknown(), bench.Unknown(), percent(a.Found), bench.Unknown(), percent(a.Alarms)}
		if a.Saving != nil {
			row[5] = bench.Percent(*a.Saving, 0)
		}
		if p := a.Paper; p != nil {
			row[2], row[8] = bench.Word(fmt.Sprintf("(%g)", p.Trials)), bench.Word(fmt.Sprintf("(%.0f%%)", 100*p.Power))
			if p.Saving != nil {
				row[6] = bench.Word(fmt.Sprintf("(%.0f%%)", 100**p.Saving))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// costTable is Table 6 or 7.
func (r *Result) costTable(title string, costs []Cost) bench.Table {
	t := bench.Table{Title: title, Columns: []bench.Column{
		words(""), {Header: "fixed 100"}, {Header: "(paper)"}, {Header: "SPRT"}, {Header: "saved"}, {Header: "(paper)"},
		{Header: "optimal"},
	}}
	for _, c := range costs {
		row := []bench.Cell{bench.Word(c.Name), bench.Number(c.Fixed, 3), bench.Unknown(), bench.Number(c.SPRT, 3),
			bench.Unknown(), bench.Unknown(),
			bench.Number(c.Optimal, 3)}
		if c.Saving != nil {
			row[4] = bench.Percent(*c.Saving, 1)
		}
		if p := c.Paper; p != nil {
			row[2] = bench.Word(fmt.Sprintf("(%.3f)", p.Fixed))
			if p.Saving != nil {
				row[5] = bench.Word(fmt.Sprintf("(%.1f%%)", 100**p.Saving))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// theoremTable is Theorem 7.6.
func (r *Result) theoremTable() bench.Table {
	t := bench.Table{Title: fmt.Sprintf("Theorem 7.6: cost as a product of five factors, %.4f to %.2f by their typical "+
		"ranges; the paper says 0.05 to 0.20",
		r.Theorem.Low, r.Theorem.High), Columns: []bench.Column{words("factor"), {Header: "low"}, {Header: "high"}}}
	for _, f := range r.Theorem.Factors {
		t.Rows = append(t.Rows, []bench.Cell{bench.Word(f.Name), bench.Number(f.Low, 2), bench.Number(f.High, 2)})
	}
	return t
}

// notes are the reasons for differences.
func (r *Result) notes() (list []string) {
	for _, a := range r.Approaches {
		if a.Why != "" {
			list = append(list, a.Title+": "+a.Why+".")
		}
	}
	for _, f := range r.Theorem.Factors {
		list = append(list, f.Name+": "+f.Is+".")
	}
	e := r.Example
	list = append(list, fmt.Sprintf("Example 7.1: %d scenarios at 100 trials are $%.0f, and the paper's four trials and "+
		"fourteen cheap ones of "+
		"fifteen scenarios $%.2f. Four passes of four leave a failure rate of up to %.0f%% open, at the example's own "+
		"alpha. The optimal test "+
		"of those fifteen keeps both errors for $%.2f where every trial passes, and for $%.2f at a rate of 0.90.",
		e.Scenarios, e.Fixed, e.Paper, 100*e.FailureLimit, e.Valid, e.ValidThreshold))
	if r.Agents == "simulated" {
		list = append(list, "The simulated agents have the tokens and the latency of Table 4, the costs of Tables 6 and 7 "+
			"and made-up tools, and "+
			"pass every trial, as the paper's did. What changes of the first: "+strings.Join(r.Changes, "; ")+".")
	} else {
		list = append(list, "The variants of the suite stand for models, its scenarios for kinds of scenarios; repetitions "+
			"divide the recorded trials at random, and what changes is "+strings.Join(r.Changes, "; ")+".")
	}
	return append(list, fmt.Sprintf("Seed %d. Found is how often a change of behaviour is found that leaves the pass "+
		"rate as it is, false alarms how "+
		"often one is found that is not there; standard errors are at most %.1f points.", r.Seed, 100*r.largestError()))
}

// largestError is the largest standard error of the shares of Table 5.
func (r *Result) largestError() (most float64) {
	for _, a := range r.Approaches {
		for _, s := range []Share{a.Found, a.Alarms} {
			if _, e := s.Value(); !math.IsNaN(e) {
				most = max(most, e)
			}
		}
	}
	return most
}

// Records implements [bench.Report]: a row for every figure that the paper has one of.
func (r *Result) Records() bench.Table {
	t := bench.Table{Columns: []bench.Column{{Name: "table", Words: true}, {Name: "row", Words: true},
		{Name: "figure", Words: true},
		{Name: "measured"}, {Name: "paper"}}}
	add := func(table, row, figure string, measured, paper float64) {
		t.Rows = append(t.Rows, []bench.Cell{bench.Word(table), bench.Word(row), bench.Word(figure),
			bench.Number(measured, 4), bench.Number(paper, 4)})
	}
	or := func(x *float64) float64 {
		if x == nil {
			return math.NaN()
		}
		return *x
	}
	unknown := math.NaN()
	for _, m := range r.Models {
		p := TableRow{unknown, unknown, unknown, unknown, unknown}
		if m.Paper != nil {
			p = *m.Paper
		}
		add("4", m.Name, "tokens", m.Tokens.Mean, p.Tokens)
		add("4", m.Name, "tokens_sd", m.Tokens.SD, p.TokensSD)
		add("4", m.Name, "cost_usd", m.CostUSD.Mean, p.CostUSD)
		add("4", m.Name, "duration_s", m.Seconds.Mean, p.Seconds)
		add("4", m.Name, "duration_sd", m.Seconds.SD, p.SD)
	}
	for _, e := range r.Experiments {
		for _, f := range e.Found {
			p, _ := f.Share.Value()
			add(e.Name, e.Title, f.Name, p, unknown)
		}
	}
	for _, a := range r.Approaches {
		p := StatedApproach{unknown, unknown, nil, unknown}
		if a.Paper != nil {
			p = *a.Paper
		}
		found, _ := a.Found.Value()
		alarms, _ := a.Alarms.Value()
		add("5", a.Name, "trials", a.Trials.Mean, p.Trials)
		add("5", a.Name, "cost_usd", a.CostUSD.Mean, p.CostUSD)
		add("5", a.Name, "stored_usd", a.Stored, unknown)
		add("5", a.Name, "saving", or(a.Saving), or(p.Saving))
		add("5", a.Name, "power", found, p.Power)
		add("5", a.Name, "false_alarms", alarms, unknown)
	}
	for i, costs := range [][]Cost{r.ByModel, r.ByDomain} {
		for _, c := range costs {
			p := Costs{Fixed: unknown}
			if c.Paper != nil {
				p = *c.Paper
			}
			table := []string{"6", "7"}[i]
			add(table, c.Name, "fixed_usd", c.Fixed, p.Fixed)
			add(table, c.Name, "sprt_usd", c.SPRT, unknown)
			add(table, c.Name, "optimal_usd", c.Optimal, unknown)
			add(table, c.Name, "sprt_saving", or(c.Saving), or(p.Saving))
		}
	}
	return t
}
