package model

import (
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Role says whose a message is.
type Role uint8

// The roles.
const (
	User      Role = iota // who asks
	Assistant             // the model
	Result                // of a tool that the model called
)

// Message is one of a conversation.
type Message struct {
	Role  Role
	Text  string
	Calls []Call // of tools, by the Assistant

	CallID string // of a Result
	Failed bool   // a Result that is an error
}

// Tool is what a model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  trial.Raw // JSON Schema of its arguments; nil is an object of any kind
}

// Call is a model's call of a tool.
type Call struct {
	ID        string
	Name      string
	Arguments string // JSON, or what the model took for it
}

// Request is what a model is asked.
type Request struct {
	System   string // "" is none
	Messages []Message
	Tools    []Tool
	Schema   trial.Raw             // JSON Schema of an object that the text must be; nil: any text
	Seed     trial.Optional[int64] // for those that take one

	// Until ends the waiting, repeats included; zero: the timeout of the settings from now.
	Until time.Time
	// LeaveRefused leaves it to the caller to ask again where the model was not reached, or turned the request away.
	LeaveRefused bool
}

// Reply is what a model answered.
type Reply struct {
	Text    string
	Calls   []Call
	Refused bool   // the text, if any, is a refusal
	Finish  string // why it ended, in the provider's word
	Model   string // that answered; "" is not told
	Usage   Usage
	// Duration is that of the request that was answered.
	Duration time.Duration
	Body     []byte // as it came
}

// Usage are tokens. What is not told is unknown.
type Usage struct {
	Input     trial.Optional[int64] // with cached ones
	Output    trial.Optional[int64] // with those of its reasoning
	Cached    trial.Optional[int64] // of the input, that were read from a cache
	Written   trial.Optional[int64] // of the input, that were written to one
	Reasoning trial.Optional[int64] // of the output
}

// Add returns the sum of what is known; unknown is what neither knows.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		plus(u.Input, v.Input), plus(u.Output, v.Output), plus(u.Cached, v.Cached), plus(u.Written, v.Written),
		plus(u.Reasoning, v.Reasoning),
	}
}

// plus adds tokens, up to the most that a trial may have.
func plus(a, b trial.Optional[int64]) trial.Optional[int64] {
	return trial.Optional[int64]{Value: min(trial.Plus(a.Value, b.Value), trial.MaxTokens), Known: a.Known || b.Known}
}
