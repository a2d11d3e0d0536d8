package bind

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/suite"
)

// Looks binds the options of how judgements of one question are counted.
func Looks(flags *pflag.FlagSet, l *looking.Looks) {
	o := option.Of(flags)
	option.Bind(o, "looks", &l.Planned, option.Count(1, suite.MostLooks))
	o.Switch("new-agent", &l.NewAgent)
	o.Text("ledger", &l.Ledger)
}
