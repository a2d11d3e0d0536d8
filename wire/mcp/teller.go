package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/wire"
)

// At is the route with a root, from within another process. A call is not made where it cannot be asked.
func At(root string) Teller {
	// No proxy of the environment stands before a loopback address.
	return &remote{wire.CallsAddress(root), &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}}
}

type remote struct {
	address string
	client  *http.Client
}

// BeginCall asks of a call.
func (r *remote) BeginCall(c wire.ToolCall) (number int, denied string) {
	var answer struct {
		Number int    `json:"number"`
		Denied string `json:"denied"`
	}
	if err := r.post("", c, &answer); err != nil {
		return 0, "the wire cannot be asked whether this call may be made: " + err.Error()
	}
	return answer.Number, answer.Denied
}

// EndCall tells what came of a call. What cannot be told is lost, and the call has no result.
func (r *remote) EndCall(number int, result wire.ToolResult) {
	_ = r.post("/"+strconv.Itoa(number), result, nil)
}

// post posts a value, and reads what comes into another; nil reads nothing.
func (r *remote) post(path string, value, into any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	answer, err := r.client.Post(r.address+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%d %s", answer.StatusCode, strings.TrimSpace(string(said)))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(said, into)
}
