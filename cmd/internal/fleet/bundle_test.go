package fleet

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
)

func writeIn(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// folder has what a suite may have.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeIn(t, filepath.Join(dir, "a", "run.sh"), "#!/bin/sh\n", 0o755)
	writeIn(t, filepath.Join(dir, "b.txt"), "b", 0o644)
	writeIn(t, filepath.Join(dir, ".git", "HEAD"), "ref", 0o644)
	writeIn(t, filepath.Join(dir, ".tribunal", "s.journal.jsonl"), "{}", 0o600)
	if err := os.Symlink("../b.txt", filepath.Join(dir, "a", "link")); err != nil {
		t.Skip("there are no links here: " + err.Error())
	}
	return dir
}

func TestBundleComesAsItWent(t *testing.T) {
	one, err := pack(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	other, err := pack(folder(t))
	if err != nil || other.digest != one.digest {
		t.Errorf("equal folders have the digests %s and %s: %v", one.digest, other.digest, err)
	}
	to := t.TempDir()
	if err := unpack(one.data, one.digest, to); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(to, "a", "link"))
	if err != nil || string(text) != "b" {
		t.Errorf("behind the link is %q: %v", text, err)
	}
	if info, err := os.Stat(filepath.Join(to, "a", "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the program is %v, %v", info, err)
	}
	for _, name := range []string{".git", ".tribunal"} {
		if _, err := os.Stat(filepath.Join(to, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s has come along: %v", name, err)
		}
	}
	if err := unpack(append(bytes.Clone(one.data), 0), one.digest, t.TempDir()); !errors.Is(err, errUnpack) {
		t.Errorf("with another digest: %v", err)
	}
}

func TestLinksThatLeadOut(t *testing.T) {
	for _, target := range []string{"../..", "/etc/passwd", "../../b.txt"} {
		dir := folder(t)
		if err := os.Symlink(target, filepath.Join(dir, "a", "out")); err != nil {
			t.Fatal(err)
		}
		if _, err := pack(dir); err == nil || !strings.Contains(err.Error(), "leads out of the folder") {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// Nothing is written outside of the folder, whatever the names and links in a bundle are.
func TestBundlesThatReachOut(t *testing.T) {
	for name, headers := range map[string][]tar.Header{
		"a parent":       {{Name: "../out", Typeflag: tar.TypeReg, Mode: 0o600}},
		"an absolute":    {{Name: "/tmp/tribunal-bundle-out", Typeflag: tar.TypeReg, Mode: 0o600}},
		"through a link": {{Name: "l", Linkname: "..", Typeflag: tar.TypeSymlink}, {Name: "l/out", Typeflag: tar.TypeReg}},
		"a device":       {{Name: "d", Typeflag: tar.TypeChar}},
		"twice":          {{Name: "x", Typeflag: tar.TypeReg, Mode: 0o600}, {Name: "x", Typeflag: tar.TypeReg, Mode: 0o600}},
	} {
		var data bytes.Buffer
		compressed := gzip.NewWriter(&data)
		archive := tar.NewWriter(compressed)
		for _, h := range headers {
			if err := archive.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
		}
		archive.Close()
		compressed.Close()
		sum := sha256.Sum256(data.Bytes())
		above := t.TempDir()
		dir := filepath.Join(above, "dir")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := unpack(data.Bytes(), hex.EncodeToString(sum[:]), dir); !errors.Is(err, errUnpack) {
			t.Errorf("%s: %v", name, err)
		}
		if found, _ := os.ReadDir(above); len(found) != 1 {
			t.Errorf("%s: %v are there", name, found)
		}
	}
}

// A suite that names a file outside of its folder is refused before any worker has it.
func TestSuiteThatNeedsMoreThanItsFolder(t *testing.T) {
	above := t.TempDir()
	writeIn(t, filepath.Join(above, "base.yaml"), "limits: none\n", 0o600)
	writeIn(t, filepath.Join(above, "s", "tribunal.yaml"),
		"version: 1\nname: s\ninclude: ../base.yaml\nagent: {command: [sh]}\n"+
			"test: {threshold: 0.9}\nscenarios: [{name: a, evaluate: [contains: x]}]\n", 0o600)
	s, err := suite.Load(filepath.Join(above, "s", "tribunal.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundled(t.Context(), s, ""); err == nil || !strings.Contains(err.Error(), "from its own folder alone") {
		t.Errorf("it is %v", err)
	}
}
