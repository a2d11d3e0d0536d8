package rule

import (
	"regexp"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// condition is one comparison of a [Pass].
// text is the value as it was written; number is known where it is one, and pattern is set
// where the operator is ~.
type condition struct {
	subject  subject
	key      string // of the attribute, or the name of the tool
	operator operator
	text     string
	number   trial.Optional[float64]
	pattern  *regexp.Regexp
}

// subject is what a condition asks for.
type subject uint8

const (
	theScore subject = iota
	anAttribute
	theOutput
	noError
	aTool
)

// operator is how it compares.
type operator uint8

const (
	equal operator = iota
	matches
	less
	lessOrEqual
	greater
	greaterOrEqual
)

// operators by their signs, the longer ones first.
// So >= is not read as > and a value that begins with =.
var operators = [...]struct {
	sign     string
	operator operator
}{{">=", greaterOrEqual}, {"<=", lessOrEqual}, {"==", equal}, {">", greater}, {"<", less}, {"=", equal}, {"~", matches}}

// missing says what is not known where the condition cannot be answered.
// The sentence is counted over all trials, and must not hold anything of a single one.
func (c *condition) missing(t *trial.Trial) string {
	switch {
	case c.subject == noError && t.Steps != nil:
		return "the run ended early"
	case c.subject == theScore:
		return "score unknown"
	case c.subject == theOutput:
		return "output unknown"
	case c.subject != anAttribute:
		return "steps unknown"
	case c.operator == equal || c.operator == matches:
		return "attribute " + c.key + " unknown"
	}
	return "attribute " + c.key + " unknown or no number"
}

// holds reports whether the condition holds of the trial.
// What is absent is unknown, not no: a trial without steps may have called any tool.
func (c *condition) holds(t *trial.Trial) ternary {
	switch c.subject {
	case theScore:
		return c.compareNumber(t.Score)
	case anAttribute:
		text, ok := attributeText(t, c.key)
		if !ok {
			return unknown
		}
		return c.compareText(text)
	case theOutput:
		if t.Output == nil {
			return unknown
		}
		return c.compareOutput(t.Output.Text())
	}
	// nil is unknown, and empty is none.
	if t.Steps == nil {
		return unknown
	}
	for i := range t.Steps {
		s := &t.Steps[i]
		switch {
		case c.subject == noError && s.Error != "":
			return no
		case c.subject == aTool && s.Action == trial.CallTool && s.Tool == c.key:
			return yes
		}
	}
	// What broke off before its end might have failed.
	if c.subject == noError && t.Error != nil {
		return unknown
	}
	// No step failed, or none called the tool.
	return ternaryOf(c.subject == noError)
}

// compareOutput compares the last answer, white space around it aside.
func (c *condition) compareOutput(text string) ternary {
	if c.operator == matches {
		return ternaryOf(c.pattern.MatchString(text))
	}
	return ternaryOf(strings.TrimSpace(text) == strings.TrimSpace(c.text))
}

// compareText compares an attribute. What is not a number is neither more nor less.
func (c *condition) compareText(text string) ternary {
	switch c.operator {
	case equal:
		return ternaryOf(equalTexts(text, c.text))
	case matches:
		return ternaryOf(c.pattern.MatchString(text))
	}
	return c.compareNumber((record.Node{Value: text}).Number())
}

// compareNumber compares a number; one that is not known answers nothing.
func (c *condition) compareNumber(x trial.Optional[float64]) ternary {
	if !x.Known {
		return unknown
	}
	switch c.operator {
	case less:
		return ternaryOf(x.Value < c.number.Value)
	case lessOrEqual:
		return ternaryOf(x.Value <= c.number.Value)
	case greater:
		return ternaryOf(x.Value > c.number.Value)
	case greaterOrEqual:
		return ternaryOf(x.Value >= c.number.Value)
	}
	return ternaryOf(x.Value == c.number.Value)
}
