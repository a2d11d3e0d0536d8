package evidence

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/flagtype"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/problem"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// Flags say how files of trials are read.
type Flags struct {
	// Auto unless it is given.
	from flagtype.Word[ingest.Format]
	// "" is none.
	mapping string
	// It counts only where it is given: 0 is a score like any other.
	passScore flagtype.Finite
	// "" is the only one.
	scorer     string
	numbers    flagtype.Rule[ingest.TrialRule]
	Duplicates bool
	// Limits against a file that is not what it seems, such as a disk image named by
	// mistake.
	lineBytes     flagtype.ByteSize
	documentBytes flagtype.ByteSize
	Pricing       Pricing // of commands that look at costs
	Store         base.StoreFlags
}

// Register registers the flags of all commands that read trials.
func (e *Flags) Register(flags *pflag.FlagSet) {
	e.from = flagtype.Word[ingest.Format]{Kind: "FORMAT", Words: Formats(),
		List: "tribunal import --list-formats lists them"}
	e.lineBytes, e.documentBytes = trial.DefaultMaxLineBytes, ingest.DefaultMaxDocumentBytes
	flags.Var(&e.from, "from",
		"format of the files: auto tells it from the content, tribunal import --list-formats lists them")
	flags.StringVar(&e.mapping, "map", "", "read logs of any shape as the mapping in `FILE` says (tribunal schema map)")
	flags.Var(&e.passScore, "pass-score", "a trial with a score and no outcome passes if its score is at least this")
	flags.Lookup("pass-score").DefValue = "" // none, not 0
	flags.StringVar(&e.scorer, "scorer", "", "let the scorer `NAME` judge, in formats where trials have several")
	e.numbers = flagtype.Rule[ingest.TrialRule]{Kind: "RULE", Parse: ingest.ParseTrialRule}
	flags.Var(&e.numbers, "trial-from", "where the number of a trial is found; order counts them as they come")
	flags.BoolVar(&e.Duplicates, "allow-duplicates", false, "let a trial that is recorded twice count twice")
	flags.Var(&e.lineBytes, "max-line-bytes", "longest line that is read")
	flags.Var(&e.documentBytes, "max-document-bytes", "longest file that is read, in formats without lines")
	e.Store.Register(flags, "read store:QUERY from this store")
}

// Formats returns all formats that --from knows, in the order of package ingest.
func Formats() (list []ingest.Format) {
	for _, name := range ingest.FormatNames() {
		if format, err := ingest.ParseFormat(name); err == nil {
			list = append(list, format)
		}
	}
	return list
}

// Names are the flags that say something of files. Commands that also take counts refuse
// them there.
func (e *Flags) Names() []string {
	return []string{
		"from", "map", "pass-score", "scorer", "trial-from", "allow-duplicates", "max-line-bytes", "max-document-bytes",
		"prices",
	}
}

// Options returns how to read the trials of a variant, "" for the only one. The fields are
// those that the command looks at, others are skipped while reading, which makes it faster;
// 0 is all.
func (e *Flags) Options(flags *pflag.FlagSet, variant string, fields trial.Fields) ingest.Options {
	o := ingest.Options{
		Options:          trial.Options{MaxLineBytes: int(e.lineBytes), Fields: fields},
		From:             e.from.Value,
		Map:              e.mapping,
		Variant:          variant,
		AllowDuplicates:  e.Duplicates,
		Scorer:           e.scorer,
		Trial:            e.numbers.Value,
		MaxDocumentBytes: int(e.documentBytes),
		Prices:           e.Pricing.Table,
	}
	// The one that is typed wins over a variable for the other; of two that are typed the library says that they do not
	// go together.
	switch typed := func(name string) bool { return base.Origin(flags, name) == "--"+name }; {
	case o.Map == "" || o.From == ingest.Auto || typed("map") == typed("from"):
	case typed("map"):
		o.From = ingest.Auto
	default:
		o.Map = ""
	}
	if flags.Changed("pass-score") {
		o.PassScore = trial.Some(float64(e.passScore))
	}
	return o
}

// EveryFile reports whether every file of a folder is read, as one format is named for all.
func (e *Flags) EveryFile() bool { return e.mapping != "" || e.from.Value != ingest.Auto }

// CheckNames refuses what a list of files must not hold: standard input twice,
// and, unless all trials may count twice, any file twice.
func CheckNames(names []string, repeats bool) error {
	infos := make([]os.FileInfo, len(names))
	stdin := false
	for i, name := range names {
		if name == "-" {
			if stdin {
				return problem.Usage("save it in a file to read it twice", "standard input (-) is named twice")
			}
			stdin = true
			continue
		}
		infos[i], _ = os.Stat(name) // an error comes again when the file is read
		if infos[i] == nil || repeats {
			continue
		}
		// By device and number of the file, so a link and another way to write the path are
		// found too.
		for j, other := range infos[:i] {
			if other != nil && os.SameFile(infos[i], other) {
				return problem.Usage("its trials would count twice; --allow-duplicates lets them",
					"%s and %s are the same file", names[j], name)
			}
		}
	}
	return nil
}

// SameFile reports whether both names stand for the same file. Standard input is no file
// here, and one that is not there is none either.
func SameFile(a, b string) bool {
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && a != "-" && b != "-" && os.SameFile(first, second)
}

// Naming says which flag chooses among the variants that an error names. The library's hint
// names its own option; which flag that is differs by command, such as --variant and
// --baseline-variant. A nil error stays nil.
func Naming(flag string, err error) error {
	if e, ok := errors.AsType[*ingest.VariantError](err); ok {
		return problem.BadInput(e.Message(), strings.Replace(e.Hint(), e.Option(), "--"+flag, 1))
	}
	return err
}
