// Package transcript puts the messages of a model's interface together to the steps of a
// trial, for the decoders of the many logs that hold such messages.
//
// A [Conversation] takes messages of OpenAI's Chat Completions interface and items of its
// Responses interface, an [Anthropic] those of Anthropic's Messages interface. [Calls],
// [Text] and [Usage] read single messages in the ways that OpenAI and the libraries that
// follow it write them.
//
// conversation.go and openai.go are for OpenAI; anthropic.go builds the trial of Anthropic's
// messages, anthropic_exchange.go fits responses into the history that repeats them, and
// anthropic_failure.go reads errors of that interface.
package transcript
