package base

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/suite"
)

// profileFlag names the flag that chooses a tier of the suite.
const profileFlag = "profile"

// RegisterProfile is for commands that read a suite for what it tests and spends.
func RegisterProfile(flags *pflag.FlagSet) {
	option.Of(flags).Text(profileFlag, new(string))
}

// applyProfile lets suites be read as the profile that is asked for.
func applyProfile(a *world.World, flags *pflag.FlagSet) {
	if flag := flags.Lookup(profileFlag); flag != nil {
		a.Opening = suite.WithProfile(a.Opening, flag.Value.String())
	}
}
