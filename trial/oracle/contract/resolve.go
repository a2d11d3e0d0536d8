package contract

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostForms bounds the forms of one path.
const mostForms = 64

// Resolver returns the forms of a path as a tool may resolve it that works in a folder, with a user's home: percent
// signs decoded, as many times as there are, of a file:// URL or not; absolute; and where links lead, also those of
// folders that do not end in it yet. It looks at the file system, and changes nothing.
func Resolver(folder, home string) func(path string) []string {
	return func(path string) []string {
		var forms []string
		add := func(text string) {
			if len(forms) < mostForms && !slices.Contains(forms, text) {
				forms = append(forms, text)
			}
		}
		for _, text := range decodings(path) {
			text = atHome(text, home)
			if !filepath.IsAbs(text) && folder != "" && !strings.HasPrefix(text, "~") && !drive().MatchString(text) {
				text = folder + "/" + text
			}
			add(text)
			add(leadsTo(filepath.Clean(text)))
			add(leadsTo(text)) // .. behind a link is the folder above where it leads
		}
		return forms
	}
}

// decodings are a path without the scheme of a URL, as it is and with its percent signs decoded.
func decodings(path string) (all []string) {
	const most = 4
	for range most {
		path = strings.TrimSpace(strings.ReplaceAll(path, `\`, "/"))
		if len(path) > 5 && strings.EqualFold(path[:5], "file:") {
			path = path[5:]
			if host, ok := strings.CutPrefix(path, "//"); ok {
				path = strings.TrimPrefix(host, "localhost")
			}
		}
		all = append(all, path)
		next, err := url.PathUnescape(path)
		if err != nil || next == path {
			break
		}
		path = next
	}
	return all
}

// atHome is a path with the home in the place of what stands for it.
func atHome(path, home string) string {
	for _, word := range []string{"~", "$HOME", "${HOME}", "%USERPROFILE%"} {
		if rest, ok := strings.CutPrefix(path, word); ok && (rest == "" || rest[0] == '/') && home != "" {
			return home + rest
		}
	}
	return path
}

// leadsTo follows the links of an absolute path, name by name as a system does, as far as it exists; what does not
// exist yet is added as it stands.
func leadsTo(path string) string {
	const mostLinks = 64
	rest := strings.Split(path, "/")
	at, links := "/", 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		to, err := os.Readlink(next)
		if err != nil || links == mostLinks {
			at = next
			continue
		}
		links++
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return at
}
