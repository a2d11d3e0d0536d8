package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// verifyCommand lets somebody who did not run the command check its result: nothing is read
// but the saved file.
func (a *App) verifyCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "verify RESULT",
		Short: "recompute a saved result from its raw outcomes",
		Long: `Recompute every figure of a saved result from the raw outcomes and counts that it holds:
designs are rebuilt from their boundaries and compared with their digests, gates are
judged again from what they asked for, pairs, metrics and behaviour compared again from
the trials. What has no raw values in the result is named. The exit code is that of the verdict, 0, 1 or 2;
it is 65 where a figure differs, and the first one is named.`,
		Example:               `  tribunal verify .tribunal/shop.result.json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	command.RunE = a.judging(func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return a.verify(ctx, args)
	})
	return command
}

// verify exits with the verdict's code if everything is as it should be, so that it can
// stand in for the command in a pipeline.
func (a *App) verify(ctx context.Context, args []string) error {
	// A file that is no result at all ends with 65 before anything is recomputed.
	result, err := a.readSaved(ctx, "verify", args)
	if err != nil {
		return err
	}
	found, err := verify.Verify(ctx, result)
	// Only the first difference is named: those after it mostly follow from it.
	if different, ok := errors.AsType[*verdict.DifferenceError](err); ok {
		return badInput(fmt.Sprintf("%s: %s", args[0], different.Error()),
			"the result was changed, or written by another version")
	}
	// Such a result is not wrong; there is nothing in it to recompute from.
	if errors.Is(err, verdict.ErrNoOutcomes) {
		return badInput(fmt.Sprintf("%s: %v", args[0], err),
			"it is verified by running the command again on the recordings")
	}
	if err != nil {
		return badInput(fmt.Sprintf("%s: %v", args[0], err), "")
	}
	// The verdict stands first where there is one; a figure that could not be recomputed is
	// named, so that nobody takes it for verified.
	err = a.deliver(ctx, nil, func(w io.Writer) error {
		text := fmt.Sprintf("verified: %d figures and texts are what the result's own give\n", found.Compared)
		if found.Judged {
			text = fmt.Sprintf("%s  verified: %d figures and texts are what the outcomes give\n",
				strings.ToUpper(found.Verdict.String()), found.Compared)
		}
		if len(found.Skipped) > 0 {
			text += fmt.Sprintf("\n  without raw values, taken as they are: %s\n", strings.Join(found.Skipped, ", "))
		}
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return err
	}
	// A plan or a forecast has figures and no verdict.
	if !found.Judged {
		return decided(ExitPass)
	}
	return decided(found.Verdict.ExitCode())
}
