package runner

import (
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// WindowError says that a run cannot be gone on with, as the window of its suite is over: trials of now would be of
// another time than those that it has.
type WindowError struct {
	File   string        // the journal
	Began  time.Time     // when the run did
	Window time.Duration // that the suite gives it
}

// Error is the message and the hint.
func (e *WindowError) Error() string { return e.Message() + "; " + e.Hint() }

// Message says when the window was over.
func (e *WindowError) Message() string {
	return fmt.Sprintf("journal %s cannot be gone on with: its run began at %s, and the window of %v is over",
		prose.FileName(e.File), e.Began.UTC().Format("2006-01-02 15:04:05 UTC"), e.Window)
}

// Hint says what to do instead.
func (e *WindowError) Hint() string {
	return "begin a new run, or give it a longer window in the suite"
}

// ExitCode is that of input that cannot be used.
func (e *WindowError) ExitCode() int { return exit.Input }

// withinWindow bounds a run that began now by its window.
func (o *Options) withinWindow(began time.Time) {
	if o.Window <= 0 {
		return
	}
	if end := began.Add(o.Window); o.Deadline.IsZero() || end.Before(o.Deadline) {
		o.Deadline = end
	}
}

// goneOnWithin bounds a run that is gone on with by the window that began with its first session. One that has ended
// launches nothing, and is only read again. The error is a [WindowError].
func (o *Options) goneOnWithin(history *journal.History) error {
	if o.Window <= 0 || history.Decided() && o.Extend == 0 {
		return nil
	}
	began, err := time.Parse(time.RFC3339Nano, history.Header.Began)
	if err != nil {
		return ErrReplay
	}
	if !time.Now().Before(began.Add(o.Window)) {
		return &WindowError{o.Journal, began, o.Window}
	}
	o.withinWindow(began)
	return nil
}
