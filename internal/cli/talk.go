package cli

import (
	"github.com/spf13/pflag"
)

// The flags of how much is said, and in which colours.
const (
	quietFlag   = "quiet"
	verboseFlag = "verbose"
	colorFlag   = "color"
)

// colouring says when text has colour.
type colouring string

const (
	autoColour   colouring = "auto" // where a person watches; NO_COLOR and FORCE_COLOR are heeded
	alwaysColour colouring = "always"
	neverColour  colouring = "never"
)

func (c colouring) String() string { return string(c) }

// registerTalk registers them for a tree of commands.
func registerTalk(flags *pflag.FlagSet) {
	flags.BoolP(quietFlag, "q", false, "print no notes on standard error; warnings stay")
	flags.BoolP(verboseFlag, "v", false, "print more notes, such as what was read and what all settings of a suite come to")
	when := &word[colouring]{
		value: autoColour, kind: "WHEN", words: []colouring{autoColour, alwaysColour, neverColour},
	}
	flags.Var(when, colorFlag, when.usage("colour of the text"))
}

// applyTalk makes a command heed them. Files never get colour.
func (a *App) applyTalk(flags *pflag.FlagSet) error {
	var err error
	if a.quiet, err = flags.GetBool(quietFlag); err != nil {
		return err
	}
	if a.verbose, err = flags.GetBool(verboseFlag); err != nil {
		return err
	}
	if a.quiet && a.verbose {
		return usage("leave one of them out", "%s prints no notes, and %s more of them", origin(flags, quietFlag),
			origin(flags, verboseFlag))
	}
	when, ok := flags.Lookup(colorFlag).Value.(*word[colouring])
	if !ok || when.value == autoColour {
		return nil
	}
	// The flag goes before both variables, which say the same.
	env := a.Env
	a.Env = func(name string) (string, bool) {
		switch name {
		case "NO_COLOR":
			return map[bool]string{true: "1"}[when.value == neverColour], true
		case "FORCE_COLOR":
			return map[bool]string{true: "1"}[when.value == alwaysColour], true
		}
		if env == nil {
			return "", false
		}
		return env(name)
	}
	return nil
}
