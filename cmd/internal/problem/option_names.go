package problem

import "strings"

// optionNames are, by the option that an error of a package names, the words of the command line for it and for what
// its hint has besides, once each. Any other word of a hint may be a person's own, such as the name of a column.
var optionNames = map[string][][2]string{
	"AllowDuplicates":  {{"AllowDuplicates", "--allow-duplicates"}, {"TrialRule", "--trial-from order"}},
	"From":             {{"From", "--from"}, {"FormatNames", "tribunal import --list-formats"}},
	"Map":              {{"Map ", "--map "}},
	"MaxDocumentBytes": {{"MaxDocumentBytes", "--max-document-bytes"}},
	"MaxLineBytes":     {{"MaxLineBytes", "--max-line-bytes"}},
	"MaxMemory":        {{"MaxMemory", "--max-memory"}},
	"PassScore":        {{"PassScore", "--pass-score"}},
	"Scorer":           {{"Scorer", "--scorer"}},
	"Strict":           {{"Strict", "--strict"}},
	"Variant":          {{"Variant", "--variant"}},
}

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
	hint := err.Hint()
	// Without an option a hint is plain text, in which "From" may begin a sentence.
	if e, ok := err.(interface{ Option() string }); ok {
		for _, name := range optionNames[e.Option()] {
			hint = strings.Replace(hint, name[0], name[1], 1)
		}
	}
	return hint
}
