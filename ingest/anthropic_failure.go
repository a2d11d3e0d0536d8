package ingest

import "github.com/tribunal-dev/tribunal/trial"

// isAPIError reports whether n is an error of the API in place of a message.
func isAPIError(n node) bool { return n.at("type").text() == "error" && n.at("error").isObject() }

// apiFailure is what the API, or Claude Code, gave in place of an answer.
type apiFailure struct{ kind, text string }

// set notes the failure. A request that the model cannot take, such as one that is
// too long, is the agent's own doing; anything else is of the infrastructure.
func (f apiFailure) set(t *trial.Trial) {
	if f.kind == "" {
		f.kind = "api_error"
	}
	t.Error = newCause(f.kind, f.text)
	switch f.kind {
	case "invalid_request_error", "invalid_request", "request_too_large", "max_output_tokens":
	default:
		t.Outcome, t.Error.Origin = trial.Error, trial.InfrastructureOrigin
	}
}
