package mcpserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/suite"
)

// folder is where all files must be.
type folder struct {
	path string   // absolute, without symbolic links
	root *os.Root // files are opened through it, so that no link leads out that was not there a moment ago
}

func newFolder(name string) (*folder, error) {
	path, err := filepath.Abs(name)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	return &folder{path, root}, err
}

// outsideError says that a file is not in the folder.
type outsideError struct{ name string }

func (e *outsideError) Error() string {
	return prose.Quote(e.name) + " is outside of the folder that this server was started in: name a file within it"
}

// file returns the name of a file that is there, from the folder, with symbolic links followed. One that leads out
// of the folder is refused before anything is said of where it leads.
func (f *folder) file(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("a name of a file has no NUL in it")
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.path, path)
	}
	from, err := f.inside(path)
	if err != nil {
		return "", &outsideError{name}
	}
	info, err := f.root.Stat(from)
	switch {
	case err != nil:
		// A link to what is not there may lead anywhere.
		return "", fmt.Errorf("%s is not there, or cannot be looked at", prose.Quote(name))
	case !info.Mode().IsRegular() && !info.IsDir():
		return "", fmt.Errorf("%s is neither a file nor a folder", prose.Quote(name))
	}
	// No name may be taken for a flag or for standard input.
	if strings.HasPrefix(from, "-") {
		from = "." + string(filepath.Separator) + from
	}
	return from, nil
}

// inside returns the name of an absolute path from the folder, with symbolic links followed where they can be: the root
// takes no absolute ones, not even those that stay inside.
func (f *folder) inside(path string) (string, error) {
	path = filepath.Clean(path)
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = path // it cannot be opened, and the root says why
	}
	// As it is written first, so that nothing is told of files outside.
	if !f.holds(path) && err != nil || !f.holds(resolved) {
		return "", &outsideError{path}
	}
	return filepath.Rel(f.path, resolved)
}

// holds reports whether a clean absolute path is in the folder.
func (f *folder) holds(path string) bool {
	from, err := filepath.Rel(f.path, path)
	return err == nil && filepath.IsLocal(from)
}

// suite is file for a suite, which may name a folder; "" is that of the folder itself. The contracts that it
// names are read with it, and must be in the folder too.
func (f *folder) suite(name string) (string, error) {
	if name == "" {
		name = suite.FileName
		if !f.exists(filepath.Join(f.path, name)) {
			return "", fmt.Errorf("there is no %s in the folder of this server: name the suite", name)
		}
	}
	file, err := f.file(name)
	if err != nil {
		return "", err
	}
	if info, err := f.root.Stat(file); err == nil && info.IsDir() {
		if file, err = f.file(filepath.Join(file, suite.FileName)); err != nil {
			return "", err
		}
	}
	text, err := f.read(filepath.Join(f.path, file))
	if err != nil {
		return "", err
	}
	root, err := yamlnode.Parse(file, "suite", text)
	if err != nil {
		return "", err
	}
	return file, f.named(root, filepath.Dir(file), "", 0)
}

// readBySuites are the keys of a suite below which files are named that are read with it: contracts, lists of tools,
// graphs, scenarios, parts of the suite, variables, and prices; and the cassettes of a run.
var readBySuites = map[string]bool{
	"contract": true, "tools_file": true, "graph_file": true, "from": true, "include": true, "env_file": true,
	"prices": true, "cassette": true,
}

// mostIncluded is how deep parts of a suite may include others here. Chosen.
const mostIncluded = 16

// named refuses files outside of the folder that are read with a suite, and looks into the parts that it includes.
func (f *folder) named(n *yaml.Node, dir, key string, deep int) error {
	if readBySuites[key] && n.Kind == yaml.ScalarNode && n.Value != "" {
		path := n.Value
		if !filepath.IsAbs(path) {
			path = filepath.Join(f.path, dir, path)
		}
		path = filepath.Clean(path)
		// Of a pattern, or of what is not there, the folder above that is there says where it leads.
		for above := path; f.holds(above); above = filepath.Dir(above) {
			if f.exists(above) {
				if _, err := f.inside(above); err != nil {
					return &outsideError{n.Value}
				}
				break
			}
		}
		if !f.holds(path) {
			return &outsideError{n.Value}
		}
		if key == "include" && f.exists(path) {
			return f.included(path, deep+1)
		}
		return nil
	}
	for i, part := range n.Content {
		below := key
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue // a key
		}
		// Of a contract in place the clauses name no file; of one elsewhere the file alone is one.
		if n.Kind == yaml.MappingNode && key == "contract" && n.Content[i-1].Value != "file" {
			continue
		}
		if n.Kind == yaml.MappingNode && (key == "" || readBySuites[n.Content[i-1].Value] || !readBySuites[key]) {
			below = n.Content[i-1].Value
		}
		if err := f.named(part, dir, below, deep); err != nil {
			return err
		}
	}
	return nil
}

// included looks at the files that a part of a suite names. What is wrong with it otherwise is told where it is read.
func (f *folder) included(path string, deep int) error {
	if deep > mostIncluded {
		return fmt.Errorf("the parts of the suite include each other more than %d deep", mostIncluded)
	}
	text, err := f.read(path)
	if err != nil {
		return nil
	}
	root, err := yamlnode.Parse(path, "suite", text)
	if err != nil {
		return nil
	}
	from, err := filepath.Rel(f.path, filepath.Dir(path))
	if err != nil {
		return err
	}
	return f.named(root, from, "", deep)
}

// within returns a context in which recordings, results and suites are opened through the root alone.
func (f *folder) within(ctx context.Context) context.Context {
	return input.Within(ctx, f.root, func(name string) (string, error) {
		path, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		from, err := f.inside(path)
		if err != nil {
			return "", &outsideError{name}
		}
		return from, nil
	})
}

// read reads a file of YAML.
func (f *folder) read(path string) ([]byte, error) {
	return yamlnode.ReadContext(f.within(context.Background()), path)
}

// exists reports whether there is a file of an absolute path that the folder holds, or a link.
func (f *folder) exists(path string) bool {
	from, err := filepath.Rel(f.path, path)
	if err != nil {
		return false
	}
	_, err = f.root.Lstat(from)
	return err == nil
}
