package ratchet

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// The stages of an attempt.
const (
	generateStage = "generate"
	reviewStage   = "review"
	rewriteStage  = "rewrite" // what a review found is mended, by the program that mends
	fixStage      = "fix"
)

// clean is what a review answers that found nothing.
const clean = "CLEAN"

// task is what a program is asked, as the JSON on its standard input.
type task struct {
	Stage   string            `json:"stage"`
	Attempt int               `json:"attempt"`
	Seed    uint64            `json:"seed"`
	Route   string            `json:"route,omitempty"`
	Model   string            `json:"model,omitempty"`
	Files   map[string]string `json:"files"`             // that may change, as they are
	Failing []testCase        `json:"failing,omitempty"` // tests, with what is told of them
	Review  string            `json:"review,omitempty"`  // what a review found
	Rules   []string          `json:"rules"`
	Prompt  string            `json:"prompt"` // all of it as text
}

// newTask asks a stage about files.
func (c *Config) newTask(stage string, attempt int, config *Stage, files Files) *task {
	t := &task{Stage: stage, Attempt: attempt, Seed: c.Seed, Route: config.Route, Model: c.Routes[config.Route],
		Files: map[string]string{},
		Rules: slices.Clone(c.Rules)}
	for name, text := range files {
		t.Files[name] = strings.ToValidUTF8(string(text), "\uFFFD")
	}
	if len(c.Protect) > 0 {
		t.Rules = append(t.Rules, "Do not change "+prose.And(c.Protect)+": what is there is right")
	}
	switch {
	case stage == reviewStage:
		t.Rules = append(t.Rules, "Answer "+clean+" and nothing else where all of these are kept")
	case c.Extract.Language != noLanguage:
		t.Rules = append(t.Rules, "Answer with each file that you change, whole, in a fenced block that names it")
	}
	return t
}

// write makes the prompt of what the task has. A prompt to mend has the names of the tests that fail, their part of the
// output, the files and the rules, and nothing else: whoever sees all tests mends what is not broken.
func (t *task) write() {
	var b strings.Builder
	switch t.Stage {
	case generateStage:
		b.WriteString("Write these files.\n")
	case reviewStage:
		b.WriteString("Review these files.\n")
	case rewriteStage:
		b.WriteString("Mend what a review of these files found.\n\n## What it found\n\n" + strings.TrimSpace(t.Review) + "\n")
	default:
		fmt.Fprintf(&b, "Mend these files: %s.\n", prose.Count(len(t.Failing), "test")+prose.Form(len(t.Failing), " fails",
			" fail"))
	}
	for _, f := range t.Failing {
		fmt.Fprintf(&b, "\n## %s\n\n", f.Name)
		for _, text := range []string{f.Message, f.Output} {
			if text != "" {
				b.WriteString(strings.TrimSpace(text) + "\n")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Files)) {
		text := strings.TrimRight(t.Files[name], "\n")
		mark := "```"
		for strings.Contains(text, mark) {
			mark += "`"
		}
		fmt.Fprintf(&b, "\n%s %s\n%s\n%s\n", mark, name, text, mark)
	}
	if len(t.Rules) > 0 {
		b.WriteString("\nRules:\n")
		for _, rule := range t.Rules {
			b.WriteString("- " + rule + "\n")
		}
	}
	t.Prompt = b.String()
}

// stdin is what the program has on its standard input.
func (t *task) stdin(asJSON bool) ([]byte, error) {
	if asJSON {
		return json.Marshal(t)
	}
	return []byte(t.Prompt), nil
}
