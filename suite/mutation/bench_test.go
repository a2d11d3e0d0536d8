package mutation

import (
	"context"
	"strings"
	"testing"
)

// BenchmarkMutants finds the mutants of a prompt of a few screens, and of one of 100 kB.
func BenchmarkMutants(b *testing.B) {
	section := strings.Join(fragments[:len(fragments)-5], "\n") + "\n\n"
	for name, copies := range map[string]int{"2kB": 5, "100kB": 250} {
		c := Configuration{Prompt: strings.Repeat(section, copies)}
		b.Run(name, func(b *testing.B) {
			for range b.N {
				all, err := Mutants(context.Background(), c, Options{})
				if err != nil || len(all) == 0 {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(all)), "mutants")
			}
			b.ReportMetric(float64(len(c.Prompt)), "bytes")
		})
	}
}
