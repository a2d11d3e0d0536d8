package suite

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// A folder of scenarios is a suite without one being written: a file that is dropped in is a scenario of the kind of
// its folder, named after it.
func TestCorpusWithoutSuite(t *testing.T) {
	s, err := LoadCorpus("testdata/corpus", CorpusOptions{Command: []string{"./agent", "--cost", "$5"}})
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(here, "agent"), "--cost", "$$5"}; !slices.Equal(s.Agent.Command, want) ||
		s.Agent.WorkingDir != here || s.Agent.Wire == nil {
		t.Errorf("command %q in %s, wire %v; want %q", s.Agent.Command, s.Agent.WorkingDir, s.Agent.Wire, want)
	}
	type row struct {
		Name, Kind       string
		Capability       string
		Threshold, Delta float64
	}
	var have []row
	for _, c := range s.Scenarios {
		have = append(have, row{c.Name, string(c.Kind), strings.Join(c.Capabilities, " "), c.Test.Threshold, c.Test.Delta})
	}
	want := []row{
		{"conformance/answers", "conformance", "answers", 0.9, 0.1}, {"limited", "faults", "answers", 0.9, 0.1},
		{"security/files/escapes", "security", "files", 0.9995, 0.0495},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("scenarios (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"answers", "files"}, s.Capabilities); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	if s.Name != "corpus" {
		t.Errorf("name %q", s.Name)
	}
}

func TestCorpusOptionsGoOverWhatItSays(t *testing.T) {
	s, err := LoadCorpus("testdata/corpus", CorpusOptions{Command: []string{"agent"}, Threshold: 0.8, AttackSuccess: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	if have := s.Scenarios[0].Test.Threshold; have != 0.8 {
		t.Errorf("threshold %v", have)
	}
	if have := s.Scenarios[2].Test.Threshold; have != 0.9999 {
		t.Errorf("threshold of an attack %v", have)
	}
}

// copied is the corpus with a suite of its own.
func copied(t *testing.T, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.CopyFS(dir, os.DirFS("testdata/corpus")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What the suite of a corpus says stays; the agent may be another one.
func TestCorpusWithSuite(t *testing.T) {
	dir := copied(t, "agent: {command: [./own], timeout: 7s}\nwire: {guard: deny}\n"+
		"scenarios: {corpus: ., attack_success: 0.1}\n")
	s, err := LoadCorpus(dir, CorpusOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "mine" || s.Agent.Command[0] != "./own" || s.Scenarios[2].Test.Threshold != 0.999 {
		t.Errorf("%s %v %v", s.Name, s.Agent.Command, s.Scenarios[2].Test)
	}
	other, err := LoadCorpus(dir, CorpusOptions{Command: []string{"python3", "agent.py"}})
	if err != nil {
		t.Fatal(err)
	}
	if a := other.Agent; a.Command[0] != "python3" || a.Timeout != s.Agent.Timeout || a.Wire.Guard != "deny" {
		t.Errorf("%v %v %v", a.Command, a.Timeout, a.Wire)
	}
	suite := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(suite, []byte("agent: {command: [./bin/shop, --fast], env_file: .env}\nwire: true\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	third, err := LoadCorpus(dir, CorpusOptions{Agent: suite})
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Dir(suite)
	if a := third.Agent; a.Command[0] != filepath.Join(from, "bin", "shop") || a.WorkingDir != from ||
		a.EnvFile != filepath.Join(from, ".env") {
		t.Errorf("%v in %s with %s", a.Command, a.WorkingDir, a.EnvFile)
	}
}

func TestCorpusThatCannotBe(t *testing.T) {
	for name, test := range map[string]struct {
		suite string
		want  string
	}{
		"no agent": {"name: a\n", "names no agent"},
		"by suite": {"agent: {command: [./a]}\ntest: {threshold: 0.9, by: suite}\n", "cannot be tested by suite"},
		"unknown key": {"agent: {command: [./a]}\ncolour: red\n",
			"has no key \"colour\""},
	} {
		if _, err := LoadCorpus(copied(t, test.suite), CorpusOptions{}); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	if _, err := LoadCorpus(t.TempDir(), CorpusOptions{Command: []string{"a"}}); err == nil ||
		!strings.Contains(err.Error(), "has no folder conformance, faults or security") {
		t.Error(err)
	}
	if _, err := LoadCorpus("testdata/absent", CorpusOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	_, err := LoadCorpus("corpus_test.go", CorpusOptions{})
	if refused, ok := errors.AsType[*trial.FileError](err); !ok || refused.Problem != "is no folder" {
		t.Error(err)
	}
}
