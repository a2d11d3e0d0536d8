package testreports

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// attribute is a name and a text that a test framework lets its users attach to a
// test: a JUnit property, an attribute of go test.
type attribute struct{ name, text string }

// attributeFields are the attributes that say something of a trial, by the field
// they set. All others become tags.
// The names with gen_ai are those of OpenTelemetry's conventions, for tests that set them so.
var attributeFields = map[string]string{
	"trial": "trial", "variant": "variant", "model": "model", "score": "score", "attempt": "attempt",
	"cost_usd": "cost_usd", "duration_s": "duration_s", "input_tokens": "input_tokens",
	"output_tokens":  "output_tokens",
	"total_cost_usd": "cost_usd", "prompt_tokens": "input_tokens", "completion_tokens": "output_tokens",
	"gen_ai.request.model": "model", "gen_ai.usage.input_tokens": "input_tokens",
	"gen_ai.usage.output_tokens": "output_tokens",
}

// inherited returns those attributes of a suite that hold for each of its tests:
// numbers, such as a cost, are the sum of all and say nothing of one.
// What is named model or variant, and every tag, holds for each test.
func inherited(attributes []attribute) []attribute {
	return slices.DeleteFunc(slices.Clone(attributes), func(a attribute) bool {
		field := attributeFields[a.name]
		return field != "" && field != "model" && field != "variant"
	})
}

// annotate sets what the attributes say of the trial, later ones over earlier
// ones.
// Here the values are texts, and one that does not suit its field is an error with a place.
func annotate(t *trial.Trial, attributes []attribute) error {
	for _, a := range attributes {
		if field, ok := attributeFields[a.name]; ok {
			if _, err := record.SetField(t, field, strings.TrimSpace(a.text)); err != nil {
				return err
			}
			continue
		}
		if a.name != "" {
			record.TagTrial(t, a.name, a.text)
		}
	}
	return nil
}

// annotateWith sets what users attach to a test under the names of [attributeFields],
// and keeps the rest as tags below the name. A value that does not suit its field is
// a tag, too.
// Here the values are JSON: other tools use the same names for things of their own.
func annotateWith(t *record.Trace, name string, attributes record.Node) {
	for member, value := range attributes.Members() {
		if !setKnown(t, attributeFields[member], value) {
			t.SetTag(name+"."+member, value)
		}
	}
}

// setKnown sets a field of the trial, and reports whether the value suits it; "" is no field.
func setKnown(t *record.Trace, field string, value record.Node) (set bool) {
	switch field {
	case "trial":
		return assign(&t.Index, value.Index())
	case "attempt":
		return assign(&t.Attempt, value.Index())
	case "score":
		return assign(&t.Score, value.Number())
	case "cost_usd":
		return assign(&t.CostUSD, value.Amount())
	case "duration_s":
		return assign(&t.DurationSeconds, value.Amount())
	case "input_tokens":
		return assign(&t.InputTokens, value.Count())
	case "output_tokens":
		return assign(&t.OutputTokens, value.Count())
	case "model":
		return assignText(&t.Model, value)
	case "variant":
		return assignText(&t.Variant, value)
	}
	return false
}

// assign sets the field where the value is known.
func assign[T any](field *trial.Optional[T], value trial.Optional[T]) bool {
	if value.Known {
		*field = value
	}
	return value.Known
}

// assignText sets the field to a text, or the digits of a number, that is not empty.
func assignText(field *string, value record.Node) bool {
	if text := value.Text(); text != "" {
		*field = record.ValidText(text)
		return true
	}
	return false
}
