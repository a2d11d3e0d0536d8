package relations

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// errEmpty says that no relation was tried.
var errEmpty = errors.New("there is no relation")

// Judge says which relations hold by a run of their pairs. [errEmpty] is for a run without tests. A
// [verdict.DifferenceError] says what of the run is not what the relations ask for.
func Judge(ctx context.Context, e Evidence) (*Result, error) {
	if e.Run == nil || len(e.Run.Tests) == 0 {
		return nil, errEmpty
	}
	if len(e.Pairs) != len(e.Run.Tests) {
		return nil, &verdict.DifferenceError{Path: "run.scenarios", Have: prose.Count(len(e.Run.Tests), "test"),
			Want: fmt.Sprint(len(e.Pairs))}
	}
	r := begun(e.Suite, e.Digest, e.Claims, e.Options)
	r.Run = e.Run
	for i, p := range e.Pairs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		t := &e.Run.Tests[i]
		j, err := r.of(p.Relation)
		if err != nil {
			return nil, err
		}
		if t.Name != p.Test {
			return nil, &verdict.DifferenceError{Path: "run.scenarios.name", Have: t.Name, Want: p.Test}
		}
		if err := asked(t, j.Claim, e.Options); err != nil {
			return nil, err
		}
		cell, err := cellOf(p.Scenario, t, j.Claim, e.Vacuous[p.Test], e.Options)
		if err != nil {
			return nil, err
		}
		cell.Example = append(cell.Example, e.Examples[p.Test]...)
		j.Scenarios = append(j.Scenarios, cell)
	}
	r.decide()
	return r, nil
}

// begun is a result in which nothing is judged yet.
func begun(suite, digest string, claims []Claim, o Options) *Result {
	r := &Result{Schema: Schema, Suite: suite, Digest: digest, Asked: o, Warnings: []verdict.Warning{}}
	for _, c := range claims {
		r.Relations = append(r.Relations, JudgedRelation{Claim: c, Scenarios: []Cell{}})
	}
	return r
}

// of finds a relation by its name.
func (r *Result) of(name string) (*JudgedRelation, error) {
	i := slices.IndexFunc(r.Relations, func(j JudgedRelation) bool { return j.Name == name })
	if i < 0 {
		return nil, &verdict.DifferenceError{Path: "relations.name", Have: "none called " + prose.Quote(name), Want: "one"}
	}
	return &r.Relations[i], nil
}

// asked refuses a test that keeps other errors, or asks something else, than the relation says: what is promised of the
// result rests on that.
func asked(t *runs.Test, c Claim, o Options) error {
	differs := func(what string, have, want any) error {
		return &verdict.DifferenceError{Path: "run.scenarios." + what,
			Have: fmt.Sprintf("%v of test %s", have, prose.Quote(t.Name)), Want: fmt.Sprint(want)}
	}
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }
	x := t.Regression
	if o.Recorded > 0 {
		if t.Design.Kind != sprt.RecordingKind.String() || x != nil {
			return differs("design", t.Design.Kind, sprt.RecordingKind)
		}
		return nil
	}
	switch {
	case x == nil && !c.Alone:
		return differs("regression", "none", "a test against pairs of equal inputs")
	case x != nil && c.Alone && o.Baseline == "":
		return differs("regression", "a test against others", "none")
	case x != nil && (x.Delta != c.Delta || x.Beta != o.Beta || !same(t.Together(x.Alpha), o.Alpha)):
		return differs("regression", fmt.Sprintf("alpha %v, beta %v, delta %v", t.Together(x.Alpha), x.Beta, x.Delta),
			fmt.Sprintf("alpha %v, beta %v, delta %v", o.Alpha, o.Beta, c.Delta))
	case x != nil && (x.Kind == runs.StoredKind) != (o.Baseline != ""):
		return differs("regression.kind", x.Kind, "that of the baseline")
	// What is promised at any rate of agreement is promised up to so many discordant rounds.
	case x != nil && x.Kind != runs.StoredKind && (x.Kind != runs.MatchedKind || x.High < (1+c.Delta*c.Delta)/2-1e-12):
		return differs("regression.highest_guarded", x.High, (1+c.Delta*c.Delta)/2)
	case c.MaxViolationRate == nil && t.Threshold != 0:
		return differs("threshold", t.Threshold, "none")
	case c.MaxViolationRate != nil && (!same(t.Threshold, 1-*c.MaxViolationRate) || t.Delta != c.Delta ||
		t.Beta != o.Beta ||
		!same(t.Together(t.Alpha), o.Alpha)):
		return differs("threshold", t.Threshold, 1-*c.MaxViolationRate)
	}
	return nil
}

// cellOf judges a relation in a scenario by its test.
func cellOf(scenario string, t *runs.Test, c Claim, vacuous int, o Options) (Cell, error) {
	cell := Cell{Scenario: scenario, Verdict: t.Verdict, Vacuous: vacuous, Example: []Example{}}
	var err error
	interval := whenever
	if o.Recorded > 0 {
		interval = fixed
	}
	if cell.FollowUp, err = rated(t.Trials, t.Fails, t.Errors, interval); err != nil {
		return cell, err
	}
	if o.Recorded > 0 {
		cell.Reasons = []verdict.Reason{codePairsRecorded.Reason("violated by %s; a recording decides nothing",
			cell.FollowUp.text("pair"))}
		return cell, nil
	}
	if x := t.Regression; x != nil {
		control, err := rated(x.Baseline.Trials, x.Baseline.Fails, x.Baseline.Errors, whenever)
		if err != nil {
			return cell, err
		}
		cell.Control, cell.P = &control, x.PUnchanged
		if d := x.Difference; d != nil {
			cell.Excess = &Excess{Estimate: -d.MedianUnbiased, Level: d.Level, Low: -d.High, High: -d.Low}
		}
	}
	cell.conclude(c, o.Baseline != "", t.Regression != nil && t.Regression.Verdict == verdict.Fail, openBecause(t))
	return cell, nil
}

// openBecause says why a test has no verdict, in the words of the run; "" where pairs were used up.
func openBecause(t *runs.Test) string {
	if len(t.Reasons) == 0 {
		return ""
	}
	switch t.Reasons[0].Code {
	case runs.CodeNotEnded, runs.CodeUndecided:
		return "the run ended before the test did"
	case verdict.CodeErrorsMatter:
		return "the errors would decide"
	}
	return ""
}

// conclude says what the verdict rests on, and takes back a Pass that says nothing.
func (c *Cell) conclude(claim Claim, earlier, excess bool, open string) {
	counts := c.beside(earlier)
	delta := phrase.Points(claim.Delta)
	switch c.Verdict {
	case verdict.Fail:
		switch {
		case excess && earlier:
			c.Reasons = []verdict.Reason{codeMoreViolated.Reason("%s: more often than by the baseline (p %s)", counts,
				pText(c.P))}
		case excess:
			c.Reasons = []verdict.Reason{codeViolated.Reason("%s: more often than the agent disagrees with itself (p %s)",
				counts,
				pText(c.P))}
		default:
			c.Reasons = []verdict.Reason{codeRateHigh.Reason("%s: above the %s that may", counts, phrase.Percent(claim.most()))}
		}
	case verdict.Pass:
		switch {
		case c.Vacuous > 0 && c.Vacuous == c.FollowUp.Pairs-c.FollowUp.Errors:
			c.Verdict = verdict.Inconclusive
			c.Reasons = []verdict.Reason{codeVacuous.Reason("in all of %s there was nothing to compare",
				prose.Count(c.FollowUp.Pairs, "pair"))}
		case !earlier && c.noisy(claim.Delta) && claim.MaxViolationRate == nil:
			c.Verdict = verdict.Inconclusive
			c.Reasons = []verdict.Reason{codeNoise.Reason("%s: the agent hardly agrees with itself, so that it shows nothing; "+
				"compare less of the outputs, or bound the rate itself", counts)}
		case c.Control == nil:
			c.Reasons = []verdict.Reason{codeRateLow.Reason("%s: a rate of %s or more is ruled out", counts,
				phrase.Percent(claim.most()+claim.Delta))}
		default:
			c.Reasons = []verdict.Reason{codeHolds.Reason("%s: an excess of %s or more is ruled out", counts, delta)}
		}
	default:
		if open == "" {
			open = "the pairs are used up"
		}
		c.Reasons = []verdict.Reason{codeOpen.Reason("%s: %s, and neither a violation is shown nor an excess of %s ruled out",
			counts,
			open, delta)}
	}
}

// most is the bound of the share of violations; 0 where there is none.
func (c Claim) most() float64 {
	if c.MaxViolationRate == nil {
		return 0
	}
	return *c.MaxViolationRate
}

// pText is a p-value in a sentence.
func pText(p *float64) string {
	if p == nil {
		return "is not known"
	}
	return phrase.Significant(*p)
}

// decide sets the verdict of each relation and of all, with its reasons and the warnings.
func (r *Result) decide() {
	var violated, open, held []string
	vacuous, errors := 0, 0
	r.Relations = slices.DeleteFunc(r.Relations, func(j JudgedRelation) bool { return len(j.Scenarios) == 0 })
	for i := range r.Relations {
		j := &r.Relations[i]
		j.Verdict = verdict.Pass
		for _, c := range j.Scenarios {
			r.Pairs += c.FollowUp.Pairs
			vacuous, errors = vacuous+c.Vacuous, errors+c.FollowUp.Errors
			if c.Control != nil && r.Asked.Baseline == "" {
				r.Pairs += c.Control.Pairs
				errors += c.Control.Errors
			}
			switch {
			case c.Verdict == verdict.Fail:
				j.Verdict = verdict.Fail
			case c.Verdict != verdict.Pass && j.Verdict == verdict.Pass:
				j.Verdict = verdict.Inconclusive
			}
		}
		switch j.Verdict {
		case verdict.Fail:
			violated = append(violated, j.Name)
		case verdict.Pass:
			held = append(held, j.Name)
		default:
			open = append(open, j.Name)
		}
	}
	switch {
	case r.Asked.Recorded > 0:
		r.Reasons = []verdict.Reason{codePairsRecorded.Reason("%s of %s; a recording decides nothing",
			prose.Count(r.Pairs, "pair"), prose.Count(len(r.Relations), "relation"))}
	case len(violated) > 0:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{codeSomeViolated.Reason("%s violated: %s", are(len(violated), len(r.Relations)),
			phrase.First(violated))}
	case len(open) > 0:
		r.Verdict = verdict.Inconclusive
		r.Reasons = []verdict.Reason{codeSomeOpen.Reason("%s undecided: %s", are(len(open), len(r.Relations)),
			phrase.First(open))}
	default:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeAllHold.Reason("%s: %s", holdText(len(held)), phrase.First(held))}
	}
	r.ExitCode = r.Verdict.ExitCode()
	whole := func(j JudgedRelation) bool {
		return !slices.ContainsFunc(j.Scenarios, func(c Cell) bool { return c.FollowUp.Pairs < r.Asked.Recorded })
	}
	if r.Asked.Recorded > 0 && !slices.ContainsFunc(r.Relations, func(j JudgedRelation) bool { return !whole(j) }) {
		r.ExitCode = verdict.Pass.ExitCode() // nothing was asked that could have failed
	}
	if vacuous > 0 {
		r.Warnings = append(r.Warnings, warnNothingCompared.Warning("%s held because there was nothing to compare",
			prose.Count(vacuous, "pair")))
	}
	if errors > 0 {
		r.Warnings = append(r.Warnings,
			warnPairErrors.Warning("%s ended in %s: nobody knows whether the relation holds there, "+
				"and a verdict stands however they would have ended", prose.Count(errors, "pair"),
				prose.Form(errors, "an error", "errors")))
	}
	r.warnRecorded()
}

// are begins a sentence: "the relation is", "1 of 3 relations is", "2 of 3 relations are".
func are(n, all int) string {
	if all == 1 {
		return "the relation is"
	}
	return fmt.Sprintf("%d of %s %s", n, prose.Count(all, "relation"), prose.Form(n, "is", "are"))
}

// holdText says that all relations hold.
func holdText(n int) string {
	switch n {
	case 1:
		return "the relation holds"
	case 2:
		return "both relations hold"
	}
	return fmt.Sprintf("all %d relations hold", n)
}
