package relation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Conforms holds where the output of the follow-up passes all evaluators, whatever its input is. One that cannot judge
// is an error.
func Conforms(evaluators ...oracle.Evaluator) Criterion {
	return check(func(ctx context.Context, _, followUp Execution) (Finding, error) {
		return judged(ctx, evaluators, followUp.Trial)
	})
}

// Judged holds where the record of the pair passes all evaluators, such as a program that compares what two answers
// mean, or a model. The output of that record is of the form of [Pair].
func Judged(evaluators ...oracle.Evaluator) Criterion {
	return check(func(ctx context.Context, source, followUp Execution) (Finding, error) {
		output, err := json.Marshal(PairOf(source, followUp))
		if err != nil {
			return Finding{}, err
		}
		return judged(ctx, evaluators, &trial.Trial{Scenario: source.Trial.Scenario, Output: output})
	})
}

// judged asks the evaluators.
func judged(ctx context.Context, evaluators []oracle.Evaluator, t *trial.Trial) (Finding, error) {
	judgement := oracle.Judge(ctx, oracle.Evidence{Trial: t}, evaluators, oracle.Limits{})
	switch judgement.Outcome {
	case trial.Pass:
		return held("%s", judgement.Text), nil
	case trial.Fail:
		return violated("%s", judgement.Text), nil
	}
	return Finding{}, fmt.Errorf("whether it holds cannot be judged: %s", judgement.Text)
}

// Unit is what of an output is counted.
type Unit string

// The units.
const (
	Words      Unit = "words"      // between white space
	characters Unit = "characters" // of Unicode
	lines      Unit = "lines"      // those that are not blank
	Items      Unit = "items"      // of a list of JSON
)

// Units are all units.
func Units() []Unit { return []Unit{Words, characters, lines, Items} }

// AtMost holds where the output of the follow-up has no more of a unit than the number that stands at a place in its
// own input: a constraint that the input makes. A number that is not there is an error: it says nothing of the agent.
func AtMost(unit Unit, limit Place) Criterion { return atMost{unit, limit} }

type atMost struct {
	unit  Unit
	limit Place
}

// most is the limit that an input makes.
func (c atMost) most(input trial.Raw) (float64, error) {
	value, err := c.limit.Value(input)
	if err != nil {
		return 0, err
	}
	decoded, _ := decode(value)
	most, ok := numberOf(decoded)
	if !ok {
		return 0, &inputError{Place: c.limit, Problem: "is not a number"}
	}
	return most, nil
}

func (c atMost) fits(input trial.Raw) error {
	_, err := c.most(input)
	return err
}

func (c atMost) Check(_ context.Context, _, followUp Execution) (Finding, error) {
	most, err := c.most(followUp.Input)
	if err != nil {
		return Finding{}, err
	}
	count, ok := c.unit.of(followUp)
	name := strings.TrimSuffix(string(c.unit), "s")
	switch {
	case !ok:
		return violated("the output is no list"), nil
	case float64(count) <= most:
		return held("the output has %s, and %s allows %v", prose.Count(count, name), c.limit, most), nil
	}
	return violated("the output has %s, and %s allows %v", prose.Count(count, name), c.limit, most), nil
}

// of counts the unit in an output; false where it has none of the kind.
func (u Unit) of(e Execution) (int, bool) {
	text := e.text()
	switch u {
	case Words:
		return words(text), true
	case characters:
		return utf8.RuneCountInString(text), true
	case lines:
		count := 0
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) != "" {
				count++
			}
		}
		return count, true
	}
	value, _ := document(e.Trial.Output)
	list, ok := value.([]any)
	return len(list), ok
}
