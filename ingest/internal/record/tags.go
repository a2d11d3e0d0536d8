package record

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// What is kept of the metadata of a trial.
const (
	mostTags    = 64
	longestTag  = 1000 // bytes; longer texts are contents, and name nothing, unless a rule asks for them
	deepestTags = 6    // how deep objects are looked into
)

// SetTag keeps what a value says as tags of the trial, where rules for scenarios and
// outcomes find it, while there is room. A text, number or truth is one tag under the
// name. Of an object each member is one, under the name and, after a point, its own
// name; without a name the members stand under theirs. The texts of a list are one
// tag, joined by commas.
func (t *Trace) SetTag(name string, value Node) { t.setTagTo(deepestTags, name, value) }

// SetTags keeps the named members of an object, under their names below a prefix; ""
// is none.
func (t *Trace) SetTags(prefix string, object Node, names ...string) {
	for _, name := range names {
		t.SetTag(strings.TrimPrefix(prefix+"."+name, "."), object.At(name))
	}
}

// SetScalarTags keeps the members of an object that are texts, numbers or truths,
// under their own names, but for those named.
func (t *Trace) SetScalarTags(object Node, except ...string) {
	for name, value := range object.Members() {
		if value.IsScalar() && !slices.Contains(except, name) {
			t.SetTag(name, value)
		}
	}
}

// isNamed reports whether a rule names a tag, or something within it.
func (t *Trace) isNamed(name string) bool {
	return slices.ContainsFunc(t.attributes, func(key string) bool {
		return key == name || strings.HasPrefix(key, name+".")
	})
}

func (t *Trace) setTagTo(depth int, name string, value Node) {
	text := value.Text()
	switch {
	case value.IsObject():
		for member, v := range value.Members() {
			if depth > 0 {
				t.setTagTo(depth-1, strings.TrimPrefix(name+"."+member, "."), v)
			}
		}
		return
	case value.IsList() && depth > 0:
		text = strings.Join(value.texts(), ",")
	}
	_, known := t.Tag(name)
	hasRoom := max(len(name), len(text)) <= longestTag && (known || len(t.Tags) < mostTags) || t.isNamed(name)
	if text != "" && name != "" && hasRoom {
		TagTrial(&t.Trial, name, text)
	}
}

// texts returns the texts of a list.
func (n Node) texts() (texts []string) {
	for _, element := range n.List() {
		if text := element.Text(); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// AddTag gives a trial a tag of a name that no other tag of it has.
func AddTag(t *trial.Trial, name, text string) { t.Tags = append(t.Tags, newTag(name, text)) }

// newTag is a tag that a trial may have.
func newTag(name, text string) trial.Member {
	return trial.Member{Name: ValidText(name), Value: trial.RawString(text)}
}

// TagTrial sets a tag of a trial, over one of the same name.
func TagTrial(t *trial.Trial, name, text string) {
	tag := newTag(name, text)
	for i := range t.Tags {
		if t.Tags[i].Name == tag.Name {
			t.Tags[i] = tag
			return
		}
	}
	t.Tags = append(t.Tags, tag)
}
