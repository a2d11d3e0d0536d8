package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// servedWire is a wire that stays up, as a client sees it.
type servedWire struct {
	t           *testing.T
	Environment map[string]string
	Next        string
}

// serve runs wire serve with flags, lets a client ask, and interrupts it.
func serve(t *testing.T, flags string, ask func(*servedWire)) (code int, stderr string) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	from, to := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer to.Close()
		code, _, stderr = tribunal(ctx, App{Stdout: to},
			append([]string{"wire", "serve", "--json"}, strings.Fields(flags)...)...)
	}()
	s := &servedWire{t: t}
	err := json.NewDecoder(from).Decode(s)
	go io.Copy(io.Discard, from)
	if err == nil {
		ask(s)
	}
	cancel(&problem.SignalError{Signal: syscall.SIGINT})
	<-ended
	if err != nil {
		t.Fatalf("%s: exit code %d, %v: %s", flags, code, err, stderr)
	}
	return code, stderr
}

// post posts a text, and returns the status and what came.
func (s *servedWire) post(address, text string) (int, string) {
	s.t.Helper()
	answer, err := http.Post(address, "application/json", strings.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(said)
}

// ask asks a model, whose request has a member of this value besides.
func (s *servedWire) ask(member string) (int, string) {
	s.t.Helper()
	const form = `{"model":"small","messages":[{"role":"user","content":"hello"}],"tools":[{"type":"function","function":` +
		`{"name":"rm","parameters":{"type":"object"}}}],"metadata":%q}`
	return s.post(s.Environment["OPENAI_BASE_URL"]+"/chat/completions", fmt.Sprintf(form, member))
}

// TestServedAsARunProgram checks that flags of a wire that stays up do what they do for a program that is run.
func TestServedAsARunProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	asked := 0
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprint(w, `{"model":"small","choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":100,"completion_tokens":10}}`)
	}))
	defer model.Close()
	upstream := "--upstream openai=" + model.URL + " "
	for name, text := range map[string]string{
		"prices.yaml": "version: 1\nprices: [{model: small, input: 1000, output: 1000}]\n", // 0.11 USD an answer
		"script.yaml": "turns: [{variants: [{text: heads}, {text: tails}]}]\n",
		"rm.yaml":     "turns: [{calls: [{tool: rm, arguments: {}}]}]\n",
		"kept.yaml":   "{version: 1, name: c, clauses: [{name: kept, kind: guardrail, forbid: {tools: [rm]}}]}\n",
	} {
		write(t, name, []byte(text))
	}
	for limit, reason := range map[string]string{
		"--max-cost 0.15 --prices prices.yaml": "max_cost_usd", "--max-tokens 150": "max_tokens",
	} {
		code, stderr := serve(t, upstream+limit, func(s *servedWire) {
			for i, want := range []int{200, 200, 400} {
				if got, said := s.ask(""); got != want {
					t.Errorf("%s: request %d: %d %s", limit, i, got, said)
				}
			}
			if _, record := s.post(s.Next, ""); !strings.Contains(record, `"type":"`+reason+`"`) {
				t.Errorf("%s: the trial is %s", limit, record)
			}
			if got, said := s.ask(""); got != 200 {
				t.Errorf("%s: after it: %d %s", limit, got, said)
			}
		})
		if code != ExitFail || !strings.Contains(stderr, "ended by "+reason) {
			t.Errorf("%s: exit code %d: %s", limit, code, stderr)
		}
	}
	// Each trial has a seed of its own, and the seed draws what it draws for a program.
	drawn := func(seed int, trials int) (all string) {
		serve(t, fmt.Sprintf("--script script.yaml --seed %d", seed), func(s *servedWire) {
			for range trials {
				_, said := s.ask("")
				all += map[bool]string{true: "h", false: "t"}[strings.Contains(said, "heads")]
				s.post(s.Next, "")
			}
		})
		return all
	}
	first := drawn(1, 20)
	if !strings.Contains(first, "h") || !strings.Contains(first, "t") || drawn(1, 20) != first ||
		drawn(2, 19) != first[1:] {
		t.Errorf("drawn are %s, and of other seeds %s and %s", first, drawn(1, 20), drawn(2, 19))
	}
	// A cassette is replayed without a server, trial by trial.
	serve(t, upstream+"--cassette c", func(s *servedWire) {
		s.ask("a")
		s.post(s.Next, "")
		s.ask("b")
	})
	before := asked
	serve(t, "--cassette c --replay strict", func(s *servedWire) {
		for _, body := range []string{"a", "b"} {
			if got, said := s.ask(body); got != 200 || !strings.Contains(said, "yes") {
				t.Errorf("replayed is %d %s", got, said)
			}
			s.post(s.Next, "")
		}
	})
	for flags, want := range map[string]int{"": 403, " --ignore metadata": 200} {
		serve(t, "--cassette c --replay strict"+flags, func(s *servedWire) {
			if got, said := s.ask("c"); got != want {
				t.Errorf("another request%s is %d %s", flags, got, said)
			}
		})
	}
	if asked != before {
		t.Errorf("a server was asked %d times in a replay", asked-before)
	}
	_, stderr := serve(t, "--script rm.yaml --contract kept.yaml --guard deny", func(s *servedWire) {
		if _, said := s.ask(""); !strings.Contains(said, "denied by the guardrail kept") ||
			strings.Contains(said, "tool_calls") {
			t.Errorf("what is forbidden comes as %s", said)
		}
	})
	if !strings.Contains(stderr, "wire: denied by kept") {
		t.Errorf("said is %s", stderr)
	}
	tools := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`)
	}))
	defer tools.Close()
	file := ""
	_, stderr = serve(t, "--mcp files="+tools.URL, func(s *servedWire) {
		file = s.Environment["TRIBUNAL_MCP_CONFIG"]
		text, err := os.ReadFile(file)
		var config struct {
			MCPServers map[string]struct{ URL string }
		}
		if err != nil || json.Unmarshal(text, &config) != nil {
			t.Fatalf("the configuration is %s: %v", text, err)
		}
		const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{}}}`
		if _, said := s.post(config.MCPServers["files"].URL, call); !strings.Contains(said, "done") {
			t.Errorf("a tool says %s", said)
		}
	})
	if _, err := os.Stat(file); err == nil || !strings.Contains(stderr, "1 call of write") {
		t.Errorf("the configuration stays, or said is %s", stderr)
	}
}

// TestServedTrialsThatCannotBeWritten checks that a wire whose records cannot be written ends, and says so.
func TestServedTrialsThatCannotBeWritten(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no file that is always full")
	}
	t.Chdir(t.TempDir())
	write(t, "script.yaml", []byte("turns: [{text: done}]\n"))
	code, stderr := serve(t, "--script script.yaml --trials /dev/full", func(s *servedWire) {
		s.ask("")
		if got, said := s.post(s.Next, ""); got != 500 || !strings.Contains(said, "cannot write /dev/full") {
			t.Errorf("%d %s", got, said)
		}
	})
	if code != ExitOutput || !strings.Contains(stderr, "cannot write /dev/full") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
