//go:build unix

package looks

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
)

// A pipe in the place of a ledger is refused, and not waited for.
func TestPipeIsNoLedger(t *testing.T) {
	file := filepath.Join(t.TempDir(), File)
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Count(InFile(file), entry("a", verdict.Fail), Sight{}); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
}
