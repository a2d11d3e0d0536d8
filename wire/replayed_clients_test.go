package wire_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/cassette"
)

// talker is a client that others wrote, which has a conversation after the other.
type talker struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

// startTalker starts one of clients.mjs.
func startTalker(t *testing.T, folder, client, form string) *talker {
	t.Helper()
	command := exec.CommandContext(t.Context(), "node", "clients.mjs", client, form, "again")
	command.Dir, command.Stderr = folder, os.Stderr
	command.Env = append(os.Environ(), "OPENAI_API_KEY=x", "ANTHROPIC_API_KEY=x", "NODE_NO_WARNINGS=1")
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
	return &talker{in, bufio.NewScanner(out)}
}

// converse has a conversation over a route, and returns what the client had, and the steps that the wire saw, without
// the time that they took.
func (k *talker) converse(t *testing.T, route *wire.Route) (had string, steps []trial.Step) {
	t.Helper()
	line, _ := json.Marshal(route.Environment())
	if _, err := k.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	if !k.out.Scan() {
		t.Fatalf("the client ended: %s", route.Close().Why())
	}
	var record trial.Trial
	seen := route.Close()
	if seen.Stopped != "" {
		t.Fatal(seen.Why())
	}
	seen.Fill(&record)
	for i := range record.Steps {
		s := &record.Steps[i]
		s.DurationSeconds = trial.Optional[float64]{}
		var left []trial.Member
		for _, m := range s.Extra {
			if m.Name != "first_byte_s" {
				left = append(left, m)
			}
		}
		s.Extra = left
	}
	return k.out.Text(), record.Steps
}

// Conversations of clients that others wrote, streamed and with tools, are recorded, each with other answers, and
// replayed: 1,000 of them, or 200 of short tests, are as they were recorded, and no connection to a server is made.
func TestClientsReadReplays(t *testing.T) {
	folder := clientsFolder(t)
	// The server is a script behind a socket, whose answers follow from the seed of the trial.
	scripted, s := scriptedWire(t, `
turns:
  - variants:
      - {text: Let me look., calls: [{tool: look_up, arguments: {id: 7}}], tokens: {in: 1200, out: 15}}
      - {calls: [{tool: look_up, arguments: {id: 7}}, {tool: forget}], tokens: {in: 1200, out: 21}}
  - variants:
      - {text: It is on its way., tokens: {in: 1300, out: 9}}
      - {text: "It was\nsent.", tokens: {in: 1310, out: 8}}
      - {text: I cannot tell., tokens: {in: 1310, out: 4}}
`)
	var current atomic.Pointer[wire.Route]
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			to, _ := url.Parse(current.Load().Root())
			r.SetURL(to)
			// A body that is read past its end while it is answered cuts the answer off, see TestFastAnswerIsNotCutOff.
			r.Out.Body = io.NopCloser(io.LimitReader(r.Out.Body, r.Out.ContentLength))
		},
	})
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	upstreams, err := wire.UpstreamsOf(map[wire.Provider]string{
		wire.OpenAI: server.URL + "/openai/v1", wire.Anthropic: server.URL + "/anthropic", wire.Gemini: server.URL +
			"/gemini",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	open := func(o cassette.Options) (*wire.Wire, *cassette.Cassette) {
		t.Helper()
		tape, err := cassette.Open(filepath.Join(folder, "clients.cassette"), o)
		if err != nil {
			t.Fatal(err)
		}
		w, err := wire.Open(wire.Options{Upstreams: upstreams})
		if err != nil {
			t.Fatal(err)
		}
		return w, tape
	}
	type talk struct {
		had   string
		steps []trial.Step
	}
	talkers := map[string]*talker{}
	for _, client := range []string{"openaiChat", "openaiResponses", "anthropic", "gemini"} {
		talkers[client] = startTalker(t, folder, client, "streamed")
	}
	const trials = 25 // of each client
	recorded := map[cassette.Conversation]talk{}
	recording, tape := open(cassette.Options{})
	different := map[string]bool{}
	for client, k := range talkers {
		for i := range trials {
			conversation := cassette.Conversation{Scenario: client, Trial: i}
			current.Store(scripted.Route(wire.Limits{}, s.Attempt(uint64(i))))
			had, steps := k.converse(t, recording.Route(wire.Limits{}, tape.Attempt(conversation)))
			current.Load().Close()
			recorded[conversation] = talk{had, steps}
			different[had] = true
		}
	}
	_ = recording.Close()
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	if len(different) != len(talkers)*6 {
		t.Fatalf("the clients had %d conversations, and not 2 times 3 each", len(different))
	}
	before := connections.Load()
	if before == 0 {
		t.Fatal("no connection is counted while it is recorded")
	}
	times := thorough.Draws(2, 10)
	replaying, tape := open(cassette.Options{Replay: cassette.Strict})
	defer replaying.Close()
	defer tape.Close()
	replays := 0
	for range times {
		for conversation, want := range recorded {
			had, steps := talkers[conversation.Scenario].converse(t, replaying.Route(wire.Limits{}, tape.Attempt(conversation)))
			if replays++; had != want.had {
				t.Errorf("%v: the client had %s, and when it was recorded %s", conversation, had, want.had)
			}
			if diff := cmp.Diff(want.steps, steps); diff != "" {
				t.Errorf("%v (-recorded +replayed):\n%s", conversation, diff)
			}
		}
	}
	if n := connections.Load() - before; n > 0 || replays != len(talkers)*trials*times {
		t.Errorf("%d replays made %d connections to the server", replays, n)
	}
}
