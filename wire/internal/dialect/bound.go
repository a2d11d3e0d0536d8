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
	Most          allowance `json:"max_tokens"`
	MostCompleted allowance `json:"max_completion_tokens"`
	MostOutput    allowance `json:"max_output_tokens"`
	Choices       allowance `json:"n"`
	BestOf        allowance `json:"best_of"`
	Options       struct {
		Most allowance `json:"num_predict"`
	} `json:"options"`
	Generation       generation `json:"generationConfig"`
	GenerationSnaked generation `json:"generation_config"` // as protocol buffers are read too
}

// generation is Gemini's.
type generation struct {
	Most          allowance `json:"maxOutputTokens"`
	MostSnaked    allowance `json:"max_output_tokens"`
	Choices       allowance `json:"candidateCount"`
	ChoicesSnaked allowance `json:"candidate_count"`
}

// allowance is a number above 0; 0 is none.
type allowance int64

// UnmarshalJSON never fails.
func (a *allowance) UnmarshalJSON(text []byte) error {
	var n tokens.Number
	_ = n.UnmarshalJSON(text) // which never fails
	*a = allowance(n.Count.Value)
	return nil
}

// Bound reads what a request allows of its answer. Where it does so twice, the larger number holds.
func (d *Dialect) Bound(body []byte) Bound {
	var b bound
	// What is wrong elsewhere leaves what was read.
	_ = json.Unmarshal(body, &b, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	most, choices := d.bound(&b)
	bound := Bound{Choices: max(int64(choices), 1)}
	if most > 0 && int64(most) <= trial.MaxTokens/bound.Choices {
		bound.Tokens = trial.Some(int64(most) * bound.Choices)
	}
	return bound
}
