package base

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/memory"
)

// What no budget has foreseen ends the command: the process keeps more than the ceiling, and whoever watches says so
// once.
func TestMemoryThatNobodyCountedEndsTheCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const most = 64 << 20
	ended := make(chan error, 2)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		watchMemory(ctx, most, func(err error) { ended <- err })
	}()
	var held [][]byte
	for range most>>20 + 1 {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 512 {
			block[i] = 1
		}
		held = append(held, block)
	}
	<-watching
	runtime.KeepAlive(held)
	var beyond *memory.Error
	if err := <-ended; !errors.As(err, &beyond) || beyond.Ceiling != most || beyond.ExitCode() != exit.Input {
		t.Errorf("ended with %v", err)
	}
	if len(ended) > 0 {
		t.Errorf("ended twice, with %v", <-ended)
	}
}

// Who stays below the ceiling is left alone, and the watch ends with the command.
func TestMemoryBelowTheCeilingIsLeftAlone(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*watchInterval+time.Millisecond)
	defer cancel()
	watchMemory(ctx, math.MaxInt64, func(err error) { t.Errorf("ended with %v", err) })
}
