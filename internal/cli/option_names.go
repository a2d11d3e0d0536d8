package cli

import "strings"

// optionNames are the words of the command line for the options and the functions that
// the errors of the packages name in their hints.
var optionNames = strings.NewReplacer(
	"AllowDuplicates", "--allow-duplicates",
	"FormatNames", "tribunal import --list-formats",
	"From", "--from",
	"MaxDocumentBytes", "--max-document-bytes",
	"MaxLineBytes", "--max-line-bytes",
	"PassScore", "--pass-score",
	"Scorer", "--scorer",
	"Strict", "--strict",
	"Variant", "--variant",
	"report.JSON", "--json or --output",
)

// hintOf returns the hint of an error. Where it names an option, the flag stands in its
// place.
func hintOf(err advised) string {
	if e, ok := err.(interface{ Option() string }); ok && e.Option() != "" {
		return optionNames.Replace(err.Hint())
	}
	return err.Hint()
}
