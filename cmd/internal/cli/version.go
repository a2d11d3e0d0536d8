package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// release is the tag, such as v1.2.0, where a build says it: one of sources without their
// history, which the Go tool cannot ask. The linker sets it:
//
//	-ldflags "-X github.com/tribunal-dev/tribunal/cmd/internal/cli.release=v1.2.0"
var release string

// BuildVersion describes this program from what the build or else the Go tool recorded in
// it, such as "v1.2.0 (go1.26.8, linux/amd64)".
func BuildVersion() string {
	// It stays so where the build recorded no version, as that of a plain file does.
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	if release != "" {
		version = release
	}
	return fmt.Sprintf("%s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// versionCommand does nothing else, so it is also what start-up times are measured with.
func versionCommand(a *world.World) *cobra.Command {
	return &cobra.Command{
		Use:                   "version",
		Short:                 "print the version",
		Example:               "  tribunal version",
		DisableFlagsInUseLine: true,
		Args:                  base.NoArguments,
		RunE: base.With(a, func(context.Context, *pflag.FlagSet, []string) error {
			return base.PrintVersion(a)
		}),
	}
}
