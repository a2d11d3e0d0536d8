package report

import (
	"cmp"
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
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// The most survivors of which the text shows the change, and the lines of each: chosen, for a screen.
const (
	mostShownSurvivors = 3
	mostDiffLines      = 6
)

// buildMutation is what became of the mutants: those that survived with what was changed, the scores by class, all
// mutants with what killed them, and what each test of the suite did for it.
func buildMutation(d *document.Document, r *mutants.Result) {
	d.Begin(r.Header(), r.Suite)
	scoreAlone(d)
	d.Headline = safe.Text(r.Suite) + ": " + mutationSaid(r)
	d.Break()
	survivors(d, r)
	d.Parts = append(d.Parts, document.FindingList{})
	mutantRows(d, r)
	d.Break()
	scores(d, r)
	testRows(d, r)
	uncheckedLines(d, r)
	mutationCost(d, r)
	d.Fact("digest", figure.ShortDigest(r.Digest))
	d.Fact("seed", fmt.Sprint(r.Run.Seed))
	d.Warn(r.Warnings)
	mutationTiles(d, r)
	mutationBars(d, r)
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(d.Word), mutationSaid(r)))
	d.Outputs = []document.Fact{count("killed", r.Score.Killed), count("survived", r.Score.Survived)}
	if s := r.Score.Score; s != nil {
		d.Outputs = append(d.Outputs, number("score", *s))
	}
}

// mutationSaid is what the score comes to, with the mutants that it leaves out because nothing tells them from the
// original.
func mutationSaid(r *mutants.Result) string {
	text := reasonsText(r.Reasons)
	switch n := r.Score.Equivalent; {
	case n > 0 && n == len(r.Mutants):
		text += "; none can be told from the original: see whether the agent reads what was changed"
	case n > 0:
		text += fmt.Sprintf("; %d more cannot be told from the original", n)
	}
	return text
}

// scoreText writes a score; one whose kills chance alone explains is undecided, as the headline says.
func scoreText(s mutants.Score) string {
	if byChance(s) {
		return "undecided"
	}
	return figure.Optional(s.Score, phrase.Percent)
}

// byChance reports whether chance alone explains all kills.
func byChance(s mutants.Score) bool { return s.Killed > 0 && s.Killed <= s.ByChance }

// scoreAlone gives a score without a verdict, where none was required, a word of its own.
func scoreAlone(d *document.Document) {
	if !d.Judged {
		d.Word, d.Colour, d.Plain = "score", verdict.Pass, true
	}
}

// mutationBars draws what became of the mutants, by class and in all.
func mutationBars(d *document.Document, r *mutants.Result) {
	if len(r.Classes) == 0 {
		return
	}
	b := chart.Bars{
		Title: "What the suite noticed", Below: "mutants of " + safe.Text(r.Suite), First: "killed", Second: "survived",
		Description: "Bars in pairs: mutants that a test noticed, and those that none did.",
	}
	classes, all := chart.BarPanel{Title: "By class", Unit: "mutants"}, chart.BarPanel{Title: "In all", Unit: "mutants"}
	add := func(p *chart.BarPanel, name string, killed, survived int) {
		p.Names = append(p.Names, name)
		p.First, p.Second = append(p.First, float64(max(0, killed))), append(p.Second, float64(max(0, survived)))
	}
	for _, c := range r.Classes {
		add(&classes, safe.Name(c.Name), c.Score.Killed, c.Score.Survived)
	}
	s := r.Score
	add(&all, "by verdict", s.ByVerdict, 0)
	add(&all, "by rate", s.ByRate, 0)
	add(&all, "by behaviour", s.ByBehavior, 0)
	add(&all, "survived", 0, s.Survived)
	b.Panels = []chart.BarPanel{classes, all}
	d.Pictures = append(d.Pictures, document.Picture{
		ID: "mutants", Title: b.Title, Text: "Mutants that a test noticed, and those that none did.",
		Draw: func(w io.Writer) error { return chart.PairedBars(w, b) },
	})
}

// judgedVerdict is in whose colour a figure stands that was judged; nil where nothing was.
func judgedVerdict(d *document.Document) *verdict.Verdict {
	if !d.Judged {
		return nil
	}
	return &d.Verdict
}

// mutationTiles are the figures that a reader looks for first.
func mutationTiles(d *document.Document, r *mutants.Result) {
	s := r.Score
	d.Tile("mutation score", scoreText(s), judgedVerdict(d))
	d.Tile("killed", fmt.Sprint(s.Killed), nil)
	d.Tile("survived", fmt.Sprint(s.Survived), nil)
	if s.Equivalent > 0 {
		d.Tile("not told from the original", fmt.Sprint(s.Equivalent), nil)
	}
	d.Tile("trials", fmt.Sprint(r.Cost.Trials), nil)
}

// survivors are the gaps of the suite, the most severe first: what each changed, what the agent did before and after,
// and which check would have noticed.
func survivors(d *document.Document, r *mutants.Result) {
	list := slices.DeleteFunc(slices.Clone(r.Mutants),
		func(m mutants.JudgedMutant) bool { return m.Fate != mutants.Survived })
	slices.SortStableFunc(list, func(a, b mutants.JudgedMutant) int { return severityOf(b) - severityOf(a) })
	for i, m := range list {
		f := document.Finding{
			Name:    fmt.Sprintf("%s %s, %s", safe.Name(m.ID), safe.Name(m.Operator), safe.Text(m.Site)),
			Verdict: verdict.Inconclusive, Sentence: fmt.Sprintf("survived: %s", safe.Text(m.Why)),
		}
		if i < mostShownSurvivors {
			f.More = append(f.More, diffLines(m.Diff, mostDiffLines)...)
		}
		f.More = append(f.More, whatItDid(r, m)...)
		f.More = append(f.More, whatToDo(m))
		d.Findings = append(d.Findings, f)
	}
	if n := r.Score.Killed; n > 0 {
		d.Fine = fmt.Sprintf("%s: %d by verdict, %d by rate", prose.Count(n, "mutant")+" killed", r.Score.ByVerdict,
			r.Score.ByRate)
		if n := r.Score.ByBehavior; n > 0 {
			d.Fine += fmt.Sprintf(", %d by behaviour", n)
		}
	}
}

// mostShownOutput is how many characters of an output or a step are shown. Chosen: one is told from the other by them.
const mostShownOutput = 200

// whatItDid is what the agent as it is answered most often in a test, and an answer of a mutant that it never gave; or
// else the tools that both called. Of the tests it is the one in which most trials of the mutant are like none of the
// original's, and nil where the listed trials do not tell both apart.
func whatItDid(r *mutants.Result, m mutants.JudgedMutant) (lines []string) {
	best := 0.0
	for _, kind := range []struct {
		name string
		read func(runs.Trial) string
	}{{"output", func(t runs.Trial) string { return t.Output }}, {"tools", toolsOf}} {
		for _, own := range r.Tests {
			seen, usual := map[string]int{}, ""
			for _, t := range r.Original.Trials {
				if text := kind.read(t); t.Test == own.Name && text != "" {
					if seen[text]++; seen[text] > seen[usual] {
						usual = text
					}
				}
			}
			all, other, first := 0, 0, ""
			for _, t := range r.Run.Trials {
				text := kind.read(t)
				if t.Test != suite.TestName(own.Name, m.ID) || t.Baseline || text == "" {
					continue
				}
				if all++; seen[text] == 0 {
					other++
					first = cmp.Or(first, text)
				}
			}
			if share := float64(other) / float64(max(all, 1)); usual != "" && share > best {
				best = share
				lines = []string{
					fmt.Sprintf("%s before, in %s: %s", kind.name, safe.Name(own.Name),
						safe.Text(phrase.Excerpt(usual, mostShownOutput))),
					fmt.Sprintf("%s after: %s", kind.name, safe.Text(phrase.Excerpt(first, mostShownOutput))),
				}
			}
		}
	}
	return lines
}

// toolsOf are the tools that a trial called, in their order, and which of the calls failed.
func toolsOf(t runs.Trial) string {
	var calls []string
	for _, s := range t.Steps {
		switch {
		case s.Tool != "" && s.Error != "":
			calls = append(calls, s.Tool+" (failed)")
		case s.Tool != "":
			calls = append(calls, s.Tool)
		}
	}
	return strings.Join(calls, ", ")
}

// sensorText is an evaluator, and on how many trials it was tried.
func sensorText(s mutants.Sensor) string {
	return fmt.Sprintf("%s (passed by %d of %d trials of the agent as it is, and %d of %d of this mutant)",
		safe.Text(s.YAML),
		s.Original.Passes, s.Original.Trials, s.Mutant.Passes, s.Mutant.Trials)
}

// severityOf orders mutants by how much they change.
func severityOf(m mutants.JudgedMutant) int {
	return slices.Index([]string{"subtle", "moderate", "severe"}, m.Severity)
}

// whatToDo says which evaluators would have noticed, as they were tried, or that none was found.
func whatToDo(m mutants.JudgedMutant) string {
	if len(m.Sensors) == 0 {
		text := "no evaluator was found that tells both apart"
		if b := m.Behaviour; b != nil && b.Changed {
			if i := slices.IndexFunc(b.Columns, func(c behaviour.Column) bool { return c.Changed }); i >= 0 {
				text += "; what changed: " + safe.Text(b.Columns[i].Text)
			}
		}
		return text
	}
	// One scenario that notices is enough, and a person reads a regular expression last.
	test := m.Sensors[0].Test
	var list []string
	for _, regex := range []bool{false, true} {
		for _, s := range m.Sensors {
			if s.Test == test && strings.HasPrefix(s.YAML, "regex") == regex {
				list = append(list, sensorText(s))
			}
		}
	}
	text := fmt.Sprintf("an evaluator of %s that would have noticed: %s", safe.Name(test), strings.Join(list, "; or "))
	if slices.ContainsFunc(m.Sensors, func(s mutants.Sensor) bool {
		return s.Test == test && !strings.HasPrefix(s.YAML, "must-")
	}) {
		text += "; its text fits these outputs: keep of it what every right answer has"
	}
	return text
}

// diffLines are the lines that a change took away or added, at most so many.
func diffLines(diff string, most int) (lines []string) {
	for line := range strings.SplitSeq(diff, "\n") {
		if changed := strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-"); !changed ||
			strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---") {
			continue
		}
		if len(lines) == most {
			return append(lines, "...")
		}
		word := "removed: "
		if line[0] == '+' {
			word = "added: "
		}
		lines = append(lines, word+safe.Text(line[1:]))
	}
	return lines
}

// fateVerdict gives a mutant a colour and a status: what the suite noticed is as it should be.
func fateVerdict(r *mutants.Result, f mutants.Fate) verdict.Verdict {
	switch {
	case f == mutants.Survived && r.Verdict == verdict.Fail:
		return verdict.Fail
	case f == mutants.Survived, f == mutants.Undecided:
		return verdict.Inconclusive
	}
	return verdict.Pass
}

// outcomeOf says what became of a mutant.
func outcomeOf(f mutants.Fate) string {
	if f == mutants.Inert {
		return "no effect"
	}
	return string(f)
}

// mutantRows is a row and a case for each mutant: survivors first, then the undecided.
func mutantRows(d *document.Document, r *mutants.Result) {
	t := &document.Table{
		Title: "Mutants", Rank: 1, Main: true,
		Columns: []document.Column{
			{Title: "mutant"},
			{Title: "operator"},
			{Title: "outcome", Painted: true},
			{Title: "trials", Right: true, Text: table.Column{Drop: 3}},
			{Title: "largest drop", Right: true, Text: table.Column{Header: "drop", Drop: 4}},
			{Title: "killed by", Text: table.Column{Least: 8, Most: 24, Drop: 2}},
			{Title: "change", Text: table.Column{Least: 16, Most: 40, Drop: 1}},
		},
	}
	order := []mutants.Fate{mutants.Survived, mutants.Undecided, mutants.KilledByBehaviour, mutants.KilledByRate,
		mutants.KilledByVerdict, mutants.Equivalent, mutants.Inert}
	for _, fate := range order {
		for _, m := range r.Mutants {
			if m.Fate != fate {
				continue
			}
			drop := document.Plain(figure.Optional(m.Drop, phrase.Rate)).InBrief(figure.Optional(m.Drop, figure.Rate))
			row := t.Add(document.Name(safe.Name(m.ID)), document.Name(safe.Name(m.Operator)), outcomeOf(m.Fate), m.Trials,
				drop, document.Name(killedBy(m)), document.Name(safe.Text(m.Site)))
			row.Verdict = fateVerdict(r, fate)
			c := document.Case{Scenario: m.ID, Name: m.Operator + ", " + m.Site, Status: statusOf(row.Verdict, nil),
				Table: t, Row: row, Message: fmt.Sprintf("%s: %s", outcomeOf(m.Fate), m.Why)}
			if m.Fate == mutants.Survived || m.Fate == mutants.Undecided {
				c.Details = diffLines(m.Diff, 2*mostDiffLines)
			}
			d.Cases = append(d.Cases, c)
		}
	}
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
}

// killedBy names the tests that failed.
func killedBy(m mutants.JudgedMutant) string {
	if len(m.By) == 0 {
		return document.None
	}
	var names []string
	for _, name := range m.By {
		names = append(names, safe.Name(name))
	}
	return strings.Join(names, ", ")
}

// scores is a row for each class and, on pages, each operator.
func scores(d *document.Document, r *mutants.Result) {
	columns := []document.Column{
		{Title: "class", Text: table.Column{Least: 12}},
		{Title: "mutants", Right: true},
		{Title: "killed", Right: true},
		{Title: "survived", Right: true},
		{Title: "equivalent", Right: true, Text: table.Column{Drop: 2}},
		{Title: "undecided", Right: true, Text: table.Column{Drop: 1}},
		{Title: "no effect", Right: true, Text: table.Column{Drop: 3}},
		{Title: "score", Right: true, Painted: true},
		{Title: "interval", Right: true, In: document.Pages},
	}
	add := func(t *document.Table, name string, s mutants.Score) {
		interval := document.None
		if s.Interval != nil {
			interval = figure.IntervalText(s.Interval)
		}
		score := scoreText(s)
		if byChance(s) {
			score = phrase.Percent(*s.Low) + " to " + phrase.Percent(*s.High)
		}
		t.Add(document.Name(safe.Name(name)), s.Mutants, s.Killed, s.Survived, s.Equivalent, s.Undecided, s.Inert, score,
			interval).Verdict = scoreVerdict(s)
	}
	classes := &document.Table{Title: "Score by class", Rank: 2, Main: true, Columns: columns,
		Note: "The score is the share of mutants that a test noticed, among those that were killed or survived."}
	for _, p := range r.Classes {
		add(classes, p.Name, p.Score)
	}
	if len(r.Classes) > 1 {
		add(classes, "all", r.Score)
	}
	d.Table(classes)
	operators := &document.Table{Title: "Score by operator", Rank: 3, In: document.Pages, Fold: true,
		Columns: slices.Concat([]document.Column{{Title: "operator"}}, columns[1:])}
	for _, p := range r.Operators {
		add(operators, p.Name, p.Score)
	}
	d.Table(operators)
}

// scoreVerdict colours a score: all killed, some, or none that could be.
func scoreVerdict(s mutants.Score) verdict.Verdict {
	if s.Survived+s.Undecided > 0 {
		return verdict.Inconclusive
	}
	return verdict.Pass
}

// testRows is a row for each test of the suite with what it killed.
func testRows(d *document.Document, r *mutants.Result) {
	t := &document.Table{
		Title: "Tests", Rank: 4, In: document.Pages,
		Note: "How many mutants each test killed, and how many of them no other test did: the first test that fails a " +
			"mutant ends its trials.",
		Columns: []document.Column{{Title: "test"}, {Title: "kills", Right: true}, {Title: "alone", Right: true},
			{Title: "alpha", Right: true}, {Title: "mutants"}},
	}
	for _, x := range r.Tests {
		mutants := document.None
		if len(x.Kills) > 0 {
			mutants = safe.Name(strings.Join(x.Kills, ", "))
		}
		t.Add(document.Name(safe.Name(x.Name)), len(x.Kills), x.Alone, figure.Brief(x.Alpha), document.Name(mutants))
	}
	d.Table(t)
}

// uncheckedLines are the lines of the prompt that no test would miss.
func uncheckedLines(d *document.Document, r *mutants.Result) {
	t := &document.Table{
		Title: "Lines of the prompt that no test checks", Rank: 2, Main: true,
		Note: "Mutants changed these lines, and no test noticed.",
		Columns: []document.Column{
			{Title: "line", Right: true},
			{Title: "text", Text: table.Column{Least: 20, Most: 64}},
			{Title: "mutants", Text: table.Column{Drop: 1}},
		},
	}
	for _, x := range r.Unsensed {
		t.Add(x.Number, document.Name(safe.Text(x.Text)), document.Name(safe.Name(strings.Join(x.Mutants, ", "))))
	}
	if len(t.Rows) > 0 {
		d.Break()
	}
	d.Table(t)
}

// mutationCost says what the campaign took, and the formulas of the paper under their names.
func mutationCost(d *document.Document, r *mutants.Result) {
	d.Break()
	c := r.Cost
	d.Linef("trials", "%d of mutants; %d each test and mutant would be %d (%s fewer)", c.Trials, r.Asked.Fixed, c.Fixed,
		phrase.Percent(c.Savings))
	s := r.Score
	var luck []string
	for _, p := range r.Classes {
		if byChance(p.Score) {
			luck = append(luck, fmt.Sprintf("%s (%d killed, by chance up to %d)", safe.Name(p.Name), p.Score.Killed,
				p.Score.ByChance))
		}
	}
	if len(luck) > 0 {
		d.Linef("no score", "of %s: as many would be killed by chance if they changed nothing, so the score is a range",
			prose.And(luck))
	}
	if s.Undecided > 0 && s.Low != nil {
		d.Linef("limits", "%s if no undecided mutant is killed, %s if all are", phrase.Percent(*s.Low),
			phrase.Percent(*s.High))
	}
	if s.Interval != nil {
		d.Linef("of all mutants", "%s at 95%% confidence (exact; these are a sample of %d)", figure.IntervalText(s.Interval),
			r.Asked.Space)
	}
	if r.Asked.Known > 0 && r.Asked.Operators < r.Asked.Known {
		d.Statf("equation 24", "the score is the selective one, of the mutants of %d of %d operators", r.Asked.Operators,
			r.Asked.Known)
	}
	if c.Reduction != nil {
		d.Statf("equation 25", "cost reduction %s, with %d of %d operators", phrase.Percent(*c.Reduction), r.Asked.Operators,
			r.Asked.Known)
	}
	if a := r.Theorem51; a != nil {
		d.Statf("theorem 5.1", "%s (tau %s, delta %s, delta_0 %s): no promise, it assumes that a regression is made of "+
			"such mutants",
			figure.Rate(a.Bound), figure.Rate(a.Score), figure.Brief(a.Delta), figure.Rate(a.Scale))
	}
	d.Statf("alpha", "%s for each mutant, spent over the tests in their order; beta %s for each test, drop %s",
		figure.Brief(r.Asked.OfMutant(len(r.Mutants))), figure.Brief(r.Asked.Beta), figure.Brief(r.Asked.Delta))
}
