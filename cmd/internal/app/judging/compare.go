package judging

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/looks"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/rows"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sampled"
)

// CompareRequest asks one question, did it get worse? A candidate that is better passes as one that is as good does.
type CompareRequest struct {
	Files   []string      // the baseline and the candidate; "-" is standard input
	Rows    evidence.Rows // in place of files: of both sides, or the baseline's first
	Sides   [2]Side       // the baseline and the candidate
	Reading evidence.ReadOptions
	Rules
	Delta      float64 // a share of 1, not a percentage: 0.10 is ten points of the pass rate
	Beta       float64
	Test       trial.Optional[stats.Test] // where it is not known the pairs decide
	Rule       compare.Rule
	Correction multiplicity.Correction
	Missing    compare.MissingPolicy
	Seed       uint64 // of what is drawn, and of the permutations of the test of behaviour
	FailOn     FailOn
	Behaviour  Behaviour
	Anytime    bool
	Prior      string // as it was typed; see priors
	// Recordings of a cheaper proxy, the baseline's and the candidate's, with the p-value to show beside it.
	Proxy   []string
	Combine trial.Optional[controlvariate.Combination]
	Looks   looking.Looks
	Result  deliver.Target

	Given value.GivenOptions // the options that were given
}

// Side is one of the two systems to compare.
type Side struct {
	Counts  stats.Counts // zero where files are given
	Variant string       // "" is the only one of the file
}

// sideNames are the names of both sides, which the options for their counts have too.
var sideNames = [2]string{"baseline", "candidate"}

// variantOption names the option that chooses among the variants of a side's file.
func variantOption(side int) string { return sideNames[side] + "-variant" }

// check refuses options that do not go together. Either both sides are counts or both are
// files: of counts alone there are no pairs, no metrics and no behaviour.
func (r *CompareRequest) check(a *world.World) error {
	if r.Rows.Given() {
		if err := r.checkRows(a); err != nil {
			return err
		}
	}
	baseline, candidate := r.Given.Has("baseline"), r.Given.Has("candidate")
	counts := baseline || candidate
	switch {
	case r.Rows.Given() && counts:
		return problem.Usage("omit one of them", "--counts and --baseline both say what is compared")
	case len(r.Rows.Files) > 2:
		return problem.Usage("one for both sides, or one for each", "--counts is given %d times", len(r.Rows.Files))
	case r.Rows.Given():
		return nil
	case counts && len(r.Files) > 0:
		name := "baseline"
		if !baseline {
			name = "candidate"
		}
		return problem.Usage("give either two files or two counts", "%s does not go with files", r.Given.Origin(name))
	case baseline && !candidate:
		return problem.Usage("add --candidate K/N", "%s needs the counts of the candidate", r.Given.Origin("baseline"))
	case candidate && !baseline:
		return problem.Usage("add --baseline K/N", "%s needs the counts of the baseline", r.Given.Origin("candidate"))
	case counts && r.Given.Has("test") && r.Test.Value.Paired():
		return problem.Usage("compare two files", "%s %s needs pairs, and counts do not say which trials belong together",
			r.Given.Origin("test"), r.Test.Value)
	case counts:
		return onlyForFiles(r.Given, variantOption(0), variantOption(1))
	case len(r.Files) == 0:
		return problem.Usage("name two files, or give --baseline K/N --candidate K/N", "there is nothing to compare")
	case len(r.Files) == 1:
		return problem.Usage("one file with two variants is named twice, with --baseline-variant and --candidate-variant",
			"compare takes two files, a baseline and a candidate, but there is only %s", r.Files[0])
	case len(r.Files) > 2:
		return problem.Usage("name a folder for each side, or join its files with tribunal import first",
			"compare takes two files, a baseline and a candidate, but there are %d", len(r.Files))
	}
	for _, name := range r.Files {
		if _, missing := os.Stat(name); missing != nil && evidence.IsRatio(name) {
			return problem.Usage(fmt.Sprintf("counts are given as --baseline %s --candidate %s", r.Files[0], r.Files[1]),
				"%s is no file", name)
		}
	}
	// The same file twice may hold both variants.
	return evidence.CheckNames(r.Files, true)
}

// checkRows refuses what rows cannot answer.
func (r *CompareRequest) checkRows(a *world.World) error {
	others := append([]string{"behaviour-only", "anytime", "proxy", "looks"}, behaviourOptions...)
	if err := checkRows(a, r.Given, r.Rows.Files, r.Files, others...); err != nil {
		return err
	}
	if r.FailOn.Behaviour {
		return problem.Usage("give the trials themselves, or omit it",
			"--fail-on behaviour needs trials, and --counts has counts of them")
	}
	return nil
}

// Compare judges whether the candidate got worse. It checks everything that can be checked before it reads a trial, as
// reading may take minutes.
func Compare(ctx context.Context, a *world.World, r CompareRequest) error {
	if err := r.check(a); err != nil {
		return err
	}
	if r.Given.Has("proxy") {
		return r.compareProxy(ctx, a)
	}
	if r.Given.Typed("combine") {
		return problem.Usage("name the proxy's trials with --proxy", "--combine is for --proxy")
	}
	if err := cmp.Or(r.checkBehaviour(), r.checkAnytime(ctx), r.checkPrior()); err != nil {
		return err
	}
	to, err := r.Result.Open(ctx, a, r.Files, &r.Reading)
	if err != nil {
		return err
	}
	if r.hasResult(ctx) {
		return r.compareEnds(ctx, a, to)
	}
	into, err := r.Result.Spool(ctx, a, "compare", r.Files, &r.Reading)
	if err != nil {
		return err
	}
	defer into.Remove(ctx)
	// Journals say only when they are read that tests stopped their trials.
	both, err := r.recordings(keeping.Spooled(ctx, into), a)
	defer closeBoth(both)
	if err := cmp.Or(err, r.checkSides()); err != nil {
		return err
	}
	var names [2][]string
	for i, e := range both {
		for _, t := range e.recording.Tallies() {
			names[i] = append(names[i], t.Scenario)
		}
	}
	if err := checkCommon([2]string{both[0].recording.Name, both[1].recording.Name}, names); err != nil {
		return err
	}
	if err := r.Looks.Reserve(a, lookOfBoth(both, r.Anytime)); err != nil {
		return err
	}
	switch {
	case r.Behaviour.Only:
		return r.judgeBehaviour(ctx, a, both, to)
	case r.Anytime:
		return r.judgeAnytime(ctx, a, to, both)
	case both[0].recording.Stopped() != nil || both[1].recording.Stopped() != nil:
		return r.judgeStopped(ctx, a, to, both)
	}
	return r.judgeRates(ctx, a, to, both)
}

// anyScenario is what ingest calls the scenario of trials that tell none.
const anyScenario = "all"

// checkCommon refuses sides without a common scenario, by their names and those of their scenarios: rates of other
// tasks say nothing of a change. Trials that tell no scenario may be of any.
func checkCommon(sides [2]string, scenarios [2][]string) error {
	if slices.ContainsFunc(scenarios[:], func(list []string) bool {
		return len(list) == 0 || slices.Contains(list, anyScenario)
	}) {
		return nil
	}
	hint := "compare recordings of the same scenarios; import --scenario-from RULE takes their names from elsewhere"
	for _, name := range scenarios[1] {
		if slices.Contains(scenarios[0], name) {
			return nil
		}
	}
	for _, name := range scenarios[1] {
		if near, ok := prose.Nearest(name, scenarios[0]); ok {
			hint = fmt.Sprintf("is %s of the candidate %s of the baseline? Give both the same name", prose.Quote(name),
				prose.Quote(near))
			break
		}
	}
	const most = 3
	return problem.BadInput(fmt.Sprintf("no scenario is on both sides: %s has %s; %s has %s", prose.FileName(sides[0]),
		prose.Some(suitefile.QuotedAll(scenarios[0]), most), prose.FileName(sides[1]),
		prose.Some(suitefile.QuotedAll(scenarios[1]), most)), hint)
}

// hasResult reports whether a side is a saved result.
func (r *CompareRequest) hasResult(ctx context.Context) bool {
	return slices.ContainsFunc(r.Files, func(file string) bool { return app.IsResult(ctx, file) })
}

// judgeRates compares the pass rates of recordings whose numbers of trials were fixed.
func (r *CompareRequest) judgeRates(
	ctx context.Context, a *world.World, to *outfile.File, both [2]*sideEvidence,
) (err error) {
	o := r.options()
	if o.Priors, err = r.priors(ctx, a); err != nil {
		return err
	}
	if len(r.Files) > 0 {
		o.BehaviourBeside = !r.FailOn.Behaviour
	}
	result, err := compare.Judge(ctx, both[0].recording, both[1].recording, o)
	if err != nil {
		return err
	}
	// Counts have no steps to compare the behaviour of.
	if len(r.Files) > 0 {
		result.AddSample(&both[0].sample, &both[1].sample)
		alpha := o.Alpha
		if !r.FailOn.Behaviour {
			alpha = result.Family.Each
		}
		behaviour, err := r.compareBehaviour(ctx, both, alpha)
		if err != nil {
			return err
		}
		result.AddBehaviour(behaviour, r.FailOn.Behaviour)
	}
	result.Repeat(both[0].answers.Notable(), both[1].answers.Notable())
	if result.Promises() {
		r.Looks.LookAtComparison(a, r.Files, [2]*looks.Prefixes{&both[0].seen, &both[1].seen},
			[2]string{r.Sides[0].Variant, r.Sides[1].Variant}, result)
	}
	result.Priced(r.Reading.Pricing.Used())
	if len(r.Files) > 0 && (r.sameFile() || result.SameTrials()) {
		result.WarnOfSameTrials(prose.FileName(r.Files[0]))
	}
	result.Commit = app.Commit(".", a.Env.Get)
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	return r.Result.Conclude(ctx, a, to, result)
}

// options translates the request. A test that nobody asked for is nil, and left to the judge.
func (r *CompareRequest) options() compare.Options {
	o := compare.Options{
		Delta:      r.Delta,
		Alpha:      r.Looks.Share(r.Alpha),
		Beta:       r.Looks.Share(r.Beta),
		Rule:       r.Rule,
		Correction: r.Correction,
		Errors:     r.Errors,
		By:         r.By,
		Interval:   r.Interval,
		Seed:       r.Seed,
		FailOn:     r.FailOn.Rises,
		Missing:    r.Missing,
	}
	if r.Test.Known {
		o.Test = &r.Test.Value
	}
	return o
}

// sameFile reports whether a recording is compared with itself.
func (r *CompareRequest) sameFile() bool {
	a, b := r.Files[0], r.Files[1]
	return a != "-" && (a == b || evidence.SameFile(a, b)) && r.Sides[0].Variant == r.Sides[1].Variant
}

// checkSides refuses a comparison of a file with itself. What variants it has is known when it is read.
func (r *CompareRequest) checkSides() error {
	if len(r.Files) == 2 && r.sameFile() && !r.Reading.Duplicates {
		return problem.Usage("name another candidate; --allow-duplicates compares it with itself",
			"%s is both the baseline and the candidate", r.Files[0])
	}
	return nil
}

// sideEvidence is what is known of one side.
type sideEvidence struct {
	recording *recording.Recording
	behaviour behaviour.Drawing // empty where only counts are known
	sample    sampled.Drawing   // of its trials
	seen      looks.Prefixes    // of its trials
	answers   verdict.RecordedAnswers
}

// recordings returns the evidence of the baseline and of the candidate. Where both sides would have the same name, such
// as that of a variant which is in both files, the names of the files tell them apart.
func (r *CompareRequest) recordings(ctx context.Context, a *world.World) (both [2]*sideEvidence, err error) {
	switch into := keeping.SpoolOf(ctx); {
	case r.Rows.Given():
		return r.counted(ctx, a)
	case len(r.Files) == 0:
		for i, s := range r.Sides {
			both[i] = &sideEvidence{}
			if both[i].recording, err = recording.OfCounts(sideNames[i], s.Counts); err != nil {
				return both, err
			}
		}
	case into == nil && evidence.ReadableAtOnce(r.Files):
		both, err = r.readAtOnce(ctx, a)
	default:
		for i := range r.Sides {
			into.Turn(sideNames[i])
			if both[i], err = r.recording(ctx, a, i, 0); err != nil {
				return both, err
			}
		}
	}
	if err != nil {
		return both, err
	}
	if first, second := both[0].recording, both[1].recording; len(r.Files) > 0 && first.Name == second.Name {
		first.Name, second.Name = prose.FileName(r.Files[0]), prose.FileName(r.Files[1])
	}
	if max(both[0].recording.Len(), both[1].recording.Len()) > evidence.KeptWhole {
		evidence.ReadAside(a)
	}
	return both, nil
}

// readAtOnce reads the candidate beside the baseline. What is to be told of it, and its error, come after those of the
// baseline.
func (r *CompareRequest) readAtOnce(ctx context.Context, a *world.World) (both [2]*sideEvidence, err error) {
	beside, cancel := context.WithCancel(ctx)
	defer cancel()
	each := max(1, runtime.GOMAXPROCS(0)/2)
	behind, turn := a.Behind()
	read := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if value := recover(); value != nil {
				err = problem.PanickedWith(value)
			}
			read <- err
		}()
		both[1], err = r.recording(beside, behind, 1, each)
	}()
	if both[0], err = r.recording(ctx, a, 0, each); err != nil {
		cancel()
		<-read
		return both, err
	}
	turn()
	return both, <-read
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
func (r *CompareRequest) counted(ctx context.Context, a *world.World) (both [2]*sideEvidence, err error) {
	var sides [2]*rows.Rows
	for i, name := range r.Rows.Files {
		if sides[i], err = r.Rows.Read(ctx, a, name); err != nil {
			return both, err
		}
	}
	if sides[1] == nil {
		sides[1] = sides[0]
	}
	for i, s := range r.Sides {
		variant, err := sides[i].Variant(s.Variant, variantOption(i))
		if err != nil {
			return both, err
		}
		both[i] = &sideEvidence{}
		if both[i].recording, err = sides[i].Recording(variant); err != nil {
			return both, err
		}
		if variant == "" {
			both[i].recording.Name = sideNames[i]
		}
	}
	if first, second := both[0].recording, both[1].recording; first.Name == second.Name && len(r.Rows.Files) == 2 {
		first.Name, second.Name = prose.FileName(sides[0].Source), prose.FileName(sides[1].Source)
	}
	return both, nil
}

// recording reads one side with so many workers, 0 of which are one for each processor. It is named after its variant,
// or else its file. One pass fills both, what is judged and what behaviour needs, as files may be large.
func (r *CompareRequest) recording(ctx context.Context, a *world.World, side, workers int) (*sideEvidence, error) {
	file := r.Files[side]
	e := &sideEvidence{recording: &recording.Recording{}, behaviour: behaviour.Drawing{Seed: r.Seed},
		sample: sampled.Drawing{Seed: r.Seed}}
	e.recording.PutAside(evidence.KeptWhole)
	// The input is read for the pairs, steps and contents for the behaviour, and what is not known of a trial for what
	// guards denied in it.
	o := r.Reading.Options(r.Sides[side].Variant, sampled.Fields)
	o.Unjudged, o.Workers = r.Behaviour.Only, workers
	err := evidence.ReadBoth(ctx, a, []string{file}, o, e.recording, evidence.KeptCompared(a), func(t *trial.Trial) {
		e.recording.Name = t.Variant
		e.behaviour.Add(t)
		e.seen.Add(t)
		e.answers.Add(t)
		if !r.Behaviour.Only {
			e.recording.Add(t)
			e.sample.Add(t)
		}
	})
	e.behaviour.Sample.Stopped = e.recording.Stopped() != nil
	if err != nil {
		return nil, evidence.Naming(variantOption(side), err)
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
