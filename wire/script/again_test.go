package script_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// The requests of a small conversation.
const (
	opened    = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`
	streamed  = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`
	continued = `{"model":"m","messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"one"},{"role":"user","content":"on"}]}`
)

// request is one that is made, and retry says that a client makes it again.
type request struct {
	body  string
	retry bool
}

// say asks a model over a route; whether an answer comes, and how much of it, the route has seen.
func say(t *testing.T, ctx context.Context, route *wire.Route, q request) {
	t.Helper()
	asked, _ := http.NewRequestWithContext(ctx, http.MethodPost, route.Root()+"/openai/v1/chat/completions",
		strings.NewReader(q.body))
	if q.retry {
		asked.Header.Set("X-Stainless-Retry-Count", "1")
	}
	answer, err := http.DefaultClient.Do(asked)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	_, _ = io.ReadAll(answer.Body)
}

// A request that is made again, because its answer did not arrive, gets the same turn again.
func TestRetriesGetTheirTurnAgain(t *testing.T) {
	w := open(t)
	s := parse(t, `turns: [{text: one is said}, {text: two is said}, {text: three is said}]`)
	mute := parse(t, `turns: [{text: ""}, {text: two is said}]`)
	for name, c := range map[string]struct {
		script *script.Script
		fault  string
		asked  []request
		want   []string // what is said; "" is not looked at
	}{
		"cut off": {s, "cut-stream:at=1", []request{{body: streamed}, {body: streamed}, {body: continued}},
			[]string{"", "one", "two"}},
		"cut off, then whole": {s, "cut-stream:at=1", []request{{body: streamed}, {body: opened}, {body: continued}},
			[]string{"", "one", "two"}},
		"cut off twice": {s, "cut-stream:at=1,times=2", []request{{body: streamed}, {body: streamed},
			{body: streamed}}, []string{"", "", "one"}},
		"emptied": {s, "empty:at=1", []request{{body: opened}, {body: opened}, {body: continued}},
			[]string{"", "one", "two"}},
		"an error in place": {s, "server-error:at=2", []request{{body: opened}, {body: continued}, {continued, true}},
			[]string{"one", "", "two"}},
		"an error, asked anew": {s, "server-error:at=2", []request{{body: opened}, {body: opened}, {opened, true}},
			[]string{"one", "", "two"}},
		"by the client's word": {s, "", []request{{body: opened}, {opened, true}, {body: continued}},
			[]string{"one", "one", "two"}},
		"the same, whole": {s, "", []request{{body: opened}, {body: opened}, {body: opened}},
			[]string{"one", "two", "three"}},
		"nothing, as scripted": {mute, "", []request{{body: opened}, {body: opened}}, []string{"", "two"}},
	} {
		var acts []wire.Act
		if c.fault != "" {
			f, err := fault.Parse(c.fault)
			if err != nil {
				t.Fatal(err)
			}
			acts = append(acts, fault.New([]fault.Fault{f}, 1))
		}
		route := w.Route(wire.Limits{}, append(acts, c.script.Attempt(1))...)
		for _, q := range c.asked {
			say(t, t.Context(), route, q)
		}
		seen := route.Close()
		if seen.Stopped != "" || len(seen.Exchanges) != len(c.want) {
			t.Errorf("%s: %d requests, stopped by %q: %s", name, len(seen.Exchanges), seen.Stopped, seen.Why())
			continue
		}
		var got []string
		for i, e := range seen.Exchanges {
			said, _, _ := strings.Cut(e.Answer.Text, " ")
			if c.want[i] == "" {
				said = ""
			}
			got = append(got, said)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A client that did not wait, and says that it asks again, gets the same turn.
func TestTurnThatWasNotWaitedFor(t *testing.T) {
	route := open(t).Route(wire.Limits{}, parse(t, `turns: [{text: one, latency: 500ms}, {text: two}]`).Attempt(1))
	brief, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	say(t, brief, route, request{body: opened})
	say(t, t.Context(), route, request{opened, true})
	seen := route.Close()
	if n := len(seen.Exchanges); n != 2 || seen.Exchanges[0].Status != 0 || seen.Exchanges[1].Answer.Text != "one" {
		t.Errorf("%+v", seen.Exchanges)
	}
}

// What is asked beside the conversation takes no turn.
func TestAnytime(t *testing.T) {
	w, s := open(t), parse(t, `
turns: [{text: one}, {text: two}]
anytime:
  - {when: {system: Generate a title}, text: '{"title": "Mend"}', tokens: {in: 80, out: 9}}
  - {when: {model: -lite}, calls: [{tool: route, arguments: {score: 3}}]}
  - {path: /count_tokens, json: {input_tokens: 1200}}
  - {path: /models, json: {data: [{id: m}]}}
`)
	route := w.Route(wire.Limits{}, s.Attempt(1))
	title := `{"model":"m","system":[{"type":"text","text":"Generate a title for this."}],"messages":[{"role":"user","content":"hello"}]}`
	lite := `{"contents":[{"parts":[{"text":"hello"}]}],"tools":[{"functionDeclarations":[{"name":"route"}]}]}`
	for _, q := range []struct{ path, body, want string }{
		{"/anthropic/v1/messages", title, `{\"title\": \"Mend\"}`},
		{"/anthropic/v1/messages", opened, `"one"`},
		{"/anthropic/v1/messages/count_tokens", `{}`, `{"input_tokens":1200}`},
		{"/gemini/v1beta/models/m-lite:generateContent", lite, `"score":3`},
		{"/anthropic/v1/messages", title, `{\"title\": \"Mend\"}`},
		{"/anthropic/v1/messages", continued, `"two"`},
	} {
		if status, said := ask(t, route, q.path, q.body); status != http.StatusOK || !strings.Contains(said, q.want) {
			t.Errorf("%s is answered with %d: %s", q.path, status, said)
		}
	}
	models, err := http.Get(route.Root() + "/openai/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer models.Body.Close()
	if text, _ := io.ReadAll(models.Body); string(text) != `{"data":[{"id":"m"}]}` {
		t.Errorf("the models are %s", text)
	}
	seen := route.Close()
	if seen.Stopped != "" || len(seen.Exchanges) != 5 {
		t.Errorf("%d requests, stopped by %q: %s", len(seen.Exchanges), seen.Stopped, seen.Why())
	}
	if u := seen.Exchanges[0].Answer.Usage; u.Input.Value != 80 || u.Output.Value != 9 {
		t.Errorf("the title has the tokens %+v", u)
	}
}

// A custom tool gets a text, whole and in parts, and one that is none gets arguments.
func TestCustomTools(t *testing.T) {
	w := open(t)
	const program = `text(await tools.exec_command({cmd: "ls"}))`
	s := parse(t, `turns: [{calls: [{tool: exec, input: 'text(await tools.exec_command({cmd: "ls"}))'}]}]`)
	for path, body := range map[string]string{
		"/openai/v1/responses": `{"model":"m","stream":STREAM,"input":[{"type":"additional_tools","role":"developer","tools":[{"type":` +
			`"namespace","name":"functions","tools":[{"type":"custom","name":"exec"}]}]},{"role":"user","content":"go on"}]}`,
		"/openai/v1/chat/completions": `{"model":"m","stream":STREAM,"messages":[],"tools":[{"type":"custom","custom":{"name":"exec"}}]}`,
	} {
		for _, streamed := range []string{"false", "true"} {
			route := w.Route(wire.Limits{}, s.Attempt(1))
			if status, said := ask(t, route, path, strings.Replace(body, "STREAM", streamed, 1)); status != http.StatusOK {
				t.Fatalf("%s is answered with %d: %s", path, status, said)
			}
			want := []wire.Call{{ID: "call_1_1", Name: "exec", Arguments: program, Custom: true}}
			if diff := cmp.Diff(want, route.Close().Exchanges[0].Answer.Calls); diff != "" {
				t.Errorf("%s, streamed %s: %s", path, streamed, diff)
			}
		}
	}
	for text, want := range map[string]string{
		`turns: [{calls: [{tool: exec}]}]`:           `turn 1 of the script calls "exec", which is a custom tool: it takes a text, as its input`,
		`turns: [{calls: [{tool: wait, input: x}]}]`: `turn 1 of the script calls "wait", which is no custom tool: it takes arguments, and no input`,
	} {
		route := w.Route(wire.Limits{}, parse(t, text).Attempt(1))
		ask(t, route, "/openai/v1/responses",
			`{"model":"m","input":"x","tools":[{"type":"custom","name":"exec"},{"type":"function","name":"wait"}]}`)
		if diff := cmp.Diff(want, route.Close().Why()); diff != "" {
			t.Error(diff)
		}
	}
}
