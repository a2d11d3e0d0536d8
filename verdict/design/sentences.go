package design

import (
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Stand is where a sequential test stands: what was seen, and the rates that it tells apart.
type Stand struct {
	Trials   int // that were judged: passes, failures and errors
	Failures int // of them
	Errors   int // of them
	// The least rate that is good enough, and the largest that is too low. Without the first the test is against a
	// baseline, and the second is the drop that matters, below 0.
	Threshold, LowerRate float64
}

// Seen is what was seen: "14 of 15 passed (93.3%)".
func (s Stand) Seen() string { return phrase.Seen(s.Trials-s.Failures-s.Errors, s.Failures, s.Errors) }

// Ended is the reason of a test that ended: what was seen, and what that shows. A Pass rules out the lower rate, and
// does not show that the threshold is reached: between the two either verdict is right. It names both. It is of no code
// for a test that goes on.
func (s Stand) Ended(o sprt.Outcome) verdict.Reason {
	however := ""
	if s.Errors > 0 {
		however = ", whatever the " + prose.Form(s.Errors, "error", "errors") + " would have been"
	}
	drop := phrase.Points(-s.LowerRate)
	switch against := s.Threshold == 0; {
	case against && o == sprt.Pass:
		return codePassBoundary.Reason("%s: a drop of %s or more from the baseline is ruled out%s", s.Seen(), drop, however)
	case against && o == sprt.Fail:
		return codeFailBoundary.Reason("%s: worse than the baseline%s", s.Seen(), however)
	case against && o == sprt.Inconclusive:
		return CodeTrialsUsedUp.Reason("%s: all %s are used, and neither is a drop shown nor one of %s ruled out",
			s.Seen(), prose.Count(s.Trials, "trial"), drop)
	}
	switch o {
	case sprt.Pass:
		return codePassBoundary.Reason("%s: enough to rule out a rate of %s or less%s (%s required)", s.Seen(),
			phrase.Percent(s.LowerRate), however, phrase.Percent(s.Threshold))
	case sprt.Fail:
		return codeFailBoundary.Reason("%s: below the %s you require%s", s.Seen(), phrase.Percent(s.Threshold), however)
	case sprt.Inconclusive:
		return CodeTrialsUsedUp.Reason("%s: all %s are used, and neither a rate of %s nor one of %s is ruled out",
			s.Seen(), prose.Count(s.Trials, "trial"), phrase.Percent(s.Threshold), phrase.Percent(s.LowerRate))
	}
	return verdict.Reason{}
}

// Least is the reason beside that of a test which ended too early for a Pass; least is how many trials, all passing,
// one takes.
func Least(least int) verdict.Reason {
	return verdict.CodePassUnreachable.Reason("a Pass takes %s at least, all of them passing",
		prose.Count(least, "trial"))
}
