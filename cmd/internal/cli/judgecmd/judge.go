package judgecmd

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judges"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/suite"
)

// JudgeCommand writes trials, as import does: what comes of them is for other commands to say.
func JudgeCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "judge SUITE TRACES...",
		Short: "judge recorded trials by the evaluators, limits and judges of a suite",
		Long: `Judge recorded trials by the evaluators, contracts, limits and judges of a suite, and
write them with the outcome and the evidence of each, one JSON object a line. No agent
is started; evaluators that are programs are, once for each trial. TRACES are
recordings in any format that is read, judged or not, or folders of them; - is standard
input. Notes on stderr say what was judged and what could not be.

A trial whose rule asks for what it does not record, such as an exit code, ends in an
error: it neither passes nor fails. Trials that ended in an error, and those of
scenarios that the suite does not have, are written as they were, and named; the latter
are marked, so that nobody takes their outcomes for those of this judge.`,
		Example: `  tribunal judge tribunal.yaml traces/ -o judged.jsonl
  tribunal judge tribunal.yaml trials.jsonl | tribunal verdict - --threshold 0.8
  tribunal check tribunal.yaml --offline trials.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r judges.JudgeRequest
	flags := command.Flags()
	o := option.Of(flags)
	o.Text("output", &r.Output)
	base.RegisterChoice(flags, &r.Choice)
	o.Text("variant", &r.Variant)
	bind.Reading(flags, &r.Reading)
	outIsOutput(flags)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		switch {
		case len(args) == 0:
			return problem.Usage("such as tribunal judge tribunal.yaml trials.jsonl", "name a suite, and recordings to judge")
		case isRecording(args[0]) || len(args) > 1 && !evidence.IsSuite(args[0]) && slices.ContainsFunc(args[1:], isSuite):
			return problem.Usage("the suite comes first: tribunal judge "+strings.Join(suiteFirst(args), " "),
				"%s is no suite: that is a folder or a .yaml file", args[0])
		case len(args) == 1:
			return problem.Usage(base.OrElse(base.Below(command, args[0]), "name files or folders; - is standard input"),
				"there is nothing to judge by %s", args[0])
		}
		r.Suite, r.Files = args[0], args[1:]
		return judges.Judge(ctx, a, r)
	})
	return command
}

// isSuite reports whether the name is that of a suite.
func isSuite(name string) bool { return !isRecording(name) && evidence.IsSuite(name) }

// suiteFirst are arguments with the suite among them at the front; tribunal.yaml where there is none.
func suiteFirst(args []string) []string {
	at := slices.IndexFunc(args, isSuite)
	if at < 0 {
		return slices.Concat([]string{suite.FileName}, args)
	}
	return slices.Concat(args[at:at+1], args[:at], args[at+1:])
}

// isRecording reports whether the name is that of a file that cannot be a suite.
func isRecording(name string) bool {
	info, err := os.Stat(name)
	extension := filepath.Ext(name)
	return name == "-" || err == nil && !info.IsDir() && extension != ".yaml" && extension != ".yml"
}

// outIsOutput lets --out stand for --output.
func outIsOutput(flags *pflag.FlagSet) {
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "out" {
			name = "output"
		}
		return pflag.NormalizedName(name)
	})
}
