package watching

import (
	"context"
	"fmt"
	"os/user"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/monitor"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// accept takes what a stream has become for its new baseline, in the state alone.
func (r *Request) accept(ctx context.Context, a *world.World) error {
	to, err := outfile.New("--state", r.State)
	if err != nil {
		return err
	}
	if !to.Exists {
		return problem.BadInput("--state "+r.State+" is not there", "monitor --state writes it")
	}
	unlock, err := lockState(to.Path)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := readState(ctx, to.Path)
	if err != nil {
		return err
	}
	accepted := monitor.Acceptance{Stream: r.Accept, At: a.Now().UTC(), By: whoAsks(a), Reason: r.Reason}
	if r.Baseline != "" {
		counts, err := evidence.ParseRatio(r.Given.Origin("baseline"), r.Baseline)
		if err != nil {
			return err
		}
		accepted.Baseline = &monitor.Counts{Passes: counts.Passes, Trials: counts.Trials}
	}
	m, err := monitor.Stored(s.Monitor)
	if err != nil {
		return problem.BadInput("--state "+r.State+" cannot be used: "+err.Error(), "")
	}
	if err := m.Accept(accepted); err != nil {
		return err
	}
	w := &watch{Request: *r, app: a, monitor: m, file: to, dirty: true, input: s.Input.again(), traces: s.Traces}
	if err := w.save(ctx); err != nil {
		return err
	}
	text := "accepted " + prose.Printable(r.Accept)
	if list := m.Status().Accepted; len(list) > 0 && list[len(list)-1].Baseline != nil {
		c := list[len(list)-1].Baseline
		text += fmt.Sprintf(": its baseline is %d/%d", c.Passes, c.Trials)
	}
	if _, err := fmt.Fprintln(a.Out, text); err != nil {
		return err
	}
	if len(m.Alarms()) > 0 {
		return problem.VerdictError(exit.Fail)
	}
	return problem.VerdictError(exit.Pass)
}

// whoAsks is the name of the user; "" where the system does not say.
func whoAsks(a *world.World) string {
	if name := a.Env.Get("USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}
