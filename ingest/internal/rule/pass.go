package rule

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Pass says when a trial passes whose format does not tell. The zero value
// judges nothing.
type Pass struct {
	text       string
	any        bool // one condition is enough
	conditions []condition
}

// String returns the text of the rule, "" for the zero value.
func (r Pass) String() string { return r.text }

// Attributes are the keys of the attributes that the rule looks at.
func (r Pass) Attributes() (keys []string) {
	for _, c := range r.conditions {
		if c.subject == anAttribute {
			keys = append(keys, c.key)
		}
	}
	return keys
}

// IsSet reports whether there is a rule.
func (r Pass) IsSet() bool { return len(r.conditions) > 0 }

// ternary is what is known of a condition.
// The zero value is unknown: what nobody looked at is not known.
type ternary uint8

const (
	unknown ternary = iota
	yes
	no
)

// ternaryOf is yes or no.
func ternaryOf(truth bool) ternary {
	if truth {
		return yes
	}
	return no
}

// Judge returns Pass or Fail, or else Unjudged and what it would take to know. A
// condition that nothing is known of matters only where the others do not decide
// (Kleene's logic).
func (r Pass) Judge(t *trial.Trial) (outcome trial.Outcome, missing string) {
	// One no decides a rule of and, one yes a rule of or.
	decides := no
	if r.any {
		decides = yes
	}
	for _, c := range r.conditions {
		switch a := c.holds(t); {
		case a == decides:
			return outcomeOf(a), ""
		case a == unknown && missing == "":
			missing = c.missing(t)
		}
	}
	if missing != "" {
		return trial.Unjudged, missing
	}
	return outcomeOf(ternaryOf(!r.any)), ""
}

// outcomeOf is the outcome of a rule that is answered.
func outcomeOf(a ternary) trial.Outcome {
	if a == yes {
		return trial.Pass
	}
	return trial.Fail
}

// Fields are the parts of a trial that the rule asks for.
func (r Pass) Fields() (fields trial.Fields) {
	for _, c := range r.conditions {
		switch c.subject {
		case theOutput:
			fields |= trial.ContentFields
		case anAttribute:
			fields |= trial.TagFields | trial.UnknownFields
		case noError, aTool:
			fields |= trial.StepFields
		}
	}
	return fields
}

// equalTexts reports whether two texts are equal, white space around them aside, or
// are the same number.
// So that attribute:seed=7 holds of 7.0, too.
func equalTexts(a, b string) bool {
	if a, b = strings.TrimSpace(a), strings.TrimSpace(b); a == b {
		return true
	}
	x, y := (record.Node{Value: a}).Number(), (record.Node{Value: b}).Number()
	return x.Known && y.Known && x.Value == y.Value
}
