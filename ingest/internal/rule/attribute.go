package rule

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// deepestKey is how many names a dotted key may have.
// It is chosen, as the work grows with the ways to cut the key.
const deepestKey = 12

// checkKey refuses what can be the name of no attribute.
func checkKey(rule, key string) error {
	switch {
	case key == "":
		return &Error{Rule: rule, Problem: "names no attribute", Advice: "such as attribute:metadata.task_id"}
	case strings.Count(key, ".") >= deepestKey:
		return &Error{Rule: rule, Problem: fmt.Sprintf("has a key of more than %d names", deepestKey)}
	}
	return nil
}

// attributeText returns the text, the digits, or true or false, of an attribute of
// a trial: of a tag, or of a field that package trial does not know. The key is its
// name, or a dotted path into an object, which may be written inside a string. ok
// is false if there is none, and for null, objects and arrays.
func attributeText(t *trial.Trial, key string) (text string, ok bool) {
	for _, members := range [2][]trial.Member{t.Tags, t.Extra} {
		for _, m := range members {
			rest, found := strings.CutPrefix(key, m.Name)
			if !found || rest != "" && rest[0] != '.' {
				continue
			}
			n, err := record.DecodeNode(m.Value)
			if err != nil {
				continue
			}
			if rest != "" {
				n = within(n, rest[1:])
			}
			if n.IsScalar() {
				return n.Text(), true
			}
		}
	}
	return "", false
}

// within returns what a dotted key leads to inside of an object. Names may hold
// dots themselves.
// The whole key is tried as one name first, then each cut at a point, the shortest first.
func within(n record.Node, key string) record.Node {
	if n = n.Parsed(); !n.IsObject() {
		return record.Node{}
	}
	if inner := n.At(key); inner.Exists() {
		return inner
	}
	for i := range len(key) {
		if key[i] != '.' || !n.Has(key[:i]) {
			continue
		}
		if inner := within(n.At(key[:i]), key[i+1:]); inner.Exists() {
			return inner
		}
	}
	return record.Node{}
}

// attributesNamed is how many attributes a message names.
// It is chosen, for a message of one line.
const attributesNamed = 6

// attributeHint says which attributes a trial has, a few of them.
func attributeHint(t *trial.Trial) string {
	var names []string
	for _, members := range [2][]trial.Member{t.Tags, t.Extra} {
		for _, m := range members {
			names = append(names, prose.Excerpt(m.Name))
		}
	}
	switch rest := len(names) - attributesNamed; {
	case len(names) == 0:
		return "the trial has no attributes"
	case len(names) == 1:
		return "its only attribute is " + names[0]
	case rest > 0:
		return fmt.Sprintf("its attributes are %s and %d more", strings.Join(names[:attributesNamed], ", "), rest)
	}
	return "its attributes are " + strings.Join(names, ", ")
}
