package record

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// Words is the content of a string, "" of anything else.
func (n Node) Words() string {
	if n.IsText() {
		return n.Text()
	}
	return ""
}

// Speech returns the text of a message: a string, or the parts of one that are text
// for its reader. Thoughts, images and calls of tools are none.
func (n Node) Speech() string {
	if n.IsObject() {
		return n.Either("text", "content").Words()
	}
	if !n.IsList() {
		return n.Text()
	}
	var parts []string
	for _, part := range n.List() {
		if part.IsText() {
			parts = append(parts, part.Text())
			continue
		}
		switch part.At("type").Text() {
		case "", "text", "input_text", "output_text", "refusal":
			if text := part.Either("text", "refusal").Words(); text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// Input is the content of a message to the system as the input of a trial: its text,
// or all of it where it has none. Nothing is nil.
func (n Node) Input() trial.Raw {
	if text := n.Speech(); text != "" {
		return trial.RawString(text)
	}
	if n.Length() > 0 {
		return n.Raw()
	}
	return nil
}

// Output is what a tool gave back as the output of a step: the text of a message, or
// any other value as it is. Nothing is nil, and an empty text an empty text.
func (n Node) Output() trial.Raw {
	if text := n.Speech(); text != "" && n.IsList() {
		return trial.RawString(text)
	}
	return n.Raw()
}

// BlockText returns a string, or the text in a list of content blocks; all is false
// where there is something that is no text.
func (n Node) BlockText() (text string, all bool) {
	if n.IsText() || !n.IsList() {
		return n.Text(), n.IsText()
	}
	var texts []string
	all = true
	for _, block := range n.List() {
		switch inner := block.At("text"); {
		case block.IsText():
			texts = append(texts, block.Text())
		case inner.IsText():
			texts = append(texts, inner.Text())
		default:
			all = false
		}
	}
	return strings.Join(texts, "\n"), all
}

// BlockOutput returns what a tool gave back in content blocks: their text, or all of
// it where some is no text.
func (n Node) BlockOutput() trial.Raw {
	if text, all := n.BlockText(); all {
		return trial.RawString(text)
	}
	return n.Raw()
}

// ErrorText returns the message of an error, which is a text or has one.
func (n Node) ErrorText() string {
	if text := n.Either("message", "error", "detail").Words(); text != "" {
		return text
	}
	if n.IsObject() || n.IsList() {
		return string(n.Raw())
	}
	return n.Text()
}

// Failed is the error of a step whose log says that it failed and not why.
const Failed = "failed"

// StepError returns the message of a step that failed, never "".
func StepError(message string) string {
	if message = ValidText(cut(message)); message != "" {
		return message
	}
	return Failed
}

// FailAnswer marks the step of a call of a model that failed: unless it said
// something, it answered nobody.
func FailAnswer(step *trial.Step, message string) {
	step.Error = StepError(message)
	if step.Action == trial.Respond && step.Output == nil {
		step.Action = trial.Reason
	}
}

// LongestMessage is how much of the text of a failure is kept, in bytes.
const LongestMessage = 2000

// cut keeps the beginning of a long message.
// It may cut a character in two; [ValidText] mends that.
func cut(text string) string {
	if len(text) <= LongestMessage {
		return text
	}
	return text[:LongestMessage]
}

// ValidText returns the text with a mark in place of what is not UTF-8.
func ValidText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// RawText is a text as the input or output of a trial; an empty one is unknown.
func RawText(text string) trial.Raw {
	if text == "" {
		return nil
	}
	return trial.RawString(text)
}
