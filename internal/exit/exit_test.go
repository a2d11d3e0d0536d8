package exit_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

func TestNewIsASentinel(t *testing.T) {
	one, other := exit.New(exit.Input, "same"), exit.New(exit.Input, "same")
	wrapped := fmt.Errorf("a file: %w", one)
	if !errors.Is(wrapped, one) || errors.Is(wrapped, other) || one.Error() != "same" {
		t.Errorf("%v is %v, or %v", wrapped, one, other)
	}
	var coded interface{ ExitCode() int }
	if !errors.As(wrapped, &coded) || coded.ExitCode() != 65 {
		t.Errorf("%v has no exit code", wrapped)
	}
}
