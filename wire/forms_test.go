package wire_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// The calls of a tool NAME, in the forms of the providers. The word chaos stands in their arguments alone.
const (
	chatCall = `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a",` +
		`"type":"function",` +
		`"function":{"name":"NAME","arguments":"{\"x\":\"chaos\"}"}}]},"finish_reason":"tool_calls"}]}`
	chatDelta = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function",` +
		`"function":{"name":"NAME","arguments":"{\"x\":\"chaos\"}"}}]},"finish_reason":"tool_calls"}]}`
	itemCall      = `{"type":"function_call","id":"f","call_id":"c","name":"NAME","arguments":"{\"x\":\"chaos\"}"}`
	responsesCall = `{"id":"r","status":"completed","output":[` + itemCall + `]}`
	itemDone      = `{"type":"response.output_item.done","output_index":0,"item":` + itemCall + `}`
	messagesCall  = `{"type":"message","content":[{"type":"tool_use","id":"a","name":"NAME","input":{"x":"chaos"}}],` +
		`"stop_reason":"tool_use"}`
	blockStart = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a",` +
		`"name":"NAME","input":{"x":"chaos"}}}`
	geminiCall = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"NAME","args":{"x":"chaos"}}}]},` +
		`"finishReason":"STOP"}]}`
	ollamaCall = `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"NAME",` +
		`"arguments":{"x":"chaos"}}}]},"done":true}`
	batchLine = `{"custom_id":"1","response":{"status_code":200,"body":` + chatCall + `}}`

	jsonKind, eventKind, lineKind = "application/json", "text/event-stream", "application/x-ndjson"
	openAIBase                    = "/openai/v1"
)

// A form is a request, and an answer to it with a call.
type form struct {
	request string // METHOD PATH
	body    string
	status  int // of the answer; 0 is 200
	kind    string
	answer  string
	read    bool // a call that may be made reaches the agent
}

// events are server-sent.
func events(all ...string) string {
	return "data: " + strings.Join(all, "\n\ndata: ") + "\n\n"
}

// asking are requests whose answers are calls in an ordinary form; a server may take a path for another.
func asking() (all []form) {
	chat, stream := `{"model":"m","messages":[]}`, `{"model":"m","stream":true,"messages":[],"input":"x"}`
	one := func(read bool, request, body, kind, answer string) {
		all = append(all, form{request: request, body: body, kind: kind, answer: answer, read: read})
	}
	for _, path := range []string{"/openai/v1/chat/completions", "/openai/v1/chat/completions/",
		"/openai/v1//chat//completions",
		"/openai/v1/%63hat/completions", "/openai/v1/chat/c%6Fmpletions", "/openai/chat/completions",
		"/openai/v1/chat/completions?x=/models",
		"/azure/openai/deployments/d/chat/completions?api-version=1", "/openai/v1/agents/completions",
		"/ollama/v1/chat/completions",
		"/gemini/v1beta/openai/chat/completions"} {
		one(true, "POST "+path, chat, jsonKind, chatCall)
	}
	for _, request := range []string{
		"POST /openai/v1/Chat/Completions", "POST /openai/V1/CHAT/COMPLETIONS", "POST /openai/v1/chat/completions;a=b",
		"POST /openai/v1/chat;a/completions", "POST /openai/v1/chat%2Fcompletions", "POST /openai/v1/chat/completions%3Ba",
		"POST /openai/v1/chat/completions%00", "POST /openai/v1/chat/completions%20", `POST /openai/v1/chat\completions`,
		"POST /openai/v1/chat%5Ccompletions", "POST /openai/v1/chat/%2563ompletions",
		"POST /openai/v1/models/../chat/completions",
		"POST /openai/v1/models/%2e%2e/chat/completions", "POST /openai/v1/./chat/completions",
		"POST /openai/v1/models/..%2fchat/completions",
		"PUT /openai/v1/chat/completions", "PATCH /openai/v1/chat/completions", "GET /openai/v1/chat/completions",
		"POST /openai/v1/completions",
		"get /openai/v1/models", "DELETE /openai/v1/chat/completions", "GET /openai/v1/chat/completions/chatcmpl-1",
		"POST /openai/v1/chat/completions/chatcmpl-1", "GET /openai/v1/chat/completions/chatcmpl-1/messages",
		"POST /openai/v1/fim/completions",
		"POST /openai/v2/chat", "POST /openai/chat", "POST /openai/v1/nobody/knows", "POST /openai/v1/threads/t/messages",
	} {
		one(false, request, chat, jsonKind, chatCall)
	}
	one(true, "POST /openai/v1/chat/completions", stream, eventKind, events(chatDelta, "[DONE]"))
	one(true, "POST /openai/v1/responses", chat, jsonKind, responsesCall)
	one(true, "POST /openai/v1/responses/", chat, jsonKind, responsesCall)
	one(true, "POST /openai/v1/responses/compact", chat, jsonKind, responsesCall)
	one(true, "POST /openai/v1/responses", stream, eventKind, events(itemDone,
		`{"type":"response.completed","response":`+responsesCall+`}`))
	one(false, "POST /openai/v1/responses", `{"model":"m","background":true}`, jsonKind, responsesCall)
	for _, request := range []string{
		"GET /openai/v1/responses/resp_1", "GET /openai/v1/responses/resp_1?stream=true", "GET /openai/v1/responses/models",
		"POST /openai/v1/responses/resp_1/cancel", "GET /openai/v1/responses/resp_1/input_items",
		"GET /openai/v1/conversations/c/items",
		"GET /openai/v1/files/f/content", "GET /openai/v1/batches/b", "POST /openai/v1/batches",
		"POST /openai/v1/threads/t/runs",
		"GET /openai/v1/threads/t/runs/r", "POST /openai/v1/threads/runs", "GET /openai/v1/threads/t/runs/r/steps",
		"GET /openai/v1/realtime",
		"POST /openai/v1/threads/t/runs/r/submit_tool_outputs", "POST /openai/v1/realtime/calls", "GET /openai/v1/responses",
	} {
		one(false, request, "", jsonKind, responsesCall)
	}
	one(false, "GET /openai/v1/files/f/content", "", "application/jsonl", batchLine)
	for _, path := range []string{"/anthropic/v1/messages", "/anthropic/messages", "/anthropic/v1/messages?beta=true"} {
		one(true, "POST "+path, chat, jsonKind, messagesCall)
	}
	one(true, "POST /anthropic/v1/messages", stream, eventKind,
		events(blockStart, `{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`))
	for _, request := range []string{
		"GET /anthropic/v1/messages/batches/b/results", "POST /anthropic/v1/messages/batches", "POST /anthropic/v1/complete",
		"GET /anthropic/v1/messages",
		"GET /anthropic/v1/sessions/s/events", "POST /anthropic/v1/Messages", "GET /anthropic/v1/files/f/content",
		"PUT /anthropic/v1/messages",
	} {
		one(false, request, chat, jsonKind, messagesCall)
	}
	for _, path := range []string{"/gemini/v1beta/models/m:generateContent", "/gemini/v1beta/models/m%3AgenerateContent",
		"/gemini/v1beta/models/m%3agenerateContent", "/gemini/v1beta/tunedModels/m:generateContent",
		"/gemini/v1beta//models/m:generateContent"} {
		one(true, "POST "+path, chat, jsonKind, geminiCall)
	}
	one(true, "POST /gemini/v1beta/models/m:streamGenerateContent?alt=sse", chat, eventKind, events(geminiCall))
	one(true, "POST /gemini/v1beta/models/m:streamGenerateContent", chat, jsonKind, "["+geminiCall+"]")
	for _, request := range []string{
		"POST /gemini/v1beta/models/m%253AgenerateContent", "POST /gemini/v1beta/interactions",
		"GET /gemini/v1beta/interactions/i",
		"POST /gemini/v1beta/models/m:GenerateContent", "POST /gemini/v1beta/models/m:batchGenerateContent",
		"GET /gemini/v1beta/batches/b",
		"POST /gemini/v1beta/models/m:predict", "POST /gemini/v1beta/models/m:rawPredict", "GET /gemini/v1beta/operations/o",
		"GET /gemini/v1beta/files/f:download", "POST /gemini/v1beta/cachedContents/c:generate",
		"PUT /gemini/v1beta/models/m:generateContent",
	} {
		one(false, request, chat, jsonKind, geminiCall)
	}
	one(true, "POST /ollama/api/chat", chat, jsonKind, ollamaCall)
	one(true, "POST /ollama/api/chat", stream, lineKind, ollamaCall+"\n")
	for _, request := range []string{"POST /ollama/api/generate", "POST /ollama/API/chat", "GET /ollama/api/chat",
		"POST /ollama/api/chat%2f"} {
		one(false, request, chat, jsonKind, ollamaCall)
	}
	return all
}

// answering are answers that no real server sends, and calls in forms of their own.
func answering() (all []form) {
	const stream = `{"model":"m","stream":true,"messages":[],"input":"x"}`
	paths := map[string]string{"chat": openAIBase + "/chat/completions", "responses": openAIBase + "/responses",
		"messages": "/anthropic/v1/messages", "gemini": "/gemini/v1beta/models/m:generateContent",
		"ollama": "/ollama/api/chat"}
	one := func(read bool, path, body string, status int, kind, answer string) {
		all = append(all, form{"POST " + paths[path], body, status, kind, answer, read})
	}
	changed := func(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	// In errors, in other types, and where something else is expected.
	for path, answer := range map[string]string{"chat": chatCall, "responses": responsesCall, "messages": messagesCall,
		"gemini": geminiCall, "ollama": ollamaCall} {
		one(false, path, "{}", 400, jsonKind, answer)
		one(false, path, "{}", 500, "text/plain", answer+" ")
		one(true, path, "{}", 201, "text/html", answer)
		one(false, path, "{}", 200, "application/json; charset=utf-7", answer)
		one(false, path, stream, 200, eventKind, answer+"\n\n")
		one(path == "ollama", path, stream, 200, "", answer+"\n"+answer+"\n")
		one(false, path, "{}", 302, jsonKind, answer)
		one(false, path, "{}", 503, "text/html; charset=utf-16", answer)
		one(false, path, "{}", 200, jsonKind, answer+"\n"+answer)
	}
	one(false, "chat", stream, 200, lineKind, chatDelta+"\n")
	one(false, "ollama", stream, 200, eventKind, events(ollamaCall))
	one(false, "chat", stream, 200, eventKind, events(changed(chatDelta, "delta", "message")))
	one(false, "chat", "{}", 200, jsonKind, chatDelta)
	one(false, "chat", "{}", 200, jsonKind, "["+chatCall+"]")
	one(false, "chat", "{}", 200, jsonKind, responsesCall)
	// Members twice, in another case, and of another kind.
	one(false, "chat", "{}", 200, jsonKind, changed(chatCall, `{"index":0,`, `{"message":{"content":"x"},"index":0,`))
	one(false, "chat", "{}", 200, jsonKind, changed(chatCall, `"name":"NAME"`, `"name":"NAME","name":"keep"`))
	one(false, "chat", "{}", 200, jsonKind, changed(chatCall, "tool_calls", "Tool_calls"))
	one(false, "chat", "{}", 200, jsonKind, changed(chatCall, "tool_calls", "toolCalls"))
	one(false, "chat", "{}", 200, jsonKind, changed(chatCall, "choices", "Choices"))
	one(false, "chat", "{}", 200, jsonKind, changed(chatCall, `"message":`, `"mes\u017Fage":`))
	one(false, "chat", "{}", 200, jsonKind, changed(chatCall, "[{\"id\"", "{\"0\":{\"id\"", "}}]},", "}}}},"))
	one(false, "chat", "{}", 200, jsonKind, changed(chatCall, `"type":"function",`,
		`"custom":{"name":"NAME","input":"x"},`))
	one(false, "chat", stream, 200, eventKind, events(changed(chatDelta, `{"index":0,"id"`, `{"index":"0","id"`)))
	one(false, "responses", "{}", 200, jsonKind, changed(responsesCall, `"name"`, `"Name"`))
	one(false, "responses", "{}", 200, jsonKind, changed(responsesCall, `"output"`, `"Output"`))
	one(false, "messages", "{}", 200, jsonKind, changed(messagesCall, `"content"`, `"Content"`))
	one(false, "messages", "{}", 200, jsonKind, changed(messagesCall, `"type":"tool_use"`, `"Type":"tool_use"`))
	one(false, "gemini", "{}", 200, jsonKind, changed(geminiCall, "functionCall", "function_call"))
	one(false, "gemini", "{}", 200, jsonKind, changed(geminiCall, "functionCall", "FunctionCall"))
	one(false, "gemini", "{}", 200, jsonKind, changed(geminiCall, "functionCall",
		`functionCall":{"name":"keep"},"functionCall`))
	one(false, "gemini", "{}", 200, jsonKind, changed(geminiCall, `"args":`, `"partialArgs":`))
	one(false, "ollama", "{}", 200, jsonKind, changed(ollamaCall, "message", "Message"))
	// Calls where clients find them and servers do not put them.
	one(false, "messages", stream, 200, eventKind, events(`{"type":"message_start","message":`+messagesCall+`}`))
	one(false, "responses", stream, 200, eventKind, events(`{"type":"response.output_item.added","item":`+itemCall+`}`))
	one(false, "responses", stream, 200, eventKind,
		events(`{"type":"response.function_call_arguments.done","item_id":"f","name":"NAME","arguments":"{`+
			`\"x\":\"chaos\"}"}`))
	one(true, "responses", stream, 200, eventKind, events(`{"type":"response.created","response":`+responsesCall+`}`))
	// In parts that clients join, or of which they take one.
	one(true, "chat", stream, 200, eventKind, events(chatDelta,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"_x"}}]}}]}`))
	one(false, "chat", stream, 200, eventKind,
		events(changed(chatDelta, `"NAME"`, `"dr"`, `,"finish_reason":"tool_calls"`, ""),
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"op"}}]},`+
				`"finish_reason":"tool_calls"}]}`))
	// Behind what ends a line for some.
	for _, end := range []string{"\u2028", "\u2029", "\u0085", "\v", "\f", "\x1c"} {
		one(false, "chat", stream, 200, eventKind, ": x"+end+"data: "+chatDelta+"\n\n")
	}
	one(false, "ollama", stream, 200, lineKind, `{"message":{"content":"\u2028`+"\u2028"+ollamaCall+"\n")
	// Tools of the provider's own that the agent runs, or is to approve.
	for kind, member := range map[string]string{"local_shell_call": "action", "shell_call": "action",
		"apply_patch_call": "operation",
		"computer_call":    "action", "custom_tool_call": "input"} {
		name := ""
		if kind == "custom_tool_call" {
			name = `"name":"NAME",`
		}
		item := `{"type":"` + kind + `","id":"f","call_id":"c",` + name + `"` + member + `":{"command":["chaos"]}}`
		one(false, "responses", "{}", 200, jsonKind, `{"output":[`+item+`]}`)
		one(false, "responses", stream, 200, eventKind, events(`{"type":"response.output_item.done","item":`+item+`}`))
		all[len(all)-1].read, all[len(all)-2].read = name != "", name != ""
	}
	one(true, "responses", "{}", 200, jsonKind, changed(responsesCall, `"function_call"`, `"mcp_approval_request"`))
	one(true, "responses", "{}", 200, jsonKind, changed(responsesCall, `"function_call"`, `"custom_tool_call"`,
		`"arguments":`, `"arguments":"{}","input":`))
	one(false, "responses", `{"tools":[{"type":"mcp","server_url":"https://x","require_approval":"never"}]}`, 200,
		jsonKind,
		changed(responsesCall, `"function_call"`, `"mcp_call"`))
	one(false, "messages", `{"mcp_servers":[{"type":"url","url":"https://x"}]}`, 200, jsonKind,
		changed(messagesCall, `"tool_use"`, `"mcp_tool_use"`))
	one(true, "messages", "{}", 200, jsonKind, changed(messagesCall, `"tool_use","id"`, `"Tool_use","id"`))
	// Requests that are not understood.
	one(false, "chat", `{"model":`, 200, jsonKind, chatCall)
	one(false, "chat", `{"stream":"yes"}`, 200, jsonKind, chatCall)
	return all
}

// asRaw sends a request as it is written, and returns what comes.
func asRaw(t *testing.T, address, request, body string, headers ...string) (status int, text string) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "%s HTTP/1.1\r\n%s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", request,
		strings.Join(headers, "\r\n"), len(body), body)
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if errors.Is(err, io.ErrUnexpectedEOF) { // a stream that is not let through may break off before its head
		return 0, ""
	}
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	defer answer.Body.Close()
	came, _ := io.ReadAll(answer.Body) // which may break off
	return answer.StatusCode, string(came)
}

// TestForms checks that a call that is forbidden reaches the agent in no form, whatever path, method and answer it
// comes by, and that one that may be made does where the form is read.
func TestForms(t *testing.T) {
	c, err := contract.Parse("c.yaml", []byte(`{version: 1, name: c, clauses: [{name: tidy, kind: guardrail, forbid: `+
		`{tools: [drop,
		local_shell, shell, apply_patch, computer]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	forms := append(asking(), answering()...)
	const least = 72
	if len(forms) < least {
		t.Errorf("%d forms are less than %d", len(forms), least)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.Header.Get("X-Form"))
		f := forms[n]
		if w.Header().Set("Content-Type", f.kind); f.kind == "" {
			w.Header()["Content-Type"] = nil
		}
		if f.status == 302 {
			w.Header().Set("Location", "http://127.0.0.1:1/")
		}
		w.WriteHeader(max(f.status, 200))
		_, _ = io.WriteString(w, strings.ReplaceAll(f.answer, "NAME", r.Header.Get("X-Name")))
	}))
	defer server.Close()
	named := map[wire.Provider]string{}
	for _, p := range wire.Providers() {
		named[p] = server.URL
	}
	upstreams, err := wire.UpstreamsOf(named, none)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wire.Open(wire.Options{Upstreams: upstreams})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for n, f := range forms {
		for _, name := range []string{"drop", "keep"} {
			route := w.Route(wire.Limits{}, guard.New(contract.Before(nil, c), guard.Deny))
			root, _ := url.Parse(route.Root())
			method, path, _ := strings.Cut(f.request, " ")
			status, came := asRaw(t, root.Host, method+" "+root.Path+path, f.body, "Host: "+root.Host,
				"X-Form: "+strconv.Itoa(n),
				"X-Name: "+name, "Content-Type: application/json")
			seen := route.Close()
			what := fmt.Sprintf("%s %.80s answered with %d %s %s of %s: %d %s", f.request, f.body, f.status, f.kind, f.answer,
				name, status, came)
			if passes, may := strings.Contains(came, "chaos"), f.read && name == "keep"; passes != may {
				t.Errorf("a call passes: %t, and not %t: %s", passes, may, what)
			}
			if len(seen.Exchanges) != 1 || len(seen.Steps()) == 0 {
				t.Errorf("the record has nothing of it: %s", what)
			}
		}
	}
	t.Logf("%d forms", len(forms))
}

// TestOperationsUnderALimit checks each operation that a client can ask: without a limit it goes up; with one on turns
// it does where it is read, free or not priced, and with one on cost where it is read or free. What does not go up is
// told in the record.
func TestOperationsUnderALimit(t *testing.T) {
	var up atomic.Int64
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		up.Add(1)
		_, _ = io.WriteString(w, said("x"))
	}, wire.Options{})
	limits := map[string]wire.Limits{"none": {}, "turns": {MaxTurns: trial.Some(5)}, "cost": {MaxCostUSD: trial.Some(1.0)},
		"tokens": {MaxTokens: trial.Some[int64](1000)}}
	for _, o := range dialect.Operations() {
		path := strings.ReplaceAll(o.Path, "{}", "x1")
		if !strings.HasPrefix(path, "/") {
			t.Fatal(o)
		}
		base := "/" + o.Provider
		if o.Provider == "openai" {
			base = openAIBase
		}
		for name, l := range limits {
			if name == "tokens" && o.Class == dialect.Refused { // as for cost
				continue
			}
			want := name == "none" || o.Class == dialect.Read || o.Class == dialect.Free ||
				o.Class == dialect.Unpriced && name == "turns"
			route, before := w.Route(l), up.Load()
			request := httptest.NewRequest(o.Method, route.Root()+base+path, strings.NewReader(`{"model":"m"}`))
			request.RequestURI = ""
			answer := httptest.NewRecorder()
			w.ServeHTTP(answer, request)
			seen := route.Close()
			if went := up.Load() > before; went != want {
				t.Errorf("%s %s under a limit of %s goes up: %t", o.Method, path, name, went)
			}
			if !want && (answer.Code != 400 || answer.Header().Get("X-Should-Retry") != "false" ||
				len(seen.Exchanges) != 1 || !strings.Contains(seen.Exchanges[0].Problem, "a limit") || seen.Spent.Turns != 0) {
				t.Errorf("%s %s: %d %s, and %+v", o.Method, path, answer.Code, answer.Body, seen)
			}
		}
	}
}

// TestNamesOfTheWire checks by which names a wire on loopback is asked.
func TestNamesOfTheWire(t *testing.T) {
	w := open(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, said("x")) }, wire.Options{})
	root, _ := url.Parse(w.Route(wire.Limits{}).Root())
	port := root.Port()
	for host, want := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST:" + port: 200, "[::1]:" + port: 200,
		"example.com:" + port: 421, "127.0.0.1.example.com:" + port: 421, "localhost.example.com": 421,
		"192.0.2.1:" + port: 421, "": 421,
	} {
		status, _ := asRaw(t, root.Host, "POST "+root.Path+"/openai/v1/chat/completions", `{"model":"m"}`, "Host: "+host)
		if status != want {
			t.Errorf("%q: %d, not %d", host, status, want)
		}
	}
}

// TestPathsStayBelow checks that no path leads above the folder of the upstream, with a limit or without.
func TestPathsStayBelow(t *testing.T) {
	var asked atomic.Value
	w := open(t, func(w http.ResponseWriter, r *http.Request) { asked.Store(r.RequestURI) }, wire.Options{})
	root, _ := url.Parse(w.Route(wire.Limits{}).Root())
	for _, path := range []string{"/openai/v1/../x", "/openai/v1/a/../../../x", "/openai/v1/%2e%2e/x",
		"/openai/v1/.%2E/x", "/openai/v1/..%2fx",
		`/openai/v1/..\x`, "/openai/v1/..%5cx", "/openai/v1/..;/x", "/openai/v1/%252e%252e/x", "/openai/v1/.",
		"/openai/v1/a%2f..%2f..%2fx"} {
		status, text := asRaw(t, root.Host, "POST "+root.Path+path, "{}", "Host: "+root.Host)
		if up := asked.Load(); status != 400 || !strings.Contains(text, "folder above") || up != nil {
			t.Errorf("%s: %d %s, and %v was asked", path, status, text, up)
		}
	}
}
