package mutation

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/fault"
)

// Markers bound what of a prompt is mutated: with any of them, nothing else is.
const (
	openMarker  = "[[mutate]]"
	closeMarker = "[[/mutate]]"
)

// unfit says why a configuration cannot be mutated, such as "has more than 1048576 bytes".
func unfit(component Component, problem string) error {
	return &fault.Error{Problem: "the " + string(component) + " " + problem}
}

// unpaired says that a marker on a line of a prompt, from 1, has no other one that goes with it.
func unpaired(line int, problem string) error {
	return &fault.Error{
		Problem: fmt.Sprintf("line %d of the prompt: a marker %s", line, problem),
		Advice:  "write " + openMarker + " before and " + closeMarker + " behind what is mutated, one pair after the other",
	}
}

// span is a part of a text, by its bytes.
type span struct{ start, end int }

// marked are the parts of a prompt that are mutated: what stands between markers, or all of it where there are none.
func marked(prompt string) (parts []span, err error) {
	at, open := 0, -1
	for {
		i := strings.Index(prompt[at:], "[[")
		if i < 0 {
			break
		}
		i += at
		line := func() int { return 1 + strings.Count(prompt[:i], "\n") }
		switch {
		case strings.HasPrefix(prompt[i:], openMarker):
			if open >= 0 {
				return nil, unpaired(line(), "opens within a part that is open already")
			}
			at = i + len(openMarker)
			open = at
		case strings.HasPrefix(prompt[i:], closeMarker):
			if open < 0 {
				return nil, unpaired(line(), "closes what was not opened")
			}
			parts = append(parts, span{open, i})
			at, open = i+len(closeMarker), -1
		default:
			at = i + 2
		}
	}
	if open >= 0 {
		return nil, unpaired(1+strings.Count(prompt[:open], "\n"), "is never closed")
	}
	if parts == nil {
		parts = []span{{0, len(prompt)}}
	}
	return parts, nil
}

// HasMarkers reports whether a prompt has a marker.
func HasMarkers(prompt string) bool {
	return strings.Contains(prompt, openMarker) || strings.Contains(prompt, closeMarker)
}

// Unmarked is a prompt as an agent gets it: without markers. A marker that has a line of its own is removed with the
// line.
func Unmarked(prompt string) string {
	if !HasMarkers(prompt) {
		return prompt
	}
	var b strings.Builder
	for line := range strings.SplitAfterSeq(prompt, "\n") {
		without := strings.ReplaceAll(strings.ReplaceAll(line, openMarker, ""), closeMarker, "")
		if without == line || strings.TrimSpace(without) != "" {
			b.WriteString(without)
		}
	}
	return Unmarked(b.String()) // of what another marker has torn apart
}
