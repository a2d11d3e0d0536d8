package base

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
)

// RegisterChoice registers the flags that choose among the scenarios of a suite.
func RegisterChoice(flags *pflag.FlagSet, f *suitefile.Choice) {
	flags.StringSliceVar(&f.Only, "only", nil, "only scenarios whose name matches the `GLOB`; may be given again")
	flags.StringSliceVar(&f.Tags, "tag", nil, "only scenarios with this `TAG`; may be given again")
}
