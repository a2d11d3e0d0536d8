package ingest

import "testing"

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
		if d.read == nil || format >= OTLP && d.shows == nil {
			t.Errorf("%s: has no decoder, or nothing tells it", name)
		}
	}
	if Format(200).About() != "" {
		t.Error("what is no format is said to be one")
	}
}
