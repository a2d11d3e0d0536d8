package trial

// The names of the fields, as they are written.
var (
	trialFields = []string{
		"scenario", "trial", "variant", "outcome", "passed", "score", "error", "started_at", "duration_s", "model",
		"cost_usd", "cost_basis", "cost_usd_at_least", "input_tokens", "output_tokens", "tokens_at_least",
		"cached_tokens", "cache_write_tokens", "turns", "tool_calls", "model_usage", "steps", "input", "output",
		"attempt", "tags",
	}
	stepFields = []string{
		"action", "tool", "arguments", "output", "error", "depth", "duration_s", "cost_usd", "input_tokens",
		"output_tokens", "cached_tokens", "cache_write_tokens", "model",
	}
	modelUseFields = []string{
		"model", "cost_usd", "input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens",
	}
	causeFields = []string{"origin", "type", "message"}
)
