package store_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tribunal-dev/tribunal/report/store"
)

// On a full disk nothing of the run is there, and the runs before it are.
func TestAFullDisk(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s, err := store.Open(t.Context(), filepath.Join(folder, "runs.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Add(t.Context(), store.Run{Suite: "small"}, made(100, true)); err != nil {
		t.Fatal(err)
	}
	_, err = s.Add(t.Context(), store.Run{Suite: "large"}, made(50_000, true))
	refused(t, err, "full", "nothing of the run was added")
	runs, err := s.Runs(t.Context(), store.Query{}, 0, 0)
	if err != nil || len(runs) != 1 || runs[0].Suite != "small" {
		t.Errorf("%v, %v", runs, err)
	}
	if got := collect(t, s, store.Query{}); len(got) != 100 {
		t.Errorf("%d trials", len(got))
	}
}
