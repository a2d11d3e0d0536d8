package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// participles are words that say what happens to a value, or what it does, and not what it is: no name of a type.
var participles = strings.Fields(`acting added adding advised again allowed alike answered answering appending asked
	asking assigned away before begin begun broken cached capped changed claimed coded combined compared computed
	conducted configured confirmed contradicting counted counting crowded dearest decided declared designing documented
	drawn endless excluded expected exported failing fitting fixed followed found full gated gathered given growing
	guarding had hashed heedful held holds imported importing inflated inherited interrupted judged judging keeping kept
	known labeled labelled lacking limited listed live located locked looking matched matching measured measuring merged
	merging more moved observed offered opened ordered packed packing panicked passed passing pending placed plain
	preparing priced proposed pruned pruning pumped quiet racing raised ranked reached recorded reduced remembered
	repeated replayed restricted running said sampled saved scoring searched searching seen sees sent served settled
	sharded sharing short sided signalled simulated since slowly smaller spare spent spoken started stated stopped stored
	stuck suggesting summed taken taping tallied tested thinned tilted timed together told tooled tried trusted trusting
	trying twofold unanswered unclosed undecided unpacked unstartable untried valued watched weighted when worded worked`)

// TestNamesAreNouns finds types whose names are participles, and variables, parameters, fields and constants called of.
func TestNamesAreNouns(t *testing.T) {
	eachSource(t, func(path string, text []byte) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		check := func(names ...ast.Expr) {
			for _, e := range names {
				if id, is := e.(*ast.Ident); is && id.Name == "of" {
					t.Errorf("%s: of is to be named by what it holds", fset.Position(id.Pos()))
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if slices.Contains(participles, strings.ToLower(n.Name.Name)) {
					t.Errorf("%s: the type %s is to be named by what it is", fset.Position(n.Pos()), n.Name)
				}
			case *ast.Field:
				for _, id := range n.Names {
					check(id)
				}
			case *ast.ValueSpec:
				for _, id := range n.Names {
					check(id)
				}
			case *ast.AssignStmt:
				check(n.Lhs...)
			case *ast.RangeStmt:
				check(n.Key, n.Value)
			}
			return true
		})
	})
}
