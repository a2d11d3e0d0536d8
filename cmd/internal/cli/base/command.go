package base

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/flagtype"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/problem"
)

// Dressed gives a tree of commands what every tree of ours has: help, with an example
// of how to ask for it, errors with a hint, and flags in the order in which they are
// registered.
func (a *App) Dressed(root *cobra.Command, example string) *cobra.Command {
	// Else cobra would refuse a command that is not known, without our hint.
	root.Args = cobra.ArbitraryArgs
	// Errors are printed once, by complain, and no page of usage hides them.
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.CompletionOptions.DisableDefaultCmd = true
	registerMemory(root.PersistentFlags())
	outfile.RegisterFileMode(root.PersistentFlags())
	RegisterTalk(root.PersistentFlags())
	root.Flags().Bool(VersionFlag, false, "print the version")
	root.SetFlagErrorFunc(flagtype.FlagError)
	root.SetHelpFunc(a.help)
	root.SetHelpCommand(a.helpCommand(example))
	// The flag of help has to be there before its text can be replaced.
	for _, command := range append(WithSubcommands(root), root) {
		command.Flags().SortFlags = false
		command.InitDefaultHelpFlag()
		command.Flags().Lookup(flagtype.HelpFlag).Usage = "print this"
	}
	return root
}

// WithSubcommands are the commands, and those below them. Two levels are enough: no command
// here has commands below those.
func WithSubcommands(root *cobra.Command) (all []*cobra.Command) {
	for _, command := range root.Commands() {
		all = append(append(all, command), command.Commands()...)
	}
	return all
}

// NoCommand ends a run without a command, or with one that is not known. It is no
// success: a script whose variable is empty should notice. A person sees what there is.
func (a *App) NoCommand(root *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(root, args[0])
	}
	// --version is the same as the command version, as people try both.
	if version, err := root.Flags().GetBool(VersionFlag); err == nil && version {
		return a.PrintVersion()
	}
	WriteHelp(a.Stderr, root, a.HelpWidth(a.Stderr))
	fmt.Fprintln(a.Stderr)
	return problem.Usage(flagtype.SeeHelp(root), "no command is given")
}

// unknownCommand suggests the command that is nearest to what was typed.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, command := range root.Commands() {
		names = append(names, command.Name())
	}
	return problem.Usage(flagtype.OrElse(problem.DidYouMean(root.Name()+" ", name, names), flagtype.SeeHelp(root)),
		"unknown command %q", name)
}

// Action is what a command does when its flags are complete.
type Action func(ctx context.Context, flags *pflag.FlagSet, args []string) error

// With completes the flags from the environment and a suite file, and then acts. A value is
// looked for in this order: command line, variable, suite file, default. That is why the
// environment comes first: the suite sets only what is still unset.
func (a *App) With(act Action) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.warnOfVariables()
		if err := ApplyEnvironment(cmd.Flags(), a.Env); err != nil {
			return err
		}
		a.applyProfile(cmd.Flags())
		if err := a.applyTalk(cmd.Flags()); err != nil {
			return err
		}
		// What a guest asks for is all that counts.
		if a.Guest == nil {
			if err := a.applySuite(cmd.Flags()); err != nil {
				return err
			}
		}
		ctx, done := a.WithStore(outfile.WithFileMode(a.withinMemory(cmd.Context(), cmd.Flags()), cmd.Flags()), cmd.Flags())
		defer done()
		return act(ctx, cmd.Flags(), args)
	}
}

// Judging is With for a command that ends in a verdict: without one it must not
// exit with a verdict's code.
func (a *App) Judging(act Action) func(*cobra.Command, []string) error {
	return a.With(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		a.NoteEnvironment(flags)
		err := act(ctx, flags, args)
		// It would exit with 0, which reads as Pass. App.Run recovers from this, with code
		// 70.
		if err == nil {
			panic("a command that judges ended without a verdict")
		}
		return err
	})
}

// VersionFlag is a flag of the root alone.
const VersionFlag = "version"

// PrintVersion prints the version as the result.
func (a *App) PrintVersion() error {
	_, err := fmt.Fprintf(a.Out, "tribunal %s\n", a.Version)
	return err
}
