package improving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/ratchet"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// LoopRequest asks for a loop of attempts, which its file describes.
type LoopRequest struct {
	File          string                  // or its folder; "" is the one here
	Attempts      int                     // 0 is as many as the file says
	MaxCost       trial.Optional[float64] // USD
	Resume, Fresh bool                    // at most one of them
	ShowPrompt    int                     // the attempt whose prompts are printed, and nothing is run; 0 runs the loop
	Output        string                  // file of the saved result; "" is the usual one beside the file
	Result        deliver.Target
	Given         value.GivenOptions // for messages
}

// config reads the file of the loop.
func (r *LoopRequest) config(ctx context.Context) (*ratchet.Config, error) {
	c, err := ratchet.Load(ctx, cmp.Or(r.File, ratchet.FileName))
	if err != nil {
		return nil, err
	}
	if r.Attempts > 0 {
		c.Attempts = r.Attempts
	}
	if r.MaxCost.Known {
		c.MaxCost = r.MaxCost.Value
	}
	return c, nil
}

// Loop runs the loop, and prints what came of it.
func Loop(ctx context.Context, a *world.World, r LoopRequest) error {
	switch {
	case r.Resume && r.Fresh:
		return problem.Usage("omit one of them", "--resume continues a loop; --fresh starts a new one")
	case r.MaxCost.Known && r.MaxCost.Value == 0:
		return problem.Usage("omit it for that of the file", "%s 0 ends a loop before its first attempt",
			r.Given.Origin("max-cost"))
	}
	c, err := r.config(ctx)
	if err != nil {
		return err
	}
	if r.ShowPrompt > 0 {
		return r.showPrompt(ctx, a, c)
	}
	if err := outfile.WorkFolder(filepath.Join(c.Dir(), ".tribunal")); err != nil {
		return err
	}
	to, err := deliver.NewSaved(r.Given.Origin("output"), cmp.Or(r.Output, usualResult(c)))
	if err != nil {
		return err
	}
	if err := r.Result.Reports.Open(to.Path); err != nil {
		return err
	}
	result, err := r.loop(ctx, a, c)
	if err != nil {
		return err
	}
	if result.Stop == improvement.Interrupted {
		a.Notice("note", "the files of the current version are on disk; continue with: %s",
			running.Resumption(a.Args))
	}
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	if err := a.Deliver(context.WithoutCancel(ctx), to,
		func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		return err
	}
	a.Notice("note", "the result is in %s", to.Path)
	return r.Result.Conclude(context.WithoutCancel(ctx), a, nil, result)
}

// usualResult is the file of the result of a loop.
func usualResult(c *ratchet.Config) string {
	return filepath.Join(c.Dir(), ".tribunal", resultName(c.Name)+".ratchet.json")
}

// resultName is the name of a loop as one of a file.
func resultName(name string) string { return running.NotInNames().ReplaceAllString(name, "-") }

// loop runs it, while the command tends its programs.
func (r *LoopRequest) loop(
	ctx context.Context, a *world.World, c *ratchet.Config,
) (result *improvement.Result, err error) {
	done := session.Of(ctx).Tend()
	defer done()
	l, err := ratchet.Open(ctx, c, ratchet.Options{
		Resume: r.Resume, Fresh: r.Fresh, Version: a.Version, Now: a.Now,
		Told: func(text string) { a.Notice("note", "%s", prose.Printable(text)) },
	})
	if err != nil {
		return nil, ratchetProblem(err)
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	result, err = l.Run(ctx)
	return result, ratchetProblem(err)
}

// showPrompt prints what the journal has of an attempt.
func (r *LoopRequest) showPrompt(ctx context.Context, a *world.World, c *ratchet.Config) error {
	prompts, err := c.Prompts(r.ShowPrompt)
	if err != nil {
		return ratchetProblem(err)
	}
	if len(prompts) == 0 {
		return problem.BadInput(fmt.Sprintf("attempt %d of the loop was not begun", r.ShowPrompt),
			"tribunal improve ratchet status shows those that were")
	}
	return a.Deliver(ctx, nil, func(w io.Writer) error {
		for _, p := range prompts {
			if _, err := fmt.Fprintf(w, "=== %s\n", p.Stage); err != nil {
				return err
			}
			// Others wrote most of it: tests, and what they print.
			for line := range strings.Lines(p.Text) {
				line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
				if _, err := fmt.Fprintln(w, prose.Printable(line)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// ratchetProblem says what to do about an error of a loop.
func ratchetProblem(err error) error {
	hints := []struct {
		err  error
		hint string
	}{
		{ratchet.ErrBegun, "--resume continues it where it has not ended, and --fresh starts again from what lies there"},
		{ratchet.ErrNoLoop, "tribunal improve ratchet run, without --resume, begins one"},
		{ratchet.ErrChanged, "undo the change of the file, or start again from what lies there with --fresh"},
		{ratchet.ErrSessionBegun,
			"tribunal improve ratchet try continues it; --fresh starts another, with the whole level again"},
		{ratchet.ErrNoSession, "tribunal improve ratchet init begins one"},
		{ratchet.ErrOtherTask,
			"undo the change of the suite, or begin another session with tribunal improve ratchet init --fresh"},
		{ratchet.ErrFinalOpened,
			"a final set may be analysed only once; tribunal improve ratchet init --fresh --seed N splits the scenarios again"},
		{ratchet.ErrNoFinal, "a suite of five scenarios or more has one"},
	}
	for _, h := range hints {
		if errors.Is(err, h.err) {
			return problem.BadInput(err.Error(), h.hint)
		}
	}
	return err
}
