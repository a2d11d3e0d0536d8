package wire

import (
	"fmt"
	"strings"
)

// Changer is an act that changes what servers of tools say, before the agent has it.
type Changer interface {
	Act
	// ChangeTools says which of the tools that a server offers have another name for the agent, by their own names; "" is
	// that of one that the agent is not offered.
	ChangeTools(r *Route, server string, names []string) map[string]string
	// OwnName is the server's own name of a tool that the agent calls; !offered: it is offered none of that name.
	OwnName(server, name string) (own string, offered bool)
	// ChangeResult returns what the agent is to have of a call, by its number, and what to call the change; "" is none.
	ChangeResult(r *Route, c ToolCall, number int, result ToolResult) (told ReplacedResult, change string)
}

// ReplacedResult is what an agent is told of a call in place of its result.
type ReplacedResult struct {
	Text   string `json:"text"` // its text, or its structured content, a JSON object
	Failed bool   `json:"failed,omitempty"`
}

// changers are the acts that change what servers say. The lock is not held.
func (r *Route) changers() (all []Changer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, act := range r.acts {
		if c, ok := act.(Changer); ok {
			all = append(all, c)
		}
	}
	return all
}

// ChangeTools says which of the tools that a server offers have another name for the agent; see [Changer]. nil is none.
func (r *Route) ChangeTools(server string, names []string) (all map[string]string) {
	for _, c := range r.changers() {
		if changed := c.ChangeTools(r, server, names); len(changed) > 0 {
			return changed
		}
	}
	return nil
}

// ownName is the server's own name of a tool; denied says why there is none.
func (r *Route) ownName(c ToolCall) (own, denied string) {
	own = c.Name
	if c.Unread != "" {
		return own, ""
	}
	for _, changer := range r.changers() {
		offered := false
		if own, offered = changer.OwnName(c.Server, own); !offered {
			return "", fmt.Sprintf("Tool %s not found", c.Name)
		}
	}
	return own, ""
}

// changeResult is what the agent is to have of a call; nil is the result as it is.
func (r *Route) changeResult(number int, c ToolCall, result ToolResult) *ReplacedResult {
	for _, changer := range r.changers() {
		told, change := changer.ChangeResult(r, c, number, result)
		if change == "" {
			continue
		}
		r.mu.Lock()
		if number < len(r.tools) {
			r.tools[number].events = append(r.tools[number].events, change)
		}
		r.mu.Unlock()
		return &told
	}
	return nil
}

// Named reports whether a model's name of a tool is that of this call: as it is, or with the server's name before it,
// as agents keep tools of several servers apart (mcp__files__read, files_read, files.read).
func (c ToolCall) Named(name string) bool {
	if name == c.Name {
		return true
	}
	before, ok := strings.CutSuffix(name, c.Name)
	return ok && c.Server != "" && strings.HasSuffix(strings.TrimRight(before, "_-./:"), c.Server)
}
