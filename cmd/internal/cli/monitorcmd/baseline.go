package monitorcmd

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/monitor"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// readBaseline reads the trials of the baseline, or takes its counts.
func (f *monitorFlags) readBaseline(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, o monitor.Options,
) (b monitor.Baseline, err error) {
	switch {
	case f.baseline == "":
		return b, nil
	case evidence.IsRatio(f.baseline):
		if b.Counts, err = evidence.ParseRatio(base.Origin(flags, "baseline"), f.baseline); err == nil &&
			b.Counts.Passes == 0 {
			err = problem.Usage("give one of which some passed", "--baseline %s leaves no pass rate to fall from", f.baseline)
		}
		return b, err
	case evidence.IsResult(ctx, f.baseline):
		return b, problem.BadInput(f.baseline+" is a saved result, and says nothing of single trials",
			"name the recording of its trials")
	}
	if found, err := suitefile.NewBaselines(a, base.StoreOf(a, flags), nil, nil).Find(ctx, f.baseline); err != nil ||
		found != nil {
		return takeNamed(ctx, a, flags, o, found, err)
	}
	stream, trials := evidence.Open(ctx, a, []string{f.baseline}, f.readOptions(flags), evidence.Counted)
	for t, err := range trials {
		if err != nil {
			return b, evidence.Naming("variant", err)
		}
		b.Take(o, t)
	}
	from := evidence.Recordings{App: a, Named: base.Origins(flags), Reading: &f.evidence, Variant: f.variant}
	err = from.RefuseStopped(stream.Notes(), f.baseline)
	if stopped, ok := errors.AsType[*recording.StoppedError](err); ok {
		stopped.Advice = "a limit of its rate needs a number of trials that was fixed: tribunal run --record 200 has one"
	}
	return b, err
}

// takeNamed takes the trials of the runs of a name, with their numbers and traces. They were judged when they ran, and
// are of one baseline whatever their versions are. An error of finding it is returned.
func takeNamed(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, o monitor.Options, of *runs.Baseline, err error,
) (b monitor.Baseline, _ error) {
	if err != nil {
		return b, err
	}
	s, err := base.StoreOf(a, flags).Required(ctx, a, nil, true)
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
	a.Notice("note", "%s", suitefile.AgainstNamed(of.Name, of, finished))
	suitefile.WarnOfAge(a, of.Name, of, finished)
	return b, nil
}
