package evidence

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// ReadOptions says how files of trials are read.
type ReadOptions struct {
	From       ingest.Format // Auto tells it from the content
	Map        string        // file of a mapping; "" is none
	PassScore  trial.Optional[float64]
	Scorer     string // "" is the only one
	Trial      ingest.TrialRule
	Duplicates bool // a trial that is recorded twice counts twice
	// Limits against a file that is not what it seems, such as a disk image named by mistake; 0 is the default.
	LineBytes, DocumentBytes int
	Pricing                  Pricing // of commands that look at costs
	Store                    app.StoreChoice
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

// Options returns how to read the trials of a variant, "" for the only one. The fields are
// those that the command looks at, others are skipped while reading, which makes it faster;
// 0 is all.
func (r *ReadOptions) Options(variant string, fields trial.Fields) ingest.Options {
	return ingest.Options{
		Options:          trial.Options{MaxLineBytes: r.LineBytes, Fields: fields, PassScore: r.PassScore},
		From:             r.From,
		Map:              r.Map,
		Variant:          variant,
		AllowDuplicates:  r.Duplicates,
		Scorer:           r.Scorer,
		Trial:            r.Trial,
		MaxDocumentBytes: r.DocumentBytes,
		Prices:           r.Pricing.Table,
	}
}

// EveryFile reports whether every file of a folder is read, as one format is named for all.
func (r *ReadOptions) EveryFile() bool { return r.Map != "" || r.From != ingest.Auto }

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

// ReadableAtOnce reports whether all of the names stand for regular files, which can be read beside each other.
func ReadableAtOnce(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return name == "-" || err != nil || !info.Mode().IsRegular()
	})
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
