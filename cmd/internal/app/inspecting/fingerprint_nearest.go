package inspecting

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
)

// nearestDocument is the JSON of --nearest.
type nearestDocument struct {
	Schema    string   `json:"schema"`
	Recording string   `json:"recording"`
	Files     []string `json:"files"` // of the versions, in their order
	*fingerprint.Resemblance
}

// tellNearest says which version the first side behaves most like.
func (r *FingerprintRequest) tellNearest(
	ctx context.Context, a *world.World, to *outfile.File, table behaviourTable,
) error {
	d := nearestDocument{Schema: "tribunal/nearest/v1", Recording: table[0].file}
	var versions []*fingerprint.Sample
	for _, side := range table[1:] {
		versions, d.Files = append(versions, &side.sample), append(d.Files, side.file)
	}
	var err error
	d.Resemblance, err = fingerprint.Resemble(ctx, &table[0].sample, versions, r.options())
	switch {
	case errors.Is(err, fingerprint.ErrNoSharedScenario), errors.Is(err, fingerprint.ErrTooFewTrials):
		return problem.BadInput(err.Error(), "record the same scenarios of each version, several times")
	case err != nil:
		return err
	}
	return a.Deliver(ctx, to, func(w io.Writer) error {
		if r.Result.JSON {
			return report.JSON(w, d)
		}
		return d.write(w, table[0].sample.Len())
	})
}

// write tells it as text.
func (d *nearestDocument) write(w io.Writer, trials int) error {
	nearest := d.Files[d.Nearest]
	finding := fmt.Sprintf("%s behaves most like %s: no change is shown", d.Recording, nearest)
	if d.Changed {
		finding = fmt.Sprintf("%s behaves like none of the versions: it differs from %s, the nearest", d.Recording, nearest)
	}
	_, err := fmt.Fprintf(w, "%s (p = %.4f, level %g%%)\n", finding, d.P, 100*d.Alpha)
	for i, v := range d.Versions {
		_, next := fmt.Fprintf(w, "  %s: distance %.3f, nearest to %d of %s\n", d.Files[i], v.Distance, v.Trials,
			prose.Count(trials, "trial"))
		err = errors.Join(err, next)
	}
	_, next := fmt.Fprintf(w, "  error: of %s of the versions, each left out in turn, %d %s nearest to another: "+
		"%.3g%% (95%% interval %.3g%% to %.3g%%)\n", prose.Count(d.Tried, "trial"), d.Mistaken,
		prose.Form(d.Mistaken, "is", "are"), 100*float64(d.Mistaken)/float64(d.Tried), 100*d.Interval.Low,
		100*d.Interval.High)
	return errors.Join(err, next)
}
