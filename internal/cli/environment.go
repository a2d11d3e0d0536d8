package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/store"
	"github.com/tribunal-dev/tribunal/suite"
)

// LookupEnv reads an environment variable, as os.LookupEnv does.
type LookupEnv func(name string) (value string, ok bool)

// get returns the value, "" where the variable is not set.
func (l LookupEnv) get(name string) string {
	if l == nil {
		return ""
	}
	value, _ := l(name)
	return value
}

// environmentName returns the variable that sets a flag: TRIBUNAL_MAX_LINE_BYTES
// for --max-line-bytes.
func environmentName(flag string) string {
	return "TRIBUNAL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment marks a flag that a variable has set.
const fromEnvironment = "environment"

// applyEnvironment sets the flags that the command line left alone from their variables. A
// variable that is empty counts as not set, as is usual in CI. Set makes a flag count as
// changed, so that the rest of the program asks for Changed alone; the annotation remembers
// for origin who set it. The variable of --help is not asked for: it would make every
// command print its help.
func applyEnvironment(flags *pflag.FlagSet, env LookupEnv) error {
	var failure error
	flags.VisitAll(func(flag *pflag.Flag) {
		if failure != nil || flag.Changed || flag.Name == helpFlag {
			return
		}
		text := env.get(environmentName(flag.Name))
		if text == "" {
			return
		}
		if err := flags.Set(flag.Name, text); err != nil {
			failure = badValue(environmentName(flag.Name), flag, text, err)
			return
		}
		flag.Annotations = map[string][]string{fromEnvironment: {"true"}}
	})
	return failure
}

// origin names what set a flag, for messages: the suite file, the variable or the flag.
// A flag that is not set at all is named as a flag: that is where a person would set it.
func origin(flags *pflag.FlagSet, name string) string {
	switch flag := flags.Lookup(name); {
	case flag == nil:
	case flag.Annotations[fromEnvironment] != nil:
		return environmentName(name)
	case flag.Annotations[fromSuite] != nil:
		return flag.Annotations[fromSuite][0] + ": test." + strings.ReplaceAll(name, "-", "_")
	}
	return "--" + name
}

// tellOfKeys notes that variables which look like keys are not handed to the agent of a suite that does not
// say which are.
func (a *App) tellOfKeys(s *suite.Suite) {
	if names := keysKept(s); !s.Agent.EnvAllowGiven && len(names) > 0 {
		a.notice("note", "%s", notHanded(names))
	}
}

// tellOfBadEnds notes the same, whatever the suite says, where programs of the agent ended badly: one that
// misses its key does.
func (a *App) tellOfBadEnds(s *suite.Suite, found *runner.Result) {
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
		a.notice("note", "the agent ended badly in %s, and %s", prose.Count(bad, "trial"), notHanded(names))
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

// noteEnvironment says in one line which variables have set flags of a command that judges: whoever reads
// its log must see that they took part in the verdict.
func (a *App) noteEnvironment(flags *pflag.FlagSet) {
	var set []string
	// The ledger is told of by a gate, which has a rule of it.
	gate := flags.Lookup("results") != nil
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[fromEnvironment] != nil && (gate || flag.Name != "ledger") {
			name := environmentName(flag.Name)
			value := a.Env.get(name)
			if flag.Name == storeFlag {
				value = store.Shown(value)
			}
			set = append(set, name+"="+prose.Excerpt(value))
		}
	})
	if len(set) > 0 {
		a.notice("note", "from the environment: %s", strings.Join(set, ", "))
	}
}

// warnOfVariables warns of each variable that begins as ours do and is that of no flag of any command: most likely it
// is misspelt.
func (a *App) warnOfVariables() {
	if a.Environ == nil {
		return
	}
	known := sync.OnceValue(a.settable) // takes a tree of commands, and most environments have no variable of ours
	for _, variable := range a.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, environmentName("")) || value == "" || slices.Contains(known(), flagName(name)) {
			continue
		}
		meant := ""
		if flag := nearest(flagName(name), known()); flag != "" {
			meant = ": did you mean " + environmentName(flag) + "?"
		}
		a.notice("warning", "the variable %s sets no flag of any command%s", prose.Excerpt(name), meant)
	}
}

// flagName is the flag of a variable, as environmentName has it.
func flagName(variable string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, environmentName("")), "_", "-"))
}

// settable are the names of all that variables set: the flags of every command, and a password.
func (a *App) settable() (names []string) {
	for _, command := range withSubcommands(a.root()) {
		command.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	}
	return append(names, flagName(passwordVariable))
}
