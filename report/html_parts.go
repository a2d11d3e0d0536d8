package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// htmlIntervals is the table of estimates against the threshold.
type htmlIntervals struct {
	Title, Note string
	Columns     []Column
	Rows        []htmlInterval
}

type htmlInterval struct {
	Name    string
	Verdict verdict.Verdict
	Chart   template.HTML
	Cells   []string
}

type htmlPath struct {
	Name, Count, Caption, Outcomes string
	Verdict                        verdict.Verdict
	Reasons                        []string
	Chart                          template.HTML
	Open                           bool
}

type htmlFlip struct{ Name, What, Class, Before, After, Baseline, Candidate string }

type htmlTrials struct {
	Note string
	List []htmlTrial
}

type htmlTrial struct {
	Name, Outcome, About, Text, Input, Output, More string
	Number                                          int
	Steps                                           []runs.Step
}

// worstFirst calls f for the tests: those that failed first, then those that are open.
func worstFirst(tests []runs.Test, f func(*runs.Test)) {
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive, verdict.Pass} {
		for i := range tests {
			if tests[i].Verdict == v {
				f(&tests[i])
			}
		}
	}
}

func (p *htmlPage) run(r *runs.Result) {
	if len(r.Tests) > 0 {
		p.Intervals = &htmlIntervals{
			Title: "Estimates against the threshold", Note: "Median-unbiased estimates with their intervals, which allow for the stopping; the dashed line is the threshold.",
			Columns: columns("scenario", "verdict", "0 to 1", ">passes", ">errors", ">estimate", ">interval", ">threshold", ">fixed n", ">cost per success"),
		}
	}
	designs := map[string]string{}
	var defs strings.Builder
	worstFirst(r.Tests, func(t *runs.Test) {
		p.Intervals.Rows = append(p.Intervals.Rows, runInterval(t))
		id := designs[t.Design.Digest]
		if id == "" {
			id = fmt.Sprintf("design-%d", len(designs)+1)
			designs[t.Design.Digest] = id
			defs.WriteString(boundaryGroup(id, t.Design.Boundaries))
		}
		path := htmlPath{
			Name: nameOf(t.Name), Verdict: t.Verdict, Count: ofTrials(t.Passes, t.Trials) + " passed",
			Chart:   pathChart(id, t.Design.Boundaries, judgedMarks(t), fmt.Sprintf("%s after %s", t.Verdict, plural(t.Trials, "trial"))),
			Caption: fmt.Sprintf("%s design, at most %s; false Fail %s, false Pass %s (exact)", clean(t.Design.Kind), plural(t.Design.MaxTrials, "trial"), exactChance(t.Design.Alpha), exactChance(t.Design.Beta)),
			Open:    len(p.Paths) == 0, Outcomes: outcomeGroups(t.Outcomes),
		}
		for _, line := range reasonLines(t.Reasons) {
			path.Reasons = append(path.Reasons, clean(line))
		}
		p.Paths = append(p.Paths, path)
	})
	p.Defs = template.HTML(defs.String())
	for _, c := range r.Characteristics {
		for i := range r.Tests {
			if t := &r.Tests[i]; t.Design.Digest == c.Digest {
				p.Curves = append(p.Curves, curveFigures(c, t)...)
				break
			}
		}
	}
	for _, d := range r.Distributions {
		p.Spreads = append(p.Spreads, spreadFigure(d))
	}
	p.trials(r)
}

func runInterval(t *runs.Test) htmlInterval {
	estimate, interval, fixed := none, none, none
	var chart template.HTML
	if e := t.Estimate; e != nil {
		estimate, interval = rate(e.MedianUnbiased), limits(rate(e.Low), rate(e.High))
		chart = intervalChart(e.Low, e.High, &e.MedianUnbiased, t.Threshold)
	}
	if t.Savings != nil {
		fixed = fmt.Sprint(t.Savings.FixedTrials)
	}
	return htmlInterval{nameOf(t.Name), t.Verdict, chart, []string{
		fmt.Sprintf("%d/%d", t.Passes, t.Trials), fmt.Sprint(t.Errors), estimate, interval, brief(t.Threshold), fixed, spent(t.CostPerSuccess, money),
	}}
}

// judgedMarks are the outcomes of the judged trials.
func judgedMarks(t *runs.Test) string {
	return t.Outcomes[:max(min(t.Trials, len(t.Outcomes)), 0)]
}

// outcomeGroups sets blanks between tens.
func outcomeGroups(outcomes string) string {
	const group, most = 10, 2000
	var b strings.Builder
	for i := 0; i < len(outcomes) && i < most; i += group {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(outcomes[i:min(i+group, len(outcomes))])
	}
	return clean(b.String())
}

func (p *htmlPage) trials(r *runs.Result) {
	if len(r.Trials) == 0 {
		return
	}
	p.Trials = &htmlTrials{Note: fmt.Sprintf("%s, those that did not pass first; texts are cut.", plural(len(r.Trials), "trial"))}
	if r.TrialsOmitted > 0 {
		p.Trials.Note += fmt.Sprintf(" There is no room for %d more.", r.TrialsOmitted)
	}
	for _, t := range r.Trials {
		about := []string{}
		if t.CostUSD != nil {
			about = append(about, money(*t.CostUSD))
		}
		if t.Duration != nil {
			about = append(about, duration(*t.Duration))
		}
		if !t.Judged {
			about = append(about, "after the decision")
		}
		v := htmlTrial{
			Name: nameOf(t.Scenario), Number: t.Trial, Outcome: clean(t.Outcome), About: strings.Join(about, ", "),
			Text: clean(t.Text), Input: lines(t.Input), Output: lines(t.Output),
		}
		for _, s := range t.Steps {
			v.Steps = append(v.Steps, runs.Step{Action: clean(s.Action), Tool: clean(s.Tool), Arguments: lines(s.Arguments), Output: lines(s.Output), Error: clean(s.Error)})
		}
		if t.StepsOmitted > 0 {
			v.More = plural(t.StepsOmitted, "further step")
		}
		p.Trials.List = append(p.Trials.List, v)
	}
}

func (p *htmlPage) threshold(r *verdict.ThresholdResult) {
	all := r.Scenarios
	if r.Suite != nil {
		suite := *r.Suite
		suite.Name = fmt.Sprintf("all %s", plural(len(r.Scenarios), "scenario"))
		all = append([]verdict.RateVerdict{suite}, all...)
	}
	if len(all) == 0 {
		return
	}
	p.Intervals = &htmlIntervals{
		Title: "Intervals against the threshold", Note: "The dashed line is the threshold " + brief(r.Threshold) + ".",
		Columns: columns("scenario", "verdict", "0 to 1", ">passes", ">errors", ">rate", ">interval", "reason"),
	}
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive, verdict.Pass} {
		for _, x := range all {
			if x.Verdict != v {
				continue
			}
			row := htmlInterval{Name: nameOf(x.Name), Verdict: v, Cells: []string{fmt.Sprintf("%d/%d", x.Passes, x.Trials), fmt.Sprint(x.Errors), rateOf(x.Rate), none, clean(reasonsText(x.Reasons))}}
			if i := x.Interval; i != nil {
				row.Chart, row.Cells[3] = intervalChart(i.Low, i.High, x.Rate, r.Threshold), rateLimits(i)
			}
			p.Intervals.Rows = append(p.Intervals.Rows, row)
		}
	}
}

func (p *htmlPage) comparison(r *compare.Result) {
	p.Intervals = &htmlIntervals{Title: "Intervals of both sides", Columns: columns("side", "verdict", "0 to 1", ">passes", ">errors", ">rate", ">interval")}
	p.Intervals.Note = "The dashed line is the baseline's rate less delta."
	if r.Baseline.Rate == nil {
		p.Intervals = nil
		return
	}
	for _, s := range []compare.Side{r.Baseline, r.Candidate} {
		row := htmlInterval{Name: nameOf(s.Name), Verdict: r.Verdict, Cells: []string{fmt.Sprintf("%d/%d", s.Passes, s.Trials), fmt.Sprint(s.Errors), rateOf(s.Rate), none}}
		if i := s.Interval; i != nil {
			row.Chart, row.Cells[3] = intervalChart(i.Low, i.High, s.Rate, *r.Baseline.Rate-r.Delta), rateLimits(i)
		}
		p.Intervals.Rows = append(p.Intervals.Rows, row)
	}
	if r.Pairs == nil {
		return
	}
	for _, f := range r.Pairs.Flips {
		if f.BaselineOutput == "" && f.CandidateOutput == "" || len(p.Flips) == mostListed {
			continue
		}
		flip := htmlFlip{Name: nameOf(f.Scenario), What: "broke", Class: "fail", Before: "pass", After: "fail", Baseline: lines(f.BaselineOutput), Candidate: lines(f.CandidateOutput)}
		if f.To == "pass" {
			flip.What, flip.Class, flip.Before, flip.After = "mended", "pass", "fail", "pass"
		}
		p.Flips = append(p.Flips, flip)
	}
}

func (p *htmlPage) sequential(r *sequential.Result) {
	var marks strings.Builder
	before := 0
	for _, failures := range r.Path {
		if failures > before {
			marks.WriteByte('F')
		} else {
			marks.WriteByte('P')
		}
		before = failures
	}
	p.Defs = template.HTML(boundaryGroup("design-1", r.Design.Boundaries))
	p.Paths = []htmlPath{{
		Name: "recording", Verdict: r.Verdict, Count: ofTrials(r.Passes, r.Trials) + " passed", Open: true,
		Chart:   pathChart("design-1", r.Design.Boundaries, marks.String(), fmt.Sprintf("%s after %s", r.Verdict, plural(r.Trials, "trial"))),
		Caption: fmt.Sprintf("%s design, at most %s", clean(r.Design.Kind), plural(r.Design.MaxTrials, "trial")),
	}}
	if e := r.Estimate; e != nil {
		p.Intervals = &htmlIntervals{Title: "Estimate against the threshold", Note: "The dashed line is the threshold " + brief(r.Threshold) + ".", Columns: columns("what", "verdict", "0 to 1", ">passes", ">estimate", ">interval")}
		p.Intervals.Rows = []htmlInterval{{"recording", r.Verdict, intervalChart(e.Low, e.High, &e.MedianUnbiased, r.Threshold), []string{fmt.Sprintf("%d/%d", r.Passes, r.Trials), rate(e.MedianUnbiased), limits(rate(e.Low), rate(e.High))}}}
	}
}
