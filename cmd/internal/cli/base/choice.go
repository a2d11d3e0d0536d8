package base

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
)

// RegisterChoice registers the flags that choose among the scenarios of a suite.
func RegisterChoice(flags *pflag.FlagSet, f *suitefile.Choice) {
	o := option.Of(flags)
	o.List("only", &f.Only)
	o.List("tag", &f.Tags)
}
