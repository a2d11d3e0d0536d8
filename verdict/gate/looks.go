package gate

import (
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// looks is open where a Pass came after looks at the same question that did not pass, and
// that were not declared: whoever runs again until there is a Pass gets one too often.
// Results whose looks are not counted have no such rule.
func (g *Result) looks(result verdict.Result) {
	var l *verdict.Looks
	switch r := result.(type) {
	case *runs.Result:
		l = r.Looks
	case *verdict.ThresholdResult:
		l = r.Looks
	}
	if l != nil && l.Changed != "" && result.Header().Verdict == verdict.Pass {
		g.rule(ruleLooks, "", RuleOpen, "%s", l.ChangedText())
	}
	if !l.Open() || result.Header().Verdict != verdict.Pass {
		return
	}
	next := "tribunal verdict --new-agent begins the count anew, where the agent has changed"
	if l.Compared != "" {
		next = "tribunal gate --new-agent begins the count anew, where the agent has changed or a person has decided"
	}
	g.rule(ruleLooks, "", RuleOpen,
		"analysis %d of the same agent%s, %s: the chance of a false Pass in any of them is at most %s; a person decides; %s",
		l.Number, l.Known(), l.After(), phrase.Percent(l.FalsePass), next)
}
