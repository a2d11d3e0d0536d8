package dialect

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/tokens"
)

// Bound is what a request allows of its answer.
type Bound struct {
	Tokens  trial.Optional[int64] // of all choices together; unknown: it names no bound, or none that is a number
	Choices int64                 // answers that it asks for at once, at least 1
}

// bound has the members that bound answers. Names are compared as they are written: a server passes over any others.
type bound struct {
	Most          allowed `json:"max_tokens"`
	MostCompleted allowed `json:"max_completion_tokens"`
	MostOutput    allowed `json:"max_output_tokens"`
	Choices       allowed `json:"n"`
	BestOf        allowed `json:"best_of"`
	Options       struct {
		Most allowed `json:"num_predict"`
	} `json:"options"`
	Generation       generation `json:"generationConfig"`
	GenerationSnaked generation `json:"generation_config"` // as protocol buffers are read too
}

// generation is Gemini's.
type generation struct {
	Most          allowed `json:"maxOutputTokens"`
	MostSnaked    allowed `json:"max_output_tokens"`
	Choices       allowed `json:"candidateCount"`
	ChoicesSnaked allowed `json:"candidate_count"`
}

// allowed is a number above 0; 0 is none.
type allowed int64

// UnmarshalJSON never fails.
func (a *allowed) UnmarshalJSON(text []byte) error {
	var n tokens.Number
	_ = n.UnmarshalJSON(text) // which never fails
	*a = allowed(n.Count.Value)
	return nil
}

// Bound reads what a request allows of its answer. Where it does so twice, the larger number holds.
func (d *Dialect) Bound(body []byte) Bound {
	var b bound
	// What is wrong elsewhere leaves what was read.
	_ = json.Unmarshal(body, &b, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	most, choices := d.bound(&b)
	of := Bound{Choices: max(int64(choices), 1)}
	if most > 0 && int64(most) <= trial.MaxTokens/of.Choices {
		of.Tokens = trial.Some(int64(most) * of.Choices)
	}
	return of
}
