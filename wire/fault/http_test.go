package fault_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
)

// injectedIs checks that a payload stands in a result, which is JSON if it was.
func injectedIs(t *testing.T, p fault.Payload, place fault.Place, result string) {
	t.Helper()
	got := fault.Inject(result, p.Text, place)
	if json.Valid([]byte(result)) && !json.Valid([]byte(got)) {
		t.Errorf("%s as %s makes no JSON of %s: %s", p.Name, place, result, got)
	}
	plain := got
	var all any
	if json.Unmarshal([]byte(got), &all) == nil {
		plain = texts(all) + got
	}
	searched := strings.TrimSpace(p.Text)
	if place == fault.Encoded {
		searched = base64.StdEncoding.EncodeToString([]byte(p.Text))
	}
	if !strings.Contains(plain, searched) {
		t.Errorf("%s as %s is not in %s", p.Name, place, got)
	}
}

// texts are the texts of a JSON value.
func texts(value any) (all string) {
	switch v := value.(type) {
	case string:
		return v + "\n"
	case []any:
		for _, item := range v {
			all += texts(item)
		}
	case map[string]any:
		for _, item := range v {
			all += texts(item)
		}
	}
	return all
}

// model is a server that stands for models: it keeps what it was asked, and answers what it is told to.
type model struct {
	*httptest.Server
	asked  []string
	answer func(w http.ResponseWriter, body string)
}

// newModel starts one.
func newModel(t *testing.T, answer func(w http.ResponseWriter, body string)) *model {
	t.Helper()
	m := &model{answer: answer}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m.asked = append(m.asked, string(body))
		m.answer(w, string(body))
	}))
	t.Cleanup(m.Close)
	return m
}

// says answers with JSON.
func says(text string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// routed opens a route to a model with faults.
func routed(t *testing.T, m *model, seed uint64, faults ...string) (*wire.Route, *fault.Faults) {
	t.Helper()
	upstream, err := url.Parse(m.URL)
	if err != nil {
		t.Fatal(err)
	}
	all := wire.Upstreams{}
	for _, p := range wire.Providers() {
		all[p] = upstream
	}
	w, err := wire.Open(wire.Options{Upstreams: all})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	var list []fault.Fault
	for _, text := range faults {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	act := fault.New(list, seed)
	return w.Route(wire.Limits{}, act), act
}

// paths are where models are asked, by their dialects.
var paths = map[string]string{
	"openai/chat": "/openai/v1/chat/completions", "openai/responses": "/openai/v1/responses",
	"anthropic/messages": "/anthropic/v1/messages", "gemini/generateContent": "/gemini/v1beta/models/m:generateContent",
	"ollama/chat": "/ollama/api/chat",
}

// ask asks a model; the answer's body is read.
func ask(t *testing.T, route *wire.Route, dialect, body string) (*http.Response, string) {
	t.Helper()
	answer, err := http.Post(route.Root()+paths[dialect], "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// names are those of events of an act.
func names(seen *wire.Traffic, act string) (names []string) {
	for _, e := range seen.Events {
		if e.Act == act {
			names = append(names, e.Name)
		}
	}
	return names
}

// TestWhen counts at which of ten requests a fault is.
func TestWhen(t *testing.T) {
	for text, want := range map[string]string{
		"server-error":                     "xxxxxxxxxx",
		"server-error:times=3":             "xxx.......",
		"server-error:at=2":                ".x........",
		"server-error:at=4,times=2":        "...xx.....",
		"server-error:at=99":               "..........",
		"server-error:rate=0.3":            "",
		"server-error:rate=0.3,times=1":    "",
		"server-error:at=3,times=8,rate=1": "..xxxxxxxx",
	} {
		var runs []string
		for range 2 { // as it is seeded
			route, act := routed(t, newModel(t, says(`{"choices":[{"message":{"content":"hi"}}]}`)), 7, text)
			got := ""
			for range 10 {
				answer, _ := ask(t, route, "openai/chat", `{"model":"m"}`)
				got += map[bool]string{true: "x", false: "."}[answer.StatusCode == 500]
			}
			seen := route.Close()
			if n := len(names(seen, fault.Name)); n != strings.Count(got, "x") {
				t.Errorf("%s: %d events of %s", text, n, got)
			}
			if unfired := len(act.Unfired()) > 0; unfired != (text == "server-error:at=99") || unfired != (seen.Void != "") {
				t.Errorf("%s: unfired: %v, and %q", text, act.Unfired(), seen.Void)
			}
			runs = append(runs, got)
		}
		if runs[0] != runs[1] {
			t.Errorf("%s: %s, and then %s", text, runs[0], runs[1])
		}
		if n := strings.Count(runs[0], "x"); want == "" && (n == 0 || n == 10 || strings.Contains(text, "times=1") &&
			n != 1) {
			t.Errorf("%s: %s", text, runs[0])
		} else if want != "" && runs[0] != want {
			t.Errorf("%s: %s, and not %s", text, runs[0], want)
		}
	}
}

// TestRefusalsAreTheProviders have the provider's status, headers and words.
func TestRefusalsAreTheProviders(t *testing.T) {
	type got struct {
		Status        int
		Retry, Header string
		Path          string // the words for it in the body
	}
	header := map[string]string{"openai/chat": "X-Ratelimit-Remaining-Requests",
		"anthropic/messages": "Anthropic-Ratelimit-Requests-Remaining"}
	for dialect, want := range map[string]map[string]got{
		"openai/chat": {
			"rate-limit":       {429, "3", "0", `"code":"rate_limit_exceeded"`},
			"overloaded":       {503, "", "", `"type":"server_error"`},
			"server-error":     {500, "", "", `"type":"server_error"`},
			"context-overflow": {400, "", "", `"code":"context_length_exceeded"`},
		},
		"openai/responses": {
			"rate-limit":       {429, "3", "", `"code":"rate_limit_exceeded"`},
			"context-overflow": {400, "", "", `"param":"input"`},
		},
		"anthropic/messages": {
			"rate-limit":       {429, "3", "0", `"type":"rate_limit_error"`},
			"overloaded":       {529, "", "", `"type":"overloaded_error"`},
			"server-error":     {500, "", "", `"type":"api_error"`},
			"context-overflow": {400, "", "", `prompt is too long`},
		},
		"gemini/generateContent": {
			"rate-limit":       {429, "", "", `"retryDelay":"2.5s"`},
			"overloaded":       {503, "", "", `"status":"UNAVAILABLE"`},
			"server-error":     {500, "", "", `"status":"INTERNAL"`},
			"context-overflow": {400, "", "", `"status":"INVALID_ARGUMENT"`},
		},
		"ollama/chat": {
			"rate-limit":       {429, "3", "", `{"error":"`},
			"overloaded":       {503, "", "", `maximum pending requests exceeded`},
			"server-error":     {500, "", "", `{"error":"`},
			"context-overflow": {400, "", "", `context length`},
		},
	} {
		for kind, want := range want {
			text := kind
			if kind == "rate-limit" {
				text += ":retry_after=2500ms"
			}
			m := newModel(t, says(`{}`))
			route, _ := routed(t, m, 1, text)
			answer, body := ask(t, route, dialect, `{"model":"m"}`)
			has := got{answer.StatusCode, answer.Header.Get("Retry-After"), answer.Header.Get(header[dialect]), ""}
			if strings.Contains(body, want.Path) {
				has.Path = want.Path
			}
			if diff := cmp.Diff(want, has); diff != "" {
				t.Errorf("%s of %s: %s\n%s", kind, dialect, diff, body)
			}
			if len(m.asked) != 0 || !json.Valid([]byte(body)) {
				t.Errorf("%s of %s: the model was asked, or the answer is no JSON: %s", kind, dialect, body)
			}
			if got := names(route.Close(), fault.Name); !cmp.Equal(got, []string{kind}) {
				t.Errorf("%s of %s: told as %v", kind, dialect, got)
			}
		}
	}
}
