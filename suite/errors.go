package suite

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/words"
	"github.com/tribunal-dev/tribunal/trial"
)

// Error is one thing that is wrong with a suite file.
type Error struct {
	trial.Place
	Field   string // such as "scenarios[1].evaluate[0].regex"; "" is the whole suite
	Problem string
	Hint    string // what a person might do about it; may be ""

	keys []string // that the field knows, where it is given another
}

func (e *Error) Error() string {
	var b strings.Builder
	if place := e.Place.String(); place != "" {
		b.WriteString(place + ": ")
	}
	field := trial.Printable(e.Field)
	if field == "" {
		field = "the suite"
	}
	b.WriteString(field + " " + e.Problem)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Errors are the problems of a suite file in their order, at most 20 of them.
type Errors []*Error

const maxErrors = 20

// Error writes one problem a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, problem := range e {
		lines[i] = problem.Error()
	}
	if len(e) == maxErrors {
		lines = append(lines, "there may be more")
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems.
func (e Errors) Unwrap() []error {
	problems := make([]error, len(e))
	for i, problem := range e {
		problems[i] = problem
	}
	return problems
}

// didYouMean asks whether the person meant the word of the list that is nearest to
// what was typed, and lists them all where none is.
func didYouMean(typed string, list []string) string {
	best, least := "", 0
	for _, word := range list {
		if len(typed) >= 3 && strings.HasPrefix(normal(word), normal(typed)) {
			return "did you mean " + strconv.Quote(word) + "?"
		}
	}
	for _, word := range list {
		if d := words.Edits(normal(typed), normal(word)); d <= max(1, len(word)/3) && (best == "" || d < least) {
			best, least = word, d
		}
	}
	if best != "" {
		return "did you mean " + strconv.Quote(best) + "?"
	}
	if len(list) == 1 {
		return "the only one is " + list[0]
	}
	return "known are " + strings.Join(list, ", ")
}

// normal makes spellings that mean the same equal: maxTurns, max-turns, max_turns.
func normal(word string) string {
	word = word[:min(len(word), 60)]
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
}
