package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/sse"
)

// Proxy passes requests to a server of tools at a URL, whose answers may come in parts. The name is the server's.
func Proxy(name string, to *url.URL, t Teller) http.Handler {
	return &proxy{newSession(name, t), to}
}

type proxy struct {
	session *session
	to      *url.URL
}

// transport makes requests as they come, and takes no more than a MiB of the headers of an answer.
var transport = sync.OnceValue(func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxResponseHeaderBytes = 1 << 20
	return t
})

// ServeHTTP passes a request, or answers in the place of a tool that must not be called.
func (p *proxy) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method == http.MethodPost && !p.asked(w, request) {
		return
	}
	(&httputil.ReverseProxy{
		Transport:     transport(),
		FlushInterval: -1,
		Rewrite: func(out *httputil.ProxyRequest) {
			to := *p.to
			if to.RawQuery == "" {
				to.RawQuery = out.In.URL.RawQuery
			}
			out.Out.URL, out.Out.Host = &to, to.Host
			out.Out.Header.Set("Accept-Encoding", "identity")
		},
		ModifyResponse: func(answer *http.Response) error {
			if answer.StatusCode == http.StatusSwitchingProtocols {
				return nil
			}
			kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
			if kind == "text/event-stream" {
				answer.Body = &heard{ReadCloser: answer.Body, session: p.session}
				return nil
			}
			return p.answered(answer)
		},
		ErrorHandler: func(w http.ResponseWriter, request *http.Request, err error) {
			if request.Context().Err() == nil {
				http.Error(w, "the server of tools cannot be reached: "+err.Error(), http.StatusBadGateway)
			}
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}).ServeHTTP(w, request)
}

// asked looks at what is posted; false: it was answered.
func (p *proxy) asked(w http.ResponseWriter, request *http.Request) bool {
	body, err := io.ReadAll(io.LimitReader(request.Body, maxMessageBytes+1))
	if err != nil {
		return false // the agent went away
	}
	var pass []byte
	var answers [][]byte
	whole := len(body) <= maxMessageBytes
	if whole {
		pass, answers = p.session.fromAgent(body)
	} else {
		pass, answers = p.session.unread(body, "a message is too long to be read")
	}
	if pass != nil {
		rest := io.Reader(bytes.NewReader(pass))
		switch {
		case !whole:
			rest = io.MultiReader(rest, request.Body)
			if n := request.ContentLength; n > 0 { // for a body that is read past its end cuts off a fast answer
				rest = io.LimitReader(rest, n)
			}
		case len(pass) != len(body):
			request.ContentLength = int64(len(pass))
		}
		request.Body = io.NopCloser(rest)
		return true
	}
	w.Header().Set("Content-Type", "application/json")
	switch len(answers) {
	case 0:
		w.WriteHeader(http.StatusAccepted) // as a notification is answered
	case 1:
		_, _ = w.Write(answers[0]) // to one who may have gone
	default:
		var all []json.RawMessage
		for _, a := range answers {
			all = append(all, a)
		}
		_ = json.NewEncoder(w).Encode(all)
	}
	return false
}

// answered looks at an answer that is one message.
func (p *proxy) answered(answer *http.Response) error {
	if !p.session.waiting() {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxMessageBytes+1))
	if err != nil { // which the agent is to find too
		answer.Body = readCloser{io.MultiReader(bytes.NewReader(body), failingReader{err}), answer.Body}
		return nil
	}
	if len(body) > maxMessageBytes {
		answer.Body = readCloser{io.MultiReader(bytes.NewReader(body), answer.Body), answer.Body}
		return nil
	}
	told := p.session.fromServer(body)
	if answer.ContentLength >= 0 && len(told) != len(body) {
		answer.ContentLength = int64(len(told))
		answer.Header.Set("Content-Length", strconv.Itoa(len(told)))
	}
	answer.Body = readCloser{bytes.NewReader(told), answer.Body}
	return nil
}

// readCloser reads from one thing and closes another.
type readCloser struct {
	io.Reader
	io.Closer
}

// failingReader fails.
type failingReader struct{ err error }

// Read returns the error.
func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// heard is a stream of events, each of which is looked at before it is passed on while an answer is waited for. What is
// not looked at passes as it comes.
type heard struct {
	io.ReadCloser
	session *session

	ends  sse.Ends
	held  []byte // of an event that has not ended
	begun bool   // an event has begun
	looks bool   // and is held until it has ended
	out   []byte // to be read
	err   error
}

// Read reads what may pass.
func (h *heard) Read(into []byte) (int, error) {
	part := make([]byte, 32<<10)
	for len(h.out) == 0 && h.err == nil {
		n, err := h.ReadCloser.Read(part)
		h.take(part[:n])
		if h.err = err; err != nil {
			h.end() // which streams often leave out
		}
	}
	n := copy(into, h.out)
	if h.out = h.out[n:]; n > 0 || len(into) == 0 {
		return n, nil
	}
	return 0, h.err
}

// take takes what came.
func (h *heard) take(part []byte) {
	for len(part) > 0 {
		if !h.begun {
			h.begun, h.looks = true, h.session.waiting()
		}
		n, ended := h.ends.Next(part)
		if h.looks {
			h.held = append(h.held, part[:n]...)
		} else {
			h.out = append(h.out, part[:n]...)
		}
		if len(h.held) > maxMessageBytes {
			h.out, h.held, h.looks = append(h.out, h.held...), nil, false
		}
		if part = part[n:]; ended {
			h.end()
		}
	}
}

// end passes an event, or what is to stand in its place.
func (h *heard) end() {
	event := h.held
	h.held, h.begun = nil, false
	data := sse.Events(event)
	if len(data) != 1 {
		h.out = append(h.out, event...)
		return
	}
	told := h.session.fromServer([]byte(data[0]))
	if string(told) == data[0] {
		h.out = append(h.out, event...)
		return
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(event))
	for line := range strings.SplitSeq(text, "\n") {
		if name, _, _ := strings.Cut(line, ":"); line != "" && name != "data" {
			h.out = append(h.out, line+"\n"...)
		}
	}
	h.out = append(append(append(h.out, "data: "...), told...), "\n\n"...)
}
