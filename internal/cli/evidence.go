package cli

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// evidenceFlags say how files of trials are read.
type evidenceFlags struct {
	// Auto unless it is given.
	from word[ingest.Format]
	// "" is none.
	mapping string
	// It counts only where it is given: 0 is a score like any other.
	passScore finite
	// "" is the only one.
	scorer     string
	numbers    rule[ingest.TrialRule]
	duplicates bool
	// Limits against a file that is not what it seems, such as a disk image named by
	// mistake.
	lineBytes     byteSize
	documentBytes byteSize
	pricing       pricing // of commands that look at costs
	store         storeFlags
}

func (e *evidenceFlags) register(flags *pflag.FlagSet) {
	e.from = word[ingest.Format]{kind: "FORMAT", words: formats(), list: "tribunal import --list-formats lists them"}
	e.lineBytes, e.documentBytes = trial.DefaultMaxLineBytes, ingest.DefaultMaxDocumentBytes
	flags.Var(&e.from, "from",
		"format of the files: auto tells it from the content, tribunal import --list-formats lists them")
	flags.StringVar(&e.mapping, "map", "", "read logs of any shape as the mapping in `FILE` says (tribunal schema map)")
	flags.Var(&e.passScore, "pass-score", "a trial with a score and no outcome passes if its score is at least this")
	flags.Lookup("pass-score").DefValue = "" // none, not 0
	flags.StringVar(&e.scorer, "scorer", "", "let the scorer `NAME` judge, in formats where trials have several")
	e.numbers = rule[ingest.TrialRule]{kind: "RULE", parse: ingest.ParseTrialRule}
	flags.Var(&e.numbers, "trial-from", "where the number of a trial is found; order counts them as they come")
	flags.BoolVar(&e.duplicates, "allow-duplicates", false, "let a trial that is recorded twice count twice")
	flags.Var(&e.lineBytes, "max-line-bytes", "longest line that is read")
	flags.Var(&e.documentBytes, "max-document-bytes", "longest file that is read, in formats without lines")
	e.store.register(flags, "read store:QUERY from this store")
}

// formats returns all formats that --from knows, in the order of package ingest.
func formats() (list []ingest.Format) {
	for _, name := range ingest.FormatNames() {
		if format, err := ingest.ParseFormat(name); err == nil {
			list = append(list, format)
		}
	}
	return list
}

// names are the flags that say something of files. Commands that also take counts refuse
// them there.
func (e *evidenceFlags) names() []string {
	return []string{
		"from", "map", "pass-score", "scorer", "trial-from", "allow-duplicates", "max-line-bytes", "max-document-bytes",
		"prices",
	}
}

// options returns how to read the trials of a variant, "" for the only one. The fields are
// those that the command looks at, others are skipped while reading, which makes it faster;
// 0 is all.
func (e *evidenceFlags) options(flags *pflag.FlagSet, variant string, fields trial.Fields) ingest.Options {
	o := ingest.Options{
		Options:          trial.Options{MaxLineBytes: int(e.lineBytes), Fields: fields},
		From:             e.from.value,
		Map:              e.mapping,
		Variant:          variant,
		AllowDuplicates:  e.duplicates,
		Scorer:           e.scorer,
		Trial:            e.numbers.value,
		MaxDocumentBytes: int(e.documentBytes),
		Prices:           e.pricing.table,
	}
	// The one that is typed wins over a variable for the other; of two that are typed the library says that they do not
	// go together.
	switch typed := func(name string) bool { return origin(flags, name) == "--"+name }; {
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

// everyFile reports whether every file of a folder is read, as one format is named for all.
func (e *evidenceFlags) everyFile() bool { return e.mapping != "" || e.from.value != ingest.Auto }

// checkNames refuses what a list of files must not hold: standard input twice,
// and, unless all trials may count twice, any file twice.
func checkNames(names []string, repeats bool) error {
	infos := make([]os.FileInfo, len(names))
	stdin := false
	for i, name := range names {
		if name == "-" {
			if stdin {
				return usage("save it in a file to read it twice", "standard input (-) is named twice")
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
				return usage("its trials would count twice; --allow-duplicates lets them",
					"%s and %s are the same file", names[j], name)
			}
		}
	}
	return nil
}

// sameFile reports whether both names stand for the same file. Standard input is no file
// here, and one that is not there is none either.
func sameFile(a, b string) bool {
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && a != "-" && b != "-" && os.SameFile(first, second)
}

// naming says which flag chooses among the variants that an error names. The library's hint
// names its own option; which flag that is differs by command, such as --variant and
// --baseline-variant. A nil error stays nil.
func naming(flag string, err error) error {
	if e, ok := errors.AsType[*ingest.VariantError](err); ok {
		return badInput(e.Message(), strings.Replace(e.Hint(), e.Option(), "--"+flag, 1))
	}
	return err
}
