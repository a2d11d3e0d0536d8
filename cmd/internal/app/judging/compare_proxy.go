package judging

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
)

// checkProxy refuses what has no meaning beside a proxy.
func (r *CompareRequest) checkProxy() error {
	for _, name := range []string{"test", "rule", "correct", "missing", "interval", "by", "errors", "behaviour-only",
		"behaviour-shift",
		"behaviour-test", "components", "prior", "fail-on", "anytime", "looks", "new-agent", "scenarios", "explain",
		"store", "prices"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit it", "--%s does not go with --proxy", name)
		}
	}
	if r.Given.Typed("ledger") && r.Looks.Ledger != looking.NoLedger {
		return problem.Usage("omit it", "--ledger counts analyses of results; those with --proxy are not counted")
	}
	if r.Given.Has("baseline") || r.Given.Has("candidate") {
		return problem.Usage("name two recordings", "--proxy needs pairs, and counts do not say which trials belong together")
	}
	if len(r.Files) != 2 {
		return problem.Usage("such as tribunal compare main.jsonl candidate.jsonl",
			"--proxy needs a baseline and a candidate")
	}
	if len(r.Proxy) != 2 {
		return problem.Usage("such as --proxy main-mini.jsonl,candidate-mini.jsonl",
			"--proxy names two recordings, of the baseline's proxy and of the candidate's, but there %s",
			prose.Form(len(r.Proxy), "is 1", fmt.Sprintf("are %d", len(r.Proxy))))
	}
	return evidence.CheckNames(append(r.Files[:len(r.Files):len(r.Files)], r.Proxy...), true)
}

// compareProxy compares two targets with the help of their proxies.
func (r *CompareRequest) compareProxy(ctx context.Context, a *world.World) error {
	if err := r.checkProxy(); err != nil {
		return err
	}
	all := append(r.Files[:len(r.Files):len(r.Files)], r.Proxy...)
	to, err := r.Result.File(ctx, a, all)
	if err != nil {
		return err
	}
	var sides [2]*proxy.MatchedTrials
	for i := range sides {
		variant := r.Sides[i].Variant
		sides[i], err = evidence.MatchFiles(ctx, a, &r.Reading, [2]string{r.Files[i], r.Proxy[i]},
			[2]string{variant, variant})
		if err != nil {
			return evidence.Naming(variantOption(i), err)
		}
	}
	q := proxy.Question{Delta: r.Delta, Alpha: r.Alpha, Beta: r.Beta,
		Seed: r.Seed}
	if r.Combine.Known {
		q.Combination = &r.Combine.Value
	}
	c, err := proxy.Judge(ctx, sides[0], sides[1], q)
	if err != nil {
		return evidence.ProxyError(err)
	}
	c.ExitCode = r.Result.Exit(a, c.Verdict, c.Reasons)
	return r.Result.Conclude(ctx, a, to, c)
}
