package contract

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/tribunal-dev/tribunal/trial"
)

var update = flag.Bool("update", false, "write the messages of testdata/bad.txtar")

// Every bad contract has its exact message.
func TestBadContracts(t *testing.T) {
	const file = "testdata/bad.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rewritten []txtar.File
	for i, f := range archive.Files {
		if filepath.Ext(f.Name) != ".yaml" {
			continue
		}
		c, err := Parse("contract.yaml", f.Data)
		if err == nil || c != nil {
			t.Errorf("%s is accepted", f.Name)
			continue
		}
		got := err.Error() + "\n"
		rewritten = append(rewritten, f,
			txtar.File{Name: strings.TrimSuffix(f.Name, ".yaml") + ".txt", Data: []byte(got)})
		want := ""
		if i+1 < len(archive.Files) && filepath.Ext(archive.Files[i+1].Name) == ".txt" {
			want = string(archive.Files[i+1].Data)
		}
		if diff := cmp.Diff(want, got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if len(rewritten) < 40 {
		t.Errorf("only %d files", len(rewritten))
	}
	if *update {
		archive.Files = rewritten
		if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

const complete = `# everything
version: 1
name: complete
p: 0.8
delta: 0.2
k: 5
clauses:
  - name: asked
    kind: precondition
    when: trial.scenario startsWith "re"
    require: trial.input_text != ""
  - name: cheap
    kind: postcondition
    severity: soft
    require: |
      trial.cost_usd < 0.10
      and trial.tokens < 5000
  - {name: shallow, kind: invariant, require: (step.depth ?? 0) < 3 and len(previous) < 50}
  - name: careful
    kind: guardrail
    severity: hard
    forbid: {tools: delete_*, paths: ["/etc/**"], urls: ["http://*"], commands: [rm -rf /]}
    allow: {paths: [/etc/hosts]}
  - {name: quick, kind: guardrail, require: step.error == ""}
`

func TestComplete(t *testing.T) {
	c, err := Parse("contract.yaml", []byte(complete))
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "complete" || c.Promise != (Promise{P: 0.8, Delta: 0.2, K: 5}) || len(c.Clauses) != 5 {
		t.Errorf("%+v", c)
	}
	careful := c.Clauses[3]
	want := Patterns{Tools: []string{"delete_*"}, Paths: []string{"/etc/**"}, URLs: []string{"http://*"},
		Commands: []string{"rm -rf /"}}
	if diff := cmp.Diff(want, careful.Forbid); diff != "" || careful.Kind != Guardrail ||
		careful.Severity != Hard || careful.guard == nil {
		t.Error(diff, careful)
	}
	if c.Clauses[1].Severity != Soft || c.Clauses[0].Severity != Hard || c.Clauses[0].when == nil ||
		c.Clauses[1].require == nil {
		t.Errorf("%+v", c.Clauses)
	}
	plain, err := Parse("x.yaml",
		[]byte(strings.NewReplacer("# everything\n", "", "delete_*", "'delete_*'").Replace(complete)))
	if err != nil || plain.Digest() != c.Digest() || !strings.HasPrefix(c.Digest(), "sha256:") {
		t.Error("the layout changes the digest", err)
	}
	for _, change := range [][2]string{{"0.10", "0.11"}, {"k: 5", "k: 6"}, {"soft", "hard"},
		{"/etc/hosts", "/etc/motd"}, {"asked", "told"}} {
		other, err := Parse("x.yaml", []byte(strings.Replace(complete, change[0], change[1], 1)))
		if err != nil || other.Digest() == c.Digest() {
			t.Errorf("%q leaves the digest: %v", change, err)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(filepath.Join(dir, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Error(err)
	}
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("#", maxBytes+1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(large); err == nil ||
		!strings.HasSuffix(err.Error(), "large.yaml is larger than 4 MiB; is it a contract?") {
		t.Error(err)
	}
}

// Parse returns a contract or an error for every text, and what it returns can be
// checked.
func FuzzParse(f *testing.F) {
	f.Add([]byte(complete))
	if archive, err := txtar.ParseFile("testdata/bad.txtar"); err == nil {
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse("contract.yaml", text)
		if err != nil {
			if err.Error() == "" || c != nil {
				t.Errorf("%v %v", c, err)
			}
			return
		}
		if len(c.Clauses) == 0 || c.Name == "" || c.Digest() == "" {
			t.Errorf("%+v", c)
		}
		findings := c.Check(t.Context(),
			&trial.Trial{Steps: []trial.Step{{Action: trial.CallTool, Tool: "x", Arguments: trial.Raw(`{"a":"b c"}`)}}})
		for _, finding := range findings {
			if (finding.State == unjudged) != (finding.Problem != "") ||
				(finding.State == Violated) != (len(finding.Violations) > 0) {
				t.Errorf("%+v", finding)
			}
		}
	})
}
