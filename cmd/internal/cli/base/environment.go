package base

import (
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/flagtype"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/problem"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
)

// LookupEnv reads an environment variable, as os.LookupEnv does.
type LookupEnv func(name string) (value string, ok bool)

// Get returns the value, "" where the variable is not set.
func (l LookupEnv) Get(name string) string {
	if l == nil {
		return ""
	}
	value, _ := l(name)
	return value
}

// EnvironmentName returns the variable that sets a flag: TRIBUNAL_MAX_LINE_BYTES
// for --max-line-bytes.
func EnvironmentName(flag string) string {
	return "TRIBUNAL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment marks a flag that a variable has set.
const fromEnvironment = "environment"

// ApplyEnvironment sets the flags that the command line left alone from their variables. A
// variable that is empty counts as not set, as is usual in CI. Set makes a flag count as
// changed, so that the rest of the program asks for Changed alone; the annotation remembers
// for origin who set it. The variable of --help is not asked for: it would make every
// command print its help.
func ApplyEnvironment(flags *pflag.FlagSet, env LookupEnv) error {
	var failure error
	flags.VisitAll(func(flag *pflag.Flag) {
		if failure != nil || flag.Changed || flag.Name == flagtype.HelpFlag {
			return
		}
		text := env.Get(EnvironmentName(flag.Name))
		if text == "" {
			return
		}
		if err := flags.Set(flag.Name, text); err != nil {
			failure = flagtype.BadValue(EnvironmentName(flag.Name), flag, text, err)
			return
		}
		flag.Annotations = map[string][]string{fromEnvironment: {"true"}}
	})
	return failure
}

// Origin names what set a flag, for messages: the suite file, the variable or the flag.
// A flag that is not set at all is named as a flag: that is where a person would set it.
func Origin(flags *pflag.FlagSet, name string) string {
	switch flag := flags.Lookup(name); {
	case flag == nil:
	case flag.Annotations[fromEnvironment] != nil:
		return EnvironmentName(name)
	case flag.Annotations[fromSuite] != nil:
		return flag.Annotations[fromSuite][0] + ": test." + strings.ReplaceAll(name, "-", "_")
	}
	return "--" + name
}

// NoteEnvironment says in one line which variables have set flags of a command that judges: whoever reads
// its log must see that they took part in the verdict.
func (a *App) NoteEnvironment(flags *pflag.FlagSet) {
	var set []string
	// The ledger is told of by a gate, which has a rule of it.
	gate := flags.Lookup("results") != nil
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[fromEnvironment] != nil && (gate || flag.Name != "ledger") {
			name := EnvironmentName(flag.Name)
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
func (a *App) warnOfVariables() {
	if a.Environ == nil {
		return
	}
	known := sync.OnceValue(a.settable) // takes a tree of commands, and most environments have no variable of ours
	for _, variable := range a.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, EnvironmentName("")) || value == "" || slices.Contains(known(), flagName(name)) {
			continue
		}
		meant := ""
		if flag := problem.Nearest(flagName(name), known()); flag != "" {
			meant = ": did you mean " + EnvironmentName(flag) + "?"
		}
		a.Notice("warning", "the variable %s sets no flag of any command%s", prose.Excerpt(name), meant)
	}
}

// flagName is the flag of a variable, as EnvironmentName has it.
func flagName(variable string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, EnvironmentName("")), "_", "-"))
}

// settable are the names of all that variables set: the flags of every command, and a password.
func (a *App) settable() (names []string) {
	for _, command := range WithSubcommands(a.Known(a)) {
		command.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	}
	return append(names, flagName(PasswordVariable))
}

// PasswordVariable holds the password of the key that signs.
const PasswordVariable = "TRIBUNAL_SIGN_PASSWORD"

// Typed reports whether a flag was given on the command line, and not by a variable or a suite.
func Typed(flags *pflag.FlagSet, name string) bool {
	return flags.Changed(name) && Origin(flags, name) == "--"+name
}
