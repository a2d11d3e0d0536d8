package verdictcmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/looks"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// verdictFlags are those of the command verdict.
type verdictFlags struct {
	evidence   evidence.Reading
	judging    judging.Flags
	result     deliver.Target
	looks      looking.Looks
	sequential sequentialFlags
	anytime    bool
	// The least pass rate that is good enough; 1 is no level, as no trials show it.
	threshold value.Level
	// Both or neither, and only without files.
	passes value.Count
	trials value.Count
	// "" is the only one of the files.
	variant string
	// A labelled sheet that decides; "" lets the outcomes decide.
	labels string
	// Rows in place of files.
	counts evidence.Rows
}

// VerdictCommand is the plainest of the judging commands; the others follow its pattern.
func VerdictCommand(a *world.World) *cobra.Command {
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
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register sets the order of the help: the question, how it is judged, what it is judged by.
func (f *verdictFlags) register(flags *pflag.FlagSet) {
	f.passes.Most, f.trials.Most, f.trials.Least = value.MaxTrials, value.MaxTrials, 1
	flags.Var(&f.threshold, "threshold", "the least pass rate that is good enough; required without --baseline")
	flags.Lookup("threshold").DefValue = ""
	f.judging.Register(flags, "error of the interval: 0.05 is a 95 % interval")
	flags.Var(&f.passes, "passes", "passes, with --trials instead of files")
	flags.Var(&f.trials, "trials", "trials, with --passes instead of files")
	flags.StringVar(&f.variant, "variant", "", "judge the trials of this `VARIANT`")
	flags.BoolVar(&f.anytime, "anytime", false,
		"judge by a confidence sequence, whose errors hold however often it is looked at")
	flags.StringVar(&f.labels, "labels", "",
		"let the labels in this `SHEET` of tribunal label decide, in place of the judge's outcomes")
	option.Of(flags).Texts("counts", &f.counts.Files)
	bind.Looks(flags, &f.looks)
	f.sequential.register(flags)
	bind.Reading(flags, &f.evidence)
	bind.Prices(flags, &f.evidence.Pricing)
	bind.Result(flags, &f.result)
}

// check refuses flags that do not go together.
func (f *verdictFlags) check(flags *pflag.FlagSet, files []string) error {
	passes, trials := flags.Changed("passes"), flags.Changed("trials")
	counts := passes || trials
	switch {
	case f.counts.Given() && counts:
		return problem.Usage("leave one of them out", "--counts and --passes both say what is judged")
	case counts && len(files) > 0:
		// The message names the flag that was given.
		name := "passes"
		if !passes {
			name = "trials"
		}
		return problem.Usage("give either files or counts", "%s does not go with files", base.Origin(flags, name))
	case passes && !trials:
		return problem.Usage("add --trials N", "%s needs the number of trials", base.Origin(flags, "passes"))
	case trials && !passes:
		return problem.Usage("add --passes K", "%s needs the number of passes", base.Origin(flags, "trials"))
	case f.passes.Value > f.trials.Value:
		// Without files both are 0 unless they were given, so this needs no other
		// condition.
		return problem.Usage("--passes counts those among --trials", "there are more passes, %d, than trials, %d",
			f.passes.Value, f.trials.Value)
	case !counts && len(files) == 0 && !f.counts.Given():
		return problem.Usage("name files, - for standard input, or give --passes K --trials N", "there is nothing to judge")
	case f.sequential.on && f.sequential.against.Baseline != "":
		if given := base.Typed(flags, "threshold"); given && base.Typed(flags, "baseline") {
			return problem.Usage("leave one of them out", "--threshold and --baseline both say what to test against")
		}
	case !flags.Changed("threshold"):
		return problem.Usage("such as --threshold 0.85, or TRIBUNAL_THRESHOLD=0.85",
			"--threshold is missing: the least pass rate that is good enough")
	}
	if err := f.checkAnytime(flags); err != nil {
		return err
	}
	if err := f.checkLabels(flags); err != nil {
		return err
	}
	if counts {
		return bind.OnlyForFiles(flags, append(bind.NamesOfReading(), "variant", "labels"))
	}
	return evidence.CheckNames(files, f.evidence.Duplicates)
}

// checkAnytime refuses what has no meaning for a confidence sequence.
func (f *verdictFlags) checkAnytime(flags *pflag.FlagSet) error {
	if !f.anytime {
		return nil
	}
	for _, name := range []string{"interval", "looks", "sequential"} {
		if base.Typed(flags, name) {
			return problem.Usage("leave one of them out",
				"--%s does not go with --anytime, which judges by a confidence sequence",
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
		if base.Typed(flags, name) {
			return problem.Usage("leave one of them out",
				"--%s does not go with --labels, which are a sample of a fixed number of trials",
				name)
		}
	}
	if f.judging.By.Value != verdict.BySuite {
		return problem.Usage("leave one of them out", "%s does not go with --labels, which are of all scenarios together",
			base.Origin(flags, "by"))
	}
	return nil
}

// execute refuses and opens before it reads, as reading may take minutes.
func (f *verdictFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string) error {
	files = f.counts.Take(files)
	if f.counts.Given() {
		if err := bind.CheckRows(a, flags, &f.counts, files, append(bind.NamesOfReading(), "sequential", "baseline", "labels",
			"looks")...); err != nil {
			return err
		}
	}
	if err := f.check(flags, files); err != nil {
		return err
	}
	if err := f.sequential.check(flags, files); err != nil {
		return err
	}
	to, err := f.result.File(ctx, a, files)
	if err != nil {
		return err
	}
	if err := f.result.Spared("--output", to, files, f.evidence.EveryFile()); err != nil {
		return err
	}
	if err := f.evidence.Pricing.Load(nil); err != nil {
		return err
	}
	into, err := keeping.NewSpool(ctx, &f.evidence.Store, a, files)
	if err != nil {
		return err
	}
	defer into.Remove(ctx)
	f.result.Keeps(a, into, &f.evidence.Store, "verdict")
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
	var answers verdict.RecordedAnswers
	var tallies verdict.Tallies
	err = f.count(keeping.Spooled(ctx, into), a, flags, files, &tallies, &seen, &answers, labelled)
	if err != nil {
		return err
	}
	look := world.GuestLook{Scenarios: seen.Scenarios(), Evidence: seen.Counted()}
	if f.anytime {
		look.Grew = seen.Began
	}
	if err := f.looks.Reserve(a, look); err != nil {
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
	result.Reliability.Cost.Priced(f.evidence.Pricing.Used())
	if labelled == nil { // whose errors are of the labels
		result.Repeat(answers.Notable())
	}
	// Looks of a confidence sequence need not be counted: its errors are those of all of them.
	if !f.anytime {
		f.looks.LookAtRates(a, files, f.variant, &seen, result)
	}
	// The exit code is part of the saved result: a gate or a report of it needs no flags.
	result.ExitCode = f.result.Exit(a, result.Verdict, decidingReasons(result))
	return f.result.Conclude(ctx, a, to, result)
}

// options translates the flags into those of the judge.
func (f *verdictFlags) options() verdict.ThresholdOptions {
	return verdict.ThresholdOptions{
		Threshold: float64(f.threshold),
		Alpha:     f.looks.Share(float64(f.judging.Alpha)),
		Interval:  f.judging.Interval.Value,
		Errors:    f.judging.Errors.Value,
		By:        f.judging.By.Value,
		Anytime:   f.anytime,
	}
}

// count counts the trials by scenario. Counts that are given are one scenario, "all".
func (f *verdictFlags) count(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string, tallies *verdict.Tallies,
	seen *looks.Prefixes,
	answers *verdict.RecordedAnswers, labelled *labelledTrials,
) error {
	if f.counts.Given() {
		all, err := f.counts.All(ctx, a)
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
		c := stats.Counts{Passes: f.passes.Value, Trials: f.trials.Value}
		// Counts have no trials that ended in an error.
		tallies.AddTally(verdict.Tally{Scenario: "all", Passes: c.Passes, Fails: c.Fails()})
		return nil
	}
	// Steps say which model took what, and contents whether answers came again.
	var r recording.Recording
	fields := f.evidence.Options(f.variant,
		trial.BasicFields|trial.TimeField|trial.StepFields|trial.ContentFields)
	if labelled != nil {
		fields = evidence.LabelOptions(fields)
	}
	err := evidence.ReadBoth(ctx, a, files, fields, &r, evidence.Counted, func(t *trial.Trial) {
		labelled.add(t)
		if labelled != nil && oracle.LeftOut(t) {
			return // neither the judge nor a label says what it is
		}
		tallies.Add(t)
		seen.Add(t)
		answers.Add(t)
	})
	if err != nil {
		return evidence.Naming("variant", err)
	}
	if n := labelled.leftOut(); n > 0 {
		a.Notice("note", "%s left out: the judge did not judge %s", prose.Count(n, "trial"),
			prose.Form(n, "it", "them"))
	}
	// A confidence sequence of one rate holds wherever its trials were stopped. That of several scenarios, which
	// the page has too where each must hold, would be of the mix that the stopping made.
	oneRate := len(tallies.List()) < 2
	if s := r.Stopped(); s != nil && !(f.anytime && (oneRate || s.IsCut())) {
		return &recording.StoppedError{Name: prose.FileName(s.Tests[0].Recording), Stopped: s, Advice: judgeStopped(s)}
	}
	return nil
}

// judgeStopped names what judges trials that tests stopped: a threshold at a fixed number of
// trials has other risks, and an interval another coverage.
func judgeStopped(s *recording.Stopped) string {
	if s.IsCut() {
		return "tribunal run --resume lets it end; --anytime judges what is there, and holds wherever it was stopped"
	}
	if _, several := s.Pool(); several {
		return "tribunal report has the verdicts of the run's result; tribunal gate --results judges each scenario again, " +
			"as its suite asks"
	}
	return "--sequential judges the trials in their order, and --anytime by a confidence sequence: both hold wherever " +
		"they stopped; tribunal report has the verdict of the run's result"
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
