package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// words is the content of a string, "" of anything else.
func (n node) words() string {
	if n.isText() {
		return n.text()
	}
	return ""
}

// speech returns the text of a message: a string, or the parts of one that are text
// for its reader. Thoughts, images and calls of tools are none.
func (n node) speech() string {
	if n.isObject() {
		return n.either("text", "content").words()
	}
	if !n.isList() {
		return n.text()
	}
	var parts []string
	for _, part := range n.list() {
		if part.isText() {
			parts = append(parts, part.text())
			continue
		}
		switch part.at("type").text() {
		case "", "text", "input_text", "output_text", "refusal":
			if text := part.either("text", "refusal").words(); text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// input is the content of a message to the system as the input of a trial: its text,
// or all of it where it has none. Nothing is nil.
func (n node) input() trial.Raw {
	if text := n.speech(); text != "" {
		return trial.RawString(text)
	}
	if n.length() > 0 {
		return n.raw()
	}
	return nil
}

// output is what a tool gave back as the output of a step: the text of a message, or
// any other value as it is. Nothing is nil, and an empty text an empty text.
func (n node) output() trial.Raw {
	if text := n.speech(); text != "" && n.isList() {
		return trial.RawString(text)
	}
	return n.raw()
}

// blockText returns a string, or the text in a list of content blocks; all is false
// where there is something that is no text.
func (n node) blockText() (text string, all bool) {
	if n.isText() || !n.isList() {
		return n.text(), n.isText()
	}
	var texts []string
	all = true
	for _, block := range n.list() {
		switch inner := block.at("text"); {
		case block.isText():
			texts = append(texts, block.text())
		case inner.isText():
			texts = append(texts, inner.text())
		default:
			all = false
		}
	}
	return strings.Join(texts, "\n"), all
}

// blockOutput returns what a tool gave back in content blocks: their text, or all of
// it where some is no text.
func (n node) blockOutput() trial.Raw {
	if text, all := n.blockText(); all {
		return trial.RawString(text)
	}
	return n.raw()
}

// errorText returns the message of an error, which is a text or has one.
func (n node) errorText() string {
	if text := n.either("message", "error", "detail").words(); text != "" {
		return text
	}
	if n.isObject() || n.isList() {
		return string(n.raw())
	}
	return n.text()
}

// stepFailed is the error of a step whose log says that it failed and not why.
const stepFailed = "failed"

// stepError returns the message of a step that failed, never "".
func stepError(message string) string {
	if message = validText(cut(message)); message != "" {
		return message
	}
	return stepFailed
}

// failAnswer marks the step of a call of a model that failed: unless it said
// something, it answered nobody.
func failAnswer(step *trial.Step, message string) {
	step.Error = stepError(message)
	if step.Action == trial.Respond && step.Output == nil {
		step.Action = trial.Reason
	}
}

// longestMessage is how much of the text of a failure is kept, in bytes.
const longestMessage = 2000

// cut keeps the beginning of a long message.
func cut(text string) string {
	if len(text) <= longestMessage {
		return text
	}
	return text[:longestMessage]
}

// validText returns the text with a mark in place of what is not UTF-8.
func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// rawText is a text as the input or output of a trial; an empty one is unknown.
func rawText(text string) trial.Raw {
	if text == "" {
		return nil
	}
	return trial.RawString(text)
}
