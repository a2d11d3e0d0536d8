package cassette_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/cassette"
)

// offlineTransport is a transport that reaches nothing.
type offlineTransport struct{ asked *int }

func (o offlineTransport) RoundTrip(*http.Request) (*http.Response, error) {
	*o.asked++
	return nil, errors.New("there is no network")
}

// model answers with two streamed parts, in which a key of its own stands across both.
func model(t testing.TB) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Set-Cookie", "session=cookie-secret")
		usage := `"usage":{"prompt_tokens":7,"completion_tokens":2}`
		fmt.Fprintf(w, "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"%d \"}}]}\n\n", len(body))
		w.(http.Flusher).Flush()
		fmt.Fprint(w, "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"swordfish\"},\"finish_reason\":\"stop\"}],",
			usage, "}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return server
}

// wireTo opens a wire.
func wireTo(t testing.TB, address string, transport http.RoundTripper) *wire.Wire {
	t.Helper()
	upstreams, err := wire.UpstreamsOf(map[wire.Provider]string{wire.OpenAI: address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wire.Open(wire.Options{Upstreams: upstreams, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// ask asks a model over a route.
func ask(t testing.TB, route *wire.Route, body string) (status int, text string) {
	t.Helper()
	address := route.Root() + "/openai/v1/chat/completions?key=query-secret"
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer header-secret")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(said)
}

func open(t testing.TB, name string, o cassette.Options) *cassette.Cassette {
	t.Helper()
	c, err := cassette.Open(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// question is a body, of whose members a client may change the order.
const question = `{"model":"m","stream":true,"metadata":{"user_id":"a"},` +
	`"messages":[{"role":"user","content":"header-secret?"}]}`

// record records some trials at once.
func record(t testing.TB, name string, trials int) (said []string) {
	t.Helper()
	c := open(t, name, cassette.Options{Secrets: []string{"swordfish"}})
	w := wireTo(t, model(t).URL+"/v1", nil)
	said = make([]string, trials)
	var all sync.WaitGroup
	for i := range trials {
		all.Go(func() {
			route := w.Route(wire.Limits{}, c.Attempt(cassette.Conversation{Scenario: "s", Trial: i}))
			_, said[i] = ask(t, route, question)
			route.Close()
		})
	}
	all.Wait()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return said
}

func TestReplaysWhatWasRecorded(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c")
	said := record(t, name, 8)
	asked := 0
	w := wireTo(t, "http://127.0.0.1:1/v1", offlineTransport{&asked})
	c := open(t, name, cassette.Options{Replay: cassette.Strict, Ignore: []string{"metadata.user_id"}})
	for i := range said {
		route := w.Route(wire.Limits{}, c.Attempt(cassette.Conversation{Scenario: "s", Trial: i}))
		other := `{"messages":[{"content":"[secret]?","role":"user"}],"metadata":{"user_id":"b"},"stream":true,"model":"m"}`
		_, text := ask(t, route, other)
		if diff := cmp.Diff(strings.ReplaceAll(said[i], "swordfish", "[secret]"), text); diff != "" {
			t.Errorf("trial %d (-recorded +replayed):\n%s", i, diff)
		}
		seen := route.Close()
		if n := len(seen.Exchanges); n != 1 || seen.Exchanges[0].Answer.Usage.Input != trial.Some(int64(7)) {
			t.Errorf("trial %d: %+v was seen", i, seen)
		}
	}
	for _, miss := range []struct {
		name, body   string
		conversation cassette.Conversation
		want         []string
	}{
		{
			"another request", strings.Replace(question, "header-secret?", "why?", 1), cassette.Conversation{Scenario: "s"},
			[]string{"the nearest is its request 1", `messages.0.content: recorded "[secret]?", asked "why?"`},
		},
		{"another trial", question, cassette.Conversation{Scenario: "s", Trial: 8},
			[]string{`no recording of scenario "s", trial 8`}},
	} {
		t.Run(miss.name, func(t *testing.T) {
			route := w.Route(wire.Limits{}, c.Attempt(miss.conversation))
			status, text := ask(t, route, miss.body)
			<-route.Stopped()
			seen := route.Close()
			if status != http.StatusForbidden || !strings.Contains(text, `"error"`) || seen.Stopped != cassette.Missed {
				t.Errorf("%d %s, stopped by %q", status, text, seen.Stopped)
			}
			for _, want := range miss.want {
				if len(seen.Events) != 1 || !strings.Contains(seen.Events[0].Detail, want) {
					t.Errorf("%+v does not say %s", seen.Events, want)
				}
			}
		})
	}
	route := w.Route(wire.Limits{}, c.Attempt(cassette.Conversation{Scenario: "s"}))
	ask(t, route, question)
	ask(t, route, question)
	if e := route.Close().Events; len(e) != 1 || !strings.Contains(e[0].Detail, "1 times, and it is asked once more") {
		t.Errorf("a request that was recorded once and is asked twice: %+v", e)
	}
	if asked != 0 {
		t.Errorf("the network was asked %d times", asked)
	}
}

func TestRecordsWhatIsMissing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c")
	record(t, name, 1)
	for range 2 { // the second finds what the first has recorded
		c := open(t, name, cassette.Options{Replay: cassette.OrRecord})
		w := wireTo(t, model(t).URL+"/v1", nil)
		route := w.Route(wire.Limits{}, c.Attempt(cassette.Conversation{Scenario: "s"}))
		ask(t, route, question)
		if status, _ := ask(t, route, `{"messages":[]}`); status != http.StatusOK {
			t.Errorf("the status is %d", status)
		}
		route.Close()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	c := open(t, name, cassette.Options{Replay: cassette.Strict})
	route := wireTo(t, "http://127.0.0.1:1/v1", offlineTransport{&asked}).Route(wire.Limits{},
		c.Attempt(cassette.Conversation{Scenario: "s"}))
	for _, body := range []string{question, `{"messages":[]}`} {
		if status, text := ask(t, route, body); status != http.StatusOK {
			t.Errorf("%d %s", status, text)
		}
	}
}

func TestSecretsStayOut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c")
	record(t, name, 1)
	packed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := unpack(t, packed)
	for _, secret := range []string{"header-secret", "query-secret", "cookie-secret", "swordfish"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s stands in the file:\n%s", secret, text)
		}
	}
	if !bytes.Contains(text, []byte("[secret]?")) {
		t.Errorf("the request is not in the file:\n%s", text)
	}
}

func TestReadsAllBeforeATear(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "c")
	record(t, name, 3)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Count(unpack(t, whole), []byte(`"exchange"`))
	if lines != 3 {
		t.Fatalf("the file has %d exchanges", lines)
	}
	notes := 0
	for n := range len(whole) + 1 {
		torn := filepath.Join(folder, "torn")
		if err := os.WriteFile(torn, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, torn, cassette.Options{Replay: cassette.Strict})
		if c.Note() != "" {
			notes++
		}
		_ = c.Close()
		if c = open(t, torn, cassette.Options{}); c.Close() != nil { // which cuts the tear off
			t.Fatal("it cannot be closed")
		}
		c = open(t, torn, cassette.Options{Replay: cassette.Strict})
		if c.Note() != "" {
			t.Errorf("%d bytes: %s", n, c.Note())
		}
		_ = c.Close()
	}
	if want := len(whole) - 4; notes != want { // but at the ends of its 4 lines, and before the first
		t.Errorf("%d of %d torn files were noted", notes, want)
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"nonsense", ":1: "},
		{pack(`{"cassette":2,"session":"a","kind":"record"}`), ":1: the cassette has version 2, and 1 is known"},
		{pack(`{"cassette":1,"session":"a","kind":"x"}`), ":1: the session is"},
		{pack(`{"exchange":{}}`), ":1: an exchange stands before the head"},
		{pack(`{"cassette":1,"session":"a","kind":"add"}`) + pack(`{`), ":2: the line is no JSON"},
		{pack(`{"cassette":1,"session":"a","kind":"add"}`) + pack(`{}`), ":2: the line is neither"},
	} {
		name := filepath.Join(t.TempDir(), "c")
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := cassette.Open(name, cassette.Options{Replay: cassette.Strict})
		if err == nil || !strings.Contains(err.Error(), name+c.want) {
			t.Errorf("%q: %v, and not %s", c.text, err, c.want)
		}
	}
}

// TestTheLastRecordingCounts lets two sessions write by turns, and a later one record one of their trials again.
func TestTheLastRecordingCounts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c")
	w := wireTo(t, model(t).URL+"/v1", nil)
	first, second := open(t, name, cassette.Options{}), open(t, name, cassette.Options{})
	a := w.Route(wire.Limits{}, first.Attempt(cassette.Conversation{Scenario: "a"}))
	b := w.Route(wire.Limits{}, second.Attempt(cassette.Conversation{Scenario: "b"}))
	for _, route := range []*wire.Route{a, b, a, b} {
		ask(t, route, question)
	}
	a.Close()
	b.Close()
	_, _ = first.Close(), second.Close()
	record(t, name, 1)
	again := open(t, name, cassette.Options{})
	route := w.Route(wire.Limits{}, again.Attempt(cassette.Conversation{Scenario: "a"}))
	ask(t, route, question)
	route.Close()
	_ = again.Close()
	c := open(t, name, cassette.Options{Replay: cassette.Strict})
	for scenario, want := range map[string]int{"a": 1, "b": 2} {
		asked := 0
		route := wireTo(t, "http://127.0.0.1:1", offlineTransport{&asked}).Route(wire.Limits{},
			c.Attempt(cassette.Conversation{Scenario: scenario}))
		for n := range want + 1 {
			if status, text := ask(t, route, question); (status == http.StatusOK) != (n < want) {
				t.Errorf("%s, request %d: %d %s", scenario, n+1, status, text)
			}
		}
		route.Close()
	}
}

// FuzzOpen reads any file without a panic.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(pack(`{"cassette":1,"session":"a","kind":"record"}`) +
		pack(`{"session":"a","exchange":{"body":{"base64":"AA=="},"chunks":[{}]}}`)))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "c")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := cassette.Open(name, cassette.Options{Replay: cassette.Strict}); err == nil {
			_ = c.Close()
		}
	})
}

// BenchmarkReplay replays a trial of one streamed request.
func BenchmarkReplay(b *testing.B) {
	name := filepath.Join(b.TempDir(), "c")
	record(b, name, 1)
	asked := 0
	w := wireTo(b, "http://127.0.0.1:1/v1", offlineTransport{&asked})
	c := open(b, name, cassette.Options{Replay: cassette.Strict})
	for b.Loop() {
		route := w.Route(wire.Limits{}, c.Attempt(cassette.Conversation{Scenario: "s"}))
		ask(b, route, question)
		route.Close()
	}
}
