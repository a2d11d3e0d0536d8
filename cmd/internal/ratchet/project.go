package ratchet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/glob"
)

// Chosen: a copy of more takes so long that the rest is to be linked or left out.
const (
	mostFiles     = 20_000
	mostCopyBytes = 1 << 30
	mostFileBytes = 16 << 20 // of a file that may change
)

// Files are contents of files, by their names with slashes. A file that is not there has no entry.
type Files map[string][]byte

// digest identifies files: their names and what is in them.
func (f Files) digest() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		sum := sha256.Sum256(f[name])
		fmt.Fprintf(h, "%d %s %x\n", len(name), name, sum)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// readFiles returns those of the names that are regular files of a folder. A link is none: what it leads to is another
// file.
func readFiles(folder string, names []string) (Files, error) {
	files := Files{}
	for _, name := range names {
		at := filepath.Join(folder, filepath.FromSlash(name))
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, &fs.PathError{Op: "read", Path: at, Err: errors.New("it is not a regular file")}
		case info.Size() > mostFileBytes:
			return nil, &fs.PathError{Op: "read", Path: at, Err: fmt.Errorf("it has more than %d bytes", mostFileBytes)}
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	return files, nil
}

// write puts files in place, each whole, and removes those of the names that are none of them.
func (f Files) write(folder string, names []string) error {
	for _, name := range names {
		at := filepath.Join(folder, filepath.FromSlash(name))
		text, there := f[name]
		if !there {
			if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := replace(at, text); err != nil {
			return err
		}
	}
	return nil
}

// replace puts a text in the place of a file at once: who looks sees the one or the other. Its mode is kept.
func replace(at string, text []byte) (err error) {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(at); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(at), ".ratchet-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), at)
}

// leftover reports whether a name is that of a file which replace had not put in place when it was killed.
func leftover(name string) bool { return strings.HasPrefix(path.Base(name), ".ratchet-") }

// never are folders that no copy has.
var never = []string{".git", ".tribunal", ".hg"}

// matchesAny reports whether a name, or a folder above it, matches one of the globs.
func matchesAny(globs []string, name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		for _, pattern := range globs {
			if glob.Matches(pattern, at) {
				return true
			}
		}
	}
	return false
}

// walk calls back for what a copy of the project has, folders before what is in them. What it returns of a folder may
// be fs.SkipDir.
func (c *Config) walk(ctx context.Context, each func(name string, e fs.DirEntry) error) error {
	root := c.Dir()
	return filepath.WalkDir(root, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		relative, err := filepath.Rel(root, at)
		if err != nil || relative == "." {
			return err
		}
		name := filepath.ToSlash(relative)
		switch {
		case e.IsDir() && slices.Contains(never, e.Name()), e.IsDir() && matchesAny(c.Exclude, name):
			return fs.SkipDir
		case matchesAny(c.Exclude, name), leftover(name):
			return nil
		}
		return each(name, e)
	})
}

// copyTo copies the project, without the files that may change, to a folder that is not there yet.
func (c *Config) copyTo(ctx context.Context, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	files, size := 0, int64(0)
	return c.walk(ctx, func(name string, e fs.DirEntry) error {
		at, into := c.Path(name), filepath.Join(to, filepath.FromSlash(name))
		if files++; files > mostFiles || size > mostCopyBytes {
			return &fault.Error{
				Problem: fmt.Sprintf("%s has more than %d files, or %d MiB, and is copied for each attempt", c.Dir(), mostFiles,
					mostCopyBytes>>20),
				Advice: "name in exclude what tests do not need, and in link large folders that they only read",
			}
		}
		switch {
		case matchesAny(c.Link, name):
			whole, err := filepath.Abs(at)
			if err == nil {
				err = os.Symlink(whole, into)
			}
			if err == nil && e.IsDir() {
				err = fs.SkipDir
			}
			return err
		case e.IsDir():
			return os.MkdirAll(into, 0o755)
		case slices.Contains(c.Files, name):
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(at)
			if err != nil {
				return err
			}
			return os.Symlink(target, into)
		case !e.Type().IsRegular():
			return nil // a pipe or a socket belongs to who made it
		}
		n, err := copyFile(at, into)
		size += n
		return err
	})
}

// copyFile copies a regular file with its mode.
func copyFile(from, to string) (n int64, err error) {
	source, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return 0, err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o200)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(target, source)
	return n, errors.Join(err, target.Close())
}

// protected reads what must not change: the regular files of a folder that match protect.
func (c *Config) protected(folder string) (Files, error) {
	files := Files{}
	if len(c.Protect) == 0 {
		return files, nil
	}
	err := filepath.WalkDir(folder, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(folder, at)
		name := filepath.ToSlash(relative)
		switch {
		case err != nil || name == ".":
			return err
		case e.IsDir() && (slices.Contains(never, e.Name()) || matchesAny(c.Exclude, name)):
			return fs.SkipDir
		case e.IsDir() || byProduct(name) || leftover(name) || !matchesAny(c.Protect, name):
			return nil
		case !e.Type().IsRegular():
			files[name] = []byte("not a regular file") // a link in the place of a file is a change
			return nil
		}
		text, err := os.ReadFile(at)
		files[name] = text
		return err
	})
	return files, err
}

// byProduct reports whether a file is what interpreters and test runners leave beside tests.
func byProduct(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if part == "__pycache__" || part == ".pytest_cache" {
			return true
		}
	}
	return strings.HasSuffix(name, ".pyc")
}

// changed are the names of files that differ, in order.
func changed(before, after Files) (names []string) {
	for name, text := range before {
		if now, there := after[name]; !there || string(now) != string(text) {
			names = append(names, name)
		}
	}
	for name := range after {
		if _, there := before[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// removeAll removes a copy, also where what ran in it took rights away from folders.
func removeAll(folder string) error {
	err := os.RemoveAll(folder)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(folder, func(at string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			return os.Chmod(at, 0o700)
		}
		return nil
	})
	return os.RemoveAll(folder)
}
