package suite

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
)

// noBaseline is what a scenario says that is tested without the baseline of the suite.
const noBaseline = "none"

// baseline reads the file of a baseline, or none.
func (d *decoder) baseline(n *yaml.Node, a *Against) {
	var text string
	d.Line(&text)(n)
	switch {
	case text == "":
	case text == noBaseline:
		a.Baseline, a.SideBySide = "", false
	// A name of this form is kept for a store, which would otherwise be taken for the name of a file.
	case strings.HasPrefix(text, "store:"):
		d.Fail(n, yamlnode.Shown(text)+" names a result in a store, and there is no store",
			"name the file of a saved result: baseline: main.result.json")
	default:
		a.Baseline, a.SideBySide = text, false
	}
}

// checkAgainst refuses what a test says of its baseline and cannot be, once the agents are known. Of
// the keys it looks at those that the mapping has: what is inherited was looked at before.
func (d *decoder) checkAgainst(n *yaml.Node, t *Test) {
	a := t.Against
	refuse := func(name, problem, advice string) {
		d.At(name, func() { d.Fail(valueOf(n, name), problem, advice) })
	}
	has := func(name string) bool { return n.Kind == yaml.MappingNode && yamlnode.Has(n, name) }
	const rounds = "baseline_agent: {...} beside agent, without a baseline file, makes one"
	switch {
	case has("guard") && a.Matched:
		refuse("guard", "is not for matched pairs", "discordant says what to reckon with there")
	case has("pairs") && a.Matched && !a.SideBySide:
		refuse("pairs", `can be "matched" in a test side by side alone`, rounds)
	case has("discordant") && !a.Matched:
		refuse("discordant", "is for matched pairs", "give pairs: matched, or omit it")
	case a.Discordant != 0 && a.Discordant <= t.Delta:
		const advice = "a drop by delta needs so many pairs that differ"
		if has("discordant") {
			refuse("discordant", fmt.Sprintf("%v must be above delta %v", a.Discordant, t.Delta), advice)
		} else {
			refuse("delta", fmt.Sprintf("%v must be below discordant %v", t.Delta, a.Discordant), advice)
		}
	}
	if has("max_trials") || has("baseline") {
		most, what := baseline.MostTrials, "a test against a stored baseline has at most %d trials"
		if a.SideBySide {
			most, what = baseline.MostRounds, "a test side by side has at most %d rounds"
		}
		if a.Asked() && t.MaxTrials > most {
			refuse("max_trials", fmt.Sprintf("%d is too many: "+what, t.MaxTrials, most), "")
		}
	}
}

// valueOf is the value of a key, or the mapping itself where it does not have the key.
func valueOf(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return n
}

// unused refuses what a suite says, and no test of it uses.
func (d *decoder) unused(s *Suite, baseline, test *yaml.Node) {
	if len(d.Problems) > 0 {
		return
	}
	var asked, sideBySide, threshold bool
	for _, c := range s.Scenarios {
		asked = asked || c.Test.Against.Asked()
		sideBySide = sideBySide || c.Test.Against.SideBySide
		threshold = threshold || c.Test.Threshold != 0
	}
	if baseline != nil && !sideBySide {
		d.At("baseline_agent", func() {
			d.Fail(baseline, "is not run: every test names another baseline", "leave one of the two out")
		})
	}
	if test == nil {
		return
	}
	refuse := func(name, problem, advice string) {
		if yamlnode.Has(test, name) {
			d.At("test."+name, func() { d.Fail(valueOf(test, name), problem, advice) })
		}
	}
	if !asked {
		refuse("guard", guardAlone, guardAdvice)
	}
	if !threshold {
		for _, name := range []string{"design", "prior"} {
			refuse(name, "is for a test against a threshold",
				"give a threshold besides, or omit it: against a baseline there is one design")
		}
	}
}

// What is said of a guard without a baseline, in the suite and in a scenario.
const (
	guardAlone  = "is for a test against a baseline"
	guardAdvice = "give one, baseline: FILE, or omit it"
)
