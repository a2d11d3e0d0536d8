package base

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// The flags of how much is said, and in which colours.
const (
	QuietFlag   = "quiet"
	VerboseFlag = "verbose"
	ColorFlag   = "color"
)

// colouring says when text has colour.
type colouring string

const (
	autoColour   colouring = "auto" // where a person watches; NO_COLOR and FORCE_COLOR are heeded
	alwaysColour colouring = "always"
	neverColour  colouring = "never"
)

func (c colouring) String() string { return string(c) }

// RegisterTalk registers them for a tree of commands.
func RegisterTalk(flags *pflag.FlagSet) {
	flags.BoolP(QuietFlag, "q", false, "print no notes on standard error; warnings stay")
	flags.BoolP(VerboseFlag, "v", false,
		"print more notes, such as what was read and what all settings of a suite come to")
	when := &value.Word[colouring]{
		Value: autoColour, Kind: "WHEN", Words: []colouring{autoColour, alwaysColour, neverColour},
	}
	flags.Var(when, ColorFlag, when.Usage("colour of the text"))
}

// applyTalk makes a command heed them. Files never get colour.
func applyTalk(a *world.World, flags *pflag.FlagSet) error {
	var err error
	if a.Quiet, err = flags.GetBool(QuietFlag); err != nil {
		return err
	}
	if a.Verbose, err = flags.GetBool(VerboseFlag); err != nil {
		return err
	}
	if a.Quiet && a.Verbose {
		return problem.Usage("leave one of them out", "%s prints no notes, and %s more of them", Origin(flags, QuietFlag),
			Origin(flags, VerboseFlag))
	}
	when, ok := flags.Lookup(ColorFlag).Value.(*value.Word[colouring])
	if !ok || when.Value == autoColour {
		return nil
	}
	// The flag goes before both variables, which say the same.
	env := a.Env
	a.Env = func(name string) (string, bool) {
		switch name {
		case "NO_COLOR":
			return map[bool]string{true: "1"}[when.Value == neverColour], true
		case "FORCE_COLOR":
			return map[bool]string{true: "1"}[when.Value == alwaysColour], true
		}
		if env == nil {
			return "", false
		}
		return env(name)
	}
	return nil
}
