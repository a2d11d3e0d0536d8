package promotion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/suggest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// turn is an answer of a model, as far as a trial tells it.
type turn struct {
	texts   []string
	calls   []any
	results []string // what tools returned, for a person
	tokens  map[string]any
	spoke   bool // it has a step of its own
}

// turnsOf are the answers of the model. A turn is a step that reasons or responds, with the calls behind it; in
// recordings that have no such step before a call, each call is a turn.
func turnsOf(t *trial.Trial) (turns []turn) {
	for i := range t.Steps {
		step := &t.Steps[i]
		switch step.Action {
		case trial.Reason, trial.Respond:
			turns = append(turns, turn{spoke: true, tokens: tokensOf(step)})
			if text := step.Output.Text(); len(step.Output) > 0 && text != "" {
				turns[len(turns)-1].texts = append(turns[len(turns)-1].texts, text)
			}
		case trial.CallTool:
			if len(turns) == 0 || !turns[len(turns)-1].spoke {
				turns = append(turns, turn{tokens: tokensOf(step)})
			}
			last := &turns[len(turns)-1]
			last.calls = append(last.calls, callOf(step))
			if result := resultOf(step); result != "" {
				last.results = append(last.results, result)
			}
		}
	}
	// What is said in the end may be told of the trial alone.
	if n := len(turns); n > 0 && len(t.Output) > 0 {
		switch last := &turns[n-1]; {
		case last.calls != nil:
			turns = append(turns, turn{texts: []string{t.Output.Text()}})
		case last.texts == nil:
			last.texts = []string{t.Output.Text()}
		}
	}
	return turns
}

// tokensOf are the tokens of a step as a script has them; nil where they are not told.
func tokensOf(s *trial.Step) map[string]any {
	if !s.InputTokens.Known || !s.OutputTokens.Known {
		return nil
	}
	tokens := map[string]any{"in": s.InputTokens.Value, "out": s.OutputTokens.Value}
	if s.CachedTokens.Known && s.CachedTokens.Value > 0 {
		tokens["cached"] = s.CachedTokens.Value
	}
	return tokens
}

// callOf is a call of a tool as a script has it. A custom tool takes a text in place of arguments.
func callOf(s *trial.Step) map[string]any {
	call := map[string]any{"tool": s.Tool}
	if len(s.Arguments) == 0 {
		return call
	}
	arguments, err := value(s.Arguments)
	switch x := arguments.(type) {
	case map[string]any:
		if len(x) > 0 {
			call["arguments"] = x
		}
	case string:
		// The text of an object is how some recordings write arguments.
		if json.Valid([]byte(x)) && strings.HasPrefix(strings.TrimSpace(x), "{") {
			call["arguments"] = x
		} else {
			call["input"] = x
		}
	default:
		if err == nil && x != nil {
			call["input"] = string(s.Arguments)
		}
	}
	return call
}

// mostResult bounds what is shown of what a tool returned.
const mostResult = 300

// resultOf says what a tool returned.
func resultOf(s *trial.Step) string {
	switch {
	case s.Error != "":
		return s.Tool + " failed: " + prose.PrintableUpTo(s.Error, mostResult)
	case len(s.Output) > 0:
		return s.Tool + " returned: " + prose.PrintableUpTo(s.Output.Text(), mostResult)
	}
	return ""
}

// answers is what the model of a trial answered, as a script that answers in its place; nil where the trial does not
// tell it.
func answers(t *trial.Trial) []byte {
	turns := turnsOf(t)
	if len(turns) == 0 {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# What the model answered in a trial of %s. Tools are run again: what they returned then\n# stands "+
		"beside the calls.\n",
		prose.Printable(t.Scenario))
	b.WriteString("turns:\n")
	for _, x := range turns {
		answer := map[string]any{}
		if len(x.texts) > 0 || x.calls == nil {
			answer["text"] = strings.Join(x.texts, "\n")
		}
		if x.calls != nil {
			answer["calls"] = x.calls
		}
		if x.tokens != nil {
			answer["tokens"] = x.tokens
		}
		fmt.Fprintf(&b, "  - %s\n", suggest.Flow(answer))
		for _, result := range x.results {
			fmt.Fprintf(&b, "    # %s\n", result)
		}
	}
	return b.Bytes()
}
