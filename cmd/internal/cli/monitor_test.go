package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/internal/built"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// watchedLines are trials of which so many fail, as lines.
func watchedLines(seed uint64, from, n int, failing float64) string {
	var b strings.Builder
	random := seeded.Stream(seed, 0)
	for i := range n {
		outcome := "pass"
		if random.Float64() < failing {
			outcome = "fail"
		}
		fmt.Fprintf(&b, `{"scenario":"refund","trial":%d,"outcome":%q,"cost_usd":%.4f}`+"\n", from+i, outcome,
			random.Float64())
	}
	return b.String()
}

// lastEvent returns the last line of --json, without what only the fingerprints in memory can say.
func lastEvent(t *testing.T, text string) map[string]any {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var event map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &event); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, s := range event["streams"].([]any) {
		for _, m := range s.(map[string]any)["measures"].([]any) {
			if alarm, ok := m.(map[string]any)["alarm"].(map[string]any); ok {
				delete(alarm, "moved")
				delete(alarm, "since")
				delete(alarm, "place")
			}
		}
	}
	return event
}

// A monitor that is killed again and again while its file grows knows in the end what one knows that never was: no
// trial is lost, and none counts twice.
func TestKilledMonitorCountsNothingTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program and kills it for some seconds")
	}
	program, folder := built.Tribunal(t), t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	file, err := os.Create(at("growing.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	flags := []string{"--baseline", "190/200", "--watch", "cost", "--run-length", "500", "--json"}
	for i := range 8 {
		failing := 0.05
		if i > 4 {
			failing = 0.4
		}
		lines := watchedLines(uint64(i), i*40, 40, failing)
		// The last line is cut: it comes whole with the next.
		cut := len(lines) - 20
		if _, err := file.WriteString(lines[:cut]); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(program, append([]string{"monitor", file.Name(), "--follow", "--state", at("killed.json")},
			flags...)...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(150+60*i) * time.Millisecond)
		if _, err := file.WriteString(lines[cut:]); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i*97%300) * time.Millisecond)
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait() // it was killed
	}
	events := map[string]map[string]any{}
	for _, state := range []string{"killed.json", "through.json"} {
		var told bytes.Buffer
		command := exec.Command(program, append([]string{"monitor", file.Name(), "--state", at(state)}, flags...)...)
		command.Stdout = &told
		_ = command.Run() // its code is in what it tells
		events[state] = lastEvent(t, told.String())
	}
	if !reflect.DeepEqual(events["killed.json"], events["through.json"]) {
		t.Errorf("killed:  %v\nthrough: %v", events["killed.json"], events["through.json"])
	}
	if code := events["through.json"]["exit_code"]; code != float64(ExitFail) {
		t.Errorf("exit code %v", code)
	}
}

// span is a request with one agent's trace of one step, in protobuf.
func span(t *testing.T, number int, failed bool) []byte {
	t.Helper()
	status := &tracev1.Status{}
	if failed {
		status = &tracev1.Status{Code: tracev1.Status_STATUS_CODE_ERROR, Message: "timed out"}
	}
	id := append([]byte{1, byte(number >> 8), byte(number)}, make([]byte, 13)...)
	root, tool := []byte{1, 0, 0, 0, 0, 0, 0, 1}, []byte{1, 0, 0, 0, 0, 0, 0, 2}
	at := 1_780_000_000_000_000_000 + uint64(number)*1_000_000_000
	spans := []*tracev1.Span{
		{Name: "invoke_agent refund", TraceId: id, SpanId: root, StartTimeUnixNano: at, EndTimeUnixNano: at + 2e8,
			Attributes: texts("gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", "refund")},
		{Name: "execute_tool search", TraceId: id, SpanId: tool, ParentSpanId: root, StartTimeUnixNano: at + 1,
			EndTimeUnixNano: at + 1e8,
			Attributes:      texts("gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "search"), Status: status},
	}
	text, err := proto.Marshal(&tracev1.TracesData{ResourceSpans: []*tracev1.ResourceSpans{{
		ScopeSpans: []*tracev1.ScopeSpans{{Spans: spans}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// monitoring runs a monitor that listens, and calls a function with its addresses.
func monitoring(t *testing.T, args []string, ask func(at map[string]string)) (code int, stdout string) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var out lockedText
	notes := &addressNotes{found: make(chan [2]string, 4)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		code = App{Stdout: &out, Stderr: notes, Env: func(string) (string, bool) { return "", false }}.Run(ctx,
			append([]string{"monitor"}, args...))
	}()
	at := map[string]string{}
	for range strings.Count(strings.Join(args, " "), "127.0.0.1:0") {
		select {
		case found := <-notes.found:
			at[found[0]] = found[1]
		case <-ended:
			t.Fatalf("exit code %d: %s", code, notes.text.String())
		}
	}
	ask(at)
	cancel(&problem.SignalError{Signal: syscall.SIGINT})
	<-ended
	return code, out.String()
}

// lockedText is what several goroutines write and read.
type lockedText struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *lockedText) Write(b []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(b)
}

func (l *lockedText) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// addressNotes finds the addresses in the notes of a monitor.
type addressNotes struct {
	text  lockedText
	found chan [2]string
}

func (a *addressNotes) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		if _, rest, ok := strings.Cut(line, "note: --"); ok {
			name, address, _ := strings.Cut(strings.TrimSpace(rest), " is at ")
			a.found <- [2]string{name, address}
		}
	}
	return a.text.Write(b)
}

func send(t *testing.T, address, token, host string, body []byte) int {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, address+"/v1/traces", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if host != "" {
		request.Host = host
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// Traces that come by OTLP raise an alarm, which is posted and served; sent again to a monitor that goes on from the
// state they count nothing.
func TestMonitorReceivesTraces(t *testing.T) {
	var posted lockedText
	refuse := 1 // the first posting is turned away, and made again
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuse > 0 {
			refuse--
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = io.Copy(&posted, r.Body)
	}))
	defer hook.Close()
	args := []string{"--otlp", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--baseline", "195/200", "--pass-when",
		"no-error",
		"--run-length", "200", "--webhook", hook.URL, "--json", "--state", filepath.Join(t.TempDir(), "s.json")}
	var figures string
	code, stdout := monitoring(t, args, func(at map[string]string) {
		if status := send(t, at["otlp"], "", "evil.example", span(t, 0, false)); status != http.StatusMisdirectedRequest {
			t.Errorf("by another name: %d", status)
		}
		for i := range 60 {
			if status := send(t, at["otlp"], "", "", span(t, i, i > 40)); status != http.StatusOK {
				t.Fatalf("status %d", status)
			}
		}
		const looks = 100 // after which it has failed
		const inAlarm = `tribunal_monitor_alarm{stream="invoke_agent refund",measure="pass-rate"} 1`
		for i := 0; i < looks && (!strings.Contains(figures, inAlarm) || posted.String() == ""); i++ {
			answer, err := http.Get(at["listen"] + "/metrics")
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			figures = string(text)
			time.Sleep(200 * time.Millisecond)
		}
	})
	event := lastEvent(t, stdout)
	if code != ExitFail || event["exit_code"] != float64(ExitFail) || strings.Count(stdout, "\n") != 2 {
		t.Fatalf("exit code %d: %s", code, stdout)
	}
	stream := event["streams"].([]any)[0].(map[string]any)
	if stream["stream"] != "invoke_agent refund" || stream["trials"] != 60.0 {
		t.Errorf("stream %v", stream)
	}
	var alarm struct {
		Event, Stream string
		Told          bool
		Likely        int `json:"likely_since"`
	}
	if err := json.Unmarshal([]byte(posted.String()), &alarm); err != nil || alarm.Event != "alarm" ||
		alarm.Stream != "invoke_agent refund" ||
		!alarm.Told || alarm.Likely != 42 {
		t.Errorf("posted %s: %v", posted.String(), err)
	}
	if !strings.Contains(figures, "# TYPE tribunal_monitor_trials_total counter\n") ||
		!strings.Contains(figures, "tribunal_monitor_run_length 200\n") {
		t.Errorf("figures %s", figures)
	}
	_, again := monitoring(t, args, func(at map[string]string) { send(t, at["otlp"], "", "", span(t, 59, true)) })
	if got := lastEvent(t, again)["streams"].([]any)[0].(map[string]any)["trials"]; got != 60.0 ||
		strings.Count(again, "\n") != 1 {
		t.Errorf("sent again: %s", again)
	}
}

func TestMonitorAsksForItsToken(t *testing.T) {
	const told = "correct-horse-battery"
	file := filepath.Join(t.TempDir(), "token.txt")
	if err := os.WriteFile(file, []byte(told+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	monitoring(t, []string{"--otlp", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--token", file},
		func(at map[string]string) {
			for token, want := range map[string]int{"": 401, "other": 401, file: 401, told: 200} {
				if got := send(t, at["otlp"], token, "agents.example", span(t, 1, false)); got != want {
					t.Errorf("token %q: status %d, want %d", token, got, want)
				}
			}
			answer, err := http.Get(at["listen"] + "/metrics")
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusUnauthorized {
				t.Errorf("figures without token: status %d", answer.StatusCode)
			}
		})
}

// An alarm that nobody took is told again when the monitor starts again.
func TestUnpostedAlarmIsPostedAgain(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "x.jsonl")
	if err := os.WriteFile(file, []byte(watchedLines(1, 0, 60, .9)), 0o600); err != nil {
		t.Fatal(err)
	}
	status, posts := http.StatusForbidden, 0
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		posts++
		w.WriteHeader(status)
	}))
	defer hook.Close()
	args := []string{"monitor", file, "--baseline", "190/200", "--state", filepath.Join(folder, "s.json"), "--webhook",
		hook.URL}
	for i, want := range []struct {
		status, posts int
		warned        bool
	}{{http.StatusForbidden, 1, true}, {http.StatusNoContent, 2, false}, {http.StatusNoContent, 2, false}} {
		status = want.status
		code, _, stderr := tribunal(context.Background(), App{}, args...)
		if code != ExitFail || posts != want.posts || strings.Contains(stderr, "could not be posted") != want.warned {
			t.Errorf("run %d: exit code %d, %d posts: %s", i, code, posts, stderr)
		}
	}
}

// Lines count as they come, in blocks that are cut anywhere.
func TestLinesInBlocks(t *testing.T) {
	jsonLines := watchedLines(3, 0, 50, .3)
	csv := "scenario,trial,outcome\n"
	words := ""
	for i := range 50 {
		csv += fmt.Sprintf("refund,%d,%s\n", i, []string{"pass", "fail"}[i%2])
		words += []string{"pass\n", "fail\n"}[i%2]
	}
	for name, text := range map[string]string{
		"lines of JSON": jsonLines, "without the last newline": strings.TrimSuffix(jsonLines, "\n"), "CSV": csv,
		"words":    words,
		"an array": "[" + strings.ReplaceAll(strings.TrimSpace(jsonLines), "\n", ",\n") + "]",
	} {
		for _, block := range []int{1, 7, 64, 1 << 20} {
			read, write := io.Pipe()
			go func() {
				for rest := text; rest != ""; {
					n := min(block, len(rest))
					_, _ = io.WriteString(write, rest[:n])
					rest = rest[n:]
				}
				write.Close()
			}()
			code, stdout, stderr := tribunal(context.Background(), App{Stdin: read}, "monitor", "-", "--json", "--by", "suite")
			if code > ExitInconclusive {
				t.Errorf("%s in %d: exit code %d: %s", name, block, code, stderr)
				continue
			}
			if got := lastEvent(t, stdout)["streams"].([]any)[0].(map[string]any)["trials"]; got != 50.0 {
				t.Errorf("%s in %d: %v trials", name, block, got)
			}
		}
	}
}

// texts are attributes of a span.
func texts(pairs ...string) (list []*commonv1.KeyValue) {
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, &commonv1.KeyValue{Key: pairs[i],
			Value: &commonv1.AnyValue{Value: &commonv1.AnyValue_StringValue{StringValue: pairs[i+1]}}})
	}
	return list
}
