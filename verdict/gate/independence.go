package gate

// independence is open where the trials of a run may be no independent ones: answers came again, as of a cache, or
// attempts were often made again. Runs without either have no such rule.
func (g *Result) independence(s *subject, o Options) {
	if s.run == nil || o.Edition < FifthEdition {
		return
	}
	outcome := func(isAllowed bool) RuleWord {
		if isAllowed {
			return RuleNoted
		}
		return RuleOpen
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
