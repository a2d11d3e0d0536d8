package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// returned returns what a tool gave back: the text of a message, or any other value
// as it is. Nothing is nil, and an empty text an empty text.
func returned(content node) trial.Raw {
	if text := spoken(content); text != "" && content.isList() {
		return trial.RawString(text)
	}
	if content.isText() {
		return trial.RawString(content.text())
	}
	return content.raw()
}

// conclude sets the output of the trial to the last text of the agent itself, unless
// there is a better one.
func (t *trace) conclude() {
	for i := len(t.Steps) - 1; i >= 0 && t.Output == nil; i-- {
		s := t.Steps[i]
		if (s.Action == trial.Respond || s.Action == trial.Reason) && s.Depth.Value == 0 {
			t.Output = s.Output
		}
	}
}

// annotateWith sets what users attach to a test under the names of [attributeFields],
// and keeps the rest as tags below the name. A value that does not suit its field is
// a tag, too.
func (t *trace) annotateWith(name string, attributes node) {
	for member, value := range attributes.members() {
		if !t.setKnown(attributeFields[member], value) {
			t.tagTree(name+"."+member, value)
		}
	}
}

func (t *trace) setKnown(field string, value node) (set bool) {
	switch field {
	case "trial":
		return assign(&t.Index, value.index())
	case "attempt":
		return assign(&t.Attempt, value.index())
	case "score":
		return assign(&t.Score, value.number())
	case "cost_usd":
		return assign(&t.CostUSD, value.amount())
	case "duration_s":
		return assign(&t.DurationSeconds, value.amount())
	case "input_tokens":
		return assign(&t.InputTokens, value.count())
	case "output_tokens":
		return assign(&t.OutputTokens, value.count())
	case "model":
		return assignText(&t.Model, value)
	case "variant":
		return assignText(&t.Variant, value)
	}
	return false
}

func assign[T any](field *trial.Optional[T], value trial.Optional[T]) bool {
	if value.Known {
		*field = value
	}
	return value.Known
}

func assignText(field *string, value node) bool {
	if text := value.text(); text != "" {
		*field = validText(text)
		return true
	}
	return false
}

// rewarded judges by a reward that is 1 for a success, and less for a failure.
func (t *trace) rewarded(reward trial.Optional[float64]) {
	if !reward.Known {
		return
	}
	t.Score = reward
	t.Outcome = trial.Fail
	if d := reward.Value - 1; -rewardTolerance <= d && d <= rewardTolerance {
		t.Outcome = trial.Pass
	}
}

const rewardTolerance = 1e-6

// agentVariant names an agent and its version and model, as far as they are known.
func agentVariant(name, version, model string) string {
	parts := []string{name}
	if version != "unknown" {
		parts = append(parts, version)
	}
	return validText(strings.Join(strings.Fields(strings.Join(append(parts, model), " ")), " "))
}
