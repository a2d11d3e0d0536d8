package evidence

import (
	"context"
	"errors"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// MatchFiles reads a target's and a proxy's recording, each of a variant of its file, and matches their trials.
func MatchFiles(
	ctx context.Context, a *world.World, r *ReadOptions, files, variants [2]string,
) (*proxy.MatchedTrials, error) {
	var both [2]*recording.Recording
	for i, file := range files {
		both[i] = &recording.Recording{Name: prose.FileName(file)}
		o := r.Options(variants[i], trial.BasicFields|trial.StepFields|trial.UnknownFields)
		if err := ReadRecording(ctx, a, []string{file}, o, both[i]); err != nil {
			return nil, err
		}
	}
	matched, err := proxy.Match(both[0], both[1])
	if err != nil {
		return nil, ProxyError(err)
	}
	return matched, nil
}

// ProxyError puts a hint to what cannot be used.
func ProxyError(err error) error {
	for _, known := range []struct {
		err  error
		hint string
	}{
		{proxy.ErrNoNumber, "--trial-from order numbers them as they come"},
		{proxy.ErrTwice, "a pair needs one trial a number; --trial-from order numbers them as they come"},
		{proxy.ErrNoPairs, "let the proxy try the same scenarios, and number the trials of both alike"},
		{proxy.ErrErrors, "find the cause, and run those trials again"},
		{proxy.ErrUnpaired, "let the proxy try them too, or omit them"},
		{proxy.ErrStopped, "record a fixed number of trials, as run --record does"},
		{proxy.ErrApart, "let both sides try the same scenarios"},
		{controlvariate.ErrTooFewPairs, "or one pair of each scenario on both sides: the scenarios are then a sample"},
	} {
		if errors.Is(err, known.err) {
			return problem.BadInput(err.Error(), known.hint)
		}
	}
	if errors.Is(err, proxy.ErrNoPrice) {
		return problem.Usage("say it with --price and --proxy-price", "%s", err)
	}
	return err
}
