package table

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// measure is pinned, so that widths are the same everywhere: characters of
// ambiguous width are narrow, and colour takes no room.
var measure = displaywidth.Options{EastAsianWidth: false, ControlSequences: true}

// Width returns the number of terminal columns that s takes. Colour sequences
// take none.
func Width(s string) int { return measure.String(s) }

// Shorten returns s if it fits into width columns, else its beginning and its end
// around the ellipsis. Where there is no room for both, the end is cut off. It
// never cuts within what a reader sees as one character.
func Shorten(s string, width int, ellipsis string) string {
	if Width(s) <= width {
		return s
	}
	// Beginning and end have at least a column each; the end gets the smaller half.
	room := width - Width(ellipsis)
	if room < 2 {
		return prefix(s, width)
	}
	tail := suffix(s, room/2)
	return prefix(s, room-Width(tail)) + ellipsis + tail
}

// Cut returns s if it fits into width columns, else its beginning and the ellipsis.
func Cut(s string, width int, ellipsis string) string {
	if Width(s) <= width {
		return s
	}
	return prefix(s, max(0, width-Width(ellipsis))) + prefix(ellipsis, width)
}

// Pad returns s with spaces after it up to width columns.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// prefix is the longest beginning of s that fits.
// Clusters are what a reader sees as one character: a letter with its marks, or an
// emoji of several code points.
func prefix(s string, width int) string {
	end, used := 0, 0
	for clusters := measure.StringGraphemes(s); clusters.Next(); {
		if used += clusters.Width(); used > width {
			break
		}
		end += len(clusters.Value())
	}
	return s[:end]
}

// suffix is the longest end of s that fits.
func suffix(s string, width int) string {
	// Clusters can be read forwards alone: their places are kept, and taken from the
	// end.
	var starts, widths []int
	at := 0
	for clusters := measure.StringGraphemes(s); clusters.Next(); {
		starts, widths = append(starts, at), append(widths, clusters.Width())
		at += len(clusters.Value())
	}
	start := len(s)
	for i := len(starts) - 1; i >= 0; i-- {
		if width -= widths[i]; width < 0 {
			break
		}
		start = starts[i]
	}
	return s[start:]
}

// Wrap breaks s at spaces into lines of at most width columns. A word that is
// longer is broken where it must be, but not so that a line begins with "::",
// which a log would read as a command. Runs of spaces become one. There is always
// at least one line.
func Wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= width:
			line += " " + word
			continue
		default:
			lines = append(lines, line)
			line = word
		}
		for Width(line) > width {
			head := breakWord(line, width)
			lines = append(lines, head)
			line = line[len(head):]
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// breakWord returns the part of a word that goes on this line: never nothing, so
// that wrapping ends, even if a single character is too wide.
func breakWord(word string, width int) string {
	head := prefix(word, width)
	if head == "" {
		clusters := measure.StringGraphemes(word)
		clusters.Next()
		return clusters.Value()
	}
	if strings.HasPrefix(word[len(head):], "::") {
		if shorter := prefix(word, Width(head)-1); shorter != "" {
			return shorter
		}
	}
	return head
}
