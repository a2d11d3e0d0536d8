package ingest

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// attribute is a name and a text that a test framework lets its users attach to a
// test: a JUnit property, an attribute of go test.
type attribute struct{ name, text string }

// attributeFields are the attributes that say something of a trial, by the field
// they set. All others become tags.
var attributeFields = map[string]string{
	"trial": "trial", "variant": "variant", "model": "model", "score": "score", "attempt": "attempt",
	"cost_usd": "cost_usd", "duration_s": "duration_s", "input_tokens": "input_tokens", "output_tokens": "output_tokens",
	"gen_ai.request.model": "model", "gen_ai.usage.input_tokens": "input_tokens", "gen_ai.usage.output_tokens": "output_tokens",
}

// inherited returns those attributes of a suite that hold for each of its tests:
// numbers, such as a cost, are the sum of all and say nothing of one.
func inherited(attributes []attribute) []attribute {
	return slices.DeleteFunc(slices.Clone(attributes), func(a attribute) bool {
		field := attributeFields[a.name]
		return field != "" && field != "model" && field != "variant"
	})
}

// annotate sets what the attributes say of the trial, later ones over earlier
// ones.
func annotate(t *trial.Trial, attributes []attribute) error {
	for _, a := range attributes {
		if field, ok := attributeFields[a.name]; ok {
			if _, err := setField(t, field, strings.TrimSpace(a.text)); err != nil {
				return err
			}
			continue
		}
		if a.name != "" {
			tagTrial(t, a.name, a.text)
		}
	}
	return nil
}

// annotateWith sets what users attach to a test under the names of [attributeFields],
// and keeps the rest as tags below the name. A value that does not suit its field is
// a tag, too.
func annotateWith(t *trace, name string, attributes node) {
	for member, value := range attributes.members() {
		if !setKnown(t, attributeFields[member], value) {
			t.setTag(name+"."+member, value)
		}
	}
}

func setKnown(t *trace, field string, value node) (set bool) {
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
