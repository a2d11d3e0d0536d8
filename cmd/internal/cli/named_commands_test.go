package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command that a text of the program names is there, under its path of today, and has the flags that stand
// behind it.
func TestTextsNameCommandsThatAreThere(t *testing.T) {
	tree := root(completed(App{}))
	named := regexp.MustCompile(`\btribunal [a-z][^;:,.()\n]*`)
	another := regexp.MustCompile(` and | && | -- `) // which another command may follow
	flag := regexp.MustCompile(`--([a-z][a-z-]*)`)
	// Words behind the name of the program in sentences about it, and in what is signed or hashed.
	besides := strings.Fields("beside coordinator design does family fleet help is itself on reads relations rounds " +
		"shuffle test than")
	count := 0
	for place, text := range textsOfTheProgram(t) {
		for _, mention := range named.FindAllString(text, -1) {
			words := strings.Fields(mention)[1:]
			command, left := tree, words
			if long := short[words[0]]; long != "" {
				left = append(strings.Fields(long), words[1:]...)
			}
			for len(left) > 0 {
				at := slices.IndexFunc(command.Commands(), func(c *cobra.Command) bool { return c.Name() == left[0] })
				if at < 0 {
					break
				}
				command, left = command.Commands()[at], left[1:]
			}
			if command == tree && slices.Contains(besides, words[0]) {
				continue
			}
			if !command.Runnable() && len(left) > 0 || command == tree {
				t.Errorf("%s: there is no %s %s: %q", place, command.CommandPath(), left[0], text)
				continue
			}
			count++
			for _, f := range flag.FindAllStringSubmatch(another.Split(mention, 2)[0], -1) {
				if command.Flags().Lookup(f[1]) == nil && command.InheritedFlags().Lookup(f[1]) == nil {
					t.Errorf("%s: %s has no --%s: %q", place, command.CommandPath(), f[1], text)
				}
			}
		}
	}
	if count < 200 {
		t.Errorf("only %d commands are named", count)
	}
}

// textsOfTheProgram are the texts in its code, by their places; what is added up is one.
func textsOfTheProgram(t *testing.T) map[string]string {
	t.Helper()
	texts, files := map[string]string{}, token.NewFileSet()
	err := filepath.WalkDir("../../..", func(name string, entry fs.DirEntry, err error) error {
		if entry.Name() == "bench" { // is no part of the program
			return fs.SkipDir
		}
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, is := n.(ast.Expr)
			if !is {
				return true
			}
			text := constant(e)
			if text != "" {
				texts[files.Position(e.Pos()).String()] = text
			}
			return text == ""
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// constant is the text of an expression; "" of what is none. Of a sum, what is no text is left out.
func constant(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return constant(e.X) + constant(e.Y)
		}
	}
	return ""
}
