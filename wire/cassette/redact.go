package cassette

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/redact"
)

// redacted stands in place of a secret.
const redacted = "[secret]"

// leastSecret is the length in bytes of the shortest text that is taken for a secret: a shorter one stands in any text.
const leastSecret = 4

// secretHeaders are those whose values are secret.
var secretHeaders = []string{
	"Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie", "Set-Cookie",
}

// redactor puts something else in place of secrets.
type redactor []string

// redactorOf is that of some texts.
func redactorOf(secrets []string) (all redactor) {
	for _, s := range secrets {
		if len(s) >= leastSecret {
			all = append(all, redact.Written(s)...)
		}
	}
	return all
}

// with is the redactor with what the headers and the query of a request have.
func (r redactor) with(request *http.Request) redactor {
	var more []string
	for _, name := range secretHeaders {
		for _, value := range request.Header.Values(name) {
			_, behind, _ := strings.Cut(value, " ")
			more = append(more, value, behind)
		}
	}
	more = append(more, request.URL.Query()["key"]...)
	return append(redactorOf(more), r...)
}

// text is a text without secrets.
func (r redactor) text(text string) string {
	for _, s := range r {
		text = strings.ReplaceAll(text, s, redacted)
	}
	return text
}

// bytes is a body without secrets.
func (r redactor) bytes(body []byte) []byte {
	for _, s := range r {
		if bytes.Contains(body, []byte(s)) {
			body = bytes.ReplaceAll(body, []byte(s), []byte(redacted))
		}
	}
	return body
}

// chunks are parts without secrets; those over which one stands are joined.
func (r redactor) chunks(parts []chunk) []chunk {
	if len(r) == 0 {
		return parts
	}
	var whole []byte
	var apart []byte
	for i := range parts {
		whole = append(whole, parts[i].Data...)
		parts[i].Data = r.bytes(parts[i].Data)
		apart = append(apart, parts[i].Data...)
	}
	if clean := r.bytes(whole); !bytes.Equal(clean, apart) {
		return []chunk{{parts[len(parts)-1].After, clean}}
	}
	return parts
}

// header is a header without what is secret, and without what is of a connection alone.
func (r redactor) header(h http.Header) http.Header {
	kept := h.Clone()
	for _, name := range append([]string{"Connection", "Keep-Alive", "Transfer-Encoding"}, secretHeaders...) {
		kept.Del(name)
	}
	for _, values := range kept {
		for i := range values {
			values[i] = r.text(values[i])
		}
	}
	return kept
}

// path is a path with its query, sorted and without secrets.
func (r redactor) path(path, query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		return r.text(path)
	}
	values.Del("key")
	if query = values.Encode(); query != "" {
		path += "?" + query
	}
	return r.text(path)
}
