package base

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Dressed gives a tree of commands what every tree of ours has: help, with an example
// of how to ask for it, errors with a hint, and flags in the order in which they are
// registered.
func Dressed(a *world.World, root *cobra.Command, example string) *cobra.Command {
	// Else cobra would refuse a command that is not known, without our hint.
	root.Args = cobra.ArbitraryArgs
	// Errors are printed once, by complain, and no page of usage hides them.
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.CompletionOptions.DisableDefaultCmd = true
	RegisterGlobal(root.PersistentFlags(), a)
	root.Flags().Bool(VersionFlag, false, "print the version")
	root.SetFlagErrorFunc(FlagError)
	// It goes to standard output: it was asked for.
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		WriteHelp(a.Out, cmd, a.PageWidth(a.Out.Stream), len(args) > 0 && args[len(args)-1] == allOfIt)
	})
	root.SetHelpCommand(helpCommand(a, example))
	// The flag of help has to be there before its text can be replaced.
	for _, command := range append(WithSubcommands(root), root) {
		command.Flags().SortFlags = false
		command.InitDefaultHelpFlag()
		command.Flags().Lookup(HelpFlag).Usage = "print this"
	}
	return root
}

// WithSubcommands are the commands, and those below them.
func WithSubcommands(root *cobra.Command) (all []*cobra.Command) {
	for _, command := range root.Commands() {
		all = append(append(all, command), WithSubcommands(command)...)
	}
	return all
}

// holder marks commands that only hold others.
const holder = "holder"

// IsHolder reports whether a command only holds others, as the root does.
func IsHolder(command *cobra.Command) bool {
	_, holds := command.Annotations[holder]
	return holds || !command.HasParent()
}

// Holder is a command that only holds others. Without one of them, or with one that is not known, it is an error, and
// no help with exit code 0: a script should notice.
func Holder(command *cobra.Command, below ...*cobra.Command) *cobra.Command {
	command.DisableFlagsInUseLine, command.Args = true, cobra.ArbitraryArgs
	command.Annotations = map[string]string{holder: ""}
	command.AddCommand(below...)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			var names []string
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() {
					names = append(names, c.Name())
				}
			}
			return problem.Usage("it has "+prose.And(names), "no command of %s is given", cmd.Name())
		}
		return unknownBelow(cmd, args[0])
	}
	return command
}

// unknownBelow says that a command which only holds others has none of that name.
func unknownBelow(cmd *cobra.Command, name string) error {
	if !cmd.HasParent() {
		return unknownCommand(cmd, name)
	}
	hint := Below(cmd, name)
	for _, command := range cmd.Commands() {
		hint = OrElse(hint, Below(command, name))
	}
	if meant := otherNames()[cmd.Name()+" "+name]; meant != "" {
		hint = cmd.CommandPath() + " " + meant
	}
	return problem.Usage(OrElse(hint, SeeHelp(cmd)), "unknown command %q of %s", name, cmd.Name())
}

// helpOfUnknown refuses to show the help of a command that is not there: cobra would show that of the one above it.
func helpOfUnknown(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	asked := slices.Contains(args, "--"+HelpFlag) || slices.Contains(args, "-h")
	if err != nil || !asked || !IsHolder(cmd) || len(rest) == 0 || rest[0] == HelpFlag || strings.HasPrefix(rest[0], "-") {
		return nil
	}
	return unknownBelow(cmd, rest[0])
}

// NoCommand ends a run without a command, or with one that is not known. It is no
// success: a script whose variable is empty should notice. A person sees what there is.
func NoCommand(a *world.World) func(*cobra.Command, []string) error {
	return func(root *cobra.Command, args []string) error { return noCommand(a, root, args) }
}

func noCommand(a *world.World, root *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(root, args[0])
	}
	// --version is the same as the command version, as people try both.
	if version, err := root.Flags().GetBool(VersionFlag); err == nil && version {
		return PrintVersion(a)
	}
	WriteHelp(a.Stderr, root, a.PageWidth(a.Stderr), false)
	fmt.Fprintln(a.Stderr)
	return problem.Usage("", "no command is given") // the page says where there is more
}

// otherNames are what other tools call a command. The values are what to type, and what it does.
func otherNames() map[string]string {
	return map[string]string{
		"test": "run runs the trials of a suite", "eval": "run runs the trials of a suite",
		"evaluate":   "run runs the trials of a suite",
		"flaky":      "repeat names the flaky tests of a command",
		"watch":      "run --live shows a run in a browser while it goes on",
		"store list": "history lists the runs of a suite", "store runs": "history lists the runs of a suite",
	}
}

// unknownCommand suggests the command that is nearest to what was typed, of the first rank or below one.
func unknownCommand(root *cobra.Command, name string) error {
	hint := Below(root, name)
	if meant := otherNames()[name]; meant != "" {
		hint = root.Name() + " " + meant
	}
	for _, command := range root.Commands() {
		hint = OrElse(hint, Below(command, name))
	}
	return problem.Usage(OrElse(hint, OrElse(inHelp(root, name), SeeHelp(root))), "unknown command %q", name)
}

// inHelp names the commands whose help has a word, those first that are described by it; "" is none.
func inHelp(root *cobra.Command, word string) string {
	has, err := regexp.Compile(`(?i)\b` + regexp.QuoteMeta(word) + `\b`)
	if err != nil || word == "" {
		return ""
	}
	var described, mentioned []string
	for _, cmd := range WithSubcommands(root) {
		switch {
		case cmd.Hidden:
		case has.MatchString(cmd.Short):
			described = append(described, cmd.CommandPath())
		case has.MatchString(cmd.Long) || cmd.Flags().Lookup(word) != nil:
			mentioned = append(mentioned, cmd.CommandPath())
		}
	}
	if names := append(described, mentioned...); len(names) > 0 {
		return fmt.Sprintf("%s is in the help of %s", word, prose.Some(names, 3))
	}
	return ""
}

// Action is what a command does when its flags are complete.
type Action func(ctx context.Context, flags *pflag.FlagSet, args []string) error

// With completes the flags from the environment and a suite file, and then acts. A value is
// looked for in this order: command line, variable, suite file, default. That is why the
// environment comes first: the suite sets only what is still unset.
func With(a *world.World, act Action) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		warnOfVariables(a)
		if err := ApplyEnvironment(cmd.Flags(), a.Env); err != nil {
			return err
		}
		applyProfile(a, cmd.Flags())
		if err := applyTalk(a, cmd.Flags()); err != nil {
			return err
		}
		// What a guest asks for is all that counts.
		if a.Guest == nil {
			if err := applySuite(a, cmd.Flags()); err != nil {
				return err
			}
		}
		ctx := outfile.WithFileMode(within(cmd.Context(), a), a.FileMode)
		ctx, done := app.WithStore(ctx, a, StoreOf(a, cmd.Flags()))
		defer done()
		return act(ctx, cmd.Flags(), args)
	}
}

// Judging is With for a command that ends in a verdict: without one it must not
// exit with a verdict's code.
func Judging(a *world.World, act Action) func(*cobra.Command, []string) error {
	return With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		NoteEnvironment(a, flags)
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
func PrintVersion(a *world.World) error {
	_, err := fmt.Fprintf(a.Out, "tribunal %s\n", a.Version)
	return err
}
