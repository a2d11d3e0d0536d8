package base

import (
	"context"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/memory"
)

// memoryFlag is of all commands.
const memoryFlag = "max-memory"

// memorySize is how much memory a command may take, in bytes; 0 is the default.
type memorySize int64

func (m *memorySize) Set(text string) error {
	// No machine has more.
	bytes, err := value.ParseSize(text, 1<<50)
	switch {
	case err != nil:
		return err
	case bytes < memory.Least:
		return fmt.Errorf("must be at least %dMiB", memory.Least>>20)
	}
	*m = memorySize(bytes)
	return nil
}

func (m *memorySize) String() string {
	if *m == 0 {
		return ""
	}
	return value.SizeText(int64(*m))
}

func (m *memorySize) Type() string { return "SIZE" }

// registerMemory registers the flag for a tree of commands.
func registerMemory(flags *pflag.FlagSet) {
	flags.Var(new(memorySize), memoryFlag,
		"memory to keep to; what needs more is refused (default 2GiB, or half of the machine's)")
	flags.Lookup(memoryFlag).DefValue = ""
}

// ceiling is what the flag says, or the default.
func ceiling(flags *pflag.FlagSet) int64 {
	if flag := flags.Lookup(memoryFlag); flag != nil {
		if size, ok := flag.Value.(*memorySize); ok && *size > 0 {
			return int64(*size)
		}
	}
	return memory.DefaultCeiling()
}

// withinMemory gives a command its budget. Where the process is the command's own, the runtime is told as well, and
// what no budget has foreseen ends the command before the system ends the process.
func withinMemory(ctx context.Context, a *world.World, flags *pflag.FlagSet) context.Context {
	most := ceiling(flags)
	if a.OwnProcess {
		keepTo(most)
		if s := session.Of(ctx); s != nil {
			go watchMemory(ctx, most, s.End)
		}
	}
	return memory.With(ctx, memory.New(most))
}

// keepTo lets the runtime collect garbage more often near the ceiling. Who has set a lower limit by the variable
// GOMEMLIMIT keeps it.
func keepTo(most int64) {
	if limit := most / 8 * 7; limit < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(limit)
	}
}

// watchInterval is how often the memory is looked at. Chosen: a program fills some 100 MiB in the meantime.
const watchInterval = 50 * time.Millisecond

// watchMemory ends a command whose memory, garbage that is not yet collected included, goes beyond the
// ceiling.
func watchMemory(ctx context.Context, most int64, end func(error)) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchInterval):
		}
		metrics.Read(samples)
		if taken := samples[0].Value.Uint64() - samples[1].Value.Uint64(); taken > uint64(most) {
			end(&memory.Error{Ceiling: most})
			return
		}
	}
}
