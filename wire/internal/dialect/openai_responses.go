package dialect

import (
	"encoding/json"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/sse"
)

// responses is the form of OpenAI's responses.
var responses = &Dialect{
	Name: "openai/responses", asked: responsesAsked, answer: responsesAnswer, stream: responsesStream,
	failed: openAIFailed,
}

// responsesBody is an answer.
type responsesBody struct {
	Model  string `json:"model"`
	Status string `json:"status"`
	Output []struct {
		Type    string `json:"type"`
		Content []struct {
			Text    string `json:"text"`
			Refusal string `json:"refusal"`
		} `json:"content"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
		Input     string `json:"input"` // of a custom tool
	} `json:"output"`
	Usage *struct {
		Input        number `json:"input_tokens"`
		Output       number `json:"output_tokens"`
		InputDetails *struct {
			Cached  number `json:"cached_tokens"`
			Written number `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		OutputDetails *struct {
			Reasoning number `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
	Error      *openAIError `json:"error"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

func responsesAsked(_ string, body []byte) (a Asked, err error) {
	var r struct {
		Model  string          `json:"model"`
		Stream bool            `json:"stream"`
		Input  json.RawMessage `json:"input"`
	}
	if err := decode(body, &r); err != nil {
		return a, err
	}
	a.Model, a.Stream = r.Model, r.Stream
	var items []struct {
		Type   string          `json:"type"`
		CallID string          `json:"call_id"`
		Output json.RawMessage `json:"output"`
	}
	if len(r.Input) == 0 || r.Input[0] != '[' || json.Unmarshal(r.Input, &items) != nil {
		return a, nil // a text, which has no results
	}
	for _, item := range items {
		if strings.HasSuffix(item.Type, "_call_output") {
			a.Results = append(a.Results, Result{CallID: item.CallID, Output: text(item.Output)})
		}
	}
	return a, nil
}

func responsesAnswer(body []byte) (a Answer, err error) {
	var b responsesBody
	if err := decode(body, &b); err != nil {
		return a, err
	}
	if b.Output == nil && b.Error == nil {
		return a, errNoAnswer
	}
	return b.answer(), nil
}

func (b *responsesBody) answer() Answer {
	a := Answer{Model: b.Model, Finish: b.Status, Ended: true}
	if b.Error != nil {
		a.Failure = b.Error.Message
	}
	if b.Incomplete != nil {
		a.Finish = b.Incomplete.Reason
	}
	var said strings.Builder
	for _, item := range b.Output {
		switch item.Type {
		case "message":
			for _, c := range item.Content {
				said.WriteString(c.Text + c.Refusal)
				a.Refused = a.Refused || c.Refusal != ""
			}
		case "function_call", "custom_tool_call":
			a.Calls = append(a.Calls, Call{
				ID: item.CallID, Name: item.Name, Arguments: item.Arguments + item.Input, Custom: item.Type == "custom_tool_call",
			})
		}
	}
	a.Text = said.String()
	if u := b.Usage; u != nil {
		v := Usage{Input: u.Input.told, Output: u.Output.told, Odd: anyOdd(u.Input, u.Output)}
		if d := u.InputDetails; d != nil {
			v.Cached, v.Written, v.Odd = d.Cached.told, d.Written.told, v.Odd || anyOdd(d.Cached, d.Written)
		}
		if d := u.OutputDetails; d != nil {
			v.Reasoning, v.Odd = d.Reasoning.told, v.Odd || d.Reasoning.odd
		}
		a.Usage = v
	}
	return a
}

// responsesStream reads the events of a stream, of which the last has the whole answer, or all items that were done
// where it was cut off.
func responsesStream(body []byte) (a Answer, err error) {
	var whole responsesBody
	events := 0
	for event := range sse.All(body) {
		events++
		var e struct {
			Type     string          `json:"type"`
			Response *responsesBody  `json:"response"`
			Item     json.RawMessage `json:"item"`
			Message  string          `json:"message"`
		}
		if err = decode([]byte(event), &e); err != nil {
			break // what came before stays
		}
		switch {
		case e.Type == "error":
			a.Failure = e.Message
		case e.Type == "response.output_item.done":
			var one responsesBody
			if err := json.Unmarshal([]byte(`{"output":[`+string(e.Item)+`]}`), &one); err != nil {
				return a, err
			}
			if whole.Output = append(whole.Output, one.Output...); len(whole.Output) > mostCalls {
				return a, errManyCalls
			}
		case e.Response == nil:
		case e.Type == "response.completed", e.Type == "response.incomplete", e.Type == "response.failed":
			last := *e.Response
			if len(last.Output) == 0 { // some servers leave it out where the items came before
				last.Output = whole.Output
			}
			done := last.answer()
			if done.Failure == "" {
				done.Failure = a.Failure
			}
			return done, nil
		default:
			whole.Model = e.Response.Model
		}
	}
	if err := errNone(events, false); err != nil {
		return a, err
	}
	failure := a.Failure
	a = whole.answer()
	a.Failure, a.Ended = failure, false
	return a, err
}
