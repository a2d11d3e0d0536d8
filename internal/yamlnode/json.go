package yamlnode

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// jsonNumber is a number that JSON writes as YAML does: it keeps its digits.
var jsonNumber = lazy.Regexp(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// JSON writes a node as JSON, members in their order; nil after a problem.
func (d *Decoder) JSON(n *yaml.Node) []byte {
	if d.Takes() {
		return nil
	}
	// A full list of problems takes no more, so its length alone would not tell.
	before := len(d.Problems)
	text := d.appendJSON(nil, n)
	if len(d.Problems) > before || d.Full() {
		return nil
	}
	return text
}

// appendJSON appends a node, and notes what JSON cannot hold.
func (d *Decoder) appendJSON(dst []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		// After the first member, the text so far does not end in the brace.
		d.Members(n, func(name string, _, value *yaml.Node) {
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = append(appendQuoted(dst, name), ':')
			dst = d.appendJSON(dst, value)
		})
		return append(dst, '}')
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = d.appendJSON(dst, item)
		}
		return append(dst, ']')
	}
	return append(dst, d.jsonScalar(n)...)
}

// appendQuoted appends the string of JSON that holds a text. Bytes that are not UTF-8 become U+FFFD.
func appendQuoted(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // the error only reports the replacement
	return dst
}

// jsonScalar writes a text or a number. A number keeps its digits where JSON writes it
// in the same way.
func (d *Decoder) jsonScalar(n *yaml.Node) []byte {
	switch n.ShortTag() {
	case "!!null":
		return []byte("null")
	case "!!bool":
		// YAML writes True and TRUE too.
		return []byte(strings.ToLower(n.Value))
	case "!!int", "!!float":
		if jsonNumber().MatchString(n.Value) {
			return []byte(n.Value)
		}
		// Whole numbers in forms that YAML has and JSON has not: 0x1f, 0o17, 1_000,
		// +1.
		if x, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			return strconv.AppendInt(nil, x, 10)
		}
		// Others: .5 and 1. become numbers of JSON; .inf and .nan cannot.
		x, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			const advice = "write it in quotes if it is text"
			d.Fail(n, "holds "+prose.Excerpt(n.Value)+", which is no number of JSON", advice)
			return []byte("null")
		}
		text, _ := json.Marshal(x) // finite
		return text
	}
	return appendQuoted(nil, n.Value)
}
