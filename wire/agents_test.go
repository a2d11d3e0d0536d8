package wire_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
)

// What Claude Code, Codex and the Gemini CLI ask beside their conversations is no request to a model.
func TestRequestsThatAskNoModel(t *testing.T) {
	var paths []string
	w := open(t, func(_ http.ResponseWriter, r *http.Request) { paths = append(paths, r.Method+" "+r.URL.RequestURI()) },
		wire.Options{})
	route := w.Route(wire.Limits{})
	for _, c := range []struct{ method, path string }{
		{"HEAD", "/anthropic/"},
		{"POST", "/anthropic/v1/messages/count_tokens?beta=true"},
		{"GET", "/openai/v1/models?client_version=0.169.0"},
		{"POST", "/gemini/v1beta/models/gemini-3.1-pro-preview:countTokens"},
	} {
		request, _ := http.NewRequest(c.method, route.Root()+c.path, strings.NewReader("{}"))
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	want := []string{
		"HEAD /", "POST /v1/messages/count_tokens?beta=true", "GET /base/v1/models?client_version=0.169.0",
		"POST /v1beta/models/gemini-3.1-pro-preview:countTokens",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
	if seen := route.Close(); seen.Calls() != 0 {
		t.Errorf("%d requests are counted", seen.Calls())
	}
}

// Codex asks over a WebSocket first, which would pass unread. It takes the status as the word to ask by POST.
func TestSocketsAreRefused(t *testing.T) {
	w := open(t, func(http.ResponseWriter, *http.Request) { t.Error("the server is asked") }, wire.Options{})
	route := w.Route(wire.Limits{})
	request, _ := http.NewRequest("GET", route.Root()+"/openai/v1/responses", nil)
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13",
		"Sec-Websocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
	} {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("%s", answer.Status)
	}
	if seen := route.Close(); seen.Calls() != 0 {
		t.Errorf("%d requests are counted", seen.Calls())
	}
}

// Codex packs its requests where it is logged in with ChatGPT.
func TestPackedRequests(t *testing.T) {
	plain := `{"model":"gpt-6.1-sol","stream":false,"input":"Fix the test"}`
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	io.WriteString(z, plain)
	z.Close()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := encoder.EncodeAll([]byte(plain), nil)
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		want := plain
		if r.Header.Get("Content-Encoding") != "" { // in which it stays
			want = "?"
		}
		if string(body) != want || r.ContentLength != int64(len(want)) {
			t.Errorf("%q goes up, of %d bytes", body, r.ContentLength)
		}
		io.WriteString(w, `{"model":"gpt-6.1-sol","status":"completed","output":[],"usage":{"input_tokens":7,"output_tokens":1}}`)
	}, wire.Options{})
	for _, c := range []struct {
		encoding, body, model string
		status                int
	}{
		{"gzip", gz.String(), "gpt-6.1-sol", 200},
		{"zstd", string(packed), "gpt-6.1-sol", 200},
		{"gzip", "no gzip", "", 400},
		{"zstd", string(packed[:len(packed)-3]), "", 400},
		{"br", "?", "", 200},
	} {
		route := w.Route(wire.Limits{})
		request, _ := http.NewRequest("POST", route.Root()+"/openai/v1/responses", strings.NewReader(c.body))
		request.Header.Set("Content-Encoding", c.encoding)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		var model string
		if seen := route.Close(); len(seen.Exchanges) > 0 {
			model = seen.Exchanges[0].Asked.Model
		}
		if answer.StatusCode != c.status || model != c.model {
			t.Errorf("%s %q: %s, and the model is %q", c.encoding, c.body, answer.Status, model)
		}
	}
}

// The Gemini CLI gives calls without an id one of its own, under which it tells what came of them.
func TestResultsUnderIDsOfTheAgent(t *testing.T) {
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		part := `{"text":"Done."}`
		if !strings.Contains(string(body), "b.py") {
			part = `{"functionCall":{"name":"read_file","args":{"file_path":"b.py"}}}`
		}
		if !strings.Contains(string(body), "a.py") {
			part = `{"functionCall":{"name":"read_file","args":{"file_path":"a.py"}}}`
		}
		io.WriteString(w, `{"candidates":[{"content":{"parts":[`+part+`]},"finishReason":"STOP"}]}`)
	}, wire.Options{})
	route := w.Route(wire.Limits{})
	url := route.Root() + "/gemini/v1beta/models/gemini-2.5-flash:generateContent"
	told := func(file, id string) string {
		return `{"parts":[{"functionCall":{"id":"` + id + `","args":{"file_path":"` + file +
			`"},"name":"read_file"}}],"role":"model"},` +
			`{"parts":[{"functionResponse":{"name":"read_file","response":{"output":"in ` + file + `"},"id":"` + id +
			`"}}],"role":"user"}`
	}
	ask(t, url, `{"contents":[]}`)
	ask(t, url, `{"contents":[`+told("a.py", "read_file_1795647233306_0")+`]}`)
	ask(t, url, `{"contents":[`+told("a.py", "read_file_1795647233306_0")+`,`+told("b.py",
		"read_file_1795647233382_0")+`]}`)
	var outputs []string
	for _, s := range route.Close().Steps() {
		if s.Action == trial.CallTool {
			outputs = append(outputs, s.Output.Text())
		}
	}
	if diff := cmp.Diff([]string{"in a.py", "in b.py"}, outputs); diff != "" {
		t.Error(diff)
	}
}

// What is packed and longer than what is read goes up whole, and unread.
func TestPackedRequestsBeyondTheBound(t *testing.T) {
	plain := `{"model":"m","input":"` + strings.Repeat("x", 1000) + `"}`
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, plain)
	z.Close()
	w := open(t, func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); string(body) != plain || err != nil {
			t.Errorf("%q goes up, %v", body, err)
		}
	}, wire.Options{MaxCopyBytes: 100})
	route := w.Route(wire.Limits{})
	request, _ := http.NewRequest("POST", route.Root()+"/openai/v1/responses", &packed)
	request.Header.Set("Content-Encoding", "gzip")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if seen := route.Close(); seen.NotUnderstood() != 1 || seen.Exchanges[0].Asked.Model != "" {
		t.Errorf("%+v", seen)
	}
}
