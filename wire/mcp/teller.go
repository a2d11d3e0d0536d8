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
func (r *remote) BeginCall(c wire.ToolCall) (b wire.StartedCall) {
	if err := r.post("", c, &b); err != nil {
		return wire.StartedCall{Denied: "the wire cannot be asked whether this call may be made: " + err.Error()}
	}
	return b
}

// EndCall tells what came of a call. What cannot be told is lost, and the call has no result.
func (r *remote) EndCall(number int, result wire.ToolResult) (told *wire.ReplacedResult) {
	if r.post("/"+strconv.Itoa(number), result, &told) != nil {
		return nil
	}
	return told
}

// ChangeTools asks which tools have another name for the agent. Where that cannot be asked, none has.
func (r *remote) ChangeTools(server string, names []string) (changed map[string]string) {
	if r.post("/offered", wire.OfferedTools{Server: server, Names: names}, &changed) != nil {
		return nil
	}
	return changed
}

// mostTold bounds what is read of an answer, in bytes: a result of the largest size, in JSON.
const mostTold = 128 << 20

// post posts a value, and reads what comes into another.
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
	said, err := io.ReadAll(io.LimitReader(answer.Body, mostTold))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%d %s", answer.StatusCode, strings.TrimSpace(string(said)))
	}
	return json.Unmarshal(said, into)
}
