package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// What did not pass, and why: the part of a report for which people open it.

// runFindings are the tests of a run that did not pass, the worst first, and what passed in one line.
func runFindings(d *document.Document, r *runs.Result) {
	listed := trialsByTest(r)
	var passed []string
	var aside []document.Finding // of quarantined tests, which come last
	meanFindings(d, r)
	for _, t := range testsWorstFirst(r) {
		switch {
		case hasReason(t.Reasons, runs.CodeRecorded):
		// The mean may be too low, or open, although no scenario has collapsed: then what failed is told.
		case t.Verdict == verdict.Pass && t.Standing != "" && r.Verdict != verdict.Pass && t.Fails+t.Errors > 0:
			d.Findings = append(d.Findings, runFinding(t, listed[t.Name]))
		case t.Verdict == verdict.Pass:
			passed = append(passed, t.Name)
			d.Passed = append(d.Passed, runFinding(t, listed[t.Name]))
		case t.Quarantined:
			f := runFinding(t, listed[t.Name])
			f.Sentence = "quarantined: " + f.Sentence
			aside = append(aside, f)
		default:
			d.Findings = append(d.Findings, runFinding(t, listed[t.Name]))
		}
	}
	d.Findings = append(d.Findings, aside...)
	if len(d.Findings) > 0 && len(passed) > 0 {
		d.Fine = strings.ReplaceAll(phrase.ScenariosPass(len(passed), len(r.Tests)), "scenario", nounOf(r))
		if len(r.SuiteTests) > 0 {
			d.Fine = fmt.Sprintf("%d of %s %s not collapsed", len(passed), prose.Count(len(r.Tests), "scenario"),
				prose.Form(len(passed), "has", "have"))
		}
		d.Fine += ": " + someNames(passed)
	}
}

// testsWorstFirst are the tests of a run by their verdicts; of one question those that passed least first.
func testsWorstFirst(r *runs.Result) []*runs.Test {
	list := make([]*runs.Test, len(r.Tests))
	for i := range r.Tests {
		list[i] = &r.Tests[i]
	}
	slices.SortStableFunc(list, func(a, b *runs.Test) int {
		order := cmp.Compare(slices.Index(worstFirst, a.Verdict), slices.Index(worstFirst, b.Verdict))
		if order == 0 && a.Standing != "" && b.Standing != "" {
			order = cmp.Compare(a.Passes*b.Trials, b.Passes*a.Trials)
		}
		return order
	})
	return list
}

// runFinding is a test that did not pass.
func runFinding(t *runs.Test, trials []runs.Trial) document.Finding {
	f := document.Finding{
		Name: safe.Name(t.Name), Test: t.Name, Verdict: t.Verdict, Sentence: reasonsText(t.Reasons),
		Marks: t.Outcomes[:max(min(t.Trials, len(t.Outcomes)), 0)], Causes: causesOf(t, trials),
	}
	if t.Standing != "" && t.Verdict == verdict.Pass {
		f.Sentence = seenOf(t) + "; it has not collapsed"
	}
	if t.State != "" && t.Verdict != verdict.Pass {
		f.Sentence = string(t.State) + ": " + f.Sentence
	}
	if e := estimateOf(t); e != nil {
		f.Span = &document.Span{Low: e.Low, High: e.High, Mark: t.Threshold, Unmarked: t.Threshold == 0}
		if t.Threshold > 0 {
			f.Span.Lower = t.LowerRate()
		}
		if e.ErrorsPassed == nil {
			f.Span.Estimate = &e.MedianUnbiased
		}
	}
	return f
}

// trialsByTest are the judged trials that a result lists and that did not pass, by the names of their tests.
func trialsByTest(r *runs.Result) map[string][]runs.Trial {
	list := map[string][]runs.Trial{}
	for _, t := range r.Trials {
		if t.Judged && !t.Baseline && t.Outcome != "pass" {
			list[t.Test] = append(list[t.Test], t)
		}
	}
	return list
}

// causesOf groups the trials of a test that did not pass by why, the most frequent cause first. Where the result does
// not list all of them the first ones stand for them, and the text says so.
func causesOf(t *runs.Test, trials []runs.Trial) []document.Cause {
	return grouped(failuresOf(t, trials), t.Fails+t.Errors)
}

// failuresOf are the trials of a test that did not pass, or the first of them.
func failuresOf(t *runs.Test, trials []runs.Trial) (list []failure) {
	if all := t.Fails + t.Errors; len(trials) == all {
		for _, x := range trials {
			list = append(list, failure{trialOf(t, x.Scenario, x.Trial), x.Text})
		}
	} else {
		for _, x := range t.Failures {
			list = append(list, failure{trialOf(t, x.Scenario, x.Trial), x.Text})
		}
	}
	return list
}

// passedCauses says of a run in which all is well why trials did not pass that no finding is about: of all tests
// together, as a block for each would fill the screen.
func passedCauses(d *document.Document, r *runs.Result) {
	if d.Colour != verdict.Pass {
		return
	}
	told := map[string]bool{}
	for _, f := range d.Findings {
		told[f.Test] = true
	}
	listed, all := trialsByTest(r), 0
	var list []failure
	for i := range r.Tests {
		if t := &r.Tests[i]; !told[t.Name] && !setAside(t) {
			list, all = append(list, failuresOf(t, listed[t.Name])...), all+t.Fails+t.Errors
		}
	}
	d.Parts = append(d.Parts, document.CauseList(grouped(list, all)))
}

// failure is a trial that did not pass, and why.
type failure struct{ name, text string }

// grouped are the causes of failures, of so many that did not pass in all.
func grouped(list []failure, all int) (causes []document.Cause) {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = x.text
	}
	for _, g := range phrase.Groups(texts) {
		c := document.Cause{Text: orUnknown(g.Text), Count: len(g.Of), Of: all, Among: len(list)}
		for _, i := range g.Of {
			c.Trials = append(c.Trials, list[i].name)
		}
		causes = append(causes, c)
	}
	return causes
}

// trialOf is the name of a trial of a test: the variant is in that of the test.
func trialOf(t *runs.Test, scenario string, number int) string {
	if t.Variant != "" {
		scenario = t.Name
	}
	return trialName(scenario, number)
}

// trialName is the name by which a person finds a trial again, and runs it: "refund#2" is that of the number 2.
func trialName(scenario string, number int) string {
	return safe.TrialName(scenario, number)
}

// mostCauses is how many causes of a finding the text lists: a person reads that many. Chosen.
const mostCauses = 4

// findings writes what did not pass: a line of its own for each, the reasons below it.
func (p *page) findings(d *document.Document) {
	rows := rowsOf(d, 0)
	for i, f := range d.Findings {
		if i == rows {
			p.note(more(d, len(d.Findings)-i, "Rows"))
			break
		}
		// Of a single test the headline has said it.
		if strings.HasSuffix(d.Headline, f.Sentence) {
			f.Sentence = ""
		}
		p.finding(f)
	}
	if d.Fine != "" {
		p.marked(verdict.Pass, d.Fine)
	}
	if len(d.Findings) > 0 || d.Fine != "" {
		p.blank()
	}
}

// finding is one of them. Names are whole: they are copied.
func (p *page) finding(f document.Finding) {
	p.hung(p.paint(f.Verdict, p.mark(f.Verdict)), 1, safe.Text(f.Name), f.Sentence)
	for _, text := range slices.Concat(f.More, answersOf(f.Pair)) {
		p.hung("", 1, "", text)
	}
	for i, c := range f.Causes {
		if i == mostCauses {
			p.hung("", 1, "", fmt.Sprintf("and %s", prose.Count(len(f.Causes)-i, "further reason")))
			break
		}
		p.cause(c)
	}
	if f.Do != "" {
		p.hung("", 1, "", f.Do)
	}
}

// answersOf are what a trial of each side answered; nil where that is not known.
func answersOf(f *compare.Flip) []string {
	// Chosen: a line of a terminal.
	const most = 60
	if f == nil || f.BaselineOutput == "" || f.CandidateOutput == "" {
		return nil
	}
	candidate := f.CandidateTrial
	if candidate == nil {
		candidate = f.Trial // of a pair
	}
	line := func(side string, number *int, output string) string {
		if number != nil {
			side += " " + trialName(f.Scenario, *number)
		}
		return side + `: "` + phrase.Excerpt(safe.Text(output), most) + `"`
	}
	return []string{line("baseline", f.Trial, f.BaselineOutput), line("candidate", candidate, f.CandidateOutput)}
}

// causes are why some trials did not pass where all is well: the most frequent reasons, in two lines or so each.
func (p *page) causes(list []document.Cause) {
	const most = 3 // chosen: the result of three scenarios stays on a screen of 24 lines
	label := "did not pass"
	for i, c := range list {
		if i == most-1 && len(list) > most {
			p.labelled(label, "and "+prose.Count(len(list)-i, "further reason"))
			break
		}
		text := table.Cut(safe.Text(c.Text), p.width, p.ellipsis())
		p.labelled(label, p.times(c.Count)+" "+text+", in "+c.Names(1))
		label = ""
	}
}

// times is how often a cause was met.
func (p *page) times(n int) string {
	if p.ascii {
		return fmt.Sprintf("%d x", n)
	}
	return fmt.Sprintf("%d ×", n)
}

// cause is why some trials did not pass, with their names.
func (p *page) cause(c document.Cause) {
	count := p.times(c.Count)
	p.hung(strings.Repeat(" ", 2)+count, table.Width(count)+2, "", c.Text)
	if names := c.Names(document.MostCauseTrials); names != "" {
		p.hung("", table.Width(count)+2, "", names)
	}
}

// marked is a line behind the mark of a verdict.
func (p *page) marked(v verdict.Verdict, text string) { p.hung(p.paint(v, p.mark(v)), 1, "", text) }

// mark is the sign of a verdict.
func (p *page) mark(v verdict.Verdict) string {
	mark := document.Mark(v)
	if p.ascii {
		mark = strings.NewReplacer("✓", "+", "✗", "x").Replace(mark)
	}
	return mark
}

// hung is a text behind a mark of so many columns, with a name before it in bold; further lines begin below the first.
func (p *page) hung(mark string, columns int, name, text string) {
	if mark == "" {
		mark = strings.Repeat(" ", columns)
	}
	add := func(line string) {
		p.lines = append(p.lines, strings.TrimRight(strings.Repeat(" ", indent)+mark+" "+line, " "))
		mark = strings.Repeat(" ", columns)
	}
	room := p.width - indent - columns - 1
	width := table.Width(name)
	switch {
	case name == "":
	// A name that leaves little room has a line of its own.
	case width > min(room/2, mostWord-2):
		for _, line := range table.Wrap(name, room) {
			add(p.bold(line))
		}
		name = ""
	default:
		// A word of the same width holds its place.
		text = strings.Repeat("x", width+1) + " " + text
	}
	for i, line := range p.wrap(text, room) {
		if i == 0 && name != "" {
			line = p.bold(name) + "  " + strings.TrimPrefix(line[width+1:], " ")
		}
		add(line)
	}
}
