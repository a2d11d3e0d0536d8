package mark

import "github.com/tribunal-dev/tribunal/trial"

// Of returns the letter of an outcome: ? for the zero value, which nobody judged, then P, F
// and E in the order of the constants of package trial.
func Of(o trial.Outcome) byte { return "?PFE"[o] }

// Outcome returns the outcome that a letter stands for, and false for any other byte: it is
// the reverse of [Of].
func Outcome(mark byte) (o trial.Outcome, ok bool) {
	for o := range trial.Outcome(4) {
		if Of(o) == mark {
			return o, true
		}
	}
	return 0, false
}
