package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/wire"
)

// failure is an answer in place of a model's.
type failure struct {
	status int
	header http.Header
	body   any
}

// object is a JSON object.
type object = map[string]any

// failureOf is a failure as the provider tells it; nil is of another kind of fault.
func failureOf(f *Fault, r *wire.Request) *failure {
	shapes, known := failures[family(r.Dialect)]
	if !known {
		return nil
	}
	shape := shapes[f.Kind]
	if shape == nil {
		return nil
	}
	answer := shape(f, r)
	return &answer
}

// family is whose form a dialect is: "openai", "anthropic", "gemini" or "ollama".
func family(dialect string) string {
	for i := range dialect {
		if dialect[i] == '/' {
			return dialect[:i]
		}
	}
	return dialect
}

// shape makes a failure.
type shape func(*Fault, *wire.Request) failure

// failures are the shapes of providers, of their documentation and of what their services send.
var failures = map[string]map[Kind]shape{
	"openai": {
		RateLimit: func(f *Fault, r *wire.Request) failure {
			wait := f.wait()
			h := openAIHeader()
			h.Set("Retry-After", seconds(wait))
			h.Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
			h.Set("X-Ratelimit-Limit-Requests", "500")
			h.Set("X-Ratelimit-Remaining-Requests", "0")
			h.Set("X-Ratelimit-Reset-Requests", wait.String())
			return failure{429, h, openAIError(fmt.Sprintf("Rate limit reached for %s in organization org-tribunal on "+
				"requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in %v. "+
				"Visit https://platform.openai.com/account/rate-limits to learn more.", r.Asked.Model, wait),
				"requests", nil, "rate_limit_exceeded")}
		},
		Overloaded: func(f *Fault, _ *wire.Request) failure {
			return failure{503, f.mayRetry(openAIHeader()), openAIError(
				"The engine is currently overloaded, please try again later.", "server_error", nil,
				"server_overloaded")}
		},
		ServerError: func(*Fault, *wire.Request) failure {
			return failure{500, openAIHeader(), openAIError("The server had an error while processing your request. "+
				"Sorry about that!", "server_error", nil, nil)}
		},
		ContextOverflow: func(_ *Fault, r *wire.Request) failure {
			if r.Dialect == "openai/responses" {
				return failure{400, openAIHeader(), openAIError("Your input exceeds the context window of this model. "+
					"Please adjust your input and try again.", "invalid_request_error", "input",
					"context_length_exceeded")}
			}
			return failure{400, openAIHeader(), openAIError("This model's maximum context length is 128000 tokens. "+
				"However, your messages resulted in 131072 tokens. Please reduce the length of the messages.",
				"invalid_request_error", "messages", "context_length_exceeded")}
		},
	},
	"anthropic": {
		RateLimit: func(f *Fault, _ *wire.Request) failure {
			wait := f.wait()
			h := anthropicHeader()
			h.Set("Retry-After", seconds(wait))
			h.Set("Anthropic-Ratelimit-Requests-Limit", "50")
			h.Set("Anthropic-Ratelimit-Requests-Remaining", "0")
			h.Set("Anthropic-Ratelimit-Requests-Reset", time.Now().Add(wait).UTC().Format(time.RFC3339))
			return anthropicError(429, h, "rate_limit_error", "This request would exceed your organization's rate "+
				"limit of 50 requests per minute. Please reduce the prompt length or the maximum tokens requested, "+
				"or try again later.")
		},
		Overloaded: func(f *Fault, _ *wire.Request) failure {
			return anthropicError(529, f.mayRetry(anthropicHeader()), "overloaded_error", "Overloaded")
		},
		ServerError: func(*Fault, *wire.Request) failure {
			return anthropicError(500, anthropicHeader(), "api_error", "Internal server error")
		},
		ContextOverflow: func(*Fault, *wire.Request) failure {
			return anthropicError(400, anthropicHeader(), "invalid_request_error",
				"prompt is too long: 212345 tokens > 200000 maximum")
		},
	},
	"gemini": {
		RateLimit: func(f *Fault, r *wire.Request) failure {
			answer := geminiError(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan "+
				"and billing details. Please retry in "+f.wait().String()+".")
			delay := strconv.FormatFloat(f.wait().Seconds(), 'f', -1, 64) + "s"
			answer.body.(object)["error"].(object)["details"] = []any{
				object{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{object{
					"quotaMetric":     "generativelanguage.googleapis.com/generate_content_requests",
					"quotaId":         "GenerateRequestsPerMinutePerProjectPerModel",
					"quotaDimensions": object{"model": r.Asked.Model, "location": "global"}, "quotaValue": "10",
				}}},
				object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
			}
			return answer
		},
		Overloaded: func(f *Fault, _ *wire.Request) failure {
			answer := geminiError(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
			f.mayRetry(answer.header)
			return answer
		},
		ServerError: func(*Fault, *wire.Request) failure {
			return geminiError(500, "INTERNAL", "An internal error has occurred. Please retry or report in "+
				"https://developers.generativeai.google/guide/troubleshooting")
		},
		ContextOverflow: func(*Fault, *wire.Request) failure {
			return geminiError(400, "INVALID_ARGUMENT",
				"The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).")
		},
	},
	"ollama": {
		RateLimit: func(f *Fault, _ *wire.Request) failure {
			answer := ollamaError(429, "you've reached your hourly usage limit, please upgrade to continue")
			answer.header.Set("Retry-After", seconds(f.wait()))
			return answer
		},
		Overloaded: func(f *Fault, _ *wire.Request) failure {
			answer := ollamaError(503, "server busy, please try again.  maximum pending requests exceeded")
			f.mayRetry(answer.header)
			return answer
		},
		ServerError: func(*Fault, *wire.Request) failure {
			return ollamaError(500, "llama runner process has terminated: exit status 2")
		},
		ContextOverflow: func(*Fault, *wire.Request) failure {
			return ollamaError(400, "the input length exceeds the context length")
		},
	},
}

// wait is how long a client is told to wait.
func (f *Fault) wait() time.Duration {
	if f.RetryAfter > 0 {
		return f.RetryAfter
	}
	return someWait
}

// mayRetry tells how long to wait, where that is asked: providers mostly do not when they are overloaded.
func (f *Fault) mayRetry(h http.Header) http.Header {
	if f.RetryAfter > 0 {
		h.Set("Retry-After", seconds(f.RetryAfter))
	}
	return h
}

// seconds are whole ones, as a Retry-After has them, and no fewer than the duration.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// requestID stands for that of a provider.
const requestID = "req_tribunal"

func openAIHeader() http.Header { return http.Header{"X-Request-Id": {requestID}} }

func openAIError(message, kind string, parameter, code any) any {
	return object{"error": object{"message": message, "type": kind, "param": parameter, "code": code}}
}

func anthropicHeader() http.Header { return http.Header{"Request-Id": {requestID}} }

func anthropicError(status int, h http.Header, kind, message string) failure {
	return failure{status, h, object{
		"type": "error", "error": object{"type": kind, "message": message}, "request_id": requestID,
	}}
}

func geminiError(status int, word, message string) failure {
	return failure{status, http.Header{}, object{"error": object{"code": status, "message": message, "status": word}}}
}

func ollamaError(status int, message string) failure {
	return failure{status, http.Header{}, object{"error": message}}
}

// response is a failure as an answer to a request.
func (f *failure) response(r *http.Request) *http.Response {
	body, _ := json.Marshal(f.body) // of texts and numbers alone
	f.header.Set("Content-Type", "application/json")
	return answered(r, f.status, f.header, body)
}

// answered is an answer with a body that is known.
func answered(r *http.Request, status int, h http.Header, body []byte) *http.Response {
	h.Set("Content-Length", strconv.Itoa(len(body)))
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: r,
	}
}
