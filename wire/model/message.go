package model

import (
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/tokens"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// Role says whose a message is.
type Role uint8

// The roles.
const (
	User      Role = iota // who asks
	assistant             // the model
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

// What wire knows of answers too.
type (
	Call  = dialect.Call // a model's call of a tool
	Usage = tokens.Usage // tokens of an answer
)

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
