package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/heap"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
)

// hostileAnswers are what a server says to a call that it should not say, over standard output or HTTP.
var hostileAnswers = map[string]func(io.Writer) error{
	"an endless line": func(w io.Writer) error { return again(w, "a", 1<<30) },
	"an endless result": func(w io.Writer) error {
		return again(w, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`, 1<<30)
	},
	"endless messages": func(w io.Writer) error {
		return again(w, `{"jsonrpc":"2.0","method":"notifications/x"}`+"\n", 1<<30)
	},
	"endless empty lines": func(w io.Writer) error { return again(w, "\n", 1<<30) },
	"no JSON":             func(w io.Writer) error { return again(w, "hello\n", 64) },
	"deep lists":          func(w io.Writer) error { return again(w, "[", 15<<20) },
	"a long list": func(w io.Writer) error {
		return ending(w, again(w, "[{}", 3), again(w, ",{}", 15<<20), "]\n")
	},
	"a result of many": func(w io.Writer) error {
		return ending(w, again(w, resultHead, len(resultHead)), again(w, "{},", 15<<20), "{}]}}\n")
	},
	"a result of many too": func(w io.Writer) error {
		return ending(w, again(w, "["+resultHead, len(resultHead)+1), again(w, "{},", 15<<20), "{}]}}]\n")
	},
	"half of a message": func(w io.Writer) error { return again(w, resultHead, len(resultHead)) },
	"nothing":           func(io.Writer) error { return nil },
	"no word":           func(io.Writer) error { time.Sleep(time.Minute); return nil },
}

const resultHead = `{"jsonrpc":"2.0","id":1,"result":{"content":[`

// again writes a text again and again, up to so many bytes.
func again(w io.Writer, text string, size int) error {
	block := []byte(strings.Repeat(text, max(1, (64<<10)/len(text))))
	for written := 0; written < size; written += len(block) {
		if _, err := w.Write(block[:min(len(block), size-written)]); err != nil {
			return err
		}
	}
	return nil
}

// ending writes an end, unless there was an error before.
func ending(w io.Writer, before, begun error, end string) error {
	if before != nil || begun != nil {
		return io.ErrClosedPipe
	}
	_, err := io.WriteString(w, end)
	return err
}

// hostileVariable has the name of the answer that this program gives, where it is started as a server.
const hostileVariable = "MCP_HOSTILE"

// hostileProgram becomes a server, where it is started as one.
func hostileProgram() {
	if answer := hostileAnswers[os.Getenv(hostileVariable)]; answer != nil {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		_ = answer(os.Stdout)
		os.Exit(0)
	}
}

const (
	mostMemory  = 200 << 20 // bytes of the heap, above what there was before
	enough      = 40 << 20  // bytes after which an agent goes away
	hostileCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}`
)

// limitedSink takes so many bytes, and then ends who writes them.
type limitedSink struct {
	left int
	end  func()
}

func (e *limitedSink) Write(text []byte) (int, error) {
	if e.left -= len(text); e.left < 0 {
		e.end()
	}
	return len(text), nil
}

// TestHostilePrograms checks that a session with a server that is a program ends when the agent goes away, whatever the
// server says, and that its memory is bounded.
func TestHostilePrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("it passes gigabytes")
	}
	for name := range hostileAnswers {
		t.Run(name, func(t *testing.T) {
			route := open(t)
			ctx, leave := context.WithTimeout(t.Context(), 30*time.Second)
			defer leave()
			if name == "no word" {
				time.AfterFunc(100*time.Millisecond, leave)
			}
			in, agent := io.Pipe()
			go func() { _, _ = io.WriteString(agent, hostileCall+"\n") }()
			defer agent.Close()
			b := mcp.Bridge{
				Name: "s", Teller: route, In: in, Out: &limitedSink{enough, leave}, Err: io.Discard,
				Env: append(os.Environ(), hostileVariable+"="+name),
			}
			grown := heap.Growth(func() { _, _ = b.Run(ctx, []string{os.Args[0]}) })
			if grown > mostMemory {
				t.Errorf("the heap grew by %d MB", grown>>20)
			}
			seen := route.Close()
			if len(seen.Tools) != 1 || len(seen.Steps()) != 1 || seen.Steps()[0].Error == "" {
				t.Errorf("the call is seen as %.500v", seen.Steps())
			}
		})
	}
}

// TestHostileSites checks the same of a server at a URL, whose answers are messages and streams of events.
func TestHostileSites(t *testing.T) {
	if testing.Short() {
		t.Skip("it passes gigabytes")
	}
	for _, kind := range []string{"application/json", "text/event-stream"} {
		for name, answer := range hostileAnswers {
			t.Run(kind+" "+name, func(t *testing.T) {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				var all sync.WaitGroup
				all.Go(func() {
					connection, err := listener.Accept()
					if err != nil {
						return
					}
					defer connection.Close()
					gone := make(chan struct{})
					request, err := http.ReadRequest(bufio.NewReader(connection))
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, request.Body)
					go func() {
						_, _ = connection.Read(make([]byte, 1))
						close(gone)
					}()
					fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n", kind)
					if kind == "text/event-stream" {
						fmt.Fprint(connection, "data: ")
					}
					if name == "no word" {
						<-gone
						return
					}
					_ = answer(connection)
				})
				to, _ := url.Parse("http://" + listener.Addr().String())
				route := open(t)
				route.Mount("s", mcp.Proxy("s", to, route))
				ctx, leave := context.WithTimeout(t.Context(), 30*time.Second)
				defer leave()
				if name == "no word" {
					time.AfterFunc(100*time.Millisecond, leave)
				}
				grown := heap.Growth(func() {
					request, _ := http.NewRequestWithContext(ctx, http.MethodPost, route.Tools("s"), strings.NewReader(hostileCall))
					if got, err := http.DefaultTransport.RoundTrip(request); err == nil {
						_, _ = io.CopyN(io.Discard, got.Body, enough)
						got.Body.Close()
					}
					leave()
					all.Wait()
				})
				if grown > mostMemory {
					t.Errorf("the heap grew by %d MB", grown>>20)
				}
				listener.Close()
			})
		}
	}
}

// TestHostileAgents checks that what an agent says cannot take more memory either, and that a guard lets nothing of it
// through.
func TestHostileAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("it passes gigabytes")
	}
	const text = "{version: 1, name: c, clauses: [{name: no x, kind: guardrail, forbid: {tools: [x]}}]}"
	const many = 15 << 20
	deep := strings.Repeat("[", 9_000)
	for name, said := range map[string]string{
		"a list in lists": deep + `"` + strings.Repeat("a", many) + `"` + strings.Repeat("]", 9_000),
		"a long list":     "[{}" + strings.Repeat(",{}", many/3) + "]",
		"many arguments": `{"id":1,"method":"tools/call","params":{"name":"y","arguments":{"a":[0` +
			strings.Repeat(",0", many/2) + `]}}}`,
		"many empty texts": `{"id":1,"method":"tools/call","params":{"name":"y","arguments":{"a":[""` +
			strings.Repeat(`,""`, many/3) + `]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			route := open(t, guardOf(t, guard.Deny, "", text))
			out := ""
			grown := heap.Growth(func() { out = bridge(t, route, strings.NewReader(said+"\n"), "cat") })
			if grown > mostMemory {
				t.Errorf("the heap grew by %d MB", grown>>20)
			}
			if len(out) > 10_000 || !strings.Contains(out, "cannot be judged whether this keeps it") {
				t.Errorf("%d bytes passed: %.200s", len(out), out)
			}
			route = open(t)
			if out := bridge(t, route, strings.NewReader(said+"\n"), "cat"); out != said+"\n" {
				t.Errorf("without a guard %d of %d bytes passed", len(out), len(said))
			}
			if steps := route.Close().Steps(); len(steps) > 1 {
				t.Errorf("%d calls were seen", len(steps))
			}
		})
	}
}
