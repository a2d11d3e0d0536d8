package report

import (
	"fmt"
	"io"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
)

// BenchmarkReport writes a verdict on fifty scenarios in each form.
func BenchmarkReport(b *testing.B) {
	var tallies []verdict.Tally
	for i := range 50 {
		tallies = append(tallies, verdict.Tally{Scenario: fmt.Sprint("scenario-", i), Passes: 17 + i%4, Fails: 3 - i%4})
	}
	result, err := verdict.JudgeThreshold(b.Context(), tallies,
		verdict.ThresholdOptions{Threshold: 0.85, By: verdict.ByScenario})
	if err != nil {
		b.Fatal(err)
	}
	for _, form := range []struct {
		name  string
		write func() error
	}{
		{"text", func() error { return Write(io.Discard, result, TextFormat, Options{Width: 80, Rows: 50}) }},
		{"json", func() error { return JSON(io.Discard, result) }},
		{"html", func() error { return Write(io.Discard, result, HTMLFormat, Options{}) }},
		{"markdown", func() error { return Write(io.Discard, result, markdownFormat, Options{}) }},
		{"junit", func() error { return Write(io.Discard, result, jUnitFormat, Options{}) }},
	} {
		b.Run(form.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := form.write(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
