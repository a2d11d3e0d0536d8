package runner

import (
	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/trial"
)

// RemoveKeys removes what looks like a key of a service from a trial that was recorded elsewhere, as a run does from
// what it notes in its journal.
func RemoveKeys(t *trial.Trial) { removeFrom(t, redact.Of(nil)) }
