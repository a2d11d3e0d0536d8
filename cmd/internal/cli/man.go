package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// manCommand writes what help prints as pages of the manual, for packages of systems that have one.
func manCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "man FOLDER",
		Short: "write the pages of the manual that man prints",
		Long: `Write a page for man of each command into a folder: what --help all says, as tribunal.1,
tribunal-run.1 and so on. Pages that are there are replaced. A folder that is written with
a slash, such as ./man1, may be new.`,
		Example: `  tribunal man ./man1 && man ./man1/tribunal-run.1
  tribunal man ~/.local/share/man/man1`,
		DisableFlagsInUseLine: true,
		Args:                  base.OneArgument("folder"),
	}
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return writeManual(ctx, a, command.Root(), args[0])
	})
	return command
}

// writeManual writes the pages of a tree of commands.
func writeManual(ctx context.Context, a *world.World, root *cobra.Command, folder string) error {
	// A bare word may be meant as the name of a page.
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) && filepath.Base(folder) == folder {
		return problem.Usage(fmt.Sprintf("./%s would make it; tribunal help prints the page of a command", folder),
			"there is no folder %s", folder)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return problem.BadInput(fmt.Sprintf("the folder %s cannot be made: %v", folder, problem.WithoutPath(err)), "")
	}
	written := 0
	for _, command := range append(base.WithSubcommands(root), root) {
		if command.Hidden {
			continue
		}
		var page bytes.Buffer
		writeMan(&page, command, a.Version)
		name := strings.ReplaceAll(command.CommandPath(), " ", "-") + ".1"
		to, err := outfile.New("man", filepath.Join(folder, name))
		if err != nil {
			return err
		}
		// They are for everybody, unlike what agents said.
		if !to.Exists {
			to.Mode, to.Exists = 0o644, true
		}
		if err := to.Write(ctx, page.Bytes()); err != nil {
			return err
		}
		written++
	}
	a.Notice("note", "%d pages are in %s", written, folder)
	return nil
}

// writeMan writes the help of a command as roff with the macros of man, see man(7). It is our own, as cobra's is made
// of libraries that nobody keeps any more.
func writeMan(w io.Writer, command *cobra.Command, version string) {
	name := strings.ReplaceAll(command.CommandPath(), " ", "-")
	fmt.Fprintf(w, ".TH \"%s\" 1 \"\" \"%s\"\n", strings.ToUpper(roff(name)), roff("tribunal "+version))
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(name), roff(command.Short))
	usage := command.UseLine()
	if base.IsHolder(command) {
		usage = command.CommandPath() + " COMMAND [flags]"
	}
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n", roff(usage))
	text := command.Long
	if text == "" {
		text = command.Short
	}
	roffText(w, text)
	if command.HasSubCommands() {
		fmt.Fprint(w, ".SH COMMANDS\n")
		for _, sub := range command.Commands() {
			if !sub.Hidden {
				fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(sub.Name()), roff(sub.Short))
			}
		}
	}
	fmt.Fprint(w, ".SH OPTIONS\n")
	for _, group := range base.FlagGroups(command) {
		fmt.Fprintf(w, ".SS %s\n", group.Title)
		for _, flag := range group.Flags {
			fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(option.Label(flag)), roff(option.About(flag)))
		}
	}
	if command.HasExample() {
		fmt.Fprint(w, ".SH EXAMPLES\n")
		roffText(w, command.Example)
	}
	if parent := command.Parent(); parent != nil {
		fmt.Fprintf(w, ".SH SEE ALSO\n.BR %s (1)\n", roff(strings.ReplaceAll(parent.CommandPath(), " ", "-")))
	}
}

// roffText writes paragraphs, and what is indented as it is.
func roffText(w io.Writer, text string) {
	asItIs := false
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, " ")
		switch {
		case indented && !asItIs:
			fmt.Fprint(w, ".PP\n.nf\n")
		case !indented && asItIs:
			fmt.Fprint(w, ".fi\n")
		}
		asItIs = indented
		if line == "" {
			fmt.Fprint(w, ".PP\n")
			continue
		}
		fmt.Fprintln(w, roff(line))
	}
	if asItIs {
		fmt.Fprint(w, ".fi\n")
	}
}

// roff writes a text so that roff prints it: a backslash and a hyphen as such, and no line that is a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
