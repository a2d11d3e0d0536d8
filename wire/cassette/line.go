package cassette

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"
)

// version is that of the lines.
const version = 1

// The kinds of sessions.
const (
	recording = "record" // its conversations stand in place of earlier ones
	adding    = "add"    // its exchanges come behind those that there are
)

// line is one of a file: the head of a session, or an exchange.
type line struct {
	Cassette int       `json:"cassette,omitempty"` // the version, of a head alone
	Session  string    `json:"session"`            // its name, drawn at random
	Kind     string    `json:"kind,omitempty"`     // of a head alone
	Exchange *exchange `json:"exchange,omitempty"`
}

// Conversation is an attempt.
type Conversation struct {
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Trial    int    `json:"trial"`
	Attempt  int    `json:"attempt"`
}

// exchange is a request with what came of it.
type exchange struct {
	Conversation
	At       time.Time `json:"at"`
	Provider string    `json:"provider"`
	Method   string    `json:"method"`
	Path     string    `json:"path"` // with its query
	Body     data      `json:"body"`

	Status int         `json:"status,omitempty"` // 0: no answer came
	Header http.Header `json:"header,omitempty"`
	Chunks []chunk     `json:"chunks,omitempty"`
	Error  string      `json:"error,omitempty"` // why the answer is not there, or not whole
}

// chunk is a part of an answer.
type chunk struct {
	After int64 `json:"after_us"` // microseconds since the request
	Data  data  `json:"data"`
}

// data is a text in JSON, and an object with base64 where it is no UTF-8.
type data []byte

// MarshalJSON writes a text, or base64.
func (d data) MarshalJSON() ([]byte, error) {
	if utf8.Valid(d) {
		return json.Marshal(string(d))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString(d)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *data) UnmarshalJSON(from []byte) error {
	var text string
	if json.Unmarshal(from, &text) == nil {
		*d = data(text)
		return nil
	}
	var packed struct{ Base64 []byte }
	err := json.Unmarshal(from, &packed)
	*d = packed.Base64
	return err
}
