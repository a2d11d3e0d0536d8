package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/architecture"
)

// module is a checkout: its path, and its packages by their folders, such as "stats" or
// "cmd/tribunal".
type module struct {
	// As go.mod has it; imports that begin so are of this module.
	path     string
	packages map[string]*folder
}

// folder is the Go files of one folder that are no tests.
type folder struct {
	name  string // of the package
	files []file
	// Whole paths, those of other modules too.
	imports map[string]bool // of the files that are built on this system

	schemas   []string          // of JSON forms, wherever the code has one as a literal
	constants map[string]string // that are schemas, by their names
	kinds     [][2]string       // package and name of what a function Kinds uses
}

// readModule reads all Go files of a checkout. Folders that the go command leaves out
// are left out: testdata, vendor, and those that begin with a dot or an underscore.
func readModule(root string) (*module, error) {
	name, err := modulePath(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	m := &module{path: name, packages: map[string]*folder{}}
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil:
			return err
		// The root itself may be called anything, also ".".
		case entry.IsDir() && name != root && ignored(base):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
			return nil
		}
		return m.add(root, name)
	})
	if err == nil && len(m.packages) == 0 {
		err = fmt.Errorf("%s holds no Go files", root)
	}
	return m, err
}

// ignored reports whether the go command passes over a folder.
func ignored(folder string) bool {
	return folder == "testdata" || folder == "vendor" || strings.HasPrefix(folder, ".") || strings.HasPrefix(folder,
		"_")
}

// modulePath reads the path of a module from its go.mod. It expects the line as the go
// command writes it, with one blank after the keyword.
func modulePath(name string) (string, error) {
	text, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer text.Close()
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		if path, ok := strings.CutPrefix(lines.Text(), "module "); ok {
			return strings.TrimSpace(path), nil
		}
	}
	return "", fmt.Errorf("%s names no module", name)
}

// add reads a file, unless it is generated. A file for another system is counted, as
// somebody has to read it, but what it imports is not part of the program that is built
// here.
func (m *module) add(root, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	// A file that is no Go is an error: figures of a part would look like those of the
	// whole.
	parsed, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(parsed) {
		return nil
	}
	relative, err := filepath.Rel(root, filepath.Dir(name))
	if err != nil {
		return err
	}
	relative = filepath.ToSlash(relative)
	in := m.packages[relative]
	if in == nil {
		in = &folder{name: parsed.Name.Name, imports: map[string]bool{}, constants: map[string]string{}}
		m.packages[relative] = in
	}
	in.files = append(in.files, readFile(set, parsed, text))
	in.readSchemas(parsed)
	// By the constraint in the file and by its name, such as other_plan9.go.
	built, err := build.Default.MatchFile(filepath.Dir(name), filepath.Base(name))
	if err != nil || !built {
		return err
	}
	for _, spec := range parsed.Imports {
		in.imports[strings.Trim(spec.Path.Value, `"`)] = true
	}
	return nil
}

// reached are the folders of a package and of all that it imports of this module.
// Breadth first, from the package itself; one that is not in the checkout ends the way
// there.
func (m *module) reached(from string) (list []string) {
	seen := map[string]bool{from: true}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		in := m.packages[queue[0]]
		if in == nil {
			continue
		}
		list = append(list, queue[0])
		for name := range in.imports {
			below, ours := strings.CutPrefix(name, m.path+"/")
			if ours && !seen[below] {
				seen[below] = true
				queue = append(queue, below)
			}
		}
	}
	return list
}

// public are the folders of the packages that a library user can import for what they offer.
func (m *module) public() (list []string) {
	for _, name := range slices.Sorted(maps.Keys(m.packages)) {
		if m.packages[name].name != "main" && architecture.IsPublic(name) {
			list = append(list, name)
		}
	}
	return list
}

// tops are the folders at the top that have packages, in the order of the alphabet.
func (m *module) tops() (list []string) {
	for name := range m.packages {
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains(list, top) {
			list = append(list, top)
		}
	}
	slices.Sort(list)
	return list
}

// commandLine are the folders of the packages of commands, where they are and where they were.
func (m *module) commandLine() (list []string) {
	for name := range m.packages {
		if below := strings.TrimPrefix(name, "cmd/") + "/"; strings.HasPrefix(below, "internal/cli/") {
			list = append(list, name)
		}
	}
	return list
}

// lines are those of all files of these folders.
func (m *module) lines(folders []string) (n int) {
	for _, name := range folders {
		for _, f := range m.packages[name].files {
			n += f.lines
		}
	}
	return n
}

// program is the folder of the program that is shipped. It is the same in every checkout
// that is measured; where there is none, nothing is reached.
var program = path.Join("cmd", "tribunal")
