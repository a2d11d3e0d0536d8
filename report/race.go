package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/chart"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	selection "github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/race"
)

// buildRace is what became of every arm, and the confirmation of the winner.
func buildRace(d *document.Document, r *race.Result) {
	d.Begin(r.Header(), r.Suite)
	d.Headline = safe.Text(r.Suite) + ": " + reasonsText(r.Reasons)
	d.Break()
	armRows(d, r)
	d.Break()
	d.Linef("race", "%s in %s; %s", prose.Count(r.Trials, "trial"), prose.Count(r.Rounds, "round"), endOfRace(r))
	d.Statf("rule", "a variant is dropped at %s behind the leader; at most %s", prose.Count(r.Asked.Lead, "pass"),
		prose.Count(r.Asked.MaxRounds, "round"))
	d.Statf("errors", "alpha %s: the chosen one is worse than the best by %s or more (an odds ratio of %s); beta %s of "+
		"the confirmation",
		figure.Brief(r.Asked.Alpha), phrase.Points(r.Asked.Delta), fmt.Sprintf("%.3g", r.OddsRatio),
		figure.Brief(r.Asked.Beta))
	confirmedLines(d, r)
	if front := frontOf(r); front != "" {
		d.Line("front", front+": no other variant that is left is as good and a tenth cheaper or faster")
	}
	if cost, known := raceCost(r); known {
		d.Line("cost", figure.Money(cost))
	}
	if r.Chosen != "" {
		d.Line("threshold", "not tested: a race asks which is best; tribunal run holds each variant against the suite's")
	}
	d.Line("analyses", r.Looks.Text())
	d.Fact("digest", figure.ShortDigest(r.Digest))
	d.Fact("seed", fmt.Sprint(r.Run.Seed))
	d.Warn(r.Warnings)
	chosen := "none"
	if r.Chosen != "" {
		chosen = safe.Name(r.Chosen)
	}
	d.Tile("won the race", chosen, &r.Verdict)
	d.Tile("variants", fmt.Sprint(len(r.Arms)), nil)
	d.Tile("rounds", fmt.Sprint(r.Rounds), nil)
	d.Tile("trials", fmt.Sprint(r.Trials), nil)
	if c := r.Confirmed; c != nil {
		d.Tile("its rate, at least", phrase.Rate(c.Winner.Low), nil)
	}
	racePicture(d, r)
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(d.Word), reasonsText(r.Reasons[:1])))
	d.Outputs = []document.Fact{{Name: "chosen", Value: safe.Text(r.Chosen)}, count("rounds", r.Rounds),
		count("trials", r.Trials)}
	if c := r.Confirmed; c != nil {
		d.Outputs = append(d.Outputs, number("rate_low", c.Winner.Low))
	}
}

// endOfRace says how the race ended.
func endOfRace(r *race.Result) string {
	switch r.End {
	case selection.Won:
		return "one is left"
	case selection.OutOfRounds:
		return "the rounds are used up"
	case selection.NotWorth:
		return "going on would cost more than it may gain"
	}
	return "it was stopped"
}

// confirmedLines are both sides of the confirmation.
func confirmedLines(d *document.Document, r *race.Result) {
	c := r.Confirmed
	if c == nil {
		return
	}
	rateText := func(x race.Rate) string {
		text := figure.OfTrials(x.Passes, x.Trials)
		if x.Errors > 0 {
			text += " with " + prose.Count(x.Errors, "error")
		}
		return fmt.Sprintf("%s, 95%% %s", text, figure.Interval(figure.Rate(x.Low), figure.Rate(x.High)))
	}
	d.Line("new trials", fmt.Sprintf("%s: %s", safe.Name(r.Chosen), rateText(c.Winner)))
	d.Line("", fmt.Sprintf("current version: %s", rateText(c.Incumbent)))
}

// frontOf are the arms that were not dropped and than which no other of these is at least as good in passes, cost and
// time and better in cost or time; "" where these are not several. The race does not tell their rates apart, so that a
// pass more is nothing that is better, nor are amounts that differ by less than a tenth, which is chosen.
func frontOf(r *race.Result) string {
	left := slices.DeleteFunc(slices.Clone(r.Arms), func(a race.Arm) bool { return a.Standing == race.Dropped })
	if len(left) < 2 {
		return ""
	}
	less := func(x, y *float64) bool { return x != nil && y != nil && *x < 0.9**y }
	var names []string
	for _, a := range left {
		if !slices.ContainsFunc(left, func(x race.Arm) bool {
			return x.Behind <= a.Behind && !less(a.CostUSD, x.CostUSD) && !less(a.Seconds, x.Seconds) &&
				(less(x.CostUSD, a.CostUSD) || less(x.Seconds, a.Seconds))
		}) {
			names = append(names, safe.Name(a.Name))
		}
	}
	return strings.Join(names, ", ")
}

// raceCost is what both runs cost, as far as that is known.
func raceCost(r *race.Result) (sum float64, known bool) {
	if c := r.Run.Spent.CostUSD; c != nil {
		sum, known = *c, true
	}
	if r.Confirmation != nil && r.Confirmation.Spent.CostUSD != nil {
		sum, known = sum+*r.Confirmation.Spent.CostUSD, true
	}
	return sum, known
}

// placed are the arms in the order in which they ended: the winner, those that are left, and those that were dropped,
// the last first.
func placed(r *race.Result) []race.Arm {
	arms := slices.Clone(r.Arms)
	place := func(a race.Arm) int {
		return slices.Index([]race.Standing{race.Chosen, race.Left, race.Waiting, race.Dropped}, a.Standing)
	}
	slices.SortStableFunc(arms, func(a, b race.Arm) int {
		if n := place(a) - place(b); n != 0 {
			return n
		}
		if n := b.Round - a.Round; n != 0 {
			return n
		}
		return a.Behind - b.Behind
	})
	return arms
}

// armRows is a row and a case for each arm.
func armRows(d *document.Document, r *race.Result) {
	t := &document.Table{
		Title: "Variants", Rank: 1,
		Columns: []document.Column{
			{Title: "variant", Text: table.Column{Least: 8}},
			{Title: "status", Painted: true},
			{Title: "passed in the race", Right: true, Text: table.Column{Header: "passed"}},
			{Title: "behind", Right: true},
			{Title: "dropped after round", Right: true, Text: table.Column{Header: "round"}},
			{Title: "passes behind the leader", Text: table.Column{Header: "behind the leader", Drop: 1}, In: document.Text},
			{Title: "a trial costs", Right: true, Text: table.Column{Header: "cost", Drop: 2}},
			{Title: "a trial takes", Right: true, Text: table.Column{Header: "time", Drop: 3}},
			{Title: "errors", Right: true, In: document.Pages},
			{Title: "dropped by", In: document.Pages},
		},
	}
	for _, a := range placed(r) {
		round, by := document.None, document.None
		if a.Standing == race.Dropped {
			round, by = fmt.Sprint(a.Round), safe.Name(a.By)
		}
		standing := document.Plain(string(a.Standing))
		if a.Standing == race.Chosen {
			standing.Verdict = &r.Verdict
		}
		row := t.Add(document.Name(safe.Name(a.Name)), standing, fmt.Sprintf("%d of %d", a.Passes, a.Trials), a.Behind, round,
			lineOf(a, r, d.Detail.ASCII),
			figure.Optional(a.CostUSD, figure.Money), figure.Optional(a.Seconds, figure.Duration), a.Errors, document.Name(by))
		x := document.Case{Scenario: safe.Name(a.Name), Name: "race", Status: statusOfArm(a, r), Table: t, Row: row,
			Message: armText(a)}
		if a.Name == r.Chosen {
			x.Message = reasonsText(r.Reasons[:1])
		}
		d.Cases = append(d.Cases, x)
	}
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
}

// statusOfArm is that of the verdict for the arm that won. What a race drops has not failed, and what is left is open.
func statusOfArm(a race.Arm, r *race.Result) document.Status {
	switch {
	case a.Name == r.Chosen:
		return statusOf(r.Verdict, r.Reasons)
	case a.Standing == race.Dropped || r.Verdict != verdict.Inconclusive:
		return document.Passed
	}
	return document.Open
}

// armText says what became of an arm.
func armText(a race.Arm) string {
	if a.Standing == race.Dropped {
		return fmt.Sprintf("dropped after round %d, %s behind %s", a.Round, prose.Count(a.Behind, "pass"), safe.Name(a.By))
	}
	return fmt.Sprintf("%s, %s behind the leader", a.Standing, prose.Count(a.Behind, "pass"))
}

// lineWidth is how many rounds or parts of them a line of the text has. It is chosen.
const lineWidth = 17

// lineOf draws how far an arm was behind: a level at each of equal parts of the race, from the lead at the bottom to
// the leader.
func lineOf(a race.Arm, r *race.Result, ascii bool) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	if ascii {
		levels = []rune("_.-=+*#@")
	}
	var b strings.Builder
	next := 0
	for k := 1; k <= lineWidth && len(a.Path) > 0; k++ {
		round := max(1, k*r.Rounds/lineWidth)
		if round > a.Path[len(a.Path)-1].Round {
			break
		}
		for next+1 < len(a.Path) && a.Path[next].Round < round {
			next++
		}
		behind := min(max(a.Path[next].Behind, 0), r.Asked.Lead)
		b.WriteRune(levels[(len(levels)-1)*(r.Asked.Lead-behind)/max(r.Asked.Lead, 1)])
	}
	if b.Len() == 0 {
		return document.None
	}
	return b.String()
}

// racePicture draws the lines of the arms that got furthest, as many as can be told apart.
func racePicture(d *document.Document, r *race.Result) {
	c := chart.Race{Title: "How far each variant was behind", Lead: r.Asked.Lead,
		Below: fmt.Sprintf("A variant is dropped at %s behind the leader.", prose.Count(r.Asked.Lead, "pass"))}
	var said []string
	arms := placed(r)
	for _, a := range arms[:min(len(arms), chart.MostRaceLines)] {
		line := chart.RaceLine{Name: safe.Name(a.Name)}
		for _, p := range a.Path {
			line.Rounds, line.Behind = append(line.Rounds, p.Round), append(line.Behind, p.Behind)
		}
		if len(line.Rounds) > 0 {
			c.Arms = append(c.Arms, line)
			said = append(said, safe.Name(a.Name)+": "+armText(a))
		}
	}
	if len(c.Arms) == 0 {
		return
	}
	c.Description = strings.Join(said, "; ")
	d.Pictures = append(d.Pictures, document.Picture{
		ID: "race", Title: "The race", Text: "Passes less those of the leader, round by round.",
		Draw: func(w io.Writer) error { return chart.Behind(w, c) },
	})
}
