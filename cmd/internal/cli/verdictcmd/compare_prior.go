package verdictcmd

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// priorHint says what --prior of compare takes.
const priorHint = "such as --prior 1,1, --prior 93/100 or --prior earlier.jsonl"

// checkPrior refuses a prior where it has no meaning. It stands beside a verdict on rates, and beside no other.
func (f *compareFlags) checkPrior(flags *pflag.FlagSet, files []string) error {
	switch {
	case !base.Typed(flags, "prior"):
		return nil
	case f.prior == judging.StablePrior || f.prior == judging.WorstPrior:
		return problem.Usage(priorHint, "--prior %s shapes sequential designs, and a comparison has none", f.prior)
	case f.rule.Value == compare.BayesRule:
		return problem.Usage("leave one of them out",
			"--prior stands beside a verdict, and --rule bayes decides under uniform priors")
	case f.behaviour.only:
		return problem.Usage("leave one of them out", "--prior is of pass rates, and --behaviour-only compares none")
	}
	for _, file := range files {
		if evidence.SameFile(file, f.prior) {
			return problem.Usage("name earlier trials", "--prior names %s, whose trials would count twice", prose.FileName(file))
		}
	}
	return nil
}

// priors reads the priors; nil where none are asked for. A variable may hold a prior for sequential designs, which is
// for other commands.
func (f *compareFlags) priors(ctx context.Context, a *world.World, flags *pflag.FlagSet) (*compare.Priors, error) {
	text, isBeta := strings.CutPrefix(f.prior, judging.BetaPrior)
	if text == "" || !base.Typed(flags, "prior") && (isBeta || text == judging.StablePrior || text == judging.WorstPrior) {
		return nil, nil
	}
	if isBeta || isPair(text) {
		x, y, err := judging.ParsePair(text)
		prior := stats.BetaPrior{A: x, B: y}
		if err != nil || prior.Validate() != nil {
			return nil, problem.Usage(priorHint, "%s %q must be two numbers between 0.05 and a million",
				base.Origin(flags, "prior"), f.prior)
		}
		return &compare.Priors{Baseline: prior, Candidate: prior}, nil
	}
	// Earlier trials are those of the baseline; of the candidate nothing is known.
	from := evidence.Recordings{App: a, Named: base.Origins(flags), Reading: &f.evidence, Variant: f.sides[0].variant}
	h, err := from.Counts(ctx, "prior", text)
	if err != nil {
		return nil, err
	}
	counts := h.Counts
	p := &compare.Priors{
		Baseline:  stats.BetaPrior{A: 1 + float64(counts.Passes), B: 1 + float64(counts.Fails())},
		Candidate: stats.BetaPrior{A: 1, B: 1}, Source: text,
	}
	if !evidence.IsRatio(text) {
		p.Source = prose.FileName(text)
	}
	if p.Baseline.Validate() != nil {
		return nil, problem.BadInput("the prior has more trials than a prior may weigh", "name fewer trials")
	}
	return p, nil
}

// isPair reports whether a text is meant for two numbers, and not for a file.
func isPair(text string) bool {
	return strings.Contains(text, ",") && strings.Trim(text, "0123456789.,+-eE ") == ""
}
