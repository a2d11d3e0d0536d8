// Package chat reads messages of models as their interfaces have them: those of OpenAI
// and of Anthropic.
//
// openai.go tells the messages of OpenAI from all others, and openai_reader.go puts records
// together to trials; anthropic.go does both for Anthropic. What a single message says is read
// by package transcript, since many other logs hold the same messages.
//
// These formats are common things, and so have the strictest detection: whatever shows that
// another tool wrote the messages makes them that tool's. They say nothing of tasks or
// outcomes: trials are unjudged, and their scenario is the file, or a custom_id of a batch.
package chat
