package rank

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Improvement says whether the second of two results is better than the first on an axis, and worse in nothing that
// goes before. The steps are taken in their order, each at the whole alpha, and none after one that does not hold: that
// keeps the chance that any of them holds wrongly at alpha (Maurer, Hothorn & Lehmacher 1995; Westfall & Krishen 2001).
type Improvement struct {
	Axis  string  `json:"axis"`
	Delta float64 `json:"delta"` // the drop of the pass rate that is to be excluded
	Steps []Step  `json:"steps"` // those that were taken
}

// Step is one of the steps of an improvement.
type Step struct {
	Name string   `json:"name"` // of the axis
	P    *float64 `json:"p"`    // that what is wanted does not hold; nil where it is no test
	Held bool     `json:"held"`
	Text string   `json:"text"` // for a person
}

// Reasons of an improvement.
const (
	codeImproved   verdict.Code = "axis-improved"
	codeAxisWorse  verdict.Code = "axis-worse"
	codeAxisOpen   verdict.Code = "axis-open"
	codeStepBroken verdict.Code = "step-not-held"
)

// improve takes the steps, if an improvement was asked for, and sets the verdict.
//
// Pass: all steps hold. Fail: the pass rate or the axis is shown to be worse, each at half of alpha, whichever step was
// reached, or contracts are kept less often.
func (r *Result) improve(ctx context.Context) error {
	r.Verdict, r.ExitCode, r.Reasons = verdict.Inconclusive, 0, []verdict.Reason{}
	m := r.Improvement
	if m == nil {
		return nil
	}
	m.Steps = []Step{}
	axis, err := r.improvable()
	if err != nil {
		return err
	}
	defer func() { r.ExitCode = r.Verdict.ExitCode() }()
	for _, a := range []*Axis{&r.Axes[0], axis} {
		if r.worse(a) {
			r.Verdict = verdict.Fail
			r.Reasons = append(r.Reasons, codeAxisWorse.Reason("%s is worse: %s (two-sided p %s)", a.Name, change(a),
				phrase.Significant(a.Pairs[0].P)))
		}
	}
	for i := range r.Axes {
		if a := &r.Axes[i]; a.From == score.Contracts && a.Name != m.Axis && !r.contractsHold(a) {
			r.Reasons = append(r.Reasons, codeStepBroken.Reason("%s", m.Steps[len(m.Steps)-1].Text))
			if a.moved(-1) {
				r.Verdict = verdict.Fail
			}
		}
	}
	if len(r.Reasons) > 0 {
		return nil
	}
	held, err := r.rateHolds(ctx)
	if err != nil {
		return err
	}
	if !held {
		r.Reasons = append(r.Reasons, codeStepBroken.Reason("%s, so %s was not tested", m.Steps[len(m.Steps)-1].Text, m.Axis))
		return nil
	}
	pair := axis.Pairs[0]
	p := 1 - pair.P/2
	if axis.moved(1) {
		p = pair.P / 2
	}
	step := Step{Name: axis.Name, P: &p, Held: p <= r.Alpha, Text: fmt.Sprintf("%s: %s, p %s", axis.Name, change(axis),
		phrase.Significant(p))}
	m.Steps = append(m.Steps, step)
	if !step.Held {
		r.Reasons = append(r.Reasons, codeAxisOpen.Reason("whether %s is better is open: %s (p %s)", axis.Name, change(axis),
			phrase.Significant(p)))
		return nil
	}
	r.Verdict = verdict.Pass
	r.Reasons = append(r.Reasons, codeImproved.Reason("%s is better: %s (p %s), and nothing before it is worse", axis.Name,
		change(axis), phrase.Significant(p)))
	return nil
}

// worse reports whether the pass rate, or the axis that is to be improved, is shown to be worse: at half of alpha on
// the side of the drop, and half of that again, as there are two of them.
func (r *Result) worse(a *Axis) bool {
	if a != &r.Axes[0] && a.Name != r.Improvement.Axis || len(a.Pairs) == 0 {
		return false
	}
	return a.moved(-1) && a.Pairs[0].P <= r.Alpha
}

// moved reports whether the candidate is on one side of the baseline, 1 above and -1 below, by the means of scenarios
// and by the difference within them, which weighs a scenario by its trials: a verdict contradicts neither.
func (a *Axis) moved(side float64) bool {
	first, second, d := a.Ranks[0].Mean, a.Ranks[1].Mean, a.Pairs[0].Difference
	return first != nil && second != nil && d != nil && side*(*second-*first) > 0 && side**d > 0
}

// improvable returns the axis that is to be improved; the error says why that cannot be asked.
func (r *Result) improvable() (*Axis, error) {
	m := r.Improvement
	if len(r.Results) != 2 {
		return nil, &optionError{"improve", fmt.Sprintf("is of two results, not %d", len(r.Results)), "the baseline first"}
	}
	if !(m.Delta > 0 && m.Delta < 1) {
		return nil, &optionError{"delta", "must lie strictly between 0 and 1", ""}
	}
	for _, e := range r.Results {
		if e.Stopped {
			return nil, &optionError{
				"improve", fmt.Sprintf("needs trials of a fixed number, and tests stopped those of %q", prose.Excerpt(e.Name)),
				"give each scenario trials: N, or record them",
			}
		}
	}
	var names []string
	for i := range r.Axes {
		if r.Axes[i].Name == m.Axis && i > 0 {
			return &r.Axes[i], nil
		}
		if i > 0 {
			names = append(names, r.Axes[i].Name)
		}
	}
	return nil, &optionError{"improve", fmt.Sprintf("has no axis %q", prose.Excerpt(m.Axis)),
		prose.DidYouMean(m.Axis, names)}
}

// change is what became of the mean on an axis.
func change(a *Axis) string {
	first, second := a.Ranks[0].Mean, a.Ranks[1].Mean
	if first == nil || second == nil {
		return "a mean is not known"
	}
	return fmt.Sprintf("%.3g of %.3g, from %.3g", *second, a.Max, *first)
}

// contractsHold takes the step of an axis of contracts: they are kept no less often, by the means of scenarios and by
// the difference within them. It is no test, and can only keep an improvement from being shown.
func (r *Result) contractsHold(a *Axis) bool {
	first, second, d := a.Ranks[0].Mean, a.Ranks[1].Mean, a.Pairs[0].Difference
	step := Step{Name: a.Name, Held: first != nil && second != nil && *second >= *first}
	step.Text = fmt.Sprintf("%s: %s", a.Name, change(a))
	switch {
	case !step.Held && d != nil && *d > 0:
		step.Text = fmt.Sprintf("%s: kept less often in scenarios with fewer trials, %s", a.Name, change(a))
	case !step.Held:
		step.Text = fmt.Sprintf("%s: kept less often, %s", a.Name, change(a))
	case d != nil && *d < 0:
		step.Held = false
		step.Text = fmt.Sprintf("%s: kept less often in scenarios with more trials, %s", a.Name, change(a))
	}
	r.Improvement.Steps = append(r.Improvement.Steps, step)
	return step.Held
}

// rateHolds takes the step of the pass rate: a drop of delta is excluded.
func (r *Result) rateHolds(ctx context.Context) (bool, error) {
	m := r.Improvement
	counts := func(e Entry, test string) (c stats.Counts) {
		for _, x := range e.values(test, RateAxis) {
			c.Trials++
			c.Passes += int(x)
		}
		return c
	}
	var strata []stats.Stratum
	for _, t := range r.Results[0].Tests {
		strata = append(strata, stats.Stratum{Baseline: counts(r.Results[0], t.Name),
			Candidate: counts(r.Results[1], t.Name)})
	}
	p := 1.0
	var err error
	switch s := strata[0]; {
	case len(strata) > 1:
		var found stats.StratifiedNonInferiorityResult
		found, err = stats.StratifiedNonInferiority(ctx, strata, nil, m.Delta)
		p = found.P
	case s.Baseline.Trials > 0 && s.Candidate.Trials > 0:
		p, err = stats.NonInferiority(ctx, s.Baseline, s.Candidate, m.Delta)
	}
	if err != nil {
		return false, err
	}
	step := Step{Name: RateAxis, P: &p, Held: p <= r.Alpha}
	is := "is not excluded"
	if step.Held {
		is = "is excluded"
	}
	step.Text = fmt.Sprintf("rate: a drop of %s %s: %s, p %s", phrase.Points(m.Delta), is, change(&r.Axes[0]),
		phrase.Significant(p))
	m.Steps = append(m.Steps, step)
	return step.Held, nil
}

// Claims are the verdict with the ranks that the candidate may have, on each axis that the verdict speaks of: a Pass
// says that it is not second on the axis, nor on one that goes before; a Fail that it is not first where it was found
// to be worse. A rank is less where it is better.
func (r *Result) Claims() (list []verdict.Claim) {
	m := r.Improvement
	if m == nil || r.Verdict == verdict.Inconclusive {
		return nil
	}
	for i := range r.Axes {
		a := &r.Axes[i]
		before := i == 0 || a.From == score.Contracts // in the order of the steps
		said := before || a.Name == m.Axis
		if r.Verdict == verdict.Fail {
			said = r.worse(a) || before && i > 0 && a.Name != m.Axis && a.moved(-1)
		}
		if said {
			list = append(list, verdict.Claim{Path: fmt.Sprintf("axes[%d].ranks[1]", i), Verdict: r.Verdict,
				Low: -float64(a.Ranks[1].High), High: -float64(a.Ranks[1].Low), Bad: -1.5, Good: -1.5})
		}
	}
	return list
}
