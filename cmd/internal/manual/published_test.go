package manual

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// published are the lines that resolve since a release, by what they hold, such as "npm install --save-dev tribunal":
// nothing yet.
var published = []string{}

// releasing are the files that make a release, which name what it will have.
var releasing = []string{"packaging/README.md", "packaging/homebrew/tribunal.rb"}

// fetched are lines that have something of ours fetched from a registry, a host of images or a page of releases. What
// stands in a folder is named by its path.
var fetched = regexp.MustCompile(strings.Join([]string{
	`\bgo (install|run|get) \S*tribunal-dev/tribunal\S*@`,
	`\b(pip3?|pipx|uv|poetry)( pip| tool)? (install|add|download) ([^./\s]\S* )*(pytest-)?tribunal`,
	`\b(uvx|pipx run) \S*tribunal`,
	`\b(npm|yarn|pnpm) (install|i|add|exec|create) ([^./\s]\S* )*(@tribunal-dev/|vitest-|tribunal)`,
	`\bnpx (-y|--yes) \S*tribunal`,
	`\buses: "?tribunal-dev/`,
	`\bbrew (install|tap) \S*tribunal`,
	`\b(ghcr|docker|quay|gcr)\.\w+/\S*tribunal`,
	`\b(pull|run)\b.* docker\.io/\S*tribunal`,
	`github\.com/tribunal-dev/tribunal/(releases|archive)`,
}, "|"))

// unresolved says whether a line names what nobody can install today.
func unresolved(line string) bool {
	return strings.Contains(line, "tribunal") && fetched.MatchString(line) &&
		!slices.ContainsFunc(published, func(known string) bool { return strings.Contains(line, known) })
}

// No page, recipe or text of the program names what does not resolve: whoever copies the line gets nothing, or the
// program of somebody else.
func TestWhatIsNamedCanBeInstalled(t *testing.T) {
	kinds := []string{".md", ".yml", ".yaml", ".go", ".txtar", ".toml", ".json", ".js", ".mjs", ".py", ".rb", ".sh", ""}
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "node_modules", "dist", "extras"}, entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || !entry.Type().IsRegular() || !slices.Contains(kinds, filepath.Ext(path)):
			return nil
		case filepath.Base(path) == "published_test.go" || slices.Contains(releasing, name):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for i, line := range strings.Split(string(text), "\n") {
			if unresolved(line) {
				t.Errorf("%s:%d names what is not published; build it from a clone: %s", name, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 1000 {
		t.Errorf("only %d files were read", files)
	}
}

func TestUnresolvedLines(t *testing.T) {
	for line, want := range map[string]bool{
		"go install github.com/tribunal-dev/tribunal/cmd/tribunal-fleet@latest, or put it beside": true,
		"go get github.com/tribunal-dev/tribunal@v1.2.0":                                          true,
		"pip install tribunal":                                             true,
		"pip install --upgrade pytest-tribunal":                            true,
		"uvx tribunal run":                                                 true,
		"uv tool install tribunal-cli":                                     true,
		"npm install --save-dev tribunal":                                  true,
		"npm i tribunal-vitest":                                            true,
		"npm install @tribunal-dev/tribunal-linux-x64":                     true,
		"      - uses: tribunal-dev/tribunal@main":                         true,
		"brew install tribunal-dev/tap/tribunal":                           true,
		"docker pull ghcr.io/tribunal-dev/tribunal":                        true,
		"curl -L https://github.com/tribunal-dev/tribunal/releases/latest": true,

		"go install ./cmd/tribunal ./cmd/tribunal-fleet":                                false,
		"pip install ./packaging/pip":                                                   false,
		"pip install --no-index dist/tribunal_cli-*.whl":                                false,
		"npm install --prefix ../shop --save-dev ./dist/tribunal*.tgz":                  false,
		"npx tribunal version":                                                          false,
		"        uses: ./tribunal-source":                                               false,
		"podman run --rm -v \"$PWD:/work\" tribunal verdict trials.jsonl":               false,
		"git clone https://github.com/tribunal-dev/tribunal && cd tribunal":             false,
		"npm install --save-dev --install-links ./packaging/integrations/vitest # fine": false,
	} {
		if got := unresolved(line); got != want {
			t.Errorf("%q: unresolved %v", line, got)
		}
	}
}
