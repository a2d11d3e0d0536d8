package ingest

import (
	"slices"
	"strings"
)

// What is kept of the metadata of a trial.
const (
	mostTags    = 64
	longestTag  = 1000 // bytes; longer texts are contents, and name nothing
	deepestTags = 6    // how deep objects are looked into
)

// tagText keeps a text as a tag, while there is room.
func (t *trace) tagText(name string, value node) {
	text := value.text()
	if _, known := t.Tag(name); text == "" || name == "" || max(len(name), len(text)) > longestTag || !known && len(t.Tags) >= mostTags {
		return
	}
	setTag(&t.Trial, name, text)
}

// tagMembers keeps the named members of an object as tags, under their own names.
func (t *trace) tagMembers(n node, names ...string) {
	for _, name := range names {
		t.tagText(name, n.at(name))
	}
}

// tagTree keeps the texts of a value as tags: that of an object under the name and,
// after a point, the names of its members. The texts of a list are joined by commas.
// Without a name the members stand under their own.
func (t *trace) tagTree(name string, value node) { t.tagTo(deepestTags, name, value) }

// tagTop keeps the texts of the object itself, but for those named.
func (t *trace) tagTop(n node, except ...string) {
	for name, member := range n.members() {
		if !slices.Contains(except, name) {
			t.tagTo(0, name, member)
		}
	}
}

func (t *trace) tagTo(depth int, name string, value node) {
	if value.isList() && depth > 0 {
		t.tagText(name, node{strings.Join(textsOf(value), ",")})
		return
	}
	if !value.isObject() {
		t.tagText(name, value)
		return
	}
	if depth == 0 {
		return
	}
	for member, v := range value.members() {
		t.tagTo(depth-1, strings.TrimPrefix(name+"."+member, "."), v)
	}
}

// textsOf returns the texts of a list.
func textsOf(list node) (texts []string) {
	for _, element := range list.list() {
		if text := element.text(); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
