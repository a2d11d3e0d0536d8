package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// Reader is an act that must read whatever a model says: what it cannot read does not pass.
type Reader interface {
	Act
	Reads() bool // whether it has anything to look for
}

// operation is a request, by the table of what clients can ask.
type operation struct {
	method  string
	path    string // as it goes up
	class   dialect.Class
	dialect *dialect.Dialect // of what is read; nil of all else
	clear   bool             // every server reads the path as it is read here
	climbs  bool             // the path leads to a folder above
}

// operationOf finds what a method asks at an escaped path. What is known goes up by its clean path.
func operationOf(method, path string) operation {
	clean, clear := dialect.Clean(path)
	o := operation{method: method, path: path, class: dialect.Refused, clear: clear}
	if !clear {
		o.climbs = dialect.Climbs(path)
		return o
	}
	if method == http.MethodHead || method == http.MethodOptions { // clients look whether a server is there
		o.class = dialect.Free
		return o
	}
	if found := dialect.Find(method, clean); found.Class != dialect.Refused {
		o.path, o.class, o.dialect = clean, found.Class, found.Dialect
	}
	return o
}

// checks say what is on: what cannot be read does not pass then.
type checks struct {
	guard  bool
	limit  bool // of any kind
	priced bool // of cost or tokens, that somebody asked for
}

// any reports whether one is on.
func (c checks) any() bool { return c.guard || c.limit }

// checks says what is on.
func (r *Route) checks() (c checks) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, act := range r.acts {
		if reader, ok := act.(Reader); ok && reader.Reads() {
			c.guard = true
		}
	}
	c.priced = r.queue.takes() || r.limits.Budget != nil
	c.limit = c.priced || r.limits.MaxTurns.Known
	return c
}

// overrides are the headers by which some servers take another method than that of the request.
var overrides = []string{"X-Http-Method-Override", "X-Http-Method", "X-Method-Override"}

// refusal says why a request does not go up; "" is that it does.
func (o operation) refusal(c checks, request *http.Request) string {
	what := o.method + " " + o.path
	if o.climbs {
		return fmt.Sprintf("%.300s is refused: its path leads to a folder above", what)
	}
	if !c.any() {
		return ""
	}
	under := "a guard"
	if !c.guard {
		under = "a limit"
	}
	for _, header := range overrides {
		if request.Header.Get(header) != "" {
			return fmt.Sprintf("%.300s is refused under %s: the header %s asks for another method", what, under, header)
		}
	}
	switch {
	case !o.clear:
		return fmt.Sprintf("%.300s is refused under %s: servers may take its path for another", what, under)
	case upgrades(request):
		return fmt.Sprintf("%.300s is refused under %s: what passes over a socket is not read", what, under)
	case o.class == dialect.Refused:
		return fmt.Sprintf("%.300s is refused under %s: its answers are not read", what, under)
	case o.class == dialect.Unpriced && c.priced:
		return fmt.Sprintf("%.300s is refused under a limit on cost or tokens: what its answers cost is not read", what)
	}
	return ""
}

// unheld says why what was asked of a model does not go up; "" is that it does.
func (c checks) unheld(d *dialect.Dialect, understood bool, body []byte) string {
	if c.guard && !understood {
		return "the request is refused under a guard: it is not understood"
	}
	if !c.any() {
		return ""
	}
	var asked struct {
		Background bool `json:"background"`
		Tools      []struct {
			Type     string            `json:"type"`
			Approval json.RawMessage   `json:"require_approval"`
			Servers  []json.RawMessage `json:"mcpServers"`
		} `json:"tools"`
		Servers []json.RawMessage `json:"mcp_servers"`
	}
	_ = json.Unmarshal(body, &asked) // what is of another kind no server takes
	if asked.Background && d.Name == "openai/responses" {
		return "a response in the background is refused under a guard or a limit: an answer that is fetched later is not read"
	}
	remote := len(asked.Servers) > 0
	for _, tool := range asked.Tools {
		asks := len(tool.Approval) == 0 || string(tool.Approval) == "null" || string(tool.Approval) == `"always"`
		remote = remote || tool.Type == "mcp" && !asks || len(tool.Servers) > 0
	}
	if c.guard && remote {
		return "the request is refused under a guard: the provider would call an MCP server by itself; " +
			"require_approval: always has it ask first, where it can"
	}
	return ""
}

// turnAway answers a request that does not go up, and notes it.
func (r *Route) turnAway(w http.ResponseWriter, request *http.Request, p provider, o operation, why string) {
	_, _ = io.Copy(io.Discard, io.LimitReader(request.Body, r.wire.options.MaxCopyBytes)) // else the answer may be lost
	d := o.dialect
	if d == nil {
		d = dialect.Spoken(string(p.name))
	}
	r.mu.Lock()
	r.calls = append(r.calls, &Exchange{
		Provider: p.name, Started: time.Now(), Status: http.StatusBadRequest, Problem: why, done: true,
	})
	r.mu.Unlock()
	refuse(w, d, why)
}
