package cli

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// judgingFlags are the rules that every verdict on recorded trials has.
type judgingFlags struct {
	// Each command says what it bounds: the interval's error, or that of a false Fail.
	alpha    level
	interval word[stats.IntervalMethod]
	// Robust unless it is given.
	errors word[verdict.ErrorPolicy]
	by     word[verdict.Grouping]
}

// register adds the flags; alpha says what that error rate bounds. The first word of each
// list is the zero value of its type, and so the default.
func (f *judgingFlags) register(flags *pflag.FlagSet, alpha string) {
	f.alpha = verdict.DefaultAlpha
	f.interval = word[stats.IntervalMethod]{kind: "METHOD", words: []stats.IntervalMethod{
		stats.WilsonInterval, stats.ClopperPearsonInterval, stats.AgrestiCoullInterval, stats.JeffreysInterval,
	}}
	f.errors = word[verdict.ErrorPolicy]{kind: "POLICY", words: []verdict.ErrorPolicy{
		verdict.RobustErrors, verdict.ExcludeErrors, verdict.FailErrors,
	}}
	f.by = word[verdict.Grouping]{kind: "GROUP", words: []verdict.Grouping{verdict.BySuite, verdict.ByScenario}}
	flags.Var(&f.alpha, "alpha", alpha)
	flags.Var(&f.interval, "interval", f.interval.usage("confidence interval of a pass rate"))
	flags.Var(&f.errors, "errors",
		f.errors.usage("how trials count that ended in an error (robust: the verdict must hold either way)"))
	flags.Var(&f.by, "by", f.by.usage("what must hold, the suite's rate or that of every scenario"))
}
