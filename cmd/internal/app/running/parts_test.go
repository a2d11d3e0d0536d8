package running

import (
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// What is left of a budget that is used up is no budget without limit: nothing more runs. What nothing limits stays so.
func TestUsedUpBudgetStartsNothing(t *testing.T) {
	for want, x := range map[string]struct {
		budget suite.Budget
		spent  Spending
	}{
		"the cost budget of $1 is used up before the mutants part": {suite.Budget{MaxCostUSD: trial.Some(1.0)},
			Spending{cost: 1}},
		"the cost budget of $2 is used up before the mutants part": {suite.Budget{MaxCostUSD: trial.Some(2.0)},
			Spending{cost: 2.25}},
		"the token budget of 90 is used up before the mutants part": {suite.Budget{MaxTokens: trial.Some(int64(90))},
			Spending{tokens: 90}},
		"the trial budget of 9 is used up before the mutants part": {suite.Budget{MaxTrials: trial.Some(9)},
			Spending{trials: 9}},
		"the time budget of 1m0s is used up before the mutants part": {suite.Budget{MaxDuration: time.Minute},
			Spending{duration: time.Hour}},
	} {
		s := suite.Suite{Name: "shop", Budget: x.budget}
		p := Parts{Name: s.Name, Folder: t.TempDir(), Spent: &x.spent}
		_, err := p.Carry(t.Context(), &world.World{}, "mutants", s, func(*Request, *Hooks) {})
		if err == nil || problem.ExitCode(err) != exit.Input || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	spent := Spending{cost: 1, tokens: 10, trials: 5, duration: time.Second}
	if left, err := spent.Left(suite.Budget{}, "mutants"); err != nil || left != (suite.Budget{}) {
		t.Errorf("%+v, %v of no budget", left, err)
	}
	want := suite.Budget{MaxCostUSD: trial.Some(3.0), MaxTokens: trial.Some(int64(90)), MaxTrials: trial.Some(15),
		MaxDuration: 59 * time.Second}
	most := suite.Budget{MaxCostUSD: trial.Some(4.0), MaxTokens: trial.Some(int64(100)), MaxTrials: trial.Some(20),
		MaxDuration: time.Minute}
	if left, err := spent.Left(most, "mutants"); err != nil || left != want {
		t.Errorf("%+v, %v, want %+v", left, err, want)
	}
}
