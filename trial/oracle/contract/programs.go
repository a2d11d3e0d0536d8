package contract

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/trial"
)

// argumentsIn are the texts of arguments: those of their JSON; of a program that stands in place of JSON, as models
// write them for Codex, those between its quotes too; and the files of a patch, wherever one stands.
func argumentsIn(raw trial.Raw) (texts []argumentText) {
	texts = textsIn(raw)
	if program, ok := programOf(raw); ok {
		texts = append(texts, literalsIn(program)...)
	}
	for _, t := range texts { // the range is of the texts until here
		texts = append(texts, patchedIn(t.text)...)
	}
	return texts
}

// programOf is the text that stands in place of JSON with members: as it is, or as a JSON string.
func programOf(raw trial.Raw) (program string, ok bool) {
	if raw == nil {
		return "", false
	}
	value, ok := parsed(raw)
	if !ok {
		return string(raw), true
	}
	program, ok = value.(string)
	return program, ok
}

// calledIn are the names of the tools that a program in place of JSON calls, as in tools.exec_command(...).
func calledIn(raw trial.Raw) (names []string) {
	if program, ok := programOf(raw); ok {
		for _, found := range ofTools().FindAllStringSubmatch(program, -1) {
			names = append(names, found[1])
		}
	}
	return names
}

var ofTools = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\btools\\s*(?:\\??\\.\\s*|(?:\\?\\.)?\\s*\\[\\s*[\"'`])([A-Za-z_$][A-Za-z0-9_$]*)")
})

// literalsIn are the texts between quotes, each under the name that it is given to. A text begins at any quote, also at
// one that may end another or stand in a comment: what is no text of the program is none that does anything.
func literalsIn(program string) (texts []argumentText) {
	for i := range len(program) {
		quote := program[i]
		if quote != '"' && quote != '\'' && quote != '`' || escapedAt(program, i) {
			continue
		}
		if end := literalEnd(program[i+1:], quote); end > 0 {
			texts = append(texts, argumentText{name: nameBefore(program[:i]), text: unescaped(program[i+1 : i+1+end])})
		}
	}
	return texts
}

// escapedAt reports whether an odd number of backslashes stands before a place.
func escapedAt(text string, at int) bool {
	n := 0
	for n < at && text[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// literalEnd is where a text ends that has begun; -1: it does not, within its line if it has to.
func literalEnd(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == quote:
			return i
		case text[i] == '\n' && quote != '`':
			return -1
		}
	}
	return -1
}

// nameBefore is the name that a text is given to, as in cmd: "ls" and cmd = "ls"; "" is none.
func nameBefore(program string) string {
	const longest = 100
	before := strings.TrimRight(program[max(0, len(program)-longest):], " \t\n")
	if before == "" || before[len(before)-1] != ':' && before[len(before)-1] != '=' {
		return ""
	}
	before = strings.TrimRight(strings.TrimRight(before[:len(before)-1], " \t\n"), `"'`)
	begins := strings.LastIndexFunc(before, func(r rune) bool { return !strings.ContainsRune(letters+digits+"_$", r) }) + 1
	return before[begins:]
}

// unescaped is a text as the program has it when it runs.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return ofEscape().ReplaceAllStringFunc(text, func(escape string) string {
		digits := strings.Trim(escape[2:], "{}")
		switch escape[1] {
		case 'n':
			return "\n"
		case 't':
			return "\t"
		case 'r':
			return "\r"
		case '\n': // the line goes on
			return ""
		case 'x', 'u':
			if n, err := strconv.ParseUint(digits, 16, 21); err == nil && digits != "" {
				return string(rune(n))
			}
		}
		return escape[1:]
	})
}

var ofEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|.)`)
})

// patchedIn are the files that a patch is for, in the form that Codex has.
func patchedIn(text string) (files []argumentText) {
	if !strings.Contains(text, "*** ") {
		return nil
	}
	for _, found := range ofPatch().FindAllStringSubmatch(text, -1) {
		files = append(files, argumentText{name: "path", text: strings.TrimSpace(found[1])})
	}
	return files
}

var ofPatch = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):([^\n]*)`)
})
