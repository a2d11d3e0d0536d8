// Package canary makes texts that stand nowhere else, and finds them again: where one comes out, what went in was
// followed.
package canary

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

var pattern = lazy.Regexp(`(?i)CANARY-[0-9a-f]{12}`)

// Of is the canary of a seed, such as CANARY-0123456789ab.
func Of(seed uint64) string { return fmt.Sprintf("CANARY-%012x", seeded.Scramble(seed)&(1<<48-1)) }

// Find is the first canary in a text; "" is none.
func Find(text string) string { return pattern().FindString(text) }
