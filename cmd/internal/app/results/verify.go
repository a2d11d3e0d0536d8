package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// VerifyRequest asks whether a saved result follows from its own outcomes, and from what is named beside it.
type VerifyRequest struct {
	Result     string // file, - or store:QUERY
	Suite      string // file; "" is none, and likewise below
	Journal    string
	Quarantine string   // file of the tests that may be set aside
	Recordings []string // SIDE=FILE, or FILE
	Reading    evidence.ReadOptions
	Trusted    deliver.TrustOptions
	To         deliver.Target // the reports of what was verified
}

// Verify recomputes the result. It ends with the verdict's code if everything is as it should be, so that it can stand
// in for the command in a pipeline.
func Verify(ctx context.Context, a *world.World, r VerifyRequest) error {
	if err := r.Trusted.Read(); err != nil {
		return err
	}
	if err := r.To.Reports.Open(r.inputs()...); err != nil {
		return err
	}
	// A file that is no result at all ends with 65 before anything is recomputed.
	result, err := app.ReadResult(ctx, r.Result, a.Stdin)
	if err != nil {
		return err
	}
	if err := r.Trusted.Check(ctx, a, r.Result); err != nil {
		return err
	}
	found, err := app.Verify(ctx, r.Result, result)
	if err != nil {
		return err
	}
	beside, err := r.follows(ctx, a, r.Result, result)
	if err != nil {
		return err
	}
	if len(r.Recordings) > 0 {
		lines, err := r.follow(ctx, a, r.Result, result)
		if err != nil {
			return err
		}
		beside = append(beside, lines...)
	}
	if err := r.To.Reports.Write(ctx, a, result, &r.To); err != nil {
		return err
	}
	// A figure that could not be recomputed is named, so that nobody takes it for verified.
	err = a.Deliver(ctx, nil, func(w io.Writer) error {
		text := fmt.Sprintf("verified: %d figures and texts are what the result's own give\n", found.Compared)
		if found.Judged {
			text = fmt.Sprintf("verified: %d figures and texts are what the outcomes give; the verdict is %s\n",
				found.Compared, prose.Capitalised(found.Verdict.String()))
		}
		for _, line := range beside {
			text += "  " + line + "\n"
		}
		if taken := r.taken(found.Skipped); len(taken) > 0 {
			const width = 80 // as of other results in a log
			all := "without raw values, taken as they are: " + strings.Join(taken, ", ")
			text += "\n  " + strings.Join(table.Wrap(all, width-len("    ")), "\n    ") + "\n"
		}
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return err
	}
	// A plan or a forecast has figures and no verdict.
	if !found.Judged {
		return problem.VerdictError(exit.Pass)
	}
	return problem.VerdictError(found.Verdict.ExitCode())
}

// inputs are the files that are read, none of which a report may overwrite.
func (r *VerifyRequest) inputs() (list []string) {
	for _, name := range append([]string{r.Result, r.Suite, r.Journal, r.Quarantine}, r.recordings()...) {
		if name != "" && name != "-" {
			list = append(list, name)
		}
	}
	return list
}

// taken are the parts that are taken as they are, of those that a result has no raw values for: a suite
// and a journal tell some of them.
func (r *VerifyRequest) taken(skipped []string) (list []string) {
	told := map[string]bool{}
	if r.Suite != "" {
		told["suite"], told["suite_digest"], told["task"], told["settings"], told["asked"] = true, true, true, true, true
	}
	if r.Journal != "" {
		told["suite_digest"], told["seed"] = true, true
	}
	if r.Quarantine != "" {
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
func (r *VerifyRequest) follows(
	ctx context.Context, a *world.World, name string, result verdict.Result,
) (lines []string, err error) {
	if r.Trusted.Keys != nil {
		lines = append(lines, "signed by a key that is trusted")
	}
	if r.Suite == "" && r.Journal == "" && r.Quarantine == "" {
		return lines, nil
	}
	run := app.RunOf(result)
	_, gated := result.(*gate.Result)
	if run == nil && !(gated && r.Journal == "" && r.Quarantine == "") {
		return nil, problem.BadInput(name+" is not the result of a run, nor of a gate over one",
			"omit --suite, --journal and --quarantine: only those follow from them")
	}
	if r.Suite != "" {
		s, err := app.LoadSuite(ctx, r.Suite)
		if err != nil {
			return nil, err
		}
		if err := followsSuite(ctx, a, s, run, result); err != nil {
			return nil, differs(name, err)
		}
		lines = append(lines, "follows from the suite "+r.Suite)
	}
	if r.Journal != "" {
		if err := r.Trusted.Check(ctx, a, r.Journal); err != nil {
			return nil, err
		}
		history, err := journal.Read(r.Journal)
		if err != nil {
			return nil, problem.BadInput(err.Error(), "")
		}
		if err := runner.FollowsJournal(history, run); err != nil {
			return nil, differs(name, err)
		}
		lines = append(lines, "follows from the journal "+r.Journal)
	}
	if r.Quarantine != "" {
		q, err := running.ReadQuarantine(ctx, r.Quarantine)
		if err != nil {
			return nil, err
		}
		if err := q.Follows(run); err != nil {
			return nil, differs(name, err)
		}
		lines = append(lines, "sets aside only tests of "+r.Quarantine)
	}
	return lines, nil
}

// followsSuite compares a run with a suite, and what a gate asked for with what the suite does; a gate over what is no
// run has none.
func followsSuite(
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
func differs(name string, err error) error {
	if different, ok := errors.AsType[*runner.Difference](err); ok {
		return problem.BadInput(fmt.Sprintf("%s: %s", name, different.Error()),
			"the result was changed, or is of another suite or run")
	}
	return err
}
