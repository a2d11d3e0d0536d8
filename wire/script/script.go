package script

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Script is what a model answers, turn by turn. It is not changed once it is read.
type Script struct {
	Model string `json:",omitempty"` // that answers name; "" is the one that is asked
	Turns []Turn
	// Anytime are answers to what agents ask beside their conversation: the first that is for a request answers it, and it
	// takes no turn.
	Anytime []Aside `json:",omitempty"`
}

// Aside is an answer to what an agent asks beside its conversation: of a model, or of a path that asks none.
type Aside struct {
	Variant           // whose condition is one
	Path    string    `json:",omitempty"` // what a path ends with that asks no model; "" is of a model
	JSON    trial.Raw `json:",omitempty"` // the answer to that
}

// Turn is what is answered to one request, in one of several ways.
type Turn []Variant

// Variant is a way to answer.
type Variant struct {
	Weight  float64   // how likely it is beside the others of its turn whose conditions hold
	When    Condition `json:",omitzero"`
	Text    string    `json:",omitempty"`
	Calls   []Call    `json:",omitempty"`
	Tokens  Tokens
	Latency time.Duration `json:",omitempty"` // until the answer begins
	Finish  string        `json:",omitempty"` // stop, length or filter; "" is stop, or that of calls
}

// Condition is a condition on a request. What is "" is none.
type Condition struct {
	Last        string `json:",omitempty"` // stands in what is told since the model's last answer
	System      string `json:",omitempty"` // stands in what the model is told to be
	Model       string `json:",omitempty"` // stands in the name of the model that is asked
	ToolOffered string `json:",omitempty"` // a tool that the request offers, found as that of a [Call]
}

// Call is a call of a tool.
type Call struct {
	// Tool is the name of one that the agent offers, or the end of one: agents put the name of a server before that of its
	// tool, as in mcp__files__write_file.
	Tool      string
	Arguments trial.Raw // a JSON object
	// Input is a text in place of arguments, for a custom tool, as Codex has them.
	Input trial.Optional[string] `json:",omitzero"`
}

// Tokens are counted by the answer. What is unknown is not told, as far as the form lets it be left out.
type Tokens struct {
	In        trial.Optional[int64] // with the cached ones
	Out       trial.Optional[int64]
	Cached    trial.Optional[int64] // of those in, that were read from a cache
	Written   trial.Optional[int64] `json:",omitzero"` // of those in, that were written to one
	Reasoning trial.Optional[int64] `json:",omitzero"` // of those out
}

// Digest identifies the content, however it is written: "sha256:" and 64 hexadecimal digits.
func (s *Script) Digest() string {
	text, _ := json.Marshal(s) // of texts, finite numbers, and JSON that is valid
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
