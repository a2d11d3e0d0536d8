package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
)

// TestMain is the program that configurations name, where it is started as one.
func TestMain(m *testing.M) {
	hostileProgram()
	if len(os.Args) > 5 && os.Args[1] == "wire" && os.Args[2] == "mcp" {
		b := mcp.Bridge{Name: os.Args[4], Teller: mcp.At(os.Getenv(wire.RootVariable)), In: os.Stdin, Out: os.Stdout,
			Err: os.Stderr}
		code, err := b.Run(context.Background(), os.Args[6:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 70
		}
		os.Exit(code)
	}
	shopProgram()
	os.Exit(m.Run())
}

// open opens a wire and a route on it.
func open(t *testing.T, acts ...wire.Act) *wire.Route {
	t.Helper()
	w, err := wire.Open(wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w.Route(wire.Limits{}, acts...)
}

// modules is the folder with packages that others wrote.
func modules(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(folder, "@modelcontextprotocol", "server-filesystem")); folder == "" || err != nil {
		t.Skip("the servers of tools are not installed")
	}
	return folder
}

// script is where a program of a package is.
func script(modules, name, file string) string {
	return filepath.Join(modules, "@modelcontextprotocol", name, "dist", file)
}

// call is a call that a client makes.
type call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// session is what a client had.
type session struct {
	Tools             []string
	Results           []json.RawMessage
	Others, Sent, Got json.RawMessage
}

// converse lets a client ask a server of a configuration.
func converse(t *testing.T, modules string, config []byte, name string, calls []call) (s session) {
	t.Helper()
	folder := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "client.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{"client.mjs": text, "config.json": config} {
		if err := os.WriteFile(filepath.Join(folder, file), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	asked, _ := json.Marshal(calls)
	command := exec.CommandContext(t.Context(), "node", "client.mjs", "config.json", name, string(asked))
	command.Dir, command.Stderr = folder, os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return s
}

// straight is a configuration without a wire.
func straight(servers map[string]mcp.Server) []byte {
	all := map[string]any{}
	for name, s := range servers {
		if s.URL != "" {
			all[name] = map[string]any{"url": s.URL}
			continue
		}
		all[name] = map[string]any{"command": s.Command[0], "args": s.Command[1:], "env": s.Env}
	}
	text, _ := json.Marshal(map[string]any{"mcpServers": all})
	return text
}

// wired is one with it.
func wired(t *testing.T, route *wire.Route, servers map[string]mcp.Server) []byte {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := mcp.Configure(route, servers, program)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// serveHTTP starts server-everything at a URL.
func serveHTTP(t *testing.T, modules string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	command := exec.CommandContext(t.Context(), "node", script(modules, "server-everything", "index.js"), "streamableHttp")
	command.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	url := fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
	for range 200 {
		if answer, err := http.Get(url); err == nil {
			answer.Body.Close()
			return url
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the server does not listen")
	return ""
}

// TestServersOfOthers lets a client that others wrote ask servers that others wrote: what it sends and gets is the same
// with and without the wire, and the steps are its calls.
func TestServersOfOthers(t *testing.T) {
	node := modules(t)
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "a.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	everything := []call{
		{"echo", map[string]any{"message": "hé <&>\u2028"}},
		{"get-sum", map[string]any{"a": 1, "b": 2}},
		{"trigger-sampling-request", map[string]any{"prompt": "x", "maxTokens": 10}},
		{"nothing-of-this-name", map[string]any{}},
		{"get-tiny-image", map[string]any{}},
	}
	for _, c := range []struct {
		name   string
		server mcp.Server
		calls  []call
		steps  []string // tool, output or error
	}{
		{
			"everything", mcp.Server{Command: []string{"node", script(node, "server-everything", "index.js"), "stdio"}},
			everything, []string{"echo: Echo: hé <&>\u2028", "get-sum: The sum of 1 and 2 is 3."},
		},
		{
			"files", mcp.Server{Command: []string{"node", script(node, "server-filesystem", "index.js"), files}},
			[]call{
				{"read_text_file", map[string]any{"path": filepath.Join(files, "a.txt")}},
				{"read_text_file", map[string]any{"path": "/etc/passwd"}},
			},
			[]string{"read_text_file: hello", "read_text_file! Access denied"},
		},
		{"http", mcp.Server{URL: serveHTTP(t, node)}, everything, []string{"echo: Echo: hé <&>\u2028", "get-sum: The sum"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			servers := map[string]mcp.Server{c.name: c.server}
			without := converse(t, node, straight(servers), c.name, c.calls)
			route := open(t)
			with := converse(t, node, wired(t, route, servers), c.name, c.calls)
			if diff := cmp.Diff(without, with); diff != "" {
				t.Errorf("the wire changes what passes (-without +with):\n%s", diff)
			}
			var record trial.Trial
			route.Close().Fill(&record)
			if len(record.Steps) != len(c.calls) {
				t.Fatalf("%d steps of %d calls", len(record.Steps), len(c.calls))
			}
			for i, want := range c.steps {
				s := record.Steps[i]
				got := s.Tool + ": " + s.Output.Text()
				if s.Error != "" {
					got = s.Tool + "! " + s.Error
				}
				if !strings.HasPrefix(got, want) || !s.DurationSeconds.Known {
					t.Errorf("step %d is %q, and not %q", i, got, want)
				}
			}
		})
	}
}

// guardOf is a guard by a contract.
func guardOf(t *testing.T, m guard.Mode, folder, text string) *guard.Guard {
	t.Helper()
	c, err := contract.Parse("c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return guard.New(contract.Before(contract.Resolver(folder, os.Getenv("HOME")), c), m)
}

// TestDeniedWrites checks that a write which a guardrail forbids never happens, in whatever form its path is written.
func TestDeniedWrites(t *testing.T) {
	node := modules(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(root, "kept")
	for _, folder := range []string{kept, filepath.Join(root, "open"), filepath.Join(root, "open", "deep")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"open/link": kept, "open/deep/chain": "../link",
		"open/lone": filepath.Join(kept, "new")} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", root)
	forms := map[string]string{
		"absolute": kept + "/new", "dots": root + "/open/../kept/new", "double slashes": root + "//kept/./new",
		"relative": "kept/new", "relative dots": "open/deep/../../kept/new",
		"link": root + "/open/link/new", "chain of links": root + "/open/deep/chain/new", "link to the file": root +
			"/open/lone",
		"link and dots": root + "/open/link/../kept/new",
		"encoded":       strings.ReplaceAll(kept, "kept", "%6bept") + "/new", "encoded twice": root +
			"/open/%252e%252e/kept/new",
		"URL": "file://" + kept + "/new", "URL in capitals": "FILE://localhost" + kept + "/new", "URL encoded": "file://" +
			root + "/%6Bept/new",
		"home": "~/kept/new", "case": root + "/KEPT/new", "blanks": "  " + kept + "/new ",
		"backslashes": strings.ReplaceAll(kept, "/", `\`) + `\new`,
	}
	var calls []call
	var names []string
	for name, path := range forms {
		calls, names = append(calls, call{"write_file", map[string]any{"path": path, "content": "x"}}), append(names, name)
	}
	calls = append(calls, call{"write_file", map[string]any{"path": root + "/open/fine", "content": "x"}})
	// Every form is one that the server knows how to write to, or would with other settings of a system.
	server := mcp.Server{Command: []string{"sh", "-c", `cd "$0" && exec node "$@"`, root,
		script(node, "server-filesystem", "index.js"), root}}
	servers := map[string]mcp.Server{"files": server}
	text := fmt.Sprintf("{version: 1, name: c, clauses: [{name: kept, kind: guardrail, forbid: {paths: [%q]}}]}", kept)
	route := open(t, guardOf(t, guard.Deny, root, text))
	s := converse(t, node, wired(t, route, servers), "files", calls)
	for i, name := range names {
		if said := string(s.Results[i]); !strings.Contains(said, `"isError":true`) ||
			!strings.Contains(said, "denied by the guardrail kept") {
			t.Errorf("%s (%s) is not denied: %s", name, forms[name], said)
		}
	}
	if left, err := os.ReadDir(kept); err != nil || len(left) > 0 {
		t.Errorf("something was written: %v, %v", left, err)
	}
	if _, err := os.Stat(root + "/open/fine"); err != nil {
		t.Errorf("what is allowed did not happen: %v", err)
	}
	seen := route.Close()
	if len(seen.Events) != len(forms) || len(seen.Tools) != 1 {
		t.Errorf("%d events and %d calls", len(seen.Events), len(seen.Tools))
	}
}

// bridge passes a text to a program, and returns what came.
func bridge(t *testing.T, teller mcp.Teller, in io.Reader, argv ...string) string {
	t.Helper()
	var out bytes.Buffer
	b := mcp.Bridge{Name: "s", Teller: teller, In: in, Out: &out, Err: io.Discard}
	if _, err := b.Run(t.Context(), argv); err != nil {
		t.Log(err)
	}
	return out.String()
}

// TestBytesPass checks that nothing is changed, whatever it is.
func TestBytesPass(t *testing.T) {
	for _, text := range []string{
		"", "\n", "\r\n\r\n", "no JSON\n", "{\n", "{\"a\":1,\"a\":2}", "[1,2]\n[]\n", "\xff\xfe\x00\n", "null\n{}\n",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"b" : 1.50}}}` + "\r\n",
		`[{"id":1,"method":"tools/call","params":{"name":"x"}}, {"id":2,"result":{}}]` + "\n" + `{"id":1,"result":7}`,
	} {
		if got := bridge(t, open(t), strings.NewReader(text), "cat"); got != text {
			t.Errorf("%q came as %q", text, got)
		}
	}
}

// TestGuardReadsWhatServersRead checks that nothing that a server may read as a call passes a guard unread.
func TestGuardReadsWhatServersRead(t *testing.T) {
	const text = "{version: 1, name: c, clauses: [{name: no x, kind: guardrail, forbid: {tools: [x]}}]}"
	const denied = `"text":"denied by the guardrail no x`
	for message, want := range map[string]string{
		`{"id":"a","method":"tools/call","params":{"name":"x"}}`:               `{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text",` + denied,
		`{"id":1,"Method":"ping","method":"tools/call","params":{"name":"x"}}`: denied,
		`{"id":1,"method":"tools/call","params":{"Name":"y","name":"x"}}`:      denied,
		`{"id":1,"method":"tools/c\u0061ll","params":{"n\u0061me":"x"}}`:       denied,
		`{"id":1,"method":"ping","method":"tools/call","params":{"name":"x"}}`: `"code":-32700`,
		`{"id":1,"method":"tools/call","params":{"name":"y","name":"x"}}`:      `"code":-32700`,
		`{"id":1,"method":"tools/call","params":{"name":7}}`:                   "cannot be judged",
		`{"id":1}` + "\r" + `{"method":"tools/call","params":{"name":"x"}}`:    `"code":-32700`,
		`[{"id":1,"method":"tools/call","params":{"name":"x"}}]`:               denied,
		`{"method":"tools/call","params":{"name":"x"}}`:                        "",
	} {
		got := bridge(t, open(t, guardOf(t, guard.Deny, "", text)), strings.NewReader(message+"\n"), "cat")
		if !strings.Contains(got, want) || want == "" && got != "" || strings.Contains(got, `"tools/call"`) {
			t.Errorf("%s: %s", message, got)
		}
	}
	const fine = `{"id":1,"method":"tools/call","params":{"name":"y"}}` + "\n"
	if got := bridge(t, open(t, guardOf(t, guard.Deny, "", text)), strings.NewReader(fine), "cat"); got != fine {
		t.Errorf("what is allowed came as %q", got)
	}
	if got := bridge(t, mcp.At("http://127.0.0.1:1/x"), strings.NewReader(fine), "cat"); !strings.Contains(got,
		"cannot be asked") {
		t.Errorf("a call is made that nobody was asked of: %q", got)
	}
}

// endlessLine is a line without an end.
type endlessLine struct{ left int }

// Read reads a letter again and again.
func (e *endlessLine) Read(into []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(into), e.left)
	for i := range into[:n] {
		into[i] = 'a'
	}
	e.left -= n
	return n, nil
}

// TestLongLines checks that lines of any length pass, in both directions, and that a guard ends what it cannot read.
func TestLongLines(t *testing.T) {
	const long = 64 << 20
	counted := &counter{}
	b := mcp.Bridge{Name: "s", Teller: open(t), In: &endlessLine{long}, Out: counted, Err: io.Discard}
	if _, err := b.Run(t.Context(), []string{"cat"}); err != nil || counted.n != long {
		t.Errorf("%d of %d bytes came: %v", counted.n, long, err)
	}
	const text = "{version: 1, name: c, clauses: [{name: no x, kind: guardrail, forbid: {tools: [x]}}]}"
	b = mcp.Bridge{Name: "s", Teller: open(t, guardOf(t, guard.Deny, "", text)), In: &endlessLine{long}, Out: counted,
		Err: io.Discard}
	if _, err := b.Run(t.Context(), []string{"cat"}); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("what a guard cannot read passes: %v", err)
	}
}

// counter counts bytes.
type counter struct{ n int }

// Write counts.
func (c *counter) Write(text []byte) (int, error) {
	c.n += len(text)
	return len(text), nil
}
