package judging

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/labels"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// labelledTrials are trials of which a sheet has labels.
type labelledTrials struct {
	file   string
	sheet  *labels.LabelledSheet
	trials labels.Recording
}

// openLabels reads the sheet before the recording: a mistake in it should not cost the reading of that.
func (r *VerdictRequest) openLabels(ctx context.Context) (*labelledTrials, error) {
	sheet, err := evidence.ReadLabels(ctx, r.Labels)
	if err != nil {
		return nil, err
	}
	return &labelledTrials{file: r.Labels, sheet: sheet}, nil
}

// add notes a trial of the recording; nil notes nothing.
func (l *labelledTrials) add(t *trial.Trial) {
	if l != nil {
		l.trials.Add(t)
	}
}

// leftOut is how many trials the judge did not judge; 0 of nil.
func (l *labelledTrials) leftOut() int {
	if l == nil {
		return 0
	}
	return l.trials.LeftOut()
}

// sample is what the labels come to, where the recording is the one that they are of.
func (l *labelledTrials) sample(errors verdict.ErrorPolicy) (*verdict.LabelSample, error) {
	if err := l.sheet.Key.Check(l.file, &l.trials); err != nil {
		return nil, err
	}
	if n := l.trials.Errors(); n > 0 && errors != verdict.ExcludeErrors {
		return nil, problem.BadInput(prose.Count(n,
			"trial")+" ended in an error, and neither the judge nor a label says what they are",
			"run them again and draw a new sheet, or omit them with --errors exclude")
	}
	return &verdict.LabelSample{Sheet: l.sheet.Key.Digest, Sample: l.sheet.Sample()}, nil
}
