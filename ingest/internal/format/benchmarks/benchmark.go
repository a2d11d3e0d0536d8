package benchmarks

import (
	"crypto/sha256"
	"encoding/hex"
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

// longestName is how much of a text is the name of a test that has no other, in bytes.
const longestName = 80

// shortName is the beginning of a text as the name of a test, with the mark of what the test is
// where that is not all of it.
func shortName(text, test string) string {
	if len(text) <= longestName {
		return text
	}
	return strings.ToValidUTF8(text[:longestName], "") + "… #" + mark(test)
}

// inputName is the name of a test that has none but its input.
func inputName(input record.Node) string {
	text := input.Speech()
	if text == "" {
		text = string(input.Raw())
	}
	return shortName(text, text)
}

// testNames are the names of the tests of a file, each with what the test is.
type testNames map[string]string

// name returns the name of a test, which is that of the first of its name, and carries the mark
// of what it is if another test has taken it.
func (n testNames) name(name, test string) string {
	if other, taken := n[name]; taken && other != test {
		name += " #" + mark(test)
	}
	n[name] = test
	return name
}

// mark tells tests apart that are called alike: eight digits of a hash are enough for those of
// a file.
func mark(test string) string {
	sum := sha256.Sum256([]byte(test))
	return hex.EncodeToString(sum[:4])
}
