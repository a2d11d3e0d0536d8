package judging

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Flags are the rules that every verdict on recorded trials has.
type Flags struct {
	// Each command says what it bounds: the interval's error, or that of a false Fail.
	Alpha    value.Level
	Interval value.Word[stats.IntervalMethod]
	// Robust unless it is given.
	Errors value.Word[verdict.ErrorPolicy]
	By     value.Word[verdict.Grouping]
}

// Register adds the flags; alpha says what that error rate bounds. The first word of each
// list is the zero value of its type, and so the default.
func (f *Flags) Register(flags *pflag.FlagSet, alpha string) {
	f.Alpha = verdict.DefaultAlpha
	f.Interval = value.Word[stats.IntervalMethod]{Kind: "METHOD", Words: []stats.IntervalMethod{
		stats.WilsonInterval, stats.ClopperPearsonInterval, stats.AgrestiCoullInterval, stats.JeffreysInterval,
	}}
	f.Errors = value.Word[verdict.ErrorPolicy]{Kind: "POLICY", Words: []verdict.ErrorPolicy{
		verdict.RobustErrors, verdict.ExcludeErrors, verdict.FailErrors,
	}}
	f.By = value.Word[verdict.Grouping]{Kind: "GROUP", Words: []verdict.Grouping{verdict.BySuite, verdict.ByScenario}}
	flags.Var(&f.Alpha, "alpha", alpha)
	flags.Var(&f.Interval, "interval", f.Interval.Usage("confidence interval of a pass rate"))
	flags.Var(&f.Errors, "errors",
		f.Errors.Usage("how trials count that ended in an error (robust: the verdict must hold either way)"))
	flags.Var(&f.By, "by", f.By.Usage("what must hold, the suite's rate or that of every scenario"))
}
