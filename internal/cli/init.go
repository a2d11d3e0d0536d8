package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/suite"
)

// starter is the suite that a new user starts from, with an agent that works.
//
//go:embed starter
var starter embed.FS

// initCommand gives somebody new a run that works within a minute, without a key or a
// network.
func (a *App) initCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "write a suite to start from, with a demo agent that works",
		Long: `Write a commented tribunal.yaml into a folder, which may be new, and beside it its JSON
Schema, for editors, and a small demo agent, a shell script that needs no key and no
network. Nothing is overwritten.`,
		Example: `  tribunal init
  tribunal init demo && tribunal run demo`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	command.RunE = a.with(func(_ context.Context, _ *pflag.FlagSet, args []string) error {
		if len(args) > 1 {
			return usage(seeHelp(command), "init takes one folder, but there are %d", len(args))
		}
		return a.init(append(args, ".")[0])
	})
	return command
}

// starterFiles are the files of the starter. The schema is not embedded twice: it comes
// from package suite.
var starterFiles = [...]struct {
	name string
	mode fs.FileMode
}{{suite.FileName, 0o666}, {"agent.sh", 0o777}, {schemaFile, 0o666}}

// schemaFile is named by a comment at the top of the starter's suite, for editors.
const schemaFile = "tribunal.schema.json"

// init looks for all files before it writes the first, so that a folder is not left with
// half of them.
func (a *App) init(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return badInput(fmt.Sprintf("the folder %s cannot be made: %v", folder, withoutPath(err)), "")
	}
	for _, f := range starterFiles {
		// Lstat, as a link to nowhere is there as well.
		if _, err := os.Lstat(filepath.Join(folder, f.name)); err == nil {
			return badInput(filepath.Join(folder, f.name)+" is there already, and nothing is overwritten",
				"name another folder: tribunal init demo")
		}
	}
	for _, f := range starterFiles {
		text := suite.Schema()
		if f.name != schemaFile {
			var err error
			if text, err = starter.ReadFile("starter/" + f.name); err != nil {
				return err
			}
		}
		if err := writeNew(filepath.Join(folder, f.name), text, f.mode); err != nil {
			return err
		}
	}
	argument := ""
	if folder != "." {
		argument = " " + folder
	}
	_, err := fmt.Fprintf(a.stdout,
		"%s, agent.sh and the schema for your editor are written. Next:\n  tribunal check%s   what a run will "+
			"take\n  tribunal run%s     run it\n", filepath.Join(folder, "tribunal.yaml"), argument, argument)
	return err
}

// writeNew writes a file that must not be there. A file that came up since init looked is
// not overwritten either. The mode is subject to the umask.
func writeNew(name string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return &writeError{name, err}
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return &writeError{name, err}
	}
	return nil
}
