package importcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/importing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
)

// ImportCommand reads as the judging commands do and writes what was read, so that a rule
// is applied once, in the open, and the judged file can be looked at.
func ImportCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "import FILE...",
		Short: "turn other tools' logs into trials, one JSON object a line",
		Long: `Turn logs of agents and evaluation tools into trials, one JSON object a line. The
format is told from the content. FILE may be a folder: its files in a known format
are read, and those of the folders in it. A pattern in quotes, such as
'runs/**/*.json', stands for the files that it matches; ** is any depth. Notes on
stderr say what was read.

--scenario-from says what was tried, where the format does not:
  path                 the name of the file
  path:PATTERN         a group of the pattern, in the path of the file
  attribute:KEY        a tag of the trial, such as attribute:metadata.task_id
  regex:PATTERN        a group of the pattern, in the name that the format gives
The group is the only one, or the one named scenario: (?P<scenario>...). Groups
named trial and variant give those. Else a trial's number is its order.

--pass-when says what passed, where the format does not: conditions with and
between them, or with or.
  score>=0.5           also > <= < ==
  attribute:KEY=VALUE  also > >= < <= of numbers, and ~PATTERN
  output~PATTERN       or output=TEXT, of the last answer
  no-error             no step failed
  tool:NAME            the tool was called
A trial of which a condition is unknown stays unjudged.

With --store the trials of each file are added to a store as a run, and written with
-o alone. The same file again changes nothing. --suite, --commit, --branch, --at and
--label say what run it was, --as which version was tried.`,
		Example: `  tribunal import runs/ -o trials.jsonl --scenario-from 'path:([^/]+)/[^/]+$'
  tribunal import traces.json -o trials.jsonl --pass-when 'output~booked and no-error'
  tribunal import log.eval --scorer match --variant main | tribunal verdict - --threshold 0.8
  tribunal import nightly/*.xml --store runs.db --suite shop --as v2 --label lane=nightly
  tribunal import --list-formats`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r importing.Request
	flags := command.Flags()
	// In the help, what import alone has comes before what all reading commands have.
	o := option.Of(flags)
	o.Text("output", &r.Output)
	option.Bind(o, "scenario-from", &r.Scenario, option.Rule("RULE", ingest.ParseScenarioRule))
	o.Text("variant", &r.Variant)
	option.Bind(o, "pass-when", &r.Pass, option.Rule("RULE", ingest.ParsePassRule))
	o.Switch("rejudge", &r.Rejudge)
	option.Bind(o, "pattern-errors", &r.ToolErrors, option.Rule("PATTERN", ingest.ParseErrorPattern))
	o.Switch("strict", &r.Strict)
	bind.Reading(flags, &r.Reading)
	o.Text("suite", &r.Suite)
	o.Text("commit", &r.Commit)
	o.Text("branch", &r.Branch)
	o.Text("at", &r.At)
	o.Texts("label", &r.Labels)
	o.Switch("list-formats", &r.List)
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "as" { // in a store a variant is a version
			name = "variant"
		}
		return pflag.NormalizedName(name)
	})
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Files, r.Given = args, base.GivenOf(flags)
		return importing.Import(ctx, a, r)
	})
	return command
}
