package verdictcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// CompareCommand asks one question, did it get worse? A candidate that is better passes as
// one that is as good does.
func CompareCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "compare BASELINE CANDIDATE",
		Short: "judge whether a candidate got worse than a baseline",
		Long: `Judge whether the candidate passes less often than the baseline.

Fail (exit code 1) if it is shown to be worse, Pass (0) if it is shown not to be
worse by delta, Inconclusive (2) if the trials do not tell. Trials are compared within
their scenario, and their input where it was repeated or both sides tried it. BASELINE and CANDIDATE are files
or folders as verdict reads them, or saved results of run, which are compared by the exact
distribution of where their tests may end; - is standard input. One file that holds two variants is
named twice, with --baseline-variant and --candidate-variant. With --counts, or postgres://...?query=@rows.sql
as a file, rows that a database counted stand for the trials: see tribunal import sql.`,
		Example: `  tribunal compare main.jsonl candidate.jsonl --delta 0.10
  tribunal compare main.result.json .tribunal/shop.result.json
  tribunal compare main.jsonl candidate.jsonl --anytime
  tribunal compare main.jsonl candidate.jsonl --behaviour-only --behaviour-test hotelling-t2
  tribunal compare main.jsonl candidate.jsonl --prior last-month.jsonl
  tribunal compare main.jsonl candidate.jsonl --proxy main-mini.jsonl,candidate-mini.jsonl
  tribunal compare --counts rows.csv --baseline-variant v6 --candidate-variant v7
  tribunal compare --baseline 93/100 --candidate 71/100 --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := judging.CompareRequest{
		Delta: verdict.DefaultDelta, Beta: verdict.DefaultBeta, Seed: 1,
		Behaviour: judging.Behaviour{Shift: behaviour.DefaultShift},
	}
	bindCompare(command.Flags(), &r)
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Files, r.Given = r.Rows.Take(args), base.GivenOf(flags)
		return judging.Compare(ctx, a, r)
	})
	return command
}

// bindCompare has the options in the order of the help.
func bindCompare(flags *pflag.FlagSet, r *judging.CompareRequest) {
	o := option.Of(flags)
	option.Bind(o, "delta", &r.Delta, option.Level)
	bind.Rules(flags, &r.Rules)
	option.Bind(o, "beta", &r.Beta, option.Risk)
	option.BindOptional(o, "test", &r.Test, option.Word("TEST", "", stats.Tests()...))
	option.Bind(o, "rule", &r.Rule, option.Word("RULE", "", compare.MarginRule, compare.PaperRule, compare.BayesRule))
	option.Bind(o, "correct", &r.Correction, option.Word("METHOD", "",
		multiplicity.Holm, multiplicity.BenjaminiHochberg, multiplicity.NoCorrection))
	option.Bind(o, "missing", &r.Missing, option.Word("WAY", "", compare.MissingOpen, compare.MissingIgnore))
	for i, side := range [2]string{"baseline", "candidate"} {
		option.Bind(o, side, &r.Sides[i].Counts, option.Ratio)
		o.Text(side+"-variant", &r.Sides[i].Variant)
	}
	o.Texts("counts", &r.Rows.Files)
	o.Switch("anytime", &r.Anytime)
	option.Bind(o, "seed", &r.Seed, option.Seed)
	o.Text("prior", &r.Prior)
	o.Value("fail-on", &r.FailOn)
	o.Switch("behaviour-only", &r.Behaviour.Only)
	option.Bind(o, "behaviour-shift", &r.Behaviour.Shift, option.Deviations)
	bind.BehaviourTest(flags, &r.Behaviour.Test)
	option.BindOptional(o, "components", &r.Behaviour.Components, option.Part)
	o.List("proxy", &r.Proxy)
	option.BindOptional(o, "combine", &r.Combine, option.Word("METHOD", "",
		controlvariate.Stouffer, controlvariate.Fisher))
	bind.Looks(flags, &r.Looks)
	bind.Reading(flags, &r.Reading)
	bind.Prices(flags, &r.Reading.Pricing)
	bind.Result(flags, &r.Result)
}
