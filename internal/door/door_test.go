package door

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The names of an address are those that a browser has for it.
func TestHostsOfAnAddress(t *testing.T) {
	for address, want := range map[string][]string{
		"127.0.0.1:8080": {"127.0.0.1:8080", "localhost:8080", "[::1]:8080"},
		"[::1]:8080":     {"127.0.0.1:8080", "localhost:8080", "[::1]:8080"},
		"127.0.0.2:80": {"127.0.0.2:80", "127.0.0.2", "localhost:80", "localhost", "127.0.0.1", "127.0.0.1:80",
			"[::1]:80", "[::1]"},
		"192.0.2.7:8080":    {"192.0.2.7:8080"},
		"[2001:db8::1]:443": {"[2001:db8::1]:443"},
	} {
		got := hostsOf(textAddress(address))
		for _, name := range want {
			if !got[name] {
				t.Errorf("%s has no name %s: %v", address, name, got)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v, not %v", address, got, want)
		}
	}
}

// textAddress is an address by its text.
type textAddress string

func (textAddress) Network() string  { return "tcp" }
func (a textAddress) String() string { return string(a) }

// A token is the first line of a file, long and of characters that every client can send; an error does not tell it.
func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"correct-horse-battery":                 "",
		"0123456789abcdef\n":                    "",
		" \t0123456789abcdef\r\nand a comment":  "",
		"0123456789abcde":                       "less than 16",
		"0123456789abcde\nf":                    "less than 16",
		"":                                      "less than 16",
		"with a blank in it":                    "other than letters",
		"mit-Umlauten-äöü-und-mehr":             "other than letters",
		"two\nlines-0123456789":                 "less than 16",
		strings.Repeat("x", 4096):               "",
		" " + strings.Repeat("x", 4096) + " \n": "",
		strings.Repeat("x", 4097):               "more than 4096",
		strings.Repeat("x", 1<<20):              "more than 4096",
	} {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadToken(t.Context(), file)
		first, _, _ := strings.Cut(text, "\n")
		if first = strings.TrimSpace(first); want == "" && (got != first || err != nil) {
			t.Errorf("%.40q: %.40q, %v", text, got, err)
		}
		var e *TokenError
		if want == "" {
			continue
		}
		if !errors.As(err, &e) || got != "" || !strings.Contains(e.Message(), file+" has ") ||
			!strings.Contains(e.Problem, want) || first != "" && strings.Contains(e.Error(), first) || e.ExitCode() != 65 {
			t.Errorf("%.40q: %.40q, %v, want %q", text, got, err, want)
		}
	}
}

// A file that is not there, a folder and what cannot be opened hold no token; why is told with the name of the file
// once.
func TestTokensOfNoFile(t *testing.T) {
	folder := t.TempDir()
	for file, want := range map[string]error{
		filepath.Join(folder, "nowhere"): fs.ErrNotExist,
		folder:                           syscall.EISDIR,
	} {
		got, err := ReadToken(t.Context(), file)
		var e *TokenError
		if !errors.As(err, &e) || !errors.Is(err, want) || got != "" || strings.Count(e.Error(), file) != 1 ||
			!strings.Contains(e.Error(), "cannot be read") {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
}

// Programs reach a server through forwarded ports, and by any name where they tell the token; browsers do not.
func TestProgramsAndBrowsers(t *testing.T) {
	const token = "correct-horse-battery"
	for name, c := range map[string]struct {
		rules              Rules
		host, told, origin string
		want               int
	}{
		"a browser":                  {host: "127.0.0.1:8080", want: 200},
		"a browser at another port":  {host: "127.0.0.1:9999", want: 421},
		"a program at another port":  {rules: Rules{Programs: true}, host: "LOCALHOST:9999", want: 200},
		"a program, by IPv6":         {rules: Rules{Programs: true}, host: "[::1]:9999", want: 200},
		"a program, by another name": {rules: Rules{Programs: true}, host: "agents.example:8080", want: 421},
		"a program without the token": {rules: Rules{Token: token, Programs: true}, host: "agents.example:8080",
			want: 401},
		"a program, the token, another name": {rules: Rules{Token: token, Programs: true}, host: "agents.example:8080",
			told: token, want: 200},
		"a browser, the token, another name": {rules: Rules{Token: token}, host: "agents.example:8080", told: token,
			want: 421},
		"a page of another site": {rules: Rules{Programs: true}, host: "localhost:8080",
			origin: "http://example.com", want: 403},
	} {
		asked := httptest.NewRequest(http.MethodGet, "http://"+c.host+"/", nil)
		asked.Header.Set("Authorization", "Bearer "+c.told)
		if c.origin != "" {
			asked.Header.Set("Origin", c.origin)
		}
		answer := httptest.NewRecorder()
		nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		c.rules.Guard(textAddress("127.0.0.1:8080"), nothing).ServeHTTP(answer, asked)
		if answer.Code != c.want {
			t.Errorf("%s: %d, not %d", name, answer.Code, c.want)
		}
	}
}
