package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

// files returns where the result and the drawing go. Neither may be the other or
// an input.
func (f *planFlags) files(flags *pflag.FlagSet) (to, drawing *outputFile, err error) {
	var inputs []string
	if f.againstBaseline(flags) && !isRatio(f.baseline) {
		inputs = append(inputs, f.baseline)
	}
	if p := f.design.prior; p != stablePrior && p != worstPrior && !strings.HasPrefix(p, betaPrior) && !isRatio(p) {
		inputs = append(inputs, p)
	}
	if err := checkNames(inputs, true); err != nil {
		return nil, nil, err
	}
	if to, err = f.result.file(inputs); err != nil || f.chart == "" || f.chart == "-" {
		return to, nil, err
	}
	chart := origin(flags, "chart")
	if !strings.EqualFold(filepath.Ext(f.chart), ".svg") {
		return nil, nil, usage("such as plan.svg", "%s %q: the drawing is SVG, and its name must end in .svg", chart, f.chart)
	}
	drawn := resultFlags{output: f.chart}
	if drawing, err = drawn.file(inputs); err != nil {
		return nil, nil, ofFlag(chart, err)
	}
	if to != nil && to.path == drawing.path {
		return nil, nil, usage("choose another name", "%s and --output name the same file", chart)
	}
	return to, drawing, nil
}
