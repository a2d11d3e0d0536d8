package running

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/wire"
)

// TellOfKeys notes that variables which look like keys are not handed to the agent of a suite that does not
// say which are.
func TellOfKeys(a *world.World, s *suite.Suite) {
	if names := keysKept(s); !s.Agent.EnvAllowGiven && len(names) > 0 {
		a.Notice("note", "%s", notHanded(names))
	}
}

// TellOfKeysAbove warns of keys that the agent does not get and can read all the same.
func TellOfKeysAbove(a *world.World, s *suite.Suite) {
	if s.Agent.Wire == nil || len(s.Agent.Wire.KeyEnv) == 0 {
		return
	}
	expanded, err := s.Expanded(nil)
	if err != nil {
		return
	}
	if c := expanded.Agent.Confine; c != nil && c.Network != confine.Host {
		return
	}
	for p, name := range expanded.Agent.Wire.KeyEnv {
		a.WarnOfKeyAbove(name, expanded.Agent.Wire.Keys[wire.Provider(p)], "agent.confine")
	}
}

// tellOfBadEnds notes the same, whatever the suite says, where programs of the agent ended badly: one that
// misses its key does.
func tellOfBadEnds(a *world.World, s *suite.Suite, found *runner.Result) {
	if found == nil {
		return
	}
	bad := 0
	for _, record := range found.Trials {
		if p := record.Process; p != nil && (p.ExitCode != 0 || p.Signal != "") {
			bad++
		}
	}
	if names := keysKept(s); bad > 0 && len(names) > 0 {
		a.Notice("note", "the agent ended badly in %s, and %s", prose.Count(bad, "trial"), notHanded(names))
	}
}

// notHanded says which variables are kept from an agent, and how they would not be.
func notHanded(names []string) string {
	const most = 3
	return fmt.Sprintf("%s %s set but not handed to the agent; env_allow: [%s] does",
		prose.Some(names, most), prose.Form(len(names), "is", "are"), strings.Join(names[:min(most, len(names))], ", "))
}

// keysKept are the variables of this process that look like keys, and that an agent does not get. Those that
// pipelines have for themselves are none.
func keysKept(s *suite.Suite) (names []string) {
	agent := s.Agent
	if expanded, err := s.Expanded(nil); err == nil {
		agent = expanded.Agent // with what a file gives it
	}
	environment := process.Environment{Allow: agent.EnvAllow}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if _, set := agent.Env[name]; set || value == "" || environment.Allows(name) {
			continue
		}
		ends := func(end string) bool { return strings.HasSuffix(strings.ToUpper(name), end) }
		begins := func(begin string) bool { return strings.HasPrefix(name, begin) }
		if slices.ContainsFunc([]string{"_API_KEY", "_TOKEN", "_ACCESS_KEY", "_SECRET"}, ends) &&
			!slices.ContainsFunc([]string{"TRIBUNAL_", "CI_", "GITHUB_", "ACTIONS_", "RUNNER_"}, begins) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
