package relation

import (
	"encoding/json"

	"github.com/tribunal-dev/tribunal/trial"
)

// Pair is the record of two executions, as the output of the trial that they make together.
type Pair struct {
	Source   Side `json:"source"`
	FollowUp Side `json:"follow_up"`
}

// Side is one of them.
type Side struct {
	Input   json.RawMessage `json:"input"`  // null where there is none
	Output  json.RawMessage `json:"output"` // null where there is none
	Outcome string          `json:"outcome"`
}

// PairOf is the record of two executions.
func PairOf(source, followUp Execution) Pair { return Pair{sideOf(source), sideOf(followUp)} }

func sideOf(e Execution) Side {
	return Side{orNull(e.Input), orNull(e.Trial.Output), e.Trial.Outcome.String()}
}

// orNull is null for nothing.
func orNull(r trial.Raw) json.RawMessage {
	if len(r) == 0 {
		return json.RawMessage("null")
	}
	return json.RawMessage(r)
}
