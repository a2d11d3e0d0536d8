package rewrite_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/runner/internal/rewrite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/wire"
)

// requests are of one agent in the forms of the providers, from their documentation, with a layout of their own.
var requests = map[string]string{
	"openai/chat": `{ "model":"large","temperature": 0.2, "messages":[{"role":"developer","content":"Be kind. Never guess."},
 {"role":"user","content":"<document>one two</document>\n<document>three</document>\nWhy <b>\u00e9</b>?"}],
 "tools":[{"type":"function","function":{"name":"look_up","description":"Find it.","parameters":{"type":"object"}}},
  {"type":"function","function":{"name":"pay"}}] , "tool_choice":{"type":"function","function":{"name":"pay"}}, "top_p":1.0}`,
	"openai/responses": `{ "model":"large","temperature": 0.2, "instructions":"Be kind. Never guess.","input":[
 {"role":"user","content":[{"type":"input_text","text":"<document>one two</document>\n<document>three</document>\nWhy?"}]}],
 "tools":[{"type":"function","name":"look_up","description":"Find it.","parameters":{"type":"object"}},
  {"type":"function","name":"pay"}], "top_p":1.0}`,
	"anthropic/messages": `{ "model":"large","temperature": 0.2, "system":[{"type":"text","text":"Be kind. Never guess.","cache_control":{"type":"ephemeral"}}],
 "messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"one two"}},
 {"type":"document","source":{"type":"text","media_type":"text/plain","data":"three"}}, {"type":"text","text":"Why?"}]}],
 "tools":[{"name":"look_up","description":"Find it.","input_schema":{"type":"object"}}, {"name":"pay"}],"max_tokens":9}`,
	"gemini/generateContent": `{ "systemInstruction":{"parts":[{"text":"Be kind. Never guess."}]},"generationConfig":{"temperature": 0.2},
 "contents":[{"role":"user","parts":[{"text":"<document>one two</document>\n<document>three</document>\nWhy?"}]}],
 "tools":[{"functionDeclarations":[{"name":"look_up","description":"Find it.","parameters":{"type":"object"}}, {"name":"pay"}]}]}`,
	"ollama/chat": `{ "model":"large","options":{"temperature": 0.2}, "messages":[{"role":"system","content":"Be kind. Never guess."},
 {"role":"user","content":"<document>one two</document>\n<document>three</document>\nWhy?"}],"stream":false,
 "tools":[{"type":"function","function":{"name":"look_up","description":"Find it.","parameters":{"type":"object"}}},
  {"type":"function","function":{"name":"pay"}}]}`,
}

var paths = map[string]string{
	"openai/chat": "/openai/v1/chat/completions", "openai/responses": "/openai/v1/responses",
	"anthropic/messages":     "/anthropic/v1/messages",
	"gemini/generateContent": "/gemini/v1beta/models/large:generateContent", "ollama/chat": "/ollama/api/chat",
}

var models = mutation.Models{Older: []string{"small"}}

// server keeps what it was asked, and answers each with an object.
type server struct {
	*httptest.Server
	asked, paths []string
}

// wired opens a wire to a server.
func wired(t *testing.T) (*wire.Wire, *server) {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.asked, s.paths = append(s.asked, string(body)), append(s.paths, r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{}`)
	}))
	t.Cleanup(s.Close)
	upstream, err := url.Parse(s.URL)
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
	return w, s
}

// ask makes a request on a route.
func ask(t *testing.T, route *wire.Route, dialect, body string) {
	t.Helper()
	answer, err := http.Post(route.Root()+paths[dialect], "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
}

// learned is what a request says, learned on the wire.
func learned(t *testing.T, dialect, body string) mutation.Configuration {
	t.Helper()
	w, s := wired(t)
	learn := &rewrite.Learn{}
	route := w.Route(wire.Limits{}, learn)
	defer route.Close()
	ask(t, route, dialect, body)
	if s.asked[0] != body {
		t.Errorf("%s: learning changes the request: %s", dialect, s.asked[0])
	}
	c, ok := learn.Learned()
	if !ok {
		t.Fatalf("%s: nothing is learned", dialect)
	}
	return c
}

// What a request says of the agent is the same in all forms.
func TestConfigurationIsLearned(t *testing.T) {
	for dialect, body := range requests {
		c := learned(t, dialect, body)
		var tools, documents []string
		for _, tool := range c.Tools {
			tools = append(tools, tool.Name()+": "+tool.Description())
		}
		for _, s := range c.Context {
			documents = append(documents, strings.NewReplacer("<document>", "", "</document>", "").Replace(s.Text()))
		}
		if c.Prompt != "Be kind. Never guess." || c.Model != "large" || c.Temperature.Or(-1) != 0.2 {
			t.Errorf("%s: %+v", dialect, c)
		}
		if diff := cmp.Diff([]string{"look_up: Find it.", "pay: "}, tools); diff != "" {
			t.Errorf("%s:\n%s", dialect, diff)
		}
		if diff := cmp.Diff([]string{"one two", "three"}, documents); diff != "" {
			t.Errorf("%s:\n%s", dialect, diff)
		}
	}
}

// Each mutant changes what it is about in the request of each form, and all else stays byte for byte.
func TestRequestsAreRewritten(t *testing.T) {
	replace := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	// tool removes one, with the comma beside it.
	tool := func(dialect string) func(string) string {
		gone := map[string]string{
			"openai/chat":            ",\n  {\"type\":\"function\",\"function\":{\"name\":\"pay\"}}",
			"openai/responses":       ",\n  {\"type\":\"function\",\"name\":\"pay\"}",
			"anthropic/messages":     `, {"name":"pay"}`,
			"gemini/generateContent": `, {"name":"pay"}`,
			"ollama/chat":            ",\n  {\"type\":\"function\",\"function\":{\"name\":\"pay\"}}",
		}[dialect]
		return func(s string) string {
			s = strings.Replace(s, gone, "", 1)
			// A provider refuses a choice of a tool that is not offered.
			return strings.Replace(s, ` , "tool_choice":{"type":"function","function":{"name":"pay"}}`, "", 1)
		}
	}
	for dialect, body := range requests {
		c := learned(t, dialect, body)
		c.Models = models
		all, err := mutation.Mutants(context.Background(), c, mutation.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			operator, text string // of the site
			want           func(string) string
		}{
			{"prompt.drop", "Be kind.", replace("Be kind. Never", "Never")},
			{"prompt.weaken", "Never becomes Rarely", replace("Never", "Rarely")},
			{"prompt.reorder", "", replace("Be kind. Never guess.", "Never guess. Be kind.")},
			{"tool.remove", "pay", tool(dialect)},
			{"model.version", "", replace(`"model":"large"`, `"model":"small"`)},
			{"model.temperature", "", replace(`"temperature": 0.2`, `"temperature": 1`)},
		} {
			var m mutation.Mutant
			for _, one := range all {
				if one.Operator == test.operator && strings.Contains(one.Site.String(), test.text) {
					m = one
				}
			}
			if m.ID == "" {
				t.Fatalf("%s: no %s", dialect, test.operator)
			}
			w, s := wired(t)
			act := rewrite.New(m, models)
			route := w.Route(wire.Limits{}, act)
			for range 2 {
				ask(t, route, dialect, body)
			}
			want := test.want(body)
			if diff := cmp.Diff([]string{want, want}, s.asked); diff != "" {
				t.Errorf("%s of %s:\n%s", m.Key, dialect, diff)
			}
			if gemini := dialect == "gemini/generateContent" && m.Operator == "model.version"; gemini &&
				s.paths[0] != "/v1beta/models/small:generateContent" || want == body && !gemini {
				t.Errorf("%s of %s asks %s", m.Key, dialect, s.paths[0])
			}
			if act.Applied() != 2 || act.Asked() != 2 {
				t.Errorf("%s of %s applied to %d of %d", m.Key, dialect, act.Applied(), act.Asked())
			}
			if seen := route.Close(); len(seen.Events) != 2 || seen.Events[0].Act != rewrite.Name {
				t.Errorf("%s of %s is told as %+v", m.Key, dialect, seen.Events)
			}
		}
	}
}

// Every mutant of every request makes a request that says what the mutant makes of the configuration, and is JSON.
func TestRewrittenRequestsSayWhatMutantsMake(t *testing.T) {
	for dialect, body := range requests {
		c := learned(t, dialect, body)
		c.Models = models
		all, err := mutation.Mutants(context.Background(), c, mutation.Options{
			Operators: []string{"prompt", "tool", "model", "context"},
		})
		if err != nil {
			t.Fatal(err)
		}
		classes := map[mutation.Class]bool{}
		for _, m := range all {
			classes[m.Class] = true
			w, s := wired(t)
			route := w.Route(wire.Limits{}, rewrite.New(m, models))
			ask(t, route, dialect, body)
			route.Close()
			want, err := m.Apply(c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := rewrite.Configuration(dialect, s.paths[0], []byte(s.asked[0]))
			if err != nil || !json.Valid([]byte(s.asked[0])) {
				t.Fatalf("%s of %s: %s: %v", m.Key, dialect, s.asked[0], err)
			}
			// What noise puts among documents in a text, and what is cut off in one, is no document to be found.
			if m.Operator == "context.noise" || m.Operator == "context.truncate" {
				if len(got.Changed(c)) == 0 && !strings.Contains(s.asked[0], want.Context[0].Text()) {
					t.Errorf("%s of %s: %s", m.Key, dialect, s.asked[0])
				}
				continue
			}
			if diff := mutation.Diff(want, got); diff != "" {
				t.Errorf("%s of %s:\n%s", m.Key, dialect, diff)
			}
		}
		if len(classes) != 4 {
			t.Errorf("%s: mutants of %v", dialect, classes)
		}
	}
}

// A mutant whose site no request has changes nothing, and is inert.
func TestInert(t *testing.T) {
	all, err := mutation.Mutants(context.Background(), mutation.Configuration{Prompt: "Be brief. Say why."},
		mutation.Options{Operators: []string{"prompt.drop"}})
	if err != nil {
		t.Fatal(err)
	}
	for dialect, body := range requests {
		w, s := wired(t)
		act := rewrite.New(all[0], mutation.Models{})
		route := w.Route(wire.Limits{}, act)
		ask(t, route, dialect, body)
		if seen := route.Close(); act.Applied() != 0 || act.Asked() != 1 || s.asked[0] != body || len(seen.Events) > 0 {
			t.Errorf("%s: applied to %d of %d: %s", dialect, act.Applied(), act.Asked(), s.asked[0])
		}
	}
}

// Of several system messages the one changes in which the prompt does; without its last tool, a request has none.
func TestSeveralSystemMessages(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"system","content":"Be kind."},{"role":"system","content":"Go on. Never guess."},` +
		`{"role":"system","content":"Stop."},{"role":"user","content":"Why?"}],"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":"auto"}`
	c := learned(t, "openai/chat", body)
	all, err := mutation.Mutants(context.Background(), c, mutation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for operator, want := range map[string]string{
		"prompt.weaken": strings.Replace(body, "Never", "Rarely", 1),
		"tool.remove": `{"model":"m","messages":[{"role":"system","content":"Be kind."},{"role":"system","content":"Go on. Never guess."},` +
			`{"role":"system","content":"Stop."},{"role":"user","content":"Why?"}]}`,
		// Three quarters of four instructions go, over three messages.
		"prompt.truncate": strings.Replace(body,
			`{"role":"system","content":"Go on. Never guess."},{"role":"system","content":"Stop."},`,
			`{"role":"system","content":"\n\n"},`, 1),
	} {
		var m mutation.Mutant
		for _, one := range all {
			if one.Operator == operator {
				m = one // the last: of shares, the least
			}
		}
		w, s := wired(t)
		route := w.Route(wire.Limits{}, rewrite.New(m, mutation.Models{}))
		ask(t, route, "openai/chat", body)
		route.Close()
		if diff := cmp.Diff(want, s.asked[0]); diff != "" {
			t.Errorf("%s:\n%s", m.Key, diff)
		}
	}
}

// FuzzRewrite rewrites requests of any kind: what was JSON stays JSON.
func FuzzRewrite(f *testing.F) {
	for dialect, body := range requests {
		f.Add(dialect, body)
	}
	f.Fuzz(func(t *testing.T, dialect, body string) {
		c, err := rewrite.Configuration(dialect, "/v1beta/models/large:generateContent", []byte(body))
		if err != nil || !json.Valid([]byte(body)) {
			return
		}
		c.Models = models
		all, err := mutation.Mutants(context.Background(), c, mutation.Options{PerOperator: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			made, ok := rewrite.New(m, models).Body(dialect, "/v1beta/models/large:generateContent", []byte(body))
			if ok && !json.Valid(made) {
				t.Errorf("%s makes %s of %s", m.Key, made, body)
			}
		}
	})
}
