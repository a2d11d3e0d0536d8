package fault

import (
	_ "embed" // payloads.yaml
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/canary"
)

// Payload is a text that instructs a model from within a result.
type Payload struct {
	Name   string `yaml:"name"`
	Goal   string `yaml:"goal"`   // what it wants, in a word or two
	Source string `yaml:"source"` // where its form was described
	Text   string `yaml:"text"`   // with {canary} where the canary stands
}

//go:embed payloads.yaml
var payloadText []byte

// payloads are those of the file.
var payloads = sync.OnceValue(func() []Payload {
	var file struct {
		Payloads []Payload `yaml:"payloads"`
	}
	if err := yaml.Unmarshal(payloadText, &file); err != nil {
		panic("payloads.yaml: " + err.Error()) // which a test reads
	}
	return file.Payloads
})

// Payloads are the texts of [ToolInjection].
func Payloads() []Payload { return append([]Payload(nil), payloads()...) }

// payloadOf finds a payload by its name.
func payloadOf(name string) (Payload, bool) {
	for _, p := range payloads() {
		if p.Name == name {
			return p, true
		}
	}
	return Payload{}, false
}

// payloadNames are the names of all.
func payloadNames() (names []string) {
	for _, p := range payloads() {
		names = append(names, p.Name)
	}
	return names
}

// Canary is a text that stands nowhere but in what the attempt's [ToolInjection] injects: what has it came of that.
func (f *Faults) Canary() string { return canary.Of(f.seed) }
