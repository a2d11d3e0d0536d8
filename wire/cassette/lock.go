package cassette

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/filelock"
)

// ErrInUse says that another process has the file open: sessions that record one conversation at a time, line by line,
// would each take the other's place, and what one has half written the other would cut off.
var ErrInUse = errors.New("the cassette is in use")

// opening is held while a file is opened or closed, so that no line that is half written is taken for a torn one.
var opening sync.RWMutex

// holds are the files that this process has open, under the lock opening. Of several openings of one file all have one
// lock: a process does not wait for itself.
var holds []*hold

// hold is a file that this process has locked: shared with others that replay it, or for itself alone.
type hold struct {
	file   *os.File // of its own: the lock lasts as long as any opening
	unlock func() error
	alone  bool
	opened int
}

// holdOf locks a file, for this process alone where it is to be written. What is no regular file has no lock.
func holdOf(f *os.File, write bool) (*hold, error) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	for _, h := range holds {
		if other, err := h.file.Stat(); err == nil && os.SameFile(info, other) {
			return h, h.again(write)
		}
	}
	how := os.O_RDONLY
	if write {
		how = os.O_RDWR // without which some file systems lock nothing for one alone
	}
	own, err := os.OpenFile(f.Name(), how, 0)
	if err != nil {
		return nil, fmt.Errorf("the cassette cannot be opened: %w", err)
	}
	h := &hold{file: own, alone: write, opened: 1}
	if err := h.lock(); err != nil {
		_ = own.Close() // nothing was written
		return nil, err
	}
	holds = append(holds, h)
	return h, nil
}

// again is another opening of a file that this process has locked.
func (h *hold) again(write bool) error {
	if write && !h.alone {
		h.alone = true
		if err := h.lock(); err != nil {
			h.alone = false
			return errors.Join(err, h.lock()) // which it had
		}
	}
	h.opened++
	return nil
}

// lock takes the lock.
func (h *hold) lock() (err error) {
	if h.alone {
		h.unlock, err = filelock.Exclusive(h.file)
	} else {
		h.unlock, err = filelock.Shared(h.file)
	}
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, filelock.ErrLocked) && !h.alone:
		h.unlock = func() error { return nil } // where files cannot be locked, they can be read
		return nil
	case !errors.Is(err, filelock.ErrLocked):
		return fmt.Errorf("the cassette %s cannot be locked: %w", h.file.Name(), err)
	case h.alone:
		return fmt.Errorf("%s: %w: %w, and recording takes it alone; wait until that has ended, or name another file",
			h.file.Name(), ErrInUse, err)
	}
	return fmt.Errorf("%s: %w: %w to record it; wait until that has ended", h.file.Name(), ErrInUse, err)
}

// release lets go of the lock with the last opening. The lock opening is held.
func (h *hold) release() error {
	if h == nil {
		return nil
	}
	if h.opened--; h.opened > 0 {
		return nil
	}
	holds = slices.DeleteFunc(holds, func(other *hold) bool { return other == h })
	return errors.Join(h.unlock(), h.file.Close())
}
