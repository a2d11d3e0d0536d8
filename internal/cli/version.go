package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const versionFlag = "version"

// BuildVersion describes this program from what the Go tool recorded in it, such
// as "v1.2.0 (go1.26.8, linux/amd64)".
func BuildVersion() string {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return fmt.Sprintf("%s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (a *App) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "version",
		Short:                 "print the version",
		Example:               "  tribunal version",
		DisableFlagsInUseLine: true,
		Args:                  noArguments,
		RunE: a.with(func(context.Context, *pflag.FlagSet, []string) error {
			return a.printVersion()
		}),
	}
}

func (a *App) printVersion() error {
	_, err := fmt.Fprintf(a.stdout, "tribunal %s\n", a.Version)
	return err
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(seeHelp(cmd), "%s takes no argument, but there is %q", cmd.CommandPath(), args[0])
	}
	return nil
}
