package fingerprint

import (
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
)

// ErrTooFewTrials says that a test or an estimate needs more trials than there
// are. The error that wraps it says how many. It is that of [hotelling.Test] too.
var ErrTooFewTrials = hotelling.ErrTooFewTrials

// ErrNoSharedScenario says that no scenario was tried on both sides.
var ErrNoSharedScenario = errors.New("no scenario was tried on both sides")

// Warning says what weakens a result without making it unusable.
type Warning struct {
	Code Code   `json:"code"` // which kind it is
	Text string `json:"text"` // for a person
}

// Code names a kind of warning; codes are stable, texts are not.
type Code string

// The warnings of this package. Those without an exported name are for people: no
// caller does anything else because of them.
const (
	ErrorTrials      Code = "error-trials"      // trials without a verdict were left out
	unsharedScenario Code = "unshared-scenario" // scenarios that one side alone tried were left out
	unknownColumn    Code = "unknown-column"    // a column is unknown in too many trials and was left out
	partlyUnknown    Code = "partly-unknown"    // trials are parted by whether they know a column
	unmatchedTrials  Code = "unmatched-trials"  // trials without one of the other side to change places with
	inputClusters    Code = "input-clusters"    // inputs that one side alone tried change sides as a whole
	stoppedSide      Code = "stopped-side"      // trials are compared with those of the same outcome
	drawnTrials      Code = "drawn-trials"      // of more trials than are compared, some were drawn
	daysApart        Code = "days-apart"        // the sides were not recorded at the same time
	NothingVaries    Code = "nothing-varies"    // no column varies, and there is nothing to test
	nominalLevel     Code = "nominal-level"     // alpha holds under the assumptions of the test alone
	CannotReject     Code = "cannot-reject"     // not even the clearest difference would be significant
	fewCalibration   Code = "few-calibration"   // the covariance is estimated from few trials
)

func warning(code Code, format string, arguments ...any) Warning {
	return Warning{code, fmt.Sprintf(format, arguments...)}
}
