package mark

import "github.com/tribunal-dev/tribunal/trial"

func Of(o trial.Outcome) byte { return "?PFE"[o] }

// Outcome is the reverse of outcomeMark.
func Outcome(mark byte) (o trial.Outcome, ok bool) {
	for o := range trial.Outcome(4) {
		if Of(o) == mark {
			return o, true
		}
	}
	return 0, false
}
