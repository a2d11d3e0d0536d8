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
	next := "judge new trials, or where the agent has changed say so (tribunal verdict --new-agent)"
	if l.Compared != "" {
		next = "run tribunal gate --new-agent if the agent has changed, else tribunal gate --fresh, whose new trials are " +
			"analysed as the first"
	}
	g.rule(ruleLooks, "", RuleOpen,
		"analysis %d of the same agent%s, after %d without a Pass%s: the chance of a false Pass in any of them is at "+
			"most %s; a person decides, or %s",
		l.Number, l.Known(), l.Number-1, l.Interrupted(), phrase.Percent(l.FalsePass), next)
}
