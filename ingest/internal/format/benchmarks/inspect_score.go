package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// judge sets the outcome: an error or a limit that ended the sample is none of the
// scorers' doing, and no score of 0.
// The order decides: an error, an invalidation by a person, the chosen score, a limit.
func (l *inspectLog) judge(t *record.Trace, n record.Node) error {
	scores := n.At("scores")
	names := scoreNames(scores)
	chosen, ok := l.choose(names)
	if message := n.At("error"); message.Exists() {
		t.SetInfrastructureError("error", message.Either("message").Text()+texts(message))
		return nil
	}
	if n.At("invalidation").IsObject() {
		t.SetInfrastructureError("invalidated", n.At("invalidation", "reason").Text())
		return nil
	}
	if ok {
		t.Score, t.Outcome = inspectValue(scoreOf(scores, chosen))
		return nil
	}
	if len(names) == 0 && n.At("limit").Exists() {
		l.limit(t, n.At("limit"))
		return nil
	}
	// Several scores and nobody to choose: an error where the trials are to be judged, a remark
	// at the end of the log where they need not be.
	if len(names) > 1 && !l.in.Options.Unjudged {
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
// A limit is an object in a sample and a text in a summary.
func (l *inspectLog) limit(t *record.Trace, limit record.Node) {
	kind := limit.At("type").Text() + texts(limit)
	t.SetInfrastructureError("limit", strings.TrimSpace(kind+" "+limit.At("limit").Text()))
	if kind != "operator" {
		t.Error.Origin = ""
	}
}

// texts returns the content of a string, and "" of any other value.
func texts(n record.Node) string {
	if n.IsText() {
		return n.Text()
	}
	return ""
}

// scoreNames returns the names of the scores of a sample: that of its scorer, with
// that of the value where a scorer gives several.
//
//	{"match":{"value":"C"},"rubric":{"value":{"tone":1,"facts":0.5}}}  gives  match, rubric.facts, rubric.tone
func scoreNames(scores record.Node) (names []string) {
	for scorer, score := range scores.Members() {
		value := score.At("value")
		if !value.IsObject() {
			names = append(names, record.ValidText(scorer))
			continue
		}
		for part := range value.Members() {
			names = append(names, record.ValidText(scorer+"."+part))
		}
	}
	return names
}

// scoreOf returns the value of a score by its name.
// The name of a scorer may hold points itself, so that it is looked up whole before it is cut.
func scoreOf(scores record.Node, name string) record.Node {
	if scores.Has(name) {
		return scores.At(name, "value")
	}
	for scorer, score := range scores.Members() {
		if part, ok := strings.CutPrefix(name, record.ValidText(scorer)+"."); ok && score.At("value").Has(part) {
			return score.At("value", part)
		}
	}
	return record.Node{}
}

// inspectValue reads the value of a score: C, I, P or N for correct, incorrect,
// partly correct and no answer, a boolean, or a number, whose scale is the scorer's
// own and tells no outcome.
// "N" is a refusal to answer, which inspect_ai counts as 0 as well.
func inspectValue(v record.Node) (score trial.Optional[float64], outcome trial.Outcome) {
	switch strings.ToLower(v.Text()) {
	case "c", "true", "yes", "correct":
		return trial.Some(1.0), trial.Pass
	case "i", "n", "false", "no", "incorrect":
		return trial.Some(0.0), trial.Fail
	case "p":
		return trial.Some(0.5), trial.Unjudged
	}
	return v.Number(), trial.Unjudged
}
