package relations

import (
	"encoding/json"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/relation"
)

// MostExamples is how many violations of a relation in a scenario are shown, and mostShown how many bytes of each text.
// Both are chosen.
const (
	MostExamples = 3
	mostShown    = 300
)

// ExampleOf is what is shown of a pair that violates a relation. Its texts are those of others: on one line, and cut.
func ExampleOf(number int, p relation.Pair, why string) Example {
	return Example{Trial: number, Source: halfOf(p.Source), FollowUp: halfOf(p.FollowUp),
		Why: prose.PrintableUpTo(why, mostShown)}
}

func halfOf(s relation.Side) Half {
	shown := func(value json.RawMessage) string {
		return prose.PrintableUpTo(trial.Raw(value).Text(), mostShown)
	}
	return Half{Input: shown(s.Input), Output: shown(s.Output), Outcome: s.Outcome}
}
