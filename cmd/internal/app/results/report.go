package results

import (
	"context"
	"errors"
	"io"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/verdict"
)

// ReportRequest asks for a saved result in another form.
type ReportRequest struct {
	Result            string // file, - or store:QUERY
	Format            report.Format
	InconclusiveFails bool // in JUnit XML, where it is skipped else
	To                deliver.Target
}

// Report writes the result in the format, once it was judged again.
func Report(ctx context.Context, a *world.World, r ReportRequest) error {
	result, err := app.ReadResult(ctx, r.Result, a.Stdin)
	if err != nil {
		return err
	}
	if err := verified(ctx, a, r.Result, result); err != nil {
		return err
	}
	to, err := r.To.File(ctx, a, []string{r.Result})
	if err != nil {
		return err
	}
	o := r.To.TextOptions(a, to)
	o.InconclusiveFails = r.InconclusiveFails
	return a.Deliver(ctx, to, func(w io.Writer) error { return report.Write(w, result, r.Format, o) })
}

// verified refuses a result that does not follow from its own outcomes. Of one that holds none it says so.
func verified(ctx context.Context, a *world.World, name string, result verdict.Result) error {
	_, err := app.Verify(ctx, name, result)
	if err != nil && ctx.Err() == nil && errors.Is(err, verdict.ErrNoOutcomes) {
		wrong, _ := problem.Explain(err)
		a.Notice("note", "not verified: %s", wrong)
		return nil
	}
	return err
}
