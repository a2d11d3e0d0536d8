package plancmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
)

// proxyPlanFlags ask whether trials of a proxy save any of the target.
type proxyPlanFlags struct {
	files []string     // the target's, the proxy's
	price value.Amount // of a trial of the proxy; it counts only where it is given
}

func (f *proxyPlanFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.files, "proxy", nil,
		"whether a proxy pays, from recordings of the target and of the proxy that tried the same, `TARGET,PROXY`")
	flags.Var(&f.price, "proxy-price",
		"with --proxy: price of a trial of the proxy in dollars; --price is that of the target")
	flags.Lookup("proxy-price").DefValue = ""
}

// proxyHint says what --proxy of plan takes.
const proxyHint = "such as --proxy large.jsonl,mini.jsonl"

// checkProxy refuses what has no meaning for the question.
func (f *planFlags) checkProxy(flags *pflag.FlagSet, args []string) error {
	if len(args) > 0 {
		return problem.Usage("leave it out", "plan takes no argument, but there is %q", args[0])
	}
	for _, name := range append([]string{"threshold", "delta", "beta", "side-by-side", "baseline", "baseline-scenario",
		"method",
		"gamma", "guard", "sides", "baseline-trials", "candidates", "behaviour", "max-trials", "design", "prior",
		"prior-mode",
		"group", "looks", "seconds", "chart", "compare", "variant", "report"}, f.behaviour.names()...) {
		if base.Typed(flags, name) {
			return problem.Usage("leave it out", "--%s does not go with --proxy", name)
		}
	}
	if len(f.proxy.files) != 2 {
		return problem.Usage(proxyHint, "--proxy names two recordings, but there %s", prose.Form(len(f.proxy.files), "is 1",
			fmt.Sprintf("are %d", len(f.proxy.files))))
	}
	for _, of := range []struct {
		name  string
		value value.Amount
	}{{"price", f.price}, {"proxy-price", f.proxy.price}} {
		if flags.Changed(of.name) && of.value == 0 {
			return problem.Usage("such as --price 0.15 --proxy-price 0.01", "--%s must be above 0", of.name)
		}
	}
	return evidence.CheckNames(f.proxy.files, true)
}

// planProxy says what a proxy is worth.
func (f *planFlags) planProxy(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.checkProxy(flags, args); err != nil {
		return err
	}
	to, err := f.result.File(ctx, a, f.proxy.files)
	if err != nil {
		return err
	}
	matched, err := evidence.MatchFiles(ctx, a, &f.evidence, [2]string{f.proxy.files[0], f.proxy.files[1]},
		[2]string{"", ""})
	if err != nil {
		return err
	}
	o := proxy.Options{Alpha: float64(f.alpha)}
	if flags.Changed("price") {
		o.TargetUSD = float64(f.price)
	}
	if flags.Changed("proxy-price") {
		o.ProxyUSD = float64(f.proxy.price)
	}
	plan, err := proxy.For(matched, o)
	if err != nil {
		return evidence.ProxyError(err)
	}
	return a.Deliver(ctx, to, func(w io.Writer) error {
		if f.result.JSON {
			return deliver.WriteJSON(w, plan)
		}
		return deliver.WriteFacts(w, "PLAN", proxyPlanHead(plan), proxyPlanFacts(plan), deliver.ScreenOf(a, to))
	})
}

// proxyPlanHead is the answer.
func proxyPlanHead(p *proxy.Plan) string {
	const plan = "do trials of the proxy save any of the target? "
	switch p.Answer {
	case proxy.Pays:
		return plan + fmt.Sprintf("Yes: %s at the estimated correlation, %s at its low limit", timesText(p.Split.Cost),
			timesText(p.AtLow.Cost))
	case proxy.NotShown:
		return plan + fmt.Sprintf("Not shown: %s at the estimated correlation, and nothing at its low limit",
			timesText(p.Split.Cost))
	case proxy.No:
		return plan + "No: the target alone is cheaper"
	}
	return plan + "Not known: one of them never varies within a scenario"
}

// timesText is what a cost saves, as a factor.
func timesText(cost float64) string { return fmt.Sprintf("%.2f-fold", 1/cost) }

// proxyPlanFacts are the lines below.
func proxyPlanFacts(p *proxy.Plan) (facts [][2]string) {
	add := func(name, format string, values ...any) {
		facts = append(facts, [2]string{name, fmt.Sprintf(format, values...)})
	}
	target, cheap := p.Sample.Target(), p.Sample.Proxy()
	add("pairs", "%s of %s: the target passes %s", prose.Count(p.Pairs, "pair"), prose.Count(p.Scenarios, "scenario"),
		phrase.Percent(target.Rate()))
	add("proxy", "%s, of which it passes %s", prose.Count(cheap.Trials, "trial"), phrase.Percent(cheap.Rate()))
	if p.Unpaired+p.Errors > 0 {
		add("left out", "%s of the target without one of the proxy, %s without an outcome", prose.Count(p.Unpaired, "trial"),
			prose.Count(p.Errors, "trial"))
	}
	add("prices", "$%.4g a trial of the target, $%.4g of the proxy", p.TargetUSD, p.ProxyUSD)
	if p.Rho == nil {
		return facts
	}
	add("correlation", "%.2f of the outcomes within scenarios, %s interval %.2f to %.2f (Fisher's z, standard error from "+
		"the influence function)", *p.Rho, phrase.Percent(p.Level), p.Interval.Low, p.Interval.High)
	if p.Pooled != nil {
		add("", "%.2f over all pairs, where scenarios that are hard for both count", *p.Pooled)
	}
	s := p.Split
	if s.Pays && s.Target > 0 {
		n, m := s.Target, s.Proxy
		add("split", "for 100 trials of the target alone, $%.4g: %.0f pairs and %.0f further trials of the proxy, $%.4g",
			100*p.TargetUSD, n, m-n, n*p.TargetUSD+m*p.ProxyUSD)
	}
	add("gain", "%s; Equation 48 claims %s", timesText(s.Cost), timesText(s.Claimed))
	add("pays above", "a correlation of %.2f at these prices", s.Least)
	return facts
}
