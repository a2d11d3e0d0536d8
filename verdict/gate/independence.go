package gate

import (
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// recordedAnswers are what a verdict on recordings, or a comparison of them, says of answers that came again.
func (s *subject) recordedAnswers() (list []verdict.Warning) {
	if s.run != nil {
		return nil
	}
	for _, w := range s.warnings {
		if w.Code == verdict.WarnAnswers {
			list = append(list, w)
		}
	}
	return list
}

// independence is open where the trials of a run may be no independent ones of one agent: files of the agent or of its
// judges changed between two sessions, answers came again, as of a cache, or attempts were often made again. Runs
// without any have no such rule.
func (g *Result) independence(s *subject, o Options) {
	outcome := func(isAllowed bool) RuleWord {
		if isAllowed {
			return RuleNoted
		}
		return RuleOpen
	}
	if o.Edition < fifthEdition {
		return
	}
	for _, w := range s.recordedAnswers() {
		g.rule(ruleAnswers, "", outcome(o.AllowIdentical), "%s", w.Text)
	}
	if s.run == nil {
		return
	}
	if len(s.run.Changed) > 0 {
		g.rule(rulePrograms, "", RuleOpen, "%s", runs.ChangedText(s.run.Changed))
	}
	for i := range s.run.Tests {
		t := &s.run.Tests[i]
		if t.Answers.Notable() {
			g.rule(ruleAnswers, t.Name, outcome(o.AllowIdentical), "%s", t.Answers.Sentence())
		}
		if t.BaselineAnswers.Notable() {
			g.rule(ruleAnswers, t.Name, outcome(o.AllowIdentical), "of the baseline %s", t.BaselineAnswers.Sentence())
		}
	}
	if s.run.Spent.OftenRedrawn() {
		g.rule(ruleAttempts, "", outcome(o.AllowRepeated), "%s", s.run.Spent.RedrawnText())
	}
}

// doubtful is open where many of the trials that passed did nothing, or ended as programs do that went wrong.
func (g *Result) doubtful(s *subject, o Options) {
	const many = 0.5 // chosen: an agent may break now and then
	if s.run == nil || o.Edition < sixthEdition {
		return
	}
	for _, w := range s.run.Doubtful(many) {
		g.rule(string(w.Code), "", RuleOpen, "%s", w.Text)
	}
}
