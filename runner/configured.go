package runner

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
)

// configurator gives a program the configuration that the suite has for it: by paths in its arguments and variables.
type configurator struct {
	suite *suite.Suite
	parts []suite.ConfigPart

	mutex  sync.Mutex
	folder string            // of copies; "" until there is one
	values map[string]string // of the parts, by their holders; nil until the first attempt
}

// configuredBy is what gives an agent its configuration; nil where it has none.
func configuredBy(s *suite.Suite, a suite.Agent) *configurator {
	parts := a.Config.Parts()
	if len(parts) == 0 {
		return nil
	}
	return &configurator{suite: s, parts: parts}
}

// command is a command with the parts of the configuration in it.
func (c *configurator) command(command process.Command) (process.Command, error) {
	if c == nil {
		return command, nil
	}
	values, err := c.known()
	if err != nil {
		return command, notConfigured(err)
	}
	var pairs []string
	command.Environment.Set = maps.Clone(command.Environment.Set)
	if command.Environment.Set == nil {
		command.Environment.Set = map[string]string{}
	}
	for _, p := range c.parts {
		pairs = append(pairs, p.Holder, values[p.Holder])
		command.Environment.Set[p.Variable] = values[p.Holder]
	}
	command.Argv = slices.Clone(command.Argv)
	for i, word := range command.Argv {
		command.Argv[i] = strings.NewReplacer(pairs...).Replace(word)
	}
	return command, nil
}

// notConfigured is an attempt that cannot be made, as its configuration cannot be written.
func notConfigured(err error) error {
	return &InfrastructureError{
		Type: startProblem, Problem: "the configuration of the agent cannot be written: " + err.Error(), Err: err,
		Unbegun: true,
	}
}

// known are the values of the parts: the name of the model, and absolute paths. A prompt with markers is copied without
// them.
func (c *configurator) known() (values map[string]string, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.values != nil {
		return c.values, nil
	}
	values = map[string]string{}
	for _, p := range c.parts {
		switch {
		case !p.File.Asked():
			values[p.Holder] = p.Value
		case p.Variable == promptVariable && mutation.HasMarkers(p.File.Text):
			values[p.Holder], err = c.unmarked(p.File)
		default:
			values[p.Holder], err = filepath.Abs(c.suite.Resolve(p.File.File))
		}
		if err != nil {
			return nil, err
		}
	}
	c.values = values
	return values, nil
}

// promptVariable has the path of the prompt.
const promptVariable = "TRIBUNAL_PROMPT"

// unmarked is a copy of a prompt without markers.
func (c *configurator) unmarked(f suite.ConfigFile) (path string, err error) {
	if c.folder == "" {
		if c.folder, err = os.MkdirTemp("", "tribunal-config-"); err != nil {
			return "", err
		}
	}
	path = filepath.Join(c.folder, filepath.Base(f.File))
	return path, os.WriteFile(path, []byte(mutation.Unmarked(f.Text)), 0o600)
}

// close removes copies.
func (c *configurator) close() {
	if c == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.folder != "" {
		_ = os.RemoveAll(c.folder) // what is left of it disturbs nobody
	}
	c.folder, c.values = "", nil
}
