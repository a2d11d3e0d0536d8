package benchmarks

import (
	"testing"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Input tokens are with cached ones, whatever the version of the log counts, and output tokens with reasoning.
func TestInspectUsage(t *testing.T) {
	for text, want := range map[string]int64{
		`{"input_tokens":12,"output_tokens":10,"total_tokens":408,"reasoning_tokens":386}`:                                        12,
		`{"input_tokens":2,"output_tokens":10,"total_tokens":408,"reasoning_tokens":386,"input_tokens_cache_read":10}`:            12,
		`{"input_tokens":12,"output_tokens":10,"total_tokens":22,"reasoning_tokens":8}`:                                           12,
		`{"input_tokens":100,"output_tokens":10,"total_tokens":110,"input_tokens_cache_read":60}`:                                 100,
		`{"input_tokens":40,"output_tokens":10,"total_tokens":120,"input_tokens_cache_read":60,"input_tokens_cache_write":10}`:    110,
		`{"input_tokens":40,"output_tokens":10,"input_tokens_cache_read":60,"reasoning_tokens":5}`:                                100,
		`{"input_tokens":40,"output_tokens":10,"total_tokens":50,"input_tokens_cache_read":null,"input_tokens_cache_write":null}`: 40,
	} {
		n, err := record.DecodeNode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := inspectUsage(n).Input; got != trial.Some(want) {
			t.Errorf("%s: %v, want %d", text, got, want)
		}
		output := int64(10)
		if n.At("total_tokens").Count().Value == 408 { // as xAI counts
			output = 396
		}
		if got := inspectUsage(n).Output; got != trial.Some(output) {
			t.Errorf("%s: output %v, want %d", text, got, output)
		}
	}
}
