package verdictcmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/cli/base"
	"github.com/tribunal-dev/tribunal/internal/cli/deliver"
	"github.com/tribunal-dev/tribunal/internal/cli/evidence"
	"github.com/tribunal-dev/tribunal/internal/cli/flagtype"
	"github.com/tribunal-dev/tribunal/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/internal/cli/problem"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
)

// proxyFlags let trials of a proxy help to compare two targets.
type proxyFlags struct {
	files []string // the baseline's, the candidate's
	// It counts only where it is given.
	combine flagtype.Word[controlvariate.Combination]
}

func (f *proxyFlags) register(flags *pflag.FlagSet) {
	f.combine = flagtype.Word[controlvariate.Combination]{
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
	if base.Typed(flags, "ledger") && f.looks.Ledger != judging.NoLedger {
		return problem.Usage("leave it out", "--ledger counts looks at results, and those with --proxy are not counted")
	}
	for _, name := range []string{"report", "sign"} {
		if base.Typed(flags, name) {
			return problem.Usage("--json and --output save all that it was judged from",
				"--%s is for results that tribunal verify judges again, and that of --proxy is none", name)
		}
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
func (f *compareFlags) compareProxy(ctx context.Context, a *base.App, flags *pflag.FlagSet, files []string) error {
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
		sides[i], err = evidence.MatchFiles(ctx, a, flags, &f.evidence, [2]string{files[i], f.proxy.files[i]},
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
	c.ExitCode = f.result.Exit(a, c.Verdict, []verdict.Reason{})
	err = a.Deliver(ctx, to, func(w io.Writer) error {
		if f.result.Json {
			return deliver.WriteIndented(w, c)
		}
		return deliver.WriteFacts(w, strings.ToUpper(c.Verdict.String()), c.Reason, proxyFacts(c), deliver.ScreenOf(a, to))
	})
	if err != nil {
		return err
	}
	return problem.Decided(c.ExitCode)
}

// proxyFacts are the lines below the verdict.
func proxyFacts(c *proxy.Comparison) (facts [][2]string) {
	add := func(name, format string, values ...any) {
		facts = append(facts, [2]string{name, fmt.Sprintf(format, values...)})
	}
	for i, s := range []controlvariate.Sample{c.Baseline, c.Candidate} {
		target, cheap := s.Target(), s.Proxy()
		add([]string{"baseline", "candidate"}[i], "the target passes %d of %d, the proxy %d of %d", target.Passes,
			target.Trials, cheap.Passes, cheap.Trials)
	}
	if c.LeftOut > 0 {
		add("left out", "%s with pairs on one side alone", prose.Count(c.LeftOut, "scenario"))
	}
	r := c.Result
	add("difference", "%+.4f of the target's rate, corrected by the proxy (coefficient %.2f), %s interval [%.4f, %.4f]",
		r.Difference, r.Coefficient, phrase.Percent(1-c.Alpha), r.Interval.Low, r.Interval.High)
	alone := fmt.Sprintf("%+.4f, standard error %.4f in place of %.4f", r.Alone.Difference, r.Alone.StandardError,
		r.StandardError)
	if c.Gain != nil {
		alone += fmt.Sprintf(": worth %.2f times the target's trials", *c.Gain)
	}
	add("target alone", "%s", alone)
	add("proxy alone", "%+.4f; a change of it is none of the target", r.Proxy.Difference)
	add("test", "studentized, %d relabelings within scenarios, seed %d", r.Draws, c.Seed)
	if d := c.Combined; d != nil {
		level := fmt.Sprintf("where neither changed it says so in %s of comparisons", phrase.Percent(d.Unchanged))
		if d.Changed != nil {
			level += fmt.Sprintf(", where only the proxy dropped by %s in %s", phrase.Points(c.Delta),
				phrase.Percent(*d.Changed))
		}
		add(d.Combination.String(), "p %s with weight %.2f for the proxy (AgentAssay, Equation 47). At a nominal %s %s: it "+
			"does not count", phrase.Significant(d.P), d.Rho, phrase.Percent(c.Alpha), level)
	}
	return facts
}
