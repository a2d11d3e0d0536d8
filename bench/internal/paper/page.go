package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
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
		Tables: slices.Concat([]bench.Table{r.modelTable(), r.experimentTable(), r.approachTable(),
			r.costTable("Table 6: what a check costs, by model; dollars", r.ByModel),
			r.costTable("Table 7: the same by kind of scenario", r.ByDomain)}, r.cellTables(), []bench.Table{r.theoremTable()}),
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
	return bench.Word(fmt.Sprintf("%.*f±%.*f", decimals, a.Mean, decimals, a.SD))
}

// modelTable is Table 4.
func (r *Result) modelTable() bench.Table {
	t := bench.Table{Title: fmt.Sprintf("Table 4: what a trial takes, of %d a model; in brackets what the "+
		"paper has", r.Models[0].Trials), Columns: []bench.Column{
		words("model"), {Header: "tokens"}, {Header: "(paper)"}, {Header: "cost"}, {Header: "(paper)"},
		{Header: "seconds"}, {Header: "(paper)"},
	}}
	for _, m := range r.Models {
		row := []bench.Cell{bench.Word(m.Name), amount(m.Tokens, 0), bench.Unknown(),
			bench.Number(m.CostUSD.Mean, 4), bench.Unknown(), amount(m.Seconds, 1), bench.Unknown()}
		if p := m.Paper; p != nil {
			row[2] = bench.Word(fmt.Sprintf("(%.0f±%.0f)", p.Tokens, p.TokensSD))
			row[4] = bench.Word(fmt.Sprintf("(%.4f)", p.CostUSD))
			row[6] = bench.Word(fmt.Sprintf("(%.1f±%.1f)", p.Seconds, p.SD))
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

// near is how far a figure may be from the paper's, relative to it, to need no reason.
const near = 0.05

// cellTables has the figures that differ from those of the paper, with the reason; it is not for agents that are run.
func (r *Result) cellTables() []bench.Table {
	if r.Agents != "simulated" {
		return nil
	}
	t := bench.Table{Columns: []bench.Column{words("table"), words("row"), words("figure"), {Header: "here"},
		{Header: "paper"}, words("why")}}
	all := 0
	for _, c := range r.cells() {
		if math.IsNaN(c.measured) || math.IsNaN(c.paper) {
			continue
		}
		all++
		if c.why == "" || math.Abs(c.measured-c.paper) <= near*c.paper {
			continue
		}
		t.Rows = append(t.Rows, []bench.Cell{bench.Word(c.table), bench.Word(c.row), bench.Word(c.figure),
			bench.Word(figure(c.measured)), bench.Word(figure(c.paper)), bench.Word(c.why)})
	}
	t.Title = fmt.Sprintf("Of %d figures of Tables 4 to 7, %d are further than %.0f%% from the paper's", all, len(t.Rows),
		100*near)
	return []bench.Table{t}
}

// figure is a number with three digits.
func figure(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// Why figures differ, by the letters that the table has.
var whys = map[string]string{
	"a": "the paper's tables disagree: 100 times its cost of a trial in Table 4 is not its cost of 100 trials in " +
		"Table 6, $0.090 and $0.127 for GPT-5.2; here the latter",
	"b": "the paper's tables disagree: the mean over the four models is $0.165 by Table 6, over the three kinds $0.239 " +
		"by Table 7, and $0.287 by Table 5; agents have one mean, here that of Table 6, so all of Table 7 is a " +
		"third lower; which ten of the twelve pairs it ran is not said",
	"c": "Wald's test of 0.90 against 0.80 ends after 20 passes, ln(0.10/0.95)/ln(0.80/0.90), that of the paper after " +
		"22: its hypotheses are not said",
	"d": "the paper says 20.3 and 22 trials of the same test",
	"e": "calibration asks for more trials where the change would be missed too often",
	"f": "how large a change it planted is not said; here one that T² finds with its 0.86 at 20 trials a side, and " +
		"more often by the permutation test",
	"g": "the spread of a skewed (lognormal) distribution, drawn anew",
}

// tableCell is a figure of a table, here and in the paper; NaN is none.
type tableCell struct {
	table, row, figure, why string
	measured, paper         float64
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
	if r.Agents == "simulated" {
		for _, letter := range slices.Sorted(maps.Keys(whys)) {
			list = append(list, letter+": "+whys[letter]+".")
		}
	}
	for _, a := range r.Approaches {
		if !slices.Contains(slices.Collect(maps.Values(whys)), a.Why) {
			list = append(list, a.Title+": "+a.Why+".")
		}
	}
	for _, f := range r.Theorem.Factors {
		list = append(list, f.Name+": "+f.Is+".")
	}
	e := r.Example
	list = append(list, fmt.Sprintf("Example 7.1: %d scenarios at 100 trials are $%.0f, and the paper's four trials and "+
		"fourteen cheap ones of "+
		"fifteen scenarios $%.2f; Corollary 7.7 converges to $%.2f, for no trial of the target. "+
		"Four passes of four leave a failure rate of up to %.0f%% open, at the example's own alpha. The optimal test "+
		"of those fifteen keeps both errors for $%.2f where every trial passes, and for $%.2f at a rate of 0.90.",
		e.Scenarios, e.Fixed, e.Paper, e.Converged, 100*e.FailureLimit, e.Valid, e.ValidThreshold))
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

// Records implements [bench.Report]: a row for every figure, with that of the paper where it has one.
func (r *Result) Records() bench.Table {
	t := bench.Table{Columns: []bench.Column{{Name: "table", Words: true}, {Name: "row", Words: true},
		{Name: "figure", Words: true},
		{Name: "measured"}, {Name: "paper"}}}
	for _, c := range r.cells() {
		t.Rows = append(t.Rows, []bench.Cell{bench.Word(c.table), bench.Word(c.row), bench.Word(c.figure),
			bench.Number(c.measured, 4), bench.Number(c.paper, 4)})
	}
	return t
}

// cells are all figures.
func (r *Result) cells() (list []tableCell) {
	add := func(table, row, figure string, measured, paper float64, why string) {
		list = append(list, tableCell{table, row, figure, why, measured, paper})
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
		add("4", m.Name, "tokens", m.Tokens.Mean, p.Tokens, "g")
		add("4", m.Name, "tokens_sd", m.Tokens.SD, p.TokensSD, "g")
		add("4", m.Name, "cost_usd", m.CostUSD.Mean, p.CostUSD, "a")
		add("4", m.Name, "duration_s", m.Seconds.Mean, p.Seconds, "g")
		add("4", m.Name, "duration_sd", m.Seconds.SD, p.SD, "g")
	}
	for _, e := range r.Experiments {
		for _, f := range e.Found {
			p, _ := f.Share.Value()
			add(e.Name, e.Title, f.Name, p, unknown, "")
		}
	}
	for _, a := range r.Approaches {
		p := StatedApproach{unknown, unknown, unknown, unknown, nil, unknown}
		if a.Paper != nil {
			p = *a.Paper
		}
		found, _ := a.Found.Value()
		alarms, _ := a.Alarms.Value()
		trials := map[string]string{"sprt": "c", "fingerprint": "d", "budget": "e"}[a.Name]
		add("5", a.Name, "trials", a.Trials.Mean, p.Trials, trials)
		add("5", a.Name, "trials_sd", a.Trials.SD, p.TrialsSD, trials)
		add("5", a.Name, "cost_usd", a.CostUSD.Mean, p.CostUSD, "b")
		add("5", a.Name, "cost_sd", a.CostUSD.SD, p.CostSD, "b")
		add("5", a.Name, "stored_usd", a.Stored, unknown, "")
		add("5", a.Name, "saving", or(a.Saving), or(p.Saving), trials)
		add("5", a.Name, "power", found, p.Power, "f")
		add("5", a.Name, "false_alarms", alarms, unknown, "")
	}
	for i, costs := range [][]Cost{r.ByModel, r.ByDomain} {
		for _, c := range costs {
			p := Costs{Fixed: unknown}
			if c.Paper != nil {
				p = *c.Paper
			}
			table, why := []string{"6", "7"}[i], []string{"c", "b"}[i]
			add(table, c.Name, "fixed_usd", c.Fixed, p.Fixed, why)
			add(table, c.Name, "sprt_usd", c.SPRT, or(p.SPRT), "c")
			add(table, c.Name, "optimal_usd", c.Optimal, unknown, "")
			add(table, c.Name, "sprt_saving", or(c.Saving), or(p.Saving), "c")
		}
	}
	return list
}
