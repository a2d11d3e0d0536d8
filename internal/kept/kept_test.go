package kept_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/kept"
)

type question struct{ Trials int }

func TestKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "folder")
	ctx := kept.With(t.Context(), folder)
	var answer float64
	if kept.Load(ctx, question{1}, &answer) {
		t.Error("an answer that nobody gave")
	}
	kept.Save(ctx, question{1}, 0.1)
	kept.Save(t.Context(), question{2}, 0.2)
	if !kept.Load(ctx, question{1}, &answer) || answer != 0.1 {
		t.Errorf("the answer is %v, want 0.1", answer)
	}
	if kept.Load(ctx, question{2}, &answer) {
		t.Error("an answer that was given without a folder")
	}
}

// What is damaged, what others may have written, and what cannot be written, is no answer.
func TestFolderThatIsBroken(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "answers")
	ctx := kept.With(t.Context(), folder)
	kept.Save(ctx, question{1}, 0.125)
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var answer float64
	for name, text := range map[string]string{
		"cut off": string(whole[:len(whole)-1]), "changed": strings.Replace(string(whole), "0.125", "0.126", 1), "empty": "",
		"too long": string(whole) + strings.Repeat(" ", 2<<20),
	} {
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if kept.Load(ctx, question{1}, &answer) {
			t.Errorf("%s: the answer is %v", name, answer)
		}
	}
	if err := os.WriteFile(files[0], whole, 0o600); err != nil || !kept.Load(ctx, question{1}, &answer) {
		t.Errorf("the answer as it was is not read: %v", err)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(folder, 0o777); err != nil || kept.Load(ctx, question{1}, &answer) {
			t.Errorf("an answer from a folder that others may write to: %v", err)
		}
	}
	kept.Save(kept.With(t.Context(), filepath.Join(files[0], "below a file")), question{1}, 0.1)
}

func TestFolderHasAnEnd(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "answers")
	ctx := kept.With(t.Context(), folder)
	const saved = 510
	for i := range saved {
		kept.Save(ctx, question{i}, i)
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 500 {
		t.Errorf("%d files, %v; want 500", len(files), err)
	}
	var answer int
	if !kept.Load(ctx, question{saved - 1}, &answer) || answer != saved-1 {
		t.Errorf("the last answer is %d, want %d", answer, saved-1)
	}
}
