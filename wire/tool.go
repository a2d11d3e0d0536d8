package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// ToolCall is a call of a tool on its way to a server of tools.
type ToolCall struct {
	Server    string          `json:"server"` // its name in the agent's configuration
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Unread says why a message cannot be read: it may be a call of any tool. "" where it was read.
	Unread string `json:"unread,omitempty"`
}

// ToolResult is what came of one.
type ToolResult struct {
	Output  json.RawMessage `json:"output,omitempty"`
	Failed  bool            `json:"failed,omitempty"`  // the tool says so
	Problem string          `json:"problem,omitempty"` // why there is no result, or the error that came in its place
	// Structured is the result as a JSON object, where the tool gives one beside its text.
	Structured json.RawMessage `json:"structured,omitempty"`
}

// Judge is an act that has a say in calls of tools before they reach a server.
type Judge interface {
	Act
	// Judge says why a call must not be made; "" is that it may be.
	Judge(r *Route, c ToolCall) (why string)
}

// toolCall is a call that was seen.
type toolCall struct {
	ToolCall
	result   ToolResult
	began    time.Time
	duration time.Duration
	done     bool
	events   []string // what acts did with it, such as "fault: tool-lie"
}

// maxToolCalls bounds the calls that are kept of an attempt. More pass, and are counted in no step.
const maxToolCalls = 100_000

// StartedCall is what becomes of a call that an agent makes.
type StartedCall struct {
	Number int    `json:"number"`           // for [Route.EndCall]; negative: what comes of it is not to be told
	Denied string `json:"denied,omitempty"` // why it must not reach the tool; "": it may
	Name   string `json:"name,omitempty"`   // the server's own name of the tool, where the agent has another
}

// BeginCall asks whether a call may be made, and counts it. There is no result to tell of one that is denied.
func (r *Route) BeginCall(c ToolCall) (b StartedCall) {
	r.mu.Lock()
	acts, reason, closed := r.acts, r.reason, r.closed
	r.mu.Unlock()
	switch {
	case closed:
		return StartedCall{Denied: "the attempt of this route is over"}
	case reason != "":
		return StartedCall{Denied: "the attempt was ended by " + reason}
	}
	judged := c
	if judged.Name, b.Denied = r.ownName(c); b.Denied != "" {
		return b
	}
	for _, act := range acts {
		if judge, ok := act.(Judge); ok {
			if why := judge.Judge(r, judged); why != "" {
				return StartedCall{Denied: why}
			}
		}
	}
	if judged.Name != c.Name {
		b.Name = judged.Name
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Unread != "" || len(r.tools) == maxToolCalls {
		b.Number = -1
		return b
	}
	r.tools = append(r.tools, &toolCall{ToolCall: c, began: time.Now()})
	b.Number = len(r.tools) - 1
	return b
}

// EndCall tells what came of a call, and returns what the agent is to have in its place; nil is the result as it is.
func (r *Route) EndCall(number int, result ToolResult) *ReplacedResult {
	r.mu.Lock()
	if number < 0 || number >= len(r.tools) || r.tools[number].done {
		r.mu.Unlock()
		return nil
	}
	c := r.tools[number]
	c.result, c.duration, c.done = result, time.Since(c.began), true
	r.mu.Unlock()
	return r.changeResult(number, c.ToolCall, result)
}

// Mount lets a handler answer at NAME below the route's root; see [Route.Tools].
func (r *Route) Mount(name string, h http.Handler) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mounted == nil {
		r.mounted = map[string]http.Handler{}
	}
	r.mounted[name] = h
}

// Tools is the address of a handler that [Route.Mount] put there.
func (r *Route) Tools(name string) string { return r.Root() + "/" + toolsPath + "/" + name }

// The parts of addresses that are of tools and no provider.
const (
	toolsPath = "mcp" // NAME: a server of tools
	// What a program that stands before one tells: POST a ToolCall, a ToolResult to /NUMBER, and OfferedTools to /offered.
	callsPath = "calls"
)

// maxCallBytes bounds what is told of a call.
const maxCallBytes = 64 << 20

// serveTools answers what is no request to a provider.
func (r *Route) serveTools(w http.ResponseWriter, request *http.Request, name, path string) {
	if name == callsPath {
		r.serveCalls(w, request, path)
		return
	}
	server, _, _ := strings.Cut(path, "/")
	r.mu.Lock()
	h := r.mounted[server]
	r.mu.Unlock()
	if h == nil {
		http.NotFound(w, request)
		return
	}
	h.ServeHTTP(w, request)
}

// serveCalls takes what is told of a call.
func (r *Route) serveCalls(w http.ResponseWriter, request *http.Request, path string) {
	decoder := json.NewDecoder(http.MaxBytesReader(w, request.Body, maxCallBytes))
	if path == "" {
		var c ToolCall
		if err := decoder.Decode(&c); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(r.BeginCall(c)) // to one who may have gone
		return
	}
	if path == offeredPath {
		var o OfferedTools
		if err := decoder.Decode(&o); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(r.ChangeTools(o.Server, o.Names)) // likewise
		return
	}
	var result ToolResult
	number, err := strconv.Atoi(path)
	if err == nil {
		err = decoder.Decode(&result)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(r.EndCall(number, result)) // likewise
}

// OfferedTools are the tools that a server offers.
type OfferedTools struct {
	Server string   `json:"server"`
	Names  []string `json:"names"`
}

// offeredPath is where they are told, below that of calls.
const offeredPath = "offered"

// CallsAddress is where a program that stands before a server of tools tells of calls, by the root of a route.
func CallsAddress(root string) string { return strings.TrimSuffix(root, "/") + "/" + callsPath }

// ToolUse is a call of a tool that reached a server, and what came of it.
type ToolUse struct {
	ToolCall
	ToolResult
	Started  time.Time
	Duration time.Duration // 0 where no result came
	Done     bool
	Events   []string // what acts did with the result, such as "fault: tool-lie"
}

// uses are the calls that were seen. The lock is held.
func (r *Route) uses() (all []ToolUse) {
	for _, c := range r.tools {
		all = append(all, ToolUse{c.ToolCall, c.result, c.began, c.duration, c.done, slices.Clone(c.events)})
	}
	return all
}

// useMatcher finds, for the calls that models asked for, those that reached a server: of the same name and arguments,
// in their order, and each once. What is left are calls that no model was seen to ask for.
type useMatcher struct {
	uses []ToolUse
	used []bool
	keys []string // of the arguments
}

func newUsedFor(uses []ToolUse) *useMatcher {
	u := &useMatcher{uses: uses, used: make([]bool, len(uses)), keys: make([]string, len(uses))}
	for i := range uses {
		u.keys[i] = canonical(uses[i].Arguments)
	}
	return u
}

// of is the use of a call that a model asked for; nil is none.
func (u *useMatcher) of(c Call, not time.Time) *ToolUse {
	key := canonical([]byte(c.Arguments))
	for i := range u.uses {
		use := &u.uses[i]
		if u.used[i] || use.Started.Before(not) || !use.Named(c.Name) || u.keys[i] != key {
			continue
		}
		u.used[i] = true
		return use
	}
	return nil
}

// before are the uses that no model asked for and that began before a time; the zero time is any.
func (u *useMatcher) before(end time.Time) (left []*ToolUse) {
	for i := range u.uses {
		if !u.used[i] && (end.IsZero() || u.uses[i].Started.Before(end)) {
			u.used[i] = true
			left = append(left, &u.uses[i])
		}
	}
	return left
}

// canonical is JSON in one form: no arguments are those of an empty object.
func canonical(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || string(text) == "null" {
		return "{}"
	}
	if dialect.Excessive(text) {
		return string(text)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || decoder.More() {
		return string(text)
	}
	sorted, _ := json.Marshal(value) // of what was JSON
	return string(sorted)
}

// step is the use as a step.
func (u *ToolUse) step() trial.Step {
	step := trial.Step{Action: trial.CallTool, Tool: valid(u.Name), Arguments: rawOf(string(u.Arguments))}
	if len(u.Arguments) == 0 {
		step.Arguments = nil
	}
	u.fill(&step)
	return step
}

// fill gives a step the tool's own result and duration.
func (u *ToolUse) fill(step *trial.Step) {
	step.Output, step.Error = nil, ""
	switch {
	case !u.Done:
		step.Error = "no result came"
	case u.Problem != "":
		step.Error = valid(u.Problem)
	case u.Failed:
		step.Error = valid(rawOf(string(u.Output)).Text())
		if step.Error == "" {
			step.Error = "the tool failed"
		}
	case len(u.Output) > 0:
		step.Output = rawOf(string(u.Output))
	}
	if u.Done {
		step.DurationSeconds = trial.Some(u.Duration.Seconds())
	}
	step.AddEvents(u.Events...)
}

// DeniedAction is the action of a step that an act kept from being done: a call of a tool that never reached it. It is
// no call of a tool and no turn.
const DeniedAction trial.Action = "denied"

// denials are steps of what acts denied.
func (s *Traffic) denials() (steps []trial.Step) {
	for _, e := range s.Events {
		if e.Act == GuardAct {
			steps = append(steps, trial.Step{Action: DeniedAction, Error: valid(e.Detail)})
		}
	}
	return steps
}

// GuardAct is the [Event].Act of what a guard kept from being done.
const GuardAct = "guard"

// guardrails is what a guard kept from being done, by the clauses of contracts; nil where none stood on the way.
func (s *Traffic) guardrails() *guardrails.Trial {
	if !s.Guarded {
		return nil
	}
	found := &guardrails.Trial{}
	for _, e := range s.Events {
		if e.Act == GuardAct {
			found.Add(e.Of, e.Name, e.Detail, e.Ended)
		}
	}
	return found
}

// Guardrail is the reason for which a guard ends an attempt, and the type of the trial's error.
const Guardrail = "guardrail"
