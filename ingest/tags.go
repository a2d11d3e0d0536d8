package ingest

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// What is kept of the metadata of a trial.
const (
	mostTags    = 64
	longestTag  = 1000 // bytes; longer texts are contents, and name nothing
	deepestTags = 6    // how deep objects are looked into
)

// setTag keeps what a value says as tags of the trial, where rules for scenarios and
// outcomes find it, while there is room. A text, number or truth is one tag under the
// name. Of an object each member is one, under the name and, after a point, its own
// name; without a name the members stand under theirs. The texts of a list are one
// tag, joined by commas.
func (t *trace) setTag(name string, value node) { t.setTagTo(deepestTags, name, value) }

// setTags keeps the named members of an object, under their names below a prefix; ""
// is none.
func (t *trace) setTags(prefix string, object node, names ...string) {
	for _, name := range names {
		t.setTag(strings.TrimPrefix(prefix+"."+name, "."), object.at(name))
	}
}

// setScalarTags keeps the members of an object that are texts, numbers or truths,
// under their own names, but for those named.
func (t *trace) setScalarTags(object node, except ...string) {
	for name, value := range object.members() {
		if value.isScalar() && !slices.Contains(except, name) {
			t.setTag(name, value)
		}
	}
}

func (t *trace) setTagTo(depth int, name string, value node) {
	text := value.text()
	switch {
	case value.isObject():
		for member, v := range value.members() {
			if depth > 0 {
				t.setTagTo(depth-1, strings.TrimPrefix(name+"."+member, "."), v)
			}
		}
		return
	case value.isList() && depth > 0:
		text = strings.Join(value.texts(), ",")
	}
	_, known := t.Tag(name)
	hasRoom := max(len(name), len(text)) <= longestTag && (known || len(t.Tags) < mostTags)
	if text != "" && name != "" && hasRoom {
		tagTrial(&t.Trial, name, text)
	}
}

// texts returns the texts of a list.
func (n node) texts() (texts []string) {
	for _, element := range n.list() {
		if text := element.text(); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// tagTrial sets a tag of a trial, over one of the same name.
func tagTrial(t *trial.Trial, name, text string) {
	tag := trial.Member{Name: validText(name), Value: trial.RawString(text)}
	for i := range t.Tags {
		if t.Tags[i].Name == tag.Name {
			t.Tags[i] = tag
			return
		}
	}
	t.Tags = append(t.Tags, tag)
}
