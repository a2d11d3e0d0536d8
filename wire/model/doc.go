// Package model asks models: OpenAI's chat completions, which many servers speak, and Anthropic's messages.
//
// The main type is [Client]:
//
//	client := model.New(model.Settings{Provider: model.OpenAI, Name: "gpt-5-mini", Key: os.Getenv("OPENAI_API_KEY")})
//	reply, err := client.Ask(ctx, model.Request{Messages: []model.Message{{Role: model.User, Text: "Hello"}}})
//
// What is sent and what comes passes through package endpoint, with its bounds. The key is in no message. What is
// refused for the moment is asked again, after the time that the server asks for.
//
// client.go asks and waits; openai.go and anthropic.go write what is asked, after the references of those who made the
// forms (https://platform.openai.com/docs/api-reference/chat and https://docs.anthropic.com/en/api/messages); package
// dialect reads what is answered.
package model
