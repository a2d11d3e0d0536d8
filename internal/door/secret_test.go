package door

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Without the secret nothing is reached; with it a browser gets a cookie, by which links lead on, and a program does
// not. A token takes its place.
func TestSecrets(t *testing.T) {
	const secret = "c5vkd6z3q2nmx7hyrtwb4gapfe"
	page, program := Rules{Secret: secret}, Rules{Secret: secret, Programs: true}
	for name, c := range map[string]struct {
		rules        Rules
		path, cookie string
		told         string
		want         int
		asked        string // what the handler is asked; "" is nothing
		given        bool   // a cookie
	}{
		"nothing":    {rules: page, path: "/", want: 403},
		"a page":     {rules: page, path: "/runs", want: 403},
		"the secret": {rules: page, path: "/" + secret + "/", want: 200, asked: "/", given: true},
		"a page below it": {rules: page, path: "/" + secret + "/runs?x=1", want: 200, asked: "/runs?x=1",
			given: true},
		"no folder":                 {rules: page, path: "/" + secret, want: 403},
		"another":                   {rules: page, path: "/" + secret[1:] + "/", want: 403},
		"twice":                     {rules: page, path: "//" + secret + "/", want: 403},
		"in the query":              {rules: page, path: "/?" + secret, want: 403},
		"the cookie":                {rules: page, path: "/runs", cookie: secret, want: 200, asked: "/runs"},
		"another cookie":            {rules: page, path: "/runs", cookie: secret + "x", want: 403},
		"an empty cookie":           {rules: page, path: "/runs", cookie: "", want: 403},
		"a program":                 {rules: program, path: "/metrics", want: 403},
		"a program with a cookie":   {rules: program, path: "/metrics", cookie: secret, want: 403},
		"a program with the secret": {rules: program, path: "/" + secret + "/metrics", want: 200, asked: "/metrics"},
		"the secret where a token is": {rules: Rules{Secret: secret, Token: "correct-horse-battery"},
			path: "/" + secret + "/", want: 401},
		"a token": {rules: Rules{Secret: secret, Token: "correct-horse-battery"}, path: "/runs",
			told: "correct-horse-battery", want: 200, asked: "/runs"},
	} {
		asked := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+c.path, nil)
		if c.cookie != "" {
			asked.AddCookie(&http.Cookie{Name: "tribunal-8080", Value: c.cookie})
		}
		if c.told != "" {
			asked.Header.Set("Authorization", "Bearer "+c.told)
		}
		answer, seen := httptest.NewRecorder(), ""
		handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.URL.RequestURI() })
		c.rules.Guard(textAddress("127.0.0.1:8080"), handler).ServeHTTP(answer, asked)
		if answer.Code != c.want || seen != c.asked {
			t.Errorf("%s: %d of %q, not %d of %q", name, answer.Code, seen, c.want, c.asked)
		}
		cookies := answer.Result().Cookies()
		if c.given != (len(cookies) == 1) {
			t.Errorf("%s: the cookies %v", name, cookies)
		}
		for _, k := range cookies {
			if k.Name != "tribunal-8080" || k.Value != secret || !k.HttpOnly || k.SameSite != http.SameSiteLaxMode {
				t.Errorf("%s: the cookie %v", name, k)
			}
		}
	}
	if a, b := NewSecret(), NewSecret(); a == b || len(a) < 26 {
		t.Errorf("the secrets %s and %s", a, b)
	}
}
