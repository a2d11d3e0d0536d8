package ratchet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// unreadError says why an answer is nobody's attempt.
type unreadError struct{ why string }

func (e *unreadError) Error() string { return e.why }

// tamperedError says that an answer would change what is protected.
type tamperedError struct{ file string }

func (e *tamperedError) Error() string { return e.file + " is protected" }

// extract returns the files in an answer: its fenced blocks, or all of it where it has none. Where one file may change
// it is the block that names it, or else the first that parses; where several may, each block names its own. What does
// not parse is no file: the error is an unreadError, or a tamperedError.
func (c *Config) extract(ctx context.Context, answer string) (Files, error) {
	files := Files{}
	var why error
	for _, block := range blocks(answer) {
		for _, word := range infoWords(block.info) {
			if matchesAny(c.Protect, path.Clean(word)) {
				return nil, &tamperedError{word}
			}
		}
		name := c.named(block.info)
		if name == "" && len(c.Files) == 1 {
			name = c.Files[0]
		}
		if _, twice := files[name]; name == "" || twice {
			continue
		}
		text := []byte(strings.TrimRight(block.text, " \t\r\n") + "\n")
		if err := c.Extract.parses(ctx, name, text); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if _, none := errors.AsType[*unreadError](err); !none {
				return nil, err
			}
			if why == nil || len(c.Files) > 1 {
				why = err
			}
			if len(c.Files) > 1 {
				return nil, why // half an answer is none
			}
			continue
		}
		files[name] = text
	}
	switch {
	case len(files) > 0:
		return files, nil
	case why != nil:
		return nil, why
	}
	return nil, &unreadError{"no block of the answer names a file that may change"}
}

// block is a part of an answer that may be a file.
type block struct{ info, text string }

// blocks are the fenced blocks of an answer, or all of it. One that is not closed ends with the answer.
func blocks(answer string) (list []block) {
	answer = strings.ReplaceAll(answer, "\r\n", "\n")
	mark, open := "", block{}
	for line := range strings.Lines(answer) {
		bare := strings.TrimSpace(line)
		switch {
		case mark == "":
			if mark = fence(bare); mark != "" {
				open = block{info: bare[len(mark):]}
			}
		case strings.HasPrefix(bare, mark) && strings.Trim(bare, mark[:1]) == "":
			list = append(list, open)
			mark = ""
		default:
			open.text += line
		}
	}
	if mark != "" {
		list = append(list, open)
	}
	if len(list) == 0 && strings.TrimSpace(answer) != "" {
		list = []block{{"", answer}}
	}
	return list
}

// fence returns the marks with which a line opens a fenced block of Markdown; "" where it opens none.
func fence(line string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, "`") {
			return line[:n]
		}
	}
	return ""
}

// named is the file that stands behind a fence, as in ```python src/service.py, by its name or the end of it.
func (c *Config) named(info string) string {
	for _, word := range infoWords(info) {
		if slices.Contains(c.Files, word) {
			return word
		}
		var like []string
		for _, name := range c.Files {
			if strings.HasSuffix(name, "/"+word) {
				like = append(like, name)
			}
		}
		if len(like) == 1 {
			return like[0]
		}
	}
	return ""
}

// infoWords are the words behind a fence.
func infoWords(info string) []string {
	return strings.FieldsFunc(info, func(r rune) bool { return strings.ContainsRune(" \t:={}\"'`,", r) })
}

// parseTimeout is chosen: a parser that takes longer does not end.
const parseTimeout = 30 * time.Second

// pythonCheck parses standard input as Python.
const pythonCheck = "import ast, sys; ast.parse(sys.stdin.buffer.read())"

// parses returns an unreadError for a text that is not in the language.
func (e Extract) parses(ctx context.Context, name string, text []byte) error {
	refused := func(why string) error {
		return &unreadError{prose.FileName(name) + " does not parse: " + prose.Reason(why)}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return refused("it is empty")
	}
	switch e.Language {
	case Go:
		if _, err := parser.ParseFile(token.NewFileSet(), filepath.Base(name), text,
			parser.SkipObjectResolution); err != nil {
			return refused(err.Error())
		}
		return nil
	case JSON:
		if !json.Valid(text) {
			return refused("it is no JSON")
		}
		return nil
	}
	argv := e.Command
	if e.Language == python {
		if len(argv) == 0 {
			argv = []string{"python3"}
		}
		argv = append(slices.Clone(argv), "-c", pythonCheck)
	}
	result, err := process.Command{Argv: argv, Timeout: parseTimeout}.Run(ctx, text)
	switch {
	case err != nil:
		return err
	case result.TimedOut:
		return refused("its parser did not end")
	case result.ExitCode != 0:
		return refused(cmp.Or(prose.LastLine(result.Stderr), fmt.Sprintf("exit code %d", result.ExitCode)))
	}
	return nil
}
