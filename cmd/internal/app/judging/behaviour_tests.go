package judging

import (
	"github.com/tribunal-dev/tribunal/fingerprint"
)

// BehaviourTests are the tests of behaviour to choose from, the default first.
var BehaviourTests = []fingerprint.Test{fingerprint.PermutationT2, fingerprint.ShrunkT2, fingerprint.HotellingT2}
