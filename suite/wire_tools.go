package suite

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
)

// wireTools reads the agent's servers of tools, and what becomes of what contracts forbid.
func (d *decoder) wireTools(w *Wire) []key {
	return []key{
		{Name: "mcp", About: "the agent's MCP servers, by their names, in the file {mcp_config} of its command",
			Read: func(n *yaml.Node) { w.MCP = d.mcpServers(n) }},
		{Name: "guard", About: "what becomes of what contracts forbid, before it is done; default: " +
			"it is done, and judged later", Read: func(n *yaml.Node) {
			if d.Takes("enum", []guard.Mode{guard.Deny, guard.Kill}) {
				return
			}
			text, ok := d.Text(n)
			if ok && text != string(guard.Deny) && text != string(guard.Kill) {
				d.Fail(n, fmt.Sprintf("must be %s or %s", guard.Deny, guard.Kill), "")
				return
			}
			w.Guard = guard.Mode(text)
		}},
	}
}

// mcpServers reads servers by their names.
func (d *decoder) mcpServers(n *yaml.Node) map[string]mcp.Server {
	all := map[string]mcp.Server{}
	d.Members(n, func(name string, at, value *yaml.Node) {
		if !mcp.IsName(name) && !d.Describes() {
			d.Fail(at, fmt.Sprintf("names a server %s, which is no name of one", prose.Quote(name)),
				"letters, digits, - and _, such as files")
			return
		}
		d.At(name, func() {
			before := len(d.Problems)
			s := mcp.Server{}
			d.Object(value,
				key{Name: "command", Read: d.Texts(&s.Command, func(n *yaml.Node, text string) bool {
					d.noteReferences(n, text)
					return true
				})},
				key{Name: "env", Read: d.envInto(&s.Env)},
				key{Name: "url", Read: func(n *yaml.Node) {
					if text, ok := d.Text(n); ok {
						s.URL = text
						d.noteReferences(n, text)
					}
				}},
			)
			if len(d.Problems) > before {
				return
			}
			checked := s
			if strings.Contains(s.URL, "${") { // which is known later
				checked.URL = "http://localhost"
			}
			if err := checked.Check(); err != nil {
				d.Fail(value, err.Error(), "")
				return
			}
			all[name] = s
		})
	})
	d.Also("propertyNames", object{"pattern", "^[A-Za-z0-9_-]{1,64}$"})
	return all
}

// servers are the servers of tools with the values of variables.
func (w *Wire) servers(value func(name string) (string, bool)) (map[string]mcp.Server, error) {
	if w.MCP == nil {
		return nil, nil
	}
	all := map[string]mcp.Server{}
	for name, s := range w.MCP {
		e := mcp.Server{URL: expand(s.URL, value)}
		for _, word := range s.Command {
			e.Command = append(e.Command, expand(word, value))
		}
		for variable, text := range s.Env {
			if e.Env == nil {
				e.Env = map[string]string{}
			}
			e.Env[variable] = expand(text, value)
		}
		if err := e.Check(); err != nil {
			return nil, fmt.Errorf("mcp.%s: %w", name, err)
		}
		all[name] = e
	}
	return all, nil
}

// toolSettings are lines of [Suite.AgentSettings].
func (w *Wire) toolSettings(text func(string) string) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(w.MCP)) {
		s := w.MCP[name]
		at := "wire.mcp." + name
		if s.URL != "" {
			lines = append(lines, setting(at+".url", text(s.URL)))
			continue
		}
		for i, word := range s.Command {
			lines = append(lines, setting(fmt.Sprintf("%s.command.%d", at, i), text(word)))
		}
		for _, variable := range slices.Sorted(maps.Keys(s.Env)) {
			lines = append(lines, setting(at+".env."+variable, text(s.Env[variable])))
		}
	}
	if w.Guard != "" {
		lines = append(lines, setting("wire.guard", string(w.Guard)))
	}
	return lines
}
