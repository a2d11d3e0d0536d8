package suite

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDigest(t *testing.T) {
	digest := func(text string) string {
		s, err := Parse("tribunal.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Digest()
	}
	base := digest(minimal)
	if !strings.HasPrefix(base, "sha256:") || len(base) != 7+64 {
		t.Fatal(base)
	}
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"version: 1", "# a comment\nversion: 1", true},
		{"{a: 1, b: 2}", "{b: 2, a: 1}", true},
		{"limits: none", "limits: {max_turns: none, max_cost_usd: none}", true},
		{"limits: none", "limits: none\nbudget: {max_cost_usd: 1}\nconcurrency: 9", true},
		{"limits: none", "limits: none\nseed: 1\norder: interleaved", true},
		{"limits: none", "limits: none\ncoverage: {tools: [a], minimum: 0.5}\ncapabilities: [infer]", true},
		{"limits: none", "limits: none\nseed: 2", false},
		{"limits: none", "limits: {max_turns: 3, max_cost_usd: none}", false},
		{"{a: 1, b: 2}", "{a: 1, b: 3}", false},
		{"./agent", "./other", false},
		{"0.9", "0.8", false},
		{"name: one", "name: two", false},
		{"name: one,", "name: one, evaluate: [contains: x],", false},
		{"name: one,", "name: one, trials: 3,", false},
	} {
		if got := digest(strings.Replace(minimal, c.old, c.new, 1)); (got == base) != c.same {
			t.Errorf("%s -> %s: same is %v", c.old, c.new, got == base)
		}
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "repository", "a", "b")
	for _, dir := range []string{deep, filepath.Join(root, "repository", ".git")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(minimal), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(root, FileName)) // above the repository: not its own
	if got, err := Find(deep); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s %v", got, err)
	}
	path := filepath.Join(root, "repository", FileName)
	write(path)
	if got, err := Find(deep); got != path || err != nil {
		t.Errorf("%s %v", got, err)
	}
	if s, err := Load(path); err != nil || s.Dir() != filepath.Dir(path) ||
		s.Argv()[0] != filepath.Join(filepath.Dir(path), "agent") {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := Load(filepath.Join(deep, FileName)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestTooLarge(t *testing.T) {
	_, err := Parse("tribunal.yaml", bytes.Repeat([]byte("#"), MaxBytes+1))
	if err == nil || err.Error() != "tribunal.yaml is larger than 4 MiB; is it a suite?" {
		t.Error(err)
	}
}
