package base

import (
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
)

// fromEnvironment marks a flag that a variable has set.
const fromEnvironment = "environment"

// instead are the flags that, where they are typed, leave the variable of another aside: both say how files are read.
var instead = map[string]string{"map": "from", "from": "map"}

// ApplyEnvironment sets the flags that the command line left alone from their variables. A
// variable that is empty counts as not set, as is usual in CI. Set makes a flag count as
// changed, so that the rest of the program asks for Changed alone; the annotation remembers
// for origin who set it. The variable of --help is not asked for: it would make every
// command print its help.
func ApplyEnvironment(flags *pflag.FlagSet, env world.LookupEnv) error {
	typed := map[string]bool{}
	flags.Visit(func(flag *pflag.Flag) { typed[flag.Name] = Typed(flags, flag.Name) })
	var failure error
	flags.VisitAll(func(flag *pflag.Flag) {
		if failure != nil || flag.Changed || flag.Name == HelpFlag {
			return
		}
		text := env.Get(world.EnvironmentName(flag.Name))
		if text == "" || typed[instead[flag.Name]] {
			return
		}
		if err := flags.Set(flag.Name, text); err != nil {
			failure = BadValue(world.EnvironmentName(flag.Name), flag, text, err)
			return
		}
		_ = flags.SetAnnotation(flag.Name, fromEnvironment, []string{"true"})
	})
	return failure
}

// Origin names what set a flag, for messages: the suite file, the variable or the flag.
// A flag that is not set at all is named as a flag: that is where a person would set it.
func Origin(flags *pflag.FlagSet, name string) string {
	switch flag := flags.Lookup(name); {
	case flag == nil:
	case flag.Annotations[fromEnvironment] != nil:
		return world.EnvironmentName(name)
	case flag.Annotations[fromSuite] != nil:
		return flag.Annotations[fromSuite][0] + ": test." + strings.ReplaceAll(name, "-", "_")
	}
	return "--" + name
}

// GivenOf are the flags that were given, with what gave each.
func GivenOf(flags *pflag.FlagSet) value.GivenOptions {
	given := value.GivenOptions{}
	flags.Visit(func(flag *pflag.Flag) { given[flag.Name] = Origin(flags, flag.Name) })
	return given
}

// NoteEnvironment says in one line which variables have set flags of a command that judges: whoever reads
// its log must see that they took part in the verdict.
func NoteEnvironment(a *world.World, flags *pflag.FlagSet) {
	var set []string
	// The ledger is told of by a gate, which has a rule of it.
	gate := flags.Lookup("results") != nil
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[fromEnvironment] != nil && (gate || flag.Name != "ledger") {
			name := world.EnvironmentName(flag.Name)
			value := a.Env.Get(name)
			if flag.Name == StoreFlag {
				value = store.Shown(value)
			}
			set = append(set, name+"="+prose.Excerpt(value))
		}
	})
	if len(set) > 0 {
		a.Notice("note", "from the environment: %s", strings.Join(set, ", "))
	}
}

// warnOfVariables warns of each variable that begins as ours do and is that of no flag of any command: most likely it
// is misspelt.
func warnOfVariables(a *world.World) {
	if a.Environ == nil || a.Settable == nil {
		return
	}
	known := sync.OnceValue(a.Settable) // takes a tree of commands, and most environments have no variable of ours
	for _, variable := range a.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, world.EnvironmentName("")) || value == "" || slices.Contains(known(), flagName(name)) {
			continue
		}
		meant := ""
		if flag, ok := prose.Nearest(flagName(name), known()); ok {
			meant = ": did you mean " + world.EnvironmentName(flag) + "?"
		}
		a.Notice("warning", "the variable %s sets no flag of any command%s", prose.Excerpt(name), meant)
	}
}

// flagName is the flag of a variable, as world.EnvironmentName has it.
func flagName(variable string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, world.EnvironmentName("")), "_", "-"))
}

// settable are the names of all that variables set: the flags of every command, and a password.
func settable(root *cobra.Command) (names []string) {
	for _, command := range WithSubcommands(root) {
		command.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	}
	return append(names, flagName(world.PasswordVariable))
}

// Typed reports whether a flag was given on the command line, and not by a variable or a suite.
func Typed(flags *pflag.FlagSet, name string) bool {
	return flags.Changed(name) && Origin(flags, name) == "--"+name
}
