package watching

import (
	"context"
	"errors"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
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
func (r *Request) readBaseline(ctx context.Context, a *world.World) (b monitor.Baseline, err error) {
	switch {
	case r.Baseline == "":
		return b, nil
	case evidence.IsRatio(r.Baseline):
		if b.Counts, err = evidence.ParseRatio(r.Given.Origin("baseline"), r.Baseline); err == nil &&
			b.Counts.Passes == 0 {
			err = problem.Usage("give one of which some passed", "--baseline %s leaves no pass rate to fall from", r.Baseline)
		}
		return b, err
	case app.IsResult(ctx, r.Baseline):
		return b, problem.BadInput(r.Baseline+" is a saved result, and says nothing of single trials",
			"name the recording of its trials")
	}
	if found, err := suitefile.NewBaselines(a, r.Reading.Store, nil, nil).Find(ctx, r.Baseline); err != nil ||
		found != nil {
		return r.takeNamed(ctx, a, found, err)
	}
	if evidence.IsRate(r.Baseline) {
		return b, problem.Usage("such as 90/100", "%s %q must be passes/trials, a file or the name of a baseline",
			r.Given.Origin("baseline"), r.Baseline)
	}
	stream, trials := evidence.Open(ctx, a, []string{r.Baseline}, r.reading(), evidence.Counted)
	for t, err := range trials {
		if err != nil {
			return b, evidence.Naming("variant", err)
		}
		b.Take(r.Options, t)
	}
	from := evidence.Recordings{App: a, Named: r.Given.Origin, Reading: &r.Reading, Variant: r.Variant}
	err = from.RefuseStopped(ctx, stream.Notes(), r.Baseline)
	if stopped, ok := errors.AsType[*recording.StoppedError](err); ok {
		stopped.Advice = "a limit of its rate needs a number of trials that was fixed: tribunal run --record 200 has one"
	}
	return b, err
}

// takeNamed takes the trials of the runs of a name, with their numbers and traces. They were judged when they ran, and
// are of one baseline whatever their versions are. An error of finding it is returned.
func (r *Request) takeNamed(
	ctx context.Context, a *world.World, saved *runs.Baseline, err error,
) (b monitor.Baseline, _ error) {
	if err != nil {
		return b, err
	}
	s, err := r.Reading.Store.Required(ctx, a, nil, true)
	if err != nil {
		return b, err
	}
	defer s.Close()
	var stops []recording.Stop
	for _, run := range saved.Runs {
		q := store.Query{Run: run.ID}
		for t, err := range s.Trials(ctx, q, 0) {
			if err != nil {
				return b, err
			}
			b.Take(r.Options, t)
		}
		list, err := s.Stops(ctx, q)
		if err != nil {
			return b, err
		}
		stops = append(stops, list...)
	}
	if stopped := recording.StoppedOf(stops); stopped != nil {
		return b, &recording.StoppedError{Name: "the baseline " + saved.Name, Stopped: stopped,
			Advice: "a limit of its rate needs numbers of trials that were fixed: tribunal store baseline record makes " +
				"such a run"}
	}
	finished := saved.Finished()
	a.Notice("note", "%s", suitefile.AgainstNamed(saved.Name, saved, finished))
	suitefile.WarnOfAge(a, saved.Name, saved, finished)
	return b, nil
}
