package ingest

import (
	"cmp"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// DefaultMaxDocumentBytes is the longest JSON document, or archive, that is held
// whole unless the options say otherwise.
const DefaultMaxDocumentBytes = 256 << 20

// Options says how a [Stream] is read. The zero value detects the format, reads
// everything, and admits one variant and no trial twice.
type Options struct {
	// Options are those of package trial. File names the input of [NewStream];
	// Fields and Workers serve the trials format.
	trial.Options

	From            Format    // of all files; [Auto] looks at the content of each
	Variant         string    // read the trials of this variant alone; "": there may be only one
	AllVariants     bool      // there may be several variants
	VariantEachFile bool      // there may be several variants, but one in each file
	AllowDuplicates bool      // let a trial that is recorded twice count twice
	Stdin           io.Reader // read for the name "-"; nil is os.Stdin

	// Map is the file of a mapping, or one itself in braces, which says where the records are in logs of any shape, and
	// what stands where in them; "" is none. It takes the place of the format of all files, whose name is [Mapped] then.
	Map string

	// Scorer is the scorer that judges, in formats where one trial has several: name,
	// or name.value for one of several values; "" is the only one.
	Scorer string

	// MaxDocumentBytes is the longest file of a format without lines, which is held
	// whole; 0 is [DefaultMaxDocumentBytes].
	MaxDocumentBytes int

	// What follows is said of every trial, whatever its format.

	Scenario   ScenarioRule // where its scenario is; the zero value leaves what the format says
	Trial      TrialRule    // where its number is; the zero value leaves what the format says
	SetVariant string       // its variant; "" leaves what the format says
	Numbered   bool         // a trial without a number gets the next of its scenario, also in formats that need none
	ToolErrors ErrorPattern // outputs of tools that are errors
	Pass       PassRule     // judges trials that the format does not
	Rejudge    bool         // lets Pass judge trials that passed or failed, too
	// Prices make an estimate of what a trial cost that tells its tokens and not its cost; nil leaves the cost unknown.
	Prices *prices.Table
	Strict bool // what is not understood is an [UnreadError] at the end, no note
}

// Validate returns a [trial.OptionError] for an option that cannot be used.
func (o Options) Validate() error {
	if o.From != Auto && formatOf(o.From) == nil {
		return &trial.OptionError{Argument: "format", Value: o.From, Problem: "is not known"}
	}
	if o.Map != "" && o.From != Auto {
		return &trial.OptionError{Argument: "format", Value: o.From, Problem: "does not go with a mapping"}
	}
	if o.MaxDocumentBytes < 0 {
		return &trial.OptionError{Argument: "maximum document length", Value: o.MaxDocumentBytes,
			Problem: "must not be negative"}
	}
	if err := o.validateRules(); err != nil {
		return err
	}
	return o.Options.Validate()
}

// validateRules refuses rules that do not go together.
func (o Options) validateRules() error {
	switch {
	case !utf8.ValidString(o.SetVariant):
		return &trial.OptionError{Argument: "variant", Value: prose.Excerpt(o.SetVariant), Problem: "is not UTF-8 text"}
	case o.SetVariant != "" && o.Scenario.rule.GivesVariant():
		return &trial.OptionError{Argument: "variant", Value: prose.Excerpt(o.SetVariant),
			Problem: "is given, and the scenario rule has a group for it"}
	case o.Pass.rule.IsSet() && o.PassScore.Known:
		return &trial.OptionError{Argument: "pass score", Value: o.PassScore.Value,
			Problem: "does not go with a pass rule: write score>= in the rule"}
	case o.Rejudge && !o.Pass.rule.IsSet():
		return &trial.OptionError{Argument: "rejudge", Value: o.Rejudge, Problem: "needs a pass rule"}
	}
	return nil
}

// forDecoders returns what the decoder of a file may know of the options.
func (o Options) forDecoders(file string, m *memory.Budget) record.Options {
	d := record.Options{
		Options: o.Options, Scorer: o.Scorer, Numbered: o.Numbered || o.Trial.rule.IsSet(),
		MaxDocumentBytes: cmp.Or(o.MaxDocumentBytes, DefaultMaxDocumentBytes),
		LaterJudged:      o.Unjudged || o.Pass.rule.IsSet(),
		Attributes:       slices.Concat(o.Pass.rule.Attributes(), o.Scenario.rule.Attributes(), o.Trial.rule.Attributes()),
	}
	d.File = file
	d.MaxLineBytes = cmp.Or(o.MaxLineBytes, trial.DefaultMaxLineBytes)
	d.MaxLineBytes, d.NarrowLines = narrowed(d.MaxLineBytes, m, lineParts)
	d.MaxDocumentBytes, d.NarrowDocuments = narrowed(d.MaxDocumentBytes, m, documentParts)
	d.Records = d.Options
	d.Records.Unjudged, d.Records.Fields = d.LaterJudged, o.keptFields()
	return d
}

// How much of the memory one line and one document may be, as parts of the whole: several lines are read at once, and
// what is made of either takes more than its text.
const (
	lineParts     = 32
	documentParts = 4
)

// narrowed returns a limit as the memory allows it, and whether that is less.
func narrowed(limit int, m *memory.Budget, parts int64) (int, bool) {
	allowed := m.Part(parts, limit)
	return allowed, allowed < limit
}

// keptFields are the parts of a trial to keep: those asked for, and those that the
// rules and the prices ask for.
func (o Options) keptFields() trial.Fields {
	if o.Fields == 0 || o.Prices == nil {
		return o.ruleFields()
	}
	return o.ruleFields() | trial.StepFields
}

// ruleFields are those that are asked for, and those that the rules ask for.
func (o Options) ruleFields() trial.Fields {
	if o.Fields == 0 {
		return 0
	}
	fields := o.Fields | o.Pass.rule.Fields()
	if o.Scenario.rule.IsSet() || o.Trial.rule.IsSet() {
		fields |= trial.TagFields | trial.UnknownFields
	}
	if o.ToolErrors.pattern.IsSet() {
		fields |= trial.StepFields | trial.ContentFields
	}
	return fields
}
