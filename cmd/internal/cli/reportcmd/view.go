package reportcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/results"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// ViewCommand opens the page of a result in a browser.
func ViewCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "view [RESULT]",
		Short: "open a saved result in a browser",
		Long: `Write a saved result as a page, one file that needs no network, print its path and open it in
a browser. Without RESULT it is the last result of the suite that is found from here upwards.
The page of a result in .tribunal is written beside it, that of another in a temporary
folder. tribunal view is short for tribunal report view.`,
		Example: `  tribunal view
  tribunal view main.result.json --no-open --output main.html`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r results.ViewRequest
	stay := false
	o := option.Of(command.Flags())
	o.Text("output", &r.Output)
	o.Switch("no-open", &stay)
	o.Text(base.StoreFlag, new(string)) // which [base.With] opens
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		var err error
		if r.Result, err = oneResult(a, "view", args); err != nil {
			return err
		}
		r.Open = !stay
		return results.View(ctx, a, r)
	})
	return command
}

// DiffCommand shows how two results or two trials differ.
func DiffCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "diff BEFORE AFTER",
		Short: "show how two results, recordings or trials differ",
		Long: `Show which scenarios of two results changed and by how much, what a trial costs and takes,
and which tools it calls. BEFORE and AFTER are saved results of run or gate, or files and folders as
verdict reads them. FILE:N is the Nth trial of a file, FILE:SCENARIO#N trial N of a scenario:
two trials are shown step by step, with the first difference above. diff judges nothing and exits with
code 0: tribunal compare says what is more than chance. tribunal diff is short for tribunal
report diff.`,
		Example: `  tribunal diff main.result.json .tribunal/shop.result.json
  tribunal diff main.jsonl candidate.jsonl
  tribunal diff main.jsonl:refund#2 candidate.jsonl:refund#4`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r results.DiffRequest
	o := option.Of(command.Flags())
	o.Text(base.StoreFlag, new(string)) // which [base.With] opens
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		if len(args) != 2 {
			return problem.Usage("such as tribunal diff main.jsonl candidate.jsonl",
				"diff takes two results, or two trials as FILE:N, but there %s %s",
				prose.Form(len(args), "is", "are"), prose.Count(len(args), "argument"))
		}
		r.Sides = [2]string(args)
		return results.Diff(ctx, a, r)
	})
	return command
}
