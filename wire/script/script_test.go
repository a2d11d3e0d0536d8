package script_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// offlineTransport is a transport that counts what it is asked.
type offlineTransport struct{ asked *int }

func (o offlineTransport) RoundTrip(*http.Request) (*http.Response, error) {
	*o.asked++
	return nil, errors.New("there is no network")
}

// open opens a wire on which a script answers.
func open(t testing.TB) *wire.Wire {
	t.Helper()
	asked := 0
	upstreams, err := wire.UpstreamsOf(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	options := script.Wire(wire.Options{Upstreams: upstreams})
	options.Transport = offlineTransport{&asked}
	w, err := wire.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Close()
		if asked > 0 {
			t.Errorf("a server was asked %d times", asked)
		}
	})
	return w
}

func parse(t testing.TB, text string) *script.Script {
	t.Helper()
	s, err := script.Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask asks a model over a route.
func ask(t testing.TB, route *wire.Route, path, body string) (status int, said string) {
	t.Helper()
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, route.Root()+path, strings.NewReader(body))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// protocol is a form in which a model is asked.
type protocol struct{ name, path, first, second string }

// protocols ask with a tool, and then with its result, as the providers describe their forms. %s is a member that asks
// for a stream.
func protocols(streamed bool) []protocol {
	stream, action := "", ":generateContent"
	if streamed {
		stream, action = `"stream":true,`, ":streamGenerateContent?alt=sse"
	}
	return []protocol{
		{
			"chat", "/openai/v1/chat/completions",
			`{"model":"m",` + stream + `"stream_options":{"include_usage":true},` +
				`"tools":[{"type":"function","function":{"name":"mcp__shop__look_up"}}],` +
				`"messages":[{"role":"user","content":"Where is order 7?"}]}`,
			`{"model":"m",` + stream + `"stream_options":{"include_usage":true},` +
				`"messages":[{"role":"user","content":"Where is order 7?"},` +
				`{"role":"assistant","tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"x","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"call_1_1","content":"it was sent"}]}`,
		},
		{
			"responses", "/openai/v1/responses",
			`{"model":"m",` + stream + `"tools":[{"type":"function","name":"mcp__shop__look_up"}],"input":"Where is order 7?"}`,
			`{"model":"m",` + stream + `"input":[{"role":"user","content":"Where is order 7?"},` +
				`{"type":"function_call","call_id":"call_1_1","name":"x","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"call_1_1","output":"it was sent"}]}`,
		},
		{
			"messages", "/anthropic/v1/messages",
			`{"model":"m",` + stream + `"tools":[{"name":"mcp__shop__look_up","input_schema":{}}],` +
				`"messages":[{"role":"user","content":"Where is order 7?"}]}`,
			`{"model":"m",` + stream + `"messages":[{"role":"user","content":"Where is order 7?"},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"call_1_1","name":"x","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_1",` +
				`"content":[{"type":"text","text":"it was sent"}]}]}]}`,
		},
		{
			"gemini", "/gemini/v1beta/models/m" + action,
			`{"tools":[{"functionDeclarations":[{"name":"mcp__shop__look_up"}]}],` +
				`"contents":[{"role":"user","parts":[{"text":"Where is order 7?"}]}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"Where is order 7?"}]},` +
				`{"role":"model","parts":[{"functionCall":{"id":"call_1_1","name":"x","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"call_1_1","name":"x","response":{"output":"it was sent"}}}]}]}`,
		},
		{
			"ollama", "/ollama/api/chat",
			`{"model":"m","stream":` + fmt.Sprint(streamed) +
				`,"tools":[{"type":"function","function":{"name":"mcp__shop__look_up"}}],` +
				`"messages":[{"role":"user","content":"Where is order 7?"}]}`,
			`{"model":"m","stream":` + fmt.Sprint(streamed) + `,"messages":[{"role":"user","content":"Where is order 7?"},` +
				`{"role":"assistant","content":"","tool_calls":[{"function":{"name":"x","arguments":{}}}]},` +
				`{"role":"tool","tool_name":"x","content":"it was sent"}]}`,
		},
	}
}

// twoTurns calls a tool, and then tells what came of it.
const twoTurns = `
turns:
  - calls: [{tool: look_up, arguments: {id: 7}}]
    tokens: {in: 1200, out: 15}
    when: {last: order 7, tool_offered: look_up}
  - text: It was sent.
    tokens: {in: 1300, out: 5}
    when: {last: it was sent}
`

// Every form, whole and in parts, is answered as the script says, and what is asked beyond it is an error that ends the
// attempt.
func TestScriptAnswersEveryForm(t *testing.T) {
	w, s := open(t), parse(t, twoTurns)
	for _, streamed := range []bool{false, true} {
		for _, p := range protocols(streamed) {
			t.Run(fmt.Sprintf("%s streamed=%v", p.name, streamed), func(t *testing.T) {
				route := w.Route(wire.Limits{}, s.Attempt(1))
				for _, body := range []string{p.first, p.second} {
					if status, said := ask(t, route, p.path, body); status != http.StatusOK {
						t.Fatalf("it is answered with %d: %s", status, said)
					}
				}
				status, said := ask(t, route, p.path, p.second)
				if status != http.StatusBadRequest || !strings.Contains(said, "the script has no turn 3") {
					t.Errorf("beyond the script it is answered with %d: %s", status, said)
				}
				seen := route.Close()
				if seen.Stopped != script.Missed || seen.Why() != "the script has no turn 3: it ends with turn 2" {
					t.Errorf("it is stopped by %q: %q", seen.Stopped, seen.Why())
				}
				first, second := seen.Exchanges[0].Answer, seen.Exchanges[1].Answer
				if len(first.Calls) != 1 || first.Calls[0].Name != "mcp__shop__look_up" || first.Calls[0].Arguments != `{"id":7}` {
					t.Errorf("the tool is called by %+v", first.Calls)
				}
				if second.Text != "It was sent." || second.Model != "m" || !second.Ended {
					t.Errorf("the second answer is %+v", second)
				}
				if u := first.Usage; u.Input.Value != 1200 || u.Output.Value != 15 {
					t.Errorf("the first answer has the tokens %+v", u)
				}
			})
		}
	}
}

// A request that a turn is not for, or a tool that is not clear, ends the attempt.
func TestScriptSaysWhatItLacks(t *testing.T) {
	w := open(t)
	offering := func(names ...string) string {
		var tools []string
		for _, n := range names {
			tools = append(tools, `{"type":"function","function":{"name":"`+n+`"}}`)
		}
		return `{"model":"m","messages":[{"role":"user","content":"hello"}],"tools":[` + strings.Join(tools, ",") + `]}`
	}
	const calls = `turns: [{calls: [{tool: read}]}]`
	for _, c := range []struct{ script, body, want string }{
		{calls, offering(), `turn 1 of the script calls "read", and the agent offers no tools`},
		{calls, offering("write", "list"),
			`turn 1 of the script calls "read", which the agent does not offer: it offers "write", "list"`},
		{calls, offering("a_read", "b_read"),
			`turn 1 of the script calls "read", which may be any of the offered "a_read", "b_read"`},
		{`turns: [{text: x, when: {last: bye}}]`, offering(),
			`turn 1 of the script does not match: "bye" is not in what was told last, "hello"`},
		{
			`turns: [{variants: [{text: x, when: {tool_offered: pay}}, {text: y, when: {last: bye}}]}]`, offering("read"),
			`turn 1 of the script does not match: it wants the tool "pay", which the agent does not offer: it offers "read", nor does any other of its 2 variants`,
		},
		{calls, `{`, "the request to the model cannot be read"},
	} {
		route := w.Route(wire.Limits{}, parse(t, c.script).Attempt(1))
		status, said := ask(t, route, "/openai/v1/chat/completions", c.body)
		seen := route.Close()
		if status != http.StatusBadRequest || !strings.HasPrefix(said, `{"error":{`) || seen.Stopped != script.Missed {
			t.Errorf("%s is answered with %d, %s, and stopped by %q", c.body, status, said, seen.Stopped)
		}
		if diff := cmp.Diff(c.want, seen.Why()); diff != "" {
			t.Error(diff)
		}
	}
}

// An exact name goes before one that ends with it.
func TestExactToolGoesFirst(t *testing.T) {
	route := open(t).Route(wire.Limits{}, parse(t, `turns: [{calls: [{tool: read}]}]`).Attempt(1))
	ask(t, route, "/anthropic/v1/messages", `{"model":"m","messages":[],"tools":[{"name":"a_read"},{"name":"read"}]}`)
	if calls := route.Close().Exchanges[0].Answer.Calls; len(calls) != 1 || calls[0].Name != "read" {
		t.Errorf("it calls %+v", calls)
	}
}

// Variants are drawn by their weights, and the same ones by the same seed.
func TestVariantsFollowSeedAndWeight(t *testing.T) {
	w, s := open(t), parse(t, `turns: [{variants: [{text: a, weight: 3}, {text: b}, {text: c, when: {last: never}}]}]`)
	draw := func(seed uint64) string {
		route := w.Route(wire.Limits{}, s.Attempt(seed))
		ask(t, route, "/openai/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hello"}]}`)
		return route.Close().Exchanges[0].Answer.Text
	}
	counts := map[string]int{}
	const seeds = 800
	for seed := range uint64(seeds) {
		counts[draw(seed)]++
	}
	// A share of 3/4 among 800 has the standard deviation 12.2; this is 5 of them.
	if counts["a"] < 600-61 || counts["a"] > 600+61 || counts["a"]+counts["b"] != seeds {
		t.Errorf("3 to 1 are drawn as %v", counts)
	}
	for seed := range uint64(20) {
		if first, again := draw(seed), draw(seed); first != again {
			t.Errorf("the seed %d draws %s, then %s", seed, first, again)
		}
	}
}

// What is no request to a model reaches no server, and ends the attempt if it asks anything.
func TestScriptAnswersModelsAlone(t *testing.T) {
	w := open(t)
	for path, stops := range map[string]bool{"/openai/v1/embeddings": true, "/anthropic/v1/messages/count_tokens": false} {
		route := w.Route(wire.Limits{}, parse(t, `turns: [{text: x}]`).Attempt(1))
		status, _ := ask(t, route, path, `{}`)
		if seen := route.Close(); status < 400 || (seen.Stopped == script.Missed) != stops {
			t.Errorf("%s is answered with %d, and stopped by %q", path, status, seen.Stopped)
		}
	}
}

// The digest is that of the content.
func TestDigestIsOfContent(t *testing.T) {
	one := parse(t, `turns: [{text: x, calls: [{tool: a, arguments: {b: 1}}]}]`).Digest()
	same := parse(t, "# the same\nversion: 1\nturns:\n  - calls:\n    - {arguments: '{ \"b\" : 1 }', tool: a}\n    "+
		"text: x\n").Digest()
	other := parse(t, `turns: [{text: x, calls: [{tool: a, arguments: {b: 2}}]}]`).Digest()
	digests := map[string]string{one: "", other: ""}
	for _, text := range []string{
		`turns: [{text: x, calls: [{tool: a, input: '{"b":1}'}]}]`,
		`turns: [{text: x, calls: [{tool: a, input: '{"b":2}'}]}]`,
		"anytime: [{path: /models, json: {}}]\nturns: [{text: x, calls: [{tool: a, arguments: {b: 1}}]}]",
		"anytime: [{path: /models, json: []}]\nturns: [{text: x, calls: [{tool: a, arguments: {b: 1}}]}]",
	} {
		d := parse(t, text).Digest()
		if before, known := digests[d]; known {
			t.Errorf("%s and %s have one digest", before, text)
		}
		digests[d] = text
	}
	if one != same || one == other {
		t.Errorf("the digests are %s, %s and %s", one, same, other)
	}
}

func TestBadScripts(t *testing.T) {
	for text, want := range map[string]string{
		"{}":          `s.yaml:1:1: turns is missing; what the model answers, such as turns: [{text: Done.}]`,
		"turns: []":   `s.yaml:1:8: turns must not be empty`,
		"turns: [{}]": `s.yaml:1:9: turns[0] says nothing; give it a text, calls of tools, or both; text: "" is an empty answer`,
		"turns: [{txt: x, calls: []}]": "s.yaml:1:10: turns[0] has no key \"txt\"; did you mean \"text\"?\ns.yaml:1:25: " +
			"turns[0].calls must not be empty",
		"turns: [{text: x, weight: 2}]":               `s.yaml:1:19: turns[0] has no key "weight"; known are when, text, calls, tokens, latency, finish`,
		"turns: [{text: x, when: {}}]":                `s.yaml:1:25: turns[0].when has no condition; give it last, tool_offered, system, or model, or omit it`,
		"turns: [{variants: [{text: x, weight: 0}]}]": `s.yaml:1:39: turns[0].variants[0].weight 0 must lie above 0 and be at most 1000000`,
		"turns: [{calls: [{}]}]":                      `s.yaml:1:18: turns[0].calls[0].tool is missing; which is called`,
		"turns: [{calls: [{tool: a, arguments: [1]}]}]": `s.yaml:1:39: turns[0].calls[0].arguments must be a mapping, not a list; ` +
			`or the JSON of an object, in quotes`,
		"turns: [{text: x, tokens: {in: 1, cached: 2}}]": `s.yaml:1:27: turns[0].tokens has more cached and written tokens than go in; ` +
			`in are all that go in, with the cached and the written ones`,
		"turns: [{text: x, tokens: {out: 1, reasoning: 2}}]": `s.yaml:1:27: turns[0].tokens has more tokens of reasoning than come out; ` +
			`out are all that come out, with those of reasoning`,
		"turns: [{calls: [{tool: a, input: x, arguments: {}}]}]": `s.yaml:1:18: turns[0].calls[0] has arguments and an input; ` +
			`a custom tool takes an input, a text; any other takes arguments`,
		"turns: [{text: x}]\nanytime: [{text: x}]": `s.yaml:2:11: anytime[0] has no when; say which requests it is for, ` +
			`such as when: {system: Generate a title}, or the path that is asked`,
		"turns: [{text: x}]\nanytime: [{path: /models}]": `s.yaml:2:11: anytime[0].json is missing; ` +
			`what is answered, such as json: {input_tokens: 1200}`,
		"turns: [{text: x, latency: 1h}]": `s.yaml:1:28: turns[0].latency must be at most 10m0s`,
		"turns: [{text: x, finish: end}]": `s.yaml:1:27: turns[0].finish has no choice "end"; known are stop, length, filter`,
	} {
		_, err := script.Parse("s.yaml", []byte(text))
		if err == nil {
			t.Errorf("%q is read", text)
			continue
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if _, err := script.Load("none.yaml"); err == nil || !strings.HasPrefix(err.Error(), "none.yaml does not exist") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// FuzzParse reads any text without a panic; what is read has turns and a digest.
func FuzzParse(f *testing.F) {
	f.Add([]byte(twoTurns))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := script.Parse("s.yaml", text); err == nil && (len(s.Turns) == 0 || s.Digest() == "") {
			t.Errorf("%q is a script without turns", text)
		}
	})
}
