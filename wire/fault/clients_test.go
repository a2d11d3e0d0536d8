package fault_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/nodeserver"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
)

// clientResult is what a client had.
type clientResult struct {
	Class   string
	Status  int
	Name    string // of the error
	Model   string
	Finish  string
	Text    string
	Refusal string
	Calls   []struct {
		Name      string
		Arguments json.RawMessage
	}
}

// line says it in a line.
func (h clientResult) line() string {
	switch {
	case h.Class == "DOMException": // whose status is another number
		return h.Name
	case h.Class != "":
		return fmt.Sprintf("%s %d", h.Class, h.Status)
	}
	line := h.Finish
	if h.Text != "" {
		line += " says " + fmt.Sprintf("%.12s", h.Text)
	}
	if h.Refusal != "" {
		line += " declines"
	}
	for _, c := range h.Calls {
		line += " calls " + c.Name + string(c.Arguments)
	}
	return line
}

// clientProcess is a client that others wrote.
type clientProcess struct {
	in  io.Writer
	out *bufio.Scanner
}

// startClient starts one.
func startClient(t *testing.T, folder, name string) *clientProcess {
	t.Helper()
	command := exec.CommandContext(t.Context(), "node", "clients.mjs", name)
	command.Dir, command.Stderr = folder, os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	return &clientProcess{in, bufio.NewScanner(out)}
}

// ask lets it ask once.
func (a *clientProcess) ask(t *testing.T, route *wire.Route, retry int, stream, brief bool) (h clientResult) {
	t.Helper()
	line, _ := json.Marshal(map[string]any{"base": route.Root(), "retry": retry, "stream": stream, "brief": brief})
	if _, err := a.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	if !a.out.Scan() {
		t.Fatal("the client ended")
	}
	if err := json.Unmarshal(a.out.Bytes(), &h); err != nil {
		t.Fatal(err)
	}
	return h
}

// nodeFolder has the clients and the server that others wrote.
func nodeFolder(t *testing.T) (folder, model string) {
	t.Helper()
	modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "@google", "genai")); modules == "" || err != nil {
		t.Skip("the clients are not installed")
	}
	files := map[string]string{}
	for name, path := range map[string]string{"clients.mjs": "testdata/clients.mjs",
		"model.mjs": "../testdata/model.mjs"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	folder = t.TempDir()
	if err := nodeserver.Fill(folder, modules, files); err != nil {
		t.Fatal(err)
	}
	model, stop, err := nodeserver.Start(folder, "model.mjs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stop() })
	return folder, model
}

// clientView is what a client sees of a fault: of an answer that comes whole, and of a stream; and whether it asks
// again by itself, and has an answer then.
type clientView struct {
	whole, streamed string
	retried         bool
}

// same is what is the same of both.
func same(text string) clientView { return clientView{text, text, false} }

// retried is what is the same of both, and asked again.
func retried(text string) clientView { return clientView{text, text, true} }

// expected is what the documentation of the clients says of errors: their classes, the statuses that they have, and
// which are asked again (openai and @anthropic-ai/sdk: connections, timeouts, 408, 409, 429 and from 500, "Handling
// errors" and "Retries" of their READMEs; @google/genai: an ApiError, and none asked again unless retryOptions are
// given; ollama: a ResponseError, and none). What fetch throws is not wrapped where a body breaks off.
var expected = map[string]struct {
	answer string
	byKind map[fault.Kind]clientView
}{
	"openaiChat": {`tool_calls calls look_up"{\"id\": 7}"`, map[fault.Kind]clientView{
		fault.RateLimit:       retried("RateLimitError 429"),
		fault.Overloaded:      retried("InternalServerError 503"),
		fault.ServerError:     retried("InternalServerError 500"),
		fault.Timeout:         retried("APIConnectionTimeoutError 0"),
		fault.Reset:           retried("APIConnectionError 0"),
		fault.Slow:            same(`tool_calls calls look_up"{\"id\": 7}"`),
		fault.CutStream:       {"TypeError 0", "OpenAIError 0", false},
		fault.Truncated:       same(`length calls look_up"{\"id"`),
		fault.Empty:           same("stop"),
		fault.Refusal:         same("stop declines"),
		fault.MalformedJSON:   same(`tool_calls calls look_up"{\"id"`),
		fault.UnknownTool:     same(`tool_calls calls look_up_v2"{\"id\": 7}"`),
		fault.SchemaDrift:     {"TypeError 0", "OpenAIError 0", false},
		fault.WrongModel:      same(`tool_calls calls look_up"{\"id\": 7}" of gpt-3.5-turbo-0125`),
		fault.ContextOverflow: same("BadRequestError 400"),
	}},
	"openaiResponses": {`completed calls look_up"{\"id\": 7}"`, map[fault.Kind]clientView{
		fault.RateLimit:       retried("RateLimitError 429"),
		fault.Overloaded:      retried("InternalServerError 503"),
		fault.ServerError:     retried("InternalServerError 500"),
		fault.Timeout:         retried("APIConnectionTimeoutError 0"),
		fault.Reset:           retried("APIConnectionError 0"),
		fault.Slow:            same(`completed calls look_up"{\"id\": 7}"`),
		fault.CutStream:       {"TypeError 0", "OpenAIError 0", false},
		fault.Truncated:       same(`max_output_tokens calls look_up"{\"id"`),
		fault.Empty:           same("completed"),
		fault.Refusal:         same("completed declines"),
		fault.MalformedJSON:   same(`completed calls look_up"{\"id"`),
		fault.UnknownTool:     same(`completed calls look_up_v2"{\"id\": 7}"`),
		fault.SchemaDrift:     {"TypeError 0", "OpenAIError 0", false},
		fault.WrongModel:      same(`completed calls look_up"{\"id\": 7}" of gpt-3.5-turbo-0125`),
		fault.ContextOverflow: same("BadRequestError 400"),
	}},
	"anthropic": {`tool_use calls look_up{"id":7}`, map[fault.Kind]clientView{
		fault.RateLimit:   retried("RateLimitError 429"),
		fault.Overloaded:  retried("OverloadedError 529"),
		fault.ServerError: retried("InternalServerError 500"),
		fault.Timeout:     retried("APIConnectionTimeoutError 0"),
		fault.Reset:       retried("APIConnectionError 0"),
		fault.Slow:        same(`tool_use calls look_up{"id":7}`),
		fault.CutStream:   {"TypeError 0", "AnthropicError 0", false},
		// Of a stream the client makes what there is of the arguments into an object.
		fault.Truncated:       {`max_tokens calls look_up"{\"id"`, "max_tokens calls look_up{}", false},
		fault.Empty:           same("end_turn"),
		fault.Refusal:         same("refusal"),
		fault.MalformedJSON:   {`tool_use calls look_up"{\"id"`, "tool_use calls look_up{}", false},
		fault.UnknownTool:     same(`tool_use calls look_up_v2{"id":7}`),
		fault.SchemaDrift:     {"TypeError 0", "AnthropicError 0", false},
		fault.WrongModel:      same(`tool_use calls look_up{"id":7} of claude-3-haiku-20240307`),
		fault.ContextOverflow: same("BadRequestError 400"),
	}},
	"gemini": {`FUNCTION_CALL calls look_up{"id":7}`, map[fault.Kind]clientView{
		fault.RateLimit:       same("ApiError 429"),
		fault.Overloaded:      same("ApiError 503"),
		fault.ServerError:     same("ApiError 500"),
		fault.Timeout:         same("AbortError"),
		fault.Reset:           same("TypeError 0"),
		fault.Slow:            same(`FUNCTION_CALL calls look_up{"id":7}`),
		fault.CutStream:       same("TypeError 0"),
		fault.Truncated:       same("MAX_TOKENS"),
		fault.Empty:           same("STOP"),
		fault.Refusal:         same("SAFETY"),
		fault.MalformedJSON:   same("MALFORMED_FUNCTION_CALL"),
		fault.UnknownTool:     same(`FUNCTION_CALL calls look_up_v2{"id":7}`),
		fault.SchemaDrift:     same("TypeError 0"),
		fault.WrongModel:      same(`FUNCTION_CALL calls look_up{"id":7} of gemini-1.5-flash-8b`),
		fault.ContextOverflow: same("ApiError 400"),
	}},
	"ollama": {`stop calls look_up{"id":7}`, map[fault.Kind]clientView{
		fault.RateLimit:       same("ResponseError 429"),
		fault.Overloaded:      same("ResponseError 503"),
		fault.ServerError:     same("ResponseError 500"),
		fault.Timeout:         same("TimeoutError"),
		fault.Reset:           same("TypeError 0"),
		fault.Slow:            same(`stop calls look_up{"id":7}`),
		fault.CutStream:       same("TypeError 0"),
		fault.Truncated:       same(`length says {"name": "lo`),
		fault.Empty:           same("stop"),
		fault.Refusal:         same("stop says I'm sorry, b"),
		fault.MalformedJSON:   same(`stop says {"name": "lo`),
		fault.UnknownTool:     same(`stop calls look_up_v2{"id":7}`),
		fault.SchemaDrift:     same("TypeError 0"),
		fault.WrongModel:      same(`stop calls look_up{"id":7} of tinyllama`),
		fault.ContextOverflow: same("ResponseError 400"),
	}},
}

// TestFaultsBeforeClientsOfOthers lets clients that others wrote have each fault of models: what they see of it is what
// they see of the provider's own.
func TestFaultsBeforeClientsOfOthers(t *testing.T) {
	folder, model := nodeFolder(t)
	straight := map[string]string{
		"OPENAI_BASE_URL": model + "/v1", "ANTHROPIC_BASE_URL": model, "GOOGLE_GEMINI_BASE_URL": model, "OLLAMA_HOST": model,
	}
	upstreams, err := wire.UpstreamsOf(nil, func(name string) (string, bool) {
		value, ok := straight[name]
		return value, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := wire.Open(wire.Options{Upstreams: upstreams})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	for name, expected := range expected {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := startClient(t, folder, name)
			for _, about := range fault.Kinds() {
				if about.Of != fault.OfModel {
					continue
				}
				want := expected.byKind[about.Kind]
				for form, text := range map[string]string{"whole": want.whole, "streamed": want.streamed} {
					f := fault.Fault{Kind: about.Kind}
					if f.Kind == fault.Slow {
						f.Latency = time.Millisecond
					}
					if saw, n := clientSees(t, w, client, f, 0, form); saw != text || n != 1 {
						t.Errorf("%s %s: %q of %d requests, and not %q", about.Kind, form, saw, n, text)
					}
					requests := 1
					if want.retried {
						text, requests = expected.answer, 2
					}
					f.Times = 1
					if saw, n := clientSees(t, w, client, f, -1, form); saw != text || n != requests {
						t.Errorf("%s %s once: %q of %d requests, and not %q", about.Kind, form, saw, n, text)
					}
				}
			}
		})
	}
}

// clientSees is what a client sees of a fault, and how many requests it made.
func clientSees(
	t *testing.T, w *wire.Wire, client *clientProcess, f fault.Fault, retry int, form string,
) (string, int) {
	t.Helper()
	act := fault.New([]fault.Fault{f}, 1)
	route := w.Route(wire.Limits{}, act)
	h := client.ask(t, route, retry, form == "streamed", f.Kind == fault.Timeout)
	seen := route.Close()
	if len(names(seen, fault.Name)) == 0 || len(act.Unfired()) > 0 {
		t.Errorf("%s never was: %+v", f, seen.Events)
	}
	if f.Kind == fault.WrongModel {
		return h.line() + " of " + h.Model, len(seen.Exchanges)
	}
	return h.line(), len(seen.Exchanges)
}
