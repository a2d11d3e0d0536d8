package cli

import (
	"strings"

	"github.com/spf13/pflag"
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
