package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// mutate calls try for each member and element of a value, while it is replaced by values of other types: by one of
// them, in turn, or by all where that is asked for.
func mutate(value any, path string, seen map[string]bool, try func(path string)) {
	others := []any{true, `{"role":"tool","content":[[]]}`, []any{[]any{nil}}, map[string]any{"role": 1, "type": []any{}}}
	replace := func(path string, inner any, set func(any)) {
		if !seen[path] {
			seen[path] = true
			for i, other := range others {
				if !thorough.Asked() && i != len(seen)%len(others) {
					continue
				}
				set(other)
				try(fmt.Sprintf("%s = others[%d]", path, i))
			}
			set(inner)
		}
		mutate(inner, path, seen, try)
	}
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			replace(path+"."+name, inner, func(other any) { v[name] = other })
		}
	case []any:
		for i, inner := range v {
			at := path
			if pair, ok := inner.(map[string]any); ok && pair["key"] != nil {
				at = fmt.Sprintf("%s[%v]", path, pair["key"]) // attributes differ by name
			}
			replace(at+"[]", inner, func(other any) { v[i] = other })
		}
	}
}

// TestOtherTypes reads the samples with one value after the other replaced: what is
// not of the type that the format says is unknown, and nothing fails for it but the
// trial as a whole, with a place.
func TestOtherTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads many files")
	}
	for name, format := range map[string]Format{"otlp": "otlp", "langfuse": "langfuse"} {
		text, err := os.ReadFile(ownSample(name))
		if err != nil {
			t.Fatal(err)
		}
		var documents []any
		for d := json.NewDecoder(bytes.NewReader(text)); ; {
			var document any
			if d.Decode(&document) != nil {
				break
			}
			documents = append(documents, document)
		}
		if len(documents) == 1 {
			documents = documents[0].([]any)
		}
		if len(documents) < 3 {
			t.Fatal(len(documents))
		}
		tried, read := 0, 0
		mutate(documents, "", map[string]bool{}, func(path string) {
			o := unjudged
			o.From, o.AllowDuplicates = format, true
			tried++
			encoded, err := json.Marshal(documents)
			if err != nil {
				t.Fatal(err)
			}
			_, err = written(streamOf(string(encoded), o))
			if err == nil {
				read++
			} else if !errors.As(err, new(*trial.FieldError)) && !errors.As(err, new(*trial.FileError)) &&
				!errors.As(err, new(*VariantError)) {
				t.Errorf("%s%s: %v", name, path, err)
			}
		})
		if tried < thorough.Draws(50, 200) || read < tried*9/10 {
			t.Errorf("%s: only %d of %d were read", name, read, tried)
		}
	}
}
