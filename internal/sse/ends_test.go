package sse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/sse"
)

// parts cuts a stream where its events end, which comes in pieces of a size.
func parts(text string, size int) (all []string) {
	var ends sse.Ends
	event := ""
	for piece := range slices.Chunk([]byte(text), size) {
		for len(piece) > 0 {
			n, ended := ends.Next(piece)
			event += string(piece[:n])
			if piece = piece[n:]; ended {
				all, event = append(all, event), ""
			}
		}
	}
	if event != "" {
		all = append(all, event)
	}
	return all
}

func TestEnds(t *testing.T) {
	for text, want := range map[string][]string{
		"":                               nil,
		"data: a\n\ndata: b\n\n":         {"data: a\n\n", "data: b\n\n"},
		"data: a\r\n\r\ndata: b\r\n\r\n": {"data: a\r\n\r", "\ndata: b\r\n\r", "\n"},
		"data: a\r\rdata: b\r\r":         {"data: a\r\r", "data: b\r\r"},
		"data: a\n\rdata: b":             {"data: a\n\r", "data: b"},
		"\n: x\ndata: a\n\n":             {"\n", ": x\ndata: a\n\n"},
		"data: a":                        {"data: a"},
	} {
		for _, size := range []int{1, 2, 3, 100} {
			if got := parts(text, size); !slices.Equal(got, want) {
				t.Errorf("%q in pieces of %d: %q", text, size, got)
			}
		}
	}
}

// Whatever a stream says, its events apart are those that it has as a whole, but where it ends early.
func FuzzEnds(f *testing.F) {
	f.Add("data: a\r\n\r\ndata: b\n\ndata\r\rdata: c")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "[DONE]") || strings.Contains(text, "\ufeff") {
			return
		}
		var apart []string
		for _, part := range parts(text, 7) {
			apart = append(apart, sse.Events([]byte(part))...)
		}
		if whole := sse.Events([]byte(text)); !slices.Equal(whole, apart) {
			t.Errorf("%q has %q, and apart %q", text, whole, apart)
		}
	})
}
