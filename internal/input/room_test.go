package input

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A name that becomes a link out of the root after it was looked at, or a part of which does, opens nothing: the
// function does what somebody in a race would.
func TestRaceLeadsNowhere(t *testing.T) {
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret"), "hidden")
	inside := t.TempDir()
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.Symlink("secret", filepath.Join(inside, "probe")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	read := func(name string, swap func(path string)) (string, error) {
		ctx := Within(context.Background(), root, func(name string) (string, error) {
			swap(filepath.Join(inside, name))
			return name, nil
		})
		file, err := Open(ctx, name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		text, err := io.ReadAll(file)
		return string(text), err
	}
	replace := func(path, target string) {
		t.Helper()
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	away, err := filepath.Rel(inside, filepath.Join(outside, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"absolute": filepath.Join(outside, "secret"), "relative": away} {
		write(t, filepath.Join(inside, name), "seen")
		if text, err := read(name, func(string) {}); err != nil || text != "seen" {
			t.Errorf("%s: %q %v", name, text, err)
		}
		if text, err := read(name, func(path string) { replace(path, target) }); err == nil {
			t.Errorf("%s: %q is read", name, text)
		}
	}
	if err := os.Mkdir(filepath.Join(inside, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("folder", "secret")
	write(t, filepath.Join(inside, name), "seen")
	if text, err := read(name, func(string) {}); err != nil || text != "seen" {
		t.Errorf("in a folder: %q %v", text, err)
	}
	if text, err := read(name, func(path string) { replace(filepath.Dir(path), outside) }); err == nil {
		t.Errorf("in a folder that became a link: %q is read", text)
	}
	for _, name := range []string{"..", filepath.Join("..", filepath.Base(outside), "secret"),
		filepath.Join(outside, "secret")} {
		ctx := Within(context.Background(), root, func(name string) (string, error) { return name, nil })
		if file, err := Open(ctx, name); err == nil {
			file.Close()
			t.Errorf("%s is opened", name)
		}
	}
}
