//go:build race

package built

// race is the flag of the detector that these tests are built with.
const race = "-race"
