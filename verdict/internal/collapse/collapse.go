// Package collapse says when a scenario has collapsed, which leaves no Pass to all trials together.
package collapse

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// rate is the pass rate that a scenario must not be shown to be below, whatever the others pass. It is that of a test
// by suite; see docs/suite-test.md. Chosen.
const rate = 0.7

// Rate is the pass rate that a scenario must not be shown to be below where a threshold is asked of all together.
func Rate(threshold float64) float64 { return min(rate, threshold) }

// Text says which scenarios have collapsed under a threshold that trials pass, such as all together.
func Text(names []string, threshold float64, pass string) string {
	return fmt.Sprintf("%s collapsed (%s is ruled out, holm), although %s pass: %s",
		prose.Count(len(names), "scenario")+prose.Form(len(names), " has", " have"), phrase.Percent(Rate(threshold)), pass,
		phrase.Names(names))
}
