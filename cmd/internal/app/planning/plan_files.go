package planning

import (
	"context"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// files returns where the result and the drawing go. Neither may be the other or an input.
// Only what is the name of a file can be overwritten: K/N and the words of a prior are
// none.
func (r *PlanRequest) files(
	ctx context.Context, a *world.World,
) (to, drawing *outfile.File, err error) {
	var inputs []string
	if r.againstBaseline() && !evidence.IsRatio(r.Against.Baseline) {
		inputs = append(inputs, r.Against.Baseline)
	}
	if p := r.Design.Prior; p != judging.StablePrior && p != judging.WorstPrior && !strings.HasPrefix(p,
		judging.BetaPrior) && !evidence.IsRatio(p) {
		inputs = append(inputs, p)
	}
	// The same recording may be the baseline and the prior; standard input cannot be read
	// twice.
	if err := evidence.CheckNames(inputs, true); err != nil {
		return nil, nil, err
	}
	if to, err = r.Result.File(ctx, a, inputs); err != nil || r.Chart == "" || r.Chart == "-" {
		return to, nil, err
	}
	drawing, err = deliver.ChartFile(r.Given.Origin("chart"), "plan", r.Chart, append(inputs,
		r.Result.Reports.Paths()...), to)
	return to, drawing, err
}
