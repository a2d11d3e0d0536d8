// Package rejudged holds what a saved result says when it is judged again. The method
// that every result has for it names a type of this package, so that no result is made
// outside this module.
package rejudged

// Result is a saved result judged again from the options and the evidence that it holds.
// Paths are those of its JSON, without indices, such as "scenarios.failures.text"; "" is
// all of it.
type Result struct {
	Again   any          // judged again; a pointer to the same type
	Given   []string     // what it was computed from: not compared
	Skip    []string     // what cannot be recomputed
	Skipped []string     // parts that were taken as they are
	Parts   []Part       // compared before the rest, which was computed from them
	Then    func() error // checks what a comparison does not; may be nil
}

// Part is a part of a result that was judged again by itself.
type Part struct {
	Path string
	Have any // as it is saved
	*Result
}

// Include adds a part.
func (r *Result) Include(path string, have any, part *Result) {
	r.Parts = append(r.Parts, Part{path, have, part})
}

// AsItIs is a part that is taken as it is.
func AsItIs(part any) *Result {
	return &Result{Again: part, Given: []string{""}, Skipped: []string{""}}
}

// Join returns the path of a part in the whole; "" is the whole.
func Join(path, part string) string {
	if path == "" || part == "" {
		return path + part
	}
	return path + "." + part
}
