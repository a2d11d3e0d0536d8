package runs

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// warnRefuted is the code of the warning that the rounds refute what a test in rounds rests on.
const warnRefuted = verdict.Code("not-guarded")

// refutedError is the chance, at most, that a baseline whose rate is guarded is taken for one that is not: a test then
// ends without a verdict, so that no error is made more likely. It is chosen.
const refutedError = 0.001

// refute takes the verdict away from a test in rounds whose own rounds show that the baseline's rate is not guarded, or
// that more of the pairs differ than were reckoned with. The rate is known by a confidence sequence, which holds
// whenever a test stopped. Errors count as passes, and as pairs that do not differ.
func (r *Regression) refute() error {
	counts, beyond := r.condition()
	if counts.Trials == 0 || r.Verdict == verdict.Inconclusive {
		return nil
	}
	known, err := sprt.ConfidenceSequence(counts, refutedError, 1, 1)
	if err != nil || !beyond(known) {
		return err
	}
	r.Verdict = verdict.Inconclusive
	r.Reasons = []verdict.Reason{CodeRefuted.Reason("%s", r.refutedText())}
	// They hold for what is guarded alone.
	r.PUnchanged, r.PDropped = nil, nil
	return nil
}

// condition is what tells whether the rounds are guarded, and what of it does not. A test of all rates has none.
func (r *Regression) condition() (stats.Counts, func(known stats.Interval) bool) {
	if r.Kind == MatchedKind {
		differ := r.Pairs.Broke + r.Pairs.Fixed
		return stats.Counts{Passes: differ, Trials: r.Baseline.Trials},
			func(known stats.Interval) bool { return known.Low > r.High }
	}
	return stats.Counts{Passes: r.Baseline.Trials - r.Baseline.Fails, Trials: r.Baseline.Trials},
		func(known stats.Interval) bool { return known.High < r.Low }
}

// Refuted reports whether the rounds refute what the test rests on, so that it has no verdict.
func (r *Regression) Refuted() bool {
	return slices.ContainsFunc(r.Reasons, func(x verdict.Reason) bool { return x.Code == CodeRefuted })
}

// refutedText says what was reckoned with, and what was seen.
func (r *Regression) refutedText() string {
	counts, _ := r.condition()
	if r.Kind == MatchedKind {
		return fmt.Sprintf("of %s %d differ: more than the %s that the errors hold for (test.discordant), so the "+
			"test has no verdict",
			prose.Count(counts.Trials, "pair"), counts.Passes, phrase.Percent(r.High))
	}
	return fmt.Sprintf("of the baseline %s: less often than the %s from which on the errors hold (test.guard), "+
		"so the test has no verdict", phrase.Share(counts.Passes, counts.Trials), phrase.Percent(r.Low))
}
