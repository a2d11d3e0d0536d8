package cli

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// App is the command line with what it needs of the world: the fields of [world.World], which is what the commands get.
type App world.World

// Run runs one command with its arguments, the name of the program left out, and
// returns the exit code of the process; see [ExitPass]. It prints what went wrong
// on Stderr. A panic becomes [ExitInternal]. When the context ends, Run returns
// [ExitInterrupted] or the code of the signal that ended it, see [session.WithSignals].
func (a App) Run(ctx context.Context, args []string) int {
	w := world.World(a)
	return base.Run(ctx, w, renamed(w.Complete(), args), asked, root)
}

// RunExperiments is [App.Run] for a program of this name that has these commands in
// place of those of tribunal, at least one. The text says in its help what they have
// in common.
func (a App) RunExperiments(ctx context.Context, program, text string, experiments []Experiment, args []string) int {
	return runExperiments(ctx, world.World(a), program, text, experiments, args)
}
