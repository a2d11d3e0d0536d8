package safe

import "testing"

func TestClean(t *testing.T) {
	for given, want := range map[string]string{
		"":                                "",
		"plain <b> & 100% ~":              "plain <b> & 100% ~",
		"日本語 é ñ ﬁ ½":                     "日本語 é ñ ﬁ ½",
		"\x1b[31mred\x1b[0m":              `\x1b[31mred\x1b[0m`,
		"a\nb\r\nc\td":                    `a\nb\r\nc\td`,
		"\x00\x07\x08\x7f":                `\x00\a\b\x7f`,
		"\u009b31m":                       `\u009b31m`, // CSI as one character
		"\u2028\u2029\u0085":              `\u2028\u2029\u0085`,
		"\u202egnp.exe":                   `\u202egnp.exe`, // bidirectional override
		"\u2066a\u2069\u200f":             `\u2066a\u2069\u200f`,
		"a\u200bb\ufeffc\u00ad":           `a\u200bb\ufeffc\u00ad`,
		"\u3164\u115f\u034f":              `\u3164\u115f\u034f`, // letters and marks that draw nothing
		"\U000e0041":                      `\U000e0041`,         // a tag
		"\ue000":                          `\ue000`,             // private use: of unknown look
		"\xff\xc3(":                       `\xff\xc3(`,          // not UTF-8
		"a\u00a0b\u3000c":                 "a b c",
		"❤\ufe0f":                         "❤",
		"👩\u200d💻":                        "👩\u200d💻",
		"نمی\u200cخواهم":                  "نمی\u200cخواهم",
		"a\u200db":                        `a\u200db`,
		"\u0301x":                         `\u0301x`, // nothing to stand on
		"e\u0301":                         "e\u0301",
		"e\u0301\u0301\u0301\u0301\u0301": "e\u0301\u0301\u0301\u0301" + `\u0301`,
		"suite::case::x":                  "suite::case::x",
		"a[1]::b":                         "a[1]::b",
		"::error::x":                      `\x3a:error::x`,
		"a ::error::x":                    `a \x3a:error::x`,
		"::::":                            `\x3a:\x3a:`,
		"a::::b":                          `a::\x3a:b`,
		"##[error]x":                      `#\x23[error]x`,
		"a ##vso[task.x]":                 `a #\x23vso[task.x]`,
		"##teamcity[x]":                   `#\x23teamcity[x]`,
		"## heading":                      "## heading",
	} {
		if got := Text(given); got != want {
			t.Errorf("clean(%q) = %q, want %q", given, got, want)
		}
	}
}
