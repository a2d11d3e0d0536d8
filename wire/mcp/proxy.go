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
	"sync"
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
			answer.Body = &heard{ReadCloser: answer.Body, session: p.session, events: kind == "text/event-stream"}
			return nil
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

// heard is a body that is looked at before it is passed on.
type heard struct {
	io.ReadCloser
	session *session
	events  bool // it is a stream of events

	line, data []byte
	more       bool
}

// Read reads, and looks at what ended with it.
func (h *heard) Read(into []byte) (int, error) {
	n, err := h.ReadCloser.Read(into)
	rest := into[:n]
	for h.events {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		h.keep(&h.line, part)
		if !ended {
			break
		}
		h.event()
		rest = after
	}
	if !h.events {
		h.keep(&h.data, rest)
	}
	if err != nil {
		h.tell()
	}
	return n, err
}

// keep adds to a text what is read of it.
func (h *heard) keep(to *[]byte, part []byte) {
	if len(*to)+len(part) > maxMessageBytes {
		*to, h.more = nil, true
		return
	}
	*to = append(*to, part...)
}

// event takes a line of a stream of events: data of one, or its end.
func (h *heard) event() {
	line := bytes.TrimSuffix(h.line, []byte{'\r'})
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		h.keep(&h.data, append(bytes.Clone(data), 0x0a))
	}
	if len(line) == 0 {
		h.tell()
	}
	h.line = h.line[:0]
}

// tell looks at a message that is whole.
func (h *heard) tell() {
	if !h.more {
		h.session.fromServer(h.data)
	}
	h.data, h.more = h.data[:0], false
}
