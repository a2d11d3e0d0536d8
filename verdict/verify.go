package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// Verification says that a saved result is what its raw outcomes come to.
type Verification struct {
	Verdict  Verdict  `json:"verdict"` // recomputed
	Compared int      `json:"compared"`
	Skipped  []string `json:"skipped"` // the parts that the result holds no raw values for
}

// DifferenceError names the first figure of a saved result that is not what its raw
// outcomes come to.
type DifferenceError struct {
	Path       string // such as scenarios[3].passes
	Have, Want string // in the result, and recomputed
}

// ExitCode is that of input that cannot be used.
func (e *DifferenceError) ExitCode() int { return exit.Input }

func (e *DifferenceError) Error() string {
	return fmt.Sprintf("%s is %s, and the outcomes give %s", e.Path, e.Have, e.Want)
}

// ErrNoOutcomes says that a result holds no raw outcomes to recompute it from.
var ErrNoOutcomes = errors.New("the result holds no raw outcomes")

// Verify recomputes a saved result, as [Decode] returns it, from the raw outcomes and
// counts that it holds, and compares every figure and text. What cannot be recomputed
// is named. It returns a [DifferenceError] for the first difference.
func Verify(result any) (*Verification, error) {
	switch r := result.(type) {
	case *RunResult:
		return verifyRun(r)
	case *GateResult:
		if r.Run == nil {
			return nil, fmt.Errorf("%w: the gate holds no run", ErrNoOutcomes)
		}
		return verifyGate(r)
	case *ThresholdResult:
		return verifyThreshold(r)
	case *Comparison:
		return verifyComparison(r)
	case *SequentialResult:
		return verifySequential(r)
	case *BehaviourResult:
		return verifyBehaviourResult(r)
	}
	return nil, fmt.Errorf("%T is no saved result", result)
}

// checkExit compares an exit code with the verdict's: --on-inconclusive may have
// changed that of Inconclusive alone.
func checkExit(v Verdict, code int) error {
	if code == v.ExitCode() || v == Inconclusive && (code == Pass.ExitCode() || code == Fail.ExitCode()) {
		return nil
	}
	return &DifferenceError{"exit_code", fmt.Sprint(code), fmt.Sprint(v.ExitCode())}
}

// comparisonWalk walks two results at once. Paths are without indices.
type comparisonWalk struct {
	given    []string // what the rest is computed from
	skip     []string // what cannot be recomputed
	skipped  []string // of these, what is there
	compared int
}

// compare adds the first difference of two results, in the order of the document.
func (w *comparisonWalk) compare(have, want any) error {
	return w.values("", "", reflect.ValueOf(have).Elem(), reflect.ValueOf(want).Elem())
}

// compareResults returns the first difference, in the order of the document.
func compareResults(have, want any, skip ...string) (*comparisonWalk, error) {
	w := &comparisonWalk{skip: skip, given: []string{"exit_code"}}
	return w, w.compare(have, want)
}

// add takes in what was found of a part, which is at a path of the result.
func (v *Verification) add(path string, part *Verification) {
	v.Compared += part.Compared
	for _, s := range part.Skipped {
		v.Skipped = append(v.Skipped, joined(path, s))
	}
}

// within gives a difference of a part the path in the whole.
func within(path string, err error) error {
	if d, ok := errors.AsType[*DifferenceError](err); ok {
		return &DifferenceError{joined(path, d.Path), d.Have, d.Want}
	}
	return err
}

// tolerance allows for machines that round products and sums together.
const tolerance = 1e-9

// values compares two values; path is for a person, and plain has no indices.
func (w *comparisonWalk) values(path, plain string, have, want reflect.Value) error {
	if slices.Contains(w.given, plain) {
		return nil
	}
	if slices.Contains(w.skip, plain) {
		if !have.IsZero() && !slices.Contains(w.skipped, plain) {
			w.skipped = append(w.skipped, plain)
		}
		return nil
	}
	differ := func(h, v any) error { return &DifferenceError{path, shown(h), shown(v)} }
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
			w.compared++
			if a, b := compacted(raw), compacted(want.Bytes()); a != b {
				return differ(a, b)
			}
			return nil
		}
		if have.Len() != want.Len() {
			return &DifferenceError{path, fmt.Sprintf("a list of %d", have.Len()), fmt.Sprintf("a list of %d", want.Len())}
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
	w.compared++
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

func (w *comparisonWalk) fields(path, plain string, have, want reflect.Value) error {
	for i := range have.NumField() {
		field := have.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		if err := w.values(joined(path, name), joined(plain, name), have.Field(i), want.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func (w *comparisonWalk) maps(path, plain string, have, want reflect.Value) error {
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
			return &DifferenceError{joined(path, k), presence(a), presence(b)}
		}
		if err := w.values(joined(path, k), joined(plain, k), a, b); err != nil {
			return err
		}
	}
	return nil
}

func joined(path, name string) string {
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
