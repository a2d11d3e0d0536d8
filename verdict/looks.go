package verdict

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Looks count the judgements of one question on one agent up to this one, since the last
// that passed as the first or as planned: the same data with more of it, or the same task run
// again. Whoever looks until there is a Pass errs more often than any one look.
type Looks struct {
	Number   int    `json:"number"`             // of this look, from 1
	Declared int    `json:"declared,omitempty"` // so many were to be taken, each with its part of the errors
	Earlier  []Look `json:"earlier"`            // the looks before, the oldest first
	// Compared says by what the agent is known to be the same, such as "agent.sh"; "" is not told.
	Compared string `json:"compared,omitempty"`
	// The chance of a false Pass, and of a false Fail, in any of these looks is at most the sum
	// of theirs, however they depend on each other; at most 1.
	FalsePass float64 `json:"false_pass"`
	FalseFail float64 `json:"false_fail"`
	// Changed is the ledger where lines of it were changed, or are gone, since the trials began: there may have been more
	// looks.
	Changed string `json:"changed,omitempty"`
}

// WarnLedger says that a ledger of looks does not hold what it did.
const WarnLedger Code = "ledger-changed"

// ChangedText says so.
func (l *Looks) ChangedText() string {
	return fmt.Sprintf("while trials ran, lines of %s, which counts analyses, were changed or removed: the number of "+
		"earlier analyses is unknown; keep the file where the agent cannot write", prose.FileName(l.Changed))
}

// Look is one judgement.
type Look struct {
	At        string  `json:"at"`         // RFC 3339
	Command   string  `json:"command"`    // such as "verdict"
	Verdict   Verdict `json:"verdict"`    // that it came to
	FalsePass float64 `json:"false_pass"` // the largest chance of one, from 0 to 1
	FalseFail float64 `json:"false_fail"` // the same of a false Fail
	Declared  int     `json:"declared,omitempty"`
	Open      bool    `json:"open,omitempty"` // it was begun, and has no end: it was interrupted, or still runs
}

// warnLooks says that a verdict is not the first on its question, and that its risks alone
// are not those of all looks together.
const warnLooks Code = "earlier-looks"

// NewLooks counts a look with these risks after the earlier ones.
func NewLooks(earlier []Look, declared int, risk Risk) *Looks {
	l := &Looks{
		Number: len(earlier) + 1, Declared: declared, Earlier: append([]Look{}, earlier...),
		FalsePass: risk.FalsePass, FalseFail: risk.FalseFail,
	}
	for _, e := range earlier {
		l.FalsePass += e.FalsePass
		l.FalseFail += e.FalseFail
	}
	l.FalsePass, l.FalseFail = math.Min(l.FalsePass, 1), math.Min(l.FalseFail, 1)
	return l
}

// Open reports whether there were looks that did not pass, and not all looks up to this one
// were declared: then the risks of this one alone say too little.
func (l *Looks) Open() bool {
	if l == nil || len(l.Earlier) == 0 {
		return false
	}
	planned := l.Declared >= l.Number
	for _, e := range l.Earlier {
		planned = planned && e.Declared == l.Declared
	}
	return !planned
}

// Text says which look it is and what all of them risk; "" of nil.
func (l *Looks) Text() string {
	if l == nil {
		return ""
	}
	which := fmt.Sprintf("analysis %d", l.Number)
	if l.Declared > 0 {
		which += fmt.Sprintf(" of %d", l.Declared)
	}
	if l.Number == 1 {
		return which
	}
	return fmt.Sprintf("%s: over all of them, false Pass at most %s, false Fail at most %s", which,
		phrase.Percent(l.FalsePass), phrase.Percent(l.FalseFail))
}

// Warnings are those of a result with these looks; none of the first, and of looks that
// were declared.
func (l *Looks) Warnings() []Warning {
	if !l.Open() {
		return nil
	}
	return []Warning{warnLooks.Warning(
		"analysis %d of this question with the same agent%s, %s: the chance of a false Pass in any of them is at most %s, "+
			"of a false Fail %s; %s",
		l.Number, l.Known(), l.After(), phrase.Percent(l.FalsePass), phrase.Percent(l.FalseFail), l.Advice())}
}

// Known says in brackets by what the agent is known to be the same; "" where that is not told.
func (l *Looks) Known() string {
	if l.Compared == "" {
		return ""
	}
	return " (compared: " + l.Compared + ")"
}

// After says how many of the earlier looks did not pass, and how many have no end: "after 2 without a Pass (1
// interrupted)".
func (l *Looks) After() string {
	failed, open := 0, 0
	for _, e := range l.Earlier {
		if e.Verdict != Pass {
			failed++
		}
		if e.Open {
			open++
		}
	}
	text := fmt.Sprintf("after %d without a Pass", failed)
	if open > 0 {
		text += fmt.Sprintf(" (%d interrupted)", open)
	}
	return text
}

// Advice says what to do about looks that were not declared.
func (l *Looks) Advice() string {
	if l.Compared == "" {
		return "declare the number of analyses before the first, or that the agent has changed"
	}
	return "declare the number of analyses before the first (--looks), or that the agent has changed (--new-agent); " +
		"if it reads files that were not compared, name them in the suite, as in agent: {files: [\"prompts/**\"]}"
}
