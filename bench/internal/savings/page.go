package savings

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/bench"
)

// Page implements [bench.Report].
func (s *Result) Page() bench.Page {
	const title = "Is the pass rate at least %.2f, or %.2f or less? False Fail at most %g%%, false Pass at most %g%%."
	h := s.Hypotheses
	return bench.Page{
		Title: fmt.Sprintf(title, h.Threshold, h.Threshold-h.Delta, 100*h.Alpha, 100*h.Beta),
		Tables: []bench.Table{s.trialsTable(), s.errorsTable(), s.savingTable(), s.behaviourTable(), s.kindsTable(),
			s.suitesTable()},
		Notes: s.notes(),
	}
}

// method is the column of names, which is not shortened.
func method(header string) bench.Column { return bench.Column{Header: header, Words: true} }

// perRate has a row for each method and a column for each pass rate.
// perRate returns a table that asks the same of every method at every rate.
func (s *Result) perRate(title string, cell func(Rate) bench.Cell) bench.Table {
	t := bench.Table{Title: title, Columns: []bench.Column{method("true pass rate")}}
	for _, p := range passRates {
		t.Columns = append(t.Columns, bench.Column{Header: strconv.FormatFloat(p, 'f', -1, 64)})
	}
	for _, m := range s.Methods {
		row := []bench.Cell{bench.Word(m.Title)}
		for _, rate := range m.Rates {
			row = append(row, cell(rate))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// trialsTable has the expected trials, and the lower bound in its last row.
func (s *Result) trialsTable() bench.Table {
	t := s.perRate("Expected trials, exact", func(r Rate) bench.Cell { return bench.Number(r.ExpectedTrials, 1) })
	t.Columns = append(t.Columns, bench.Column{Header: "at most"})
	for i, m := range s.Methods {
		most := bench.Word("none")
		if m.MaxTrials != nil {
			most = bench.Count(*m.MaxTrials)
		}
		t.Rows[i] = append(t.Rows[i], most)
	}
	bound := []bench.Cell{bench.Word(fmt.Sprintf("no test, at most %d", s.Floors.MaxTrials))}
	for _, f := range s.Floors.Rates {
		bound = append(bound, bench.Number(f.ExpectedTrials, 1))
	}
	t.Rows = append(t.Rows, append(bound, bench.Count(s.Floors.MaxTrials)))
	return t
}

// errorsTable stands beside the trials: a test that saves them by erring, or by not deciding, saves
// nothing. No verdict is the largest of the five rates.
func (s *Result) errorsTable() bench.Table {
	t := bench.Table{
		Title: "Errors, power, no verdict, and the trials within which 95% of the tests end at 0.9; exact",
		Columns: []bench.Column{
			method("method"), {Header: "false Fail"}, {Header: "false Pass"}, {Header: "power"},
			{Header: "no verdict"}, {Header: "95%"},
		},
	}
	for _, m := range s.Methods {
		undecided := 0.0
		for _, rate := range m.Rates {
			undecided = max(undecided, rate.Inconclusive)
		}
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word(m.Title), bench.Percent(m.FalseFail, 2), bench.Percent(m.FalsePass, 2), bench.Percent(m.Power,
				1),
			bench.Percent(undecided, 1), bench.Count(s.rateOf(m.Name, s.Hypotheses.Threshold).Trials95),
		})
	}
	return t
}

// savingTable compares with the fixed sample that keeps the same errors, the fair comparison, and
// in its last column with the paper's 100 where every trial passes, as the paper does.
func (s *Result) savingTable() bench.Table {
	title := fmt.Sprintf("Trials saved against the fixed %d that keep both errors, and against %d", s.Fixed,
		s.PaperFixed)
	t := s.perRate(title, func(r Rate) bench.Cell { return bench.Percent(r.SavingFixed, 0) })
	t.Columns = append(t.Columns, bench.Column{Header: fmt.Sprintf("of %d at 1", s.PaperFixed)})
	for i, m := range s.Methods {
		t.Rows[i] = append(t.Rows[i], bench.Percent(m.Rates[0].SavingPaper, 0))
	}
	return t
}

// behaviourTable shows what was simulated, each share with its standard error in points.
func (s *Result) behaviourTable() bench.Table {
	t := bench.Table{
		Title: "Behaviour, simulated: a change that leaves the pass rate as it is, and none; " +
			"trials of baseline and candidate",
		Columns: []bench.Column{
			method("what behaves"), {Header: "rate"}, {Header: "trials"}, {Header: "found"}, {Header: "s.e."},
			{Header: "false alarms"}, {Header: "s.e."}, {Header: "or Fail"},
		},
	}
	add := func(name string, b Behaviour) {
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word(name), bench.Number(b.P, 1), bench.Word(fmt.Sprintf("%d, %.0f", b.Baseline, b.Candidate)),
			bench.Percent(b.Power.Share, 1), bench.Number(100*b.Power.StdErr, 1),
			bench.Percent(b.Alarms.Share, 1), bench.Number(100*b.Alarms.StdErr,
				1), bench.Percent(b.FoundUnchanged.Share, 1),
		})
	}
	for _, b := range s.Known {
		add("4 of 14 columns", b)
	}
	for _, kind := range s.Kinds {
		for _, b := range kind.Behaviour {
			// The other rates are in the records.
			if b.P == 1 || b.P == s.Hypotheses.Threshold {
				add(kind.Name, b)
			}
		}
	}
	return t
}

// kindsTable shows one method, since for the others money is in proportion to the first table.
func (s *Result) kindsTable() bench.Table {
	t := bench.Table{
		Title: "Money, of the optimal test with or without behaviour, in dollars",
		Columns: []bench.Column{
			method("kind of scenario"),
			{Header: fmt.Sprintf("%d trials", s.PaperFixed)},
			{Header: fmt.Sprintf("%d trials", s.Fixed)},
		},
	}
	for _, p := range passRates {
		t.Columns = append(t.Columns, bench.Column{Header: strconv.FormatFloat(p, 'f', -1, 64)})
	}
	for _, kind := range s.Kinds {
		row := []bench.Cell{bench.Word(kind.Name), bench.Number(kind.CostOfPaper, 3), bench.Number(kind.CostOfFixed, 3)}
		for _, one := range kind.Rows {
			if one.Method == "optimal" {
				row = append(row, bench.Number(one.CostUSD, 3))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (s *Result) notes() []string {
	optimal := s.rateOf("optimal", 1)
	shifts := make([]string, len(s.Kinds))
	for i, kind := range s.Kinds {
		// Every kind is simulated at a rate of 1 at least, so that there is a first.
		shifts[i] = kind.Name + ", " + kind.Behaviour[0].Shift
	}
	lower := s.Hypotheses.Threshold - s.Hypotheses.Delta
	return []string{
		fmt.Sprintf("False Fail is P(Fail) at %.2f, false Pass is P(Pass) at %.2f, power is P(Fail) there; no verdict "+
			"is the most of the five rates. Against a stored baseline both are over baseline and candidate, or given "+
			"the baseline that passed 900 of 1,000.", s.Hypotheses.Threshold, lower),
		fmt.Sprintf("When every trial passes, the optimal test ends after %.0f trials: %.0f%% less than %d, %.0f%% "+
			"less than %d. No test with these errors that always decides, in at most %d trials, has fewer expected "+
			"trials than the last row of the first table. Wald's test cut off at 30 is below it, for it mostly does "+
			"not decide.",
			optimal.ExpectedTrials, 100*optimal.SavingPaper, s.PaperFixed, 100*optimal.SavingFixed, s.Fixed,
			s.Floors.MaxTrials),
		"A test of passes and failures alone finds a change that leaves the pass rate as it is exactly as often as " +
			"it fails without one: never, where every trial passes.",
		fmt.Sprintf("4 of 14 columns: normal columns, four of which vary, shifted so far that T² on those four alone "+
			"finds 86%% with 20 trials a side. The other shifts are as large in what the simulated agents draw from: "+
			"%s. %d and %d runs with the shift and as many without, seed %d; s.e. is the standard error in points. "+
			"\"or Fail\" is how often an unchanged agent is told to have changed or fails.",
			strings.Join(shifts, "; "), s.Known[0].Runs, s.Kinds[0].Behaviour[0].Runs, s.Seed),
	}
}
