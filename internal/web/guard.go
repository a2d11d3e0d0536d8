package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// policy is what a page may do: it has the style and the script of this server, asks nobody else, and stands in no
// frame.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// reportPolicy is that of a report, which has its style in it and runs no script.
const reportPolicy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; " +
	"frame-ancestors 'none'"

// Token says what is wrong with a token; "" is nothing.
func Token(token string) (problem string) {
	// Chosen: 16 characters of a random text are more than can be guessed.
	const least, most = 16, 1000
	switch {
	case len(token) < least:
		return "has less than " + strconv.Itoa(least) + " characters"
	case len(token) > most:
		return "has more than " + strconv.Itoa(most) + " characters"
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "has characters other than letters, digits and signs of ASCII"
	}
	return ""
}

// hostsOf are the names by which a browser asks an address: the address itself, and each of loopback where it is one.
func hostsOf(address net.Addr) map[string]bool {
	hosts := map[string]bool{}
	at, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return hosts
	}
	ip := at.Addr().Unmap().WithZone("")
	names := []string{ip.String()}
	if ip.IsLoopback() {
		names = append(names, "localhost", "127.0.0.1", "::1")
	}
	for _, name := range names {
		hosts[net.JoinHostPort(name, strconv.Itoa(int(at.Port())))] = true
		if at.Port() == 80 {
			hosts[strings.TrimSuffix(net.JoinHostPort(name, ""), ":")] = true
		}
	}
	return hosts
}

// guarded answers who may ask, and sets what holds for every answer.
func (s *Server) guarded(next http.Handler, hosts map[string]bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		switch {
		// A name of another site that leads here would let its pages read these.
		case !hosts[strings.ToLower(r.Host)]:
			http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET is answered", http.StatusMethodNotAllowed)
		// What another site embeds is not for it; a link from there is followed by a person.
		case foreign(r):
			http.Error(w, "this is for no other site", http.StatusForbidden)
		case !s.allowed(r):
			h.Set("WWW-Authenticate", `Basic realm="tribunal", charset="UTF-8"`)
			http.Error(w, "the token of the server is asked for, as the password of any user", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// foreign reports whether a page of another site asks for something to use in it.
func foreign(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host && origin != "null" {
		return true
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// allowed reports whether a request tells the token, where one is asked for: as the password of any user, which
// browsers ask a person for, or behind Bearer. It takes as long whatever is told.
func (s *Server) allowed(r *http.Request) bool {
	if s.options.Token == "" {
		return true
	}
	_, told, is := r.BasicAuth()
	if !is {
		told = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	have, want := sha256.Sum256([]byte(told)), sha256.Sum256([]byte(s.options.Token))
	return subtle.ConstantTimeCompare(have[:], want[:]) == 1
}
