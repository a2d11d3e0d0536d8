package door

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
)

// NewSecret is a secret of 128 random bits or more, as a word of a path.
func NewSecret() string { return strings.ToLower(rand.Text()) }

// secretly lets those through to a handler that ask below the folder of the secret, in which it is what stands behind
// it. A browser is given a cookie there, with which the links of the pages lead on.
func (r Rules) secretly(port string, next http.Handler) http.Handler {
	cookie := "tribunal-" + port
	return http.HandlerFunc(func(w http.ResponseWriter, asked *http.Request) {
		first, rest, folder := strings.Cut(strings.TrimPrefix(asked.URL.Path, "/"), "/")
		if folder && same(first, r.Secret) {
			if !r.Programs {
				http.SetCookie(w, &http.Cookie{Name: cookie, Value: r.Secret, Path: "/", HttpOnly: true,
					SameSite: http.SameSiteLaxMode})
			}
			below := asked.Clone(asked.Context())
			below.URL = &url.URL{Path: "/" + rest, RawQuery: asked.URL.RawQuery}
			next.ServeHTTP(w, below)
			return
		}
		if kept, err := asked.Cookie(cookie); err == nil && !r.Programs && same(kept.Value, r.Secret) {
			next.ServeHTTP(w, asked)
			return
		}
		http.Error(w, "ask by the whole address that was printed: it ends with a secret", http.StatusForbidden)
	})
}

// same compares a text with a secret, in a time that does not tell how much of it is right.
func same(told, secret string) bool {
	have, want := sha256.Sum256([]byte(told)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(have[:], want[:]) == 1
}
