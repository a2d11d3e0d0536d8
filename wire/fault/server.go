package fault

import (
	"slices"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/wire"
)

// servers is what is known of servers of tools on the wire. Its lock is that of [Faults].
type servers struct {
	calls []wire.ToolCall // of which results came, one for each tool
	// what stands for a tool that the agent calls: its own name, or "" of one that is not offered
	names map[serverTool]string
}

// serverTool is a tool of a server, by a name.
type serverTool struct{ server, name string }

func (s *servers) init() { s.names = map[serverTool]string{} }

// called reports whether results of a tool, by the name that a model has for it, come from a server on the wire.
func (s *servers) called(f *Faults, tool string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(s.calls, func(c wire.ToolCall) bool { return c.Named(tool) })
}

// isServed reports whether the tool of a fault is one that a server on the wire offers.
func (f *Faults) isServed(s *state) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return s.served
}

// ChangeResult breaks the result of a call over the Model Context Protocol, where a fault is due. It is decided on
// here, and not again when the agent tells its model of it.
func (f *Faults) ChangeResult(
	r *wire.Route, c wire.ToolCall, number int, result wire.ToolResult,
) (told wire.ReplacedResult, change string) {
	if !f.of(ofResult) {
		return told, ""
	}
	f.mu.Lock()
	is := func(other wire.ToolCall) bool { return other.Server == c.Server && other.Name == c.Name }
	if len(f.servers.calls) < mostResults && !slices.ContainsFunc(f.servers.calls, is) {
		f.servers.calls = append(f.servers.calls, wire.ToolCall{Server: c.Server, Name: c.Name})
	}
	if result.Problem != "" { // an error of the protocol, and no result
		f.mu.Unlock()
		return told, ""
	}
	decided, _ := f.change(Result{
		Tool: c.Name, Server: c.Server, CallID: "mcp#" + strconv.Itoa(number), Text: textOf(result), Failed: result.Failed,
	})
	detail := f.detailOf(decided.fault)
	f.mu.Unlock()
	if decided.fault == "" {
		return told, ""
	}
	tell := "result of " + c.Name
	if detail != "" {
		tell += ": " + detail
	}
	r.Tell(wire.Event{Act: Name, Name: string(decided.fault), Detail: tell})
	return wire.ReplacedResult{Text: decided.result.Text, Failed: decided.result.Failed},
		Name + ": " + string(decided.fault)
}

// textOf is what of a result may be changed: its structured content, or else its text; "" is none.
func textOf(result wire.ToolResult) string {
	if len(result.Structured) > 0 {
		return string(result.Structured)
	}
	n, err := jsonspan.Parse(result.Output)
	if err != nil || n.Kind != '"' {
		return ""
	}
	return n.Str(result.Output)
}

// ChangeTools removes and renames tools that a server offers, where a fault is due.
func (f *Faults) ChangeTools(r *wire.Route, server string, names []string) map[string]string {
	changed, taken := map[string]string{}, map[string]bool{"": true}
	f.mu.Lock()
	defer f.mu.Unlock()
	for alias, own := range f.servers.names { // which hold as the last list had them
		if alias.server == server && (slices.Contains(names, alias.name) || own != "" && slices.Contains(names, own)) {
			delete(f.servers.names, alias)
		}
	}
	for i := range f.states {
		s := &f.states[i]
		if s.about.Of != ofList {
			continue
		}
		at := slices.IndexFunc(names, func(name string) bool {
			call := wire.ToolCall{Server: server, Name: name}
			return !taken[name] && (s.fault.Tool == "" || call.Named(s.fault.Tool))
		})
		if at < 0 {
			continue
		}
		s.served = true
		if s.seen++; !s.hit(f, s.seen) {
			continue
		}
		s.fired++
		own, to, detail := names[at], "", names[at]
		taken[own] = true // no other fault is of it
		f.servers.names[serverTool{server, own}] = ""
		if s.fault.Kind == ToolRenamed {
			if to = s.fault.Name; to == "" {
				to = own + suffix
			}
			f.servers.names[serverTool{server, to}] = own
			detail += " as " + to
		}
		changed[own] = to
		r.Tell(wire.Event{Act: Name, Name: string(s.fault.Kind), Detail: detail})
	}
	return changed
}

// OwnName is the server's own name of a tool that the agent calls; one that was removed, or has another name, is not
// offered.
func (f *Faults) OwnName(server, name string) (own string, offered bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	own, other := f.servers.names[serverTool{server, name}]
	if !other {
		return name, true
	}
	return own, own != ""
}

var _ wire.Changer = (*Faults)(nil)
