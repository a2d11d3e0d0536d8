package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/looks"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// verdictFlags are those of the command verdict.
type verdictFlags struct {
	evidence   evidenceFlags
	judging    judgingFlags
	result     resultFlags
	looks      looksFlags
	sequential sequentialFlags
	anytime    bool
	// The least pass rate that is good enough; 1 is no level, as no trials show it.
	threshold level
	// Both or neither, and only without files.
	passes count
	trials count
	// "" is the only one of the files.
	variant string
	// A labelled sheet that decides; "" lets the outcomes decide.
	labels string
	// Rows in place of files.
	counts countsFlags
}

// verdictCommand is the plainest of the judging commands; the others follow its pattern.
func (a *App) verdictCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "verdict [FILE...] --threshold P",
		Short: "judge a pass rate against a threshold",
		Long: `Judge the pass rate of recorded trials against a threshold.

Pass (exit code 0) if the whole confidence interval of the rate lies at or above
the threshold, Fail (1) if it lies below, Inconclusive (2) if the trials do not
tell. FILE is JSON lines, CSV, lines of outcomes, JUnit XML, the output of go test
-json, or the log of an agent or an evaluation tool (tribunal import --list-formats
names them), also compressed, or a folder of such files; - is standard input. With
--sequential the trials are judged one by one, as tribunal plan designs it, and with
--baseline against earlier trials in place of a threshold. With --labels the outcomes
are those of a judge, and what a person says of some trials decides: see tribunal label. With
--counts, or postgres://...?query=@rows.sql as FILE, rows that a database counted stand for the
trials: see tribunal sql.`,
		Example: `  tribunal verdict trials.jsonl --threshold 0.85
  tribunal verdict trials.jsonl --threshold 0.90 --sequential
  tribunal verdict trials.jsonl --baseline main.jsonl --sequential
  tribunal verdict judged.jsonl --threshold 0.8 --labels sheet.csv
  tribunal verdict --counts rows.csv --variant v7 --threshold 0.85
  tribunal verdict --passes 45 --trials 50 --threshold 0.85 --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f verdictFlags
	f.register(command.Flags())
	command.RunE = a.judging(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register sets the order of the help: the question, how it is judged, what it is judged by.
func (f *verdictFlags) register(flags *pflag.FlagSet) {
	f.passes.most, f.trials.most, f.trials.least = maxTrials, maxTrials, 1
	flags.Var(&f.threshold, "threshold", "the least pass rate that is good enough; required without --baseline")
	flags.Lookup("threshold").DefValue = ""
	f.judging.register(flags, "error of the interval: 0.05 is a 95 % interval")
	flags.Var(&f.passes, "passes", "passes, with --trials instead of files")
	flags.Var(&f.trials, "trials", "trials, with --passes instead of files")
	flags.StringVar(&f.variant, "variant", "", "judge the trials of this `VARIANT`")
	flags.BoolVar(&f.anytime, "anytime", false,
		"judge by a confidence sequence, whose errors hold however often it is looked at")
	flags.StringVar(&f.labels, "labels", "",
		"let the labels in this `SHEET` of tribunal label decide, in place of the judge's outcomes")
	f.counts.register(flags, "judge the rows of this `FILE`, which a database counted by tribunal sql; may be given again")
	f.looks.register(flags)
	f.sequential.register(flags)
	f.evidence.register(flags)
	flags.Lookup(storeFlag).Usage = useOfStore("keep what is judged in this store, and read store:QUERY from it")
	f.evidence.pricing.register(flags)
	f.result.register(flags)
}

// check refuses flags that do not go together.
func (f *verdictFlags) check(flags *pflag.FlagSet, files []string) error {
	passes, trials := flags.Changed("passes"), flags.Changed("trials")
	counts := passes || trials
	switch {
	case f.counts.given() && counts:
		return usage("leave one of them out", "--counts and --passes both say what is judged")
	case counts && len(files) > 0:
		// The message names the flag that was given.
		name := "passes"
		if !passes {
			name = "trials"
		}
		return usage("give either files or counts", "%s does not go with files", origin(flags, name))
	case passes && !trials:
		return usage("add --trials N", "%s needs the number of trials", origin(flags, "passes"))
	case trials && !passes:
		return usage("add --passes K", "%s needs the number of passes", origin(flags, "trials"))
	case f.passes.value > f.trials.value:
		// Without files both are 0 unless they were given, so this needs no other
		// condition.
		return usage("--passes counts those among --trials", "there are more passes, %d, than trials, %d",
			f.passes.value, f.trials.value)
	case !counts && len(files) == 0 && !f.counts.given():
		return usage("name files, - for standard input, or give --passes K --trials N", "there is nothing to judge")
	case f.sequential.on && f.sequential.against.baseline != "":
		if given := typed(flags, "threshold"); given && typed(flags, "baseline") {
			return usage("leave one of them out", "--threshold and --baseline both say what to test against")
		}
	case !flags.Changed("threshold"):
		return usage("such as --threshold 0.85, or TRIBUNAL_THRESHOLD=0.85",
			"--threshold is missing: the least pass rate that is good enough")
	}
	if err := f.checkAnytime(flags); err != nil {
		return err
	}
	if err := f.checkLabels(flags); err != nil {
		return err
	}
	if counts {
		return onlyForFiles(flags, append(f.evidence.names(), "variant", "labels"))
	}
	return checkNames(files, f.evidence.duplicates)
}

// checkAnytime refuses what has no meaning for a confidence sequence.
func (f *verdictFlags) checkAnytime(flags *pflag.FlagSet) error {
	if !f.anytime {
		return nil
	}
	for _, name := range []string{"interval", "looks", "sequential"} {
		if typed(flags, name) {
			return usage("leave one of them out", "--%s does not go with --anytime, which judges by a confidence sequence",
				name)
		}
	}
	return nil
}

// checkLabels refuses what labels cannot answer.
func (f *verdictFlags) checkLabels(flags *pflag.FlagSet) error {
	if f.labels == "" {
		return nil
	}
	for _, name := range []string{"interval", "anytime", "sequential", "baseline", "looks"} {
		if typed(flags, name) {
			return usage("leave one of them out",
				"--%s does not go with --labels, which are a sample of a fixed number of trials",
				name)
		}
	}
	if f.judging.by.value != verdict.BySuite {
		return usage("leave one of them out", "%s does not go with --labels, which are of all scenarios together",
			origin(flags, "by"))
	}
	return nil
}

// typed reports whether a flag was given on the command line, and not by a variable or a suite.
func typed(flags *pflag.FlagSet, name string) bool {
	return flags.Changed(name) && origin(flags, name) == "--"+name
}

// onlyForFiles refuses flags that say how files are read where there are none. A
// variable may be there for other runs.
func onlyForFiles(flags *pflag.FlagSet, names []string) error {
	for _, name := range names {
		if flags.Changed(name) && origin(flags, name) == "--"+name {
			return usage("leave it out", "--%s says how files are read, and counts are given instead of files", name)
		}
	}
	return nil
}

// execute refuses and opens before it reads, as reading may take minutes.
func (f *verdictFlags) execute(ctx context.Context, a *App, flags *pflag.FlagSet, files []string) error {
	files = f.counts.take(files)
	if f.counts.given() {
		if err := f.counts.check(a, flags, files, append(f.evidence.names(), "sequential", "baseline", "labels", "looks")...); err != nil {
			return err
		}
	}
	if err := f.check(flags, files); err != nil {
		return err
	}
	if err := f.sequential.check(flags, files); err != nil {
		return err
	}
	to, err := f.result.file(ctx, a, files)
	if err != nil {
		return err
	}
	if err := f.result.spared("--output", to, files, f.evidence.everyFile()); err != nil {
		return err
	}
	if err := f.evidence.pricing.load(nil); err != nil {
		return err
	}
	into, err := f.evidence.store.spool(ctx, a, files)
	if err != nil {
		return err
	}
	defer into.remove(ctx)
	f.result.keeps(a, into, &f.evidence.store, "verdict")
	if f.sequential.on {
		return f.judgeSequentially(ctx, a, flags, files, to, into)
	}
	var labelled *labelledTrials
	if f.labels != "" {
		if labelled, err = f.openLabels(); err != nil {
			return err
		}
	}
	var seen looks.Prefixes
	var tallies verdict.Tallies
	err = f.count(spooled(ctx, into), a, flags, files, &tallies, &seen, labelled)
	if err != nil {
		return err
	}
	look := guestLook{Scenarios: seen.Scenarios(), Evidence: seen.Counted()}
	if f.anytime {
		look.Grew = seen.Began
	}
	if err := f.looks.reserve(a, look); err != nil {
		return err
	}
	options := f.options()
	if labelled != nil {
		if options.Labels, err = labelled.sample(options.Errors); err != nil {
			return err
		}
	}
	result, err := verdict.JudgeThreshold(ctx, tallies.List(), options)
	if err != nil {
		return err
	}
	result.Usage = tallies.Usage()
	result.Reliability.Cost.Priced(f.evidence.pricing.used())
	// Looks of a confidence sequence need not be counted: its errors are those of all of them.
	if !f.anytime {
		f.looks.lookAtRates(a, files, f.variant, &seen, result)
	}
	// The exit code is part of the saved result: a gate or a report of it needs no flags.
	result.ExitCode = f.result.exit(a, result.Verdict, decidingReasons(result))
	return f.result.conclude(ctx, a, to, result)
}

// options translates the flags into those of the judge.
func (f *verdictFlags) options() verdict.ThresholdOptions {
	return verdict.ThresholdOptions{
		Threshold: float64(f.threshold),
		Alpha:     f.looks.share(float64(f.judging.alpha)),
		Interval:  f.judging.interval.value,
		Errors:    f.judging.errors.value,
		By:        f.judging.by.value,
		Anytime:   f.anytime,
	}
}

// count counts the trials by scenario. Counts that are given are one scenario, "all".
func (f *verdictFlags) count(
	ctx context.Context, a *App, flags *pflag.FlagSet, files []string, tallies *verdict.Tallies, seen *looks.Prefixes,
	labelled *labelledTrials,
) error {
	if f.counts.given() {
		all, err := f.counts.all(ctx, a)
		if err != nil {
			return err
		}
		variant, err := all.Variant(f.variant, "variant")
		if err != nil {
			return err
		}
		list, err := all.Tallies(variant)
		for _, tally := range list {
			tallies.AddTally(tally)
		}
		return err
	}
	if len(files) == 0 {
		c := stats.Counts{Passes: f.passes.value, Trials: f.trials.value}
		// Counts have no trials that ended in an error.
		tallies.AddTally(verdict.Tally{Scenario: "all", Passes: c.Passes, Fails: c.Fails()})
		return nil
	}
	// Steps say which model took what; nothing looks at contents here.
	var r recording.Recording
	fields := f.evidence.options(flags, f.variant, trial.BasicFields|trial.TimeField|trial.StepFields)
	if labelled != nil {
		fields = labelOptions(fields)
	}
	err := a.readBoth(ctx, files, fields, &r, counted, func(t *trial.Trial) {
		tallies.Add(t)
		labelled.add(t)
		seen.Add(t)
	})
	if err != nil {
		return naming("variant", err)
	}
	// A confidence sequence of one rate holds wherever its trials were stopped. That of several scenarios, which
	// the page has too where each must hold, would be of the mix that the stopping made.
	oneRate := len(tallies.List()) < 2
	if s := r.Stopped(); s != nil && !(f.anytime && oneRate) {
		return &recording.StoppedError{Name: prose.FileName(s.Tests[0].Recording), Stopped: s, Advice: judgeStopped(s)}
	}
	return nil
}

// judgeStopped names what judges trials that tests stopped: a threshold at a fixed number of
// trials has other risks, and an interval another coverage.
func judgeStopped(s *recording.Stopped) string {
	if _, several := s.Pool(); several {
		return "tribunal report has the verdicts of the run's result; tribunal gate --results judges each scenario again, as " +
			"its suite asks"
	}
	return "--sequential judges the trials in their order, and --anytime by a confidence sequence: both hold wherever they " +
		"stopped; tribunal report has the verdict of the run's result"
}

// decidingReasons are those of the verdict, with those of the scenarios that keep
// it open where each must hold.
func decidingReasons(result *verdict.ThresholdResult) []verdict.Reason {
	reasons := slices.Clone(result.Reasons)
	if result.By != verdict.ByScenario {
		return reasons
	}
	for _, scenario := range result.Scenarios {
		if scenario.Verdict == verdict.Inconclusive {
			reasons = append(reasons, scenario.Reasons...)
		}
	}
	return reasons
}
