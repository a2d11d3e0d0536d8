package contract

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// decoder reads a contract.
type decoder struct{ yamlnode.Decoder }

// key is a key that a mapping may have, with the function that reads its value.
type key = yamlnode.Key

// newDecoder reads what stands in a field of a file; "" is the file.
func newDecoder(file, field string) *decoder {
	return &decoder{yamlnode.Decoder{File: file, Field: field, What: "the contract"}}
}

// text reads a string that is not blank.
func (d *decoder) text(n *yaml.Node, target *string) bool {
	if d.Takes("type", "string", "minLength", 1) {
		return true
	}
	text, ok := d.Text(n)
	switch {
	case !ok:
	case strings.TrimSpace(text) == "":
		d.Fail(n, "must not be empty", "")
	default:
		*target = text
		return true
	}
	return false
}

// name reads a short line that is not blank.
func (d *decoder) name(target *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		var text string
		if d.text(n, &text) {
			d.Name(target, maxNameBytes)(n)
		}
	}
}
