package trial

import "strconv"

// Judge completes a trial that was read: it must have a scenario, and if it has
// no outcome it gets the one that follows from passed, or else from its score,
// which passes if it is at least passScore. It returns a [FieldError], with the
// place of the trial, if the scenario is missing, if nothing tells the outcome,
// and if passed contradicts the outcome. Not passed and [Error] agree.
func (t *Trial) Judge(passed Optional[bool], passScore Optional[float64]) error {
	byPassed := Fail
	if passed.Value {
		byPassed = Pass
	}
	switch {
	case t.Scenario == "":
		return t.fieldError("scenario", "", "is missing", "every trial needs the name of what was tried")
	case passed.Known && t.Outcome == Unjudged:
		t.Outcome = byPassed
	case passed.Known && t.Outcome != byPassed && (t.Outcome != Error || byPassed == Pass):
		problem := "contradicts the outcome " + t.Outcome.String()
		return t.fieldError("passed", strconv.FormatBool(passed.Value), problem, "leave one of the two out")
	case t.Outcome != Unjudged:
	case !t.Score.Known:
		return t.fieldError("outcome", "", "is missing", `it must be pass, fail or error`)
	case !passScore.Known:
		return &FieldError{
			Place: t.Place, Field: "outcome", Problem: "is missing",
			Advice: "there is a score: give the least score that passes with PassScore, or write the outcome",
			About:  "PassScore",
		}
	default:
		t.Outcome = ByScore(t.Score.Value, passScore.Value)
	}
	return nil
}

// fieldError says what is wrong with a field of a trial that was read.
func (t *Trial) fieldError(field, value, problem, hint string) error {
	return &FieldError{Place: t.Place, Field: field, Value: value, Problem: problem, Advice: hint}
}

// ByScore returns [Pass] if score >= passScore, and [Fail] if not, also for NaN.
func ByScore(score, passScore float64) Outcome {
	if score >= passScore {
		return Pass
	}
	return Fail
}
