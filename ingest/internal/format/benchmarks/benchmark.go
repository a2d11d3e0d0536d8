package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// judgeByReward judges by a reward that is 1 for a success, and less for a failure.
func judgeByReward(t *record.Trace, reward trial.Optional[float64]) {
	if !reward.Known {
		return
	}
	t.Score = reward
	t.Outcome = trial.Fail
	if d := reward.Value - 1; -rewardTolerance <= d && d <= rewardTolerance {
		t.Outcome = trial.Pass
	}
}

// rewardTolerance is that of tau-bench, which takes a reward so near to 1 for a success.
const rewardTolerance = 1e-6

// agentVariant names an agent and its version and model, as far as they are known.
// Writers say "unknown" where they do not know the version; white space is made single.
func agentVariant(name, version, model string) string {
	parts := []string{name}
	if version != "unknown" {
		parts = append(parts, version)
	}
	return record.ValidText(strings.Join(strings.Fields(strings.Join(append(parts, model), " ")), " "))
}
