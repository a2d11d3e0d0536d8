package base

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
)

// FirstScreen is how many lines of help are printed, at most, unless all is asked for.
const FirstScreen = 40

// allOfIt is the argument that asks for all, as in --help all.
const allOfIt = "all"

// WriteHelp is our own in place of cobra's template, so that the pages fit the terminal and say which variables and
// which suite file set a flag. What is longer than a screen begins with what is of every day.
func WriteHelp(w io.Writer, cmd *cobra.Command, width int, all bool) {
	var page bytes.Buffer
	writePage(&page, cmd, width, true)
	if !all && bytes.Count(page.Bytes(), []byte("\n")) > FirstScreen {
		page.Reset()
		writePage(&page, cmd, width, false)
	}
	_, _ = w.Write(page.Bytes())
}

// writePage writes all of the help of a command, or its first screen.
func writePage(w io.Writer, cmd *cobra.Command, width int, all bool) {
	text := strings.TrimSpace(cmp.Or(cmd.Long, prose.Capitalised(cmd.Short)))
	example := strings.TrimRight(cmd.Example, "\n")
	if !all {
		text, _, _ = strings.Cut(text, "\n\n")
		most := 3
		if cmd.HasSubCommands() {
			most-- // a line names them
		}
		example = someOf(example, width, most)
		if !cmd.HasParent() { // four commands are example enough
			text, example = cmd.Short, ""
		}
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n", fitted(text, width))
	// The command that only holds others has a list of them in place of arguments.
	if !IsHolder(cmd) {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(cmd.UseLine(), "\n", "\n  "))
	}
	switch {
	case !cmd.HasSubCommands():
	case all || IsHolder(cmd):
		fmt.Fprintf(w, "  %s COMMAND [flags]\n", cmd.CommandPath())
		writeCommands(w, cmd, width, all)
	default:
		fmt.Fprintf(w, "  %s %s [flags]\n", cmd.CommandPath(), strings.Join(namesBelow(cmd), "|"))
	}
	if example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", example)
	}
	others := 0
	groups := slices.DeleteFunc(FlagGroups(cmd), func(g FlagGroup) bool {
		if other := !all && g.Title != dailyFlags; other {
			others += len(g.Flags)
			return true
		}
		return false
	})
	writeFlags(w, groups, width)
	switch flags := cmd.LocalFlags(); {
	case !all:
		fmt.Fprintf(w, "\n%s --help all says more, and has %d other flags.\n", cmd.CommandPath(), others)
	// What has no --output has no flag that is worth a variable either.
	case flags.Lookup("output") != nil:
		note := "Every flag can be set by a variable too: " + variableExamples(flags) + ". The flag wins." +
			suiteNote(flags)
		fmt.Fprintf(w, "\n%s\n", strings.Join(table.Wrap(note, width), "\n"))
	}
}

// namesBelow are those of the commands below one that can be seen.
func namesBelow(cmd *cobra.Command) (names []string) {
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// someOf are the first examples that fit the width, so many at most.
func someOf(examples string, width, most int) string {
	var some []string
	for line := range strings.SplitSeq(examples, "\n") {
		if len(some) < most && table.Width(line) <= width {
			some = append(some, line)
		}
	}
	return strings.Join(some, "\n")
}

// FlagGroup are flags that the help shows together.
type FlagGroup struct {
	Title string
	Flags []*pflag.Flag
}

// dailyFlags are the title of those of every day.
const dailyFlags = "Flags"

// FlagGroups are the flags that a command takes, those of every day and then the others by the groups of the table.
func FlagGroups(cmd *cobra.Command) []FlagGroup {
	groups := []FlagGroup{{Title: dailyFlags}}
	for _, g := range option.Groups {
		groups = append(groups, FlagGroup{Title: g.Title})
	}
	add := func(flag *pflag.Flag) {
		place, daily := option.GroupOf(flag)
		if place++; daily {
			place = 0
		}
		if !flag.Hidden {
			groups[place].Flags = append(groups[place].Flags, flag)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return slices.DeleteFunc(groups, func(g FlagGroup) bool { return g.Flags == nil })
}

// writeFlags writes flags and what is said of them, beside those that leave room for it and below the others.
func writeFlags(w io.Writer, groups []FlagGroup, width int) {
	const most = 28
	column := 0
	for _, g := range groups {
		for _, flag := range g.Flags {
			if label := len(option.Label(flag)); label+4 <= most {
				column = max(column, label+4)
			}
		}
	}
	for _, g := range groups {
		fmt.Fprintf(w, "\n%s:\n", g.Title)
		for _, flag := range g.Flags {
			start := "  " + option.Label(flag)
			if len(start)+2 > column {
				fmt.Fprintln(w, start)
				start = ""
			}
			for _, text := range table.Wrap(option.About(flag), width-column) {
				fmt.Fprintf(w, "%-*s%s\n", column, start, text)
				start = ""
			}
		}
	}
}

// CommandGroups are the commands in the order in which they are met.
var CommandGroups = [...]struct {
	title string
	Names []string
}{
	{"Start", []string{"init", "try", "run", "gate"}},
	{"Agents", []string{"check", "repeat", "improve", "wire"}},
	{"Recordings", []string{"verdict", "compare", "judge", "import", "monitor"}},
	{"Results", []string{"report", "store"}},
	{"Trials", []string{"plan"}},
	{"Besides", []string{"mcp", "completion", "man", "help", "version"}},
}

// writeCommands lists the commands below one by their groups, and at the end those that have none. A first screen has
// no more than the names of those that come after the first group.
func writeCommands(w io.Writer, cmd *cobra.Command, width int, all bool) {
	left := map[string]*cobra.Command{}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			left[sub.Name()] = sub
		}
	}
	line := func(name, text string) {
		// The longest name, fingerprint, has eleven letters.
		start := fmt.Sprintf("  %-12s ", name)
		for _, text := range table.Wrap(text, width-len(start)) {
			fmt.Fprintf(w, "%s%s\n", start, text)
			start = strings.Repeat(" ", len(start))
		}
		delete(left, name)
	}
	for i, group := range CommandGroups {
		// Of a tree of other commands help alone would be one.
		if title := left[group.Names[0]]; title == nil || cmd.HasParent() {
			continue
		}
		if i >= 1 && !all {
			if i == 1 {
				fmt.Fprint(w, "\nFurther:\n")
			}
			line(group.title, strings.Join(group.Names, ", "))
			for _, name := range group.Names {
				delete(left, name)
			}
			continue
		}
		fmt.Fprintf(w, "\n%s:\n", group.title)
		for _, name := range group.Names {
			if sub := left[name]; sub != nil {
				text := sub.Short
				if all && sub.HasSubCommands() {
					text += "; below it: " + strings.Join(namesBelow(sub), ", ")
				}
				line(name, text)
			}
		}
	}
	if len(left) == 0 {
		return
	}
	fmt.Fprint(w, "\nCommands:\n")
	for _, sub := range cmd.Commands() {
		if left[sub.Name()] != nil {
			line(sub.Name(), sub.Short)
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
	command := &cobra.Command{
		Use:                   "help [COMMAND] [all]",
		Short:                 "say how a command is used",
		Example:               "  " + example,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	command.InitDefaultHelpFlag()
	command.Flags().Lookup(HelpFlag).Usage = "print this"
	var all bool // as the argument does
	option.Of(command.Flags()).Switch(allOfIt, &all)
	command.ValidArgsFunction = func(
		cmd *cobra.Command, args []string, typed string,
	) (list []string, _ cobra.ShellCompDirective) {
		above, rest, err := cmd.Root().Find(args)
		if err != nil || len(rest) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, sub := range above.Commands() {
			if !sub.Hidden && strings.HasPrefix(sub.Name(), typed) {
				list = append(list, sub.Name()+"\t"+sub.Short)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	command.RunE = func(cmd *cobra.Command, args []string) error {
		command, rest, err := cmd.Root().Find(args)
		if err != nil || len(rest) > 0 && !slices.Equal(rest, []string{allOfIt}) {
			if err == nil && len(rest) > 0 {
				return unknownBelow(command, rest[0])
			}
			return unknownCommand(cmd.Root(), strings.Join(args, " "))
		}
		if all {
			rest = []string{allOfIt}
		}
		command.HelpFunc()(command, rest)
		return nil
	}
	return command
}
