package dialect

import (
	_ "embed"
	"net/http"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// operationsTable has a row for each request that clients of models can make: the provider, the method, the path behind
// its base address, the class, and the clients. Folder operations makes it from the sources of the clients.
//
//go:embed operations.tsv
var operationsTable string

// Class says what becomes of an operation.
type Class string

// The classes. Unpriced runs no model that calls tools, but costs what no answer tells in a form that is read.
const (
	Read     Class = "read"     // by a dialect
	Free     Class = "free"     // runs no model
	Unpriced Class = "unpriced" // is refused where a limit on cost or tokens is on
	Refused  Class = "refused"  // is refused where a guard or a limit is on, and so is what is in no row
)

// Operation is a row of the table.
type Operation struct {
	Provider string
	Method   string
	Path     string // such as /responses/{}, where {} is any word
	Class    Class
	Dialect  *Dialect // of what is read
}

// dialects are all forms.
var dialects = []*Dialect{chat, responses, messages, generate, ollama}

// Operations are the rows of the table.
func Operations() (all []Operation) {
	for line := range strings.Lines(operationsTable) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			continue // of the head
		}
		class, form, _ := strings.Cut(f[3], " ")
		o := Operation{Provider: f[0], Method: f[1], Path: f[2], Class: Class(class)}
		for _, d := range dialects {
			if d.Name == form {
				o.Dialect = d
			}
		}
		all = append(all, o)
	}
	return all
}

// node is a place in the tree of paths, which are looked up from their last words to their first: before a path there
// may be more, such as a version.
type node struct {
	next map[string]*node // by the word before; "{}" is any
	at   map[string]*Operation
}

// operations is the tree, and the words behind a colon at the end of a path.
var operations = sync.OnceValues(func() (root *node, verbs map[string]bool) {
	root, verbs = &node{}, map[string]bool{}
	all := Operations()
	for i := range all {
		n := root
		rest := all[i].Path
		for rest != "" && rest != "/" {
			at := strings.LastIndexAny(rest, "/:")
			word := rest[at:]
			if word[0] == ':' {
				verbs[word] = true
			}
			word, rest = strings.TrimPrefix(word, "/"), rest[:at]
			if n.next == nil {
				n.next = map[string]*node{}
			}
			if n.next[word] == nil {
				n.next[word] = &node{}
			}
			n = n.next[word]
		}
		if n.at == nil {
			n.at = map[string]*Operation{}
		}
		if n.at[all[i].Method] == nil || all[i].Class == Refused {
			n.at[all[i].Method] = &all[i]
		}
	}
	return root, verbs
})

// Find returns the operation of a method at a path that [Clean] returned: of several rows that a path ends with the
// longest, and with fewer words that may be any. Before what is read there may be any words, as servers have their own;
// before all else, only what base addresses have. What is in no row is refused.
func Find(method, path string) Operation {
	none := Operation{Method: method, Path: path, Class: Refused}
	root, verbs := operations()
	path = strings.TrimSuffix(path, "/")
	if path == "" {
		if o := root.at[method]; o != nil {
			return *o
		}
		return none
	}
	rest, n := path, root
	if at := strings.LastIndexByte(path, ':'); at > strings.LastIndexByte(path, '/') && verbs[path[at:]] {
		if n = root.next[path[at:]]; n == nil {
			return none
		}
		rest = path[:at]
	}
	found, before := n.find(method, rest)
	if found == nil || found.Class != Read && !ofBase().MatchString(before) {
		return none
	}
	return *found
}

// find returns the operation with the longest path, and what is before it.
func (n *node) find(method, rest string) (found *Operation, before string) {
	at := strings.LastIndexByte(rest, '/')
	if at >= 0 {
		for _, word := range [...]string{rest[at+1:], "{}"} {
			if next := n.next[word]; next != nil {
				if o, b := next.find(method, rest[:at]); o != nil && (found == nil || len(b) < len(before)) {
					found, before = o, b
				}
			}
		}
	}
	if o := n.at[method]; found == nil && o != nil && o.Path != "/" {
		return o, rest
	}
	return found, before
}

// ofBase is what stands in base addresses before the paths of the table.
var ofBase = lazy.Regexp(`^(/(v\d+[a-z\d]*|openai|api|deployments/[^/]*))*$`)

// Of returns the dialect that is spoken at a path; nil where none is known.
func Of(path string) *Dialect {
	clean, _ := Clean(path)
	return Find(http.MethodPost, clean).Dialect
}

// plain are the characters that stand for themselves in a path, escaped or not.
var plain = func() (is [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:@!$&'()*+,=") {
		is[c] = true
	}
	return is
}()

// Clean returns an escaped path without doubled slashes, a slash at its end, and escapes of what stands for itself;
// !clear, and the path as it is: a server may read it otherwise than others do, as one that leads to a folder above, or
// has a parameter, an escaped slash or a backslash.
func Clean(path string) (clean string, clear bool) {
	ordinary := len(path) > 1 && path[0] == '/' && path[len(path)-1] != '/'
	for i := 0; i < len(path) && ordinary; i++ {
		ordinary = plain[path[i]] && (path[i] != '.' || path[i-1] != '/') || path[i] == '/' && (i == 0 || path[i-1] != '/')
	}
	if ordinary {
		return path, true
	}
	var b strings.Builder
	for word := range strings.SplitSeq(path, "/") {
		if word == "" {
			continue
		}
		word = unescaped(word, &plain)
		for i := range len(word) {
			if !plain[word[i]] {
				return path, false
			}
		}
		if word == "." || word == ".." {
			return path, false
		}
		b.WriteString("/" + word)
	}
	if b.Len() == 0 {
		return "/", true
	}
	return b.String(), true
}

// unescaped is a text without the escapes of some characters; nil is all.
func unescaped(text string, chars *[256]bool) string {
	if !strings.Contains(text, "%") {
		return text
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' && i+2 < len(text) && hex(text[i+1]) >= 0 && hex(text[i+2]) >= 0 {
			if one := byte(hex(text[i+1])<<4 | hex(text[i+2])); chars == nil || chars[one] {
				c, i = one, i+2
			}
		}
		b = append(b, c)
	}
	return string(b)
}

// Climbs reports whether a path has a word . or .. in any spelling that a server may take for it, such as escapes of
// escapes.
func Climbs(path string) bool {
	const deepest = 8
	for range deepest {
		path = unescaped(path, nil)
	}
	for word := range strings.SplitSeq(strings.ReplaceAll(path, `\`, "/"), "/") {
		if word, _, _ = strings.Cut(word, ";"); word == "." || word == ".." {
			return true
		}
	}
	return false
}

// hex is the value of a digit; negative: it is none.
func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// Spoken is the form in which a provider's errors are written.
func Spoken(provider string) *Dialect {
	for _, d := range dialects {
		if strings.HasPrefix(d.Name, provider+"/") {
			return d
		}
	}
	return chat
}
