//go:build ignore

// Generate writes this package from the module that go.mod names: its files, with the
// meta-schemas compiled by a function in place of init, and with a function that is called at every node. Run it
// after an update. The
// argument is the folder; without one it is this.
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/santhosh-tekuri/jsonschema/v6"

// edits are what is changed, in every place of one file.
var edits = map[string][][2]string{
	"draft.go":    {{"func init() {\n\tc := NewCompiler()", "func compileMetaSchemas() {\n\tc := newCompiler()"}},
	"compiler.go": {{"// NewCompiler create Compiler Object.\nfunc NewCompiler()", "func newCompiler()"}},
	"roots.go":    {{"rr.assertVocabs, rr.vocabularies);", "rr.assertVocabs, rr.vocabularies, nil);"}},
	"validator.go": {
		{"return sch.validate(v, nil, nil, nil, false, nil)", "return sch.validate(v, nil, nil, nil, false, nil, nil)"},
		{
			"validate(v any, regexpEngine RegexpEngine, meta *Schema, resources map[jsonPointer]*resource, " +
				"assertVocabs bool, vocabularies map[string]*Vocabulary) error",
			"validate(\n\tv any, regexpEngine RegexpEngine, meta *Schema, resources map[jsonPointer]*resource,\n" +
				"\tassertVocabs bool, vocabularies map[string]*Vocabulary, visit func(),\n) error",
		},
		{"\t\tvocabularies: vocabularies,\n", "\t\tvocabularies: vocabularies,\n\t\tvisit:        visit,\n"},
		{
			"\t\tvocabularies: vd.vocabularies,\n",
			"\t\tvocabularies: vd.vocabularies,\n\t\tvisit:        vd.visit,\n",
		},
		{
			"sch.validate(pname, vd.regexpEngine, meta, resources, vd.assertVocabs, vd.vocabularies);",
			"sch.validate(\n\t\t\t\tpname, vd.regexpEngine, meta, resources, vd.assertVocabs, vd.vocabularies, " +
				"vd.visit,\n\t\t\t);",
		},
		{
			"sch.validate(*deserialized, vd.regexpEngine, meta, resources, vd.assertVocabs, vd.vocabularies);",
			"sch.validate(\n\t\t\t*deserialized, vd.regexpEngine, meta, resources, vd.assertVocabs, vd.vocabularies, " +
				"vd.visit,\n\t\t);",
		},
		{
			"\tvocabularies map[string]*Vocabulary\n}",
			"\tvocabularies map[string]*Vocabulary\n\n\tvisit func() // at every node\n}",
		},
		{
			"\ts := vd.sch\n\tv := vd.v\n",
			"\tif vd.visit != nil {\n\t\tvd.visit()\n\t}\n\ts := vd.sch\n\tv := vd.v\n",
		},
	},
}

func main() {
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	if err := generate(folder); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generate writes the files into a folder.
func generate(folder string) error {
	listed, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}} {{.Version}}", module).Output()
	if err != nil {
		return err
	}
	source, version, _ := strings.Cut(strings.TrimSpace(string(listed)), " ")
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		schema := strings.HasPrefix(filepath.ToSlash(name), "metaschemas")
		switch {
		case entry.IsDir() && name != "." && !schema:
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(folder, name), 0o777)
		case !schema && name != "LICENSE" && filepath.Ext(name) != ".go", strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(name) == ".go" {
			if text, err = edited(name, version, text); err != nil {
				return err
			}
		}
		return os.WriteFile(filepath.Join(folder, name), text, 0o666)
	})
}

func edited(name, version string, text []byte) ([]byte, error) {
	for _, edit := range edits[name] {
		if !bytes.Contains(text, []byte(edit[0])) {
			return nil, fmt.Errorf("%s of %s does not hold %q", name, version, edit[0])
		}
		text = bytes.ReplaceAll(text, []byte(edit[0]), []byte(edit[1]))
	}
	header := fmt.Sprintf("// Code generated from %s %s by generate.go. DO NOT EDIT.\n\n", module, version)
	return append([]byte(header), text...), nil
}
