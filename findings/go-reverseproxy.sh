#!/usr/bin/env bash
# Go 1.26, net/http/httputil: ReverseProxy, where a server answers before the proxy has seen the end of the request.
#
# Guessed: the answer passes whole, for the request had been read whole. Seen: the answer is cut off after some of its
# parts. The proxy's own server closes the request's body with the first byte of the answer; the transport reads once
# past the end of what Content-Length says, gets "invalid Read on closed Body", takes it for a failed request and closes
# the connection. Some 1 in 1,000 streamed answers on a busy machine end so; a body that is slow to tell its end, as
# below, shows it each time. A body that ends by itself at Content-Length passes whole. ResponseController's
# EnableFullDuplex mends it too, but then a handler that leaves a short body unread ends the next request on the
# connection.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >go.mod <<'EOF'
module ask

go 1.26
EOF
cat >ask.go <<'EOF'
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// slow tells its end late.
type slow struct {
	io.ReadCloser
	reads int
}

func (s *slow) Read(into []byte) (int, error) {
	if s.reads++; s.reads > 1 {
		time.Sleep(300 * time.Millisecond)
	}
	return s.ReadCloser.Read(into)
}

func main() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := range 2 {
			time.Sleep(time.Duration(i) * 600 * time.Millisecond)
			fmt.Fprintf(w, "part %d;", i)
			w.(http.Flusher).Flush()
		}
	}))
	to, _ := url.Parse(server.URL)
	for _, bounded := range []bool{false, true} {
		proxy := httptest.NewServer(&httputil.ReverseProxy{
			FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(to)
				r.Out.Body = &slow{ReadCloser: r.Out.Body}
				if bounded {
					r.Out.Body = io.NopCloser(io.LimitReader(r.Out.Body, r.Out.ContentLength))
				}
			},
		})
		answer, err := http.Post(proxy.URL, "text/plain", strings.NewReader("hello"))
		if err != nil {
			log.Fatal(err)
		}
		came, err := io.ReadAll(answer.Body)
		fmt.Printf("ends at Content-Length: %v: %d, %q, %v\n", bounded, answer.StatusCode, came, err)
	}
}
EOF
go run . | tee seen

diff - seen <<'EOF' || { echo "the proxy does something else now"; exit 1; }
ends at Content-Length: false: 200, "part 0;", unexpected EOF
ends at Content-Length: true: 200, "part 0;part 1;", <nil>
EOF
