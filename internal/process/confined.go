package process

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/confine"
)

// temporaryVariables tell a program where its temporary files go, by system.
var temporaryVariables = []string{"TMPDIR", "TMP", "TEMP"}

// private gives a command that is confined a folder for temporary files of its own, in which it may write. The one of
// everybody has files of others. What is given is removed by tidy, with all that the program left there.
func (c Command) private() (private Command, tidy func(), err error) {
	set := func(name string) bool { return c.Environment.Set[name] != "" }
	if c.Confine == nil || c.Confine.WritesAnywhere || slices.ContainsFunc(temporaryVariables, set) {
		return c, func() {}, nil
	}
	folder, err := os.MkdirTemp("", "tribunal-confined-")
	if err != nil {
		return c, nil, err
	}
	rules := *c.Confine
	rules.Write = append(slices.Clip(rules.Write), confine.Resolved(folder))
	c.Confine = &rules
	c.Environment.Set = maps.Clone(c.Environment.Set)
	if c.Environment.Set == nil {
		c.Environment.Set = map[string]string{}
	}
	for _, name := range temporaryVariables {
		c.Environment.Set[name] = folder
	}
	return c, func() { _ = os.RemoveAll(folder) }, nil
}

// start starts the program of a member, confined where it is to be. On an error nothing of it is left.
func (c Command) start(ctx context.Context, m *member, cmd *exec.Cmd) (held *confine.HeldProgram, err error) {
	if c.Confine != nil {
		if held, err = c.Confine.Hold(cmd); err != nil {
			return nil, err
		}
	}
	if err := relatives.start(m, cmd); err != nil {
		held.Close()
		return nil, err
	}
	if err := held.Begun(ctx); err != nil {
		held.Close()
		killGroup(cmd)
		awaitExit(cmd)
		relatives.end(m)
		relatives.reap(m, func() { _ = cmd.Wait() })
		return nil, err
	}
	return held, nil
}
