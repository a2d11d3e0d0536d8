package contract

import (
	"path"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// pathPattern is a pattern of file paths. It covers what lies below a path that it
// matches; without a slash it is that of a name in any folder.
type pathPattern struct {
	text string
	glob glob
	any  glob // the same in letters of either case
	name bool // of a name in any folder
}

// parsePath reads a pattern in the form in which paths are compared.
func parsePath(text string) (pathPattern, error) {
	clean := normalPath(text)
	if clean == "" {
		return pathPattern{}, errPattern("must not be empty", "")
	}
	if text != "/" && strings.HasSuffix(clean, "/**") && clean != "/**" {
		clean = strings.TrimSuffix(clean, "/**") // what lies below is covered anyhow, and so is the folder
	}
	name := !strings.Contains(clean, "/") && clean != "~"
	g, err := parseGlob(clean, oneName)
	if err != nil {
		return pathPattern{}, err
	}
	any, err := parseGlob(clean, anyName)
	return pathPattern{text, g, any, name}, err
}

// match reports whether the pattern covers a normal path, or a folder above it.
func (p pathPattern) match(normal string) bool { return p.covers(normal, p.glob) }

// matchFolded is match whatever the case of letters: on many systems it makes no difference.
func (p pathPattern) matchFolded(normal string) bool { return p.covers(normal, p.any) }

// covers reports whether a glob is that of a normal path, or of a folder above it.
func (p pathPattern) covers(normal string, g glob) bool {
	// From the path upwards: what is forbidden of a folder is forbidden of all in it.
	for at := normal; ; {
		text := at
		if p.name {
			text = path.Base(at)
		}
		if g.match(text) {
			return true
		}
		above := path.Dir(at)
		if above == at || above == "." {
			return false
		}
		at = above
	}
}

// drive is the beginning of a path of Windows.
var drive = lazy.Regexp(`^[A-Za-z]:[/\\]`)

// extension is the end of a file's name.
var extension = lazy.Regexp(`^[^/]*[^/.]\.[A-Za-z0-9]{1,10}$`)

// normalPath writes a path in one way, without a look at the file system: slashes
// for backslashes, . and .. and double slashes taken away, ~ for $HOME, a small
// letter for a drive.
func normalPath(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, `\`, "/"))
	if isFileURL(text) {
		text = strings.TrimPrefix(text[len("file://"):], "localhost")
	}
	for _, home := range []string{"$HOME", "${HOME}"} {
		if rest, ok := strings.CutPrefix(text, home); ok && (rest == "" || rest[0] == '/') {
			text = "~" + rest
		}
	}
	if text == "" {
		return ""
	}
	if drive().MatchString(text) {
		text = strings.ToLower(text[:1]) + text[1:]
	}
	return path.Clean(text)
}

// isFileURL reports whether a text is the URL of a file; case makes no difference in a scheme.
func isFileURL(text string) bool {
	const scheme = "file://"
	return len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme)
}

// formsOf are the paths that a normal path may lead to. One that begins with ../
// may lead anywhere, since the folder it starts from is not known.
func formsOf(normal string) []string {
	rest := normal
	for strings.HasPrefix(rest, "../") {
		rest = rest[3:]
	}
	if rest != normal {
		return []string{normal, "/" + rest}
	}
	return []string{normal}
}

// pathNames are parts of the names of arguments that hold paths.
//
// Chosen words: a text under them is a path also with blanks in it, or without a slash.
var pathNames = lazy.Regexp(`(?i)path|file|dir|folder|cwd|workspace|target|source|destination`)

// isPath reports whether a text looks like a path: it begins like one, has a slash
// or an extension and no blank, or stands under a name that says so.
func isPath(text, name string) bool {
	text = strings.TrimSpace(text)
	switch {
	case text == "" || len(text) > 4096 || strings.ContainsAny(text, "\n\r\x00"):
		return false
	case isFileURL(text):
		return true
	// A URL, which has patterns of its own.
	case strings.Contains(text, "://"):
		return false
	case pathNames().MatchString(name), beginsLikePath(text):
		return true
	case strings.ContainsAny(text, " \t"):
		return false
	}
	return strings.ContainsAny(text, `/\`) || text[0] == '.' || extension().MatchString(text)
}

// beginsLikePath reports whether a text begins as no other thing does than a path.
func beginsLikePath(text string) bool {
	for _, beginning := range []string{"/", "~", "./", "../", `.\`, `..\`, "$HOME", "${HOME}"} {
		if strings.HasPrefix(text, beginning) {
			return true
		}
	}
	return drive().MatchString(text)
}

// pathsIn returns the paths of an argument as they are written: the text itself, the words of commands
// in it, what stands behind the = of an option, and files that are redirected to.
func pathsIn(text, name string, commands [][]string, files []string) (paths []string) {
	add := func(candidate, name string) {
		if isPath(candidate, name) {
			paths = append(paths, candidate)
		}
	}
	add(text, name)
	for _, words := range commands {
		for _, word := range words {
			add(word, "")
			if _, value, ok := strings.Cut(word, "="); ok {
				add(value, "")
			}
			if rest, ok := strings.CutPrefix(word, "@"); ok { // curl -d @file
				add(rest, "file")
			}
		}
	}
	for _, file := range files {
		add(file, "file")
	}
	return paths
}
