package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// judge sets the outcome: an error or a limit that ended the sample is none of the
// scorers' doing, and no score of 0.
func (l *inspectLog) judge(t *trace, n node) error {
	scores := n.at("scores")
	names := scoreNames(scores)
	for _, name := range names {
		if !slices.Contains(l.scores, name) {
			l.scores = append(l.scores, name)
		}
	}
	if message := n.at("error"); message.exists() {
		t.setInfrastructureError("error", message.either("message").text()+texts(message))
		return nil
	}
	if n.at("invalidation").isObject() {
		t.setInfrastructureError("invalidated", n.at("invalidation", "reason").text())
		return nil
	}
	value, ok := l.chosen(scores, names)
	if ok {
		t.Score, t.Outcome = inspectValue(value)
		return nil
	}
	if len(names) == 0 && n.at("limit").exists() {
		l.limit(t, n.at("limit"))
		return nil
	}
	if len(names) > 1 && !l.in.options.Unjudged {
		return &trial.FieldError{
			Place: t.Place, Field: "outcome", Problem: "is not clear: the scorers are " + strings.Join(names, ", "),
			Advice: "choose the one that judges with Scorer",
			About:  "Scorer",
		}
	}
	return nil
}

// limit is the outcome of a sample that a limit ended before it was scored. That an
// operator did is no doing of the system.
func (l *inspectLog) limit(t *trace, limit node) {
	kind := limit.at("type").text() + texts(limit)
	t.setInfrastructureError("limit", strings.TrimSpace(kind+" "+limit.at("limit").text()))
	if kind != "operator" {
		t.Error.Origin = ""
	}
}

// texts returns the content of a string, and "" of any other value.
func texts(n node) string {
	if n.isText() {
		return n.text()
	}
	return ""
}

// scoreNames returns the names of the scores of a sample: that of its scorer, with
// that of the value where a scorer gives several.
func scoreNames(scores node) (names []string) {
	for scorer, score := range scores.members() {
		value := score.at("value")
		if !value.isObject() {
			names = append(names, validText(scorer))
			continue
		}
		for part := range value.members() {
			names = append(names, validText(scorer+"."+part))
		}
	}
	return names
}

// chosen returns the value of the only score, or of the one that the options name.
func (l *inspectLog) chosen(scores node, names []string) (value node, ok bool) {
	name := l.in.options.scorer
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	if !slices.Contains(names, name) {
		return node{}, false
	}
	l.scored = true
	if scores.has(name) {
		return scores.at(name, "value"), true
	}
	for scorer, score := range scores.members() {
		if part, ok := strings.CutPrefix(name, validText(scorer)+"."); ok && score.at("value").has(part) {
			return score.at("value", part), true
		}
	}
	return node{}, false
}

// inspectValue reads the value of a score: C, I, P or N for correct, incorrect,
// partly correct and no answer, a boolean, or a number, whose scale is the scorer's
// own and tells no outcome.
func inspectValue(v node) (score trial.Optional[float64], outcome trial.Outcome) {
	switch strings.ToLower(v.text()) {
	case "c", "true", "yes", "correct":
		return trial.Some(1.0), trial.Pass
	case "i", "n", "false", "no", "incorrect":
		return trial.Some(0.0), trial.Fail
	case "p":
		return trial.Some(0.5), trial.Unjudged
	}
	return v.number(), trial.Unjudged
}

// end says what of the scores was not used.
func (l *inspectLog) end() error {
	name := l.in.options.scorer
	list := strings.Join(l.scores, ", ")
	switch {
	case name != "" && !l.scored && len(l.scores) > 0:
		return &trial.FileError{
			File: l.in.file, Problem: fmt.Sprintf("has no score of the scorer %q", prose.Excerpt(name)),
			Advice: "its scorers are " + prose.Excerpt(list),
		}
	case name == "" && len(l.scores) > 1:
		l.in.notes.remark("there are several scorers, and none was chosen to judge: " + list)
	}
	return nil
}
