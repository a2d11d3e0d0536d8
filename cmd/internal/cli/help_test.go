package cli

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/table"
)

// Every command that can be seen is in one group, and a group names none that is not there.
func TestEveryCommandHasAGroup(t *testing.T) {
	root := root(completed(App{}))
	root.InitDefaultHelpCmd()
	grouped := map[string]int{}
	for _, group := range base.CommandGroups {
		for _, name := range group.Names {
			grouped[name]++
		}
	}
	for _, command := range root.Commands() {
		if !command.Hidden && grouped[command.Name()] != 1 {
			t.Errorf("%s is in %d groups", command.Name(), grouped[command.Name()])
		}
		delete(grouped, command.Name())
	}
	for name := range grouped {
		t.Errorf("there is no command %s", name)
	}
}

// Help keeps to the width of the terminal, but for what can be copied and what is indented within the text, and says
// the same at each.
func TestHelpFitsTheWidth(t *testing.T) {
	root := root(completed(App{}))
	for _, command := range append(base.WithSubcommands(root), root) {
		words := ""
		for _, width := range []int{70, 80, 100} {
			var page bytes.Buffer
			base.WriteHelp(&page, command, width, true)
			if widest := widestOfHelp(page.String()); widest > width {
				t.Errorf("%s at %d: %d columns", command.CommandPath(), width, widest)
			}
			now := strings.Join(strings.Fields(page.String()), " ")
			if words != "" && words != now {
				t.Errorf("%s at %d columns has other words", command.CommandPath(), width)
			}
			words = now
		}
	}
}

// widestOfHelp is the width of the widest line that a page of help may break.
func widestOfHelp(page string) (widest int) {
	part := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "Usage:", line == "Examples:":
			part = "copied"
		case strings.HasSuffix(line, ":") && unicode.IsUpper(rune(line[0])):
			part = "flags"
		case line == "" && part == "copied":
			part = ""
		}
		if part == "" && !strings.HasPrefix(line, " ") || part == "flags" {
			widest = max(widest, table.Width(line))
		}
	}
	return widest
}

// The first screen of help is one of 40 lines and 80 columns, whoever asks; --help all names every flag once.
func TestHelpOfEveryCommand(t *testing.T) {
	tree := root(completed(App{}))
	for _, command := range append(base.WithSubcommands(tree), tree) {
		if command.Hidden || command.Name() == "help" {
			continue
		}
		// A paragraph is wrapped: what stands in columns would be joined, unless it is indented.
		if joined := regexp.MustCompile(`(?m)^\S.*\S  +\S.*$`).FindString(command.Long); joined != "" {
			t.Errorf("%s --help joins a line of columns to a paragraph: %q", command.CommandPath(), joined)
		}
		args := strings.Fields(command.CommandPath())[1:]
		first, all := helped(t, append(args, "--help")), helped(t, append(args, "--help", "all"))
		if lines := strings.Count(first, "\n"); lines > 40 {
			t.Errorf("%s --help has %d lines", command.CommandPath(), lines)
		}
		if widest := widestOfHelp(first); widest > 80 {
			t.Errorf("%s --help has %d columns", command.CommandPath(), widest)
		}
		if whole := first == all; whole == strings.Contains(first, "--help all says more") {
			t.Errorf("%s --help says of the rest:\n%s", command.CommandPath(), first)
		}
		if asked := helped(t, append(append([]string{"help"}, args...), "all")); asked != all {
			t.Errorf("help %q all has %d bytes, and --help all %d", args, len(asked), len(all))
		}
		check := func(flag *pflag.Flag) {
			line := regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(option.Label(flag)) + `( |$)`)
			if n := len(line.FindAllString(all, -1)); !flag.Hidden && n != 1 {
				t.Errorf("%s --help all has --%s %d times", command.CommandPath(), flag.Name, n)
			}
		}
		command.LocalFlags().VisitAll(check)
		command.InheritedFlags().VisitAll(check)
	}
}

// helped is what a command line prints that exits with 0.
func helped(t *testing.T, args []string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	if code := (App{Stdout: &out, Stderr: &stderr}).Run(t.Context(), args); code != ExitPass {
		t.Fatalf("%q: exit code %d, %s", args, code, stderr.String())
	}
	return out.String()
}

// Every flag is a row of the table of options, and takes the example of its row.
func TestEveryFlagIsARow(t *testing.T) {
	for _, command := range base.WithSubcommands(root(completed(App{}))) {
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			row := option.RowOf(flag)
			if row.Name != flag.Name && flag.Name != base.HelpFlag {
				t.Errorf("%s: --%s is no row", command.CommandPath(), flag.Name)
			}
			if row.Example == "" {
				return
			}
			if err := flag.Value.Set(row.Example); err != nil {
				t.Errorf("%s --%s %s: %v", command.CommandPath(), flag.Name, row.Example, err)
			}
		})
	}
}

// The table of commands has their paths, and a tree of one has no other at its first level.
func TestTreesOfOneCommand(t *testing.T) {
	whole := paths(root(completed(App{})))
	for _, c := range commands() {
		if !slices.Contains(whole, c.path) {
			t.Errorf("there is no command %s", c.path)
		}
		first, _, below := strings.Cut(c.path, " ")
		if below || first == "man" || first == "completion" { // those are of all commands
			continue
		}
		a := &world.World{Args: []string{first, "--help"}}
		for _, path := range paths(asked(a.Complete())) {
			if path != first && !strings.HasPrefix(path, first+" ") {
				t.Errorf("the tree of %s has %s", first, path)
			}
		}
	}
}

// paths are those of the commands of a tree, without the name of the program.
func paths(root *cobra.Command) (list []string) {
	for _, command := range base.WithSubcommands(root) {
		list = append(list, strings.TrimPrefix(command.CommandPath(), "tribunal "))
	}
	return list
}

// A command that has moved is there under its old name, and says its new one.
func TestMovedCommands(t *testing.T) {
	for name, path := range moved {
		var now, out, stderr bytes.Buffer
		code := App{Stdout: &now, Stderr: io.Discard}.Run(t.Context(), append(strings.Fields(path), "--help"))
		again := App{Stdout: &out, Stderr: &stderr}.Run(t.Context(), append(strings.Fields(name), "--help"))
		if code != 0 || again != 0 || out.String() != now.String() || now.Len() == 0 {
			t.Errorf("%s exits with %d, and %s with %d; they print\n%s\n%s", path, code, name, again, &now, &out)
		}
		if want := "tribunal: note: tribunal " + name + " is tribunal " + path + " now\n"; stderr.String() != want {
			t.Errorf("%s says %q, want %q", name, &stderr, want)
		}
	}
	var out bytes.Buffer
	code := App{Stdout: &out, Stderr: io.Discard}.Run(t.Context(), []string{"help", "contract", "check"})
	if code != 0 || !strings.Contains(out.String(), "tribunal check contract CONTRACT TRACES...") {
		t.Errorf("help of contract check: %d, %s", code, &out)
	}
}
