package promotion

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// insert puts a scenario behind the last one of a file. Everything else of it stays as it is, comments too: lines are
// added, and no line is written again.
func insert(path string, text []byte, root *yaml.Node, lines []string) (c Change, err error) {
	list := member(root, "scenarios")
	if list == nil || list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0 {
		return c, &Error{prose.FileName(path) + " has no list of scenarios, a line with a dash for each, to add one to",
			"write the scenarios as such a list, or add it by hand"}
	}
	all := strings.SplitAfter(string(text), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	first := list.Content[0]
	// The dash of the first one says how they are indented.
	indent := dash(all[first.Line-1])
	if indent < 0 {
		return c, &Error{"the scenarios of " + prose.FileName(path) + " do not begin with a dash each, on a line of its own",
			"add it by hand"}
	}
	at := first.Line
	for _, n := range list.Content {
		at = max(at, n.Line)
	}
	// The rest of the last one is indented deeper; blank lines and comments behind it are not its own.
	last := at
	for i := at; i < len(all); i++ {
		line := strings.TrimRight(all[i], " \t\r\n")
		switch depth := len(line) - len(strings.TrimLeft(line, " ")); {
		case line == "":
			continue
		case depth > indent:
			last = i + 1
			continue
		}
		break
	}
	c = Change{Path: path, Line: last}
	for _, line := range lines {
		c.Lines = append(c.Lines, strings.Repeat(" ", indent)+line)
	}
	var b bytes.Buffer
	for _, line := range all[:last] {
		b.WriteString(line)
	}
	if !strings.HasSuffix(all[last-1], "\n") {
		b.WriteString("\n")
	}
	for _, line := range c.Lines {
		b.WriteString(line + "\n")
	}
	for _, line := range all[last:] {
		b.WriteString(line)
	}
	c.Text = b.Bytes()
	return c, nil
}

// dash is how far the dash of a list is indented; -1 where the line does not begin with one.
func dash(line string) int {
	rest := strings.TrimLeft(line, " ")
	if !strings.HasPrefix(rest, "- ") {
		return -1
	}
	return len(line) - len(rest)
}
