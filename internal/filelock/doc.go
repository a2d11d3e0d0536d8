// Package filelock locks files between processes. A lock is of an open file and ends with it, and with its process, so
// that none outlives who was killed; on systems without such locks it is a file beside, which does.
//
//	unlock, err := filelock.Exclusive(file) // or [ErrLocked]
package filelock

import "errors"

// ErrLocked says that another process, or another open file of this one, has the lock. Where something that a killed
// process left may be in the way, an error that wraps it says what to remove.
var ErrLocked = errors.New("another process has it open")
