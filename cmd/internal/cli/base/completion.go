package base

import (
	"context"
	"encoding/csv"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
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
			var complete cobra.CompletionFunc
			// Every word[T] has the method; files are completed by the shell itself.
			switch value := flag.Value.(type) {
			case interface{ Completions() []string }:
				complete = cobra.FixedCompletions(value.Completions(), cobra.ShellCompDirectiveNoFileComp)
			case interface {
				Complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)
			}:
				complete = value.Complete
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

// choices are what flags choose among in a suite, by their names.
var choices = map[string]func(*suite.Suite) []string{
	"only": ScenarioNames,
	"tag": func(s *suite.Suite) (tags []string) {
		for _, c := range s.Scenarios {
			tags = append(tags, c.Tags...)
		}
		slices.Sort(tags)
		return slices.Compact(tags)
	},
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
func completeOfSuite(of func(*suite.Suite) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) (list []string, _ cobra.ShellCompDirective) {
		file := ""
		if len(args) > 0 {
			file = args[0]
		}
		before := typed[:strings.LastIndexByte(typed, ',')+1] // of a list
		for _, name := range OfSuite(file, typed[len(before):], of) {
			if plain(name) {
				list = append(list, before+name)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// OfSuite are the names of a suite that begin with what was typed; of the suite that is found where none is named.
// Where none can be read there is nothing to complete.
func OfSuite(file, typed string, of func(*suite.Suite) []string) (list []string) {
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
