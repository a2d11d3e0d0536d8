package app

import (
	"context"
	"crypto/sha1" // by which git names contents
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// worktreePatience is for how long git is waited for. It is chosen: a tree of a hundred thousand files takes a second.
const worktreePatience = 20 * time.Second

// Worktree is a digest of the files that git tracks around a folder, as they are now: it is the same of a commit and of
// the same changes before they are committed. Files that are left out, by their paths, count for nothing, as those that
// git does not track. Without git it is the commit, as far as that is known, and "" where nothing is. Tracked reports
// whether git tracks a file, and may be nil.
func Worktree(
	ctx context.Context, folder string, env func(string) string, leave []string,
) (digest string, tracked func(file string) bool) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", nil
	}
	tree := treeOf(folder)
	if tree == "" {
		return Commit(folder, env), nil
	}
	files, err := trackedFiles(ctx, tree)
	if err != nil {
		return Commit(folder, env), nil
	}
	all := maps.Clone(files)
	tracked = func(file string) bool {
		// A link is none of what it leads to.
		within, err := filepath.Rel(real(tree), filepath.Join(real(filepath.Dir(file)), filepath.Base(file)))
		_, known := all[filepath.ToSlash(within)]
		return err == nil && known
	}
	for _, name := range leave {
		if within, err := filepath.Rel(tree, real(name)); err == nil {
			delete(files, filepath.ToSlash(within))
		}
		if within, err := filepath.Rel(tree, absolute(name)); err == nil {
			delete(files, filepath.ToSlash(within))
		}
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%d:%s %s\n", len(name), name, files[name])
	}
	return hex.EncodeToString(h.Sum(nil)), tracked
}

// absolute is the absolute path of a file, or the path as it is.
func absolute(name string) string {
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// real is the path of a file without links, or its absolute path.
func real(name string) string {
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return absolute(name)
	}
	return absolute(path)
}

// trackedFiles are the hashes of the files that git tracks in a work tree, by their paths from its root.
func trackedFiles(ctx context.Context, tree string) (map[string]string, error) {
	ctx, end := context.WithTimeout(ctx, worktreePatience)
	defer end()
	staged, err := gitLists(ctx, tree, "ls-files", "-s", "-z")
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	for _, line := range staged {
		// Such as "100644 e69de29b... 0", a tab, and the name.
		what, name, _ := strings.Cut(line, "\t")
		if words := strings.Fields(what); len(words) == 3 {
			files[name] = words[1]
		}
	}
	changed, err := gitLists(ctx, tree, "ls-files", "-m", "-z")
	if err != nil {
		return nil, err
	}
	for _, name := range changed {
		files[name] = blobOf(filepath.Join(tree, filepath.FromSlash(name)), len(files[name]))
	}
	return files, nil
}

// gitLists runs git in a work tree and returns what it prints, parted at zeros.
func gitLists(ctx context.Context, tree string, arguments ...string) ([]string, error) {
	command := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, arguments...)...)
	command.Dir = tree
	out, err := command.Output()
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// blobOf is the hash by which git names the content of a file, in so many digits; "" where there is no such file.
func blobOf(name string, digits int) string {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		target, _ := os.Readlink(name) // of a link; "" of what is gone
		return target
	}
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	var h hash.Hash = sha1.New()
	if digits > 2*sha1.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
