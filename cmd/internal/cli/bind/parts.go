package bind

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// Parts binds the options of runs that a command makes of a suite.
func Parts(flags *pflag.FlagSet, r *running.Request) {
	o := option.Of(flags)
	o.Switch("resume", &r.Resume)
	o.Switch("fresh", &r.Fresh)
	option.BindOptional(o, "concurrency", &r.Concurrency, option.Count(1, 1024))
	option.BindOptional(o, "max-cost", &r.MaxCost, option.Amount)
	Prices(flags, &r.Pricing)
	o.Text(base.StoreFlag, &r.Store.Name)
}

// Suite is the suite among the arguments of a command that takes no others; "" is the one that is found.
func Suite(args []string) (string, error) {
	switch len(args) {
	case 0:
		return "", nil
	case 1:
		return args[0], nil
	}
	return "", problem.Usage("name one suite file", "there are %d arguments, and one is the suite", len(args))
}
