package otlp

import (
	"maps"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// spanAttributes are attributes by name, of which no two have the same.
// Values are unwrapped: an AnyValue is what it holds.
//
// A span has few of them and is asked for many that it does not have, so that they are a sorted list with a mark of
// the names in it.
type spanAttributes struct {
	list []spanAttribute // by name
	mark uint64          // the bits of all names
}

// spanAttribute is one of them.
type spanAttribute struct {
	name  string
	value record.Node // may be absent
}

// attributesOf takes a list, of which the last of a name counts. The list is not to be used again.
func attributesOf(list []spanAttribute) (a spanAttributes) {
	byName := func(a, b spanAttribute) int { return strings.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(list, byName) {
		slices.SortStableFunc(list, byName)
	}
	for i := range list {
		if i+1 == len(list) || list[i+1].name != list[i].name {
			list[len(a.list)] = list[i]
			a.list = list[:len(a.list)+1]
			a.mark |= markOf(list[i].name)
		}
	}
	return a
}

// attributesIn takes what a map holds.
func attributesIn(values map[string]record.Node) spanAttributes {
	list := make([]spanAttribute, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, spanAttribute{name, values[name]})
	}
	return attributesOf(list)
}

// markOf is one of 64 bits, by which most names that are not in a list are known at once.
func markOf(name string) uint64 {
	if name == "" {
		return 1
	}
	last := len(name) - 1
	return 1 << ((uint(last)*5 + uint(name[last])*3 + uint(name[last/2])) % 64)
}

// search returns where a name is in the list, or belongs.
func (a *spanAttributes) search(name string) (int, bool) {
	return slices.BinarySearchFunc(a.list, name, func(e spanAttribute, name string) int {
		return strings.Compare(e.name, name)
	})
}

// at returns the value of a name.
func (a *spanAttributes) at(name string) record.Node {
	if a.mark&markOf(name) == 0 {
		return record.Node{}
	}
	if i, found := a.search(name); found {
		return a.list[i].value
	}
	return record.Node{}
}

// first returns the first of the attributes that there is, and not an empty text.
func (a *spanAttributes) first(names ...string) record.Node {
	for _, name := range names {
		if n := a.at(name); n.Exists() && n.Value != "" {
			return n
		}
	}
	return record.Node{}
}

// attributeNames are names in the order in which they count.
type attributeNames struct {
	names []string
	mark  uint64 // the bits of all
}

// namesOf are the names as they are to be asked for with firstOf.
func namesOf(names ...string) attributeNames {
	n := attributeNames{names: names}
	for _, name := range names {
		n.mark |= markOf(name)
	}
	return n
}

// firstOf is first of many names, of which a span mostly has none.
func (a *spanAttributes) firstOf(n attributeNames) record.Node {
	if a.mark&n.mark == 0 {
		return record.Node{}
	}
	return a.first(n.names...)
}

// under are those whose names begin with a prefix, in their order.
func (a *spanAttributes) under(prefix string) []spanAttribute {
	from, _ := a.search(prefix)
	to := from
	for to < len(a.list) && strings.HasPrefix(a.list[to].name, prefix) {
		to++
	}
	return a.list[from:to]
}

// complete takes over those of others that there are not.
func (a *spanAttributes) complete(others spanAttributes) {
	whole := make([]spanAttribute, 0, len(a.list)+len(others.list))
	whole = append(whole, others.list...)
	for _, e := range a.list {
		if e.value.Exists() {
			whole = append(whole, e)
		}
	}
	*a = attributesOf(whole)
}

// remove takes one away.
func (a *spanAttributes) remove(name string) {
	if i, found := a.search(name); found {
		a.list = slices.Delete(a.list, i, i+1)
	}
}

// hasPrefix reports whether a name begins as one of the prefixes does.
func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
