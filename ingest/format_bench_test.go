package ingest

import (
	"bytes"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// BenchmarkFormats reads the sample of every format: the format told from the content,
// the trials put together, checked and handed out.
func BenchmarkFormats(b *testing.B) {
	o := Options{Options: trial.Options{Unjudged: true}, AllVariants: true, AllowDuplicates: true}
	for _, s := range ownSamples(b) {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(s.text)))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range NewStream(bytes.NewReader(s.text), o).Trials(b.Context()) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
