package tokens

import "strings"

// Form is how an interface tells tokens: the terms of which each number is the sum.
type Form struct {
	input, output, cached, written, reasoning []term
	total                                     term // of both sides; only where it says what either holds
}

// term are the places of one number, of which the first that tells one holds: an interface has it under several names,
// or others write it under theirs. A place is made of names, one inside the other.
type term [][]string

func at(places ...string) (t term) {
	for _, p := range places {
		t = append(t, strings.Split(p, "."))
	}
	return t
}

// The forms of the providers.
var (
	// OpenAI is that of chat completions, of responses, of Codex, and of what others write after them.
	OpenAI = &Form{
		input:  []term{at("prompt_tokens", "input_tokens")},
		output: []term{at("completion_tokens", "output_tokens")},
		cached: []term{
			at("prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "cached_input_tokens"),
		},
		written:   []term{at("prompt_tokens_details.cache_write_tokens", "input_tokens_details.cache_write_tokens")},
		reasoning: []term{at("completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens")},
		// xAI, and gateways to Gemini, count reasoning beside the output, but in the total (vercel/ai#12425).
		total: at("total_tokens"),
	}
	// Anthropic counts what a cache had to do with beside the input.
	Anthropic = &Form{
		input: []term{
			at("input_tokens"), at("cache_creation_input_tokens"), at("cache_read_input_tokens"),
		},
		output:  []term{at("output_tokens")},
		cached:  []term{at("cache_read_input_tokens")},
		written: []term{at("cache_creation_input_tokens")},
		// The interface itself tells no total. Qwen Code 0.24 does, and its input_tokens have cached ones in.
		total: at("total_tokens"),
	}
	// Gemini counts thoughts beside what it writes, and what tools of its own put into the prompt beside the prompt.
	Gemini = &Form{
		input: []term{
			at("promptTokenCount", "prompt_token_count"), at("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
		},
		output: []term{
			at("candidatesTokenCount", "candidates_token_count"), at("thoughtsTokenCount", "thoughts_token_count"),
		},
		cached:    []term{at("cachedContentTokenCount", "cached_content_token_count")},
		reasoning: []term{at("thoughtsTokenCount", "thoughts_token_count")},
		// Qwen Code 0.24 writes this form of answers of OpenAI's, and candidates have thoughts in.
		total: at("totalTokenCount", "total_token_count"),
	}
	// Ollama tells them beside the answer.
	Ollama = &Form{input: []term{at("prompt_eval_count")}, output: []term{at("eval_count")}}
)

// Of reads the members of an answer's usage.
func (f *Form) Of(m Members) Usage { return f.Read(m.number) }

// Read reads a usage by what returns the number at a place. A sum with an odd number is unknown.
func (f *Form) Read(number func(place []string) Number) (u Usage) {
	sum := func(terms []term) (n Number) {
		for _, t := range terms {
			one := t.first(number)
			n.Count, n.Odd = Sum(n.Count, one.Count), n.Odd || one.Odd
		}
		if n.Odd {
			n.Count.Value, n.Count.Known, u.Odd = 0, false, true
		}
		return n
	}
	u.Input, u.Output = sum(f.input).Count, sum(f.output).Count
	total, first := f.total.first(number).Count, f.input[0].first(number).Count
	if total.Known && first.Known && u.Output.Known && total == Sum(first, u.Output) {
		u.Input = first
	}
	if said := f.output[0].first(number).Count; total.Known && said.Known && u.Input.Known &&
		total == Sum(u.Input, said) {
		u.Output = said
	}
	u.Cached, u.Written, u.Reasoning = sum(f.cached).Count, sum(f.written).Count, sum(f.reasoning).Count
	if all := Sum(u.Input, u.Output, u.Reasoning); u.Reasoning.Value > 0 && total == all {
		u.Output = Sum(u.Output, u.Reasoning)
	}
	return u
}

// first is the number of the first place that tells one.
func (t term) first(number func([]string) Number) (n Number) {
	for _, place := range t {
		if n = number(place); n.Count.Known || n.Odd {
			break
		}
	}
	return n
}
