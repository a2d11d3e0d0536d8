package fingerprint

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// traces writes trials of about 3 KB each: twelve steps with their contents.
func traces(n int) []byte {
	var b bytes.Buffer
	result := strings.Repeat("x", 150)
	for i := range n {
		fmt.Fprintf(&b, `{"scenario":"s%d","trial":%d,"outcome":"pass","cost_usd":0.0%d,"input_tokens":%d,"output_tokens":%d,"steps":[`, i%20, i/20, 10+i%7, 900+i%13, 100+i%11)
		for k := range 6 + i%2 {
			fmt.Fprintf(&b, `{"action":"reason","output":"%s","input_tokens":%d,"output_tokens":30,"cost_usd":0.001},`, result,
				300+k)
			fmt.Fprintf(&b, `{"action":"call_tool","tool":"tool_%d","arguments":{"id":%d,"text":"abc"},"output":"%s","duration_s":0.2},`, (i+k)%5, i, result)
		}
		b.WriteString(`{"action":"respond","output":"done"}],"output":"` + strings.Repeat("The order was found. ", 10) +
			"\"}\n")
	}
	return b.Bytes()
}

// BenchmarkReadAndCollect reads 10,000 traces and takes them into a sample.
func BenchmarkReadAndCollect(b *testing.B) {
	text := traces(10_000)
	b.SetBytes(int64(len(text)))
	b.ReportMetric(float64(len(text))/10_000, "B/trace")
	runtime.GC()
	for b.Loop() {
		sample, err := Collect(trial.Read(bytes.NewReader(text),
			trial.Options{Fields: trial.StepFields | trial.ContentFields}))
		if err != nil || sample.Len() != 10_000 {
			b.Fatal(sample.Len(), err)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "MB-sys")
}

// BenchmarkVectors makes the vectors of 1,000 traces that were read.
func BenchmarkVectors(b *testing.B) {
	sample, err := Collect(trial.Read(bytes.NewReader(traces(1000)),
		trial.Options{Fields: trial.StepFields | trial.ContentFields}))
	if err != nil {
		b.Fatal(err)
	}
	vocabulary := NewVocabulary(sample)
	b.ReportAllocs()
	for b.Loop() {
		if got := vocabulary.Vectors(sample); len(got) != 1000 {
			b.Fatal(len(got))
		}
	}
}
