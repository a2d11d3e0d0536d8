// Package kept keeps answers that take long to compute in a folder, each by its question, so that the next command need
// not compute them again.
//
//	if !kept.Load(ctx, question, &answer) {
//		answer = compute(question)
//		kept.Save(ctx, question, answer)
//	}
//
// Questions and answers are data that JSON holds without loss. An answer is of the program that computed it: another
// build computes it anew. It is believed as the program itself is, which stands in the user's folders too: so none is
// read from a folder that others may write to, and one that is damaged is none. Nothing depends on the folder: without
// one, or where it cannot be read or written, every answer is computed.
package kept

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
)

// mostFiles is how many answers a folder has, and mostBytes how long one is, at most. Both are chosen: a hundred
// megabytes at worst, and a few in practice.
const (
	mostFiles = 500
	mostBytes = 1 << 20
)

// key is that of the folder in a context.
type key struct{}

// In returns a context whose answers are kept in a folder of the user's caches that is named; a system without such a
// place keeps none.
func In(ctx context.Context, name string) context.Context {
	caches, err := os.UserCacheDir()
	if err != nil {
		return ctx
	}
	return With(ctx, filepath.Join(caches, name))
}

// With returns a context whose answers are kept in a folder, which need not be there yet.
func With(ctx context.Context, folder string) context.Context {
	return context.WithValue(ctx, key{}, folder)
}

// Load reads the answer of a question into a pointer, and reports whether there is one.
func Load(ctx context.Context, question, answer any) bool {
	name := file(ctx, question)
	if name == "" || !ours(filepath.Dir(name)) {
		return false
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes {
		return false
	}
	text, err := os.ReadFile(name)
	sum, text, _ := bytes.Cut(text, []byte("\n"))
	return err == nil && string(sum) == sumOf(text) && json.Unmarshal(text, answer) == nil
}

// ours reports whether a folder is one that nobody else may write to, as far as its mode says; Windows has none.
func ours(folder string) bool {
	info, err := os.Lstat(folder)
	return err == nil && info.IsDir() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o022 == 0)
}

// sumOf is the checksum of a text.
func sumOf(parts ...[]byte) string {
	sum := sha256.Sum256(slices.Concat(parts...))
	return hex.EncodeToString(sum[:])
}

// Save keeps the answer of a question.
func Save(ctx context.Context, question, answer any) {
	text, err := json.Marshal(answer)
	name := file(ctx, question)
	if name == "" || err != nil || len(text) > mostBytes || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	// Whoever reads meanwhile sees all of an answer, or none.
	part, err := os.CreateTemp(filepath.Dir(name), "*.part")
	if err != nil {
		return
	}
	defer os.Remove(part.Name())
	_, err = fmt.Fprintf(part, "%s\n%s", sumOf(text), text)
	if err := cmp.Or(err, part.Close()); err == nil && os.Rename(part.Name(), name) == nil {
		prune(filepath.Dir(name))
	}
}

// file is that of a question; "" where nothing is kept.
func file(ctx context.Context, question any) string {
	folder, _ := ctx.Value(key{}).(string)
	text, err := json.Marshal(question)
	if folder == "" || err != nil || program() == "" {
		return ""
	}
	return filepath.Join(folder, sumOf([]byte(program()+"\n"), text)+".json")
}

// program tells this build from others; "" where the system does not say what runs.
var program = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
})

// prune removes the oldest files of a folder that has too many.
func prune(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) <= mostFiles {
		return
	}
	age := func(e os.DirEntry) (at int64) {
		if info, err := e.Info(); err == nil {
			at = info.ModTime().UnixNano()
		}
		return at
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(age(a), age(b)) })
	for _, e := range entries[:len(entries)-mostFiles] {
		_ = os.Remove(filepath.Join(folder, e.Name()))
	}
}
