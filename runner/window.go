package runner

import (
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// withinWindow bounds a run that began now by its window.
func (o *Options) withinWindow(began time.Time) {
	if o.Window <= 0 {
		return
	}
	if end := began.Add(o.Window); o.Deadline.IsZero() || end.Before(o.Deadline) {
		o.Deadline = end
	}
}

// goneOnWithin bounds a run that is continued by the window that began with its first session. One that has ended
// launches nothing, and is only read again.
func (o *Options) goneOnWithin(history *journal.History) error {
	if o.Window <= 0 || history.Decided() && o.Extend == 0 {
		return nil
	}
	began, err := time.Parse(time.RFC3339Nano, history.Header.Began)
	if err != nil {
		return errReplay
	}
	if !time.Now().Before(began.Add(o.Window)) {
		// Trials of now would be of another time than those that the run has.
		return &fault.Error{
			Problem: fmt.Sprintf("journal %s cannot be continued: its run began at %s, and the window of %v is over",
				prose.FileName(o.Journal), began.UTC().Format("2006-01-02 15:04:05 UTC"), o.Window),
			Advice: "begin a new run, or give it a longer window in the suite",
		}
	}
	o.withinWindow(began)
	return nil
}
