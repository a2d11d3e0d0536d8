package ingest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestListFolder(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"b.jsonl":        `{"scenario":"a","outcome":"pass"}`,
		"a/z.xml":        `<testsuite/>`,
		"a/b/deep.csv":   "scenario,outcome\n",
		"a/t.jsonl.gz":   zipped(t, `{"scenario":"a","outcome":"pass"}`),
		"cut.jsonl":      `{"scenario":"a","outc`,
		"c.atif":         `{"schema_version":"ATIF-v1.7","agent":{},"steps":[]}`,
		"README.md":      "# Runs\n",
		"config.json":    `{"colour":"red"}`,
		"empty.json":     "",
		"none.json":      "{}",
		"broken.json":    `{"a":`,
		"list.json":      "[]",
		"a/bin":          "\x00\x01",
		"a/false.gz":     "\x1f\x8bno",
		"a/list.jsonl":   "\ufeff [" + `{"scenario":"a","outcome":"pass"}]`,
		"a/config2.json": `{"a":"` + string(make([]byte, 70_000)) + `"}`,
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := file(t, "outside.txt", "pass\n")
	for link, target := range map[string]string{"link.txt": outside, "loop": root} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	list := func(from Format) (names []string, other int) {
		found, err := ListFolder(context.Background(), root, from)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found.Files {
			name, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
		return names, found.Other
	}
	names, other := list(Auto)
	want := []string{"a/b/deep.csv", "a/list.jsonl", "a/t.jsonl.gz", "a/z.xml", "b.jsonl", "c.atif", "cut.jsonl"}
	if diff := cmp.Diff(want, names); diff != "" || other != 9 {
		t.Errorf("%d others; (-want +got):\n%s", other, diff)
	}
	if names, other := list(Trials); len(names) != 16 || other != 0 {
		t.Errorf("with a format: %d others; %q", other, names)
	}
}

func TestListFolderFails(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	_, err := ListFolder(context.Background(), missing, Auto)
	if e, ok := errors.AsType[*trial.FileError](err); !ok || e.File != missing || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%T %v", err, err)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	if _, err := ListFolder(ctx, t.TempDir(), Auto); err != stop {
		t.Errorf("%v", err)
	}
}
