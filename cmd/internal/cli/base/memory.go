package base

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/kept"
	"github.com/tribunal-dev/tribunal/internal/memory"
)

// memorySize is how much memory a command may take, in bytes; 0 is the default.
var memorySize = option.Type[int64]{
	Unit: "SIZE",
	Text: func(bytes int64) string {
		if bytes == 0 {
			return ""
		}
		return value.SizeText(bytes)
	},
	Parse: func(text string) (int64, error) {
		bytes, err := value.Size(text, 1<<50) // no machine has more
		if err == nil && bytes < memory.Least {
			err = fmt.Errorf("must be at least %dMiB", memory.Least>>20)
		}
		return bytes, err
	},
}

// within gives a command its budget of memory, and a folder for what takes long to compute. Where the process is the
// command's own, the runtime is told of the budget as well, and what no budget has foreseen ends the command before the
// system ends the process.
func within(ctx context.Context, a *world.World) context.Context {
	most := cmp.Or(a.MaxMemory, memory.DefaultCeiling())
	if a.OwnProcess {
		ctx = kept.In(ctx, "tribunal")
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
