package otlphttp

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// reference reads an export with the library of protobuf and the messages of OpenTelemetry.
func reference(t rapid.TB, text []byte) (object, error) {
	t.Helper()
	var traces tracev1.TracesData
	if err := proto.Unmarshal(text, &traces); err != nil {
		return nil, err
	}
	text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(&traces)
	if err != nil {
		t.Fatal(err)
	}
	export, err := fromJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	// OTLP asks for hexadecimal ids, and protobuf's own JSON has base64.
	eachScope(export, func(_, _ object, spans []any) {
		for _, s := range spans {
			span, _ := s.(object)
			for _, item := range append(list(span, "links"), span) {
				o, _ := item.(object)
				for _, name := range []string{"traceId", "spanId", "parentSpanId"} {
					if id, ok := o[name].(string); ok {
						raw, err := base64.StdEncoding.DecodeString(id)
						if err != nil {
							t.Fatal(err)
						}
						o[name] = hex.EncodeToString(raw)
					}
				}
			}
		}
	})
	return export, nil
}

// again is an object as it is read from JSON.
func again(t rapid.TB, o object) object {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	export, err := fromJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return export
}

// fill sets fields of a message to anything.
func fill(t *rapid.T, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !rapid.Bool().Draw(t, string(f.Name())) || depth == 0 && f.Kind() == protoreflect.MessageKind {
			continue
		}
		if !f.IsList() {
			m.Set(f, anything(t, m.NewField(f), f, depth))
			continue
		}
		values := m.Mutable(f).List()
		for range rapid.IntRange(1, 2).Draw(t, "values") {
			values.Append(anything(t, values.NewElement(), f, depth))
		}
	}
}

// anything is a value of a field.
func anything(t *rapid.T, empty protoreflect.Value, f protoreflect.FieldDescriptor, depth int) protoreflect.Value {
	switch bits := rapid.Uint64().Draw(t, "bits"); f.Kind() {
	case protoreflect.MessageKind:
		fill(t, empty.Message(), depth-1)
		return empty
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(rapid.String().Draw(t, "text"))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(bits%2 == 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(int32(bits)))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(bits))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(bits))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(bits))
	case protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(bits)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(rapid.SampledFrom([]float64{
			0.1, -1e300, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1), math.Float64frombits(bits)}).Draw(t, "x"))
	}
	t.Fatalf("%s is of a kind that is new", f.FullName())
	return protoreflect.Value{}
}

// Every field of an export is read as the library reads it.
func TestProtobufIsReadAsTheLibraryReadsIt(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		traces := &tracev1.TracesData{}
		fill(t, traces.ProtoReflect(), 8)
		text, err := proto.Marshal(traces)
		if err != nil {
			t.Fatal(err)
		}
		want, err := reference(t, text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fromProtobuf(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, again(t, got), cmp.Comparer(sameNumber)); diff != "" {
			t.Error(diff)
		}
	})
}

// sameNumber compares numbers by their values: 1e+300 is 1e300.
func sameNumber(a, b json.Number) bool {
	x, err := a.Float64()
	y, other := b.Float64()
	return a == b || err == nil && other == nil && x == y
}

func FuzzProtobuf(f *testing.F) {
	for _, text := range []string{"", "\n\x05\x12\x03\x12\x01\x08", "\n\x02\x1a\x00", "\xff\xff", "\x0b\x0c"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		// The library refuses numbers of fields that are too large besides.
		_, want := reference(t, text)
		got, err := fromProtobuf(text)
		switch {
		case err == nil:
			again(t, got)
		case want == nil && len(text) < mostNested:
			t.Fatal(err)
		}
	})
}

// What would exhaust the stack is refused.
func TestProtobufOfGreatDepthIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		depth   int
		refused bool
	}{"deep": {400, false}, "too deep": {mostNested, true}} {
		var text []byte
		for range c.depth {
			text = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), text) // in a list
			text = protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), text) // in a value
		}
		for _, number := range []protowire.Number{2, 1, 1, 1} { // of an attribute of a resource
			text = protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), text)
		}
		if _, err := fromProtobuf(text); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
