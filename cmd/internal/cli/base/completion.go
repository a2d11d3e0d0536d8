package base

import (
	"context"
	"encoding/csv"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/suite"
)

// completes reports whether a shell asks, by the commands that the scripts of cobra call.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completeFlags lets the shell complete the values of flags: the words of those that have a list, formats of reports,
// and scenarios and tags of the suite.
func completeFlags(root *cobra.Command) (err error) {
	done := map[*pflag.Flag]bool{} // one that all commands share is there once
	for _, command := range WithSubcommands(root) {
		flags := command.Flags()
		flags.VisitAll(func(flag *pflag.Flag) {
			if done[flag] {
				return
			}
			done[flag] = true
			complete := choices[option.RowOf(flag).Choices]
			if words, has := flag.Value.(interface{ Completions() []string }); has {
				complete = cobra.FixedCompletions(words.Completions(), cobra.ShellCompDirectiveNoFileComp)
			}
			if complete != nil && err == nil {
				err = command.RegisterFlagCompletionFunc(flag.Name, complete)
			}
		})
	}
	return err
}

// choices are what the table of options has flags choose among; files are completed by the shell itself.
var choices = map[string]cobra.CompletionFunc{
	"baselines": completeBaseline,
	"reports":   completeReport,
	"scenarios": completeOfSuite(ScenarioNames),
	"tags": completeOfSuite(func(s *suite.Suite) (tags []string) {
		for _, c := range s.Scenarios {
			tags = append(tags, c.Tags...)
		}
		slices.Sort(tags)
		return slices.Compact(tags)
	}),
}

// completeReport completes a format, behind which a file is named.
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

// completeBaseline completes the names of baselines in the store that is named or found; where it has none, the shell
// completes files.
func completeBaseline(cmd *cobra.Command, args []string, typed string) (list []string, _ cobra.ShellCompDirective) {
	ctx, a := context.Background(), new(world.World).Complete()
	a.Opening = ctx
	from := app.StoreChoice{Name: os.Getenv(world.EnvironmentName("store"))}
	if flag := cmd.Flags().Lookup("store"); flag != nil && flag.Changed {
		from.Name = flag.Value.String()
	}
	var s *suite.Suite
	if len(args) > 0 {
		s, _ = app.LoadSuite(ctx, args[0]) // else the one that is found
	}
	opened, err := from.Open(ctx, a, s, true)
	if err != nil || opened == nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	defer opened.Close()
	all, err := opened.Baselines(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	for _, b := range all {
		if strings.HasPrefix(b.Name, typed) {
			list = append(list, b.Name)
		}
	}
	return slices.Compact(list), cobra.ShellCompDirectiveDefault
}

// ScenarioNames are those of a suite, in its order.
func ScenarioNames(s *suite.Suite) (names []string) {
	for _, c := range s.Scenarios {
		names = append(names, c.Name)
	}
	return names
}

// completeOfSuite completes a list of what a suite has: of the one that is named on the line so far, or else of the one
// that is found.
func completeOfSuite(names func(*suite.Suite) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) (list []string, _ cobra.ShellCompDirective) {
		file := ""
		if len(args) > 0 {
			file = args[0]
		}
		before := typed[:strings.LastIndexByte(typed, ',')+1] // of a list
		for _, name := range OfSuite(file, typed[len(before):], names) {
			if plain(name) {
				list = append(list, before+name)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// OfSuite are the names of a suite that begin with what was typed; of the suite that is found where none is named.
// Where none can be read there is nothing to complete.
func OfSuite(file, typed string, names func(*suite.Suite) []string) (list []string) {
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
	for _, name := range names(s) {
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
