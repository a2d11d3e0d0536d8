package transcript

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// IsAPIError reports whether n is an error of the API in place of a message.
func IsAPIError(n record.Node) bool {
	return n.At("type").Text() == "error" && n.At("error").IsObject()
}

// APIFailure is what the API, or Claude Code, gave in place of an answer.
type APIFailure struct {
	Kind string // such as "overloaded_error"; "" if it is not said
	Text string // the message
}

// Set notes the failure. A request that the model cannot take, such as one that is
// too long, is the agent's own doing; anything else is of the infrastructure.
func (f APIFailure) Set(t *trial.Trial) {
	if f.Kind == "" {
		f.Kind = "api_error"
	}
	t.Error = record.NewCause(f.Kind, f.Text)
	switch f.Kind {
	case "invalid_request_error", "invalid_request", "request_too_large", "max_output_tokens":
	default:
		t.Outcome, t.Error.Origin = trial.Error, trial.InfrastructureOrigin
	}
}
