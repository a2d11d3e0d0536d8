package gate

import (
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// skew is how far in the future the end of a run may lie, by clocks that do not agree. It is chosen:
// far above what machines with a time service differ by, and far below an age that anybody asks for.
const skew = 5 * time.Minute

// age is open where the result is older than it may be, or from the future. That of a run says when
// it was made; of others it is not known.
func (g *Result) age(result verdict.Result, o Options) {
	if o.Edition < fourthEdition {
		return
	}
	finished := ""
	if r, ok := result.(*runs.Result); ok {
		finished = r.Finished
	}
	switch why := o.wrongAge(finished, o.MaxResultAge); {
	case why != "":
		g.rule(ruleAge, "", RuleOpen, "the result: %s", why)
	case o.MaxResultAge > 0:
		g.rule(ruleAge, "", RuleHolds, "the result was finished at %s, and may be %s old", finished,
			phrase.Age(time.Duration(o.MaxResultAge)))
	}
}

// wrongAge says why what ended then is too old, where that is asked for, or cannot have ended then; ""
// where neither is so.
func (o *Options) wrongAge(finished string, most Age) string {
	end, err := time.Parse(time.RFC3339, finished)
	switch {
	case err != nil && most > 0:
		// Without a time of its end a run could be of any age.
		return "it does not say when it was made, and a largest age is set"
	case err != nil:
		return ""
	}
	age := o.Now.Sub(end)
	if o.Edition >= fourthEdition && !o.Now.IsZero() && age < -skew {
		return fmt.Sprintf("it says that it was finished at %s, which is in the future", finished)
	}
	if most > 0 && age > time.Duration(most) {
		is, may := phrase.Age(age), phrase.Age(time.Duration(most))
		if is == may {
			is = "a little over " + is
		}
		return fmt.Sprintf("it is %s old, and may be %s", is, may)
	}
	return ""
}

// oldest is the smaller of two largest ages, of which the second is in seconds; 0 is any.
func oldest(most Age, seconds float64) Age {
	own := Age(seconds * float64(time.Second))
	if own > 0 && (most == 0 || own < most) {
		return own
	}
	return most
}
