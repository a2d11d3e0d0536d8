package savings

import (
	"github.com/tribunal-dev/tribunal/bench"
)

// Records implements [bench.Report]: a row for every kind of scenario, method and pass rate.
func (s *Result) Records() bench.Table {
	t := bench.Table{Columns: []bench.Column{
		{Name: "kind", Words: true}, {Name: "method", Words: true}, {Name: "p"},
		{Name: "expected_trials"}, {Name: "trials_95"}, {Name: "max_trials"},
		{Name: "cost_usd"}, {Name: "saving_against_fixed"}, {Name: "saving_against_paper_fixed"},
		{Name: "pass"}, {Name: "fail"}, {Name: "inconclusive"},
		{Name: "false_fail"}, {Name: "false_pass"}, {Name: "power"}, {Name: "exact", Words: true},
		{Name: "shift_found"}, {Name: "shift_found_std_err"},
		{Name: "found_without_shift"}, {Name: "found_without_shift_std_err"}, {Name: "shift_exact", Words: true},
	}}
	for _, kind := range s.Kinds {
		// The rows are in the order in which fill wrote them, by method and then rate: they are taken off
		// one by one.
		rows := kind.Rows
		for _, m := range s.Methods {
			most := bench.Unknown()
			if m.MaxTrials != nil {
				most = bench.Count(*m.MaxTrials)
			}
			for _, r := range m.Rates {
				row := rows[0]
				rows = rows[1:]
				found, foundErr, exact := shareCells(row.Found)
				alarm, alarmErr, _ := shareCells(row.Alarm)
				t.Rows = append(t.Rows, []bench.Cell{
					bench.Word(kind.Name), bench.Word(m.Name), value(r.P),
					value(r.ExpectedTrials), bench.Count(r.Trials95), most,
					value(row.CostUSD), value(r.SavingFixed), value(r.SavingPaper),
					value(r.Pass), value(r.Fail), value(r.Inconclusive),
					value(m.FalseFail), value(m.FalsePass), value(m.Power), truth(m.Exact),
					found, foundErr, alarm, alarmErr, exact,
				})
			}
		}
	}
	return t
}

// value is a number as programs read it; the four decimals are for people, who do not see it.
func value(x float64) bench.Cell { return bench.Number(x, 4) }

func truth(b bool) bench.Cell {
	if b {
		return bench.Word("true")
	}
	return bench.Word("false")
}

// shareCells are empty for programs where nothing was simulated.
func shareCells(s *Share) (share, stdErr, exact bench.Cell) {
	if s == nil {
		return bench.Unknown(), bench.Unknown(), bench.Unknown()
	}
	return value(s.Value), value(s.StdErr), truth(s.Exact)
}
