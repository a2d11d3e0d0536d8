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
	from          word[ingest.Format]
	passScore     finite
	scorer        string
	duplicates    bool
	lineBytes     byteSize
	documentBytes byteSize
}

func (e *evidenceFlags) register(flags *pflag.FlagSet) {
	e.from = word[ingest.Format]{kind: "FORMAT", words: formats()}
	e.lineBytes, e.documentBytes = trial.DefaultMaxLineBytes, ingest.DefaultMaxDocumentBytes
	flags.Var(&e.from, "from",
		"format of the files: auto tells it from the content, tribunal import --list-formats lists them")
	flags.Var(&e.passScore, "pass-score", "a trial with a score and no outcome passes if its score is at least this")
	flags.Lookup("pass-score").DefValue = "" // none, not 0
	flags.StringVar(&e.scorer, "scorer", "", "let the scorer `NAME` judge, in formats where trials have several")
	flags.BoolVar(&e.duplicates, "allow-duplicates", false, "let a trial that is recorded twice count twice")
	flags.Var(&e.lineBytes, "max-line-bytes", "longest line that is read")
	flags.Var(&e.documentBytes, "max-document-bytes", "longest file that is read, in formats without lines")
}

func formats() (list []ingest.Format) {
	for _, name := range ingest.FormatNames() {
		if format, err := ingest.ParseFormat(name); err == nil {
			list = append(list, format)
		}
	}
	return list
}

// names are the flags that say something of files.
func (e *evidenceFlags) names() []string {
	return []string{"from", "pass-score", "scorer", "allow-duplicates", "max-line-bytes", "max-document-bytes"}
}

// options returns how to read the trials of a variant, "" for the only one.
func (e *evidenceFlags) options(flags *pflag.FlagSet, variant string, fields trial.Fields) ingest.Options {
	o := ingest.Options{
		Options:          trial.Options{MaxLineBytes: int(e.lineBytes), Fields: fields},
		From:             e.from.value,
		Variant:          variant,
		AllowDuplicates:  e.duplicates,
		Scorer:           e.scorer,
		MaxDocumentBytes: int(e.documentBytes),
	}
	if flags.Changed("pass-score") {
		o.PassScore = trial.Some(float64(e.passScore))
	}
	return o
}

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
		for j, other := range infos[:i] {
			if other != nil && os.SameFile(infos[i], other) {
				return usage("its trials would count twice; --allow-duplicates lets them",
					"%s and %s are the same file", names[j], name)
			}
		}
	}
	return nil
}

// sameFile reports whether both names stand for the same file.
func sameFile(a, b string) bool {
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && a != "-" && b != "-" && os.SameFile(first, second)
}

// naming says which flag chooses among the variants that an error names.
func naming(flag string, err error) error {
	if e, ok := errors.AsType[*ingest.VariantError](err); ok {
		return badInput(e.Message(), strings.Replace(e.Hint(), e.Option(), "--"+flag, 1))
	}
	return err
}
