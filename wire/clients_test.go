package wire_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/nodeserver"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
)

// conversation is what a client had.
type conversation struct {
	Name  string
	Turns []clientTurn
}

// clientTurn is an answer as a client has it. What it does not tell is nil.
type clientTurn struct {
	Text                             string
	Calls                            []clientCall
	Finish                           string
	Input, Output, Cached, Reasoning *int64
}

// clientCall is a call of a tool as a client has it.
type clientCall struct {
	Name      string
	Arguments json.RawMessage
}

// TestClientsOfOthers lets clients that others wrote ask a server that others wrote: what they have is the same with
// and without the wire, and what the wire saw is what they tell.
func TestClientsOfOthers(t *testing.T) {
	folder := clientsFolder(t)
	model, stop, err := nodeserver.Start(folder, "model.mjs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stop() })
	straight := map[string]string{
		"OPENAI_BASE_URL": model + "/v1", "ANTHROPIC_BASE_URL": model, "GOOGLE_GEMINI_BASE_URL": model, "OLLAMA_HOST": model,
	}
	w := wireBefore(t, straight)
	for _, client := range clients {
		for _, form := range []string{"whole", "streamed"} {
			t.Run(client+" "+form, func(t *testing.T) {
				without := converse(t, folder, straight, client, form)
				route := w.Route(wire.Limits{})
				with := converse(t, folder, route.Environment(), client, form)
				if diff := cmp.Diff(without, with); diff != "" {
					t.Errorf("the wire changes what the client has (-without +with):\n%s", diff)
				}
				var record trial.Trial
				route.Close().Fill(&record)
				compareWith(t, with, record.Steps)
			})
		}
	}
}

// wireBefore opens a wire to the servers that variables name.
func wireBefore(t *testing.T, variables map[string]string) *wire.Wire {
	t.Helper()
	upstreams, err := wire.UpstreamsOf(nil, func(name string) (string, bool) {
		value, ok := variables[name]
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
	return w
}

// clients are those of clients.mjs.
var clients = []string{"openaiChat", "openaiResponses", "anthropic", "gemini", "ollama"}

// frameworks are those of clients.mjs that go on by themselves, or stand on the clients of others, and clients for Go.
var frameworks = []string{
	"aiOpenAI", "aiOpenAIChat", "aiAnthropic", "aiCompatible", "aiGoogle", "aiMistral", "langchain", "openaiAgents",
	"goOpenAIChat", "goOpenAIResponses", "goAnthropic", "goGemini",
}

// TestFrameworksOfOthers lets agents on frameworks that others wrote go on until they have an answer: they do the same
// straight and over the wire, which sees what they did. Their server is one that speaks as providers do. The AI SDK
// reads Anthropic's variable in another sense than Anthropic's own client: its address ends with /v1.
func TestFrameworksOfOthers(t *testing.T) {
	folder := clientsFolder(t)
	const script = `
turns:
  - {calls: [{tool: look_up, arguments: {id: 7}}], tokens: {in: 40, out: 5}}
  - {text: It is on its way., tokens: {in: 60, out: 6}}
`
	server, scripted := scriptedWire(t, script)
	for _, framework := range frameworks {
		for _, form := range []string{"whole", "streamed"} {
			t.Run(framework+" "+form, func(t *testing.T) {
				model := func() map[string]string {
					return server.Route(wire.Limits{}, scripted.Attempt(1)).Environment()
				}
				straight := model()
				if framework == "aiAnthropic" {
					straight["ANTHROPIC_BASE_URL"] += "/v1"
				}
				without := converse(t, folder, straight, framework, form)
				for _, address := range []string{"", "/v1"} { // of Anthropic
					variables := model()
					variables["ANTHROPIC_BASE_URL"] += address
					w := wireBefore(t, variables)
					route := w.Route(wire.Limits{})
					with := converse(t, folder, route.Environment(), framework, form)
					if diff := cmp.Diff(without, with); diff != "" {
						t.Errorf("the wire changes what it has (-without +with):\n%s", diff)
					}
					var record trial.Trial
					route.Close().Fill(&record)
					compareWith(t, with, record.Steps)
					if framework != "aiAnthropic" {
						break
					}
				}
			})
		}
	}
}

// clientsFolder has the clients, and the server that stands for models. Without them the test is skipped.
func clientsFolder(t testing.TB) string {
	t.Helper()
	modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "@google", "genai")); modules == "" || err != nil {
		t.Skip("the clients are not installed")
	}
	files := map[string]string{}
	for _, name := range []string{"clients.mjs", "model.mjs"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	folder := t.TempDir()
	if err := nodeserver.Fill(folder, modules, files); err != nil {
		t.Fatal(err)
	}
	return folder
}

// converse runs a client, and returns what it had.
func converse(
	t *testing.T, folder string, environment map[string]string, client, form string, more ...string,
) (c conversation) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "node", append([]string{"clients.mjs", client, form}, more...)...)
	if strings.HasPrefix(client, "go") {
		program := filepath.Join(os.Getenv("TRIBUNAL_TEST_NODE_MODULES"), ".bin", "goclients")
		command = exec.CommandContext(t.Context(), program, client, form)
	}
	command.Dir, command.Stderr = folder, os.Stderr
	command.Env = append(os.Environ(), "OPENAI_API_KEY=x", "ANTHROPIC_API_KEY=x")
	for name, value := range environment {
		command.Env = append(command.Env, name+"="+value)
	}
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &c); err != nil || len(c.Turns) != 2 {
		t.Fatalf("%s: %v", out, err)
	}
	return c
}

// compareWith compares what a client had with the steps of the wire.
func compareWith(t *testing.T, c conversation, steps []trial.Step) {
	t.Helper()
	var actions []string
	for _, s := range steps {
		actions = append(actions, string(s.Action))
	}
	if want := []string{"reason", "call_tool", "respond"}; !slices.Equal(actions, want) {
		t.Fatalf("the steps are %v, and not %v", actions, want)
	}
	for i, at := range []int{0, 2} {
		s, turn := steps[at], c.Turns[i]
		if said := s.Output.Text(); said != turn.Text {
			t.Errorf("turn %d says %q, and not %q", i, said, turn.Text)
		}
		// Mistral's own server tells them without being asked, and this client does not ask.
		if turn.Input == nil && c.Name == "ai mistral streamed" && !s.InputTokens.Known {
			continue
		}
		if turn.Input == nil || s.InputTokens != trial.Some(*turn.Input) || s.OutputTokens != trial.Some(*turn.Output) {
			t.Errorf("turn %d: %+v tokens in and %+v out, and the client has %+v", i, s.InputTokens, s.OutputTokens, turn)
		}
	}
	call := steps[1]
	var got, want any
	_ = json.Unmarshal([]byte(call.Arguments), &got)
	_ = json.Unmarshal(c.Turns[0].Calls[0].Arguments, &want)
	if call.Tool != "look_up" || !cmp.Equal(got, want) || call.Output.Text() != "on its way" {
		t.Errorf("the call is %+v", call)
	}
}
