package verdict

import (
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// DifferenceError names the first figure of a saved result that is not what its raw
// outcomes come to.
type DifferenceError struct {
	Path       string // such as scenarios[3].passes
	Have, Want string // in the result, and recomputed
}

// ExitCode is that of input that cannot be used.
func (e *DifferenceError) ExitCode() int { return exit.Input }

func (e *DifferenceError) Error() string {
	return fmt.Sprintf("%s is %s, and the outcomes give %s", e.Path, e.Have, e.Want)
}

// ErrNoOutcomes says that a result holds no raw outcomes to recompute it from.
var ErrNoOutcomes = errors.New("the result holds no raw outcomes")
