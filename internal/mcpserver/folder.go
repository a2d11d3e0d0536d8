package mcpserver

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/suite"
)

// folder is where all files must be.
type folder struct {
	path string // absolute, without symbolic links
}

func newFolder(root string) (*folder, error) {
	path, err := filepath.Abs(root)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	return &folder{path}, err
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
	// As it is written first, so that nothing is told of files outside.
	if path = filepath.Clean(path); !f.holds(path) {
		if resolved, err := filepath.EvalSymlinks(path); err != nil || !f.holds(resolved) {
			return "", &outsideError{name}
		}
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		// A link to what is not there may lead anywhere.
		return "", fmt.Errorf("%s is not there, or cannot be looked at", prose.Quote(name))
	}
	if !f.holds(resolved) {
		return "", &outsideError{name}
	}
	info, err := os.Stat(resolved)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return "", fmt.Errorf("%s is neither a file nor a folder", prose.Quote(name))
	}
	from, err := filepath.Rel(f.path, resolved)
	if err != nil {
		return "", err
	}
	// No name may be taken for a flag or for standard input.
	if strings.HasPrefix(from, "-") {
		from = "." + string(filepath.Separator) + from
	}
	return from, nil
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
		if !exists(filepath.Join(f.path, name)) {
			return "", fmt.Errorf("there is no %s in the folder of this server: name the suite", name)
		}
	}
	file, err := f.file(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(filepath.Join(f.path, file)); err == nil && info.IsDir() {
		if file, err = f.file(filepath.Join(file, suite.FileName)); err != nil {
			return "", err
		}
	}
	text, err := yamlnode.Read(filepath.Join(f.path, file))
	if err != nil {
		return "", err
	}
	root, err := yamlnode.Parse(file, "suite", text)
	if err != nil {
		return "", err
	}
	return file, f.named(root, filepath.Dir(file), "", 0)
}

// readBySuites are the keys of a suite below which files are named that are read with it: contracts, the tools of an
// agent, scenarios, parts of the suite, and variables.
var readBySuites = map[string]bool{"contract": true, "tools": true, "from": true, "include": true, "env_file": true}

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
			if exists(above) {
				if f.confine(above) != nil {
					return &outsideError{n.Value}
				}
				break
			}
		}
		if !f.holds(path) {
			return &outsideError{n.Value}
		}
		if key == "include" && exists(path) {
			return f.included(path, deep+1)
		}
		return nil
	}
	for i, part := range n.Content {
		below := key
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue // a key
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
	text, err := yamlnode.Read(path)
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

// confine makes every recording and result that is opened for a request one of the folder.
func (f *folder) confine(open string) error {
	path, err := filepath.Abs(open)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err == nil && !f.holds(path) {
		return &outsideError{open}
	}
	return nil // what cannot be followed cannot be opened
}
