package ingest

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// readLines reads one outcome a line. The trials have no numbers.
func readLines(in *input) error {
	return in.eachLine(func(text []byte, line int) error {
		word := string(text)
		outcome, ok := lineOutcome(word)
		if !ok {
			return &trial.FieldError{
				Place: in.place(line), Field: "outcome", Value: strconv.Quote(word), Problem: "is not an outcome",
				Advice: "write one of pass, fail, error, 1, 0, true, false a line",
			}
		}
		t := trial.Trial{Scenario: anyScenario, Outcome: outcome, Place: in.place(line)}
		return in.emit(&t, in.options.numbered)
	})
}

// lineOutcome returns the outcome that a line says.
func lineOutcome(word string) (trial.Outcome, bool) {
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
