package base

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/table"
)

// help prints what a command does, on standard output: it was asked for.
func help(a *world.World, cmd *cobra.Command) {
	WriteHelp(a.Out, cmd, a.PageWidth(a.Out.Stream))
}

// WriteHelp is our own in place of cobra's template, so that the pages fit the terminal and
// say which variables and which suite file set a flag.
func WriteHelp(w io.Writer, cmd *cobra.Command, width int) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n", fitted(strings.TrimSpace(text), width))
	// The command that only holds others has a list of them in place of arguments.
	if cmd.HasSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND [flags]\n", cmd.CommandPath())
		writeCommands(w, cmd, width)
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
	if shared := cmd.InheritedFlags(); shared.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags of all commands:\n%s", shared.FlagUsagesWrapped(width))
	}
	// What has no --output has no flag that is worth a variable either.
	if flags.Lookup("output") != nil {
		note := "Every flag can be set by a variable too: " + variableExamples(flags) + ". The flag wins." +
			suiteNote(flags)
		fmt.Fprintf(w, "\n%s\n", strings.Join(table.Wrap(note, width), "\n"))
	}
}

// CommandGroups are the commands in the order in which they are met.
var CommandGroups = [...]struct {
	title string
	Names []string
}{
	{"Start", []string{"init", "check", "try", "run", "merge", "worker", "wire"}},
	{"Judge", []string{"verdict", "compare", "gate", "repeat", "conform", "decide", "relate", "monitor"}},
	{"Improve", []string{"race", "ratchet"}},
	{"Plan", []string{"plan", "forecast", "limits", "prices"}},
	{"Look closer", []string{"report", "verify", "fingerprint", "coverage", "suggest", "contract", "import", "sql",
		"judge",
		"label", "judge-check", "rank", "mutate"}},
	{"Keep", []string{"store", "traces", "baseline", "history", "promote", "serve"}},
	{"Besides", []string{"mcp", "evaluators", "schema", "completion", "man", "help", "version"}},
}

// writeCommands lists the commands below one by their groups, and at the end those that have none.
func writeCommands(w io.Writer, cmd *cobra.Command, width int) {
	left := map[string]*cobra.Command{}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			left[sub.Name()] = sub
		}
	}
	line := func(sub *cobra.Command) {
		// The longest name, fingerprint, has eleven letters.
		start := fmt.Sprintf("  %-12s ", sub.Name())
		for _, text := range table.Wrap(sub.Short, width-len(start)) {
			fmt.Fprintf(w, "%s%s\n", start, text)
			start = strings.Repeat(" ", len(start))
		}
		delete(left, sub.Name())
	}
	for _, group := range CommandGroups {
		// Of a tree of other commands help alone would be one.
		if title := left[group.Names[0]]; title == nil {
			continue
		}
		fmt.Fprintf(w, "\n%s:\n", group.title)
		for _, name := range group.Names {
			if sub := left[name]; sub != nil {
				line(sub)
			}
		}
	}
	if len(left) == 0 {
		return
	}
	fmt.Fprint(w, "\nCommands:\n")
	for _, sub := range cmd.Commands() {
		if left[sub.Name()] != nil {
			line(sub)
		}
	}
}

// fitted breaks the lines of a text anew: those of a paragraph belong together, and one that is indented stays as it
// is.
func fitted(text string, width int) string {
	var lines, paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			lines = append(lines, table.Wrap(strings.Join(paragraph, " "), width)...)
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.HasPrefix(line, " ") {
			end()
			lines = append(lines, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	end()
	return strings.Join(lines, "\n")
}

// variableExamples are a flag that is set by a variable, and one with a hyphen. The second
// shows what becomes of a hyphen.
func variableExamples(flags *pflag.FlagSet) string {
	text, hyphen := "TRIBUNAL_JSON=true is --json", false
	flags.VisitAll(func(flag *pflag.Flag) {
		if !hyphen && strings.Contains(flag.Name, "-") {
			hyphen = true
			text += ", and " + world.EnvironmentName(flag.Name) + " is --" + flag.Name
		}
	})
	return text
}

// suiteNote names the flags that a suite file sets where nothing else does. It is "" for a
// command with none of those flags.
func suiteNote(flags *pflag.FlagSet) string {
	var names []string
	for _, d := range SuiteDefaults {
		if fromSuites(flags, d.Flag) != nil {
			names = append(names, "--"+d.Flag)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " Where neither says anything, the tribunal.yaml of this folder or one above gives " +
		strings.Join(names, ", ") + "."
}

// helpCommand takes the place of cobra's, which exits with 0 for a command that is not
// known.
func helpCommand(a *world.World, example string) *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND]",
		Short:                 "say how a command is used",
		Example:               "  " + example,
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
