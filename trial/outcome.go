package trial

import (
	"strings"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Outcome is what came of a trial. The zero value is [Unjudged], so that a trial
// nobody judged is never read as a pass.
type Outcome uint8

// The outcomes. Error is not a kind of failure: it says nothing of the system.
const (
	Unjudged Outcome = iota // not known; in a file, a trial without an outcome
	Pass                    // the system did what the scenario asks
	Fail                    // it did not
	Error                   // no verdict was reached, such as when the network failed
)

var outcomes = enum.Of[Outcome]("outcome", "unjudged", "pass", "fail", "error")

// String returns "pass", "fail", "error", or "unjudged" for any other value.
func (o Outcome) String() string {
	if !outcomes.Has(o) {
		o = Unjudged
	}
	return outcomes.String(o)
}

// ParseOutcome returns the outcome that is written exactly as pass, fail or
// error; ok is false for every other word, also for "unjudged" and "PASS".
func ParseOutcome(word string) (o Outcome, ok bool) {
	o, err := outcomes.Parse(word)
	return o, err == nil && o != Unjudged
}

// outcomeSynonyms are words that other tools write where this format has one of
// its three. They serve for hints alone: a word is never taken for another.
var outcomeSynonyms = map[string]string{
	"ok": "pass", "success": "pass", "succeeded": "pass", "true": "pass", "1": "pass", "yes": "pass", "solved": "pass",
	"ko": "fail", "failure": "fail", "false": "fail", "0": "fail", "no": "fail", "incorrect": "fail",
	"unsolved": "fail",
	"timeout":  "error", "exception": "error", "crash": "error", "crashed": "error",
	"infrastructure": "error",
}

// OutcomeHint returns a hint for a word that is not an outcome: the one that may
// have been meant.
func OutcomeHint(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if meant, ok := outcomeSynonyms[word]; ok {
		return `did you mean "` + meant + `"?`
	}
	// Of "pased" the nearest is "passed"; its stem alone is too far.
	if meant, ok := prose.Nearest(word, []string{"pass", "fail", "error", "passed", "failed"}); ok {
		return `did you mean "` + strings.TrimSuffix(meant, "ed") + `"?`
	}
	return "a trial that was skipped is left out; one that reached no verdict is an error"
}
