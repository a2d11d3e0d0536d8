package architecture_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/architecture"
)

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath string
	Imports    []string // those of its tests are left out
	Standard   bool
}

func TestImportsPointDownwards(t *testing.T) {
	packages := list(t)
	ours := slices.ContainsFunc(packages, func(p goPackage) bool { return p.ImportPath == module+"/trial" })
	if !ours {
		t.Fatalf("go list names %d packages, and trial is not among them", len(packages))
	}
	for _, v := range append(violations(packages), reached(packages)...) {
		t.Error(v)
	}
}

// folderOf is the place of a package's top folder among the folders, and -1 for none of them.
func folderOf(path string) int { return architecture.FolderOf(strings.TrimPrefix(path, module+"/")) }

// climbing returns a sentence for each import of a package whose folder is further up, or that is in no known folder.
func climbing(packages []goPackage) (sentences []string) {
	for _, p := range packages {
		if !strings.HasPrefix(p.ImportPath, module+"/") {
			continue
		}
		from := folderOf(p.ImportPath)
		if from < 0 {
			sentences = append(sentences, p.ImportPath+" is in a folder that the order of folders does not name")
		}
		for _, imported := range p.Imports {
			if to := folderOf(imported); strings.HasPrefix(imported, module+"/") && to > from {
				sentences = append(sentences, p.ImportPath+" imports "+imported+", whose folder is further up")
			}
		}
	}
	return sentences
}

func TestFoldersPointDownwards(t *testing.T) {
	for _, sentence := range climbing(list(t)) {
		t.Error(sentence)
	}
	up := []goPackage{{ImportPath: module + "/trial", Imports: []string{module + "/suite"}}, {ImportPath: module + "/new"}}
	if found := climbing(up); len(found) != 2 {
		t.Errorf("of an import upwards and a new folder, %q is said", found)
	}
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	// The others are packaging, and findings about other software.
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(architecture.Folders, e.Name()) &&
			e.Name() != "packaging" && e.Name() != "findings" {
			t.Errorf("the folder %s is new at the top", e.Name())
		}
	}
}

func list(t *testing.T) (packages []goPackage) {
	t.Helper()
	readSources(t)
	command := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Standard", "./...",
		"./bench/...") // a module of its own
	command.Dir = "../.."
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.Bytes())
	}
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var p goPackage
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// readSources reads every file of the module: go test takes a result from its cache
// unless a file changed that the test itself has read, and what go list reads does
// not count.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != "..":
			return filepath.SkipDir
		case filepath.Ext(name) == ".go":
			_, err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// violations returns a sentence for each import that breaks a rule.
func violations(packages []goPackage) (sentences []string) {
	standard := map[string]bool{"C": true, "unsafe": true}
	for _, p := range packages {
		standard[p.ImportPath] = standard[p.ImportPath] || p.Standard
	}
	for _, p := range packages {
		name, ours := strings.CutPrefix(p.ImportPath, module+"/")
		if !ours {
			continue
		}
		floor := floorOf(name)
		if floor < 0 {
			sentences = append(sentences, fmt.Sprintf("%s stands on no floor", name))
			continue
		}
		for _, imported := range p.Imports {
			if rule := broken(name, floor, imported, standard[imported]); rule != "" {
				sentences = append(sentences,
					fmt.Sprintf("%s imports %s: %s", name, strings.TrimPrefix(imported, module+"/"), rule))
			}
		}
	}
	return sentences
}

// reached returns a sentence for each package that is to be kept out of another and is
// not, with the way to it.
func reached(packages []goPackage) (sentences []string) {
	imports := map[string][]string{}
	for _, p := range packages {
		imports[p.ImportPath] = p.Imports
	}
	for _, k := range kept {
		from := module + "/" + k.target
		queue := []string{from}
		before := map[string]string{from: ""}
		for len(queue) > 0 {
			name := queue[0]
			queue = queue[1:]
			if under(name, module+"/"+k.out) {
				way := ""
				for ; name != ""; name = before[name] {
					way = " -> " + strings.TrimPrefix(name, module+"/") + way
				}
				sentences = append(sentences,
					fmt.Sprintf("%s is to be kept out of %s:%s", k.out, k.target, strings.TrimPrefix(way, " ->")))
				break
			}
			for _, next := range imports[name] {
				if _, seen := before[next]; !seen {
					before[next] = name
					queue = append(queue, next)
				}
			}
		}
	}
	return sentences
}

// broken returns the rule that the import breaks, or "".
func broken(name string, floor int, imported string, standard bool) string {
	for _, r := range reserved {
		for _, library := range r.libraries {
			if under(imported, library) && !slices.ContainsFunc(r.only, func(only string) bool { return under(name, only) }) {
				return "only " + strings.Join(r.only, ", ") + " may"
			}
		}
	}
	if below, ours := strings.CutPrefix(imported, module+"/"); ours {
		switch target := floorOf(below); {
		case target == floor:
			return "it is on the same floor"
		case target > floor:
			return "that is upwards"
		}
		return ""
	}
	if under(imported, "gonum.org/v1/gonum") && floor > gonumFloor {
		return "gonum belongs to the lowest floors"
	}
	if only, ok := closed[name]; ok && !standard && !under(imported, only) {
		return "it may use the standard library and " + only
	}
	return ""
}

func under(imported, library string) bool {
	return imported == library || strings.HasPrefix(imported, library+"/")
}

// floorOf returns the number of the floor that a package stands on, from 0, and -1 for
// one that stands on none.
func floorOf(name string) int {
	return slices.IndexFunc(floors, func(packages []string) bool { return slices.Contains(packages, name) })
}

func TestViolationsAreFound(t *testing.T) {
	const (
		onlyBench = "only bench may"
		onlyJSON  = "it may use the standard library and github.com/go-json-experiment/json"
		onlyGonum = "it may use the standard library and gonum.org/v1/gonum"
	)
	for _, c := range []struct{ from, to, want string }{
		{"stats", module + "/verdict", "stats imports verdict: that is upwards"},
		{"ingest", module + "/report", "ingest imports report: that is upwards"},
		{"verdict", module + "/suite", "verdict imports suite: it is on the same floor"},
		{"stats", module + "/trial", "stats imports trial: it is on the same floor"},
		{"trial", module + "/internal/refdata",
			"trial imports internal/refdata: only cmd/internal/cli/clitest, verdict/internal/sample may"},
		{"report", module + "/bench", "report imports bench: " + onlyBench},
		{"cmd/tribunal", module + "/bench/internal/savings", "cmd/tribunal imports bench/internal/savings: " + onlyBench},
		{"cmd/internal/cli", module + "/bench/internal/calibration", "cmd/internal/cli imports bench/internal/calibration: " + onlyBench},
		{"attic", "fmt", "attic stands on no floor"},
		{"verdict", "gonum.org/v1/gonum/stat",
			"verdict imports gonum.org/v1/gonum/stat: gonum belongs to the lowest floors"},
		{"report", "github.com/olekukonko/tablewriter/tw",
			"report imports github.com/olekukonko/tablewriter/tw: only internal/table may"},
		{"cmd/tribunal", "github.com/spf13/cobra",
			"cmd/tribunal imports github.com/spf13/cobra: only cmd/internal/cli may"},
		{"report", "gonum.org/v1/plot/vg", "report imports gonum.org/v1/plot/vg: only report/chart may"},
		{"report", "github.com/spf13/pflag", "report imports github.com/spf13/pflag: only cmd/internal/cli may"},
		{"trial", "github.com/google/go-cmp/cmp", "trial imports github.com/google/go-cmp/cmp: " + onlyJSON},
		{"trial", "gonum.org/v1/gonum/stat", "trial imports gonum.org/v1/gonum/stat: " + onlyJSON},
		{"stats", "github.com/google/go-cmp/cmp", "stats imports github.com/google/go-cmp/cmp: " + onlyGonum},
	} {
		packages := []goPackage{
			{ImportPath: "fmt", Standard: true},
			{ImportPath: module + "/" + c.from, Imports: []string{"fmt", c.to}},
		}
		if diff := cmp.Diff([]string{c.want}, violations(packages)); diff != "" {
			t.Errorf("%s -> %s (-want +got):\n%s", c.from, c.to, diff)
		}
	}
}

func TestWhatIsKeptOutIsFound(t *testing.T) {
	packages := []goPackage{
		{ImportPath: module + "/cmd/tribunal", Imports: []string{"os", module + "/cmd/internal/cli"}},
		{ImportPath: module + "/cmd/internal/cli", Imports: []string{module + "/report", module + "/cmd/internal/app"}},
		{ImportPath: module + "/cmd/internal/app", Imports: []string{module + "/bench/internal/savings"}},
		{ImportPath: module + "/bench/cmd/tribunal-calibrate", Imports: []string{module + "/bench/internal/calibration"}},
	}
	want := []string{"bench is to be kept out of cmd/tribunal: " +
		"cmd/tribunal -> cmd/internal/cli -> cmd/internal/app -> bench/internal/savings"}
	if diff := cmp.Diff(want, reached(packages)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	packages[1].Imports = packages[1].Imports[:1]
	if got := reached(packages); len(got) > 0 {
		t.Errorf("nothing leads there, and it found %q", got)
	}
}

func TestAllowedImportsAreLeftAlone(t *testing.T) {
	packages := []goPackage{
		{ImportPath: "fmt", Standard: true},
		{ImportPath: "github.com/spf13/cobra", Imports: []string{"github.com/spf13/pflag", "fmt"}},
		{ImportPath: module + "/trial", Imports: []string{"fmt", "github.com/go-json-experiment/json/jsontext"}},
		{ImportPath: module + "/stats",
			Imports: []string{"unsafe", "gonum.org/v1/gonum/stat/distuv", module + "/internal/enum"}},
		{ImportPath: module + "/fingerprint", Imports: []string{"gonum.org/v1/gonum/mat", module + "/stats"}},
		{ImportPath: module + "/internal/table", Imports: []string{"github.com/olekukonko/tablewriter"}},
		{ImportPath: module + "/internal/refdata", Imports: []string{"testing"}},
		{ImportPath: module + "/report", Imports: []string{module + "/verdict", module + "/internal/table"}},
		{ImportPath: module + "/report/chart",
			Imports: []string{module + "/verdict", module + "/sprt", "gonum.org/v1/plot/plotter"}},
		{ImportPath: module + "/cmd/internal/cli", Imports: []string{"github.com/spf13/cobra", module + "/report"}},
		{ImportPath: module + "/cmd/internal/cli/base", Imports: []string{"github.com/spf13/cobra", module + "/suite"}},
		{ImportPath: module + "/bench/cmd/tribunal-calibrate",
			Imports: []string{module + "/cmd/internal/cli", module + "/bench"}},
		{ImportPath: module + "/bench/internal/savings",
			Imports: []string{module + "/bench", module + "/bench/internal/simulation", module + "/stats"}},
		{ImportPath: module + "/cmd/tribunal", Imports: []string{module + "/cmd/internal/cli"}},
	}
	if got := violations(packages); len(got) > 0 {
		t.Errorf("found %q", got)
	}
}
