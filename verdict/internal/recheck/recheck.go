package recheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
)

// Verification says that a saved result is what its raw outcomes come to.
type Verification struct {
	Verdict  verdict.Verdict `json:"verdict"` // recomputed
	Compared int             `json:"compared"`
	Skipped  []string        `json:"skipped"` // the parts that the result holds no raw values for
}

// CheckExit compares an exit code with the verdict's: --on-inconclusive may have
// changed that of Inconclusive alone.
func CheckExit(v verdict.Verdict, code int) error {
	if code == v.ExitCode() || v == verdict.Inconclusive && (code == verdict.Pass.ExitCode() || code == verdict.Fail.ExitCode()) {
		return nil
	}
	return &verdict.DifferenceError{Path: "exit_code", Have: fmt.Sprint(code), Want: fmt.Sprint(v.ExitCode())}
}

// Walk walks two results at once. Paths are without indices.
type Walk struct {
	Given    []string // what the rest is computed from
	Skip     []string // what cannot be recomputed
	Skipped  []string // of these, what is there
	Compared int
}

// Compare adds the first difference of two results, in the order of the document.
func (w *Walk) Compare(have, want any) error {
	return w.values("", "", reflect.ValueOf(have).Elem(), reflect.ValueOf(want).Elem())
}

// Compare returns the first difference, in the order of the document.
func Compare(have, want any, skip ...string) (*Walk, error) {
	w := &Walk{Skip: skip, Given: []string{"exit_code"}}
	return w, w.Compare(have, want)
}

// Add takes in what was found of a part, which is at a path of the result.
func (v *Verification) Add(path string, part *Verification) {
	v.Compared += part.Compared
	for _, s := range part.Skipped {
		v.Skipped = append(v.Skipped, Joined(path, s))
	}
}

// Within gives a difference of a part the path in the whole.
func Within(path string, err error) error {
	if d, ok := errors.AsType[*verdict.DifferenceError](err); ok {
		return &verdict.DifferenceError{Path: Joined(path, d.Path), Have: d.Have, Want: d.Want}
	}
	return err
}

// tolerance allows for machines that round products and sums together.
const tolerance = 1e-9

// values compares two values; path is for a person, and plain has no indices.
func (w *Walk) values(path, plain string, have, want reflect.Value) error {
	if slices.Contains(w.Given, plain) {
		return nil
	}
	if slices.Contains(w.Skip, plain) {
		if !have.IsZero() && !slices.Contains(w.Skipped, plain) {
			w.Skipped = append(w.Skipped, plain)
		}
		return nil
	}
	differ := func(h, v any) error { return &verdict.DifferenceError{Path: path, Have: shown(h), Want: shown(v)} }
	switch have.Kind() {
	case reflect.Struct:
		return w.fields(path, plain, have, want)
	case reflect.Pointer:
		if have.IsNil() || want.IsNil() {
			if have.IsNil() != want.IsNil() {
				return differ(pointed(have), pointed(want))
			}
			return nil
		}
		return w.values(path, plain, have.Elem(), want.Elem())
	case reflect.Slice:
		if raw, ok := have.Interface().(json.RawMessage); ok {
			w.Compared++
			if a, b := compacted(raw), compacted(want.Bytes()); a != b {
				return differ(a, b)
			}
			return nil
		}
		if have.Len() != want.Len() {
			return &verdict.DifferenceError{Path: path, Have: fmt.Sprintf("a list of %d", have.Len()), Want: fmt.Sprintf("a list of %d", want.Len())}
		}
		for i := range have.Len() {
			if err := w.values(fmt.Sprintf("%s[%d]", path, i), plain, have.Index(i), want.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		return w.maps(path, plain, have, want)
	}
	w.Compared++
	switch have.Kind() {
	case reflect.Float64:
		a, b := have.Float(), want.Float()
		if !(math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))) && (isProbability(path) || math.Abs(a-b) > 1e-12) {
			return differ(a, b)
		}
	default:
		if !have.Equal(want) {
			return differ(have.Interface(), want.Interface())
		}
	}
	return nil
}

// isProbability tells p-values by their names: however small one is, its size counts.
// Other numbers may be what is left of a difference that is 0.
func isProbability(path string) bool {
	name := path[strings.LastIndexByte(path, '.')+1:]
	return name == "p" || strings.HasPrefix(name, "p_") || strings.HasSuffix(name, "_p")
}

// compacted is a JSON value without white space, which is as the document is indented.
func compacted(value []byte) string {
	var text bytes.Buffer
	if json.Compact(&text, value) != nil {
		return string(value)
	}
	return text.String()
}

func (w *Walk) fields(path, plain string, have, want reflect.Value) error {
	for i := range have.NumField() {
		field := have.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		if err := w.values(Joined(path, name), Joined(plain, name), have.Field(i), want.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Walk) maps(path, plain string, have, want reflect.Value) error {
	keys := map[string]bool{}
	for _, m := range []reflect.Value{have, want} {
		for _, k := range m.MapKeys() {
			keys[k.String()] = true
		}
	}
	sorted := make([]string, 0, len(keys))
	for k := range keys {
		sorted = append(sorted, k)
	}
	slices.Sort(sorted)
	for _, k := range sorted {
		key := reflect.ValueOf(k)
		a, b := have.MapIndex(key), want.MapIndex(key)
		if !a.IsValid() || !b.IsValid() {
			return &verdict.DifferenceError{Path: Joined(path, k), Have: presence(a), Want: presence(b)}
		}
		if err := w.values(Joined(path, k), Joined(plain, k), a, b); err != nil {
			return err
		}
	}
	return nil
}

func Joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func presence(v reflect.Value) string {
	if !v.IsValid() {
		return "absent"
	}
	return shown(v.Interface())
}

func pointed(v reflect.Value) any {
	if v.IsNil() {
		return nil
	}
	return v.Elem().Interface()
}

// shown writes a value for a person.
func shown(x any) string {
	switch x := x.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%q", x)
	case fmt.Stringer:
		return x.String()
	}
	return fmt.Sprintf("%+v", x)
}
