package likeness

import "testing"

// The pairs are those of Unicode's own pages: Standard Annex 15 (forms), Technical Report 36 (paypal),
// Technical Standard 39 (confusables).
func TestNamesThatReadAlikeAreAlike(t *testing.T) {
	for _, test := range []struct {
		name, a, b       string
		same, confusable bool
	}{
		{name: "case", a: "Shell", b: "shell", same: true},
		{name: "space around", a: " shell\t", b: "shell", same: true},
		{name: "full width", a: "ｓｈｅｌｌ", b: "shell", same: true},
		{name: "ligature", a: "ﬁnd", b: "find", same: true},
		{name: "sharp s", a: "STRASSE", b: "straße", same: true},
		{name: "mathematical letters", a: "𝐬𝐡𝐞𝐥𝐥", b: "shell", same: true},
		{name: "zero width space", a: "sh\u200bell", b: "shell", same: true},
		{name: "soft hyphen", a: "sh\u00adell", b: "shell", same: true},
		{name: "variation selector", a: "shell\ufe0f", b: "shell", same: true},
		{name: "right to left mark", a: "\u202eshell", b: "shell", same: true},
		{name: "decomposed", a: "cafe\u0301", b: "café", same: true},
		{name: "Cyrillic a", a: "pаypаl", b: "paypal", confusable: true},
		{name: "all Cyrillic", a: "ѕсоре", b: "scope", confusable: true},
		{name: "Greek omicron", a: "gοοgle", b: "google", confusable: true},
		{name: "a mark", a: "shéll", b: "shell", confusable: true},
		{name: "a letter of no table", a: "she\u0f0bl", b: "shell"}, // no letter
		{name: "a letter of another script", a: "sheꓲl", b: "shell", confusable: true},
		{name: "words of other languages", a: "検索", b: "ls"},
		{name: "another word", a: "shelf", b: "shell"},
		{name: "longer", a: "shells", b: "shell"},
		{name: "other digits", a: "tool1", b: "tool2"},
		{name: "the same", a: "shell", b: "shell", same: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if same := Fold(test.a) == Fold(test.b); same != test.same {
				t.Errorf("%q and %q: the same %v, want %v: %q, %q", test.a, test.b, same, test.same, Fold(test.a), Fold(test.b))
			}
			if got := Confusable(test.a, test.b); got != test.confusable {
				t.Errorf("%q and %q: confusable %v, want %v", test.a, test.b, got, test.confusable)
			}
			if Confusable(test.a, test.b) != Confusable(test.b, test.a) {
				t.Errorf("%q and %q: confusable one way only", test.a, test.b)
			}
		})
	}
}

func TestVisibleKeepsWhatIsSeen(t *testing.T) {
	for text, want := range map[string]string{
		"so\u200brry": "sorry", "so\u2060rry": "sorry", "so\U000e0001rry": "sorry", "so\x00rry": "sorry",
		"a\tb\r\nc": "a\tb\r\nc", "ﬀ": "ff", "Sorry": "Sorry",
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) is %q, want %q", text, got, want)
		}
	}
}

// A fold that folded further would make two names the same that are not found to be.
func FuzzFoldIsStable(f *testing.F) {
	for _, name := range []string{"Shell", "ﬁnd", "ｓｈ", "\u1e9b\u0323", "İ", "ͅ", " \u200b a"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if once := Fold(name); Fold(once) != once {
			t.Errorf("%q folds to %q, then to %q", name, once, Fold(once))
		}
	})
}
