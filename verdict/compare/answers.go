package compare

import (
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// answersOfBoth are the paths of what is told of answers, which are not saved.
var answersOfBoth = []string{"baseline_identical_answers", "candidate_identical_answers"}

// Repeat tells of answers that came again, of both sides. The verdict stays what it is.
func (r *Result) Repeat(baseline, candidate []verdict.ScenarioAnswers) {
	r.BaselineAnswers, r.CandidateAnswers = baseline, candidate
	r.Warnings = append(r.Warnings, cameAgain(baseline, candidate)...)
}

// Repeat tells of answers that came again, of both sides. The verdict stays what it is.
func (r *Anytime) Repeat(baseline, candidate []verdict.ScenarioAnswers) {
	r.BaselineAnswers, r.CandidateAnswers = baseline, candidate
	r.Warnings = append(r.Warnings, cameAgain(baseline, candidate)...)
}

// repeat tells of answers that came again, of both sides.
func (r *Ends) repeat(baseline, candidate []verdict.ScenarioAnswers) {
	r.BaselineAnswers, r.CandidateAnswers = baseline, candidate
	r.Warnings = append(r.Warnings, cameAgain(baseline, candidate)...)
}

// cameAgain are the warnings of answers that came again.
func cameAgain(baseline, candidate []verdict.ScenarioAnswers) (list []verdict.Warning) {
	for i, answers := range [][]verdict.ScenarioAnswers{baseline, candidate} {
		if text := verdict.AnswersText(answers); text != "" {
			list = append(list, verdict.WarnAnswers.Warning("of the %s %s", []string{"baseline", "candidate"}[i], text))
		}
	}
	return list
}

// checkAnswers compares what is told of answers with the most trials that each side may have, and takes it as it is.
func checkAnswers(found *rejudged.Result, baseline, candidate []verdict.ScenarioAnswers, most [2]int) error {
	for i, list := range [][]verdict.ScenarioAnswers{baseline, candidate} {
		if err := verdict.CheckAnswersAmong(answersOfBoth[i], list, most[i]); err != nil {
			return err
		}
	}
	found.Given = append(found.Given, answersOfBoth...)
	return nil
}
