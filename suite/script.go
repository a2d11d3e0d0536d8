package suite

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// script reads what a model answers: a file, whose path is from the folder of the suite, or the script itself.
func (d *decoder) script(n *yaml.Node) *script.Script {
	if d.Describes() {
		d.Named("script", func(n *yaml.Node) {
			d.Either(d.Line(new(string)), func(n *yaml.Node) { script.ParseNode(&d.Decoder, n) })
			d.Also("description", "what answers in place of models, for no cost and without a key: a file, from the "+
				"folder of the suite, or the script itself")
		})(n)
		return nil
	}
	if n.Kind == yaml.MappingNode {
		return script.ParseNode(&d.Decoder, n)
	}
	path := ""
	d.Line(&path)(n)
	if path == "" {
		return nil
	}
	s, err := script.Load(resolve(d.dir, path))
	if err != nil {
		d.unreadFile(n, path, "its path is from the folder of the suite", err)
	}
	return s
}

// scriptFits refuses, beside a script, what is of servers that are not asked then.
func (d *decoder) scriptFits(n *yaml.Node, w *Wire) {
	if w.Script == nil {
		return
	}
	for _, other := range []string{"cassette", "upstream", "key_env"} {
		if yamlnode.Has(n, other) {
			d.Fail(n, "has a script and "+other, "a script answers in place of all servers: omit one of them")
		}
	}
}

// modelScript reads the script of a scenario, which goes before that of the wire.
func (d *decoder) modelScript(n *yaml.Node, s *Suite, c *Scenario) {
	anyWire := func(has func(*Wire) bool) bool {
		return slices.ContainsFunc(s.allAgents(), func(a Agent) bool { return has(a.Wire) })
	}
	switch {
	case d.Describes():
		d.script(n)
	case anyWire(func(w *Wire) bool { return w == nil }):
		d.Fail(n, "answers on the wire, which the agent is not on", "write wire: true beside the agent, which is a program")
	case anyWire(func(w *Wire) bool { return w.Cassette.File != "" }):
		d.Fail(n, "does not go with wire.cassette", "a script is not recorded, and needs no replay: omit one of them")
	default:
		c.ModelScript = d.script(n)
	}
}

// scriptsFit refuses a scenario whose model is a server where that of another is a script: the one would cost what the
// other does not, and one verdict would be of both.
func (d *decoder) scriptsFit(s *Suite, n *yaml.Node) {
	scripted := slices.IndexFunc(s.Scenarios, func(c Scenario) bool { return c.ModelScript != nil })
	bare := slices.IndexFunc(s.Scenarios, func(c Scenario) bool { return c.ModelScript == nil })
	unscripted := func(a Agent) bool { return a.Wire != nil && a.Wire.Script == nil }
	if scripted < 0 || bare < 0 || !slices.ContainsFunc(s.allAgents(), unscripted) {
		return
	}
	d.At("scenarios", func() {
		d.Fail(n, "has a model_script in "+yamlnode.Shown(s.Scenarios[scripted].Name)+" and none in "+
			yamlnode.Shown(s.Scenarios[bare].Name), "give each of them one, or all of them one by wire: {script: FILE}")
	})
}
