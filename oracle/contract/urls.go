package contract

import (
	"net/url"
	"regexp"
	"strings"
)

// urlPattern is a pattern of URLs by host, or by scheme and host.
type urlPattern struct {
	text   string
	scheme *glob // nil is any
	host   glob
	port   string // "" is any
}

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
		return p, errPattern("must be a host, or a scheme and a host", "such as *.example.com or http://*; paths of URLs are not looked at")
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

func (a address) bare() bool { return a.scheme == "" }

// match reports whether the pattern names the address. What may or may not be a host
// is none for a pattern that ends in a star.
func (p urlPattern) match(a address) bool {
	switch {
	case a.bare() && (strings.HasSuffix(p.host.text, "*") || !strings.Contains(p.host.text, ".")):
		return false
	case p.scheme != nil && !a.bare() && !p.scheme.match(a.scheme):
		return false
	case p.port != "" && p.port != a.port:
		return false
	}
	return p.host.match(a.host)
}

// absolute finds URLs with a scheme, and with // alone.
var absolute = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*:[/\\]{2}[^\s"'<>\x00-\x1f` + "`" + `]+|(?:^|[\s"'=(])//[a-z0-9][^\s"'<>\x00-\x1f` + "`" + `]*`)

// hostName finds what may be a host: labels with dots.
var hostName = regexp.MustCompile(`(?i)(?:^|[\s"'=(@,])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])(?::([0-9]+))?(?:$|[\s"'/?#),;:])`)

// addressesIn returns the addresses of a text; those without a scheme where they are
// asked for.
func addressesIn(text string, bare bool) (found []address) {
	for _, match := range absolute.FindAllString(text, -1) {
		found = append(found, addressOf(strings.TrimLeft(match, " \t\r\n\"'=(")))
	}
	if !bare {
		return found
	}
	for _, match := range hostName.FindAllStringSubmatch(text, -1) {
		found = append(found, address{text: match[1], host: strings.ToLower(match[1]), port: match[2]})
	}
	return found
}

// ports are those that a scheme stands for.
var ports = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "ssh": "22"}

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
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	if plain, err := url.PathUnescape(authority); err == nil {
		authority = plain
	}
	authority = strings.ToLower(strings.TrimRight(authority, ".,;:!?)}"))
	if host, rest, ok := strings.Cut(strings.TrimPrefix(authority, "["), "]"); ok { // of IPv6
		a.host, a.port = host, strings.TrimPrefix(rest, ":")
	} else {
		a.host, a.port, _ = strings.Cut(authority, ":")
	}
	a.host = strings.TrimSuffix(a.host, ".")
	if a.port == "" {
		a.port = ports[a.scheme]
	}
	return a
}
