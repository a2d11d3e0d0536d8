package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// root returns the tree of commands.
func (a *App) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "tribunal",
		Short: "Statistical verdicts on systems that do not answer the same way twice",
		Long: `Statistical verdicts on systems that do not answer the same way twice, such as AI
agents. Trials go in, recorded ones or those of an agent that is run; Pass, Fail or
Inconclusive comes out, and the exit code carries it: 0, 1 or 2.`,
		Example: `  tribunal init demo && tribunal run demo
  tribunal verdict trials.jsonl --threshold 0.85
  tribunal compare main.jsonl candidate.jsonl`,
		RunE: a.noCommand,
	}
	// cobra lists them in the order of the alphabet.
	root.AddCommand(
		a.verdictCommand(),
		a.compareCommand(),
		a.planCommand(),
		a.fingerprintCommand(),
		a.tryCommand(),
		a.runCommand(),
		a.mergeCommand(),
		a.wireCommand(),
		a.repeatCommand(),
		a.conformCommand(),
		a.mutateCommand(),
		a.decideCommand(),
		a.relateCommand(),
		a.raceCommand(),
		a.ratchetCommand(),
		a.gateCommand(),
		a.reportCommand(),
		a.verifyCommand(),
		a.monitorCommand(),
		a.forecastCommand(),
		a.historyCommand(),
		a.limitsCommand(),
		a.pricesCommand(),
		a.sqlCommand(),
		a.storeCommand(),
		a.tracesCommand(),
		a.checkCommand(),
		a.contractCommand(),
		a.initCommand(),
		a.schemaCommand(),
		a.evaluatorsCommand(),
		a.coverageCommand(),
		a.suggestCommand(),
		a.benchCommand(),
		a.importCommand(),
		a.judgeCommand(),
		a.baselineCommand(),
		a.promoteCommand(),
		a.labelCommand(),
		a.judgeCheckCommand(),
		a.serveCommand(),
		a.rankCommand(),
		a.mcpCommand(),
		a.completionCommand(),
		a.manCommand(),
		a.versionCommand(),
	)
	return a.dressed(root, "tribunal help verdict")
}

// dressed gives a tree of commands what every tree of ours has: help, with an example
// of how to ask for it, errors with a hint, and flags in the order in which they are
// registered.
func (a *App) dressed(root *cobra.Command, example string) *cobra.Command {
	// Else cobra would refuse a command that is not known, without our hint.
	root.Args = cobra.ArbitraryArgs
	// Errors are printed once, by complain, and no page of usage hides them.
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.CompletionOptions.DisableDefaultCmd = true
	registerMemory(root.PersistentFlags())
	registerFileMode(root.PersistentFlags())
	registerTalk(root.PersistentFlags())
	root.Flags().Bool(versionFlag, false, "print the version")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(a.help)
	root.SetHelpCommand(a.helpCommand(example))
	// The flag of help has to be there before its text can be replaced.
	for _, command := range append(withSubcommands(root), root) {
		command.Flags().SortFlags = false
		command.InitDefaultHelpFlag()
		command.Flags().Lookup(helpFlag).Usage = "print this"
	}
	return root
}

// withSubcommands are the commands, and those below them. Two levels are enough: no command
// here has commands below those.
func withSubcommands(root *cobra.Command) (all []*cobra.Command) {
	for _, command := range root.Commands() {
		all = append(append(all, command), command.Commands()...)
	}
	return all
}

// noCommand ends a run without a command, or with one that is not known. It is no
// success: a script whose variable is empty should notice. A person sees what there is.
func (a *App) noCommand(root *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(root, args[0])
	}
	// --version is the same as the command version, as people try both.
	if version, err := root.Flags().GetBool(versionFlag); err == nil && version {
		return a.printVersion()
	}
	writeHelp(a.Stderr, root, a.helpWidth(a.Stderr))
	fmt.Fprintln(a.Stderr)
	return usage(seeHelp(root), "no command is given")
}

// unknownCommand suggests the command that is nearest to what was typed.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, command := range root.Commands() {
		names = append(names, command.Name())
	}
	return usage(orElse(didYouMean(root.Name()+" ", name, names), seeHelp(root)), "unknown command %q", name)
}

// action is what a command does when its flags are complete.
type action func(ctx context.Context, flags *pflag.FlagSet, args []string) error

// with completes the flags from the environment and a suite file, and then acts. A value is
// looked for in this order: command line, variable, suite file, default. That is why the
// environment comes first: the suite sets only what is still unset.
func (a *App) with(act action) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.warnOfVariables()
		if err := applyEnvironment(cmd.Flags(), a.Env); err != nil {
			return err
		}
		a.applyProfile(cmd.Flags())
		if err := a.applyTalk(cmd.Flags()); err != nil {
			return err
		}
		// What a guest asks for is all that counts.
		if a.guest == nil {
			if err := a.applySuite(cmd.Flags()); err != nil {
				return err
			}
		}
		ctx, done := a.withStore(withFileMode(a.withinMemory(cmd.Context(), cmd.Flags()), cmd.Flags()), cmd.Flags())
		defer done()
		return act(ctx, cmd.Flags(), args)
	}
}

// judging is with for a command that ends in a verdict: without one it must not
// exit with a verdict's code.
func (a *App) judging(act action) func(*cobra.Command, []string) error {
	return a.with(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		a.noteEnvironment(flags)
		err := act(ctx, flags, args)
		// It would exit with 0, which reads as Pass. App.Run recovers from this, with code
		// 70.
		if err == nil {
			panic("a command that judges ended without a verdict")
		}
		return err
	})
}
