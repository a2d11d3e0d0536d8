package running

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// sharded reports whether a part is run.
func (f *run) sharded() bool { return f.Shard.Count > 0 }

// checkShard refuses options of a result where there is none. Variables may be there for other commands.
func (f *run) checkShard() error {
	if !f.sharded() {
		return nil
	}
	for _, name := range []string{
		"output", "report", "json", "on-inconclusive", "scenarios", "explain", "store", "ledger", "new-agent",
	} {
		if f.Given.Typed(name) && (name != "ledger" || f.Looks.Ledger != looking.NoLedger) {
			return problem.Usage("give it to tribunal run merge", "%s decides nothing, so it has no --%s",
				f.Given.Origin("shard"), name)
		}
	}
	if f.Given.Typed("eager") {
		return problem.Usage("omit it", "%s keeps all workers busy by itself", f.Given.Origin("shard"))
	}
	if f.Given.Typed("extend") {
		return problem.Usage("merge the shards; then tribunal run --extend continues the merged journal",
			"%s does not see the trials of the other shards, so it cannot continue a test", f.Given.Origin("shard"))
	}
	return nil
}

// usual are the usual files of the run, of which a shard has a journal of its own, and so has a recording whose result
// is named: a later run does not replace its trials.
func (f *run) usual(s *suite.Suite, partial bool) app.Files {
	usual := app.FilesOf(s, partial)
	if f.Tests.Record > 0 && f.Output != "" {
		usual.Journal = journal.Beside(f.Output)
	}
	if shard := f.Shard; f.sharded() {
		usual.Journal = strings.TrimSuffix(usual.Journal, journalEnd) +
			fmt.Sprintf(".shard-%d-of-%d", shard.Index, shard.Count) +
			journalEnd
	}
	return usual
}

// journalEnd is how the name of a journal ends.
const journalEnd = ".journal.jsonl"

// divide gives a shard its part of the run and of the budget. Time is not divided: the shards run at once.
func (f *run) divide(a *world.World, s *suite.Suite, o *runner.Options) error {
	if !f.sharded() {
		return nil
	}
	shard := f.Shard
	o.Shard = &shard
	if o.Calibrate != nil {
		return problem.Usage("remove calibrate from the suite, or give --record how many trials each scenario has",
			"--shard %v does not see the trials of the other shards, by which calibrate says how many are recorded", shard)
	}
	stops := func(t runner.Test) bool {
		kind := t.Design.Kind
		return t.Against != nil || kind != sprt.FixedKind && kind != sprt.RecordingKind
	}
	if shard.Count > 1 && !f.Resume && slices.ContainsFunc(o.Tests, stops) {
		a.Notice("note", "shard %v makes its part of all trials that the tests may take: it does not see the other parts, "+
			"so stopping early saves nothing", shard)
	}
	b, parts := &o.Budget, []string{}
	if b.MaxCostUSD > 0 {
		whole := b.MaxCostUSD
		b.MaxCostUSD /= float64(shard.Count)
		parts = append(parts, fmt.Sprintf("$%s of $%s", usd(b.MaxCostUSD), usd(whole)))
	}
	if b.MaxTokens > 0 {
		whole := b.MaxTokens
		if b.MaxTokens /= int64(shard.Count); b.MaxTokens == 0 {
			return indivisible(whole, "tokens", shard)
		}
		parts = append(parts, fmt.Sprintf("%d of %d tokens", b.MaxTokens, whole))
	}
	if b.MaxTrials > 0 {
		whole := b.MaxTrials
		b.MaxTrials /= shard.Count
		if shard.Index <= whole%shard.Count {
			b.MaxTrials++
		}
		if b.MaxTrials == 0 {
			return indivisible(int64(whole), "trials", shard)
		}
		parts = append(parts, fmt.Sprintf("%d of %d trials", b.MaxTrials, whole))
	}
	if len(parts) > 0 {
		a.Notice("note", "the budget of shard %v is %s", shard, strings.Join(parts, ", "))
	}
	return nil
}

// indivisible refuses a budget of which a shard would have nothing.
func indivisible(whole int64, unit string, shard journal.Shard) error {
	return problem.Usage("use fewer shards, or a larger budget", "a budget of %d %s cannot be divided among %d shards",
		whole, unit, shard.Count)
}

// usd writes an amount with as many digits as it has, up to four after the point.
func usd(x float64) string {
	text := strings.TrimRight(strconv.FormatFloat(x, 'f', 4, 64), "0")
	if whole, digits, _ := strings.Cut(text, "."); len(digits) < 2 {
		return whole + "." + (digits + "00")[:2]
	}
	return text
}

// executeShard runs a part of the suite.
func (f *run) executeShard(ctx context.Context, a *world.World, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	s, err := suitefile.Load(a, args)
	if err != nil {
		return err
	}
	c, err := f.conduct(ctx, a, s)
	if err != nil {
		return err
	}
	if err := f.signJournal(ctx, c.options.Journal); err != nil {
		return err
	}
	shard, found := f.Shard, c.done.Found
	if found.Share == nil {
		return problem.BadInput(fmt.Sprintf("shard %v was stopped before its part was run, by its %s",
			shard, found.StoppedBy),
			"tribunal run merge needs it whole: run it again with --fresh")
	}
	if budget := found.Share.Budget; budget != "" {
		a.Notice("warning", "the %s budget of shard %v is used up after %d of %s; --resume with a larger one continues, and "+
			"tribunal run merge counts what there is", budget, shard, found.Share.Trials,
			prose.Count(found.Share.Needed, "trial"))
	}
	err = a.Deliver(ctx, nil, func(w io.Writer) error {
		_, err := io.WriteString(w, f.shardText(s, found, c.options.Journal))
		return err
	})
	if err != nil {
		return err
	}
	return problem.VerdictError(exit.Pass)
}

// shardText says what a shard did, and what comes next.
func (f *run) shardText(s *suite.Suite, found *runner.Result, file string) string {
	outcomes := found.Outcomes()
	text := fmt.Sprintf("shard %v of %s was run: %s, %d passed, %d failed", f.Shard, prose.Printable(s.Name),
		prose.Count(found.Share.Trials, "trial"), outcomes[trial.Pass], outcomes[trial.Fail])
	if n := outcomes[trial.Error]; n > 0 {
		text += ", " + prose.Count(n, "error")
	}
	words := []string{"tribunal", "run", "merge"}
	if file, err := app.FindSuite(); err != nil || file != s.File {
		words = append(words, "--suite", problem.ShellWord(s.File))
	}
	if f.Journal != "" {
		words = append(words, "JOURNAL...")
	}
	return fmt.Sprintf("%s\n\n  journal       %s\n  next          %s\n\nNo verdict: it takes the journals of %s.\n",
		text, prose.Printable(file), prose.Printable(strings.Join(words, " ")), ofShards(f.Shard.Count))
}

// ofShards names all shards of a run.
func ofShards(count int) string {
	switch count {
	case 1:
		return "all shards, of which this is the only one"
	case 2:
		return "both shards"
	}
	return "all " + prose.Count(count, "shard")
}

// mergeProblem gives the faults of journals that cannot be merged their hints.
func mergeProblem(err error) error {
	e, ok := errors.AsType[*runner.MergeError](err)
	if !ok {
		return err
	}
	run := fmt.Sprintf("tribunal run --shard %v", e.Shard)
	hints := map[runner.MergeFault]string{
		runner.NoShard:      "name the journals that tribunal run --shard wrote, or their folder",
		runner.ShardMissing: "run it with tribunal run --shard; or name its journal, or the folder of all journals",
		runner.ShardTwice:   "name one of them",
		runner.ShardsDiffer: "all shards need the same suite, seed and flags",
		runner.OtherRun: "give it the suite and the flags that the shards had, such as --only, --baseline and " +
			"--profile",
		runner.ShardUnfinished: run + " --resume continues it",
		runner.CutOff:          "copy it again if it is whole elsewhere; else " + run + " --resume continues it",
		runner.NotItsOwn:       "the journal was changed, or written by another version; " + run + " --fresh runs it again",
		runner.TrialMissing:    "the journal was changed, or written by another version; " + run + " --fresh runs it again",
		runner.OutOfWindow:     "start the shards closer together, or give the suite a longer window",
	}
	return problem.BadInput(e.Error(), hints[e.Fault])
}
