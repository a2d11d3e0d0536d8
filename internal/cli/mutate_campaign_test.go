package cli

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// What is left of a budget that is used up is no budget without limit: nothing more runs.
func TestUsedUpBudgetStartsNothing(t *testing.T) {
	for _, spent := range []float64{1, 1.25} {
		s := suite.Suite{Name: "shop", Budget: suite.Budget{MaxCostUSD: trial.Some(1.0)}}
		c := &campaign{flags: &campaignFlags{}, suite: &s, folder: t.TempDir(), spent: spent}
		_, err := c.part(t.Context(), &App{}, mutantsPart, s, func(*runFlags) {})
		if err == nil || exitCode(err) != ExitInput || !strings.Contains(err.Error(), "the cost budget of $1 is used up before the mutants part") {
			t.Errorf("%v spent: %v", spent, err)
		}
	}
}
