package otlp

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// TestTokenCounts checks which parts of a count are inside of others.
func TestTokenCounts(t *testing.T) {
	some := trial.Some[int64]
	for _, c := range []struct {
		counts  tokenCounts
		in, out int64
	}{
		// inside
		{tokenCounts{input: some(100), output: some(20), total: some(120), inputParts: 90, outputParts: 5}, 100, 20},
		// beside
		{tokenCounts{input: some(10), output: some(20), total: some(120), inputParts: 90}, 100, 20},
		{tokenCounts{input: some(10), output: some(20), total: some(120), inputParts: 85, outputParts: 5}, 95, 25},
		{tokenCounts{input: some(5), output: some(845), total: some(2023)}, 5, 2018}, // thoughts that nothing counts
		{tokenCounts{input: some(5), output: some(845)}, 5, 845},
	} {
		if u := c.counts.usage(); u.Input.Value != c.in || u.Output.Value != c.out {
			t.Errorf("%+v: %v, %v", c.counts, u.Input, u.Output)
		}
	}
}
