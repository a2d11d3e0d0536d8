package verdictcmd

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
)

// proxyFlags let trials of a proxy help to compare two targets.
type proxyFlags struct {
	files []string // the baseline's, the candidate's
	// It counts only where it is given.
	combine value.Word[controlvariate.Combination]
}

func (f *proxyFlags) register(flags *pflag.FlagSet) {
	f.combine = value.Word[controlvariate.Combination]{
		Kind: "METHOD", Words: []controlvariate.Combination{controlvariate.Stouffer, controlvariate.Fisher},
	}
	flags.StringSliceVar(&f.files, "proxy", nil,
		"correct both sides by trials of a cheaper proxy that tried the same, `BASELINE,CANDIDATE`")
	flags.Var(&f.combine, "combine", f.combine.Usage(
		"with --proxy: show the p-value that combines target and proxy, as AgentAssay does, and how often it errs"))
	flags.Lookup("combine").DefValue = ""
}

// checkProxy refuses what has no meaning beside a proxy.
func (f *compareFlags) checkProxy(flags *pflag.FlagSet, files []string) error {
	for _, name := range []string{"test", "rule", "correct", "missing", "interval", "by", "errors", "behaviour-only",
		"behaviour-shift",
		"behaviour-test", "components", "prior", "fail-on", "anytime", "looks", "new-agent", "scenarios", "explain",
		"store", "prices"} {
		if base.Typed(flags, name) {
			return problem.Usage("leave it out", "--%s does not go with --proxy", name)
		}
	}
	if base.Typed(flags, "ledger") && f.looks.Ledger != looking.NoLedger {
		return problem.Usage("leave it out", "--ledger counts looks at results, and those with --proxy are not counted")
	}
	if flags.Changed("baseline") || flags.Changed("candidate") {
		return problem.Usage("name two recordings", "--proxy needs pairs, and counts do not say which trials belong together")
	}
	if len(files) != 2 {
		return problem.Usage("such as tribunal compare main.jsonl candidate.jsonl",
			"--proxy needs a baseline and a candidate")
	}
	if len(f.proxy.files) != 2 {
		return problem.Usage("such as --proxy main-mini.jsonl,candidate-mini.jsonl",
			"--proxy names two recordings, of the baseline's proxy and of the candidate's, but there %s",
			prose.Form(len(f.proxy.files), "is 1", fmt.Sprintf("are %d", len(f.proxy.files))))
	}
	return evidence.CheckNames(append(files[:len(files):len(files)], f.proxy.files...), true)
}

// compareProxy compares two targets with the help of their proxies.
func (f *compareFlags) compareProxy(ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string) error {
	if err := f.checkProxy(flags, files); err != nil {
		return err
	}
	all := append(files[:len(files):len(files)], f.proxy.files...)
	to, err := f.result.File(ctx, a, all)
	if err != nil {
		return err
	}
	var sides [2]*proxy.Matched
	for i := range sides {
		variant := f.sides[i].variant
		sides[i], err = evidence.MatchFiles(ctx, a, &f.evidence, [2]string{files[i], f.proxy.files[i]},
			[2]string{variant, variant})
		if err != nil {
			return evidence.Naming(f.sides[i].variantFlag(), err)
		}
	}
	q := proxy.Question{Delta: float64(f.delta), Alpha: float64(f.judging.Alpha), Beta: float64(f.beta),
		Seed: uint64(f.seed)}
	if flags.Changed("combine") {
		q.Combination = &f.proxy.combine.Value
	}
	c, err := proxy.Judge(ctx, sides[0], sides[1], q)
	if err != nil {
		return evidence.ProxyError(err)
	}
	c.ExitCode = f.result.Exit(a, c.Verdict, c.Reasons)
	return f.result.Conclude(ctx, a, to, c)
}
