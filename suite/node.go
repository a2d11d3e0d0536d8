package suite

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// decoder turns nodes of YAML into values, and collects what is wrong.
type decoder struct {
	file, dir string
	redact    []string // names of variables, for commands that judge
	path      string   // of the field that is being read
	contracts []string // digests of those that were read, in their order
	problems  Errors
}

func (d *decoder) place(n *yaml.Node) trial.Place {
	return trial.Place{File: d.file, Line: n.Line, Column: n.Column}
}

// fail notes a problem with the field that is being read.
func (d *decoder) fail(n *yaml.Node, problem, hint string) *Error {
	e := &Error{Place: d.place(n), Field: d.path, Problem: problem, Advice: hint}
	if len(d.problems) < maxErrors {
		d.problems = append(d.problems, e)
	}
	return e
}

// at reads a part of the field, such as "name" or "[3]".
func (d *decoder) at(part string, read func()) {
	outer := d.path
	switch {
	case outer == "" || part[0] == '[':
		d.path += part
	default:
		d.path += "." + part
	}
	read()
	d.path = outer
}

// key is a key of a mapping and what reads its value.
type key struct {
	name string
	read func(n *yaml.Node)
}

// object reads a mapping with known keys, and returns the values that it has.
func (d *decoder) object(n *yaml.Node, keys ...key) map[string]*yaml.Node {
	if !d.is(n, yaml.MappingNode, "a mapping") {
		return nil
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	found := make(map[string]*yaml.Node)
	d.members(n, func(name string, at, value *yaml.Node) {
		for _, k := range keys {
			if k.name == name {
				found[name] = value
				d.at(name, func() { k.read(value) })
				return
			}
		}
		d.fail(at, "has no key "+shown(name), didYouMean(name, names)).Keys = names
	})
	return found
}

// members calls back for each member of a mapping, and refuses keys that are no
// text or stand twice.
func (d *decoder) members(n *yaml.Node, each func(name string, at, value *yaml.Node)) {
	lines := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		if at.Kind != yaml.ScalarNode || at.ShortTag() != "!!str" {
			d.fail(at, "has a key that is not text", "write it in quotes")
			continue
		}
		if line, twice := lines[at.Value]; twice {
			d.fail(at, "has the key "+shown(at.Value)+" twice", fmt.Sprintf("it stands already in line %d", line))
			continue
		}
		lines[at.Value] = at.Line
		each(at.Value, at, value)
	}
}

// items calls back for each item of a list.
func (d *decoder) items(n *yaml.Node, each func(i int, item *yaml.Node)) {
	if !d.is(n, yaml.SequenceNode, "a list") {
		return
	}
	for i, item := range n.Content {
		d.at("["+strconv.Itoa(i)+"]", func() { each(i, item) })
	}
}

// is checks the kind of a node that is no scalar.
func (d *decoder) is(n *yaml.Node, kind yaml.Kind, what string) bool {
	if n.Kind == kind {
		return true
	}
	d.fail(n, "must be "+what+", not "+describe(n), "")
	return false
}

// describe names what stands in a place.
func describe(n *yaml.Node) string { return yamlnode.Describe(n) }

func shown(text string) string { return yamlnode.Shown(text) }

// missing notes that a key is not there.
func (d *decoder) missing(n *yaml.Node, name, hint string) {
	d.at(name, func() { d.fail(n, "is missing", hint) })
}
