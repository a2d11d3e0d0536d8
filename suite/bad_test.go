package suite

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the messages of testdata/bad.txtar")

// cases reads an archive of pairs NAME.yaml and NAME.txt.
func cases(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// Every bad suite has its exact message, with EVALUATORS for the names of them all.
func TestBadSuites(t *testing.T) {
	const file = "testdata/bad.txtar"
	archive := cases(t, file)
	var rewritten []txtar.File
	count := 0
	for i, f := range archive.Files {
		if filepath.Ext(f.Name) != ".yaml" {
			continue
		}
		count++
		_, err := Parse("tribunal.yaml", f.Data)
		if err == nil {
			t.Errorf("%s is accepted", f.Name)
			continue
		}
		got := strings.ReplaceAll(err.Error(), strings.Join(evaluatorNames(), ", "), "EVALUATORS") + "\n"
		rewritten = append(rewritten, f,
			txtar.File{Name: strings.TrimSuffix(f.Name, ".yaml") + ".txt", Data: []byte(got)})
		if *update {
			continue
		}
		want := ""
		if i+1 < len(archive.Files) && filepath.Ext(archive.Files[i+1].Name) == ".txt" {
			want = string(archive.Files[i+1].Data)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if count < 40 {
		t.Errorf("only %d cases", count)
	}
	if *update {
		archive.Files = rewritten
		if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Parse returns a suite or an error for every text, and what it returns is whole.
func FuzzParse(f *testing.F) {
	f.Add([]byte(minimal))
	if text, err := os.ReadFile("testdata/complete.yaml"); err == nil {
		f.Add(text)
	}
	if archive, err := txtar.ParseFile("testdata/bad.txtar"); err == nil {
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse("tribunal.yaml", text)
		if err != nil {
			if err.Error() == "" || s != nil {
				t.Errorf("%v %v", s, err)
			}
			return
		}
		if len(s.Scenarios) == 0 || len(s.Agent.Command) == 0 && s.Agent.kind() == "" || s.Digest() == "" ||
			s.Test.validate() != nil || len(s.Variants) > maxVariants {
			t.Errorf("%+v", s)
		}
		for _, c := range s.Scenarios {
			if c.Test.validate() != nil || c.Test.Threshold == 0 && !c.Test.Against.Asked() || c.Name == "" ||
				!json.Valid(c.Input) ||
				slices.Contains(c.Evaluators(), nil) {
				t.Errorf("%+v", c)
			}
		}
	})
}
