package bind

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Rules binds the options of all verdicts on recorded trials. The first word of each list is the zero value of its
// type, and so the default.
func Rules(flags *pflag.FlagSet, r *judging.Rules) {
	o := option.Of(flags)
	r.Alpha = verdict.DefaultAlpha
	option.Bind(o, "alpha", &r.Alpha, option.Risk)
	option.Bind(o, "interval", &r.Interval, option.Word("METHOD", "",
		stats.WilsonInterval, stats.ClopperPearsonInterval, stats.AgrestiCoullInterval, stats.JeffreysInterval))
	option.Bind(o, "errors", &r.Errors, option.Word("POLICY", "",
		verdict.RobustErrors, verdict.ExcludeErrors, verdict.FailErrors))
	option.Bind(o, "by", &r.By, option.Word("GROUP", "", verdict.BySuite, verdict.ByScenario))
}

// Design binds the options of a sequential test, and leaves alpha to the command, which may bound something else by it.
func Design(flags *pflag.FlagSet, d *judging.Design) {
	o := option.Of(flags)
	d.Delta, d.Beta, d.Kind = verdict.DefaultDelta, verdict.DefaultBeta, sprt.OptimalKind
	option.Bind(o, "delta", &d.Delta, option.Level)
	option.Bind(o, "beta", &d.Beta, option.Risk)
	option.Bind(o, "max-trials", &d.MaxTrials, option.Count(1, value.MaxDesign))
	option.Bind(o, "design", &d.Kind, option.Word("DESIGN", "", sprt.OptimalKind, sprt.WaldKind))
}

// Prior binds the option of the prior of such a test.
func Prior(flags *pflag.FlagSet, d *judging.Design) {
	d.Prior = judging.StablePrior
	option.Of(flags).Text("prior", &d.Prior)
}

// Against binds the options of a test against a baseline, and leaves delta, alpha, beta and the length of the test to
// the command.
func Against(flags *pflag.FlagSet, a *judging.Against) {
	o := option.Of(flags)
	o.Text("baseline", &a.Baseline)
	o.Text("baseline-scenario", &a.Scenario)
	option.Bind(o, "method", &a.Method, option.Word("METHOD", "", judging.FamilyMethod, judging.LimitsMethod))
	option.BindOptional(o, "gamma", &a.Gamma, option.Level)
	option.Bind(o, "guard", &a.Guard, option.Level)
}

// BehaviourTest binds the option of the test of behaviour.
func BehaviourTest(flags *pflag.FlagSet, test *fingerprint.Test) {
	option.Bind(option.Of(flags), "behaviour-test", test, option.Word("TEST", "", judging.BehaviourTests...))
}
