package cassette

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// digest stands for equal requests.
type digest [sha256.Size]byte

// digestOf is that of a request, less the members that are ignored.
func digestOf(e *exchange, ignore []string) digest {
	body := []byte(e.Body)
	if value, ok := canonical(body, ignore); ok {
		body, _ = json.Marshal(value) // of what was JSON; members are sorted
	}
	return sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s", e.Provider, e.Method, e.Path, body))
}

// canonical is a JSON body with its numbers as written, less the members that are ignored.
func canonical(body []byte, ignore []string) (value any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&value) != nil || d.More() {
		return nil, false
	}
	for _, path := range ignore {
		value = without(value, strings.Split(path, "."))
	}
	return value, true
}

// without leaves out the members at a path, in which * is any member or element.
func without(value any, path []string) any {
	name, rest := path[0], path[1:]
	switch v := value.(type) {
	case map[string]any:
		for member := range v {
			switch {
			case name != member && name != "*":
			case len(rest) == 0:
				delete(v, member)
			default:
				v[member] = without(v[member], rest)
			}
		}
	case []any:
		for i := range v {
			switch {
			case name != "*" && name != strconv.Itoa(i):
			case len(rest) == 0:
				v[i] = nil
			default:
				v[i] = without(v[i], rest)
			}
		}
	}
	return value
}

// differences are lines with the paths at which two requests differ.
func differences(recorded, asked *exchange, ignore []string) (lines []string) {
	differ := func(path, a, b string) {
		lines = append(lines, fmt.Sprintf("%s: recorded %s, asked %s", path, a, b))
	}
	for _, f := range [][3]string{
		{"provider", recorded.Provider, asked.Provider}, {"method", recorded.Method, asked.Method},
		{"path", recorded.Path, asked.Path},
	} {
		if f[1] != f[2] {
			differ(f[0], f[1], f[2])
		}
	}
	a, aIs := canonical(recorded.Body, ignore)
	b, bIs := canonical(asked.Body, ignore)
	if !aIs || !bIs {
		if !bytes.Equal(recorded.Body, asked.Body) {
			differ("body", short(string(recorded.Body)), short(string(asked.Body)))
		}
		return lines
	}
	compare("", a, b, differ)
	return lines
}

// compare tells where two JSON values differ.
func compare(path string, a, b any, differ func(path, a, b string)) {
	below := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			all := maps.Clone(x)
			maps.Copy(all, y)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				u, hasU := x[name]
				v, hasV := y[name]
				compareMembers(below(name), u, v, hasU, hasV, differ)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range max(len(x), len(y)) {
				var u, v any
				if i < len(x) {
					u = x[i]
				}
				if i < len(y) {
					v = y[i]
				}
				compareMembers(below(strconv.Itoa(i)), u, v, i < len(x), i < len(y), differ)
			}
			return
		}
	}
	u, _ := json.Marshal(a) // of what was JSON
	v, _ := json.Marshal(b)
	if !bytes.Equal(u, v) {
		differ(cmp.Or(path, "body"), short(string(u)), short(string(v)))
	}
}

// compareMembers compares members, either of which may be missing.
func compareMembers(path string, a, b any, hasA, hasB bool, differ func(path, a, b string)) {
	if hasA && hasB {
		compare(path, a, b, differ)
		return
	}
	text := func(value any, has bool) string {
		if !has {
			return "nothing"
		}
		raw, _ := json.Marshal(value) // of what was JSON
		return short(string(raw))
	}
	differ(path, text(a, hasA), text(b, hasB))
}

// short is a text that fits into a line.
func short(text string) string {
	const most = 80
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
