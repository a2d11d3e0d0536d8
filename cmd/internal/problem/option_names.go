package problem

import "strings"

// optionNames are the words of the command line for the options and the functions that the
// errors of the packages name in their hints. strings.NewReplacer prefers the earlier pair
// at the same place: of two names that begin alike the longer one has to come first.
var optionNames = strings.NewReplacer(
	"AllowDuplicates", "--allow-duplicates",
	"FormatNames", "tribunal import --list-formats",
	"From", "--from",
	"MaxDocumentBytes", "--max-document-bytes",
	"MaxLineBytes", "--max-line-bytes",
	"MaxMemory", "--max-memory",
	"PassScore", "--pass-score",
	"Scorer", "--scorer",
	"Strict", "--strict",
	"TrialRule", "--trial-from order",
	"Variant", "--variant",
)

// RestFlag says which flag shows what a text leaves out, by the option of package report.
// An option that is not known gives "", and the text says only that something is left out.
// The suite is the file or folder that was named, "" if none was.
func RestFlag(suite, option string) string {
	if suite != "" {
		suite = ShellWord(suite) + " "
	}
	// Of a trial the option has the name.
	if trial, is := strings.CutPrefix(option, "Trial "); is {
		return "tribunal run " + suite + "--trial " + ShellWord(trial)
	}
	// Of a baseline the trials and the name.
	kind, rest, _ := strings.Cut(option, " ")
	switch trials, name, _ := strings.Cut(rest, " "); kind {
	case "Record":
		return "tribunal run " + suite + "--record " + trials + " -o " + ShellWord(name)
	case "Baseline":
		return "tribunal store baseline record " + ShellWord(name) + " --trials " + trials
	}
	return map[string]string{
		"Clauses": ", which --clauses lists",
		"Explain": "; --explain shows it",
		"JSON":    ", which --json lists",
		"Resume":  "tribunal run " + suite + "--resume",
		"Rows":    ", which --scenarios lists",
	}[option]
}

// hintOf returns the hint of an error. Where it names an option, the flag stands in its
// place.
func hintOf(err hintedError) string {
	// Without such a word in it a hint is plain text, in which "From" may begin a sentence.
	if e, ok := err.(interface{ Option() string }); ok && e.Option() != "" {
		if e.Option() == "Map" { // the rest may be names of columns
			return strings.Replace(err.Hint(), "Map ", "--map ", 1)
		}
		return optionNames.Replace(err.Hint())
	}
	return err.Hint()
}
