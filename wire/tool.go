package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
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
}

// maxToolCalls bounds the calls that are kept of an attempt. More pass, and are counted in no step.
const maxToolCalls = 100_000

// BeginCall asks whether a call may be made, and counts it. Where denied says why not, it must not reach the tool, and
// there is no result to tell. Its number is for [Route.EndCall].
func (r *Route) BeginCall(c ToolCall) (number int, denied string) {
	r.mu.Lock()
	acts, reason, closed := r.acts, r.reason, r.closed
	r.mu.Unlock()
	switch {
	case closed:
		return 0, "the attempt of this route is over"
	case reason != "":
		return 0, "the attempt was ended by " + reason
	}
	for _, act := range acts {
		if judge, ok := act.(Judge); ok {
			if why := judge.Judge(r, c); why != "" {
				return 0, why
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Unread != "" || len(r.tools) == maxToolCalls {
		return -1, ""
	}
	r.tools = append(r.tools, &toolCall{ToolCall: c, began: time.Now()})
	return len(r.tools) - 1, ""
}

// EndCall tells what came of a call.
func (r *Route) EndCall(number int, result ToolResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number < 0 || number >= len(r.tools) || r.tools[number].done {
		return
	}
	c := r.tools[number]
	c.result, c.duration, c.done = result, time.Since(c.began), true
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
	toolsPath = "mcp"   // NAME: a server of tools
	callsPath = "calls" // what a program that stands before one tells: POST a ToolCall, and a ToolResult to /NUMBER
)

// maxCallBytes bounds what is told of a call.
const maxCallBytes = 64 << 20

// askedCall is the answer to a [ToolCall] that was posted.
type askedCall struct {
	Number int    `json:"number"`
	Denied string `json:"denied,omitempty"`
}

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
		number, denied := r.BeginCall(c)
		_ = json.NewEncoder(w).Encode(askedCall{number, denied}) // to one who may have gone
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
	r.EndCall(number, result)
}

// CallsAddress is where a program that stands before a server of tools tells of calls, by the root of a route.
func CallsAddress(root string) string { return strings.TrimSuffix(root, "/") + "/" + callsPath }

// ToolUse is a call of a tool that reached a server, and what came of it.
type ToolUse struct {
	ToolCall
	ToolResult
	Started  time.Time
	Duration time.Duration // 0 where no result came
	Done     bool
}

// uses are the calls that were seen. The lock is held.
func (r *Route) uses() (all []ToolUse) {
	for _, c := range r.tools {
		all = append(all, ToolUse{c.ToolCall, c.result, c.began, c.duration, c.done})
	}
	return all
}

// usedFor finds, for the calls that models asked for, those that reached a server: of the same name and arguments, in
// their order, and each once. What is left are calls that no model was seen to ask for.
type usedFor struct {
	uses []ToolUse
	used []bool
	keys []string // of the arguments
}

func newUsedFor(uses []ToolUse) *usedFor {
	u := &usedFor{uses: uses, used: make([]bool, len(uses)), keys: make([]string, len(uses))}
	for i := range uses {
		u.keys[i] = canonical(uses[i].Arguments)
	}
	return u
}

// of is the use of a call that a model asked for; nil is none.
func (u *usedFor) of(c Call, not time.Time) *ToolUse {
	key := canonical([]byte(c.Arguments))
	for i := range u.uses {
		use := &u.uses[i]
		if u.used[i] || use.Started.Before(not) || !names(c.Name, use) || u.keys[i] != key {
			continue
		}
		u.used[i] = true
		return use
	}
	return nil
}

// before are the uses that no model asked for and that began before a time; the zero time is any.
func (u *usedFor) before(end time.Time) (left []*ToolUse) {
	for i := range u.uses {
		if !u.used[i] && (end.IsZero() || u.uses[i].Started.Before(end)) {
			u.used[i] = true
			left = append(left, &u.uses[i])
		}
	}
	return left
}

// names reports whether a model's name of a tool is that of a server's: as it is, or with the server's name before it,
// as agents keep tools of several servers apart (mcp__files__read, files_read, files.read).
func names(name string, use *ToolUse) bool {
	if name == use.Name {
		return true
	}
	before, ok := strings.CutSuffix(name, use.Name)
	return ok && use.Server != "" && strings.HasSuffix(strings.TrimRight(before, "_-./:"), use.Server)
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
}

// DeniedAction is the action of a step that an act kept from being done: a call of a tool that never reached it. It is
// no call of a tool and no turn.
const DeniedAction trial.Action = "denied"

// denials are steps of what acts denied.
func (s *Seen) denials() (steps []trial.Step) {
	for _, e := range s.Events {
		if e.Act == GuardAct {
			steps = append(steps, trial.Step{Action: DeniedAction, Error: valid(e.Detail)})
		}
	}
	return steps
}

// GuardAct is the [Event].Act of what a guard kept from being done.
const GuardAct = "guard"

// Guarded counts what a guard kept from being done.
func (s *Seen) Guarded() int {
	return len(slices.DeleteFunc(slices.Clone(s.Events), func(e Event) bool { return e.Act != GuardAct }))
}

// Guardrail is the reason for which a guard ends an attempt, and the type of the trial's error.
const Guardrail = "guardrail"

// GuardText says of a stopped attempt which clause it violated; "" is that of no guard.
func (s *Seen) GuardText() string {
	for _, e := range s.Events {
		if e.Act == GuardAct {
			return fmt.Sprintf("%s: %s", e.Name, e.Detail)
		}
	}
	return ""
}
