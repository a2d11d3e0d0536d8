package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// A key as cloud services make them, with what writers escape: + and / of base64, < of XML.
const secret = `hunter2-Zx+Q/9<w"\Vé8kP`

// Every way in which a program may write a value.
func ways(t *testing.T, value string) map[string]string {
	goes, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var inXML strings.Builder
	if err := xml.EscapeText(&inXML, []byte(value)); err != nil {
		t.Fatal(err)
	}
	var escapes, capitals, references, percents strings.Builder
	for _, r := range value {
		u := strconv.FormatInt(int64(r)+0x10000, 16)[1:]
		escapes.WriteString(`\u` + u)
		capitals.WriteString(`\u` + strings.ToUpper(u))
		references.WriteString("&#x" + u + ";")
	}
	for _, c := range []byte(value) {
		percents.WriteString("%" + hex.EncodeToString([]byte{c}))
	}
	twice, err := json.Marshal(string(goes))
	if err != nil {
		t.Fatal(err)
	}
	wrapped := value[:7] + "\n    " + value[7:15] + "\r\n" + value[15:]
	return map[string]string{
		"plain": value, "JSON by Go": string(goes), "JSON in JSON": string(twice),
		"all escaped": escapes.String(), "all escaped, capitals": capitals.String(),
		".NET": strings.NewReplacer("+", `\u002B`, "<", `\u003C`, `"`, `\u0022`, `\`, `\\`, "é",
			`\u00E9`).Replace(value),
		"PHP":                    strings.NewReplacer("/", `\/`, `"`, `\"`, `\`, `\\`).Replace(value),
		"Python":                 strings.Trim(strconv.QuoteToASCII(value), `"`),
		"XML":                    inXML.String(),
		"HTML":                   html.EscapeString(value),
		"XML references":         references.String(),
		"URL, query":             url.QueryEscape(value),
		"URL, path":              url.PathEscape(value),
		"URL, all":               percents.String(),
		"base64":                 base64.StdEncoding.EncodeToString([]byte(value)),
		"base64 for URLs":        base64.URLEncoding.EncodeToString([]byte(value)),
		"Basic header":           "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+value)),
		"Basic header, shifted":  "Basic " + base64.StdEncoding.EncodeToString([]byte("users:"+value)),
		"base64 among others":    base64.StdEncoding.EncodeToString([]byte(`{"key":"` + value + `","n":1}`)),
		"hexadecimal":            hex.EncodeToString([]byte(value)),
		"hexadecimal, capitals":  strings.ToUpper(hex.EncodeToString([]byte(value))),
		"upper case":             strings.ToUpper(strings.ReplaceAll(value, "é", "É")),
		"wrapped":                wrapped,
		"with zero-width spaces": strings.Join(strings.Split(value, ""), "\u200b"),
	}
}

func TestSecretIsFoundHoweverItIsWritten(t *testing.T) {
	s := Of([]string{"KEY"}, []string{"OTHER=x", "KEY=" + secret})
	s.NamedOnly()
	for way, text := range ways(t, secret) {
		if way == "upper case" { // of the letters of ASCII
			text = strings.ReplaceAll(text, "É", "é")
		}
		t.Run(way, func(t *testing.T) {
			clean := s.Text("before " + text + " after")
			if !strings.Contains(clean, "[redacted KEY]") || !strings.HasPrefix(clean, "before ") ||
				!strings.HasSuffix(clean, " after") {
				t.Fatalf("%q is left as %q", text, clean)
			}
			// What is left of it is at most what base64 shares with its neighbours.
			rest := strings.NewReplacer("before", "", "after", "", "[redacted KEY]", "", " ", "").Replace(clean)
			if way == "base64 among others" {
				return
			}
			if len(rest) > len("Basic")+len("dXNlcnM6")+4 {
				t.Errorf("%q is left of %q", rest, text)
			}
		})
	}
	for _, text := range []string{"", "hunter2", "the key is not here", `{"a":[1,2,3]}`} {
		if clean := s.Text(text); clean != text {
			t.Errorf("%q becomes %q", text, clean)
		}
	}
}

func TestSecretInPiecesIsFound(t *testing.T) {
	s := Of([]string{"KEY"}, []string{"KEY=" + secret})
	clean := s.Texts([]string{"it is hunter2-", "", "Zx+Q/9<w", `"\Vé8kP, I think`, "yes"})
	want := []string{"it is [redacted KEY]", "", "", ", I think", "yes"}
	for i := range want {
		if clean[i] != want[i] {
			t.Errorf("piece %d is %q, want %q", i, clean[i], want[i])
		}
	}
}

func TestEveryLineOfASecretIsOne(t *testing.T) {
	s := Of([]string{"PEM"}, []string{"PEM=first-line\nsecond-line\nx"})
	if got := s.Text("a second-line b"); got != "a [redacted PEM] b" {
		t.Error(got)
	}
	if got := s.Text("first-line\nsecond-line\nx"); got != "[redacted PEM]" {
		t.Error(got)
	}
}

func TestSecretWithinASecret(t *testing.T) {
	s := Of([]string{"SHORT", "LONG"}, []string{"SHORT=abcdef", "LONG=123abcdef456"})
	if got, want := s.Text("123abcdef456 abcdef"), "[redacted LONG] [redacted SHORT]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNamesWithoutAValueAreSaid(t *testing.T) {
	s := Of([]string{"UNSET", "EMPTY", "SHORT", "LONG"}, []string{"EMPTY=", "SHORT=1", "LONG=123456"}, []string{"X=1"})
	if got := strings.Join(s.Unset(), " "); got != "UNSET EMPTY" {
		t.Error(got)
	}
	if got := strings.Join(s.Short(), " "); got != "SHORT" {
		t.Error(got)
	}
	if got := s.Text("1 and 123456"); got != "1 and [redacted LONG]" {
		t.Error(got)
	}
}

// What services show as an example of their keys; none is one. They are put together here so that nobody who
// looks for keys in this repository finds one.
func TestKeysAreKnownByTheirLooks(t *testing.T) {
	a := strings.Repeat("a1B2", 20)
	for name, key := range map[string]string{
		"OpenAI": "sk-" + "proj-" + a[:40], "Anthropic": "sk-" + "ant-api03-" + a, "GitHub": "ghp" + "_" + a[:36],
		"fine-grained": "github" + "_pat_" + a[:30], "GitLab": "glpat" + "-" + a[:20], "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
		"Google": "AIza" + a[:35], "Slack": "xoxb" + "-12345678901-" + a[:24], "Stripe": "sk" + "_live_" + a[:24],
		"npm": "npm" + "_" + a[:36], "Hugging Face": "hf" + "_" + a[:34],
		"JWT": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + a[:43],
		"PEM": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\n" + a + "\n-----END RSA PRIVATE KEY-----",
	} {
		for _, text := range []string{key, base64.StdEncoding.EncodeToString([]byte("x " + key)),
			hex.EncodeToString([]byte(key))} {
			if name == "PEM" && text == key || name != "PEM" {
				if got := (&Secrets{}).Text("use " + text + " now"); got != "use [redacted key] now" {
					t.Errorf("%s: %q", name, got)
				}
			}
		}
	}
	for _, text := range []string{
		"sk-short", "task-0123456789012345678901234", "the risk-assessment-of-the-whole-portfolio",
		"sha256:" + strings.Repeat("0a", 32), "eyJust a word", "https://example.com/a/very/long/path/without/a/key",
	} {
		if got := (&Secrets{}).Text(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// What is cut off must not leave a beginning that nobody finds.
func TestCutKeepsNoBeginningOfASecret(t *testing.T) {
	s := Of([]string{"KEY"}, []string{"KEY=" + secret})
	text := "0123456789" + secret + strings.Repeat("x", 400)
	for limit := range 10 + len(secret) + 5 {
		want := limit
		if limit > 10 && limit < 10+len(secret) {
			want = 10
		}
		if got := s.Cut([]byte(text), limit); got != want {
			t.Errorf("limit %d: %d, want %d", limit, got, want)
		}
	}
}

// Whatever is around it, a value never survives, and what holds none stays.
func FuzzText(f *testing.F) {
	s := Of([]string{"KEY"}, []string{"KEY=s3cr3t-V4lue"})
	s.NamedOnly()
	f.Add("a", "b")
	f.Add(`\`, `\u00`)
	f.Add("%7", "&#")
	f.Fuzz(func(t *testing.T, before, after string) {
		if clean := s.Text(before + " s3cr3t-V4lue " + after); strings.Contains(clean, "s3cr3t-V4lue") {
			t.Errorf("%q", clean)
		}
		if clean := s.Text(before); clean != before && !strings.Contains(clean, "[redacted KEY]") {
			t.Errorf("%q becomes %q", before, clean)
		}
	})
}
