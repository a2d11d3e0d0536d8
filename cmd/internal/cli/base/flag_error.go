package base

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
)

// HelpFlag is never set by a variable; see ApplyEnvironment.
const HelpFlag = "help"

// FlagError turns what pflag says about the command line into a usage error with
// a hint.
func FlagError(cmd *cobra.Command, err error) error {
	// cobra prints the help for it.
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	help := SeeHelp(cmd)
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return BadValue("--"+e.GetFlag().Name, e.GetFlag(), e.GetValue(), err)
	}
	// Of several short flags in one word, such as -xyz, all are named.
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if args := cmd.Flags().Args(); IsHolder(cmd) && len(args) > 0 { // a flag of the command that is meant
			return unknownBelow(cmd, args[0])
		}
		var took *pflag.Flag
		cmd.Flags().Visit(func(flag *pflag.Flag) {
			if flag.Value.String() == "--" {
				took = flag
			}
		})
		if took != nil {
			return needsValue(took)
		}
		name := e.GetSpecifiedName()
		if shorts := e.GetSpecifiedShortnames(); shorts != "" {
			return problem.Usage(OrElse(problem.DidYouMean("--", shorts, flagNames(cmd)), help), "unknown flag -%s", shorts)
		}
		hint := problem.DidYouMean("--", name, flagNames(cmd))
		if IsHolder(cmd) {
			if with := commandsWith(cmd, name); len(with) > 0 {
				hint = "it is a flag of its commands " + prose.And(with)
			}
		}
		if key, sure := suiteKey(name); key != "" && (sure || hint == "") && strings.Contains(cmd.Use, "[SUITE]") {
			hint = "it is a key of the suite: " + key + "; tribunal check schema has all of them"
		}
		if name == "trials" && cmd.Flags().Lookup("record") != nil {
			hint = "--record N runs so many of each scenario"
		}
		if name == "suite" && strings.HasSuffix(cmd.Use, "[SUITE]") {
			hint = "the suite stands alone: " + cmd.CommandPath() + " SUITE"
		}
		if name == "scenario" && strings.HasPrefix(cmd.Use, "try [") {
			hint = "the scenario stands alone: tribunal try SCENARIO"
		}
		is := func(f report.Format) bool { return f.String() == name }
		if cmd.Flags().Lookup("report") != nil && slices.ContainsFunc(report.Formats(), is) {
			hint = "such as --report " + name + "=FILE"
		}
		if name == "report" && cmd.Flags().Lookup("format") != nil {
			hint = "such as --format html --output report.html"
		}
		return problem.Usage(OrElse(hint, help), "unknown flag --%s", name)
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return needsValue(e.GetFlag())
	}
	// pflag's own words are good enough for what is left, such as a syntax like "--=x".
	return problem.Usage(help, "%v", err)
}

// needsValue refuses a flag without a value.
func needsValue(flag *pflag.Flag) error {
	return problem.Usage("write --"+flag.Name+" "+option.Unit(flag), "--%s needs a value", flag.Name)
}

// suiteKeys are keys that people look for among the flags of a command that reads a suite.
var suiteKeys = []string{
	"test.threshold", "test.delta", "test.alpha", "test.beta", "test.by", "test.collapse", "test.floor",
	"test.max_trials", "budget.max_cost_usd", "budget.max_duration", "budget.max_tokens", "agent.command", "agent.env",
	"agent.model", "agent.retries", "agent.timeout", "limits.max_turns", "gate.min_pass_rate",
}

// suiteKey is the key that a flag which is not there means, or "". It is sure where the name begins so.
func suiteKey(flag string) (key string, sure bool) {
	flag = strings.ReplaceAll(flag, "-", "_")
	keys, names := map[string]string{}, []string{}
	for _, key := range suiteKeys {
		_, name, _ := strings.Cut(key, ".")
		keys[name], names = key, append(names, name)
	}
	name, _ := prose.Nearest(flag, names)
	return keys[name], name == flag || len(flag) > 4 && strings.HasPrefix(name, flag)
}

// BadValue says why the value that the source gave to the flag, or to an argument
// if it is nil, cannot be used.
func BadValue(source string, flag *pflag.Flag, text string, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = e.Unwrap()
	}
	// These two types are pflag's, whose errors are those of package strconv and time.
	if flag != nil && flag.Value.Type() == "bool" {
		return problem.Usage("", "%s %q must be true or false", source, text)
	}
	if flag != nil && flag.Value.Type() == "duration" {
		return problem.Usage("give it a unit, such as 500ms, 30s or 5m", "%s %q must be a duration", source, text)
	}
	return value.Refused(source, text, err)
}

// commandsWith are the commands below one that have a flag.
func commandsWith(cmd *cobra.Command, flag string) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Flags().Lookup(flag) != nil {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagNames are the flags to guess from, the hidden ones among them.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	return names
}

// SeeHelp is the hint where nothing better is known.
func SeeHelp(cmd *cobra.Command) string {
	return fmt.Sprintf("%s --help all lists what can be given", cmd.CommandPath())
}

// OrElse returns the text, or the fallback where it is empty.
func OrElse(text, fallback string) string {
	if text != "" {
		return text
	}
	return fallback
}
