package testreports

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// tapNote is what follows a test and says more of it: a block of YAML between --- and ..., or
// lines that are none of the protocol.
type tapNote struct {
	report *report
	indent int  // of the block
	yaml   bool // it is a block
	ended  bool
	lines  []string
	bytes  int
}

// longestNote is how much of it is kept, in bytes; chosen: more than any message that is kept.
const longestNote = 64 << 10

// begin takes in a line that is none of the protocol, and returns the note that goes on.
func (n *tapNote) begin(report *report, line string, indent int) *tapNote {
	text := line[indent:]
	switch {
	case report == nil:
		return n // more is said of nothing, and what was said stays
	case n == nil && text == "---":
		return &tapNote{report: report, indent: indent, yaml: true}
	// What Mocha and Test::More print of a failure is indented, or is a comment that is.
	case strings.HasPrefix(text, "#  "):
	case indent == 0 || strings.HasPrefix(text, "#"):
		return n
	}
	if n == nil {
		n = &tapNote{report: report, indent: indent}
	}
	n.keep(line[min(n.indent, indent):])
	return n
}

// takes reports whether a line belongs to the block that is open, and takes it in.
func (n *tapNote) takes(line string, indent int) bool {
	if n == nil || !n.yaml || n.ended {
		return false
	}
	if indent < n.indent && len(line) > indent {
		n.ended = true // it is not closed
		return false
	}
	if line[indent:] == "..." && indent == n.indent {
		n.ended = true
		return true
	}
	n.keep(line[min(n.indent, len(line)):])
	return true
}

// keep keeps a line while there is room.
func (n *tapNote) keep(line string) {
	if n.bytes += len(line) + 1; n.bytes <= longestNote {
		n.lines = append(n.lines, line)
	}
}

// finish says of the test what the note does.
func (n *tapNote) finish() {
	if n == nil {
		return
	}
	if !n.yaml {
		n.report.fail("", strings.Join(n.lines, "\n"))
		return
	}
	// A test with several errors has a document of each: the first one tells.
	first := n.lines
	for i, line := range first {
		if line == "---" {
			first = first[:i]
			break
		}
	}
	text := strings.Join(first, "\n")
	root, err := yamlnode.Parse("", "diagnostic", []byte(text))
	if err != nil || root.Kind != yaml.MappingNode {
		n.report.fail("", text)
		return
	}
	if ms := (record.Node{Value: scalar(root, "duration_ms")}).Millis(); ms.Known {
		n.report.seconds = ms
	}
	message := scalar(root, "message")
	if e := member(root, "error"); message == "" && e != nil {
		if message = e.Value; e.Kind == yaml.MappingNode {
			message = scalar(e, "message")
		}
	}
	n.report.fail(scalar(root, "failureType"), message)
}

// member returns a member of a mapping, nil if there is none.
func member(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// scalar returns the text of a member, "" if there is none.
func scalar(n *yaml.Node, name string) string {
	if m := member(n, name); m != nil && m.Kind == yaml.ScalarNode {
		return m.Value
	}
	return ""
}
