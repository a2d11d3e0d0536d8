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
			setTag(t, a.name, a.text)
		}
	}
	return nil
}

// setTag sets a tag, over one of the same name.
func setTag(t *trial.Trial, name, text string) {
	tag := trial.Member{Name: strings.ToValidUTF8(name, "\ufffd"), Value: trial.RawString(text)}
	for i := range t.Tags {
		if t.Tags[i].Name == tag.Name {
			t.Tags[i] = tag
			return
		}
	}
	t.Tags = append(t.Tags, tag)
}
