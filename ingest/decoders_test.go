package ingest

import (
	"errors"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// toCome are the formats that have a name and no decoder.
var toCome = []Format{OTLP, Langfuse, OpenAIAgents, OpenAI, LangChain, LangSmith, CrewAI, AutoGen, Smolagents, SemanticKernel, ADK}

func TestEveryFormatHasADecoder(t *testing.T) {
	for _, name := range FormatNames() {
		format, err := ParseFormat(name)
		if err != nil {
			t.Fatal(err)
		}
		if format.About() == "" {
			t.Errorf("%s: nothing says what it is", name)
		}
		if format == Auto {
			continue
		}
		d := decoders[format]
		if slices.Contains(toCome, format) {
			if d.read != nil {
				continue // it has come
			}
			_, err := written(reading("{}", Options{From: format}))
			if e, ok := errors.AsType[*trial.OptionError](err); !ok || e.Error() != "format "+name+" cannot be read yet" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if d.read == nil || format >= OTLP && d.shows == nil {
			t.Errorf("%s: has no decoder, or nothing tells it", name)
		}
	}
	if Format(200).About() != "" {
		t.Error("what is no format is said to be one")
	}
}
