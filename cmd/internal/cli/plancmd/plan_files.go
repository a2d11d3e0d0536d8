package plancmd

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// files returns where the result and the drawing go. Neither may be the other or an input.
// Only what is the name of a file can be overwritten: K/N and the words of a prior are
// none.
func (f *planFlags) files(
	ctx context.Context, a *world.World, flags *pflag.FlagSet,
) (to, drawing *outfile.File, err error) {
	var inputs []string
	if f.againstBaseline(flags) && !evidence.IsRatio(f.against.Baseline) {
		inputs = append(inputs, f.against.Baseline)
	}
	if p := f.design.Prior; p != judging.StablePrior && p != judging.WorstPrior && !strings.HasPrefix(p,
		judging.BetaPrior) && !evidence.IsRatio(p) {
		inputs = append(inputs, p)
	}
	// The same recording may be the baseline and the prior; standard input cannot be read
	// twice.
	if err := evidence.CheckNames(inputs, true); err != nil {
		return nil, nil, err
	}
	if to, err = f.result.File(ctx, a, inputs); err != nil || f.chart == "" || f.chart == "-" {
		return to, nil, err
	}
	drawing, err = deliver.ChartFile(base.Origin(flags, "chart"), flags.Name(), f.chart, append(inputs,
		f.result.Reports.Paths()...), to)
	return to, drawing, err
}
