package ingest

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/input"
)

// spread looks through the files of the stream for runs that several of them name, as
// exports of traces do that overlap. What cannot be read twice, or not at all, is passed
// over: its error comes when its turn does. nil is none.
func (s *Stream) spread(ctx context.Context) (*record.SplitRuns, error) {
	if s.mapping != nil {
		return nil, nil // its records stand for themselves
	}
	first, last := map[string]int{}, map[string]int{}
	for i, name := range s.names {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s.findRuns(ctx, name, func(id string) {
			if at, isKnown := first[id]; !isKnown {
				first[id] = i
			} else if at != i {
				last[id] = i
			}
		})
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(last) == 0 {
		return nil, nil
	}
	return record.NewSpread(last), nil
}

// findRuns hands out the ids of the runs in a file of a format that may spread them.
func (s *Stream) findRuns(ctx context.Context, name string, found func(id string)) {
	if info, err := os.Stat(name); name == "-" || err != nil || !info.Mode().IsRegular() {
		return
	}
	file, err := input.Open(ctx, name)
	if err != nil {
		return
	}
	defer file.Close() // opened for reading: nothing to lose
	plain, err := decompress(&contextReader{ctx, file}, name)
	if err != nil {
		return
	}
	text := bufio.NewReaderSize(plain, record.PrefixBytes)
	prefix, err := text.Peek(record.PrefixBytes)
	if err != nil && err != io.EOF {
		return
	}
	format := s.options.From
	if format == Auto {
		if format, err = detect(prefix); err != nil {
			return
		}
	}
	if ids := formatOf(format).decoder.IDs; ids != nil {
		_ = ids(text, found) // an error comes again when the file is read
	}
}
