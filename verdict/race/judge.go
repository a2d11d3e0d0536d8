package race

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/race"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/mark"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// errEmpty says that nothing raced.
var errEmpty = errors.New("a race needs two variants or more")

// confidence is the error of intervals, whatever alpha decides: readers expect 95 %.
const confidence = 0.05

// Plan fills in the odds ratio and the lead that options come to for so many arms, and the usual number of rounds where
// none is given. It is an error where no race tells them apart.
func (o Options) Plan(arms int) (planned Options, ratio float64, err error) {
	if !(o.Beta > 0 && o.Beta < 1) {
		return o, 0, fmt.Errorf("beta %v must lie between 0 and 1", o.Beta)
	}
	if ratio, err = race.OddsRatio(o.Rate, o.Delta); err != nil {
		return o, 0, err
	}
	if o.Lead, err = race.LeadFor(arms, ratio, o.Alpha); err != nil {
		return o, 0, err
	}
	if o.MaxRounds == 0 {
		o.MaxRounds = race.UsualRounds(o.Lead, o.Delta)
	}
	return o, ratio, o.rule().Validate()
}

// Judge says which arm is best, and whether it takes the place of the incumbent. [errEmpty] is for a run without tests.
// A [verdict.DifferenceError] says what of the runs is not what the options ask for.
func Judge(ctx context.Context, e Evidence) (*Result, error) {
	if e.Run == nil || len(e.Arms) < 2 || e.Arms[0].Name != Incumbent {
		return nil, errEmpty
	}
	planned, ratio, err := e.Options.Plan(len(e.Arms))
	if err != nil {
		return nil, &verdict.DifferenceError{Path: "asked", Have: err.Error(), Want: "a race that can be run"}
	}
	if planned.Lead != e.Options.Lead {
		return nil, &verdict.DifferenceError{Path: "asked.lead", Have: fmt.Sprint(e.Options.Lead),
			Want: fmt.Sprint(planned.Lead)}
	}
	r := &Result{
		Schema: Schema, Suite: e.Suite, Digest: e.Digest, Asked: e.Options, Warnings: []verdict.Warning{}, Arms: []Arm{},
		OddsRatio: ratio, Guarantee: guarantee(len(e.Arms), planned.Lead, ratio), Run: e.Run, Confirmation: e.Confirmation,
	}
	again, err := raced(ctx, e)
	if err != nil {
		return nil, err
	}
	r.End, r.Rounds = again.End(), again.Rounds()
	if winner, ok := again.Winner(); ok {
		r.Chosen = e.Arms[winner].Name
	}
	if r.End == race.NotWorth {
		rest := again.Rest()
		r.Rest = &Rest{rest.Gain, rest.Cost}
	}
	r.arms(again, e.Arms)
	if err := r.confirm(); err != nil {
		return nil, err
	}
	r.decide()
	return r, r.warn()
}

// guarantee is that of arms of which all but the best are worse by an odds ratio.
func guarantee(arms, lead int, ratio float64) float64 {
	rates := make([]float64, arms)
	for i := range rates {
		rates[i] = 0.5
	}
	rates[0] = ratio / (1 + ratio)
	return race.Guarantee(lead, rates)
}

// raced is the race of the run, held again by the outcomes of its tests.
func raced(ctx context.Context, e Evidence) (*race.Race, error) {
	if len(e.Run.Tests) != len(e.Arms) {
		return nil, &verdict.DifferenceError{Path: "run.scenarios", Have: prose.Count(len(e.Run.Tests), "test"),
			Want: fmt.Sprint(len(e.Arms))}
	}
	again, err := race.New(len(e.Arms), e.Options.rule())
	if err != nil {
		return nil, err
	}
	longest := 0
	for i := range e.Run.Tests {
		t := &e.Run.Tests[i]
		if err := racedAs(t, e.Arms[i].Name, e.Options); err != nil {
			return nil, err
		}
		longest = max(longest, len(t.Outcomes))
	}
	observe := func(i, round int) error {
		t := &e.Run.Tests[i]
		if round >= len(t.Outcomes) || t.Outcomes[round] == '.' {
			return nil
		}
		o, ok := mark.Outcome(t.Outcomes[round])
		if !ok {
			return &verdict.DifferenceError{Path: "run.scenarios.outcomes", Have: fmt.Sprintf("%q", t.Outcomes[round]),
				Want: "P, F, E or ."}
		}
		return again.Observe(i, round, o)
	}
	prices, err := pricesOf(e.Arms)
	if err != nil {
		return nil, err
	}
	for round := range longest {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for i := range e.Run.Tests {
			if err := observe(i, round); err != nil {
				return nil, err
			}
			if again.Unpriced() {
				if err := again.Price(prices); err != nil {
					return nil, &verdict.DifferenceError{Path: "arms.price_usd", Have: err.Error(), Want: "prices"}
				}
			}
		}
	}
	ended := again.End() != race.GoesOn
	if e.Run.StoppedBy == runs.StoppedByRace && !ended || e.Run.StoppedBy == runs.StoppedByDecision {
		return nil, &verdict.DifferenceError{Path: "run.stopped_by", Have: string(e.Run.StoppedBy),
			Want: "a cause for which the race goes on"}
	}
	return again, nil
}

// pricesOf are the prices by which a race went; nil where it went by none.
func pricesOf(arms []Entrant) (prices []float64, err error) {
	for i, a := range arms {
		if (a.Price != nil) != (arms[0].Price != nil) {
			return nil, &verdict.DifferenceError{Path: fmt.Sprintf("arms[%d].price_usd", i), Have: "of some variants alone",
				Want: "of all or none"}
		}
		if a.Price != nil {
			prices = append(prices, *a.Price)
		}
	}
	return prices, nil
}

// racedAs refuses a test that is not the arm of a race.
func racedAs(t *runs.Test, name string, o Options) error {
	differs := func(what string, have, want any) error {
		return &verdict.DifferenceError{Path: "run.scenarios." + what,
			Have: fmt.Sprintf("%v of test %s", have, prose.Quote(t.Name)), Want: fmt.Sprint(want)}
	}
	switch {
	case t.Variant != name:
		return differs("variant", prose.Quote(t.Variant), prose.Quote(name))
	case t.Regression != nil || t.Design.Kind != sprt.RecordingKind.String() || t.Design.MaxTrials != o.MaxRounds:
		return differs("design", fmt.Sprintf("%s of %d", t.Design.Kind, t.Design.MaxTrials),
			fmt.Sprintf("a recording of %d", o.MaxRounds))
	}
	return nil
}

// confirm takes in the run of the winner against the current version, which must be what the options ask for.
func (r *Result) confirm() error {
	run := r.Confirmation
	if run == nil {
		return nil
	}
	differs := func(what string, have, want any) error {
		return &verdict.DifferenceError{Path: "confirmation." + what, Have: fmt.Sprint(have), Want: fmt.Sprint(want)}
	}
	switch {
	case r.Chosen == "" || r.Chosen == Incumbent:
		return differs("", "a run", "none, for no variant won")
	case len(run.Tests) != 1:
		return differs("scenarios", prose.Count(len(run.Tests), "test"), 1)
	case run.Seed == r.Run.Seed:
		return differs("seed", run.Seed, "another than that of the race: its trials must be new")
	}
	t := &run.Tests[0]
	x := t.Regression
	switch {
	case x == nil || x.Kind == runs.StoredKind:
		return differs("scenarios.regression", "none side by side", "a test side by side")
	case t.Threshold != 0:
		return differs("scenarios.threshold", t.Threshold, "none")
	case x.Delta != r.Asked.Delta || x.Alpha != r.Asked.Alpha || x.Beta != r.Asked.Beta:
		return differs("scenarios.regression", fmt.Sprintf("alpha %v, beta %v, delta %v", x.Alpha, x.Beta, x.Delta),
			fmt.Sprintf("alpha %v, beta %v, delta %v", r.Asked.Alpha, r.Asked.Beta, r.Asked.Delta))
	}
	winner, err := rated(x.Candidate)
	if err != nil {
		return err
	}
	incumbent, err := rated(x.Baseline)
	r.Confirmed = &Confirmation{winner, incumbent}
	return err
}

// rated is the rate of a side, with limits that hold whenever its trials ended and whatever its errors would have been.
func rated(s runs.Side) (Rate, error) {
	r := Rate{Trials: s.Trials, Passes: s.Passes, Errors: s.Errors, Rate: s.Rate}
	low, err := sprt.ConfidenceSequence(stats.Counts{Passes: s.Passes, Trials: s.Trials}, confidence, 1, 1)
	if err != nil {
		return r, err
	}
	high, err := sprt.ConfidenceSequence(stats.Counts{Passes: s.Passes + s.Errors, Trials: s.Trials}, confidence, 1, 1)
	r.Low, r.High = low.Low, high.High
	return r, err
}

// decide sets the verdict, with its reasons.
func (r *Result) decide() {
	switch {
	case r.End == race.GoesOn:
		r.Reasons = []verdict.Reason{codeStopped.Reason("%s after %s, with %s left: %s",
			r.Run.StoppedBy.Sentence(r.Run.Budget),
			prose.Count(r.Rounds, "round"), leftOf(len(r.left()), len(r.Arms)), phrase.First(r.left()))}
	case r.End == race.OutOfRounds:
		r.Reasons = []verdict.Reason{codeLeft.Reason("%s used, and %s are left, none of them %s behind: %s",
			prose.Form(r.Asked.MaxRounds, "the only round is", fmt.Sprintf("all %d rounds are", r.Asked.MaxRounds)),
			leftOf(len(r.left()), len(r.Arms)), prose.Count(r.Asked.Lead, "pass"), phrase.First(r.left()))}
	case r.Chosen == Incumbent:
		r.Verdict = verdict.Fail
		what := "no variant is better than it by " + phrase.Points(r.Asked.Delta)
		if r.Rest != nil {
			what = "it leads"
		}
		r.Reasons = []verdict.Reason{codeIncumbent.Reason("the current version stays: %s%s", what, r.against())}
	case r.Confirmation == nil:
		r.Reasons = []verdict.Reason{codeUnconfirmed.Reason("%s won the race, and the budget was used up before it was "+
			"confirmed",
			prose.Quote(r.Chosen))}
	default:
		r.concludeConfirmed()
	}
	if r.Rest != nil {
		r.Reasons = append(r.Reasons,
			codeNotWorth.Reason("the race ended before it was decided: choosing another could gain %s on average, "+
				"worth $%.3g, and finding out would cost $%.3g at least", phrase.Points(r.Rest.Gain), 100*r.Asked.Worth*r.Rest.Gain,
				r.Rest.CostUSD))
	}
	r.ExitCode = r.Verdict.ExitCode()
}

// concludeConfirmed decides by the run of the winner against the current version.
func (r *Result) concludeConfirmed() {
	t := &r.Confirmation.Tests[0]
	fresh := fmt.Sprintf("on new trials it passed %s, and the current version %s", r.Confirmed.Winner.text(),
		r.Confirmed.Incumbent.text())
	name, delta := prose.Quote(r.Chosen), phrase.Points(r.Asked.Delta)
	switch t.Verdict {
	case verdict.Pass:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{codeChosen.Reason("%s is chosen: %s, so that it is not worse by %s; its rate is at "+
			"least %s",
			name, fresh, delta, phrase.Rate(r.Confirmed.Winner.Low))}
	case verdict.Fail:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{codeWorse.Reason("the current version stays: %s won the race, but %s, which is "+
			"worse", name,
			fresh)}
	default:
		r.Reasons = []verdict.Reason{codeOpen.Reason("%s won the race, and %s: neither is it shown to be worse nor a drop "+
			"of %s ruled out",
			name, fresh, delta)}
	}
}

// text is such as "45 of 50".
func (r Rate) text() string {
	text := fmt.Sprintf("%d of %d", r.Passes, r.Trials)
	if r.Errors > 0 {
		text += " with " + prose.Count(r.Errors, "error")
	}
	return text
}

// against is what the incumbent and the best of the others came to in the race.
func (r *Result) against() string {
	best := -1
	for i, a := range r.Arms {
		if i > 0 && a.Rate != nil && (best < 0 || *a.Rate > *r.Arms[best].Rate) {
			best = i
		}
	}
	if best < 0 || r.Arms[0].Rate == nil {
		return ""
	}
	a, b := &r.Arms[0], &r.Arms[best]
	return fmt.Sprintf("; it passed %d of %d, and %s %d of %d", a.Passes, a.Trials, prose.Quote(b.Name), b.Passes,
		b.Trials)
}

// left are the arms that were not dropped.
func (r *Result) left() (names []string) {
	for _, a := range r.Arms {
		if a.Standing != Dropped {
			names = append(names, a.Name)
		}
	}
	return names
}

// leftOf is such as "2 of 8".
func leftOf(left, all int) string {
	if left == all {
		return fmt.Sprintf("all %d", all)
	}
	return fmt.Sprintf("%d of %d", left, all)
}

// warn says what to know before relying on the result.
func (r *Result) warn() error {
	var with []string
	errors := 0
	for _, a := range r.Arms {
		if errors += a.Errors; a.Errors > 0 {
			with = append(with, a.Name)
		}
	}
	if errors > 0 {
		r.Warnings = append(r.Warnings,
			warnRaceErrors.Warning("%s of the race ended in %s (%s): a variant was dropped only where it was behind "+
				"however they would have ended", prose.Count(errors, "trial"), prose.Form(errors, "an error", "errors"),
				phrase.First(with)))
	}
	first := &r.Arms[0]
	if r.Asked.Rate > 0 && first.Trials > 0 {
		i, err := sprt.ConfidenceSequence(stats.Counts{Passes: first.Passes + first.Errors, Trials: first.Trials}, confidence,
			1, 1)
		if err != nil {
			return err
		}
		if i.High < r.Asked.Rate {
			r.Warnings = append(r.Warnings,
				warnRateLower.Warning("the current version passes less often than the %s that was given (%d of %d): "+
					"at rates that low the race may choose one that is worse than the best by more than %s",
					phrase.Percent(r.Asked.Rate), first.Passes, first.Trials, phrase.Points(r.Asked.Delta)))
		}
	}
	if r.Asked.Worth > 0 && r.Rounds >= r.Asked.Lead && first.Price == nil {
		r.Warnings = append(r.Warnings,
			warnNoPrices.Warning("a point is worth $%s, but what a trial costs is not known: prices counted for nothing",
				phrase.Number(r.Asked.Worth)))
	}
	r.warnSpecialists()
	return nil
}

// warnSpecialists says where the guarantee may be too large: two arms that pass in different rounds are alone in
// passing more often than independent ones are, and the ratio of that is nearer to 1 than the ratio of their odds.
func (r *Result) warnSpecialists() {
	var list []string
	last := r.lastRival()
	for _, i := range last {
		a, b := r.Run.Tests[r.place(r.leaderName())].Outcomes, r.Run.Tests[i].Outcomes
		n := min(len(a), len(b), r.Arms[i].Trials)
		var both, first, second, known float64
		for k := range n {
			if strings.IndexByte("PF", a[k]) < 0 || strings.IndexByte("PF", b[k]) < 0 {
				continue
			}
			known++
			if a[k] == 'P' {
				first++
			}
			if b[k] == 'P' {
				second++
			}
			if a[k] == 'P' && b[k] == 'P' {
				both++
			}
		}
		if known < 30 {
			continue
		}
		p, q := first/known, second/known
		spread := math.Sqrt(p * (1 - p) * q * (1 - q) / known)
		// Three deviations of the covariance of independent arms: one in some 700 of them warns falsely.
		if both/known-p*q < -3*spread {
			list = append(list, r.Arms[i].Name)
		}
	}
	if len(list) > 0 {
		r.Warnings = append(r.Warnings,
			warnSpecialists.Warning("%s and %s pass in different scenarios: of such variants the best is chosen with less "+
				"certainty than "+
				"alpha says", prose.Excerpt(r.leaderName()), phrase.First(list)))
	}
}

// leaderName is the arm that was chosen, or else the one with the most passes of those that are left.
func (r *Result) leaderName() string {
	if r.Chosen != "" {
		return r.Chosen
	}
	best := 0
	for i, a := range r.Arms {
		if a.Standing == Left && (r.Arms[best].Standing != Left || a.Passes > r.Arms[best].Passes) {
			best = i
		}
	}
	return r.Arms[best].Name
}

// lastRival are the places of the arms other than the leader.
func (r *Result) lastRival() (list []int) {
	leader := r.place(r.leaderName())
	for i := range r.Arms {
		if i != leader {
			list = append(list, i)
		}
	}
	return list
}

// place is that of an arm.
func (r *Result) place(name string) int {
	for i := range r.Arms {
		if r.Arms[i].Name == name {
			return i
		}
	}
	return 0
}
