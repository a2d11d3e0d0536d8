package tokens

import (
	"encoding/json"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The objects are those of the providers' references, shortened.
func TestForms(t *testing.T) {
	known := trial.Some[int64]
	for name, c := range map[string]struct {
		form *Form
		text string
		want Usage
	}{
		"chat completions": {OpenAI, `{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,
			"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":{"reasoning_tokens":4}}`,
			Usage{Input: known(19), Output: known(10), Cached: known(5), Reasoning: known(4)}},
		"responses": {OpenAI, `{"input_tokens":36,"input_tokens_details":{"cached_tokens":0},"output_tokens":87,
			"output_tokens_details":{"reasoning_tokens":3}}`,
			Usage{Input: known(36), Output: known(87), Cached: known(0), Reasoning: known(3)}},
		"reasoning of xAI beside the output (Wei-Shaw/sub2api#5771, where the price agrees)": {OpenAI, `{"prompt_tokens":10120,
			"completion_tokens":1499,"total_tokens":14428,"prompt_tokens_details":{"cached_tokens":128},
			"completion_tokens_details":{"reasoning_tokens":2809}}`,
			Usage{Input: known(10120), Output: known(4308), Cached: known(128), Reasoning: known(2809)}},
		"thoughts of Gemini beside no text (router-for-me/CLIProxyAPI#5733)": {OpenAI, `{"completion_tokens":0,
			"total_tokens":81,"prompt_tokens":21,"completion_tokens_details":{"reasoning_tokens":60}}`,
			Usage{Input: known(21), Output: known(60), Reasoning: known(60)}},
		"beside the input": {Anthropic, `{"input_tokens":10,"cache_creation_input_tokens":30,"cache_read_input_tokens":200,
			"output_tokens":89}`, Usage{Input: known(240), Output: known(89), Cached: known(200), Written: known(30)}},
		"a total without those of a cache": {Anthropic, `{"input_tokens":1000,"cache_read_input_tokens":400,"output_tokens":10,
			"total_tokens":1010}`, Usage{Input: known(1000), Output: known(10), Cached: known(400)}},
		"a total with those of a cache": {Anthropic, `{"input_tokens":600,"cache_read_input_tokens":400,"output_tokens":10,
			"total_tokens":1010}`, Usage{Input: known(1000), Output: known(10), Cached: known(400)}},
		"thoughts beside the output": {Gemini, `{"promptTokenCount":50,"toolUsePromptTokenCount":5,"candidatesTokenCount":12,
			"thoughtsTokenCount":8,"cachedContentTokenCount":40,"totalTokenCount":75}`,
			Usage{Input: known(55), Output: known(20), Cached: known(40), Reasoning: known(8)}},
		"thoughts of Qwen Code in the output": {Gemini, `{"promptTokenCount":50,"candidatesTokenCount":20,
			"thoughtsTokenCount":8,"cachedContentTokenCount":40,"totalTokenCount":70}`,
			Usage{Input: known(50), Output: known(20), Cached: known(40), Reasoning: known(8)}},
		"an odd part of a sum": {Anthropic, `{"input_tokens":10,"cache_read_input_tokens":-1,"output_tokens":3}`,
			Usage{Output: known(3), Odd: true}},
		"nothing":            {OpenAI, `{"prompt_tokens":null,"prompt_tokens_details":"none"}`, Usage{}},
		"no object":          {OpenAI, `null`, Usage{}},
		"beside the answer":  {Ollama, `{"prompt_eval_count":26,"eval_count":282}`, Usage{Input: known(26), Output: known(282)}},
		"more than any call": {Ollama, `{"eval_count":1e30}`, Usage{Odd: true}},
	} {
		var m Members
		if err := json.Unmarshal([]byte(c.text), &m); err != nil {
			t.Fatal(err)
		}
		if got := c.form.Of(m); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
