package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// help prints what a command does, on standard output: it was asked for.
func (r *run) help(cmd *cobra.Command, _ []string) {
	s := newScreen(r.stdout.w, r.env, r.terminalWidth)
	writeHelp(r.stdout, cmd, max(40, min(s.width, 100)))
}

func writeHelp(w io.Writer, cmd *cobra.Command, width int) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n", strings.TrimSpace(text))
	if cmd.HasSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND [flags]\n\nCommands:\n", cmd.CommandPath())
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				fmt.Fprintf(w, "  %-12s %s\n", sub.Name(), sub.Short)
			}
		}
	} else {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(cmd.UseLine(), "\n", "\n  "))
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	flags := cmd.LocalFlags()
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsagesWrapped(width))
	if flags.Lookup("output") != nil {
		fmt.Fprint(w, "\nEvery flag can be set by a variable too: TRIBUNAL_ALPHA=0.01 is --alpha 0.01, and\nTRIBUNAL_MAX_LINE_BYTES is --max-line-bytes. The flag wins.\n")
	}
}

func (r *run) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND]",
		Short:                 "say how a command is used",
		Example:               "  tribunal help verdict",
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			command, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), strings.Join(args, " "))
			}
			return command.Help()
		},
	}
}
