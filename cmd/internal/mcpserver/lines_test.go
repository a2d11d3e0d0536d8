package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A line that is no request is answered with an error of JSON-RPC, under its ID where it has one, and the server goes
// on.
func TestLinesThatAreNoRequests(t *testing.T) {
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	long := `{"jsonrpc":"2.0","id":7,"method":"ping","params":"` + strings.Repeat("x", mostRequestBytes) + `"}`
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for line, want := range map[string]struct {
		code int
		id   string
	}{
		`hello`: {-32700, "null"},
		`{"jsonrpc":"2.0","id":7,"method":"ping"`: {-32700, "null"},
		ping + ` and more`:                        {-32700, "null"},
		`{"jsonrpc":"2.0","id":7}}`:               {-32700, "null"},
		"\x00\xff":                                {-32700, "null"},
		`42`:                                      {-32600, "null"},
		`null`:                                    {-32600, "null"},
		`"text"`:                                  {-32600, "null"},
		`{}`:                                      {-32600, "null"},
		`[]`:                                      {-32600, "null"},
		`[` + ping + `]`:                          {-32600, "null"},
		`{"id":7,"method":"ping"}`:                {-32600, "7"},
		`{"jsonrpc":"1.0","id":"a","method":"ping"}`: {-32600, `"a"`},
		`{"jsonrpc":"2.0","id":[7],"method":"ping"}`: {-32600, "null"},
		`{"jsonrpc":"2.0","id":7,"method":8}`:        {-32600, "7"},
		long:                                         {-32600, "null"},
		strings.Repeat("[", 100_000):                 {-32700, "null"},
	} {
		s, err := New(Options{Root: t.TempDir(), Command: func(context.Context, Call) Reply { return Reply{} },
			Describe: itsName})
		if err != nil {
			t.Fatal(err)
		}
		in, send := io.Pipe()
		hear, out := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(t.Context(), in, out) }()
		go func() { _, _ = io.WriteString(send, begin+"\n"+line+"\r\n"+ping+"\n") }()
		answers := map[string]int{} // code by ID
		heard := bufio.NewScanner(hear)
		for len(answers) < 3 && heard.Scan() {
			var a struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Error   *struct{ Code int }
			}
			if err := json.Unmarshal(heard.Bytes(), &a); err != nil || a.Version != "2.0" {
				t.Fatalf("%.80s: %s: %v", line, heard.Bytes(), err)
			}
			if answers[string(a.ID)] = 0; a.Error != nil {
				answers[string(a.ID)] = a.Error.Code
			}
		}
		send.Close()
		if err := <-ended; err != nil {
			t.Errorf("%.80s: %v", line, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if code, there := answers["2"]; !there || code != 0 || answers[want.id] != want.code || len(answers) != 3 {
			t.Errorf("%.80s: %v; want %v", line, answers, want)
		}
	}
}

// What was asked before the input ends is answered; of a call that was cancelled there is nothing to wait for.
func TestCallsAreAnsweredAfterTheInput(t *testing.T) {
	recorded := filepath.Join(t.TempDir(), "trials.jsonl")
	if err := os.WriteFile(recorded, []byte(`{"scenario":"a","outcome":"pass"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	input, release := make(chan bool), make(chan bool)
	s, err := New(Options{Root: filepath.Dir(recorded), Describe: itsName, Command: func(ctx context.Context, c Call) Reply {
		close(input) // it is under way
		select {
		case <-release:
		case <-ctx.Done():
		}
		return Reply{Output: "INCONCLUSIVE\n", Code: 2}
	}})
	if err != nil {
		t.Fatal(err)
	}
	const asked = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"verdict","arguments":` +
		`{"recording":"trials.jsonl","threshold":0.9}}}` + "\n"
	in, send := io.Pipe()
	hear, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), in, out) }()
	go func() {
		_, _ = io.WriteString(send, asked)
		<-input
		send.Close()
		time.Sleep(20 * time.Millisecond) // in which a server that does not wait is gone
		close(release)
	}()
	heard := bufio.NewScanner(hear)
	ids := []string{}
	for len(ids) < 2 && heard.Scan() {
		var a struct{ ID json.RawMessage }
		if err := json.Unmarshal(heard.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(a.ID))
	}
	if !slices.Equal(ids, []string{"1", "2"}) {
		t.Errorf("the answers are those of %q", ids)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A call that was cancelled, whatever its ID, is none that the end of the input waits for.
func TestCancelledCallsAreNotWaitedFor(t *testing.T) {
	for _, id := range []string{"2", "1000000", "9007199254740991", `"2"`, `"a\u0062"`} {
		in, send := io.Pipe()
		_, out := io.Pipe()
		c, err := drainingTransport{&mcp.IOTransport{Reader: in, Writer: out}}.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = io.WriteString(send, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{}}`+"\n"+
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+"}}\n")
		}()
		for i := range 2 {
			if _, err := c.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := len(c.(*pendingConnection).calls); left != 1-i {
				t.Errorf("%s: %d calls are waited for after message %d", id, left, i+1)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// itsName describes an option.
func itsName(_, option string) string { return option }
