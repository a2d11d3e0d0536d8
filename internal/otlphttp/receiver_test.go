package otlphttp

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	resourcev1 "go.opentelemetry.io/proto/otlp/resource/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// export is spans of the traces 1, 2, ... as an exporter sends them; a name that begins with "root" has no parent.
func export(t *testing.T, spans map[byte]string) (protobuf, json []byte) {
	t.Helper()
	scope := &tracev1.ScopeSpans{Scope: &commonv1.InstrumentationScope{Name: "agents"}}
	var inJSON []string
	for id, name := range spans {
		s := &tracev1.Span{Name: name, TraceId: append([]byte{id, 0xfb}, make([]byte, 14)...),
			SpanId: []byte{id, byte(len(name)), 0xff, 0, 0, 0, 0, 1}, StartTimeUnixNano: 1 << 60}
		parent := ""
		if !strings.HasPrefix(name, "root") {
			s.ParentSpanId = []byte{9, 0, 0, 0, 0, 0, 0, 9}
			parent = `"parentSpanId":"0900000000000009",`
		}
		scope.Spans = append(scope.Spans, s)
		inJSON = append(inJSON, fmt.Sprintf(`{"traceId":"%X","spanId":"%X",%s"name":%q,"startTimeUnixNano":"%d"}`,
			s.TraceId, s.SpanId, parent, name, int64(1<<60)))
	}
	service := &commonv1.KeyValue{Key: "service.name",
		Value: &commonv1.AnyValue{Value: &commonv1.AnyValue_StringValue{StringValue: "shop"}}}
	traces := &tracev1.TracesData{ResourceSpans: []*tracev1.ResourceSpans{{
		Resource: &resourcev1.Resource{Attributes: []*commonv1.KeyValue{service}}, ScopeSpans: []*tracev1.ScopeSpans{scope}}}}
	protobuf, err := proto.Marshal(traces)
	if err != nil {
		t.Fatal(err)
	}
	return protobuf, []byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},` +
		`"scopeSpans":[{"scope":{"name":"agents"},"spans":[` + strings.Join(inJSON, ",") + `]}]}]}`)
}

func post(r *Receiver, kind string, body []byte, headers ...string) int {
	request := httptest.NewRequest(http.MethodPost, "/v1/traces", bytes.NewReader(body))
	request.Header.Set("Content-Type", kind)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, request)
	return w.Code
}

func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTracesArePutTogether(t *testing.T) {
	r := New(Options{})
	proto, _ := export(t, map[byte]string{1: "model", 2: "root two"})
	if code := post(r, protobufType, proto); code != 200 {
		t.Fatalf("status %d", code)
	}
	_, json := export(t, map[byte]string{1: "root one"})
	if code := post(r, jsonType+"; charset=utf-8", zipped(t, json), "Content-Encoding", "gzip"); code != 200 {
		t.Fatalf("status %d", code)
	}
	now := time.Now()
	if got := r.Whole(now); len(got) != 0 {
		t.Fatalf("at once: %v", got)
	}
	got := r.Whole(now.Add(3 * time.Second))
	if len(got) != 2 || !strings.HasPrefix(got[0].ID, "01fb00") || strings.Count(string(got[0].Text), "\n") != 2 ||
		!bytes.Contains(got[0].Text, []byte(`"root one"`)) || !bytes.Contains(got[0].Text, []byte(`"model"`)) ||
		bytes.Contains(got[0].Text, []byte("root two")) || !bytes.Contains(got[0].Text, []byte("shop")) ||
		!bytes.Contains(got[0].Text, []byte(`"`+got[0].ID+`"`)) ||
		!bytes.Contains(got[0].Text, []byte(`"parentSpanId":"0900000000000009"`)) {
		t.Fatalf("traces %+v", got)
	}
	// Sent again, also to one that was told of it: it counts once.
	again := New(Options{})
	again.Know(r.Seen())
	for _, r := range []*Receiver{r, again} {
		if code := post(r, protobufType, proto); code != 200 || r.Late() != 2 || len(r.All()) != 0 {
			t.Errorf("status %d, %d late", code, r.Late())
		}
	}
}

func TestTracesWithoutRootWaitLonger(t *testing.T) {
	r := New(Options{})
	proto, _ := export(t, map[byte]string{1: "model"})
	post(r, protobufType, proto)
	if got := r.Whole(time.Now().Add(30 * time.Second)); len(got) != 0 {
		t.Errorf("after half a minute: %v", got)
	}
	if got := r.Whole(time.Now().Add(2 * time.Minute)); len(got) != 1 {
		t.Errorf("after two: %v", got)
	}
}

func TestReceiverRefuses(t *testing.T) {
	proto, json := export(t, map[byte]string{1: "root"})
	for _, c := range []struct {
		name, kind string
		body       []byte
		headers    []string
		want       int
	}{
		{"a page of a browser", "text/plain", json, nil, 415},
		{"no type", "", json, nil, 415},
		{"no protobuf", protobufType, []byte("\xff\xff"), nil, 400},
		{"no JSON", jsonType, []byte("{"), nil, 400},
		{"no gzip", protobufType, proto, []string{"Content-Encoding", "gzip"}, 400},
		{"another encoding", protobufType, proto, []string{"Content-Encoding", "br"}, 415},
		{"long", protobufType, make([]byte, 2000), nil, 413},
		{"long when unpacked", protobufType, zipped(t, make([]byte, 100_000)), []string{"Content-Encoding", "gzip"}, 413},
	} {
		r := New(Options{MaxBody: 1000})
		if got := post(r, c.kind, c.body, c.headers...); got != c.want || len(r.All()) != 0 {
			t.Errorf("%s: status %d, want %d", c.name, got, c.want)
		}
	}
	r := New(Options{MaxHeld: 10})
	if got := post(r, protobufType, proto); got != 429 || len(r.All()) != 0 {
		t.Errorf("beyond the memory: status %d", got)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/traces", nil))
	if w.Code != 405 {
		t.Errorf("GET: status %d", w.Code)
	}
}

func TestLastIDsAreKnown(t *testing.T) {
	r := New(Options{})
	ids := make([]string, SeenTraces+5)
	for i := range ids {
		ids[i] = strings.Repeat("x", i%7) + string(rune('a'+i%26)) + time.Duration(i).String()
	}
	r.Know(ids)
	if got := r.Seen(); len(got) != SeenTraces || got[0] != ids[5] {
		t.Errorf("%d ids from %s", len(got), got[0])
	}
}
