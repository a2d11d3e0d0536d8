// Package dialect reads what agents ask of models and what models answer, in the forms of the providers: OpenAI's chat
// completions and responses, Anthropic's messages, Gemini's generateContent and Ollama's chat, whole and streamed. It
// also writes answers and errors in these forms.
//
// [Of] finds the [Dialect] of a path. A form is one file and a line in the list of operation.go; how it tells tokens is
// in package tokens, for those who read recordings too. Nothing here is trusted: what cannot be read is an error, and
// never a panic.
package dialect
