package reportcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// verifyFlags are those of the command verify.
type verifyFlags struct {
	suite   string // "" is none: the result is compared with itself alone
	journal string // "" is none
	aside   string // file of the tests that may be set aside; "" is none
	trusted deliver.Trusted
	result  deliver.Target // the reports of what was verified
	// Recordings that are read again, from a store, too.
	recordings recordingsFlags
}

// VerifyCommand lets somebody who did not run the command check its result: nothing is read
// but the saved file, and what the flags name.
func VerifyCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "verify [RESULT]",
		Short: "recompute a saved result from its raw outcomes",
		Long: `Recompute every figure of a saved result from the raw outcomes and counts that it holds:
designs are rebuilt from their boundaries and compared with their digests, gates are
judged again from what they asked for, pairs, metrics and behaviour compared again from
the trials. What has no raw values in the result is named. The exit code is that of the verdict, 0, 1 or 2;
it is 65 where a figure differs, and the first one is named. Without RESULT it is the
last one of the suite that is found from here upwards.

--suite compares the result of a run, and what a gate asked for, with a suite; --journal
compares every trial with the journal of the run; --recording reads the trials of a comparison
or of a verdict again, as their commands do, and compares counts, sums and the trials that the
result holds or has digests of; --quarantine wants each test that
decides nothing to be in that file; --trusted wants their signatures.`,
		Example: `  tribunal verify .tribunal/shop.result.json
  tribunal verify shop.result.json --suite tribunal.yaml --journal shop.journal.jsonl --trusted ci.pub
  tribunal verify compared.json --recording baseline=main.jsonl --recording candidate=candidate.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f verifyFlags
	flags := command.Flags()
	flags.StringVar(&f.suite, "suite", "", "the result must follow from this suite `FILE` too")
	flags.StringVar(&f.journal, "journal", "", "the result must follow from this journal `FILE` too")
	flags.StringVar(&f.aside, "quarantine", "",
		"tests that the result sets aside must be in this `FILE` of tribunal repeat")
	bind.Trusted(flags, &f.trusted)
	flags.Var(&f.result.Reports, "report",
		"write the result to a file once it is verified, as `FORMAT=FILE`; may be given again; FORMAT as in tribunal report")
	f.recordings.register(flags)
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// execute exits with the verdict's code if everything is as it should be, so that it can
// stand in for the command in a pipeline.
func (f *verifyFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.trusted.Read(); err != nil {
		return err
	}
	args, err := evidence.LastResult(a, "verify", args, true)
	if err != nil {
		return err
	}
	if err := f.result.Reports.Open(f.inputs(args[0])...); err != nil {
		return err
	}
	// A file that is no result at all ends with 65 before anything is recomputed.
	result, err := evidence.ReadSaved(ctx, a, "verify", args)
	if err != nil {
		return err
	}
	if err := f.trusted.Check(ctx, a, args[0]); err != nil {
		return err
	}
	found, err := app.Verify(ctx, args[0], result)
	if err != nil {
		return err
	}
	beside, err := f.follows(ctx, a, args[0], result)
	if err != nil {
		return err
	}
	if len(f.recordings.named) > 0 {
		lines, err := f.recordings.follow(ctx, a, flags, args[0], result)
		if err != nil {
			return err
		}
		beside = append(beside, lines...)
	}
	if err := f.result.Reports.Write(ctx, a, result, &f.result); err != nil {
		return err
	}
	// The verdict stands first where there is one; a figure that could not be recomputed is
	// named, so that nobody takes it for verified.
	err = a.Deliver(ctx, nil, func(w io.Writer) error {
		text := fmt.Sprintf("verified: %d figures and texts are what the result's own give\n", found.Compared)
		if found.Judged {
			text = fmt.Sprintf("%s  verified: %d figures and texts are what the outcomes give\n",
				strings.ToUpper(found.Verdict.String()), found.Compared)
		}
		for _, line := range beside {
			text += "  " + line + "\n"
		}
		if taken := f.taken(found.Skipped); len(taken) > 0 {
			text += fmt.Sprintf("\n  without raw values, taken as they are: %s\n", strings.Join(taken, ", "))
		}
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return err
	}
	// A plan or a forecast has figures and no verdict.
	if !found.Judged {
		return problem.Decided(exit.Pass)
	}
	return problem.Decided(found.Verdict.ExitCode())
}

// inputs are the files that are read, none of which a report may overwrite.
func (f *verifyFlags) inputs(saved string) (list []string) {
	for _, name := range append([]string{saved, f.suite, f.journal, f.aside}, f.recordings.files()...) {
		if name != "" && name != "-" {
			list = append(list, name)
		}
	}
	return list
}

// taken are the parts that are taken as they are, of those that a result has no raw values for: a suite
// and a journal tell some of them.
func (f *verifyFlags) taken(skipped []string) (list []string) {
	told := map[string]bool{}
	if f.suite != "" {
		told["suite"], told["suite_digest"], told["task"], told["settings"], told["asked"] = true, true, true, true, true
	}
	if f.journal != "" {
		told["suite_digest"], told["seed"] = true, true
	}
	if f.aside != "" {
		told["scenarios.quarantined"] = true
	}
	for _, part := range skipped {
		if !told[strings.TrimPrefix(part, "run.")] {
			list = append(list, part)
		}
	}
	return list
}

// follows compares the result with the suite and the journal that are named, and says what it follows
// from.
func (f *verifyFlags) follows(
	ctx context.Context, a *world.World, name string, result verdict.Result,
) (lines []string, err error) {
	if f.trusted.Keys != nil {
		lines = append(lines, "signed by a key that is trusted")
	}
	if f.suite == "" && f.journal == "" && f.aside == "" {
		return lines, nil
	}
	run := app.RunOf(result)
	_, gated := result.(*gate.Result)
	if run == nil && !(gated && f.journal == "" && f.aside == "") {
		return nil, problem.BadInput(name+" is not the result of a run, nor of a gate over one",
			"leave out --suite, --journal and --quarantine: only those follow from them")
	}
	if f.suite != "" {
		s, err := app.LoadSuite(ctx, f.suite)
		if err != nil {
			return nil, err
		}
		if err := f.followsSuite(ctx, a, s, run, result); err != nil {
			return nil, f.differs(name, err)
		}
		lines = append(lines, "follows from the suite "+f.suite)
	}
	if f.journal != "" {
		if err := f.trusted.Check(ctx, a, f.journal); err != nil {
			return nil, err
		}
		history, err := journal.Read(f.journal)
		if err != nil {
			return nil, problem.BadInput(err.Error(), "")
		}
		if err := runner.FollowsJournal(history, run); err != nil {
			return nil, f.differs(name, err)
		}
		lines = append(lines, "follows from the journal "+f.journal)
	}
	if f.aside != "" {
		q, err := running.ReadQuarantine(ctx, f.aside)
		if err != nil {
			return nil, err
		}
		if err := q.Follows(run); err != nil {
			return nil, f.differs(name, err)
		}
		lines = append(lines, "sets aside only tests of "+f.aside)
	}
	return lines, nil
}

// followsSuite compares a run with a suite, and what a gate asked for with what the suite does; a gate over what is no
// run has none.
func (f *verifyFlags) followsSuite(
	ctx context.Context, a *world.World, s *suite.Suite, run *runs.Result, result verdict.Result,
) error {
	if run != nil {
		progress := a.NewDesigning()
		err := runner.FollowsSuite(ctx, s, run, progress.Share)
		progress.End()
		if err != nil {
			return err
		}
	}
	if g, ok := result.(*gate.Result); ok {
		return app.FollowsGate(s, g)
	}
	return nil
}

// differs names the file in which something differs.
func (f *verifyFlags) differs(name string, err error) error {
	if different, ok := errors.AsType[*runner.Difference](err); ok {
		return problem.BadInput(fmt.Sprintf("%s: %s", name, different.Error()),
			"the result was changed, or is of another suite or run")
	}
	return err
}
