package inspecting

import (
	"context"
	"io"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/report/chart"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// CoverageRequest asks what recorded trials have tried of an agent.
type CoverageRequest struct {
	Files     []string // of trials, at least one
	Reading   evidence.ReadOptions
	Variant   string                  // "" is all of them
	Suite     string                  // "" is the one that is found from the working directory upwards, or none
	Tools     string                  // a list of tools in place of that of the suite; "" is that of the suite
	Minimum   trial.Optional[float64] // 0 asks that coverage is measured at all
	Calibrate bool                    // λ is fitted to the trials, and no minimum is compared
	Chart     string                  // an SVG file; "" draws nothing
	Result    deliver.Target

	Given value.GivenOptions // the options that were given
}

// Coverage measures how much recorded trials have tried. It looks at all files that will be written before it reads
// the first trial.
func Coverage(ctx context.Context, a *world.World, r CoverageRequest) error {
	if len(r.Files) == 0 {
		return problem.Usage("such as tribunal check coverage trials.jsonl --tools tools.json",
			"there are no trials to measure: no file is named")
	}
	if err := evidence.CheckNames(r.Files, r.Reading.Duplicates); err != nil {
		return err
	}
	if r.Calibrate && r.Given.Typed("minimum") {
		return problem.Usage("declare the lambda that is fitted, and measure other trials by it",
			"--minimum does not go with --calibrate-lambda, which measures states by themselves")
	}
	declared, read, err := r.declared(a)
	if err != nil {
		return err
	}
	to, drawing, err := r.files(ctx, a, append(read, r.Files...))
	if err != nil {
		return err
	}
	if err := r.Result.Spared(r.Given.Origin("output"), to, r.Files, r.Reading.EveryFile()); err != nil {
		return err
	}
	if err := evidence.Spared(r.Given.Origin("chart"), drawing, r.Files, r.Reading.EveryFile()); err != nil {
		return err
	}
	collector, err := coverage.NewCollector(declared)
	if err != nil {
		return problem.BadInput(err.Error(), "compare what the suite declares with the list of tools")
	}
	// Also unjudged trials have called tools.
	options := r.Reading.Options(r.Variant, trial.BasicFields|trial.StepFields|trial.ContentFields)
	options.Unjudged = true
	// As one stream, so that a trial that is recorded twice does not count twice.
	options.VariantEachFile = true
	if err := evidence.Read(ctx, a, r.Files, options, evidence.Counted, collector.Add); err != nil {
		return evidence.Naming("variant", err)
	}
	result := collector.Measure()
	// The drawing comes first: when the result is printed, everything is done.
	if drawing != nil {
		draw := func(w io.Writer) error { return chart.CoverageRadar(w, result) }
		if err := a.Deliver(ctx, drawing, draw); err != nil {
			return err
		}
	}
	// The result is written in any case: a minimum that is missed is when it is wanted
	// most.
	err = r.Result.Deliver(ctx, a, to, (*verdict.Coverage)(result))
	if err == nil && result.Met != nil && !*result.Met {
		return problem.VerdictError(exit.Fail)
	}
	return err
}

// declared returns what there is to cover, by the suite and the options, and the files that
// say so. The options win over the suite. The names of the files are returned so that no
// output overwrites one of them.
func (r *CoverageRequest) declared(a *world.World) (d coverage.Declaration, read []string, err error) {
	s, err := r.load(a)
	if err != nil {
		return d, nil, err
	}
	if s != nil {
		read = append(read, s.File)
		if r.Tools != "" { // which then need not be read
			s.Coverage.ToolsFile, s.Coverage.Tools = "", nil
		}
		// This reads the list of tools that the suite names.
		if d, err = s.Declared(); err != nil {
			return d, nil, err
		}
		if s.Coverage.ToolsFile != "" {
			read = append(read, s.Resolve(s.Coverage.ToolsFile))
		}
		if s.Coverage.GraphFile != "" {
			read = append(read, s.Resolve(s.Coverage.GraphFile))
		}
	}
	if r.Tools != "" {
		list, err := coverage.LoadTools(r.Tools)
		if err != nil {
			return d, nil, err
		}
		d.Use(list)
		read = append(read, r.Tools)
	}
	if r.Minimum.Known {
		d.Minimum = r.Minimum
	}
	// States that are measured by themselves reach any number that a person may choose, or none.
	if r.Calibrate {
		d.FitLambda, d.Minimum = true, trial.Optional[float64]{}
	}
	return d, read, nil
}

// load reads the suite that is named, or found; nil is none. Without a suite nothing is
// declared but by --tools.
func (r *CoverageRequest) load(a *world.World) (*suite.Suite, error) {
	if r.Suite != "" {
		return suitefile.Load(a, []string{r.Suite})
	}
	return suitefile.FindSuite(a)
}

// files returns where the result and the drawing go. Neither may be the other or an input.
// A drawing that was not asked for is nil, as is a result for standard output.
func (r *CoverageRequest) files(
	ctx context.Context, a *world.World, inputs []string,
) (to, drawing *outfile.File, err error) {
	if to, err = r.Result.File(ctx, a, inputs); err != nil || r.Chart == "" {
		return to, nil, err
	}
	drawing, err = deliver.ChartFile(r.Given.Origin("chart"), "coverage", r.Chart, inputs, to)
	for _, file := range r.Result.Reports.List {
		if err == nil && file.To.Path == drawing.Path {
			err = problem.Usage("choose another name", "%s and --report name the same file", r.Given.Origin("chart"))
		}
	}
	return to, drawing, err
}
