package inspecting

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// FingerprintRequest asks for the vectors of recorded trials.
type FingerprintRequest struct {
	Files    []string // one, or a baseline and a candidate
	Reading  evidence.ReadOptions
	Variants [2]string // by side; "" is the only one of the file
	CSV      bool      // which is the default of a file
	Chart    string    // an SVG file; "" draws nothing
	Pooled   bool      // one scenario for all, so that trials which are the only ones of theirs can be drawn
	Nearest  bool      // the first file is a recording, the others are versions: which is it most like?
	Seed     uint64
	Result   deliver.Target // where the vectors go; the forms are CSV and JSON

	Given value.GivenOptions // the options that were given
}

// sideNames are what the sides of a comparison are called.
var sideNames = [2]string{"baseline", "candidate"}

// check refuses options and files that do not go together.
func (r *FingerprintRequest) check() error {
	switch {
	case len(r.Files) == 0:
		return problem.Usage("name one file, or a baseline and a candidate", "there are no trials to print")
	case r.Nearest && (len(r.Files) < 3 || r.Chart != "" || r.Given.Typed("csv") || r.Variants != [2]string{}):
		return problem.Usage("such as tribunal compare fingerprint new.jsonl v1.jsonl v2.jsonl --nearest",
			"--nearest takes a recording and at least two versions, and neither a chart, CSV nor variants")
	case len(r.Files) > 2 && !r.Nearest:
		return problem.Usage("name a folder for each side, or join its files with tribunal import first",
			"compare fingerprint takes a baseline and a candidate, but there are %d files", len(r.Files))
	case len(r.Files) == 1 && r.Given.Typed("candidate-variant"):
		return problem.Usage("name the file twice, or omit the flag",
			"--candidate-variant needs a second file, and there is only %s", r.Files[0])
	case r.CSV && r.Result.JSON && r.Given.Typed("csv") == r.Given.Typed("json"):
		return problem.Usage("omit one of them", "%s and %s both say what to print", r.Given.Origin("csv"),
			r.Given.Origin("json"))
	case r.Chart == "" && !r.Nearest && r.Given.Typed("pooled"):
		return problem.Usage("omit it", "--pooled is for --chart and --nearest")
	case r.Chart == "" && !r.Nearest && r.Given.Typed("seed"):
		return problem.Usage("omit it", "--seed is for --chart and --nearest")
	}
	r.Result.JSON = r.Result.JSON && !r.Given.Typed("csv") // a flag wins over a variable
	return evidence.CheckNames(r.Files, true)
}

// Fingerprint prints how each trial behaved. It reads both sides whole before it writes: the columns of the table
// are those of both together.
func Fingerprint(ctx context.Context, a *world.World, r FingerprintRequest) error {
	if err := r.check(); err != nil {
		return err
	}
	to, err := r.Result.Open(ctx, a, r.Files, &r.Reading)
	if err != nil {
		return err
	}
	var drawing *outfile.File
	if r.Chart != "" {
		if drawing, err = deliver.ChartFile(r.Given.Origin("chart"), "fingerprint", r.Chart, r.Files, to); err != nil {
			return err
		}
		if err := evidence.Spared(r.Given.Origin("chart"), drawing, r.Files, r.Reading.EveryFile()); err != nil {
			return err
		}
	}
	var table behaviourTable
	for i, file := range r.Files {
		side, err := r.read(ctx, a, file, i)
		if err != nil {
			return err
		}
		table = append(table, side)
	}
	if r.Nearest {
		return r.tellNearest(ctx, a, to, table)
	}
	if drawing != nil {
		if err := r.draw(ctx, a, drawing, table); err != nil {
			return err
		}
	}
	if !r.Result.JSON && (r.CSV || r.Result.Output != "") {
		return a.Deliver(ctx, to, table.writeCSV)
	}
	return r.Result.Show(ctx, a, to, table.means())
}

// read reads the trials of one side.
func (r *FingerprintRequest) read(ctx context.Context, a *world.World, file string, i int) (*behaviourSide, error) {
	i = min(i, 1) // versions beyond the first are read as it is
	side := &behaviourSide{name: sideNames[i], file: prose.FileName(file)}
	options := r.Reading.Options(r.Variants[i], trial.BasicFields|trial.StepFields|trial.ContentFields)
	options.Unjudged = true
	if err := evidence.Read(ctx, a, []string{file}, options, evidence.Kept, side.add); err != nil {
		return nil, evidence.Naming(sideNames[i]+"-variant", err)
	}
	// Such trials broke off, and their number of steps or tokens is not what they would
	// have had.
	switch lost := side.sample.Errors(); {
	case side.sample.Len() == 0:
		return nil, problem.BadInput(side.file+" holds no trial that did not end in an error",
			"such trials were cut off at some point and say nothing about behaviour")
	case lost > 0:
		a.Notice("warning", "%s: trials that ended in an error are left out, %d of %d", side.file, lost,
			lost+side.sample.Len())
	}
	return side, nil
}
