// Package likeness compares names and texts as people read them, and not as computers write them: case,
// width, invisible characters and letters of other alphabets that look alike do not make another name.
package likeness

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold writes a name in the form in which equal names are equal: compatibility characters composed
// (NFKC, Unicode Standard Annex 15), without characters that are not seen, without case, and without
// space around it.
func Fold(name string) string {
	if plain(name) {
		return strings.ToLower(strings.TrimSpace(name))
	}
	// Folding may undo the composition: NFKC of the fold is stable (Unicode Standard, 3.13, D146).
	folded := norm.NFKC.String(strings.Map(greatCherokee, cases.Fold().String(Visible(name))))
	return strings.TrimSpace(folded)
}

// greatCherokee returns the great letter of a small one of Cherokee. It alone folds so in Unicode, and
// x/text folds both to the other one.
func greatCherokee(r rune) rune {
	switch {
	case r >= 'ꭰ' && r <= 'ꮿ':
		return r - 'ꭰ' + 'Ꭰ'
	case r >= 'ᏸ' && r <= 'ᏽ':
		return r - 'ᏸ' + 'Ᏸ'
	}
	return r
}

// Visible writes a text as it is seen: compatibility characters composed (NFKC), and without those that
// nothing shows, such as a zero-width space, a soft hyphen or a change of direction.
func Visible(text string) string {
	if plain(text) {
		return text
	}
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, text))
}

// invisible reports whether nothing is shown of a character: those of format (Cf), and the others that
// Unicode's Default_Ignorable_Code_Point names. Line ends and tabs are seen.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Variation_Selector, r) ||
		unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
}

// plain reports whether a text holds nothing but ASCII that is seen.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// Skeleton writes a name, folded, in the letters of ASCII that it looks as if it were written in, as far
// as the letters are known to this package: names that are confused have the same skeleton (after Unicode
// Technical Standard 39, section 4).
func Skeleton(name string) string {
	folded := Fold(name)
	if plain(folded) {
		return folded
	}
	// What carries a mark is confused with what does not.
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		if like, known := lookalikes[r]; known {
			return like
		}
		return r
	}, norm.NFKD.String(folded))
}

// Confusable reports whether two names that are not the same by [Fold] may be taken for one another: their
// skeletons are equal, or they differ only where one of them, among letters of ASCII, has a letter that
// is not.
func Confusable(a, b string) bool {
	x, y := []rune(Skeleton(a)), []rune(Skeleton(b))
	if len(x) != len(y) || Fold(a) == Fold(b) {
		return false
	}
	shared := false // a letter of ASCII that both have in the same place
	for i := range x {
		switch {
		case x[i] == y[i]:
			shared = shared || unicode.IsLetter(x[i]) && x[i] < utf8.RuneSelf
		case (x[i] < utf8.RuneSelf) == (y[i] < utf8.RuneSelf), !unicode.IsLetter(x[i]), !unicode.IsLetter(y[i]):
			return false
		}
	}
	return shared || string(x) == string(y)
}
