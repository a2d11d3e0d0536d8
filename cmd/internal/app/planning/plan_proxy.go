package planning

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
)

// proxyHint says what --proxy of plan takes.
const proxyHint = "such as --proxy large.jsonl,mini.jsonl"

// checkProxy refuses what has no meaning for the question.
func (r *PlanRequest) checkProxy() error {
	if len(r.Args) > 0 {
		return problem.Usage("omit it", "plan takes no argument, but there is %q", r.Args[0])
	}
	for _, name := range append([]string{"threshold", "delta", "beta", "side-by-side", "baseline", "baseline-scenario",
		"method",
		"gamma", "guard", "sides", "baseline-trials", "candidates", "behaviour", "max-trials", "design", "prior",
		"prior-mode",
		"group", "looks", "seconds", "chart", "compare", "variant", "report"}, behaviourOptions...) {
		if r.Given.Typed(name) {
			return problem.Usage("omit it", "--%s does not go with --proxy", name)
		}
	}
	if len(r.Proxy) != 2 {
		return problem.Usage(proxyHint, "--proxy names two recordings, but there %s", prose.Form(len(r.Proxy), "is 1",
			fmt.Sprintf("are %d", len(r.Proxy))))
	}
	for _, price := range []struct {
		name  string
		value trial.Optional[float64]
	}{{"price", r.Price}, {"proxy-price", r.ProxyPrice}} {
		if price.value.Known && price.value.Value == 0 {
			return problem.Usage("such as --price 0.15 --proxy-price 0.01", "--%s must be above 0", price.name)
		}
	}
	return evidence.CheckNames(r.Proxy, true)
}

// planProxy says what a proxy is worth.
func (r *PlanRequest) planProxy(ctx context.Context, a *world.World) error {
	if err := r.checkProxy(); err != nil {
		return err
	}
	to, err := r.Result.File(ctx, a, r.Proxy)
	if err != nil {
		return err
	}
	matched, err := evidence.MatchFiles(ctx, a, &r.Reading, [2]string{r.Proxy[0], r.Proxy[1]},
		[2]string{"", ""})
	if err != nil {
		return err
	}
	o := proxy.Options{Alpha: r.Alpha}
	if r.Price.Known {
		o.TargetUSD = r.Price.Value
	}
	if r.ProxyPrice.Known {
		o.ProxyUSD = r.ProxyPrice.Value
	}
	plan, err := proxy.For(matched, o)
	if err != nil {
		return evidence.ProxyError(err)
	}
	return r.Result.Show(ctx, a, to, proxyPlan(plan))
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

// proxyPlan is the plan for people.
func proxyPlan(p *proxy.Plan) *report.Document {
	d := new(report.Document).Listing(p.Schema, "proxy", p)
	d.Word, d.Headline = "plan", proxyPlanHead(p)
	add := d.Linef
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
		return d
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
	if s.Converged > 0 {
		add("", "Equation 54 claims %s, without a trial of the target: nothing is known of it then",
			timesText(s.Converged))
	}
	add("pays above", "a correlation of %.2f at these prices", s.Least)
	return d
}
