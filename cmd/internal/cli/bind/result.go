package bind

import (
	"math"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Result binds the options of a result that is a verdict.
func Result(flags *pflag.FlagSet, t *deliver.Target) {
	Target(flags, t)
	Reports(flags, t)
	Verdict(flags, t)
}

// Reports binds the option of further files. The result of a command is wanted in several places, and none of them has
// to be made from another.
func Reports(flags *pflag.FlagSet, t *deliver.Target) {
	option.Of(flags).Value("report", &t.Reports)
}

// Form binds the options of a result that is no verdict.
func Form(flags *pflag.FlagSet, t *deliver.Target) {
	Target(flags, t)
	rows(flags, t, "scenarios")
}

// Listing binds the options of what is no result.
func Listing(flags *pflag.FlagSet, t *deliver.Target) {
	o := option.Of(flags)
	o.Switch("json", &t.JSON)
	o.Text("output", &t.Output)
	Reports(flags, t)
}

// Target binds the options of the form of a result and where it goes.
func Target(flags *pflag.FlagSet, t *deliver.Target) {
	o := option.Of(flags)
	o.Switch("json", &t.JSON)
	o.Text("output", &t.Output)
	Sign(flags, t)
}

// Sign binds the option of what saves a result.
func Sign(flags *pflag.FlagSet, t *deliver.Target) { option.Of(flags).Text("sign", &t.Sign) }

// Verdict binds the options of a verdict beside those of where it goes. run and gate have these with an --output of
// their own.
func Verdict(flags *pflag.FlagSet, t *deliver.Target) {
	option.BindOptional(option.Of(flags), "on-inconclusive", &t.Inconclusive,
		option.Word("VERDICT", "", verdict.Pass, verdict.Fail, verdict.Inconclusive))
	rows(flags, t, "scenarios")
	Explain(flags, t)
}

// Clauses binds the option of most rows where these are clauses.
func Clauses(flags *pflag.FlagSet, t *deliver.Target) { rows(flags, t, "clauses") }

// rows binds the option of most rows. Twenty is chosen, about a screen; the text says how many more there are.
func rows(flags *pflag.FlagSet, t *deliver.Target, name string) {
	t.Rows = 20
	option.Bind(option.Of(flags), name, &t.Rows, option.Count(1, math.MaxInt32))
}

// Explain binds the option that shows what the text leaves out: only the results of judges have any.
func Explain(flags *pflag.FlagSet, t *deliver.Target) { option.Of(flags).Switch("explain", &t.Explain) }

// Trusted binds the option of whose signature is asked for.
func Trusted(flags *pflag.FlagSet, t *deliver.TrustOptions) {
	option.Of(flags).Texts("trusted", &t.Public)
}
