package suite

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/model"
)

// Config is what an agent is configured with in files, and gets from the suite. In the arguments of a program
// {prompt}, {tools}, {model} and the like stand for them, and variables of its environment have them too. Of a model
// that is asked as an agent the prompt is the system message.
type Config struct {
	Prompt  ConfigFile `json:",omitzero"`
	Tools   ConfigFile `json:",omitzero"` // a list of tools; see [mutation.ParseTools]
	Model   string     `json:",omitempty"`
	Context ConfigFile `json:",omitzero"` // documents; see [mutation.ParseContext]
	// Temperature is that at which the model is asked, and Orchestration what leads it from step to step, in any form.
	Temperature   trial.Optional[float64] `json:",omitzero"`
	Orchestration ConfigFile              `json:",omitzero"`
	Models        mutation.Models         `json:"-"` // that could stand in for the agent's; no trial is of them
}

// ConfigFile is a file of a configuration, as it was when the suite was read.
type ConfigFile struct {
	File   string // its path is from the folder of the suite; "" is none
	SHA256 string // of its content, in hexadecimal
	Text   string `json:"-"` // its content
}

// Asked reports whether there is a file.
func (f ConfigFile) Asked() bool { return f.File != "" }

// fileOf is a file with its content.
func fileOf(name, text string) ConfigFile {
	sum := sha256.Sum256([]byte(text))
	return ConfigFile{File: name, SHA256: hex.EncodeToString(sum[:]), Text: text}
}

// ConfigPart is a part of a configuration by the names that suites and agents have for it.
type ConfigPart struct {
	Holder   string // in arguments, such as {prompt}
	Variable string // such as TRIBUNAL_PROMPT
	File     ConfigFile
	Value    string // of the model or its temperature; "" of a file
}

// Parts are those of a configuration that are given to a program, the files first by their names; of a nil one none.
func (c *Config) Parts() (given []ConfigPart) {
	if c == nil {
		return nil
	}
	temperature := ""
	if c.Temperature.Known {
		temperature = shortest(c.Temperature.Value)
	}
	for _, p := range []ConfigPart{
		{"{prompt}", "TRIBUNAL_PROMPT", c.Prompt, ""}, {"{tools}", "TRIBUNAL_TOOLS", c.Tools, ""},
		{"{context}", "TRIBUNAL_CONTEXT", c.Context, ""},
		{"{orchestration}", "TRIBUNAL_ORCHESTRATION", c.Orchestration, ""},
		{"{model}", "TRIBUNAL_MODEL", ConfigFile{}, c.Model},
		{"{temperature}", "TRIBUNAL_TEMPERATURE", ConfigFile{}, temperature},
	} {
		if p.File.Asked() || p.Value != "" {
			given = append(given, p)
		}
	}
	return given
}

// configHolders are what stands for parts of a configuration in arguments, by the keys of the suite.
var configHolders = [...][2]string{{"prompt", "{prompt}"}, {"tools", "{tools}"}, {"model", "{model}"},
	{"context", "{context}"}, {"temperature", "{temperature}"}, {"orchestration", "{orchestration}"}}

// settings are lines of [Suite.AgentSettings].
func (c *Config) settings(text func(string) string) (lines []string) {
	if c == nil {
		return nil
	}
	for _, p := range c.Parts() {
		name := "agent.config." + strings.Trim(p.Holder, "{}")
		if p.Value != "" {
			lines = append(lines, setting(name, text(p.Value)))
			continue
		}
		lines = append(lines, setting(name, text(p.File.File+", sha256:"+p.File.SHA256[:8])))
	}
	return lines
}

// Configuration is what an agent of the suite is made of, as far as the suite says so: the files and the model of its
// config, or the system message, tools and model of a model that is asked as an agent.
func (a Agent) Configuration() (c mutation.Configuration, err error) {
	if a.Config != nil {
		c.Prompt, c.Model, c.Models = a.Config.Prompt.Text, a.Config.Model, a.Config.Models
		c.Temperature = a.Config.Temperature
		if text := a.Config.Orchestration.Text; utf8.ValidString(text) { // it may have any form
			c.Orchestration = text
		}
		if a.Config.Tools.Asked() {
			if c.Tools, err = mutation.ParseTools([]byte(a.Config.Tools.Text)); err != nil {
				return c, fmt.Errorf("%s: %w", a.Config.Tools.File, err)
			}
		}
		if a.Config.Context.Asked() {
			if c.Context, err = mutation.ParseContext([]byte(a.Config.Context.Text)); err != nil {
				return c, fmt.Errorf("%s: %w", a.Config.Context.File, err)
			}
		}
	}
	if m := a.Model; m != nil {
		c.Model, c.Temperature = m.Name, m.Temperature
		c.Prompt = cmp.Or(c.Prompt, m.System)
		for _, mock := range m.Tools {
			tool, err := json.Marshal(mockForm{mock.Name, mock.Description, json.RawMessage(mock.Parameters)})
			if err != nil {
				return c, fmt.Errorf("tool %s: %w", mock.Name, err)
			}
			c.Tools = append(c.Tools, mutation.Tool{Raw: tool})
		}
	}
	return c, c.Check()
}

// mockForm is a tool of a model that is asked as an agent, as a provider takes it.
type mockForm struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// Mutated is the agent with another configuration in place of its own ([Agent.Configuration]): what has changed of the
// files is written into a folder, which must be there and be the agent's alone, and config leads to it. Faults of
// results happen on the wire, in every scenario.
func (a Agent) Mutated(changed mutation.Configuration, folder string) (Agent, error) {
	own, err := a.Configuration()
	if err != nil {
		return a, err
	}
	for _, component := range own.Changed(changed) {
		if component == mutation.ResultsComponent {
			a, err = a.withResults(changed.Results)
		} else if a.Model != nil {
			a, err = a.withModel(component, changed)
		} else {
			a, err = a.withConfig(component, changed, folder)
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// MutatedBy is the agent with a mutant of its own configuration, as [Agent.Mutated] has it, or, where the suite says
// nothing of that, of one that was learned on the wire, as [Agent.Rewritten] has it.
func (a Agent) MutatedBy(m mutation.Mutant, base mutation.Configuration, folder string) (Agent, error) {
	own, err := a.Configuration()
	if err != nil {
		return a, err
	}
	if own.Empty() {
		return a.Rewritten(m, base)
	}
	changed, err := m.Apply(base)
	if err != nil {
		return a, err
	}
	return a.Mutated(changed, folder)
}

// Rewritten is the agent with a mutant of a configuration that was learned on the wire: the mutant rewrites what the
// agent asks there, whatever it is configured with, and what it changes of results of tools are faults. Of one whose
// change applies to no request nothing is different.
func (a Agent) Rewritten(m mutation.Mutant, learned mutation.Configuration) (Agent, error) {
	parts := m.Parts
	if len(parts) == 0 {
		parts = []mutation.Mutant{m}
	}
	for _, part := range parts {
		if !slices.Contains(part.Components(), mutation.ResultsComponent) {
			w, err := a.onWire()
			if err != nil {
				return a, err
			}
			w.Mutants, w.Models = append(slices.Clone(w.Mutants), part), learned.Models
			a.Wire = w
			continue
		}
		changed, err := part.Apply(learned)
		if err == nil {
			a, err = a.withResults(changed.Results)
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// onWire is a copy of the wire of an agent.
func (a Agent) onWire() (*Wire, error) {
	if a.Wire == nil {
		return nil, errors.New("it is changed on the wire, which the agent is not on: write wire: true")
	}
	w := *a.Wire
	return &w, nil
}

// withResults is the agent with faults of the results of its tools.
func (a Agent) withResults(faults []fault.Fault) (Agent, error) {
	w, err := a.onWire()
	if err != nil {
		return a, fmt.Errorf("what tools answer: %w", err)
	}
	w.Faults = slices.Concat(w.Faults, faults)
	a.Wire = w
	return a, nil
}

// withModel is an agent that is a model, with another component.
func (a Agent) withModel(component mutation.Component, c mutation.Configuration) (Agent, error) {
	m := *a.Model
	a.Model = &m
	switch component {
	case mutation.PromptComponent:
		m.System = mutation.Unmarked(c.Prompt)
		a.Config = a.Config.with(func(own *Config) { own.Prompt = ConfigFile{} })
	case mutation.ModelComponent:
		m.Name, m.Temperature = c.Model, c.Temperature
	case mutation.ToolsComponent:
		var tools []model.Mock
		for _, t := range c.Tools {
			i := slices.IndexFunc(m.Tools, func(old model.Mock) bool { return old.Name == t.Name() })
			if i < 0 {
				return a, fmt.Errorf("a tool %q answers nothing", t.Name())
			}
			mock := m.Tools[i]
			mock.Description, mock.Parameters = t.Description(), trial.Raw(t.Parameters())
			tools = append(tools, mock)
		}
		m.Tools = tools
	}
	return a, nil
}

// with is a copy of a configuration that was changed; nil stays nil.
func (c *Config) with(change func(*Config)) *Config {
	if c == nil {
		return nil
	}
	own := *c
	change(&own)
	return &own
}

// withConfig is a program with another component.
func (a Agent) withConfig(component mutation.Component, c mutation.Configuration, folder string) (Agent, error) {
	if a.Config == nil {
		return a, fmt.Errorf("the agent has no %s in its config", component)
	}
	own := *a.Config
	a.Config = &own
	write := func(f *ConfigFile, name string, text []byte) error {
		path := filepath.Join(folder, name+filepath.Ext(f.File))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
		*f = fileOf(path, string(text))
		return nil
	}
	switch component {
	case mutation.PromptComponent:
		return a, write(&own.Prompt, "prompt", []byte(mutation.Unmarked(c.Prompt)))
	case mutation.ToolsComponent:
		text, err := mutation.PutTools([]byte(own.Tools.Text), c.Tools)
		if err != nil {
			return a, err
		}
		return a, write(&own.Tools, "tools", text)
	case mutation.ContextComponent:
		text, err := mutation.PutContext([]byte(own.Context.Text), c.Context)
		if err != nil {
			return a, err
		}
		return a, write(&own.Context, "context", text)
	case mutation.OrchestrationComponent:
		return a, write(&own.Orchestration, "orchestration", []byte(c.Orchestration))
	}
	own.Model, own.Temperature = c.Model, c.Temperature
	return a, nil
}
