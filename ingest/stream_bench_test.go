package ingest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// BenchmarkStream reads 100,000 trials of one line, as a verdict does: the format told
// from the content, and trials that are recorded twice refused.
func BenchmarkStream(b *testing.B) {
	const trials = 100_000
	var text bytes.Buffer
	for i := range trials {
		fmt.Fprintf(&text, `{"scenario":"s%d","trial":%d,"variant":"v","outcome":"pass","cost_usd":0.01,"input_tokens":123,"output_tokens":45}`+"\n", i%50, i/50)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		count := 0
		stream := NewStream(bytes.NewReader(text.Bytes()), Options{Options: trial.Options{Fields: trial.BasicFields}})
		for _, err := range stream.Trials(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
			count++
		}
		if count != trials {
			b.Fatalf("read %d trials", count)
		}
	}
}
