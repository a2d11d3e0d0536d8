// Command goclients does what clients.mjs does, with clients for Go: it asks by one of them, and prints what it had as
// a line of JSON. It is a module of its own, so that nothing else needs them.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
	"google.golang.org/genai"
)

const (
	question = "where is order 7?"
	answered = "on its way"
)

var parameters = map[string]any{"type": "object", "properties": map[string]any{"id": map[string]any{"type": "integer"}}}

type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type turn struct {
	Text   string `json:"text"`
	Calls  []call `json:"calls"`
	Finish string `json:"finish"`
	Input  int64  `json:"input"`
	Output int64  `json:"output"`
}

func main() {
	way := map[string]func(context.Context, bool) ([]turn, error){
		"goOpenAIChat": chat, "goOpenAIResponses": respond, "goAnthropic": messages, "goGemini": generate,
	}[os.Args[1]]
	turns, err := way(context.Background(), os.Args[2] == "streamed")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"name": os.Args[1], "turns": turns}); err != nil {
		panic(err)
	}
}

func chat(ctx context.Context, stream bool) (turns []turn, err error) {
	client := openai.NewClient()
	asked := openai.ChatCompletionNewParams{
		Model: "gpt-5", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
		Tools: []openai.ChatCompletionToolUnionParam{
			openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "look_up", Parameters: parameters}),
		},
	}
	for range 2 {
		var answer *openai.ChatCompletion
		if stream {
			asked.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
			parts := client.Chat.Completions.NewStreaming(ctx, asked)
			sum := openai.ChatCompletionAccumulator{}
			for parts.Next() {
				sum.AddChunk(parts.Current())
			}
			answer, err = &sum.ChatCompletion, parts.Err()
		} else {
			answer, err = client.Chat.Completions.New(ctx, asked)
		}
		if err != nil {
			return nil, err
		}
		said := answer.Choices[0]
		t := turn{
			Text: said.Message.Content, Finish: said.FinishReason,
			Input: answer.Usage.PromptTokens, Output: answer.Usage.CompletionTokens,
		}
		asked.Messages = append(asked.Messages, said.Message.ToParam())
		for _, c := range said.Message.ToolCalls {
			t.Calls = append(t.Calls, call{c.Function.Name, json.RawMessage(c.Function.Arguments)})
			asked.Messages = append(asked.Messages, openai.ToolMessage(answered, c.ID))
		}
		turns = append(turns, t)
	}
	return turns, nil
}

func respond(ctx context.Context, stream bool) (turns []turn, err error) {
	client := openai.NewClient()
	input := responses.ResponseInputParam{
		responses.ResponseInputItemParamOfMessage(question, responses.EasyInputMessageRoleUser),
	}
	for range 2 {
		asked := responses.ResponseNewParams{
			Model: "gpt-5", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: input},
			Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("look_up", parameters, false)},
		}
		var answer *responses.Response
		if stream {
			parts := client.Responses.NewStreaming(ctx, asked)
			for parts.Next() {
				if e := parts.Current(); e.Type == "response.completed" {
					answer = &e.Response
				}
			}
			err = parts.Err()
		} else {
			answer, err = client.Responses.New(ctx, asked)
		}
		if err != nil {
			return nil, err
		}
		t := turn{
			Text: answer.OutputText(), Finish: string(answer.Status),
			Input: answer.Usage.InputTokens, Output: answer.Usage.OutputTokens,
		}
		for _, o := range answer.Output {
			if o.Type != "function_call" {
				continue
			}
			c := o.AsFunctionCall()
			t.Calls = append(t.Calls, call{c.Name, json.RawMessage(c.Arguments)})
			result := responses.ResponseInputItemParamOfFunctionCallOutput(answered)
			result.OfFunctionCallOutput.CallID = openai.String(c.CallID)
			input = append(input, responses.ResponseInputItemParamOfFunctionCall(c.Arguments, c.CallID, c.Name), result)
		}
		turns = append(turns, t)
	}
	return turns, nil
}

func messages(ctx context.Context, stream bool) (turns []turn, err error) {
	client := anthropic.NewClient()
	asked := anthropic.MessageNewParams{
		Model: "claude-sonnet-5", MaxTokens: 100,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: "look_up", InputSchema: anthropic.ToolInputSchemaParam{Properties: parameters["properties"]},
		}}},
	}
	for range 2 {
		answer := &anthropic.Message{}
		if stream {
			parts := client.Messages.NewStreaming(ctx, asked)
			for parts.Next() {
				if err := answer.Accumulate(parts.Current()); err != nil {
					return nil, err
				}
			}
			err = parts.Err()
		} else {
			answer, err = client.Messages.New(ctx, asked)
		}
		if err != nil {
			return nil, err
		}
		t := turn{Finish: string(answer.StopReason), Input: answer.Usage.InputTokens, Output: answer.Usage.OutputTokens}
		var results []anthropic.ContentBlockParamUnion
		for _, b := range answer.Content {
			switch b.Type {
			case "text":
				t.Text += b.Text
			case "tool_use":
				t.Calls = append(t.Calls, call{b.Name, b.Input})
				results = append(results, anthropic.NewToolResultBlock(b.ID, answered, false))
			}
		}
		asked.Messages = append(asked.Messages, answer.ToParam())
		if results != nil {
			asked.Messages = append(asked.Messages, anthropic.NewUserMessage(results...))
		}
		turns = append(turns, t)
	}
	return turns, nil
}

func generate(ctx context.Context, stream bool) (turns []turn, err error) {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "x", Backend: genai.BackendGeminiAPI})
	if err != nil {
		return nil, err
	}
	contents := genai.Text(question)
	config := &genai.GenerateContentConfig{Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{
		{Name: "look_up", ParametersJsonSchema: parameters},
	}}}}
	for range 2 {
		t, said := turn{}, &genai.Content{Role: genai.RoleModel}
		take := func(answer *genai.GenerateContentResponse) {
			if u := answer.UsageMetadata; u != nil {
				t.Input, t.Output = int64(u.PromptTokenCount), int64(u.CandidatesTokenCount)
			}
			for _, c := range answer.Candidates {
				if c.FinishReason != "" {
					t.Finish = strings.ToLower(string(c.FinishReason))
				}
				if c.Content != nil {
					said.Parts = append(said.Parts, c.Content.Parts...)
				}
			}
		}
		if stream {
			for answer, err := range client.Models.GenerateContentStream(ctx, "gemini-2.5-flash", contents, config) {
				if err != nil {
					return nil, err
				}
				take(answer)
			}
		} else {
			answer, err := client.Models.GenerateContent(ctx, "gemini-2.5-flash", contents, config)
			if err != nil {
				return nil, err
			}
			take(answer)
		}
		contents = append(contents, said)
		results := &genai.Content{Role: genai.RoleUser}
		for _, p := range said.Parts {
			t.Text += p.Text
			if c := p.FunctionCall; c != nil {
				arguments, err := json.Marshal(c.Args)
				if err != nil {
					return nil, err
				}
				t.Calls = append(t.Calls, call{c.Name, arguments})
				results.Parts = append(results.Parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{
					ID: c.ID, Name: c.Name, Response: map[string]any{"output": answered},
				}})
			}
		}
		if results.Parts != nil {
			contents = append(contents, results)
		}
		turns = append(turns, t)
	}
	return turns, nil
}
