package suite

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// Chosen: a suite of more parts than that is a slip, such as a file that includes its own copies.
const (
	maxIncludeDepth = 8
	maxIncludes     = 100
)

// includeKey names the files that a suite is put together from.
const includeKey = "include"

// including puts a file together with those that it includes. The chain are the files on the way to it, itself last.
//
// It is done with nodes, before anything is decoded: what is put together is read as if it had been written in one
// file, and each value keeps its place.
func (d *decoder) including(root *yaml.Node, chain []string) *yaml.Node {
	at := memberOf(root, includeKey)
	if at == nil {
		return root
	}
	outer := d.Field
	d.Field = "" // of this file, whichever includes it
	defer func() { d.Field = outer }()
	var together *yaml.Node
	d.At(includeKey, func() {
		one := func(n *yaml.Node) {
			var name string
			d.Line(&name)(n)
			if name == "" {
				return
			}
			if included := d.included(n, name, chain); included != nil {
				together = merged(together, included, true)
			}
		}
		if at.Kind == yaml.ScalarNode {
			one(at)
			return
		}
		d.Items(at, one)
	})
	return merged(together, root, true)
}

// included reads a file that another one includes; nil where it cannot.
func (d *decoder) included(n *yaml.Node, name string, chain []string) *yaml.Node {
	from := chain[len(chain)-1]
	path := resolve(filepath.Dir(from), name)
	way := strings.Join(append(slices.Clone(chain), path), " -> ")
	d.includes++
	switch {
	case slices.Contains(chain, path):
		d.Fail(n, "goes round in a circle: "+way, "")
		return nil
	case len(chain) > maxIncludeDepth:
		d.Fail(n, fmt.Sprintf("goes deeper than %d files: %s", maxIncludeDepth, way), "")
		return nil
	case d.includes > maxIncludes:
		if d.includes == maxIncludes+1 {
			d.Fail(n, fmt.Sprintf("reads more than %d files", maxIncludes), "")
		}
		return nil
	}
	text, err := yamlnode.ReadContext(d.ctx, path)
	var root *yaml.Node
	if err == nil {
		root, err = yamlnode.Parse(path, "suite", text)
	}
	if err != nil {
		d.unreadFile(n, name, "its path is from the folder of "+prose.FileName(from), err)
		if len(chain) > 1 {
			last := d.Problems[len(d.Problems)-1]
			last.Problem += " (" + way + ")"
		}
		return nil
	}
	d.StandsIn(path, root)
	d.parts = append(d.parts, filepath.Clean(path))
	if !d.Is(root, yaml.MappingNode) {
		return nil
	}
	return d.including(root, append(slices.Clone(chain), path))
}

// unreadFile notes that a file that the suite names cannot be read: problems inside of it keep their own places.
func (d *decoder) unreadFile(n *yaml.Node, name, advice string, err error) {
	if problems, ok := errors.AsType[Errors](err); ok {
		for _, p := range problems {
			// At most 20 are told of one suite, those of other files included.
			if !d.Full() {
				d.Problems = append(d.Problems, p)
			}
		}
		return
	}
	problem, hint := "cannot be read: "+prose.Reason(err.Error()), ""
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		problem = yamlnode.Shown(name) + " cannot be read: " + at.Err.Error()
	}
	if e, ok := errors.AsType[*trial.FileError](err); ok {
		problem, hint = prose.FileName(e.File)+" "+e.Problem, e.Advice
	}
	if errors.Is(err, fs.ErrNotExist) {
		problem, hint = yamlnode.Shown(name)+" does not exist", advice
	}
	d.Fail(n, problem, hint)
}

// merged puts one mapping over another: mappings key by key, and anything else in place of what is there, but for the
// scenarios of whole files, which are those of both.
func merged(under, over *yaml.Node, file bool) *yaml.Node {
	if under == nil || under.Kind != yaml.MappingNode || over.Kind != yaml.MappingNode {
		return over
	}
	whole := *over // with its place
	whole.Content = nil
	there := map[string]int{} // where the value of a key is, until it was replaced
	for i := 0; i+1 < len(under.Content); i += 2 {
		if file && under.Content[i].Value == includeKey {
			continue
		}
		there[under.Content[i].Value] = len(whole.Content) + 1
		whole.Content = append(whole.Content, under.Content[i], under.Content[i+1])
	}
	for i := 0; i+1 < len(over.Content); i += 2 {
		at, value := over.Content[i], over.Content[i+1]
		index, found := there[at.Value]
		if !found {
			whole.Content = append(whole.Content, at, value)
			continue
		}
		// A key that stands twice in one file is refused later.
		delete(there, at.Value)
		whole.Content[index-1] = at
		if file && at.Value == "scenarios" {
			whole.Content[index] = bothLists(whole.Content[index], value)
		} else {
			whole.Content[index] = merged(whole.Content[index], value, false)
		}
	}
	return &whole
}

// bothLists are the scenarios of two files, of which each is a list or one source.
func bothLists(under, over *yaml.Node) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: over.Line, Column: over.Column}
	for _, n := range []*yaml.Node{under, over} {
		if n.Kind == yaml.SequenceNode {
			list.Content = append(list.Content, n.Content...)
		} else {
			list.Content = append(list.Content, n)
		}
	}
	return list
}

// memberOf returns the value of a key; nil where there is none.
func memberOf(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}
