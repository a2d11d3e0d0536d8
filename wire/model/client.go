package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// Provider is whose form of an API is spoken.
type Provider string

// The providers.
const (
	OpenAI    Provider = "openai"    // chat completions
	Anthropic Provider = "anthropic" // messages
)

// BaseURL is where the provider is asked where nothing else is said, as its own clients have it.
func (p Provider) BaseURL() string {
	if p == Anthropic {
		return "https://api.anthropic.com"
	}
	return "https://api.openai.com/v1"
}

// KeyVariable is the variable in which clients of the provider look for the key.
func (p Provider) KeyVariable() string {
	if p == Anthropic {
		return "ANTHROPIC_API_KEY"
	}
	return "OPENAI_API_KEY"
}

// Settings say which model is asked, and how.
type Settings struct {
	Provider    Provider
	Name        string // of the model
	URL         string // base of its address; "" is [Provider.BaseURL]
	Key         string // "" sends none
	Temperature trial.Optional[float64]
	MaxTokens   int // of a reply; 0 is the provider's, and 4096 of [Anthropic], which has none

	Timeout  time.Duration // of a request with its repeats; 0 is a minute
	Retries  int           // of what failed for the moment
	Backoff  time.Duration // before the first of them, doubled each time; 0 is a second
	MaxBytes int64         // of a reply; 0 is 16 MiB
}

// form is how an API is asked.
type form interface {
	path() string
	headers(key string) map[string]string
	// request is the body.
	request(s Settings, r Request) any
}

// Client asks a model. It may be used by several goroutines at once, and keeps connections until it is closed.
type Client struct {
	settings Settings
	form     form
	caller   *endpoint.Caller
	address  string
}

// New returns a client. What it is not told is as [Settings] says.
func New(s Settings) *Client {
	s.Timeout, s.Backoff = cmp.Or(s.Timeout, time.Minute), cmp.Or(s.Backoff, time.Second)
	c := &Client{settings: s, form: openAI{own: s.URL == ""}}
	if s.Provider == Anthropic {
		c.form = anthropic{}
	}
	c.address = strings.TrimRight(cmp.Or(s.URL, s.Provider.BaseURL()), "/") + c.form.path()
	c.caller = endpoint.New(endpoint.Call{
		Called: "the model", URL: c.address, Headers: c.form.headers(s.Key), MaxBytes: s.MaxBytes,
	})
	return c
}

// Close closes the connections that are kept.
func (c *Client) Close() { c.caller.Close() }

// Address is where it asks.
func (c *Client) Address() string { return c.address }

// Body is what is sent for a request, as JSON.
func (c *Client) Body(r Request) ([]byte, error) {
	return json.Marshal(c.form.request(c.settings, r))
}

// errReply says that what came is no reply of the API.
var errReply = errors.New("the model's reply cannot be read")

// ReplyError is an [errReply] with what came.
type ReplyError struct {
	Body []byte
	Err  error
}

// Error says what is wrong with it.
func (e *ReplyError) Error() string { return errReply.Error() + ": " + e.Err.Error() }

// Unwrap returns the causes.
func (e *ReplyError) Unwrap() []error { return []error{errReply, e.Err} }

// Ask asks, and asks again what failed for the moment: a status of 408, 409, 429 or 5xx, and a connection that was not
// made. The error is an [endpoint.Error], or a [ReplyError].
func (c *Client) Ask(ctx context.Context, r Request) (*Reply, error) {
	body, err := c.Body(r)
	if err != nil {
		return nil, &endpoint.Error{
			Kind: endpoint.Template, Problem: "the request cannot be made: " + err.Error(), Unbegun: true, Err: err,
		}
	}
	until := r.Until
	if until.IsZero() {
		until = time.Now().Add(c.settings.Timeout)
	}
	for n := 0; ; n++ {
		left := max(time.Until(until).Round(time.Millisecond), time.Millisecond) // which messages have
		answer, err := c.caller.DoWithin(ctx, endpoint.Values{Request: body}, left)
		if err == nil {
			return c.read(answer, r.Schema != nil)
		}
		var why *endpoint.Error
		if !errors.As(err, &why) {
			return nil, err // not reached
		}
		c.explain(why)
		wait := max(why.After, c.settings.Backoff<<min(n, 16))
		if n >= c.settings.Retries || !passing(why) || why.Unbegun && r.LeaveRefused || time.Until(until) < wait {
			return nil, why
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, &endpoint.Error{Kind: endpoint.Cancelled, Problem: "the run was stopped", Err: context.Cause(ctx)}
		}
	}
}

// passing reports whether a failure may be over soon.
func passing(e *endpoint.Error) bool {
	return e.Unbegun && e.Kind != endpoint.Template || e.Code >= 500 ||
		e.Code == http.StatusRequestTimeout || e.Code == http.StatusConflict
}

// explain adds what the provider says of a failure.
func (c *Client) explain(e *endpoint.Error) {
	if said := c.without(complaint(e.Body)); said != "" {
		e.Problem += ": " + prose.Excerpt(said)
	}
	e.Body = []byte(c.without(string(e.Body)))
}

// without removes the key from a text.
func (c *Client) without(text string) string {
	if c.settings.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, c.settings.Key, "[redacted]")
}

// complaint is the message of an error, which both providers write in one way, and "" where there is none.
func complaint(body []byte) string {
	var form struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &form) != nil {
		return ""
	}
	var inner struct {
		Message string `json:"message"`
	}
	var text string
	switch {
	case json.Unmarshal(form.Error, &inner) == nil:
		return inner.Message
	case json.Unmarshal(form.Error, &text) == nil:
		return text
	}
	return ""
}

// read reads an answer. One that was to be an object may come as the arguments of a tool.
func (c *Client) read(answer *endpoint.Answer, structured bool) (*Reply, error) {
	if said := c.without(complaint(answer.Body)); said != "" { // of a server between that answers 200 nevertheless
		return nil, c.unreadable(answer.Body, errors.New("it is an error: "+prose.Excerpt(said)))
	}
	reply, err := c.reply(answer.Body)
	if err != nil {
		return nil, c.unreadable(answer.Body, err)
	}
	reply.Duration, reply.Body = answer.Duration, answer.Body
	if i := slices.IndexFunc(reply.Calls, func(c Call) bool { return c.Name == answerTool }); structured && i >= 0 {
		reply.Text, reply.Calls = reply.Calls[i].Arguments, nil
	}
	return reply, nil
}

// reply reads a body.
func (c *Client) reply(body []byte) (*Reply, error) {
	a, err := dialect.Spoken(string(c.settings.Provider)).Answer(body, false)
	if err != nil {
		return nil, err
	}
	for _, call := range a.Calls {
		switch {
		case call.Name == "":
			return nil, errors.New("it calls a tool without a name")
		case c.settings.Provider == Anthropic && !isObject([]byte(call.Arguments)):
			return nil, fmt.Errorf("it calls the tool %q without an object", call.Name)
		}
	}
	refused := a.Refused || a.Finish == "content_filter" || a.Finish == "refusal"
	return &Reply{
		Text: a.Text, Calls: a.Calls, Refused: refused, Finish: a.Finish, Model: a.Model, Usage: a.Usage,
	}, nil
}

// unreadable is the error of a body, without the key.
func (c *Client) unreadable(body []byte, err error) error {
	return &ReplyError{[]byte(c.without(string(body))), err}
}

// parameters are those of a tool.
func parameters(schema trial.Raw) json.RawMessage {
	if schema == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return json.RawMessage(schema)
}
