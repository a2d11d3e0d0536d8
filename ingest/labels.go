package ingest

import (
	"strings"
)

const (
	mostLabels   = 64   // of a trial
	longestLabel = 1000 // bytes
	labelDepth   = 4    // how deep objects are looked into
)

// label keeps the named members of an object as tags, under their own names.
func (t *trace) label(n node, names ...string) {
	for _, name := range names {
		t.labelAs(name, n.at(name))
	}
}

// labelAs keeps a text as a tag, cut where it is long, while there is room.
func (t *trace) labelAs(name string, value node) {
	text := value.text()
	if _, ok := t.Tag(name); text == "" || name == "" || !ok && len(t.Tags) >= mostLabels {
		return
	}
	if len(text) > longestLabel {
		text = strings.ToValidUTF8(text[:longestLabel], "")
	}
	setTag(&t.Trial, name, text)
}

// labelAll keeps all texts of an object as tags, those of objects in it under a
// dotted path.
func (t *trace) labelAll(prefix string, n node) {
	if strings.Count(prefix, ".") >= labelDepth {
		return
	}
	for name, value := range n.members() {
		if value.isObject() {
			t.labelAll(prefix+name+".", value)
			continue
		}
		t.labelAs(prefix+name, value)
	}
}
