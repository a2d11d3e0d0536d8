package report

import (
	"io"

	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/rank"
)

// rankSample is an improvement of one axis after two that hold.
func rankSample() *rank.Result {
	p := []float64{0.012, 0.0001}
	axis := func(name string, from score.Source, most, first, second float64, ranks ...int) rank.Axis {
		return rank.Axis{
			Name: name, From: from, Max: most, Ranks: []rank.Rank{
				{Mean: &first, Low: ranks[0], High: ranks[1]}, {Mean: &second, Low: ranks[2], High: ranks[3]},
			},
			Pairs: []rank.Pair{{Second: 1, Difference: new(second - first), P: 0.0002, Adjusted: 0.0002}},
		}
	}
	return &rank.Result{
		Schema: rank.Schema, Verdict: verdict.Pass, Alpha: 0.05, Seed: 1,
		Results: []rank.Entry{
			{Name: "main.result.json", Suite: "port", Trials: 60, Points: new(68.0), CostUSD: new(0.12), Duration: new(61.0),
				Efficient: true},
			{Name: "wrapped.result.json", Suite: "port", Trials: 59, Errors: 1, Points: new(86.0), CostUSD: new(0.31),
				Duration: new(75.0), Efficient: true},
		},
		Axes: []rank.Axis{
			axis("rate", "", 1, 0.98, 0.97, 1, 2, 1, 2), axis("rules", score.Contracts, 1, 1, 1, 1, 2, 1, 2),
			axis("tests", score.Tests, 63, 61, 63, 1, 2, 1, 2), axis("principles", "", 20, 2, 18, 2, 2, 1, 1),
		},
		Improvement: &rank.Improvement{Axis: "principles", Delta: 0.1, Steps: []rank.Step{
			{Name: "rules", Held: true, Text: "rules: 1 of 1, from 1"},
			{Name: "rate", P: &p[0], Held: true, Text: "rate: a drop of 10 points is excluded: 0.97 of 1, from 0.98, p = 0.012"},
			{Name: "principles", P: &p[1], Held: true, Text: "principles: 18 of 20, from 2, p = 0.0001"},
		}},
		Reasons: []verdict.Reason{{Code: "axis-improved",
			Text: "principles is better: 18 of 20, from 2 (p = 0.0001), and nothing before it is worse"}},
		Warnings: []verdict.Warning{{Code: verdict.WarnErrors, Text: "1 trial ended in an error and counts on no axis"}},
	}
}

// rankRenders are written as text.
func rankRenders() map[string]render {
	return map[string]render{"rank": func(w io.Writer, o Options) error { return Write(w, rankSample(), TextFormat, o) }}
}
