// Package chat reads messages of models as their interfaces have them: those of OpenAI
// and of Anthropic.
package chat
