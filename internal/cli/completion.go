package cli

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/suite"
)

// completionCommand prints what cobra generates. cobra's own command of that name is
// switched off (see dressed): its help and its errors are not those of the other commands.
func (a *App) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	command := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print a script that completes commands and flags in a shell",
		Long: `Print a script that completes commands, flags and their values in a shell.

bash:        source <(tribunal completion bash)
zsh:         tribunal completion zsh > "${fpath[1]}/_tribunal"
fish:        tribunal completion fish > ~/.config/fish/completions/tribunal.fish
powershell:  tribunal completion powershell | Out-String | Invoke-Expression`,
		Example:               "  source <(tribunal completion bash)",
		DisableFlagsInUseLine: true,
		ValidArgs:             shells,
	}
	// cobra asks this before RunE, so that args has one element below.
	command.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage("such as tribunal completion bash", "no shell is named")
		case len(args) > 1:
			return usage(seeHelp(cmd), "completion takes one shell, but there are %d", len(args))
		}
		return nil
	}
	command.RunE = a.with(func(_ context.Context, _ *pflag.FlagSet, args []string) error {
		// With descriptions everywhere, as fish and PowerShell show them beside the words.
		write, ok := map[string]func(*cobra.Command, io.Writer) error{
			"bash":       bashCompletion,
			"zsh":        (*cobra.Command).GenZshCompletion,
			"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
			"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
		}[args[0]]
		// The list of shells is that of ValidArgs, which the shell completes as well.
		if !ok {
			return badValue("shell", nil, args[0], noSuchWord(args[0], shells))
		}
		return write(command.Root(), a.stdout)
	})
	return command
}

// bashWords is what the script of cobra needs of the package bash-completion, for shells that do not have it.
//
//go:embed completion.bash
var bashWords []byte

// bashCompletion writes cobra's script, and then a function of ours in the place of one of its own: that needs the
// package bash-completion, which is not everywhere.
func bashCompletion(root *cobra.Command, w io.Writer) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	script.Write(bytes.ReplaceAll(bashWords, []byte("NAME"), []byte(root.Name())))
	_, err := w.Write(script.Bytes())
	return err
}

// completes reports whether a shell asks, by the commands that the scripts of cobra call.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completeFlags lets the shell complete the values of flags: the words of those that have a list, formats of reports,
// and scenarios and tags of the suite.
func completeFlags(root *cobra.Command) (err error) {
	done := map[*pflag.Flag]bool{} // one that all commands share is there once
	for _, command := range withSubcommands(root) {
		flags := command.Flags()
		flags.VisitAll(func(flag *pflag.Flag) {
			if done[flag] {
				return
			}
			done[flag] = true
			var complete cobra.CompletionFunc
			// Every word[T] has the method; files are completed by the shell itself.
			switch value := flag.Value.(type) {
			case interface{ names() []string }:
				complete = cobra.FixedCompletions(value.names(), cobra.ShellCompDirectiveNoFileComp)
			case *reportFiles:
				complete = completeReport
			default:
				if of := choices[flag.Name]; of != nil && flags.Lookup("only") != nil && flags.Lookup("tag") != nil {
					complete = completeOfSuite(of)
				}
			}
			if complete != nil && err == nil {
				err = command.RegisterFlagCompletionFunc(flag.Name, complete)
			}
		})
	}
	return err
}

// completeReport completes the format, behind which a file is named.
func completeReport(_ *cobra.Command, _ []string, typed string) (list []string, _ cobra.ShellCompDirective) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	for _, format := range report.Formats() {
		if strings.HasPrefix(format.String(), typed) {
			list = append(list, format.String()+"=")
		}
	}
	return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// choices are what flags choose among in a suite, by their names.
var choices = map[string]func(*suite.Suite) []string{
	"only": scenarioNames,
	"tag": func(s *suite.Suite) (tags []string) {
		for _, c := range s.Scenarios {
			tags = append(tags, c.Tags...)
		}
		slices.Sort(tags)
		return slices.Compact(tags)
	},
}

// scenarioNames are those of a suite, in its order.
func scenarioNames(s *suite.Suite) (names []string) {
	for _, c := range s.Scenarios {
		names = append(names, c.Name)
	}
	return names
}

// completeOfSuite completes a list of what a suite has: of the one that is named on the line so far, or else of the one
// that is found.
func completeOfSuite(of func(*suite.Suite) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) (list []string, _ cobra.ShellCompDirective) {
		file := ""
		if len(args) > 0 {
			file = args[0]
		}
		before := typed[:strings.LastIndexByte(typed, ',')+1] // of a list
		for _, name := range ofSuite(file, typed[len(before):], of) {
			if plain(name) {
				list = append(list, before+name)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// ofSuite are the names of a suite that begin with what was typed; of the suite that is found where none is named. Where
// none can be read there is nothing to complete.
func ofSuite(file, typed string, of func(*suite.Suite) []string) (list []string) {
	if file == "" {
		found, err := app.FindSuite()
		if err != nil || found == "" {
			return nil
		}
		file = found
	}
	s, err := app.LoadSuite(context.Background(), file)
	if err != nil {
		return nil
	}
	for _, name := range of(s) {
		if strings.HasPrefix(name, typed) {
			list = append(list, name)
		}
	}
	return list
}

// plain reports whether a name means itself as an element of a list of globs.
func plain(name string) bool {
	fields, err := csv.NewReader(strings.NewReader(name)).Read()
	return err == nil && len(fields) == 1 && fields[0] == name && !strings.ContainsAny(name, `*?[\`)
}
