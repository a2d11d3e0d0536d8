// Package thorough says whether tests draw all that they can or only as much as notices a mistake in a change.
//
// A change is tested in minutes: sweeps, simulations and properties draw few. With TEST_THOROUGH in the environment,
// as .ci/nightly sets it, the same tests draw all of it:
//
//	runs := thorough.Draws(200, 20_000)
package thorough

import "os"

// Asked says whether everything is to be drawn: the environment variable TEST_THOROUGH is set and not empty.
func Asked() bool { return os.Getenv("TEST_THOROUGH") != "" }

// Draws returns how much a test draws: all where that is asked for, else few.
func Draws(few, all int) int {
	if Asked() {
		return all
	}
	return few
}
