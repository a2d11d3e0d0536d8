package judging

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
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

// VerdictRequest asks whether a pass rate is good enough.
type VerdictRequest struct {
	Files   []string      // of trials, or folders; "-" is standard input
	Rows    evidence.Rows // in place of files
	Reading evidence.ReadOptions
	Rules
	Threshold      float64 // the least pass rate that is good enough
	Passes, Trials int     // both or neither, and only without files
	Variant        string  // "" is the only one of the files
	Anytime        bool    // by bets on the rate
	Score          bool    // the mean of scores, in place of outcomes
	Labels         string  // a labelled sheet that decides; "" lets the outcomes decide
	Sequential     Sequential
	Looks          looking.Looks
	Result         deliver.Target

	Given value.GivenOptions // the options that were given
}

// checkNames refuses numbers in the place of files.
func (r *VerdictRequest) checkNames() error {
	for _, name := range r.Files {
		_, err := value.Level(name)
		passes, trials, _ := strings.Cut(name, "/")
		switch _, missing := os.Stat(name); {
		case missing == nil:
		case err == nil:
			return problem.Usage("such as --threshold "+name, "%s is no file", name)
		case evidence.IsRatio(name):
			return problem.Usage(fmt.Sprintf("counts are given as --passes %s --trials %s", passes, trials),
				"%s is no file", name)
		}
	}
	return nil
}

// check refuses options that do not go together.
func (r *VerdictRequest) check(a *world.World) error {
	if r.Rows.Given() {
		err := checkRows(a, r.Given, r.Rows.Files, r.Files, "sequential", "baseline", "labels", "looks")
		if err != nil {
			return err
		}
	}
	if err := r.checkNames(); err != nil {
		return err
	}
	passes, trials := r.Given.Has("passes"), r.Given.Has("trials")
	counts := passes || trials
	switch {
	case r.Rows.Given() && counts:
		return problem.Usage("omit one of them", "--counts and --passes both say what is judged")
	case counts && len(r.Files) > 0:
		// The message names the option that was given.
		name := "passes"
		if !passes {
			name = "trials"
		}
		return problem.Usage("give either files or counts", "%s does not go with files", r.Given.Origin(name))
	case passes && !trials:
		return problem.Usage("add --trials N", "%s needs the number of trials", r.Given.Origin("passes"))
	case trials && !passes:
		return problem.Usage("add --passes K", "%s needs the number of passes", r.Given.Origin("trials"))
	case r.Passes > r.Trials:
		// Without files both are 0 unless they were given, so this needs no other
		// condition.
		return problem.Usage("--passes counts those among --trials", "there are more passes, %d, than trials, %d",
			r.Passes, r.Trials)
	case !counts && len(r.Files) == 0 && r.Labels != "":
		return problem.Usage("name the recording that it is drawn from",
			"--labels %s is a sheet, and there is nothing to judge", r.Labels)
	case !counts && len(r.Files) == 0 && !r.Rows.Given():
		return problem.Usage("name files, - for standard input, or give --passes K --trials N", "there is nothing to judge")
	case r.Sequential.On && r.Sequential.Against.Baseline != "":
		if given := r.Given.Typed("threshold"); given && r.Given.Typed("baseline") {
			return problem.Usage("omit one of them", "--threshold and --baseline both say what to test against")
		}
	case counts && r.Given.Typed("baseline"):
		return problem.Usage(
			fmt.Sprintf("tribunal compare --baseline K/N --candidate %d/%d compares counts", r.Passes, r.Trials),
			"--baseline is for trials in their order, and counts have none")
	case !r.Sequential.On && r.Given.Typed("baseline"):
		return problem.Usage("add --sequential, and omit --threshold; --delta says how much less than the baseline is "+
			"too low", "--baseline is for --sequential")
	case !r.Given.Has("threshold"):
		return problem.Usage("such as --threshold 0.85, or TRIBUNAL_THRESHOLD=0.85",
			"--threshold is missing: the least pass rate that is good enough")
	}
	if err := r.checkAnytime(); err != nil {
		return err
	}
	if err := r.checkLabels(); err != nil {
		return err
	}
	if err := r.checkScore(); err != nil {
		return err
	}
	if counts {
		return onlyForFiles(r.Given, "variant", "labels")
	}
	return evidence.CheckNames(r.Files, r.Reading.Duplicates)
}

// checkAnytime refuses what has no meaning for bets on the rate.
func (r *VerdictRequest) checkAnytime() error {
	if !r.Anytime {
		return nil
	}
	for _, name := range []string{"interval", "looks", "sequential"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit one of them",
				"--%s does not go with --anytime, which judges by bets on the rate",
				name)
		}
	}
	return nil
}

// checkLabels refuses what labels cannot answer.
func (r *VerdictRequest) checkLabels() error {
	if r.Labels == "" {
		return nil
	}
	for _, name := range []string{"interval", "anytime", "sequential", "baseline", "looks"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit one of them",
				"--%s does not go with --labels, which are a sample of a fixed number of trials",
				name)
		}
	}
	if r.By != verdict.BySuite {
		return problem.Usage("omit one of them", "%s does not go with --labels, which are of all scenarios together",
			r.Given.Origin("by"))
	}
	return nil
}

// Verdict judges a pass rate. It refuses and opens before it reads, as reading may take minutes.
func Verdict(ctx context.Context, a *world.World, r VerdictRequest) error {
	if err := r.check(a); err != nil {
		return err
	}
	if err := r.checkSequential(); err != nil {
		return err
	}
	to, err := r.Result.Open(ctx, a, r.Files, &r.Reading)
	if err != nil {
		return err
	}
	into, err := r.Result.Spool(ctx, a, "verdict", r.Files, &r.Reading)
	if err != nil {
		return err
	}
	defer into.Remove(ctx)
	if r.Sequential.On {
		return r.judgeSequentially(ctx, a, to, into)
	}
	if r.Score {
		return r.judgeScores(ctx, a, to, into)
	}
	var labelled *labelledTrials
	if r.Labels != "" {
		if labelled, err = r.openLabels(ctx); err != nil {
			return err
		}
	}
	var seen looks.Prefixes
	var answers verdict.RecordedAnswers
	var tallies verdict.Tallies
	err = r.count(keeping.Spooled(ctx, into), a, &tallies, &seen, &answers, labelled)
	if err != nil {
		return err
	}
	look := world.GuestLook{Scenarios: seen.Scenarios(), Evidence: seen.Counted()}
	if r.Anytime {
		look.Grew = seen.Began
	}
	if err := r.Looks.Reserve(a, look); err != nil {
		return err
	}
	options := r.options()
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
	result.Reliability.Cost.Priced(r.Reading.Pricing.Used())
	if labelled == nil { // whose errors are of the labels
		result.Repeat(answers.Notable())
	}
	// Looks at any time need not be counted: its errors are those of all of them.
	if !r.Anytime {
		r.Looks.LookAtRates(a, r.Files, r.Variant, &seen, result)
	}
	// The exit code is part of the saved result: a gate or a report of it needs no options.
	result.ExitCode = r.Result.Exit(a, result.Verdict, decidingReasons(result))
	return r.Result.Conclude(ctx, a, to, result)
}

// options translates the request into those of the judge.
func (r *VerdictRequest) options() verdict.ThresholdOptions {
	return verdict.ThresholdOptions{
		Threshold: r.Threshold,
		Alpha:     r.Looks.Share(r.Alpha),
		Interval:  r.Interval,
		Errors:    r.Errors,
		By:        r.By,
		Anytime:   r.Anytime,
	}
}

// count counts the trials by scenario. Counts that are given are one scenario, "all".
func (r *VerdictRequest) count(
	ctx context.Context, a *world.World, tallies *verdict.Tallies, seen *looks.Prefixes,
	answers *verdict.RecordedAnswers, labelled *labelledTrials,
) error {
	if r.Rows.Given() {
		all, err := r.Rows.All(ctx, a)
		if err != nil {
			return err
		}
		variant, err := all.Variant(r.Variant, "variant")
		if err != nil {
			return err
		}
		list, err := all.Tallies(variant)
		for _, tally := range list {
			tallies.AddTally(tally)
		}
		return err
	}
	if len(r.Files) == 0 {
		c := stats.Counts{Passes: r.Passes, Trials: r.Trials}
		// Counts have no trials that ended in an error.
		tallies.AddTally(verdict.Tally{Scenario: "all", Passes: c.Passes, Fails: c.Fails()})
		return nil
	}
	// Steps say which model took what, and contents whether answers came again.
	var recorded recording.Recording
	fields := r.Reading.Options(r.Variant,
		trial.BasicFields|trial.TimeField|trial.StepFields|trial.ContentFields)
	if labelled != nil {
		fields = evidence.LabelOptions(fields)
	}
	err := evidence.ReadBoth(ctx, a, r.Files, fields, &recorded, evidence.Counted, func(t *trial.Trial) {
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
	// Evidence of one rate holds wherever its trials were stopped. That of several scenarios, which
	// the page has too where each must hold, would be of the mix that the stopping made.
	oneRate := len(tallies.List()) < 2
	if s := recorded.Stopped(); s != nil && !(r.Anytime && (oneRate || s.IsCut())) {
		return refuseStopped(ctx, s)
	}
	return nil
}

// refuseUnrun refuses what judges trial by trial where an error stands for tests that did not run, and how many is not
// known.
func refuseUnrun(r *recording.Recording, errors verdict.ErrorPolicy, instead string) error {
	if r.Unrun() == 0 || errors == verdict.ExcludeErrors {
		return nil
	}
	return problem.BadInput(r.Name+": "+verdict.Tally{Unrun: r.Unrun()}.UnrunReason().Text,
		"mend what did not run, or "+instead)
}

// refuseStopped names what judges trials that tests stopped: a threshold at a fixed number of trials has other risks,
// and an interval another coverage. Where the run has not ended, how it goes on comes first.
func refuseStopped(ctx context.Context, s *recording.StoppedTests) error {
	e := &recording.StoppedError{Name: prose.FileName(s.Open().Recording), Stopped: s}
	goesOn, _ := app.JournalAdvice(ctx, s.Open().Recording)
	_, several := s.Pool()
	switch {
	case s.IsCut():
		e.Advice = "--anytime judges what is there, and holds wherever it was stopped"
	case several && s.Ended():
		e.Advice = "tribunal gate --results judges each scenario again, as its suite requires"
	case !several:
		e.Advice = "--sequential judges the trials in their order, and --anytime by bets on the rate: both hold wherever " +
			"they stopped"
	}
	if goesOn == "" && !s.Ended() {
		goesOn = "tribunal run --resume lets it end"
	}
	e.Advice = strings.Trim(goesOn+"; "+e.Advice, "; ")
	return e
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
