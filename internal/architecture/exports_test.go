package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/architecture"
)

// mostNames is how many exported names a public package may have, methods and fields left out: more than that is no
// door that somebody can hold in the head.
const mostNames = 60

// larger are the public packages that have more, with how many they may have. A number becomes smaller, unless a
// capability needs a name that no other can make room for.
var larger = map[string]int{
	"runner": 82, "sprt": 64, "stats": 76, "suite": 98, "trial/oracle": 80, "verdict": 78, "verdict/compare": 74,
	"verdict/plan": 87, "verdict/runs": 93,
}

// How many public packages there may be, and how many names they may export in all: as [larger] says.
const (
	mostPackages = 66
	mostInAll    = 2_025
)

// exportedNames counts the exported functions, types, variables and constants of each public package.
func exportedNames(t *testing.T) map[string]int {
	t.Helper()
	names := map[string]int{}
	err := filepath.WalkDir("../..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(name), filepath.Join("..", "..")+string(filepath.Separator)))
		if entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || !architecture.IsPublic(folder) {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		names[folder] += 0
		for _, d := range file.Decls {
			names[folder] += exportedOf(d)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// exportedOf counts the exported names that a declaration adds to its package.
func exportedOf(d ast.Decl) (n int) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			n++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}

func TestPublicPackagesAreSmall(t *testing.T) {
	names := exportedNames(t)
	if names["trial"] == 0 || names["internal/prose"] != 0 {
		t.Fatalf("the names of public packages are not counted: %v", names)
	}
	inAll := 0
	for folder, n := range names {
		inAll += n
		if most := max(mostNames, larger[folder]); n > most {
			t.Errorf("%s has %d exported names, more than %d", folder, n, most)
		}
	}
	if len(names) > mostPackages || inAll > mostInAll {
		t.Errorf("%d public packages export %d names, more than %d packages and %d names",
			len(names), inAll, mostPackages, mostInAll)
	}
	for folder, most := range larger {
		if names[folder] < most {
			t.Errorf("%s may have %d exported names, and has %d: lower the number", folder, most, names[folder])
		}
	}
}
