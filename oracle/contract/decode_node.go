package contract

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// decoder turns nodes of YAML into values, and collects what is wrong.
type decoder struct {
	file     string
	field    string // that is being read
	problems Errors
}

// fail notes a problem with the field that is being read.
func (d *decoder) fail(n *yaml.Node, problem, hint string) *Error {
	place := trial.Place{File: d.file, Line: n.Line, Column: n.Column}
	e := &Error{Place: place, Field: d.field, Problem: problem, Advice: hint, Whole: "the contract"}
	if len(d.problems) < yamlnode.MaxErrors {
		d.problems = append(d.problems, e)
	}
	return e
}

// at reads a part of the field, such as "name" or "[3]".
func (d *decoder) at(part string, read func()) {
	outer := d.field
	if outer != "" && part[0] != '[' {
		part = "." + part
	}
	d.field += part
	read()
	d.field = outer
}

// key is a key of a mapping and what reads its value.
type key struct {
	name string
	read func(n *yaml.Node)
}

// object reads a mapping with known keys, of which some must be there.
func (d *decoder) object(n *yaml.Node, needed []string, keys ...key) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, "must be a mapping, not "+yamlnode.Describe(n), "")
		return
	}
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	lines := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		if at.Kind != yaml.ScalarNode || at.ShortTag() != "!!str" {
			d.fail(at, "has a key that is not text", "write it in quotes")
			continue
		}
		if line, twice := lines[at.Value]; twice {
			d.fail(at, "has the key "+yamlnode.Shown(at.Value)+" twice", fmt.Sprintf("it stands already in line %d", line))
			continue
		}
		lines[at.Value] = at.Line
		known := slices.Index(names, at.Value)
		if known < 0 {
			d.fail(at, "has no key "+yamlnode.Shown(at.Value), prose.DidYouMean(at.Value, names)).Keys = names
			continue
		}
		d.at(at.Value, func() { keys[known].read(value) })
	}
	for _, name := range needed {
		if _, found := lines[name]; !found {
			d.at(name, func() { d.fail(n, "is missing", map[string]string{"version": "write version: 1"}[name]) })
		}
	}
}

// items calls back for each item of a list.
func (d *decoder) items(n *yaml.Node, each func(item *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		d.fail(n, "must be a list, not "+yamlnode.Describe(n), "")
		return
	}
	for i, item := range n.Content {
		d.at("["+strconv.Itoa(i)+"]", func() { each(item) })
	}
}

// text reads a string that is not empty.
func (d *decoder) text(n *yaml.Node, target *string) bool {
	tag := n.ShortTag()
	switch {
	case n.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float" || tag == "!!bool"):
		d.fail(n, "must be text, not "+yamlnode.Describe(n), "write it in quotes: "+yamlnode.Shown(n.Value))
	case n.Kind != yaml.ScalarNode || tag != "!!str" && tag != "!!timestamp":
		d.fail(n, "must be text, not "+yamlnode.Describe(n), "")
	case strings.TrimSpace(n.Value) == "":
		d.fail(n, "must not be empty", "")
	default:
		*target = n.Value
		return true
	}
	return false
}

// name reads a short text on one line.
func (d *decoder) name(n *yaml.Node, target *string) {
	var text string
	switch {
	case !d.text(n, &text):
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		d.fail(n, "holds a control character", "")
	case len(text) > maxNameBytes:
		d.fail(n, fmt.Sprintf("is longer than %d bytes", maxNameBytes), "")
	default:
		*target = text
	}
}

// word reads one of several words.
func word[T ~string](d *decoder, n *yaml.Node, target *T, choices ...T) {
	var text string
	if !d.text(n, &text) {
		return
	}
	if slices.Contains(choices, T(text)) {
		*target = T(text)
		return
	}
	var names []string
	for _, c := range choices {
		names = append(names, string(c))
	}
	d.fail(n, "has no choice "+yamlnode.Shown(text), prose.DidYouMean(text, names))
}

// whole reads a whole number within limits.
func (d *decoder) whole(n *yaml.Node, least, most int64) (int64, bool) {
	x, err := strconv.ParseInt(n.Value, 0, 64)
	switch {
	case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil:
		d.fail(n, "must be a whole number, not "+yamlnode.Describe(n), "")
	case x < least:
		d.fail(n, fmt.Sprintf("%s must be at least %d", prose.Excerpt(n.Value), least), "")
	case x > most:
		d.fail(n, fmt.Sprintf("%s must be at most %d", prose.Excerpt(n.Value), most), "")
	default:
		return x, true
	}
	return 0, false
}

// number reads a finite number.
func (d *decoder) number(n *yaml.Node) (float64, bool) {
	x, err := strconv.ParseFloat(n.Value, 64)
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" || err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		d.fail(n, "must be a finite number, not "+yamlnode.Describe(n), "")
		return 0, false
	}
	return x, true
}
