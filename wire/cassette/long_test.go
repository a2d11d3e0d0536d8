package cassette_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/cassette"
)

// TestLongAnswers checks that answers of any length are replayed byte by byte, between others, and that no secret
// stands in them.
func TestLongAnswers(t *testing.T) {
	sizes := []int{0, 1, 1000, 1<<20 - 1, 1 << 20, 5 << 20}
	text := func(size int) []byte {
		const part = "a part with \"quotes\", \xff\xfe bytes and ünicode\n"
		return bytes.Repeat([]byte(part), size/len(part)+1)[:size]
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var size int
		fmt.Sscanf(string(body), `{"size":%d}`, &size)
		whole := text(size)
		for len(whole) > 0 {
			n, _ := w.Write(whole[:min(len(whole), 100_000)])
			w.(http.Flusher).Flush()
			whole = whole[n:]
		}
		fmt.Fprint(w, "header-secret")
	}))
	t.Cleanup(server.Close)
	name := filepath.Join(t.TempDir(), "c")
	for _, how := range []cassette.Replay{cassette.Record, cassette.Strict} {
		c := open(t, name, cassette.Options{Replay: how})
		route := wireTo(t, server.URL+"/v1", nil).Route(wire.Limits{}, c.Attempt(cassette.Conversation{Scenario: "s"}))
		for _, size := range sizes {
			status, said := ask(t, route, fmt.Sprintf(`{"size":%d}`, size))
			end := map[cassette.Replay]string{cassette.Record: "header-secret", cassette.Strict: "[secret]"}[how]
			if status != 200 || !strings.HasSuffix(said, end) || strings.TrimSuffix(said, end) != string(text(size)) {
				t.Errorf("%q: %d, %d of %d bytes", how, status, len(said), size)
			}
		}
		route.Close()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
