package base

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/trial"
)

// Run runs one command of a tree with its arguments, the name of the program left out, and returns the exit code of
// the process. It prints what went wrong on Stderr. A panic becomes [exit.Internal]. When the context ends, it returns
// [exit.Interrupted] or the code of the signal that ended it. tree builds the commands with the World, whose nil fields
// are filled in by then; known builds those whose flags variables may set.
func Run(ctx context.Context, a world.World, args []string, tree, known func(*world.World) *cobra.Command) (code int) {
	a.Complete()
	a.Opening, a.Args = ctx, args
	// Without this the runtime would exit with 2, which a pipeline reads as Inconclusive.
	defer func() {
		if value := recover(); value != nil {
			problem.Complain(a.Stderr, problem.PanickedWith(value))
			code = exit.Internal
		}
	}()
	err := execute(ctx, &a, args, tree, known)
	a.TellOfTogether(process.KeptTogether())
	// A verdict is no complaint: it was printed as the result. To who has read enough there is nothing to say.
	if err != nil && !problem.Is[problem.VerdictError](err) && !problem.Is[*problem.ClosedPipe](err) {
		problem.Complain(a.Stderr, err)
	}
	return problem.ExitCode(err)
}

// execute finds the command and runs it. An error of writing the result outranks
// the verdict: nobody has seen that.
func execute(ctx context.Context, a *world.World, args []string, tree, known func(*world.World) *cobra.Command) error {
	root := tree(a)
	a.Settable = func() []string { return settable(known(a)) }
	if completes(args) {
		if err := completeFlags(root); err != nil {
			return err
		}
	} else if err := helpOfUnknown(root, args); err != nil {
		return err
	}
	root.SetArgs(append([]string{}, args...)) // not nil, which would stand for os.Args
	root.SetIn(a.Stdin)
	// Also what cobra itself prints, such as the completions of a shell, counts as the
	// result.
	root.SetOut(a.Out)
	root.SetErr(a.Stderr)
	ctx, s := session.New(ctx, a.OwnProcess)
	defer s.End(nil)
	err := s.UntilLeft(ctx, root.ExecuteContext)
	// A name that is no file may be that of a command below, mistyped.
	if e, ok := errors.AsType[*trial.FileError](err); ok && errors.Is(err, fs.ErrNotExist) {
		if cmd, _, wrong := root.Find(args); wrong == nil {
			e.Advice = OrElse(Below(cmd, e.File), e.Advice)
		}
	}
	switch {
	case problem.Is[*problem.PanicError](err):
		return err
	// Whatever an interrupted command complains of, the interrupt is why.
	case err != nil && !problem.Is[problem.VerdictError](err) && ctx.Err() != nil:
		return context.Cause(ctx)
	case a.Out.Err() != nil:
		return a.Out.Err()
	}
	return err
}
