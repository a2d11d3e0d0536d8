package verdictcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
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
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/rows"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sampled"
)

// compareFlags are those of the command compare.
type compareFlags struct {
	evidence evidence.Reading
	judging  judging.Flags
	result   deliver.Target
	// A share of 1, not a percentage: 0.10 is ten points of the pass rate.
	delta value.Level
	beta  value.Level
	// It counts only where it is given; else the pairs decide, see options.
	test       value.Word[stats.Test]
	rule       value.Word[compare.Rule]
	correction value.Word[multiplicity.Correction]
	missing    value.Word[compare.Missing]
	// Of what is drawn, and of the permutations of the test of
	// behaviour.
	seed      value.Seed
	behaviour behaviourFlags
	anytime   bool
	looks     looking.Looks
	// As it was typed; see priors.
	prior string
	proxy proxyFlags
	// The baseline first, always.
	sides [2]side
	// Rows in place of files: of both sides, or the baseline's first.
	rows evidence.Rows
}

// side is one of the two systems to compare.
type side struct {
	name string // of the flag for its counts
	// Zero where files are given.
	counts value.Ratio
	// "" is the only one of the file.
	variant string
}

// variantFlag names the flag that chooses among the variants of this side's file.
func (s side) variantFlag() string { return s.name + "-variant" }

// CompareCommand asks one question, did it get worse? A candidate that is better passes as
// one that is as good does.
func CompareCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "compare BASELINE CANDIDATE",
		Short: "judge whether a candidate got worse than a baseline",
		Long: `Judge whether the candidate passes less often than the baseline.

Fail (exit code 1) if it is shown to be worse, Pass (0) if it is shown not to be
worse by delta, Inconclusive (2) if the trials do not tell. Trials are compared within
their scenario, and their input where it was repeated or both sides tried it. BASELINE and CANDIDATE are files
or folders as verdict reads them, or saved results of run, which are compared by the exact
distribution of where their tests may end; - is standard input. One file that holds two variants is
named twice, with --baseline-variant and --candidate-variant. With --counts, or postgres://...?query=@rows.sql
as a file, rows that a database counted stand for the trials: see tribunal sql.`,
		Example: `  tribunal compare main.jsonl candidate.jsonl --delta 0.10
  tribunal compare main.result.json .tribunal/shop.result.json
  tribunal compare main.jsonl candidate.jsonl --anytime
  tribunal compare main.jsonl candidate.jsonl --behaviour-only --behaviour-test hotelling-t2
  tribunal compare main.jsonl candidate.jsonl --prior last-month.jsonl
  tribunal compare main.jsonl candidate.jsonl --proxy main-mini.jsonl,candidate-mini.jsonl
  tribunal compare --counts rows.csv --baseline-variant v6 --candidate-variant v7
  tribunal compare --baseline 93/100 --candidate 71/100 --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f compareFlags
	f.register(command.Flags())
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register sets the defaults before the flags see them: pflag prints in the help what a
// value is at its registration.
func (f *compareFlags) register(flags *pflag.FlagSet) {
	f.delta, f.beta, f.seed = verdict.DefaultDelta, verdict.DefaultBeta, 1
	f.test = value.Word[stats.Test]{Kind: "TEST", Words: stats.Tests()}
	f.rule = value.Word[compare.Rule]{
		Kind: "RULE", Words: []compare.Rule{compare.MarginRule, compare.PaperRule, compare.BayesRule},
	}
	f.correction = value.Word[multiplicity.Correction]{Kind: "METHOD", Words: []multiplicity.Correction{
		multiplicity.Holm, multiplicity.BenjaminiHochberg, multiplicity.NoCorrection,
	}}
	f.missing = value.Word[compare.Missing]{Kind: "WAY", Words: []compare.Missing{compare.MissingOpen,
		compare.MissingIgnore}}
	f.sides = [2]side{{name: "baseline"}, {name: "candidate"}}
	flags.Var(&f.delta, "delta", "the smallest drop of the pass rate that matters")
	f.judging.Register(flags, "bounds the chance of a false Fail")
	flags.Var(&f.beta, "beta", "bounds the chance of a false Pass")
	flags.Var(&f.test, "test",
		f.test.Usage("test of \"worse\"")+" (default mcnemar where trials are paired, stratified with several scenarios or "+
			"inputs, else boschloo)")
	// The zero value of the type would be printed as the default, but the default depends
	// on the trials.
	flags.Lookup("test").DefValue = ""
	flags.Var(&f.rule, "rule", f.rule.Usage("how the verdict is reached"))
	flags.Var(&f.correction, "correct", f.correction.Usage("correction for many scenarios"))
	flags.Var(&f.missing, "missing",
		f.missing.Usage("scenarios of one side alone: no Pass where the candidate lacks some, or leave them out"))
	for i := range f.sides {
		s := &f.sides[i]
		flags.Var(&s.counts, s.name, fmt.Sprintf("passes/trials of the %s, instead of files", s.name))
		flags.StringVar(&s.variant, s.variantFlag(), "",
			fmt.Sprintf("take the trials of this `VARIANT` as the %s", s.name))
	}
	option.Of(flags).Texts("counts", &f.rows.Files)
	flags.BoolVar(&f.anytime, "anytime", false,
		"judge by evidence over pairs of trials, whose errors hold however often it is looked at")
	flags.Var(&f.seed, "seed", "seed of what is drawn and of the relabelings")
	flags.StringVar(&f.prior, "prior", "",
		"show beside the verdict how large the drop is under this `PRIOR`: a Beta prior A,B of both rates, or earlier "+
			"trials of the baseline, as K/N or a file")
	f.behaviour.register(flags)
	f.proxy.register(flags)
	bind.Looks(flags, &f.looks)
	bind.Reading(flags, &f.evidence)
	bind.Prices(flags, &f.evidence.Pricing)
	bind.Result(flags, &f.result)
}

// check refuses flags that do not go together. Either both sides are counts or both are
// files: of counts alone there are no pairs, no metrics and no behaviour.
func (f *compareFlags) check(flags *pflag.FlagSet, files []string) error {
	baseline, candidate := flags.Changed("baseline"), flags.Changed("candidate")
	counts := baseline || candidate
	switch {
	case f.rows.Given() && counts:
		return problem.Usage("leave one of them out", "--counts and --baseline both say what is compared")
	case len(f.rows.Files) > 2:
		return problem.Usage("one for both sides, or one for each", "--counts is given %d times", len(f.rows.Files))
	case f.rows.Given():
		return nil
	case counts && len(files) > 0:
		name := "baseline"
		if !baseline {
			name = "candidate"
		}
		return problem.Usage("give either two files or two counts", "%s does not go with files", base.Origin(flags, name))
	case baseline && !candidate:
		return problem.Usage("add --candidate K/N", "%s needs the counts of the candidate", base.Origin(flags, "baseline"))
	case candidate && !baseline:
		return problem.Usage("add --baseline K/N", "%s needs the counts of the baseline", base.Origin(flags, "candidate"))
	case counts && flags.Changed("test") && f.test.Value.Paired():
		return problem.Usage("compare two files", "%s %s needs pairs, and counts do not say which trials belong together",
			base.Origin(flags, "test"), f.test.Value)
	case counts:
		return bind.OnlyForFiles(flags, append(bind.NamesOfReading(), f.sides[0].variantFlag(), f.sides[1].variantFlag()))
	case len(files) == 0:
		return problem.Usage("name two files, or give --baseline K/N --candidate K/N", "there is nothing to compare")
	case len(files) == 1:
		return problem.Usage("one file with two variants is named twice, with --baseline-variant and --candidate-variant",
			"compare takes two files, a baseline and a candidate, but there is only %s", files[0])
	case len(files) > 2:
		return problem.Usage("name a folder for each side, or join its files with tribunal import first",
			"compare takes two files, a baseline and a candidate, but there are %d", len(files))
	}
	// The same file twice is allowed: it may hold both variants.
	return evidence.CheckNames(files, true)
}

// execute checks everything that can be checked before it reads a trial, as reading may
// take minutes.
func (f *compareFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string) error {
	files = f.rows.Take(files)
	if f.rows.Given() {
		needs := append(append(bind.NamesOfReading(), f.behaviour.names()...), "behaviour-only", "anytime", "proxy", "looks")
		if err := bind.CheckRows(a, flags, &f.rows, files, needs...); err != nil {
			return err
		}
		if f.behaviour.counts() {
			return problem.Usage("give the trials themselves, or leave it out",
				"--fail-on behaviour needs trials, and --counts has counts of them")
		}
	}
	if err := f.check(flags, files); err != nil {
		return err
	}
	if flags.Changed("proxy") {
		return f.compareProxy(ctx, a, flags, files)
	}
	if base.Typed(flags, "combine") {
		return problem.Usage("name the proxy's trials with --proxy", "--combine is for --proxy")
	}
	if !f.rows.Given() {
		if err := f.behaviour.check(flags, files); err != nil {
			return err
		}
	}
	if err := f.checkAnytime(ctx, flags, files); err != nil {
		return err
	}
	if err := f.checkPrior(flags, files); err != nil {
		return err
	}
	to, err := f.result.File(ctx, a, files)
	if err != nil {
		return err
	}
	if err := f.result.Spared("--output", to, files, f.evidence.EveryFile()); err != nil {
		return err
	}
	if slices.ContainsFunc(files, func(file string) bool { return evidence.IsResult(ctx, file) }) {
		return f.compareEnds(ctx, a, flags, files, to)
	}
	if err := f.evidence.Pricing.Load(nil); err != nil {
		return err
	}
	into, err := keeping.NewSpool(ctx, &f.evidence.Store, a, files)
	if err != nil {
		return err
	}
	defer into.Remove(ctx)
	f.result.Keeps(a, into, &f.evidence.Store, "compare")
	// Journals say only when they are read that tests stopped their trials.
	both, err := f.recordings(keeping.Spooled(ctx, into), a, flags, files)
	defer closeBoth(both)
	if err != nil {
		return err
	}
	if err := f.looks.Reserve(a, lookOfBoth(both, f.anytime)); err != nil {
		return err
	}
	if f.behaviour.only {
		return f.judgeBehaviour(ctx, a, both, to)
	}
	if f.anytime {
		return f.judgeAnytime(ctx, a, to, both)
	}
	if both[0].recording.Stopped() != nil || both[1].recording.Stopped() != nil {
		if err := refuseFixed(flags, "journals of runs whose tests stopped by their outcomes"); err != nil {
			return err
		}
		var sides [2]compare.EndsSide
		for i, e := range both {
			sides[i] = compare.EndsOfTrials(e.recording)
			sides[i].Answers = e.answers.Notable()
			if s := e.recording.Stopped(); s.IsCut() {
				return &recording.StoppedError{Name: e.recording.Name, Stopped: s, Advice: judgeStopped(s)}
			}
			if err := ended(sides[i]); err != nil {
				return err
			}
		}
		return f.judgeEnds(ctx, a, to, sides)
	}
	o := f.options(flags)
	if o.Priors, err = f.priors(ctx, a, flags); err != nil {
		return err
	}
	if len(files) > 0 {
		o.BehaviourBeside = !f.behaviour.counts()
	}
	result, err := compare.Judge(ctx, both[0].recording, both[1].recording, o)
	if err != nil {
		return err
	}
	// Counts have no steps to compare the behaviour of.
	if len(files) > 0 {
		result.AddSample(&both[0].sample, &both[1].sample)
		alpha := o.Alpha
		if !f.behaviour.counts() {
			alpha = result.Family.Each
		}
		behaviour, err := f.compareBehaviour(ctx, both, alpha)
		if err != nil {
			return err
		}
		result.AddBehaviour(behaviour, f.behaviour.counts())
	}
	result.Repeat(both[0].answers.Notable(), both[1].answers.Notable())
	if result.Promises() {
		f.looks.LookAtComparison(a, files, [2]*looks.Prefixes{&both[0].seen, &both[1].seen},
			[2]string{f.sides[0].variant, f.sides[1].variant}, result)
	}
	result.Priced(f.evidence.Pricing.Used())
	// It is a warning and no error: a comparison with itself is a fair way to try the
	// command.
	if f.sameTrials(files) {
		result.SameTrials(prose.FileName(files[0]))
	}
	result.Commit = app.Commit(".", a.Env.Get)
	result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	return f.result.Conclude(ctx, a, to, result)
}

// options translates the flags. A test that nobody asked for is nil, and left to the judge.
func (f *compareFlags) options(flags *pflag.FlagSet) compare.Options {
	o := compare.Options{
		Delta:      float64(f.delta),
		Alpha:      f.looks.Share(float64(f.judging.Alpha)),
		Beta:       f.looks.Share(float64(f.beta)),
		Rule:       f.rule.Value,
		Correction: f.correction.Value,
		Errors:     f.judging.Errors.Value,
		By:         f.judging.By.Value,
		Interval:   f.judging.Interval.Value,
		Seed:       uint64(f.seed),
		FailOn:     f.behaviour.failOn.rises,
		Missing:    f.missing.Value,
	}
	if flags.Changed("test") {
		o.Test = &f.test.Value
	}
	return o
}

// sameTrials reports whether a recording is compared with itself. Two files with the same
// content under other names are not noticed.
func (f *compareFlags) sameTrials(files []string) bool {
	return len(files) == 2 && evidence.SameFile(files[0], files[1]) && f.sides[0].variant == f.sides[1].variant
}

// sideEvidence is what is known of one side.
type sideEvidence struct {
	recording *recording.Recording
	behaviour behaviour.Drawing // empty where only counts are known
	sample    sampled.Drawing   // of its trials
	seen      looks.Prefixes    // of its trials
	answers   verdict.RecordedAnswers
}

// recordings returns the evidence of the baseline and of the candidate. One file is read
// after the other. Where both sides would have the same name, such as that of a variant
// which is in both files, the names of the files tell them apart.
func (f *compareFlags) recordings(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string,
) (both [2]*sideEvidence, err error) {
	if f.rows.Given() {
		return f.counted(ctx, a)
	}
	into := keeping.SpoolOf(ctx)
	for i, s := range f.sides {
		into.Turn(s.name)
		if len(files) > 0 {
			both[i], err = f.recording(ctx, a, flags, s, files[i])
		} else {
			both[i] = &sideEvidence{}
			both[i].recording, err = recording.OfCounts(s.name, stats.Counts(s.counts))
		}
		if err != nil {
			return both, err
		}
	}
	if first, second := both[0].recording, both[1].recording; len(files) > 0 && first.Name == second.Name {
		first.Name, second.Name = prose.FileName(files[0]), prose.FileName(files[1])
	}
	if max(both[0].recording.Len(), both[1].recording.Len()) > evidence.KeptWhole {
		evidence.ReadAside(a)
	}
	return both, nil
}

// closeBoth gives back what recordings put aside. There is nothing to lose: they were read.
func closeBoth(both [2]*sideEvidence) {
	for _, e := range both {
		if e != nil {
			_ = e.recording.Close()
		}
	}
}

// counted are the rows of both sides: those of two variants in one file, or of a file each.
func (f *compareFlags) counted(ctx context.Context, a *world.World) (both [2]*sideEvidence, err error) {
	var of [2]*rows.Rows
	for i, name := range f.rows.Files {
		if of[i], err = f.rows.Read(ctx, a, name); err != nil {
			return both, err
		}
	}
	if of[1] == nil {
		of[1] = of[0]
	}
	for i, s := range f.sides {
		variant, err := of[i].Variant(s.variant, s.variantFlag())
		if err != nil {
			return both, err
		}
		both[i] = &sideEvidence{}
		if both[i].recording, err = of[i].Recording(variant); err != nil {
			return both, err
		}
		if variant == "" {
			both[i].recording.Name = s.name
		}
	}
	if first, second := both[0].recording, both[1].recording; first.Name == second.Name && len(f.rows.Files) == 2 {
		first.Name, second.Name = prose.FileName(of[0].Source), prose.FileName(of[1].Source)
	}
	return both, nil
}

// recording reads one side. It is named after its variant, or else its file. One pass fills
// both, what is judged and what behaviour needs, as files may be large.
func (f *compareFlags) recording(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s side, file string,
) (*sideEvidence, error) {
	e := &sideEvidence{recording: &recording.Recording{}, behaviour: behaviour.Drawing{Seed: uint64(f.seed)},
		sample: sampled.Drawing{Seed: uint64(f.seed)}}
	e.recording.PutAside(evidence.KeptWhole)
	// The input is read for the pairs, steps and contents for the behaviour, and what is not known of a trial for what
	// guards denied in it.
	o := f.evidence.Options(s.variant, sampled.Fields)
	o.Unjudged = f.behaviour.only
	err := evidence.ReadBoth(ctx, a, []string{file}, o, e.recording, evidence.KeptCompared(a), func(t *trial.Trial) {
		e.recording.Name = t.Variant
		e.behaviour.Add(t)
		e.seen.Add(t)
		e.answers.Add(t)
		if !f.behaviour.only {
			e.recording.Add(t)
			e.sample.Add(t)
		}
	})
	e.behaviour.Sample.Stopped = e.recording.Stopped() != nil
	if err != nil {
		return nil, evidence.Naming(s.variantFlag(), err)
	}
	if e.recording.Name == "" {
		e.recording.Name = prose.FileName(file)
	}
	return e, nil
}

// lookOfBoth is a look at two recordings.
func lookOfBoth(both [2]*sideEvidence, anytime bool) world.GuestLook {
	baseline, candidate := &both[0].seen, &both[1].seen
	look := world.GuestLook{
		Scenarios: append(baseline.Scenarios(), candidate.Scenarios()...),
		Evidence:  baseline.Counted() + " " + candidate.Counted(),
	}
	if anytime {
		look.Grew = func(earlier string) bool {
			first, second, _ := strings.Cut(earlier, " ")
			return baseline.Began(first) && candidate.Began(second)
		}
	}
	return look
}
