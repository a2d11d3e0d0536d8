package recheck

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Verification says that a saved result is what its raw outcomes come to.
type Verification struct {
	Verdict  verdict.Verdict // recomputed, where that is possible
	Judged   bool            // there is a verdict; a plan or a forecast has none
	Compared int             // figures and texts
	Skipped  []string        // the parts that the result holds no raw values for
}

// Verify judges a result again and compares every figure and text. It returns a
// [verdict.DifferenceError] for the first difference.
func Verify(ctx context.Context, r verdict.Result) (*Verification, error) {
	found, err := r.Rejudge(ctx)
	if err != nil {
		return nil, err
	}
	v := &Verification{Skipped: []string{}}
	if err := v.compare("", r, found); err != nil {
		return nil, err
	}
	// Where the verdict could not be recomputed, it is the saved one that is told.
	header := r.Header()
	if again, ok := found.Again.(verdict.Result); ok && !slices.Contains(found.Skip, "verdict") {
		header = again.Header()
	}
	v.Verdict, v.Judged = header.Verdict, header.Judged
	return v, nil
}

// compare compares a result, or a part at a path of one, with what was found. Parts that
// were judged by themselves come first, each with its own lists of what to skip. At last no verdict may contradict the
// interval beside it: see [verdict.Claim].
func (v *Verification) compare(path string, have any, found *rejudged.Result) error {
	w := &Walk{Given: slices.Clone(found.Given), Skip: found.Skip}
	var exit error // told where the verdict itself holds
	if r, ok := have.(verdict.Result); ok {
		exit = Exit(r.Header())
		// Exit compares it with the verdict; the options of a command may change it.
		w.Given = append(w.Given, "exit_code")
	}
	for _, part := range found.Parts {
		if err := v.compare(rejudged.Join(path, part.Path), part.Have, part.Result); err != nil {
			return Within(part.Path, err)
		}
		w.Given = append(w.Given, part.Path)
	}
	if err := cmp.Or(w.Compare(have, found.Again), exit); err != nil {
		return err
	}
	if r, ok := have.(interface{ Claims() []verdict.Claim }); ok {
		if err := verdict.CheckClaims(r.Claims()); err != nil {
			return err
		}
	}
	v.Compared += w.Compared
	for _, skipped := range append(slices.Clone(found.Skipped), w.Skipped...) {
		v.Skipped = append(v.Skipped, rejudged.Join(path, skipped))
	}
	if found.Then != nil {
		return found.Then()
	}
	return nil
}

// Exit compares an exit code with that of the verdict: the options of a command may have
// changed that of Inconclusive alone.
func Exit(h verdict.Header) error {
	v, code := h.Verdict, h.ExitCode
	if !h.Judged || code == v.ExitCode() {
		return nil
	}
	if v == verdict.Inconclusive && (code == verdict.Pass.ExitCode() || code == verdict.Fail.ExitCode()) {
		return nil
	}
	return &verdict.DifferenceError{Path: "exit_code", Have: fmt.Sprint(code), Want: fmt.Sprint(v.ExitCode())}
}

// Walk compares two results, field by field. Paths are without indices.
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

// Within gives a difference of a part the path in the whole.
func Within(path string, err error) error {
	if d, ok := errors.AsType[*verdict.DifferenceError](err); ok {
		return &verdict.DifferenceError{Path: rejudged.Join(path, d.Path), Have: d.Have, Want: d.Want}
	}
	return err
}

// tolerance is relative, and allows for machines that round products and sums together
// (fused multiply-add). It is chosen: far above such differences, and far below any digit
// that a text shows.
const tolerance = 1e-9

// object is a value whose members in JSON are not the fields of its Go type, such as
// compare.Tests, whose tests are members by their names.
type object interface{ Members() map[string]any }

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
	if said, ok := have.Interface().(verdict.Reason); ok &&
		w.inEarlierWords(plain, "text", said, want.Interface().(verdict.Reason)) {
		return nil
	}
	if said, ok := have.Interface().(verdict.Warning); ok &&
		w.inEarlierWords(plain, "text", verdict.Reason(said), verdict.Reason(want.Interface().(verdict.Warning))) {
		return nil
	}
	if said, ok := have.Interface().(Statement); ok && have.Kind() == reflect.Struct {
		again := want.Interface().(Statement)
		if text := said.Said(); w.inEarlierWords(plain, said.TextField(), text, again.Said()) {
			want = reflect.ValueOf(again.Saying(text.Text)) // what else it holds is compared
		}
	}
	// Containers first: they hold nothing to compare but their length and what is in them.
	differ := func(h, v any) error { return &verdict.DifferenceError{Path: path, Have: shown(h), Want: shown(v)} }
	if have, ok := have.Interface().(object); ok && reflect.TypeOf(have).Kind() != reflect.Pointer {
		if want, ok := want.Interface().(object); ok {
			return w.maps(path, plain, reflect.ValueOf(have.Members()), reflect.ValueOf(want.Members()))
		}
	}
	switch have.Kind() {
	case reflect.Interface:
		if have.IsNil() || want.IsNil() {
			if have.IsNil() != want.IsNil() {
				return differ(have.Interface(), want.Interface())
			}
			return nil
		}
		return w.values(path, plain, have.Elem(), want.Elem())
	case reflect.Struct:
		// Times of one moment may differ in how their zone is held.
		if moment, ok := have.Interface().(time.Time); ok {
			w.Compared++
			if !moment.Equal(want.Interface().(time.Time)) {
				return differ(moment, want.Interface())
			}
			return nil
		}
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
		// A value that is kept as it was read; indentation is no difference.
		if raw, ok := have.Interface().(json.RawMessage); ok {
			w.Compared++
			if a, b := compacted(raw), compacted(want.Bytes()); a != b {
				return differ(a, b)
			}
			return nil
		}
		if have.Len() != want.Len() {
			return &verdict.DifferenceError{Path: path, Have: fmt.Sprintf("a list of %d", have.Len()),
				Want: fmt.Sprintf("a list of %d", want.Len())}
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
		// Written so that NaN is a difference. Very small numbers are equal unless they are
		// p-values; see isProbability.
		a, b := have.Float(), want.Float()
		if !(math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))) &&
			(isProbability(path) || math.Abs(a-b) > 1e-12) {
			return differ(a, b)
		}
	case reflect.String:
		// Texts of older versions are compared in the words of today.
		if a, b := have.String(), want.String(); a != b && oneOf(today.Replace(a)) != oneOf(b) {
			return differ(have.Interface(), want.Interface())
		}
	default:
		if !have.Equal(want) {
			return differ(have.Interface(), want.Interface())
		}
	}
	return nil
}

// today has the words of today for those of earlier results, which named the flags of a
// command where options are meant.
var today = strings.NewReplacer(
	"--interval clopper-pearson never does", "the Clopper-Pearson interval never does",
	"--price-per-mtok gives one to tokens", "a price of tokens would give one",
	"--test boschloo always does", "Boschloo's test always does",
)

// oneOf takes the grammatical number out of a text: earlier results say "1 of 1 trials were judged".
func oneOf(text string) string {
	return manyVerbs().ReplaceAllStringFunc(manyNouns().ReplaceAllString(text, "$1"), func(verb string) string {
		return map[string]string{"are": "is", "were": "was", "have": "has"}[verb]
	})
}

var (
	manyNouns = lazy.Regexp(`\b(trial|scenario|error|clause|count|violate)s\b`)
	manyVerbs = lazy.Regexp(`\b(are|were|have)\b`)
)

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

// fields compares structs by the names of their JSON; what JSON does not hold is passed
// over. Embedded structs appear here under the name of their type.
func (w *Walk) fields(path, plain string, have, want reflect.Value) error {
	for i := range have.NumField() {
		field := have.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch name {
		case "-":
			continue
		case "":
			name = field.Name
		}
		if err := w.values(rejudged.Join(path, name), rejudged.Join(plain, name), have.Field(i),
			want.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// maps compares maps with keys that are strings, in sorted order, so that the first
// difference is the same every time. A part that is skipped may be there on one side only.
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
		if part := rejudged.Join(plain, k); slices.Contains(w.Skip, part) {
			if a.IsValid() && !slices.Contains(w.Skipped, part) {
				w.Skipped = append(w.Skipped, part)
			}
			continue
		}
		if !a.IsValid() || !b.IsValid() {
			return &verdict.DifferenceError{Path: rejudged.Join(path, k), Have: presence(a), Want: presence(b)}
		}
		if err := w.values(rejudged.Join(path, k), rejudged.Join(plain, k), a, b); err != nil {
			return err
		}
	}
	return nil
}

// presence writes a member of a map that may be absent, for a person.
func presence(v reflect.Value) string {
	if !v.IsValid() {
		return "absent"
	}
	return shown(v.Interface())
}

// pointed is what a pointer points at; nil of nil.
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
