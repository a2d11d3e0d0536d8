package cli

import (
	"context"
	"strings"

	"github.com/spf13/pflag"
)

// files returns where the result and the drawing go. Neither may be the other or an input.
// Only what is the name of a file can be overwritten: K/N and the words of a prior are
// none.
func (f *planFlags) files(ctx context.Context, a *App, flags *pflag.FlagSet) (to, drawing *outputFile, err error) {
	var inputs []string
	if f.againstBaseline(flags) && !isRatio(f.against.baseline) {
		inputs = append(inputs, f.against.baseline)
	}
	if p := f.design.prior; p != stablePrior && p != worstPrior && !strings.HasPrefix(p, betaPrior) && !isRatio(p) {
		inputs = append(inputs, p)
	}
	// The same recording may be the baseline and the prior; standard input cannot be read
	// twice.
	if err := checkNames(inputs, true); err != nil {
		return nil, nil, err
	}
	if to, err = f.result.file(ctx, a, inputs); err != nil || f.chart == "" || f.chart == "-" {
		return to, nil, err
	}
	drawing, err = chartFile(flags, f.chart, append(inputs, f.result.reports.paths()...), to)
	return to, drawing, err
}
