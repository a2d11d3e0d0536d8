package plain

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Lines decodes one outcome a line: pass, fail, error, 1, 0, true or false.
var Lines = record.Decoder{Read: readLines}

// readLines reads one outcome a line. The trials have no numbers.
// They are all of one scenario, for nothing tells them apart; the rules may still name one
// by the path.
func readLines(in *record.Input) error {
	return in.EachLine(func(text []byte, line int) error {
		word := string(text)
		outcome, ok := LineOutcome(word)
		if !ok {
			return &trial.FieldError{
				Place: in.Place(line), Field: "outcome", Value: strconv.Quote(word), Problem: "is not an outcome",
				Advice: "write one of pass, fail, error, 1, 0, true, false a line",
			}
		}
		t := trial.Trial{Scenario: record.AnyScenario, Outcome: outcome, Place: in.Place(line)}
		return in.Emit(&t, in.Options.Numbered)
	})
}

// LineOutcome returns the outcome that a line says.
// Words are read in any case here, since programs print True and PASS.
func LineOutcome(word string) (trial.Outcome, bool) {
	if truth, ok := truthOf(word); ok {
		return trial.ByScore(truth, 1), true
	}
	return trial.ParseOutcome(strings.ToLower(word))
}

// truthOf returns 1 for 1 and true, 0 for 0 and false, in any case.
func truthOf(word string) (truth float64, ok bool) {
	switch strings.ToLower(word) {
	case "1", "true":
		return 1, true
	case "0", "false":
		return 0, true
	}
	return 0, false
}
