package judging

import (
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/flagtype"
	"github.com/tribunal-dev/tribunal/fingerprint"
)

// BehaviourTests is the choice of a test, the default first.
func BehaviourTests() flagtype.Word[fingerprint.Test] {
	return flagtype.Word[fingerprint.Test]{Kind: "TEST", Words: []fingerprint.Test{
		fingerprint.PermutationT2, fingerprint.ShrunkT2, fingerprint.HotellingT2,
	}}
}
