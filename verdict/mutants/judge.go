package mutants

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Errors of campaigns.
var (
	ErrOriginal = errors.New("the suite does not pass on the agent as it is") // so nothing can be scored
	ErrEmpty    = errors.New("there is no mutant")
)

// Judge says what became of every mutant, and scores the suite. [ErrOriginal] is for an original that does not pass,
// and [ErrEmpty] for a campaign without mutants: neither has a score. A [verdict.DifferenceError] says what of the
// campaign does not fit together.
func Judge(ctx context.Context, c Campaign) (*Result, error) {
	c.Options.Edition = unaskedEdition
	return judge(ctx, c)
}

// judge is Judge by the rules of an edition.
func judge(ctx context.Context, c Campaign) (*Result, error) {
	switch {
	case c.Original == nil || c.Original.Verdict != verdict.Pass:
		return nil, ErrOriginal
	case len(c.Mutants) == 0 || c.Run == nil:
		return nil, ErrEmpty
	}
	if c.Options.Fixed == 0 {
		c.Options.Fixed = DefaultFixed
	}
	r := &Result{
		Schema: Schema, Suite: c.Suite, Digest: c.Digest, Asked: c.Options, Original: c.Original, Run: c.Run,
		Warnings: []verdict.Warning{}, Unsensed: []Line{},
	}
	tests, err := r.cells(c)
	if err != nil {
		return nil, err
	}
	for _, m := range c.Mutants {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		j := r.judged(m, tests[m.ID], c.Behaviour[m.ID])
		if j.Fate == Survived {
			j.Sensors = c.Sensors[m.ID]
		}
		r.Mutants = append(r.Mutants, j)
	}
	r.score()
	r.sensors(c.Prompt)
	r.cost()
	r.theorem()
	r.decide()
	return r, nil
}

// cells returns the tests of each mutant, in the order of the suite's, and says of each of these what it is. What the
// campaign promises rests on the alpha of each, which is looked at here.
func (r *Result) cells(c Campaign) (map[string][]*runs.Test, error) {
	byName := map[string]*runs.Test{}
	for i := range c.Run.Tests {
		byName[c.Run.Tests[i].Name] = &c.Run.Tests[i]
	}
	cells := map[string][]*runs.Test{}
	for place, own := range c.Original.Tests {
		alpha := c.Options.OfTest(place, len(c.Mutants))
		r.Tests = append(r.Tests, Test{Name: own.Name, Alpha: alpha, Kills: []string{}, Own: own.Design.Kind})
		for _, m := range c.Mutants {
			name := suite.TestName(own.Name, m.ID)
			t := byName[name]
			if t == nil || t.Regression == nil {
				return nil, &verdict.DifferenceError{Path: "run.scenarios", Have: "no test against the original called " +
					fmt.Sprintf("%q", name), Want: "one for each mutant and test"}
			}
			if x := t.Regression; math.Abs(x.Alpha-alpha) > 1e-12 || x.Delta != c.Options.Delta || x.Beta != c.Options.Beta {
				return nil, &verdict.DifferenceError{Path: "run.scenarios.regression.alpha",
					Have: fmt.Sprintf("%v, beta %v, delta %v of test %q", x.Alpha, x.Beta, x.Delta, name),
					Want: fmt.Sprintf("%v, beta %v, delta %v", alpha, c.Options.Beta, c.Options.Delta)}
			}
			cells[m.ID] = append(cells[m.ID], t)
		}
	}
	if n := len(c.Original.Tests) * len(c.Mutants); len(c.Run.Tests) != n {
		return nil, &verdict.DifferenceError{Path: "run.scenarios", Have: fmt.Sprintf("%d tests", len(c.Run.Tests)),
			Want: fmt.Sprintf("%d: one for each mutant and test", n)}
	}
	return cells, nil
}

// judged says what became of a mutant by its tests, and adds its kills to those of the suite's tests.
func (r *Result) judged(m Mutant, tests []*runs.Test, b *behaviour.Comparison) JudgedMutant {
	j := JudgedMutant{Mutant: m, By: []string{}, Behaviour: b}
	passed, open, ownFails, rise := 0, "", false, ""
	for place, t := range tests {
		j.Trials += t.Trials + t.Overrun
		if drop := dropOf(t); drop != nil && (j.Drop == nil || *drop > *j.Drop) {
			j.Drop = drop
		}
		switch t.Verdict {
		case verdict.Pass:
			passed++
			if d := t.Regression.Difference; rise == "" && d != nil && d.High >= r.Asked.Delta {
				rise = r.Tests[place].Name
			}
		case verdict.Fail:
			j.By = append(j.By, r.Tests[place].Name)
			ownFails = ownFails || failsOwn(&r.Original.Tests[place], t)
		default:
			if open == "" {
				open = openReason(t)
			}
		}
	}
	changed := b != nil && b.Changed
	switch {
	case m.Applied != nil && *m.Applied == 0:
		j.Fate, j.By, j.Why = Inert, []string{}, "the change reached no trial"
		return j
	case len(j.By) > 0 && ownFails:
		j.Fate, j.Why = KilledByVerdict, fmt.Sprintf("%s fails", phrase.First(j.By))
	case len(j.By) > 0:
		j.Fate, j.Why = KilledByRate, fmt.Sprintf("%s passes less often than on the original", phrase.First(j.By))
	case changed && r.Asked.BehaviourKills:
		j.Fate, j.Why = KilledByBehaviour, b.Reason().Text
	case passed < len(tests):
		j.Fate, j.Why = Undecided, open
	case !changed && rise != "":
		j.Fate, j.Why = Undecided, fmt.Sprintf("a drop by %s is excluded, and a rise by as much is not, in %s",
			phrase.Points(r.Asked.Delta), rise)
	case changed:
		j.Fate, j.Why = Survived, "every test passes, and "+b.Reason().Text
	default:
		j.Fate, j.Why = Equivalent, fmt.Sprintf("a drop by %s is excluded, and no change of behaviour was detected",
			phrase.Points(r.Asked.Delta))
		if b != nil && b.Tested && b.Excluded != nil {
			j.Why += ": " + b.Limit()
		} else if b == nil || !b.Tested {
			j.Why = fmt.Sprintf("a drop by %s is excluded; behaviour was not compared", phrase.Points(r.Asked.Delta))
		}
	}
	for place := range tests {
		if slices.Contains(j.By, r.Tests[place].Name) {
			r.Tests[place].Kills = append(r.Tests[place].Kills, m.ID)
			if len(j.By) == 1 {
				r.Tests[place].Alone++
			}
		}
	}
	return j
}

// openReason says why a test of a mutant is open.
func openReason(t *runs.Test) string {
	if t.Errors > 0 && t.Errors == t.Trials {
		return fmt.Sprintf("all of %s are errors", prose.Count(t.Errors, "trial"))
	}
	if len(t.Reasons) > 0 {
		return t.Reasons[0].Text
	}
	return "it was not run"
}

// dropOf is how much less often a mutant passed than the original in a test; nil where one of them had no trial.
func dropOf(t *runs.Test) *float64 {
	x := t.Regression
	if x.Baseline.Rate == nil || x.Candidate.Rate == nil {
		return nil
	}
	drop := *x.Baseline.Rate - *x.Candidate.Rate
	return &drop
}

// failsOwn reports whether the suite's own test fails a mutant, which is what a person who runs the suite on it sees.
// Where the trials end before that test does, it is on its way to: they passed at no more than the rate that it takes
// for too low. Errors are passes there, so that what it says holds whatever they were.
func failsOwn(own, mutant *runs.Test) bool {
	switch outcome := follow(own.Design.Boundaries, mutant.Outcomes); outcome {
	case sprt.Undecided:
		return mutant.Rate != nil && *mutant.Rate <= own.LowerRate()
	default:
		return outcome == sprt.Fail
	}
}

// follow is where a test stands after trials with these outcomes.
func follow(b design.Boundaries, outcomes string) sprt.Outcome {
	failures := 0
	for i, o := range outcomes {
		if i >= len(b.PassAtOrBelow) || o == '.' {
			break
		}
		if o == 'F' {
			failures++
		}
		if least := b.FailAtOrAbove[i]; least != nil && failures >= *least {
			return sprt.Fail
		}
		if failures <= b.PassAtOrBelow[i] {
			return sprt.Pass
		}
	}
	return sprt.Undecided
}

// decide sets the verdict on the score, its reasons and the warnings.
func (r *Result) decide() {
	s := r.Score
	count := fmt.Sprintf("%d of %s killed", s.Killed, prose.Count(s.Killed+s.Survived, "mutant"))
	switch least := r.Asked.FailUnder; {
	case s.Low == nil:
		r.Reasons = []verdict.Reason{codeNoScore.Reason("no mutant of %d is killed, and none survived: there is no score",
			s.Mutants)}
		if least == nil {
			r.Verdict = verdict.Pass
		}
	case least == nil && s.luck():
		r.Reasons = []verdict.Reason{r.openByChance(count)}
		if r.Asked.Edition >= unaskedEdition {
			r.Verdict = verdict.Pass
		}
	case least == nil:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeScore.Reason("%s", scoreText(s, count))}
	case *s.Low >= *least:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeScore.Reason("%s, at least the %s asked for", scoreText(s, count),
			phrase.Percent(*least))}
	case *s.High < *least:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{codeScoreLow.Reason("%s, below the %s asked for", scoreText(s, count),
			phrase.Percent(*least))}
	case s.luck():
		r.Reasons = []verdict.Reason{r.openByChance(count)}
	default:
		var open []string
		if s.Undecided > 0 || s.ByChance == 0 {
			n := s.Undecided
			open = append(open, prose.Count(n, "mutant")+prose.Form(n, " is", " are")+" not decided")
		}
		if s.ByChance > 0 {
			open = append(open, fmt.Sprintf("chance may kill %d", s.ByChance))
		}
		r.Reasons = []verdict.Reason{codeScoreOpen.Reason("%s, and %s: it lies between %s and %s, and %s is asked for",
			scoreText(s, count), strings.Join(open, ", and "), phrase.Percent(*s.Low), phrase.Percent(*s.High),
			phrase.Percent(*least))}
	}
	r.ExitCode = r.Verdict.ExitCode()
	r.warn()
}

// openByChance says that chance explains all kills. The score itself would read as if the suite noticed something.
func (r *Result) openByChance(count string) verdict.Reason {
	s := r.Score
	return codeScoreOpen.Reason("the mutation score is undecided: %s, and of %s that change nothing chance kills up to %d",
		count, prose.Count(s.Mutants-s.Inert, "mutant"), s.ByChance)
}

// scoreText is a score in words.
func scoreText(s Score, count string) string {
	if s.Score == nil {
		return "there is no score yet: " + count
	}
	return fmt.Sprintf("the mutation score is %s: %s", phrase.Percent(*s.Score), count)
}

// warn says what to know before relying on the score.
func (r *Result) warn() {
	s := r.Score
	if !r.Asked.Family && s.Mutants > 1 {
		r.Warnings = append(r.Warnings,
			warnByChance.Warning("a mutant that changes nothing is killed with a chance of up to %s; "+
				"if all %d were such, up to %.2g would be", phrase.Percent(r.Asked.Alpha), s.Mutants,
				r.Asked.Alpha*float64(s.Mutants)))
	}
	if s.Inert > 0 {
		r.Warnings = append(r.Warnings, warnInert.Warning("%s never reached the agent and %s not count",
			prose.Count(s.Inert, "mutant"), prose.Form(s.Inert, "does", "do")))
	}
	untested := 0
	for _, m := range r.Mutants {
		if m.Fate == Equivalent && (m.Behaviour == nil || !m.Behaviour.Tested) {
			untested++
		}
	}
	if untested > 0 {
		r.Warnings = append(r.Warnings, warnNoBehaviour.Warning("%s presumed equivalent by pass rates alone: there was no "+
			"behaviour to compare", prose.Count(untested, "mutant")+" "+prose.Form(untested, "is", "are")))
	}
	var idle []string
	for _, t := range r.Tests {
		if len(t.Kills) == 0 {
			idle = append(idle, t.Name)
		}
	}
	if len(idle) > 0 && len(r.Tests) > 1 {
		r.Warnings = append(r.Warnings, warnIdle.Warning("%d of %s %s no mutant: %s", len(idle),
			prose.Count(len(r.Tests), "test"), prose.Form(len(idle), "kills", "kill"), phrase.First(idle)))
	}
	if n := len(r.Unsensed); n > 0 {
		r.Warnings = append(r.Warnings, warnUnsensed.Warning("of %s of the prompt no mutant is killed: no test would notice "+
			"if %s were gone", prose.Count(n, "line"), prose.Form(n, "it", "they")))
	}
}
