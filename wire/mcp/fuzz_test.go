package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/wire"
)

// recordingTeller is a teller that lets no call of a tool through but those of one, and keeps what it is told.
type recordingTeller struct {
	deny    bool
	results []wire.ToolResult
	told    *wire.ReplacedResult // of each call
}

func (t *recordingTeller) BeginCall(c wire.ToolCall) wire.StartedCall {
	if t.deny && (c.Unread != "" || c.Name == "rm") {
		return wire.StartedCall{Denied: "no"}
	}
	return wire.StartedCall{Number: len(t.results)}
}

func (t *recordingTeller) EndCall(_ int, r wire.ToolResult) *wire.ReplacedResult {
	t.results = append(t.results, r)
	return t.told
}

func (t *recordingTeller) ChangeTools(string, []string) map[string]string { return nil }

// calls reports whether a message, or one in a list, is a call of rm for a server that reads JSON as most do: of a
// member that is given twice the last counts, and names are what their escapes say.
func calls(value any) bool {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			if calls(one) {
				return true
			}
		}
	case map[string]any:
		p, _ := v["params"].(map[string]any)
		return v["method"] == "tools/call" && p["name"] == "rm"
	}
	return false
}

// FuzzAgents says to a server what no agent should: where it may not be called, no message that passes is a call; and
// without a guard, each byte passes.
func FuzzAgents(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm","arguments":{}}}`,
		`[{"id":1,"method":"tools/call","params":{"name":"rm"}},{"id":2,"method":"ping"}]`,
		`{"id":1,"method":"tools/list"}`, `{"id":1,"method":"ping","method":"tools/call","params":{"name":"rm"}}`,
		`{"method":"tools\/call","params":{"n\u0061me":"rm"}}`, "[[]]", "\ufeff{}", `{"id":1}{"id":2}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if pass, answers := newSession("s", &recordingTeller{}).fromAgent(text); !bytes.Equal(pass, text) || answers != nil {
			t.Fatalf("%q passes as %q, and is answered %q", text, pass, answers)
		}
		pass, answers := newSession("s", &recordingTeller{deny: true}).fromAgent(text)
		for _, answer := range answers {
			if !json.Valid(answer) || bytes.ContainsAny(answer, "\n\r") && !bytes.ContainsAny(text, "\n\r") {
				t.Errorf("%q is answered %q", text, answer)
			}
		}
		var value any
		if json.Unmarshal(pass, &value) == nil && calls(value) {
			t.Errorf("of %q passes %q", text, pass)
		}
	})
}

// FuzzServers hears what no server should say, as a message, a stream of events and lines: each byte passes, and what
// is read of it does not hang on the parts in which it comes.
func FuzzServers(f *testing.F) {
	const result = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}],"isError":false}}`
	for _, text := range []string{
		result, "[" + result + "]", "data: " + result + "\n\n", "event: message\r\ndata: " + result + "\r\n\r\n",
		"data: {\"id\":1,\ndata: \"error\":{\"message\":\"x\"}}\n\n", result + "\n" + result + "\n", ": \n\ndata\n\n",
		`{"id":1,"result":{"content":[{"type":"image"}]}}`, `{"id":1,"result":7}`, `{"id":1,"method":"x"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		pending := func() (*session, *recordingTeller) {
			to := &recordingTeller{}
			s := newSession("s", to)
			s.fromAgent([]byte(`{"id":1,"method":"tools/call","params":{"name":"x"}}`))
			return s, to
		}
		var all [2][]wire.ToolResult
		for i, body := range []io.Reader{bytes.NewReader(text), iotest.OneByteReader(bytes.NewReader(text))} {
			s, to := pending()
			got, err := io.ReadAll(&heard{ReadCloser: io.NopCloser(body), session: s})
			if err != nil || !bytes.Equal(got, text) {
				t.Fatalf("%q passes as %q: %v", text, got, err)
			}
			all[i] = to.results
		}
		if diff := cmp.Diff(all[0], all[1]); diff != "" {
			t.Errorf("%q in other parts: %s", text, diff)
		}
		s, to := pending()
		to.told = &wire.ReplacedResult{Text: "changed"}
		put := s.fromServer(text)
		if json.Valid(text) != json.Valid(put) {
			t.Errorf("%q becomes %q", text, put)
		}
		all = [2][]wire.ToolResult{}
		for i, body := range []io.Reader{bytes.NewReader(text), iotest.OneByteReader(bytes.NewReader(text))} {
			s, to := pending()
			var got strings.Builder
			_ = (&linePasser{session: s, out: &got}).toAgent(body) // which takes all
			if got.String() != string(text) {
				t.Fatalf("%q passes as %q", text, got.String())
			}
			all[i] = to.results
		}
		if diff := cmp.Diff(all[0], all[1]); diff != "" {
			t.Errorf("%q in other parts: %s", text, diff)
		}
	})
}
