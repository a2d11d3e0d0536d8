package judging

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// checkAnytime refuses what has no meaning for evidence at any time: it has one way to decide,
// and compares outcomes alone.
func (r *CompareRequest) checkAnytime(ctx context.Context) error {
	if !r.Anytime {
		return nil
	}
	for _, name := range []string{"test", "rule", "correct", "interval", "by", "behaviour-only", "behaviour-test",
		"components", "prior", "fail-on", "seed", "looks"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit one of them",
				"--%s does not go with --anytime, which decides by evidence over pairs", name)
		}
	}
	if len(r.Files) == 0 {
		return problem.Usage("name two recordings", "--anytime needs trials in their order, and counts have none")
	}
	if r.hasResult(ctx) {
		return problem.Usage("name the journals, or recordings",
			"--anytime needs trials, and a saved result has what they came to")
	}
	return nil
}

// judgeAnytime compares by evidence that holds however the trials were stopped.
func (r *CompareRequest) judgeAnytime(
	ctx context.Context, a *world.World, to *outfile.File, both [2]*sideEvidence,
) error {
	if err := refuseUnrun(both[1].recording, r.Errors, "omit --anytime"); err != nil {
		return err
	}
	result, err := compare.JudgeAnytime(both[0].recording, both[1].recording, compare.AnytimeOptions{
		Delta: r.Delta,
		Alpha: r.Looks.Share(r.Alpha), Beta: r.Looks.Share(r.Beta),
		Errors: r.Errors, Missing: r.Missing,
	})
	if err != nil {
		return err
	}
	result.Repeat(both[0].answers.Notable(), both[1].answers.Notable())
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	return r.Result.Conclude(ctx, a, to, result)
}
