package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/redact"
)

// placeholder is a key that stands for one that the agent does not have.
const placeholder = "tribunal-wire-no-key"

// leastHidden is the length in bytes of the shortest key that is hidden in answers. Providers give longer ones; what
// local servers are given in place of a key, such as "lm-studio", is a word that answers have.
const leastHidden = 12

// exchangeKey puts the key in the place of what stands for it.
func (w *Wire) exchangeKey(p provider, request *http.Request) {
	key := w.key(p.name)
	if key == "" {
		return
	}
	if query := request.URL.Query(); query.Get("key") == placeholder { // as Gemini takes it too
		query.Del("key")
		request.URL.RawQuery = query.Encode()
		request.Header.Set(p.header, p.scheme+key)
	}
	for name, values := range request.Header {
		for i, value := range values {
			request.Header[name][i] = strings.ReplaceAll(value, placeholder, key)
		}
	}
}

// keyHidingTransport is a transport that hides keys in what servers answer: in headers, bodies and trailers, as they
// are, as they stand in JSON and in URLs, and in base64. An asterisk stands in the place of each byte, so that lengths
// stay.
type keyHidingTransport struct {
	http.RoundTripper
	forms [][]byte
}

// hideKeys hides all keys of the wire, or changes nothing where it has none.
func hideKeys(next http.RoundTripper, key func(Provider) string) http.RoundTripper {
	var forms [][]byte
	if key == nil {
		return next
	}
	for _, p := range Providers() {
		if k := key(p); len(k) >= leastHidden {
			for _, form := range redact.Written(k) {
				forms = append(forms, []byte(form))
			}
		}
	}
	if forms == nil {
		return next
	}
	// A key that holds another is hidden whole.
	slices.SortStableFunc(forms, func(a, b []byte) int { return len(b) - len(a) })
	return keyHidingTransport{next, forms}
}

// errPacked is of an answer in which no key can be looked for.
var errPacked = errors.New("the answer is packed in a way that was not asked for")

// RoundTrip asks for what is not packed, and hides keys in the answer.
func (t keyHidingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Set("Accept-Encoding", "identity")
	request = request.WithContext(httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
		// It is called before the proxy's own, which hands these headers on.
		Got1xxResponse: func(_ int, h textproto.MIMEHeader) error { t.hideIn(http.Header(h)); return nil },
	}))
	answer, err := t.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusSwitchingProtocols {
		answer.Body.Close()
		return nil, errors.New("the server went over to another protocol, in which no key can be hidden")
	}
	t.hideIn(answer.Header)
	body := &keyHider{ReadCloser: answer.Body, source: answer.Body, forms: t.forms}
	switch answer.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		answer.Header.Del("Content-Encoding")
		answer.Header.Del("Content-Length")
		answer.ContentLength, body.packed = -1, true
	default:
		answer.Body.Close()
		return nil, fmt.Errorf("%w: %q", errPacked, answer.Header.Get("Content-Encoding"))
	}
	body.ended = func() { t.hideIn(answer.Trailer) }
	answer.Body = body
	return answer, nil
}

// hideIn hides keys in headers, whose names are a server's too.
func (t keyHidingTransport) hideIn(h http.Header) {
	for name, values := range h {
		clean := string(hide([]byte(name), t.forms))
		for i := range values {
			values[i] = string(hide([]byte(values[i]), t.forms))
		}
		if clean != name {
			delete(h, name)
		}
	}
}

// CloseIdleConnections closes those of the transport within.
func (t keyHidingTransport) CloseIdleConnections() {
	if c, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// hide overwrites what has one of the forms.
func hide(text []byte, forms [][]byte) []byte {
	for _, form := range forms {
		for at := 0; ; {
			i := bytes.Index(text[at:], form)
			if i < 0 {
				break
			}
			at += i
			for j := range form {
				text[at+j] = '*'
			}
		}
	}
	return text
}

// keyHider is a body in which keys are hidden as it is read. What may be the beginning of a key waits for what follows.
type keyHider struct {
	io.ReadCloser
	source io.Reader // the same, unpacked
	packed bool
	forms  [][]byte
	ended  func()

	store  []byte // in which the buffer is
	buffer []byte // read, and not handed on; up to ready it has no beginning of a key
	ready  int
	err    error
}

// Read reads what is sure to be no part of a key.
func (h *keyHider) Read(into []byte) (int, error) {
	if len(into) == 0 {
		return 0, nil
	}
	for h.ready == 0 && h.err == nil {
		h.fill(len(into))
	}
	n := copy(into, h.buffer[:h.ready])
	h.buffer, h.ready = h.buffer[n:], h.ready-n
	if n == 0 {
		return 0, h.err
	}
	return n, nil
}

// fill reads more, and hides the keys in it.
func (h *keyHider) fill(atMost int) {
	if h.packed {
		unpacked, err := gzip.NewReader(h.ReadCloser)
		if err != nil {
			h.err = fmt.Errorf("the answer cannot be unpacked: %w", err)
			return
		}
		h.source, h.packed = unpacked, false
	}
	const most = 32 << 10 // bytes
	h.store = append(h.store[:0], h.buffer...)
	had := len(h.store)
	h.store = slices.Grow(h.store, min(atMost, most))
	h.buffer = h.store
	n, err := h.source.Read(h.buffer[had : had+min(atMost, most)])
	h.buffer, h.err = h.buffer[:had+n], err
	hide(h.buffer, h.forms)
	h.ready = len(h.buffer)
	if err != nil {
		h.ended()
		return
	}
	for _, form := range h.forms {
		h.ready = min(h.ready, len(h.buffer)-begun(h.buffer, form))
	}
}

// begun is how many bytes at the end of a text are the longest beginning of a form that is not there whole.
func begun(text, form []byte) int {
	for n := min(len(form)-1, len(text)); n > 0; n-- {
		if bytes.HasSuffix(text, form[:n]) {
			return n
		}
	}
	return 0
}
