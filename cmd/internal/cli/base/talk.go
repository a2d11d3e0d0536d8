package base

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// The flags of how much is said, and in which colours.
const (
	QuietFlag   = "quiet"
	VerboseFlag = "verbose"
	ColorFlag   = "color"
)

// colourMode says when text has colour.
type colourMode string

const (
	autoColour   colourMode = "auto" // where a person watches; NO_COLOR and FORCE_COLOR are heeded
	alwaysColour colourMode = "always"
	neverColour  colourMode = "never"
)

func (c colourMode) String() string { return string(c) }

// RegisterGlobal registers the flags of every command of a tree.
func RegisterGlobal(flags *pflag.FlagSet, a *world.World) {
	o := option.Of(flags)
	option.Bind(o, "max-memory", &a.MaxMemory, memorySize)
	option.Bind(o, "file-mode", &a.FileMode, fileMode)
	o.Switch(QuietFlag, &a.Quiet)
	o.Switch(VerboseFlag, &a.Verbose)
	when := autoColour
	option.Bind(o, ColorFlag, &when, option.Word("WHEN", "", autoColour, alwaysColour, neverColour))
}

// applyTalk makes a command heed what is said of its text. Files never get colour.
func applyTalk(a *world.World, flags *pflag.FlagSet) error {
	if a.Quiet && a.Verbose {
		return problem.Usage("omit one of them", "%s prints no notes, and %s more of them", Origin(flags, QuietFlag),
			Origin(flags, VerboseFlag))
	}
	when := colourMode(flags.Lookup(ColorFlag).Value.String())
	if when == autoColour {
		return nil
	}
	// The flag goes before both variables, which say the same.
	env := a.Env
	a.Env = func(name string) (string, bool) {
		switch name {
		case "NO_COLOR":
			return map[bool]string{true: "1"}[when == neverColour], true
		case "FORCE_COLOR":
			return map[bool]string{true: "1"}[when == alwaysColour], true
		}
		if env == nil {
			return "", false
		}
		return env(name)
	}
	return nil
}
