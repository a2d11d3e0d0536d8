package cli

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/monitor"
	"github.com/tribunal-dev/tribunal/store"
	"github.com/tribunal-dev/tribunal/verdict/named"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// readBaseline reads the trials of the baseline, or takes its counts.
func (f *monitorFlags) readBaseline(
	ctx context.Context, a *App, flags *pflag.FlagSet, o monitor.Options,
) (b monitor.Baseline, err error) {
	switch {
	case f.baseline == "":
		return b, nil
	case isRatio(f.baseline):
		if b.Counts, err = parseRatio(flags, "baseline", f.baseline); err == nil && b.Counts.Passes == 0 {
			err = usage("give one of which some passed", "--baseline %s leaves no pass rate to fall from", f.baseline)
		}
		return b, err
	case isResult(ctx, f.baseline):
		return b, badInput(f.baseline+" is a saved result, and says nothing of single trials",
			"name the recording of its trials")
	}
	if found, err := a.baselines(flags, nil, nil).find(ctx, f.baseline); err != nil || found != nil {
		return takeNamed(ctx, a, flags, o, found, err)
	}
	stream, trials := a.open(ctx, []string{f.baseline}, f.readOptions(flags), counted)
	for t, err := range trials {
		if err != nil {
			return b, naming("variant", err)
		}
		b.Take(o, t)
	}
	from := recordings{app: a, flags: flags, evidence: &f.evidence, variant: f.variant}
	err = from.refuseStopped(stream.Notes(), f.baseline)
	if stopped, ok := errors.AsType[*recording.StoppedError](err); ok {
		stopped.Advice = "a limit of its rate needs a number of trials that was fixed: tribunal run --record 200 has one"
	}
	return b, err
}

// takeNamed takes the trials of the runs of a name, with their numbers and traces. They were judged when they ran, and
// are of one baseline whatever their versions are. An error of finding it is returned.
func takeNamed(
	ctx context.Context, a *App, flags *pflag.FlagSet, o monitor.Options, of *named.Baseline, err error,
) (b monitor.Baseline, _ error) {
	if err != nil {
		return b, err
	}
	s, err := a.storeOf(flags).required(ctx, a, nil, true)
	if err != nil {
		return b, err
	}
	defer s.Close()
	var stops []recording.Stop
	for _, run := range of.Runs {
		q := store.Query{Run: run.ID}
		for t, err := range s.Trials(ctx, q, 0) {
			if err != nil {
				return b, err
			}
			b.Take(o, t)
		}
		list, err := s.Stops(ctx, q)
		if err != nil {
			return b, err
		}
		stops = append(stops, list...)
	}
	if stopped := recording.StoppedOf(stops); stopped != nil {
		return b, &recording.StoppedError{Name: "the baseline " + of.Name, Stopped: stopped,
			Advice: "a limit of its rate needs numbers of trials that were fixed: tribunal baseline record makes such a run"}
	}
	finished := of.Finished()
	a.notice("note", "%s", againstNamed(of.Name, of, finished))
	a.warnOfAge(of.Name, of, finished)
	return b, nil
}
