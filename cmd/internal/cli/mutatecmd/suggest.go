package mutatecmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suggest"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// suggestFlags are those of the command suggest.
type suggestFlags struct {
	// Over those of the suite.
	targets targets
	variant string
	// A file with the schema of inputs; "" moves recorded ones.
	schema string
	// A command line; "" asks no program.
	generator string
	patience  time.Duration
	count     value.Count
	// It counts only where it is given; else it is that of the suite.
	seed     value.Seed
	run      runSuggestions
	evidence evidence.Reading
	output   string
	json     bool
}

// runSuggestions say how suggestions are tried.
type runSuggestions struct {
	asked bool
	// It counts only where it is given; else it is the budget of the suite.
	maxCost value.Amount
	confirm value.Count
	shrink  value.Count
}

// targets are what dimensions are to reach, by their names.
type targets map[coverage.Dimension]float64

func (t *targets) Set(text string) error {
	var names []string
	for _, d := range coverage.Dimensions() {
		names = append(names, string(d))
	}
	all := targets{}
	for part := range strings.SplitSeq(text, ",") {
		name, share, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return &value.Refusal{Problem: "must be DIMENSION=SHARE, with commas between", Hint: "such as tool=0.9,path=0.8"}
		}
		if !slices.Contains(names, name) {
			return value.NoSuchWord(name, names)
		}
		x, err := value.ParseShare(share, "a number above 0 and at most 1",
			func(x float64) bool { return x > 0 && x <= 1 })
		if err != nil {
			return err
		}
		all[coverage.Dimension(name)] = x
	}
	*t = all
	return nil
}

// String writes the targets as Set reads them, in the order of the dimensions.
func (t *targets) String() string {
	var parts []string
	for _, d := range coverage.Dimensions() {
		if share, given := (*t)[d]; given {
			parts = append(parts, fmt.Sprintf("%s=%v", d, share))
		}
	}
	return strings.Join(parts, ",")
}

func (t *targets) Type() string { return "D=C,..." }

// SuggestCommand proposes; what is run, and kept, is for a person to say.
func SuggestCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "suggest SUITE [TRACES...]",
		Short: "propose scenarios where coverage is furthest from its target",
		Long: `Find the dimension of coverage that reaches the least share of its target, and propose
scenarios that may raise it, as a part of a suite: for a tool that was never called a
task of its description and schema; for a limit that no call came near, a path or a
state that nobody took, the nearest recorded input moved towards it; for a model that
was not run a variant. Without TRACES the journal of the suite's last run is read.

--schema draws inputs of a JSON Schema in place of that, and --generator asks a
program, which is given what is missing as JSON. With --run the suite's agent tries
what is proposed: each scenario says what it raised, what raised nothing and passed is
left out, and an input of a schema that fails is made smaller as long as it fails.`,
		Example: `  tribunal suggest tribunal.yaml
  tribunal suggest tribunal.yaml runs/ --target tool=0.9,path=0.8 -o suggested.yaml
  tribunal suggest tribunal.yaml runs/ --run --max-cost 2
  tribunal suggest tribunal.yaml --schema input.schema.json --count 20 --run
  tribunal suggest tribunal.yaml runs/ --generator "python3 scenarios.py"`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := suggestFlags{
		count: value.Count{Value: 5, Least: 1, Most: 1000}, patience: time.Minute, seed: 1,
		run: runSuggestions{
			confirm: value.Count{Value: 2, Most: 100}, shrink: value.Count{Value: 100, Most: 100_000},
		},
	}
	flags := command.Flags()
	flags.Var(&f.targets, "target", "what dimensions are to reach, such as tool=0.9,path=0.8 (default the suite's, or 1)")
	flags.Lookup("target").DefValue = ""
	flags.Var(&f.count, "count", "how many scenarios are proposed at most")
	flags.StringVar(&f.schema, "schema", "", "draw inputs that this JSON Schema `FILE` allows")
	flags.StringVar(&f.generator, "generator", "",
		"let this `COMMAND` make the scenarios: what is missing on stdin, JSON on stdout")
	flags.DurationVar(&f.patience, "generator-timeout", f.patience, "how long that command may take")
	flags.Var(&f.seed, "seed", "seed of what is drawn and of trials (default the suite's)")
	flags.Lookup("seed").DefValue = ""
	flags.BoolVar(&f.run.asked, "run", false, "try what is proposed, and keep what raises coverage or fails")
	flags.Var(&f.run.maxCost, "max-cost", "with --run, spend at most so many USD (default the suite's budget)")
	flags.Lookup("max-cost").DefValue = ""
	flags.Var(&f.run.confirm, "confirm", "with --run, how often more a scenario has to fail until it counts as failing")
	flags.Var(&f.run.shrink, "shrink",
		"with --run, trials for making an input of a schema smaller that fails; 0 leaves it")
	flags.StringVar(&f.variant, "variant", "", "take the trials of this `VARIANT` from the files")
	bind.Reading(flags, &f.evidence)
	flags.BoolVar(&f.json, "json", false, "print one JSON document instead of a part of a suite")
	flags.StringVarP(&f.output, "output", "o", "", "write it to `FILE`, whole or not at all, instead of standard output")
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// check refuses flags that do not go together.
func (f *suggestFlags) check(flags *pflag.FlagSet) error {
	if f.schema != "" && f.generator != "" {
		return problem.Usage("leave one of them out", "--schema draws inputs, and --generator has them made")
	}
	for _, name := range []string{"max-cost", "confirm", "shrink"} {
		if base.Typed(flags, name) && !f.run.asked {
			return problem.Usage("add --run", "--%s is for trials, and none are made", name)
		}
	}
	if base.Typed(flags, "shrink") && f.schema == "" {
		return problem.Usage("add --schema FILE", "--shrink makes inputs of a schema smaller, and there is none")
	}
	if base.Typed(flags, "generator-timeout") && f.generator == "" {
		return problem.Usage("add --generator COMMAND", "--generator-timeout is of a command, and there is none")
	}
	if f.patience <= 0 {
		return problem.Usage("such as 90s", "--generator-timeout %v must be positive", f.patience)
	}
	if flags.Changed("max-cost") && f.run.maxCost == 0 {
		return problem.Usage("leave it out for the suite's budget", "%s 0 allows no trial", base.Origin(flags, "max-cost"))
	}
	return nil
}

// suggesting is what is known before suggestions are made, and what became of them.
type suggesting struct {
	suite     *suite.Suite
	files     []string // of recordings
	collector *coverage.Collector
	material  suggest.Material
	targets   targets
	furthest  coverage.Standing
	short     bool // some dimension is short of its target
	source    *arbitrary.Source
	found     *suggest.Found
	tried     map[*suggest.Suggestion]*suggest.Tried // nil: none was
	spent     suggest.Trying
}

func (f *suggestFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags); err != nil {
		return err
	}
	x, read, err := f.prepare(a, flags, args)
	if err != nil {
		return err
	}
	to, err := (&deliver.Target{Output: f.output}).File(ctx, a, append(read, x.files...))
	if err != nil {
		return err
	}
	if err := evidence.Spared(base.Origin(flags, "output"), to, x.files, f.evidence.EveryFile()); err != nil {
		return err
	}
	if err := f.measure(ctx, a, flags, x); err != nil {
		return err
	}
	if err := f.find(ctx, a, x); err != nil {
		return err
	}
	parsed, err := f.strict(a, x)
	if err != nil {
		return err
	}
	if f.run.asked {
		if err := f.tryAll(ctx, a, flags, x, parsed); err != nil {
			return err
		}
	}
	for _, note := range x.found.Notes {
		a.Notice("note", "%s", note)
	}
	if f.json {
		return a.Deliver(ctx, to, func(w io.Writer) error { return deliver.WriteJSON(w, x.document()) })
	}
	return a.Deliver(ctx, to, func(w io.Writer) error {
		_, err := w.Write(x.yaml())
		return err
	})
}

// prepare reads the suite and what it declares, and the schema. The names of all that is read are returned, so that no
// output overwrites one of them.
func (f *suggestFlags) prepare(
	a *world.World, flags *pflag.FlagSet, args []string,
) (x *suggesting, read []string, err error) {
	x = &suggesting{targets: targets{}}
	if x.suite, err = suitefile.Load(a, args[:min(len(args), 1)]); err != nil {
		return nil, nil, err
	}
	s := x.suite
	read = append(read, s.File)
	if x.files = args[min(len(args), 1):]; len(x.files) == 0 {
		journal := app.FilesOf(s, false).Journal
		_, missing := os.Stat(journal)
		switch {
		case missing == nil:
			x.files = []string{journal}
			a.Notice("note", "the recordings are %s", journal)
		case f.schema == "":
			return nil, nil, problem.Usage(
				"such as tribunal suggest "+problem.ShellWord(s.File)+" runs/; tribunal run leaves a journal",
				"there are no trials to see what is covered: no file is named, and the suite has no journal")
		}
	}
	if err := evidence.CheckNames(x.files, f.evidence.Duplicates); err != nil {
		return nil, nil, err
	}
	declared, err := s.Declared()
	if err != nil {
		return nil, nil, err
	}
	for d, x0 := range s.Coverage.Targets {
		x.targets[d] = x0
	}
	for d, x0 := range f.targets {
		x.targets[d] = x0
	}
	if x.collector, err = coverage.NewCollector(declared); err != nil {
		return nil, nil, problem.BadInput(err.Error(), "compare what the suite declares with the list of tools")
	}
	x.material = suggest.Material{
		Declared: declared, Samples: &suggest.Samples{Inputs: inputsOf(s)}, Suite: s, Count: f.count.Value, Seed: s.Seed,
	}
	if flags.Changed("seed") {
		x.material.Seed = uint64(f.seed)
	}
	if file := s.Coverage.ToolsFile; file != "" {
		read = append(read, s.Resolve(file))
		if x.material.Tools, err = coverage.LoadToolsContext(a.Opening, s.Resolve(file)); err != nil {
			return nil, nil, err
		}
	}
	if s.Coverage.GraphFile != "" {
		read = append(read, s.Resolve(s.Coverage.GraphFile))
	}
	if f.schema != "" {
		read = append(read, f.schema)
		x.source, err = readSchema(a.Opening, f.schema)
	}
	return x, read, err
}

// inputsOf are those of the scenarios, for trials that do not record theirs.
func inputsOf(s *suite.Suite) map[string]trial.Raw {
	inputs := map[string]trial.Raw{}
	for _, c := range s.Scenarios {
		if string(c.Input) != "null" {
			inputs[c.Name] = c.Input
		}
	}
	return inputs
}

// readSchema reads the schema of inputs.
func readSchema(ctx context.Context, name string) (*arbitrary.Source, error) {
	const most = 4 << 20 // chosen: far more than a person writes
	file, err := input.Open(ctx, name)
	if err != nil {
		return nil, problem.BadInput(fmt.Sprintf("%s cannot be read: %v", prose.FileName(name), problem.WithoutPath(err)),
			"it is a JSON Schema")
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return nil, problem.BadInput(fmt.Sprintf("%s cannot be read: %v", prose.FileName(name), problem.WithoutPath(err)),
			"it is a JSON Schema")
	case len(text) > most:
		return nil, problem.BadInput(fmt.Sprintf("%s is larger than %s", prose.FileName(name), prose.ByteCount(most)),
			"is it a schema?")
	}
	source, err := arbitrary.New(text)
	if err != nil {
		return nil, schemaProblem(name, err)
	}
	return source, nil
}

// schemaProblem names the file of a schema that cannot be used.
func schemaProblem(name string, err error) error {
	if e, ok := err.(*arbitrary.SchemaError); ok {
		return problem.BadInput(prose.FileName(name)+": "+e.Message(), e.Hint())
	}
	return err
}

// measure reads the recordings and finds the dimension that is furthest from its target.
func (f *suggestFlags) measure(ctx context.Context, a *world.World, flags *pflag.FlagSet, x *suggesting) error {
	if len(x.files) > 0 {
		o := f.evidence.Options(f.variant, trial.BasicFields|trial.StepFields|trial.ContentFields|trial.InputField)
		// Also unjudged trials have called tools.
		o.Unjudged, o.VariantEachFile = true, true
		if err := evidence.Read(ctx, a, x.files, o, evidence.Counted, func(t *trial.Trial) {
			x.collector.Add(t)
			x.material.Samples.Add(t)
		}); err != nil {
			return evidence.Naming("variant", err)
		}
	}
	x.material.Coverage = x.collector.Measure()
	x.furthest, x.short = x.material.Coverage.Furthest(x.targets)
	return nil
}

// find makes the suggestions, or has them made.
func (f *suggestFlags) find(ctx context.Context, a *world.World, x *suggesting) (err error) {
	x.found = &suggest.Found{}
	switch {
	case x.source != nil:
		if x.found, err = suggest.Drawn(x.source, x.material); err != nil {
			return schemaProblem(f.schema, err)
		}
		return nil
	case !x.short:
		return nil
	}
	x.found = suggest.For(x.furthest.Dimension, x.material)
	if f.generator != "" {
		x.found, err = f.generated(ctx, a, x)
	}
	return err
}

// strict reads each suggestion as the suite would, and leaves out what it would refuse, such as a number that no suite
// takes. The suites are those to try the suggestions in.
func (f *suggestFlags) strict(a *world.World, x *suggesting) (map[*suggest.Suggestion]*suite.Suite, error) {
	parsed := map[*suggest.Suggestion]*suite.Suite{}
	var list []*suggest.Suggestion
	for _, s := range x.found.List {
		with, err := x.suite.With("the suggestion", suggest.YAML(nil, []*suggest.Suggestion{s}, nil))
		if err != nil {
			x.found.Notes = append(x.found.Notes, fmt.Sprintf("%s is left out, as the suite refuses it: %s", prose.Quote(s.Name),
				prose.Reason(err.Error())))
			continue
		}
		parsed[s] = with
		list = append(list, s)
	}
	x.found.List = list
	return parsed, nil
}

// yaml is what is printed: what is known as comments, and what is kept as a part of a suite.
func (x *suggesting) yaml() []byte {
	header := x.header()
	var kept []*suggest.Suggestion
	var dropped []string
	for _, s := range x.found.List {
		if tried := x.tried[s]; tried == nil || tried.Kept() || tried.Outcome == "" {
			kept = append(kept, s)
		} else {
			dropped = append(dropped, s.Name+" ("+tried.Word()+")")
		}
	}
	if len(dropped) > 0 {
		header = append(header, "Tried and left out, as they reached nothing new: "+prose.Some(dropped, 20)+".")
	}
	if len(kept) == 0 {
		header = append(header, "There is nothing to add.")
	}
	return suggest.YAML(header, kept, func(s *suggest.Suggestion) []string {
		if tried := x.tried[s]; tried != nil {
			return tried.Lines()
		}
		return nil
	})
}

// header says what is covered, and what the suggestions are for.
func (x *suggesting) header() (lines []string) {
	r := x.material.Coverage
	lines = append(lines, fmt.Sprintf("Suggested for %s: a file that it can include.", x.suite.Name))
	var standings []string
	for _, s := range r.Standings(x.targets) {
		standings = append(standings, fmt.Sprintf("%s %s of %s", s.Dimension, phrase.Percent(s.Value),
			phrase.Percent(s.Target)))
	}
	switch {
	case len(standings) > 0:
		lines = append(lines, fmt.Sprintf("%s %s: %s.", prose.Count(r.Trials, "trial"),
			prose.Form(r.Trials, "covers", "cover"), strings.Join(standings, ", ")))
	case r.Trials > 0:
		lines = append(lines, fmt.Sprintf("%s, and no dimension of coverage is measured: the suite declares none.",
			prose.Count(r.Trials, "trial")))
	}
	for _, d := range coverage.Dimensions() {
		for _, m := range r.Dimensions {
			if _, asked := x.targets[d]; asked && m.Dimension == d && m.Value == nil && r.Trials > 0 {
				lines = append(lines, fmt.Sprintf("%s has a target, and is not measured: %s.", d, m.Reason))
			}
		}
	}
	switch {
	case x.short:
		lines = append(lines, fmt.Sprintf("Furthest from its target is %s, at %s of it%s.", x.furthest.Dimension,
			phrase.Percent(x.furthest.Share), x.missing()))
	case len(standings) > 0:
		lines = append(lines, "Each dimension that is measured reaches its target.")
	}
	if x.short && x.furthest.Dimension == coverage.ModelDimension && len(x.suite.Variants) > 0 && x.source == nil {
		lines = append(lines, "The suite has variants, whose list goes over one that it includes: add these there.")
	}
	if x.tried != nil {
		spent := fmt.Sprintf("Tried in %s", prose.Count(x.spent.Trials, "trial"))
		if x.spent.SpentUSD > 0 {
			spent += fmt.Sprintf(", for %.4g USD", x.spent.SpentUSD)
		}
		if x.spent.Untold > 0 && x.spent.SpentUSD > 0 {
			spent += fmt.Sprintf(" and what %d of them do not tell", x.spent.Untold)
		}
		lines = append(lines, spent+".")
	}
	return lines
}

// missing names some of what is not covered.
func (x *suggesting) missing() string {
	if x.source != nil || len(x.found.Missing) == 0 {
		return ""
	}
	return ": not covered are " + prose.Some(x.found.Missing, 3)
}

// suggestedJSON is the JSON form of what is suggested.
type suggestedJSON struct {
	Schema   string                `json:"schema"`
	Suite    string                `json:"suite"`  // its name
	Trials   int                   `json:"trials"` // that were measured
	Seed     uint64                `json:"seed"`
	Standing []coverage.Standing   `json:"dimensions"`         // those that are measured
	Furthest coverage.Dimension    `json:"furthest,omitempty"` // from its target; none where each reaches it
	Missing  []string              `json:"missing,omitempty"`  // of that dimension
	Tried    *triedSuggestionsJSON `json:"tried,omitempty"`    // with --run
	List     []suggestionJSON      `json:"suggestions"`        // also those that are not kept
	Notes    []string              `json:"notes,omitempty"`
}

// triedSuggestionsJSON is what trying took.
type triedSuggestionsJSON struct {
	Trials   int     `json:"trials"`
	SpentUSD float64 `json:"spent_usd"` // of the trials that tell
	Untold   int     `json:"untold,omitempty"`
}

// suggestionJSON is a suggestion with what came of it.
type suggestionJSON struct {
	*suggest.Suggestion
	Kept  bool           `json:"kept"`
	Tried *suggest.Tried `json:"tried,omitempty"`
}

func (x *suggesting) document() *suggestedJSON {
	d := &suggestedJSON{
		Schema: "tribunal/suggest/v1", Suite: x.suite.Name, Trials: x.material.Coverage.Trials, Seed: x.material.Seed,
		Standing: x.material.Coverage.Standings(x.targets), Missing: x.found.Missing, List: []suggestionJSON{},
		Notes: x.found.Notes,
	}
	if d.Standing == nil {
		d.Standing = []coverage.Standing{}
	}
	if x.short {
		d.Furthest = x.furthest.Dimension
	}
	if x.tried != nil {
		d.Tried = &triedSuggestionsJSON{x.spent.Trials, x.spent.SpentUSD, x.spent.Untold}
	}
	for _, s := range x.found.List {
		tried := x.tried[s]
		d.List = append(d.List, suggestionJSON{s, tried == nil || tried.Kept() || tried.Outcome == "", tried})
	}
	return d
}
