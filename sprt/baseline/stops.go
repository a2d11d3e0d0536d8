package baseline

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
)

// Limits reads the saved form of boundaries; an error says what is wrong with it.
func (r StopsRecord) Limits() (sprt.Boundaries, error) {
	if _, err := sprt.NewBoundaries(r.MaxTrials); err != nil {
		return sprt.Boundaries{}, err
	}
	d := decoder{text: r.Boundaries}
	b := d.boundaries(r.MaxTrials, &lists{})
	if err := d.end(); err != nil {
		return sprt.Boundaries{}, fmt.Errorf("boundaries of a sample: %w", err)
	}
	return b, nil
}
