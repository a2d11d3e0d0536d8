package wire_test

import (
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
)

// Servers repeat a key that they refuse, and more. None of it reaches the agent, nor the record; all else does.
func TestAnswersHaveNoKey(t *testing.T) {
	const key = `sk-a/real+key"of=12`
	inJSON := strings.NewReplacer("/", `\/`, `"`, `\"`).Replace(key)
	whole := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(text)))
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	parts := func(texts ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, text := range texts {
				io.WriteString(w, text)
				http.NewResponseController(w).Flush()
			}
		}
	}
	header := func(name string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(name, "before "+url.QueryEscape(key)+" after")
			w.WriteHeader(status)
			io.WriteString(w, "before  after")
		}
	}
	every := func(texts string) (all []string) {
		for _, b := range []byte(texts) {
			all = append(all, string(b))
		}
		return all
	}
	for name, answers := range map[string]http.HandlerFunc{
		"refused":            whole(401, `{"error":{"message":"before `+inJSON+` after"}}`),
		"in an answer":       whole(200, said("before "+inJSON+" after")),
		"twice":              whole(200, "before "+key+key+" after"),
		"in a URL":           whole(404, "before https://models.example.com/?key="+url.QueryEscape(key)+" after"),
		"in a path":          whole(404, "before /keys/"+url.PathEscape(key)+" after"),
		"in base64":          whole(401, "before Basic "+base64.StdEncoding.EncodeToString([]byte(key))+" after"),
		"in base64 of URLs":  whole(401, "before "+base64.RawURLEncoding.EncodeToString([]byte(key))+" after"),
		"at the end":         whole(401, "before  after "+key),
		"in a stream":        parts("data: before "+inJSON+"\n\n", "data: after\n\n"),
		"over parts":         parts("data: before "+key[:7], key[7:], " after\n\n"),
		"over single bytes":  parts(every("data: before " + key + " after\n\n")...),
		"in a header":        header("X-Request", 400),
		"in a cookie":        header("Set-Cookie", 200),
		"in a redirection":   header("Location", 307),
		"in early hints":     header("Link", 103),
		"in a trailer":       func(w http.ResponseWriter, _ *http.Request) { trailer(w, key) },
		"packed, not asked":  func(w http.ResponseWriter, _ *http.Request) { packed(w, key) },
		"as a header's name": func(w http.ResponseWriter, _ *http.Request) { named(w, "Sk-Areal-Keyof-12") },
	} {
		t.Run(name, func(t *testing.T) {
			keyed := key
			if name == "as a header's name" {
				keyed = "Sk-Areal-Keyof-12" // as names are written
			}
			w := open(t, answers, wire.Options{Key: func(wire.Provider) string { return keyed }})
			for _, path := range []string{"/openai/v1/chat/completions", "/openai/v1/files"} {
				route := w.Route(wire.Limits{})
				came := everything(t, route.Root()+path)
				if !strings.Contains(came, "before ") || !strings.Contains(came, " after") {
					t.Errorf("%s: what stands around the key is gone: %q", path, came)
				}
				var record trial.Trial
				route.Close().Fill(&record)
				for what, text := range map[string]string{"the agent gets": came, "the record has": fmt.Sprintf("%+v", record)} {
					for _, form := range append([]string{
						keyed, inJSON, url.QueryEscape(key), url.PathEscape(key),
						base64.StdEncoding.EncodeToString([]byte(key)), base64.RawURLEncoding.EncodeToString([]byte(key)),
					}, keyed) {
						if strings.Contains(text, form) {
							t.Errorf("%s: %s the key: %q", path, what, text)
						}
					}
				}
			}
		})
	}
}

func trailer(w http.ResponseWriter, key string) {
	w.Header().Set("Trailer", "X-End")
	io.WriteString(w, "before  after")
	w.Header().Set("X-End", key)
}

func packed(w http.ResponseWriter, key string) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	io.WriteString(z, "before "+key+" after")
	z.Close()
}

func named(w http.ResponseWriter, key string) {
	w.Header().Set(key, "1")
	io.WriteString(w, "before  after")
}

// everything is all that came of a request: headers, those of early hints and trailers too.
func everything(t *testing.T, address string) string {
	t.Helper()
	var early []textproto.MIMEHeader
	trace := &httptrace.ClientTrace{Got1xxResponse: func(_ int, h textproto.MIMEHeader) error {
		early = append(early, h)
		return nil
	}}
	request, err := http.NewRequest("POST", address, strings.NewReader(`{"model":"m","messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	request = request.WithContext(httptrace.WithClientTrace(t.Context(), trace))
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(early, answer.Status, answer.Header, string(body), answer.Trailer)
}

// What is packed in a way that nobody asked for, or goes over to another protocol, is not handed on: no key can be
// looked for in it.
func TestNoKeyWhereNoneCanBeHidden(t *testing.T) {
	const key = "sk-a-real-key-of-a-provider"
	for name, answers := range map[string]http.HandlerFunc{
		"another packing": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			io.WriteString(w, key)
		},
		"not packed as it says": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, key)
		},
		"another protocol": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Upgrade", "websocket")
			w.Header().Set("Connection", "Upgrade")
			w.WriteHeader(http.StatusSwitchingProtocols)
			io.WriteString(w, key)
			http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, answers, wire.Options{Key: func(wire.Provider) string { return key }})
			request, _ := http.NewRequest("GET", w.Route(wire.Limits{}).Root()+"/openai/v1/files", nil)
			if name == "another protocol" {
				request.Header.Set("Upgrade", "websocket")
				request.Header.Set("Connection", "Upgrade")
			}
			answer, err := new(http.Transport).RoundTrip(request)
			if err != nil {
				return // it was cut off
			}
			defer answer.Body.Close()
			// No more than that: what goes over to another protocol has no end.
			if body, _ := io.ReadAll(io.LimitReader(answer.Body, int64(len(key)))); strings.Contains(string(body), key) {
				t.Errorf("%d, %q", answer.StatusCode, body)
			}
		})
	}
}

// A word that stands in place of a key for a server that wants none is left in answers.
func TestShortKeysAreNotHidden(t *testing.T) {
	w := open(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, said("ask ollama")) },
		wire.Options{Key: func(wire.Provider) string { return "ollama" }})
	if _, text := ask(t, w.Route(wire.Limits{}).Root()+"/openai/v1/chat/completions", "{}"); text != said("ask ollama") {
		t.Errorf("the answer is %q", text)
	}
}
