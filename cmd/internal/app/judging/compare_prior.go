package judging

import (
	"context"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// priorHint says what --prior of compare takes.
const priorHint = "such as --prior 1,1, --prior 93/100 or --prior earlier.jsonl"

// checkPrior refuses a prior where it has no meaning. It is of pass rates, and of nothing else.
func (r *CompareRequest) checkPrior() error {
	switch {
	case !r.Given.Typed("prior"):
		return nil
	case r.Prior == StablePrior || r.Prior == WorstPrior:
		return problem.Usage(priorHint, "--prior %s shapes sequential designs, and a comparison has none", r.Prior)
	case r.Behaviour.Only:
		return problem.Usage("omit one of them", "--prior is of pass rates, and --behaviour-only compares none")
	}
	for _, file := range r.Files {
		if evidence.SameFile(file, r.Prior) {
			return problem.Usage("name earlier trials", "--prior names %s, whose trials would count twice", prose.FileName(file))
		}
	}
	return nil
}

// priors reads the priors; nil where none are asked for. A variable may hold a prior for sequential designs, which is
// for other commands.
func (r *CompareRequest) priors(ctx context.Context, a *world.World) (*compare.Priors, error) {
	text, isBeta := strings.CutPrefix(r.Prior, BetaPrior)
	if text == "" || !r.Given.Typed("prior") && (isBeta || text == StablePrior || text == WorstPrior) {
		return nil, nil
	}
	if isBeta || isPair(text) {
		x, y, err := ParsePair(text)
		prior := stats.BetaPrior{A: x, B: y}
		if err != nil || prior.Validate() != nil {
			return nil, problem.Usage(priorHint, "%s %q must be two numbers between 0.05 and a million",
				r.Given.Origin("prior"), r.Prior)
		}
		return &compare.Priors{Baseline: prior, Candidate: prior}, nil
	}
	// Earlier trials are those of the baseline; of the candidate nothing is known.
	from := evidence.Recordings{App: a, Named: r.Given.Origin, Reading: &r.Reading, Variant: r.Sides[0].Variant}
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
