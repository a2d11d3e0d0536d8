package contract

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// urlPattern is a pattern of URLs by host, or by scheme and host.
type urlPattern struct {
	text   string
	scheme *glob // nil is any
	host   glob
	port   string // "" is any
}

// parseURL reads a pattern: a host, with a scheme before it or a port behind it.
func parseURL(text string) (urlPattern, error) {
	p := urlPattern{text: text}
	host := strings.ToLower(text)
	if scheme, rest, ok := strings.Cut(host, "://"); ok {
		g, err := parseGlob(scheme, anyText)
		if err != nil {
			return p, errPattern("has no scheme before ://", "such as http://*")
		}
		p.scheme, host = &g, rest
	}
	if strings.Contains(host, "/") {
		const advice = "such as *.example.com or http://*; paths of URLs are not looked at"
		return p, errPattern("must be a host, or a scheme and a host", advice)
	}
	if name, port, ok := strings.Cut(host, ":"); ok && port != "" && strings.Trim(port, "0123456789") == "" {
		host, p.port = name, port
	}
	var err error
	p.host, err = parseGlob(strings.TrimSuffix(host, "."), anyText)
	return p, err
}

// address is where a URL leads. A host without a scheme is bare.
type address struct {
	text, scheme, host, port string
}

// bare reports whether it is a host without a scheme, and so perhaps no URL.
func (a address) bare() bool { return a.scheme == "" }

// match reports whether the pattern names the address. What may or may not be a host
// is none for a pattern that ends in a star.
func (p urlPattern) match(a address) bool {
	switch {
	case a.bare() && (strings.HasSuffix(p.host.text, "*") || !strings.Contains(p.host.text, ".")):
		return false
	// Of a host without a scheme any scheme may be meant.
	case p.scheme != nil && !a.bare() && !p.scheme.match(a.scheme):
		return false
	case p.port != "" && p.port != a.port:
		return false
	}
	return p.host.match(a.host)
}

// beginnings finds where URLs begin: a scheme, or // where a word begins.
var beginnings = lazy.Regexp(`(?i)[a-z][a-z0-9+.-]*:[/\\]{2}|(?:^|[\s"'=(,])//[a-z0-9]`)

// hostName is what may be a host: labels with dots, and a port.
var hostName = lazy.Regexp(`(?i)^((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])\.?` +
	`(?::([0-9]+))?(?:$|[/\\?#:])`)

// addressesIn returns the addresses of a text; those without a scheme where they are
// asked for. A URL ends at a blank, a quote or a control character, or where the next
// begins. Of one that holds a comma or the like before its path, what stands before
// that is an address too: it may be a list.
//
// It finds too much rather than too little: what is no URL seldom has a forbidden host.
func addressesIn(text string, bare bool) (found []address) {
	starts := beginnings().FindAllStringIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		one := strings.TrimLeft(text[at[0]:end], " \t\r\n\"'=(,")
		if stop := strings.IndexFunc(one, endsURL); stop >= 0 {
			one = one[:stop]
		}
		found = append(found, addressOf(one))
		if stop := strings.IndexAny(one, ",;|&"); stop >= 0 {
			found = append(found, addressOf(one[:stop]))
		}
	}
	if !bare {
		return found
	}
	separates := func(r rune) bool { return endsURL(r) || strings.ContainsRune("=()@,;|&", r) }
	for _, word := range strings.FieldsFunc(text, separates) {
		if match := hostName().FindStringSubmatch(word); match != nil {
			found = append(found, address{text: word, host: strings.ToLower(match[1]), port: match[2]})
		}
	}
	return found
}

// endsURL reports whether a character cannot stand within a URL in a text.
func endsURL(r rune) bool { return r <= ' ' || strings.ContainsRune("\"'<>`", r) || unicode.IsSpace(r) }

// usualPort is the port that a scheme stands for; "" where that is not known.
//
// A pattern with a port matches a URL that goes to that port without naming it.
func usualPort(scheme string) string {
	switch scheme {
	case "http", "ws":
		return "80"
	case "https", "wss":
		return "443"
	}
	return ""
}

// addressOf reads a URL as browsers do: \ is /, what stands before @ is no host, and
// a host may be written with escapes. No URL is refused: one that no library reads
// may be read by what the agent calls.
func addressOf(text string) address {
	a := address{text: text, scheme: "?"}
	clean := strings.ReplaceAll(text, `\`, "/")
	if scheme, rest, ok := strings.Cut(clean, ":"); ok && !strings.HasPrefix(clean, "/") {
		a.scheme, clean = strings.ToLower(scheme), rest
	}
	if a.scheme == "file" {
		return a // a path, without a host
	}
	authority := strings.TrimLeft(clean, "/")
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	// What stands before the last @ is a user, as in http://example.com@evil.test.
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	if plain, err := url.PathUnescape(authority); err == nil {
		authority = plain
	}
	authority = strings.ToLower(strings.TrimRight(authority, ".,;:!?)}|&"))
	if host, rest, ok := strings.Cut(strings.TrimPrefix(authority, "["), "]"); ok { // of IPv6
		a.host, a.port = host, strings.TrimPrefix(rest, ":")
	} else {
		a.host, a.port, _ = strings.Cut(authority, ":")
	}
	a.host = strings.TrimSuffix(a.host, ".")
	if a.port == "" {
		a.port = usualPort(a.scheme)
	}
	return a
}
