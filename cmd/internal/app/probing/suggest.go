package probing

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
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
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
)

// SuggestRequest asks for scenarios that raise the coverage of a suite where it is furthest from its target.
type SuggestRequest struct {
	Suite   string   // file or folder; "" is the one that is found from the working directory upwards
	Files   []string // of trials; none are those of the suite's last run
	Reading evidence.ReadOptions
	Variant string                 // whose trials are taken; "" is all of them
	Targets Targets                // over those of the suite
	Count   int                    // scenarios at most
	Seed    trial.Optional[uint64] // of what is drawn and of trials; not known is the suite's
	Schema  string                 // file of the schema of inputs, which are drawn; "" moves recorded ones

	Generator        string // a command line that makes the scenarios; "" asks no program
	GeneratorTimeout time.Duration

	Run     bool                    // tries what is proposed, and keeps what raises coverage or fails
	MaxCost trial.Optional[float64] // of what is tried, in USD; not known is the budget of the suite
	Confirm int                     // how often more a scenario has to fail until it counts as failing
	Shrink  int                     // trials for making an input smaller that fails

	To    deliver.Target
	Given value.GivenOptions // what was given, for what does not go together
}

// Targets are what dimensions are to reach, by their names.
type Targets map[coverage.Dimension]float64

// ParseTargets reads such as tool=0.9,path=0.8.
func ParseTargets(text string) (Targets, error) {
	var names []string
	for _, d := range coverage.Dimensions() {
		names = append(names, string(d))
	}
	all := Targets{}
	for part := range strings.SplitSeq(text, ",") {
		name, share, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return nil, &value.Refusal{Problem: "must be DIMENSION=SHARE, with commas between",
				Hint: "such as tool=0.9,path=0.8"}
		}
		if !slices.Contains(names, name) {
			return nil, value.NoSuchWord(name, names)
		}
		x, err := value.ParseShare(share, "a number above 0 and at most 1",
			func(x float64) bool { return x > 0 && x <= 1 })
		if err != nil {
			return nil, err
		}
		all[coverage.Dimension(name)] = x
	}
	return all, nil
}

// String writes the targets as ParseTargets reads them, in the order of the dimensions.
func (t Targets) String() string {
	var parts []string
	for _, d := range coverage.Dimensions() {
		if share, given := t[d]; given {
			parts = append(parts, fmt.Sprintf("%s=%v", d, share))
		}
	}
	return strings.Join(parts, ",")
}

// check refuses what does not go together.
func (r *SuggestRequest) check() error {
	if r.Schema != "" && r.Generator != "" {
		return problem.Usage("omit one of them", "--schema draws inputs, and --generator has them made")
	}
	for _, name := range []string{"max-cost", "confirm", "shrink"} {
		if r.Given.Typed(name) && !r.Run {
			return problem.Usage("add --run", "--%s is for trials, and none are made", name)
		}
	}
	if r.Given.Typed("shrink") && r.Schema == "" {
		return problem.Usage("add --schema FILE", "--shrink makes inputs of a schema smaller, and there is none")
	}
	if r.Given.Typed("generator-timeout") && r.Generator == "" {
		return problem.Usage("add --generator COMMAND", "--generator-timeout is of a command, and there is none")
	}
	if r.GeneratorTimeout <= 0 {
		return problem.Usage("such as 90s", "--generator-timeout %v must be positive", r.GeneratorTimeout)
	}
	if r.MaxCost.Known && r.MaxCost.Value == 0 {
		return problem.Usage("omit it for the suite's budget", "%s 0 allows no trial", r.Given.Origin("max-cost"))
	}
	return nil
}

// suggestionState is what is known before suggestions are made, and what became of them.
type suggestionState struct {
	suite     *suite.Suite
	files     []string // of recordings
	collector *coverage.Collector
	material  suggest.Material
	targets   Targets
	furthest  coverage.Standing
	short     bool // some dimension is short of its target
	source    *arbitrary.Source
	found     *suggest.Proposals
	tried     map[*suggest.Suggestion]*suggest.TestResult // nil: none was
	spent     suggest.Tester
}

// Suggest proposes the scenarios, and prints them.
func Suggest(ctx context.Context, a *world.World, r SuggestRequest) error {
	if err := r.check(); err != nil {
		return err
	}
	x, read, err := r.prepare(a)
	if err != nil {
		return err
	}
	to, err := r.To.File(ctx, a, append(read, x.files...))
	if err != nil {
		return err
	}
	if err := evidence.Spared(r.Given.Origin("output"), to, x.files, r.Reading.EveryFile()); err != nil {
		return err
	}
	if err := r.measure(ctx, a, x); err != nil {
		return err
	}
	if err := r.find(ctx, a, x); err != nil {
		return err
	}
	parsed, err := r.strict(a, x)
	if err != nil {
		return err
	}
	if r.Run {
		if err := r.tryAll(ctx, a, x, parsed); err != nil {
			return err
		}
	}
	for _, note := range x.found.Notes {
		a.Notice("note", "%s", note)
	}
	if r.To.JSON {
		return a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, x.document()) })
	}
	return a.Deliver(ctx, to, func(w io.Writer) error {
		_, err := w.Write(x.yaml())
		return err
	})
}

// prepare reads the suite and what it declares, and the schema. The names of all that is read are returned, so that no
// output overwrites one of them.
func (r *SuggestRequest) prepare(
	a *world.World,
) (x *suggestionState, read []string, err error) {
	x = &suggestionState{targets: Targets{}, files: r.Files}
	if x.suite, err = suitefile.Named(a, r.Suite); err != nil {
		return nil, nil, err
	}
	s := x.suite
	read = append(read, s.File)
	if len(x.files) == 0 {
		journal := app.FilesOf(s, false).Journal
		_, missing := os.Stat(journal)
		switch {
		case missing == nil:
			x.files = []string{journal}
			a.Notice("note", "the recordings are %s", journal)
		case r.Schema == "":
			return nil, nil, problem.Usage(
				"such as tribunal check suggest "+problem.ShellWord(s.File)+" runs/; tribunal run leaves a journal",
				"there are no trials to see what is covered: no file is named, and the suite has no journal")
		}
	}
	if err := evidence.CheckNames(x.files, r.Reading.Duplicates); err != nil {
		return nil, nil, err
	}
	declared, err := s.Declared()
	if err != nil {
		return nil, nil, err
	}
	for d, x0 := range s.Coverage.Targets {
		x.targets[d] = x0
	}
	for d, x0 := range r.Targets {
		x.targets[d] = x0
	}
	if x.collector, err = coverage.NewCollector(declared); err != nil {
		return nil, nil, problem.BadInput(err.Error(), "compare what the suite declares with the list of tools")
	}
	x.material = suggest.Material{
		Declared: declared, Samples: &suggest.Samples{Inputs: inputsOf(s)}, Suite: s, Count: r.Count, Seed: s.Seed,
	}
	if r.Seed.Known {
		x.material.Seed = r.Seed.Value
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
	if r.Schema != "" {
		read = append(read, r.Schema)
		if x.source, err = readSchema(a.Opening, r.Schema); err == nil {
			x.source.Admits = keepsPreconditions(a.Opening, s)
		}
	}
	return x, read, err
}

// keepsPreconditions reports of an input whether no precondition of a contract of the suite is against it: what a
// contract promises it promises of such inputs alone. It is nil where there is no precondition.
func keepsPreconditions(ctx context.Context, s *suite.Suite) func(input json.RawMessage) bool {
	begins := map[string]*contract.Contract{} // by the digests of the contracts
	for _, c := range s.Scenarios {
		for _, whole := range c.Contracts() {
			var names []string
			for _, clause := range whole.Clauses {
				if clause.Kind == contract.Precondition {
					names = append(names, clause.Name)
				}
			}
			if len(names) > 0 {
				begins[whole.Digest()] = whole.Only(names...)
			}
		}
	}
	if len(begins) == 0 {
		return nil
	}
	return func(input json.RawMessage) bool {
		for _, c := range begins {
			for _, f := range c.Check(ctx, &trial.Trial{Input: trial.Raw(input)}) {
				if f.State == contract.Violated {
					return false
				}
			}
		}
		return true
	}
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
func (r *SuggestRequest) measure(ctx context.Context, a *world.World, x *suggestionState) error {
	if len(x.files) > 0 {
		o := r.Reading.Options(r.Variant, trial.BasicFields|trial.StepFields|trial.ContentFields|trial.InputField)
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
func (r *SuggestRequest) find(ctx context.Context, a *world.World, x *suggestionState) (err error) {
	x.found = &suggest.Proposals{}
	switch {
	case x.source != nil:
		if x.found, err = suggest.Drawn(x.source, x.material); err != nil {
			return schemaProblem(r.Schema, err)
		}
		return nil
	case !x.short:
		return nil
	}
	x.found = suggest.For(x.furthest.Dimension, x.material)
	if r.Generator != "" {
		x.found, err = r.generated(ctx, a, x)
	}
	return err
}

// strict reads each suggestion as the suite would, and leaves out what it would refuse, such as a number that no suite
// takes. The suites are those to try the suggestions in.
func (r *SuggestRequest) strict(a *world.World, x *suggestionState) (map[*suggest.Suggestion]*suite.Suite, error) {
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
func (x *suggestionState) yaml() []byte {
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
func (x *suggestionState) header() (lines []string) {
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
func (x *suggestionState) missing() string {
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
	Kept  bool                `json:"kept"`
	Tried *suggest.TestResult `json:"tried,omitempty"`
}

func (x *suggestionState) document() *suggestedJSON {
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
