package suite

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// Wire says that the agent's requests to models go over a wire, on which they are seen. The maps are by the names of
// providers; in addresses, ${NAME} stands as in Env.
type Wire struct {
	Upstream map[string]string `json:",omitempty"` // base addresses of servers, in place of the providers'
	KeyEnv   map[string]string `json:",omitempty"` // variables with keys that the agent does not get

	MCP      map[string]mcp.Server `json:",omitempty"` // the agent's servers of tools, by their names
	Guard    guard.Mode            `json:",omitempty"` // of what the scenario's contracts forbid; "": nothing is held back
	Cassette Cassette              `json:",omitzero"`  // of what passes
	Script   *script.Script        `json:",omitempty"` // that answers in place of models; nil is none

	// What a mutated agent has, and no suite says: mutants that rewrite what it asks, the models that could stand in for
	// its own, and faults of the results of its tools, in every scenario. See [Agent.Rewritten].
	Mutants []mutation.Mutant `json:"-"`
	Models  mutation.Models   `json:"-"`
	Faults  []fault.Fault     `json:",omitempty"`

	// Upstreams and Keys are the servers and the values of the variables, once they are known. See [Suite.Expanded].
	Upstreams wire.Upstreams           `json:"-"`
	Keys      map[wire.Provider]string `json:"-"`
}

// wire reads the wire: true, or where requests go.
func (d *decoder) wire(n *yaml.Node, a *Agent) {
	var on bool
	switch {
	case d.Either(d.Bool(&on), func(n *yaml.Node) { a.Wire = d.wireOf(n) }):
	case n.Kind != yaml.ScalarNode:
		a.Wire = d.wireOf(n)
	default:
		if d.Bool(&on)(n); on {
			a.Wire = &Wire{}
		}
	}
}

// wireOf reads where requests go.
func (d *decoder) wireOf(n *yaml.Node) *Wire {
	w := &Wire{}
	keys := []key{
		{Name: "upstream", About: "base addresses of servers, in place of the providers'",
			Read: func(n *yaml.Node) { w.Upstream = d.byProvider(n, d.upstream) }},
		{Name: "key_env", About: "variables with keys that the agent does not get",
			Read: func(n *yaml.Node) { w.KeyEnv = d.byProvider(n, d.keyVariable) }},
		{Name: "script", Read: func(n *yaml.Node) { w.Script = d.script(n) }},
	}
	d.Object(n, slices.Concat(keys, d.wireTools(w), d.cassetteKeys(&w.Cassette))...)
	d.cassetteFits(n, &w.Cassette)
	d.scriptFits(n, w)
	return w
}

// byProvider reads a text for each of some providers.
func (d *decoder) byProvider(n *yaml.Node, read func(*yaml.Node) string) map[string]string {
	all := map[string]string{}
	var keys []key
	for _, p := range wire.Providers() {
		keys = append(keys, key{Name: string(p), Read: func(n *yaml.Node) {
			if text := read(n); text != "" {
				all[string(p)] = text
			}
		}})
	}
	d.Object(n, keys...)
	return all
}

// upstream reads the base address of a server.
func (d *decoder) upstream(n *yaml.Node) string {
	text, ok := d.Text(n)
	if !ok || !d.isBase(n, text) {
		return ""
	}
	d.noteReferences(n, text)
	return text
}

// keyVariable reads the name of a variable with a key.
func (d *decoder) keyVariable(n *yaml.Node) string {
	name, ok := d.Text(n)
	if !ok || !d.Matches(n, name, variablePattern(), "such as OPENAI_API_KEY; the key itself stays out of the suite") {
		return ""
	}
	d.keyOf(n, nil, name)
	return name
}

// wireFits refuses a wire for agents that are no programs: what they ask, the runner asks itself.
func (d *decoder) wireFits(s *Suite, n *yaml.Node) {
	if n == nil || s.Agent.Wire == nil || s.Agent.kind() == "" {
		return
	}
	d.At("wire", func() {
		advice := "omit it: the steps, tokens and limits of a model are known without it"
		if s.Agent.HTTP != nil {
			advice = "omit it, and start the service with tribunal wire"
		}
		d.Fail(n, fmt.Sprintf("is of a program, and does not go with an agent that is %s", s.Agent.kind()), advice)
	})
}

// expanded is the wire with the values of variables.
func (w *Wire) expanded(value func(name string) (string, bool), env map[string]string) (*Wire, error) {
	e := *w
	named := map[wire.Provider]string{}
	for p, address := range w.Upstream {
		named[wire.Provider(p)] = expand(address, value)
	}
	lookup := func(name string) (string, bool) {
		if text, set := env[name]; set {
			return text, true
		}
		return os.LookupEnv(name)
	}
	var err error
	if e.Upstreams, err = wire.UpstreamsOf(named, lookup); err != nil {
		return nil, err
	}
	if e.MCP, err = w.servers(value); err != nil {
		return nil, err
	}
	e.Keys = map[wire.Provider]string{}
	for p, name := range w.KeyEnv {
		key, _ := value(name)
		e.Keys[wire.Provider(p)] = strings.TrimSpace(key)
	}
	return &e, nil
}

// keyNames are the variables with keys.
func (w *Wire) keyNames() []string { return slices.Sorted(maps.Values(w.KeyEnv)) }

// settings are lines of [Suite.AgentSettings].
func (w *Wire) settings(text func(string) string) (lines []string) {
	lines = append(lines, setting("wire", "true"))
	for _, p := range slices.Sorted(maps.Keys(w.Upstream)) {
		lines = append(lines, setting("wire.upstream."+p, text(w.Upstream[p])))
	}
	for _, p := range slices.Sorted(maps.Keys(w.KeyEnv)) {
		lines = append(lines, setting("wire.key_env."+p, w.KeyEnv[p]))
	}
	if w.Script != nil {
		lines = append(lines, setting("wire.script", w.Script.Digest()))
	}
	return slices.Concat(lines, w.toolSettings(text), w.Cassette.settings())
}
