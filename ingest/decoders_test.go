package ingest

import (
	"slices"
	"testing"
)

// byText are the formats that Detect tells by their text, or by few names.
var byText = []Format{"trials", "csv", "lines", "junit", "gotest", "nunit", "xunit", "trx", "robot", "tap"}

func TestEveryRowIsWhole(t *testing.T) {
	seen := map[Format]bool{Auto: true}
	for _, f := range formats {
		if f.about == "" || f.name.About() != f.about {
			t.Errorf("%s: nothing says what it is", f.name)
		}
		if f.decoder.Read == nil || (f.decoder.Shows == nil) != slices.Contains(byText, f.name) {
			t.Errorf("%s: has no decoder, or nothing tells it", f.name)
		}
		if seen[f.name] {
			t.Errorf("%s: stands in the table twice", f.name)
		}
		seen[f.name] = true
	}
	if Format("other").About() != "" {
		t.Error("what is no format is said to be one")
	}
}
