package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func encode(t testing.TB, result any) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := JSON(&out, result); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// roundTrip decodes a document and encodes it again.
func roundTrip[T any](t *testing.T, result *T) {
	t.Helper()
	document := encode(t, result)
	var decoded T
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&decoded); err != nil {
		t.Fatal(err)
	}
	if again := encode(t, &decoded); !bytes.Equal(document, again) {
		t.Error(cmp.Diff(string(document), string(again)))
	}
	if diff := cmp.Diff(result, &decoded); diff != "" {
		t.Error(diff)
	}
}

func TestJSONRoundTrips(t *testing.T) {
	for name, r := range thresholdSamples() {
		t.Run(name, func(t *testing.T) {
			validUTF8(reflect.ValueOf(r))
			roundTrip(t, r)
		})
	}
	for name, r := range comparisonSamples() {
		t.Run(name, func(t *testing.T) {
			validUTF8(reflect.ValueOf(r))
			roundTrip(t, r)
		})
	}
}

// validUTF8 replaces what JSON cannot hold.
func validUTF8(v reflect.Value) {
	each(v, reflect.String, func(v reflect.Value) { v.SetString(string([]rune(v.String()))) })
}

// each calls visit for every value of the kind within v.
func each(v reflect.Value, kind reflect.Kind, visit func(reflect.Value)) {
	switch v.Kind() {
	case kind:
		visit(v)
	case reflect.Pointer:
		if !v.IsNil() {
			each(v.Elem(), kind, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			each(v.Field(i), kind, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			each(v.Index(i), kind, visit)
		}
	}
}

// Every number of a result in turn is made one that JSON cannot hold.
func TestJSONRefusesNaNAndInfinities(t *testing.T) {
	for name, result := range map[string]any{"threshold": sampleErrors(), "comparison": sampleMetrics()} {
		numbers := 0
		each(reflect.ValueOf(result), reflect.Float64, func(v reflect.Value) {
			numbers++
			good := v.Float()
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				v.SetFloat(bad)
				var out bytes.Buffer
				if err := JSON(&out, result); err == nil || out.Len() > 0 {
					t.Errorf("%s with a %v: error %v, %d bytes written", name, bad, err, out.Len())
				}
			}
			v.SetFloat(good)
		})
		if numbers < 10 {
			t.Errorf("%s: only %d numbers were tried", name, numbers)
		}
	}
	r := sampleErrors()
	r.Reliability.PassHatK["1"] = math.NaN()
	if err := JSON(&bytes.Buffer{}, r); err == nil {
		t.Error("NaN in a map is written")
	}
}

func TestJSONIsOneIndentedDocument(t *testing.T) {
	got := string(encode(t, map[string]any{"name": "<a> & b", "list": []int{1}}))
	want := "{\n  \"list\": [\n    1\n  ],\n  \"name\": \"<a> & b\"\n}\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A document is indented line by line as encoding/json does it whole.
func TestJSONIsIndentedAsByEncodingJSON(t *testing.T) {
	for name, r := range map[string]any{
		"strings": []string{"", "a,b", `a"b`, `a\`, `{"a": [1, 2]}`, "\\\"", ":", "\n"},
		"empty":   []any{[]int{}, map[string]int{}, nil},
		"numbers": []float64{0, -1.5, 1e-9, 1e300}, "one": 1, "text": "a: b",
		"raw":    json.RawMessage(`{ "a" : [ ], "b":{ } }`),
		"nested": map[string]any{"a": []any{[]int{1, 2}, []any{[]int{}}}, "b": map[string]any{"c": map[string]any{}}},
	} {
		var compact, want bytes.Buffer
		encoder := json.NewEncoder(&compact)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(r); err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&want, compact.Bytes(), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := encode(t, r); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %s, and not %s", name, got, want.Bytes())
		}
	}
}

// fullWriter takes so many bytes, and no more.
type fullWriter int

func (f *fullWriter) Write(b []byte) (int, error) {
	if len(b) > int(*f) {
		return 0, io.ErrShortWrite
	}
	*f -= fullWriter(len(b))
	return len(b), nil
}

func TestJSONSaysThatItCouldNotBeWritten(t *testing.T) {
	for _, n := range []int{0, 1 << 16} {
		to := fullWriter(n)
		if err := JSON(&to, make([]int, 1<<16)); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestJSONHoldsNothingThatATerminalActsOn(t *testing.T) {
	names := append(slices.Clone(longNames), "\u009b2J\x7f\u202e\u2066\U000e0041\ufeff")
	document := encode(t, names)
	for _, r := range string(document) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U in %s", r, document)
		}
	}
	var decoded []string
	if err := json.Unmarshal(document, &decoded); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if decoded[i] != string([]rune(name)) { // every byte that is not UTF-8 is replaced
			t.Errorf("%q became %q", name, decoded[i])
		}
	}
}

// The documented forms of the results; a value stands for its type.
const (
	documentedVerdict = `{"schema":"tribunal/verdict/v1","verdict":"inconclusive","exit_code":2,
 "alpha":0.05,"threshold":0.85,
 "scenarios":[{"name":"all","passes":45,"trials":50,"errors":0,"rate":0.9,
   "interval":{"method":"wilson","level":0.95,"low":0.7864,"high":0.9565},
   "verdict":"inconclusive","reasons":[{"code":"interval-straddles-threshold","text":"…"}],
   "risk":{"false_pass":0.0,"false_fail":0.0},
   "more_trials":{"trials":0,"chance_of_decision":0.0}}],
 "reliability":{"pass_hat_k":{},"pass_at_k":{},"cost_per_success":null}}`
	documentedCompare = `{"schema":"tribunal/compare/v1","verdict":"fail","exit_code":1,"alpha":0.05,"beta":0.10,"delta":0.10,
 "baseline":{"passes":93,"trials":100,"rate":0.93,"interval":{}},
 "candidate":{"passes":71,"trials":100,"rate":0.71,"interval":{}},
 "difference":{"value":-0.22,"method":"miettinen-nurminen","level":0.95,"low":-0.33,"high":-0.12},
 "tests":{"fisher":{"p":0.0},"z":{"z":0.0,"p":0.0},"boschloo":{"p":0.0}},
 "decided_by":"boschloo",
 "effect":{"cohens_h":0.0,"odds_ratio":0.0,"magnitude":"large"},
 "power":{"at_delta":0.0,"mde":0.0},
 "bayes":{"probability":0.0},
 "scenarios":[],"metrics":[]}`
)

func TestJSONHasTheDocumentedForm(t *testing.T) {
	for _, test := range []struct {
		documented string
		result     any
	}{{documentedVerdict, sampleInconclusive()}, {documentedCompare, sampleCounts()}} {
		var want, got any
		if err := json.Unmarshal([]byte(test.documented), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(encode(t, test.result), &got); err != nil {
			t.Fatal(err)
		}
		checkForm(t, "result", want, got)
		for _, key := range []string{"schema", "verdict", "exit_code"} {
			if diff := cmp.Diff(want.(map[string]any)[key], got.(map[string]any)[key]); diff != "" {
				t.Errorf("%s: %s", key, diff)
			}
		}
	}
}

// checkForm fails the test if got lacks a member of want or has one of another type.
func checkForm(t *testing.T, path string, want, got any) {
	if reflect.TypeOf(want) != reflect.TypeOf(got) {
		t.Errorf("%s is a %T, want a %T", path, got, want)
		return
	}
	switch want := want.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(want)) {
			value, known := got.(map[string]any)[key]
			if !known {
				t.Errorf("%s has no %s", path, key)
				continue
			}
			checkForm(t, path+"."+key, want[key], value)
		}
	case []any:
		for i := range min(len(want), len(got.([]any))) {
			checkForm(t, path+"[]", want[i], got.([]any)[i])
		}
	}
}
