package prose

import (
	"strings"
	"unicode/utf8"
)

// CutBytes returns the longest beginning of a text that takes at most so many bytes
// and ends between two characters.
func CutBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := max(most, 0)
	for i := end; i >= 0 && i > end-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			return text[:i]
		}
	}
	return text[:end] // no UTF-8: there is no character to spare
}

// CutRunes returns the text if it has at most so many characters (code points), else
// as many of them as there is room for with "…" behind them, which is never left out.
func CutRunes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	most = max(most, 1)
	keep, n := 0, 0 // the bytes before the last character for which there is room
	for i := range text {
		switch n {
		case most - 1:
			keep = i
		case most:
			return text[:keep] + "…"
		}
		n++
	}
	return text
}

// LastLine returns the last line of a text that is not blank, without the space around it.
func LastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
