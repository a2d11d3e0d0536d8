package suite

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
)

// config reads the configuration of an agent, over the one that is there: of a variant, what it does not say is the
// agent's.
func (d *decoder) config(n *yaml.Node, a *Agent) {
	c := Config{}
	if a.Config != nil {
		c = *a.Config
	}
	file := func(target *ConfigFile, most int, check func(text []byte) error) func(*yaml.Node) {
		return func(n *yaml.Node) { d.configFile(n, target, most, check) }
	}
	d.Object(n,
		key{Name: "prompt", About: "a file; {prompt} in the command and TRIBUNAL_PROMPT have its path",
			Read: file(&c.Prompt, mutation.MaxPromptBytes, func(text []byte) error {
				return mutation.Configuration{Prompt: string(text)}.Check()
			})},
		key{Name: "tools", About: "a file with a JSON list of tools; {tools} and TRIBUNAL_TOOLS have its path",
			Read: file(&c.Tools, mutation.MaxToolsBytes, func(text []byte) error {
				tools, err := mutation.ParseTools(text)
				return errors.Join(err, mutation.Configuration{Tools: tools}.Check())
			})},
		key{Name: "model", About: "a name; {model} and TRIBUNAL_MODEL are it", Read: d.Line(&c.Model)},
		key{Name: "temperature", About: "of the model; {temperature} and TRIBUNAL_TEMPERATURE are it",
			Read: d.temperature(&c.Temperature)},
		key{Name: "orchestration", About: "a file that leads the agent from step to step; {orchestration} and " +
			"TRIBUNAL_ORCHESTRATION have its path",
			Read: file(&c.Orchestration, mutation.MaxContextBytes, func([]byte) error { return nil })},
		key{Name: "models", About: "that could stand in for the agent's, for tribunal run mutants",
			Read: func(n *yaml.Node) {
				c.Models = mutation.Models{}
				d.Object(n,
					key{Name: "same_tier", Read: d.Texts(&c.Models.SameTier, d.IsLine)},
					key{Name: "older", Read: d.Texts(&c.Models.Older, d.IsLine)},
				)
			}},
		key{Name: "context", About: "a file with documents; {context} and TRIBUNAL_CONTEXT have its path",
			Read: file(&c.Context, mutation.MaxContextBytes, func(text []byte) error {
				segments, err := mutation.ParseContext(text)
				return errors.Join(err, mutation.Configuration{Context: segments}.Check())
			})},
	)
	a.Config = &c
}

// configFile reads a file of a configuration.
func (d *decoder) configFile(n *yaml.Node, target *ConfigFile, most int, check func(text []byte) error) {
	if !d.Describes() && (n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str") {
		d.Fail(n, "must be the path of a file, not "+yamlnode.Describe(n), "such as agent: {config: {prompt: prompt.md, "+
			"tools: tools.json}}")
		return
	}
	path := ""
	d.Line(&path)(n)
	if path == "" {
		return
	}
	*target = ConfigFile{File: path} // it is there for what else is looked at
	text, err := input.Read(d.ctx, resolve(d.dir, path), nil, most, "")
	if err != nil {
		d.unreadFile(n, path, "its path is from the folder of the suite", err)
		return
	}
	if err := check(text); err != nil {
		problem, advice := err.Error(), ""
		if said, ok := errors.AsType[interface {
			error
			Message() string
			Hint() string
		}](err); ok {
			problem, advice = said.Message(), said.Hint()
		}
		d.Fail(n, yamlnode.Shown(path)+": "+problem, advice)
		return
	}
	*target = fileOf(path, string(text))
}

// configFits refuses a configuration that does not reach the agent, and arguments that stand for what it has not.
func (d *decoder) configFits(n *yaml.Node, a *Agent) {
	given := yamlnode.Has(n, "config")
	refuse := func(name, problem, advice string) {
		d.At("config", func() {
			at := valueOf(n, "config")
			if yamlnode.Has(at, name) {
				d.At(name, func() { d.Fail(valueOf(at, name), problem, advice) })
				return
			}
			d.Fail(at, problem, advice)
		})
	}
	c := a.Config
	switch {
	case c == nil:
	case a.HTTP != nil && given:
		refuse("", "does not reach an agent at an address", "omit it: what it asks models is changed on the wire")
	case a.Model != nil && given && c.Prompt.Asked() && a.Model.System != "":
		refuse("prompt", "is the system message, which model.system says too", "leave one of the two out")
	case a.Model != nil && given && (c.Tools.Asked() || c.Model != "" || c.Context.Asked() || c.Temperature.Known ||
		c.Orchestration.Asked()):
		for _, name := range []string{"tools", "model", "context", "temperature", "orchestration"} {
			if yamlnode.Has(valueOf(n, "config"), name) {
				refuse(name, "is of a program: of a model that is asked, model says it", "omit it")
				return
			}
		}
	}
	if a.Model != nil && given {
		if _, err := endpoint.Holders(c.Prompt.Text); err != nil {
			refuse("prompt", err.Error(), "")
		}
	}
	d.holdersFit(n, a)
}

// holdersFit refuses arguments that stand for a part of a configuration that is not there.
func (d *decoder) holdersFit(n *yaml.Node, a *Agent) {
	for _, pair := range configHolders {
		name, holder := pair[0], pair[1]
		known := func(p ConfigPart) bool { return p.Holder == holder }
		i := slices.IndexFunc(a.Command, func(word string) bool { return strings.Contains(word, holder) })
		if i < 0 || slices.ContainsFunc(a.Config.Parts(), known) {
			continue
		}
		at := n
		if yamlnode.Has(n, "command") {
			at = valueOf(n, "command").Content[i]
		}
		what := "FILE"
		switch name {
		case "model":
			what = "NAME"
		case "temperature":
			what = "0.7"
		}
		d.At("command", func() {
			d.Fail(at, "has "+holder+", and the agent no config."+name, "write config: {"+name+": "+what+"}")
		})
	}
}
