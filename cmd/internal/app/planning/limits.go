package planning

import (
	"context"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/proposal"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/trial"
)

// LimitsRequest asks what a trial may take.
type LimitsRequest struct {
	Files   []string // of trials, at least one
	Reading evidence.ReadOptions
	Variant string // whose trials are taken; "" is all of them
	// The share of trials that are to keep each limit, and the confidence with which they do, both between 0 and 1.
	Share, Confidence float64
}

// Limits are limits with what they promise.
type Limits struct {
	proposal.Limits
	Promise proposal.Options
}

// ProposeLimits takes limits from recorded trials that did not fail. What a trial may take is for a person to say, so
// that nothing is written into a suite.
func ProposeLimits(ctx context.Context, w *world.World, r LimitsRequest) (*Limits, error) {
	if err := r.Reading.Pricing.Load(nil); err != nil {
		return nil, err
	}
	// A log that states no outcome still tells what a trial took.
	o := r.Reading.Options(r.Variant, trial.BasicFields|trial.StepFields)
	o.Unjudged, o.VariantEachFile = true, true
	found := &Limits{Promise: proposal.Options{
		Share: r.Share, Confidence: r.Confidence, From: strings.Join(r.Files, ", "),
	}}
	var guessed evidence.Estimates
	if err := evidence.Read(ctx, w, r.Files, o, evidence.Counted, func(t *trial.Trial) {
		found.Add(t)
		guessed.Add(t)
	}); err != nil {
		return nil, err
	}
	guessed.Warn(w)
	return found, nil
}
