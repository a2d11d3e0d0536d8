package main

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/architecture"
)

// verifier is the package that judges results again: its function Kinds lists them by constants of their schemas.
const verifier = "verdict/verify"

var schemaLiteral = regexp.MustCompile(`^"tribunal/[a-z-]+/v[0-9]+"$`)

// readSchemas notes the names of JSON forms in a file, the constants that they are, and what Kinds names.
func (in *folder) readSchemas(parsed *ast.File) {
	paths := map[string]string{}
	for _, spec := range parsed.Imports {
		name := strings.Trim(spec.Path.Value, `"`)
		paths[path.Base(name)] = name
	}
	kinds := false // the function that is walked through is Kinds
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			kinds = n.Name.Name == "Kinds"
		case *ast.BasicLit:
			if schemaLiteral.MatchString(n.Value) {
				in.schemas = append(in.schemas, strings.Trim(n.Value, `"`))
			}
		case *ast.ValueSpec:
			for i, value := range n.Values {
				if literal, is := value.(*ast.BasicLit); is && schemaLiteral.MatchString(literal.Value) {
					in.constants[n.Names[i].Name] = strings.Trim(literal.Value, `"`)
				}
			}
		case *ast.SelectorExpr:
			if from, is := n.X.(*ast.Ident); is && kinds {
				in.kinds = append(in.kinds, [2]string{paths[from.Name], n.Sel.Name})
			}
		}
		return true
	})
}

// unverified says how many JSON schemas named in the code verify does not know, and how many of these packages besides
// those below cmd name: the others are lists, logs and notes of commands, no results of a judge. Left out are those of
// bench, which are measurements of the project itself.
func (m *module) unverified() string {
	known := m.kinds()
	all, unknown, outside := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for name, in := range m.packages {
		// The verifier names those of others.
		if strings.HasPrefix(name+"/", "bench/") || name == verifier {
			continue
		}
		for _, schema := range in.schemas {
			all[schema] = true
			if slices.Contains(known, schema) {
				continue
			}
			unknown[schema] = true
			if !strings.HasPrefix(name, "cmd/") {
				outside[schema] = true
			}
		}
	}
	return fmt.Sprintf("%d of %d, %d of them outside cmd", len(unknown), len(all), len(outside))
}

// kinds are the schemas of the kinds of results that can be verified.
func (m *module) kinds() (list []string) {
	in := m.packages[verifier]
	if in == nil {
		return nil
	}
	for _, k := range in.kinds {
		if owner := m.packages[strings.TrimPrefix(k[0], m.path+"/")]; owner != nil && owner.constants[k[1]] != "" {
			list = append(list, owner.constants[k[1]])
		}
	}
	return list
}

// drawing is the package that lays out tables, which the writers of documents alone should need.
const drawing = "internal/table"

// pastDocuments counts the packages below cmd that lay out text by themselves: those that import the package of tables.
// What they print is there as text alone, and not in the formats of documents.
func (m *module) pastDocuments() (n int) {
	for name, in := range m.packages {
		if strings.HasPrefix(name, "cmd/") && in.imports[m.path+"/"+drawing] {
			n++
		}
	}
	return n
}

// climbing says how many of the arrows between top folders, of which packages of one import the other, point upwards in
// the order of the architecture. Folders that it does not name have none.
func (m *module) climbing() string {
	arrows, up := map[[2]int]bool{}, 0
	for name, in := range m.packages {
		from := architecture.FolderOf(name)
		for imported := range in.imports {
			below, ours := strings.CutPrefix(imported, m.path+"/")
			to := architecture.FolderOf(below)
			arrow := [2]int{from, to}
			if !ours || from == to || from < 0 || to < 0 || arrows[arrow] {
				continue
			}
			arrows[arrow] = true
			if to > from {
				up++
			}
		}
	}
	return fmt.Sprintf("%d of %d", up, len(arrows))
}
