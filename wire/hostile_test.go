package wire_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/heap"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/cassette"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/guard"
)

// mostMemory is what a hostile server may make the wire take, in bytes of the heap above what there was before.
const mostMemory = 200 << 20

// within fails where a function makes the heap grow by more than [mostMemory].
func within(t *testing.T, f func()) {
	t.Helper()
	if grown := heap.Growth(f); grown > mostMemory {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

// hostile listens, reads each request, and answers as a function writes; done is closed once a connection has ended.
func hostile(t *testing.T, answer func(io.Writer) error) (address string, done <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	var once sync.Once
	var all sync.WaitGroup
	all.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer once.Do(func() { close(ended) })
				defer connection.Close()
				reader := bufio.NewReader(connection)
				request, err := http.ReadRequest(reader)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, request.Body)
				gone := make(chan struct{})
				go func() {
					_, _ = reader.ReadByte() // which comes when the other side goes away
					close(gone)
				}()
				writer := bufio.NewWriterSize(connection, 64<<10)
				if err := answer(writer); err == errSilent {
					<-gone
				}
				_ = writer.Flush()
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		all.Wait()
	})
	return "http://" + listener.Addr().String(), ended
}

// errSilent lets a connection stay open, without another word.
var errSilent = fmt.Errorf("silent")

// again writes a text until the other side goes away, or so many bytes.
func again(w io.Writer, text string, size int) error {
	block := []byte(strings.Repeat(text, max(1, (64<<10)/len(text))))
	for written := 0; written < size; written += len(block) {
		if _, err := w.Write(block[:min(len(block), size-written)]); err != nil {
			return err
		}
	}
	return nil
}

const (
	endless   = 1 << 30
	eventHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	jsonHead  = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
)

// bomb is so much of a text, packed.
func bomb(text string, size int) string {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_ = again(z, text, size)
	_ = z.Close()
	return packed.String()
}

// begun writes the head of an answer, and then something else.
func begun(head string, rest func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, head); err != nil {
			return err
		}
		return rest(w)
	}
}

// hostileAnswers are what servers should not answer.
var hostileAnswers = map[string]func(io.Writer) error{
	"an endless stream": begun(eventHead, func(w io.Writer) error {
		return again(w, "data: {\"choices\":[{\"delta\":{\"content\":\"again \"}}]}\n\n", endless)
	}),
	"an endless stream of nothing": begun(eventHead, func(w io.Writer) error { return again(w, "\n", endless) }),
	"a line of 1 GB": begun(eventHead, func(w io.Writer) error {
		return again(w, "data: a", 1<<30)
	}),
	"a number of 1 GB": begun(jsonHead, func(w io.Writer) error { return again(w, "1", 1<<30) }),
	"calls without an end": begun(eventHead, func(w io.Writer) error {
		return again(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"a"}}]}}]}`+"\n\n", endless)
	}),
	"a call each": begun(eventHead, func(w io.Writer) error {
		for i := range 300_000 {
			if _, err := fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%d}]}}]}\n\n",
				i); err != nil {
				return err
			}
		}
		return nil
	}),
	"many choices": begun(jsonHead+`{"choices":[`,
		func(w io.Writer) error { return closed(w, again(w, "{},", 30<<20), "{}]}") }),
	"many lists": begun(jsonHead+`{"x":[`,
		func(w io.Writer) error { return closed(w, again(w, "[],", 30<<20), "[]]}") }),
	"deep lists":  begun(jsonHead, func(w io.Writer) error { return again(w, "[", 30<<20) }),
	"many events": begun(eventHead, func(w io.Writer) error { return again(w, "data:{}\n\n", 30<<20) }),
	"broken chunks": begun("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
		func(w io.Writer) error { return again(w, "zz\r\nabc\r\n", 1<<20) }),
	"a chunk of all memory": begun("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n",
		func(w io.Writer) error {
			return again(w, "a", 64<<20)
		}),
	"a chunk with an endless extension": begun("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
		func(w io.Writer) error {
			return again(w, "a", endless)
		}),
	"endless trailers": begun("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\n",
		func(w io.Writer) error {
			return again(w, "X: y\r\n", endless)
		}),
	"a gzip bomb": begun("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n",
		func(w io.Writer) error {
			_, err := io.WriteString(w, packedZeros())
			return err
		}),
	"a gzip bomb of events": begun("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n",
		func(w io.Writer) error {
			_, err := io.WriteString(w, packedEvents())
			return err
		}),
	"endless headers":   begun("HTTP/1.1 200 OK\r\n", func(w io.Writer) error { return again(w, "X-A: b\r\n", endless) }),
	"an endless header": begun("HTTP/1.1 200 OK\r\nX-A: ", func(w io.Writer) error { return again(w, "b", endless) }),
	"endless promises": func(w io.Writer) error {
		return again(w, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", endless)
	},
	"no HTTP":        func(w io.Writer) error { return again(w, "SSH-2.0-x\r\n", endless) },
	"nothing":        func(io.Writer) error { return nil },
	"half of a head": begun("HTTP/1.1 200 OK\r\nContent-Ty", func(io.Writer) error { return nil }),
	"half of a body": begun("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", func(w io.Writer) error {
		return again(w, `{"choices":[`, 12)
	}),
	"more than its length": begun("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", func(w io.Writer) error {
		return again(w, `{"choices":[`, 1<<20)
	}),
	"a length that is none": begun("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n",
		func(w io.Writer) error { return again(w, "a", 1<<20) }),
	"two lengths": begun("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
		func(w io.Writer) error { return again(w, "a", 1<<20) }),
	"a length of all memory": begun("HTTP/1.1 200 OK\r\nContent-Length: 4611686018427387904\r\n\r\n",
		func(w io.Writer) error { return again(w, "a", 64<<20) }),
	"no word":                    func(io.Writer) error { return errSilent },
	"no word behind the head":    begun(eventHead, flushed),
	"no word behind a beginning": begun(eventHead+"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", flushed),
}

// beforeActs are those that what stands on the way reads.
var beforeActs = []string{
	"an endless stream", "calls without an end", "a call each", "many choices", "deep lists", "many events",
	"broken chunks",
	"a gzip bomb", "no word behind a beginning",
}

// flushed says nothing more.
func flushed(w io.Writer) error {
	_ = w.(*bufio.Writer).Flush()
	return errSilent
}

// closed writes an end, unless there was an error before.
func closed(w io.Writer, err error, end string) error {
	if err == nil {
		_, err = io.WriteString(w, end)
	}
	return err
}

var (
	packedZeros  = sync.OnceValue(func() string { return bomb("\x00", 64<<20) })
	packedEvents = sync.OnceValue(func() string { return bomb("data: {\"choices\":[{\"delta\":{}}]}\n\n", 64<<20) })
)

// TestServersThatAnswerWhatNoneShould lets agents ask servers that answer what no server should: each request comes to
// an end once the agent has it, or goes away; the server is left; and the memory is bounded, whatever stands on the
// way.
func TestServersThatAnswerWhatNoneShould(t *testing.T) {
	if testing.Short() {
		t.Skip("it passes gigabytes")
	}
	c, err := contract.Parse("c.yaml",
		[]byte("{version: 1, name: c, clauses: [{name: rm, kind: guardrail, forbid: {tools: [rm]}}]}"))
	if err != nil {
		t.Fatal(err)
	}
	guards := contract.Before(contract.Resolver("", ""), c)
	acts := map[string]func(t *testing.T) []wire.Act{
		"":        func(*testing.T) []wire.Act { return nil },
		"guarded": func(*testing.T) []wire.Act { return []wire.Act{guard.New(guards, guard.Deny)} },
		"broken": func(*testing.T) []wire.Act {
			return []wire.Act{fault.New([]fault.Fault{{Kind: fault.WrongModel}}, 1)}
		},
		"recorded": func(t *testing.T) []wire.Act {
			tape, err := cassette.Open(t.TempDir()+"/c", cassette.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = tape.Close() })
			return []wire.Act{tape.Attempt(cassette.Conversation{Scenario: "s"})}
		},
	}
	for name, answer := range hostileAnswers {
		for act, made := range acts {
			if act != "" && !slices.Contains(beforeActs, name) {
				continue
			}
			t.Run(strings.TrimSpace(act+" "+name),
				func(t *testing.T) { askHostile(t, answer, strings.HasPrefix(name, "no word"), made(t)) })
		}
	}
}

// askHostile asks a server over a route, and goes away after some time, or when enough was read.
func askHostile(t *testing.T, answer func(io.Writer) error, silent bool, acts []wire.Act) {
	address, left := hostile(t, answer)
	upstreams, err := wire.UpstreamsOf(map[wire.Provider]string{wire.OpenAI: address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wire.Open(wire.Options{Upstreams: upstreams})
	if err != nil {
		t.Fatal(err)
	}
	route := w.Route(wire.Limits{}, acts...)
	within(t, func() {
		const patience, enough = 10 * time.Second, 40 << 20
		ctx, leave := context.WithTimeout(t.Context(), patience)
		defer leave()
		body := `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`
		if silent {
			time.AfterFunc(100*time.Millisecond, leave)
		}
		request, _ := http.NewRequestWithContext(ctx, http.MethodPost, route.Root()+"/openai/v1/chat/completions",
			strings.NewReader(body))
		if got, err := http.DefaultTransport.RoundTrip(request); err == nil {
			_, _ = io.CopyN(io.Discard, got.Body, enough)
			got.Body.Close()
		}
		leave()
		route.Close()
		if err := w.Close(); err != nil { // once what is under way has ended
			t.Error(err)
		}
	})
	<-left
}

// TestLongConversations checks that a result that is told again and again is kept once.
func TestLongConversations(t *testing.T) {
	if testing.Short() {
		t.Skip("it passes gigabytes")
	}
	answer := `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c","function":{"name":"read","arguments":"{}"}}]}}]}`
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answer)
	}, wire.Options{})
	route := w.Route(wire.Limits{})
	long := strings.Repeat("a", 2<<20)
	grown := heap.Growth(func() {
		for range 100 {
			ask(t, route.Root()+"/openai/v1/chat/completions",
				`{"messages":[{"role":"tool","tool_call_id":"c","content":"`+long+`"}]}`)
		}
	})
	if grown > 64<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
	if steps := route.Close().Steps(); len(steps) != 200 || steps[1].Output.Text() != long {
		t.Errorf("%d steps, and the first result is %.20s", len(steps), steps[1].Output)
	}
}
