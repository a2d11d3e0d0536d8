package cli

import (
	"bytes"
	"context"
	_ "embed"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// completionCommand prints what cobra generates. cobra's own command of that name is
// switched off (see dressed): its help and its errors are not those of the other commands.
func completionCommand(a *world.World) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	command := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print a script that completes commands and flags in a shell",
		Long: `Print a script that completes commands, flags and their values in a shell.

  bash        source <(tribunal completion bash)
  zsh         tribunal completion zsh > "${fpath[1]}/_tribunal"
  fish        tribunal completion fish > ~/.config/fish/completions/tribunal.fish
  powershell  tribunal completion powershell | Out-String | Invoke-Expression`,
		Example:               "  source <(tribunal completion bash)",
		DisableFlagsInUseLine: true,
		ValidArgs:             shells,
	}
	// cobra asks this before RunE, so that args has one element below.
	command.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return problem.Usage("such as tribunal completion bash", "no shell is named")
		case len(args) > 1:
			return problem.Usage(base.SeeHelp(cmd), "completion takes one shell, but there are %d", len(args))
		}
		return nil
	}
	command.RunE = base.With(a, func(_ context.Context, _ *pflag.FlagSet, args []string) error {
		// With descriptions everywhere, as fish and PowerShell show them beside the words.
		write, ok := map[string]func(*cobra.Command, io.Writer) error{
			"bash":       bashCompletion,
			"zsh":        (*cobra.Command).GenZshCompletion,
			"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
			"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
		}[args[0]]
		// The list of shells is that of ValidArgs, which the shell completes as well.
		if !ok {
			return base.BadValue("shell", nil, args[0], value.NoSuchWord(args[0], shells))
		}
		return write(command.Root(), a.Out)
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
