package cassette_test

import (
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/cassette"
)

// slowBody is a body of parts, each after a while.
type slowBody struct {
	parts []string
	after time.Duration
}

func (s *slowBody) Read(into []byte) (int, error) {
	if len(s.parts) == 0 {
		return 0, io.EOF
	}
	time.Sleep(s.after)
	n := copy(into, s.parts[0])
	s.parts = s.parts[1:]
	return n, nil
}

func (s *slowBody) Close() error { return nil }

// part is what one read of a body returned, and when.
type part struct {
	Text  string
	After time.Duration
}

// parts asks an act, and reads the answer.
func parts(t *testing.T, act wire.Act, next func(*http.Request) (*http.Response, error)) (all []part) {
	t.Helper()
	began := time.Now()
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.test/v1/chat/completions", nil)
	r := &wire.Request{
		HTTP: request, Provider: wire.OpenAI, Path: "/chat/completions", Dialect: "openai/chat", Body: []byte(`{}`),
		Number: 1,
	}
	answer, err := act.RoundTrip(r, next)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	for {
		into := make([]byte, 100)
		n, err := answer.Body.Read(into)
		if n > 0 {
			all = append(all, part{string(into[:n]), time.Since(began)})
		}
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Parts come as they were recorded: at once, or with timing when they came then. The clock is one that is made up.
func TestPartsAndTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "c")
		conversation := cassette.Conversation{Scenario: "s"}
		said := []string{"data: one\n\n", "data: tw", "o\n\ndata: [DONE]\n\n"}
		c := open(t, name, cassette.Options{})
		recorded := parts(t, c.Attempt(conversation), func(*http.Request) (*http.Response, error) {
			time.Sleep(20 * time.Millisecond)
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{}, Body: &slowBody{said, 300 * time.Millisecond},
			}, nil
		})
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		want := []part{
			{said[0], 320 * time.Millisecond}, {said[1], 620 * time.Millisecond}, {said[2], 920 * time.Millisecond},
		}
		if diff := cmp.Diff(want, recorded); diff != "" {
			t.Error(diff)
		}
		for _, timing := range []bool{true, false} {
			c := open(t, name, cassette.Options{Replay: cassette.Strict, Timing: timing})
			replayed := parts(t, c.Attempt(conversation), nil)
			if !timing {
				for i := range want {
					want[i].After = 0
				}
			}
			if diff := cmp.Diff(want, replayed); diff != "" {
				t.Errorf("timing %v: %s", timing, diff)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
