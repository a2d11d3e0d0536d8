package judging

import (
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/fingerprint"
)

// BehaviourTests is the choice of a test, the default first.
func BehaviourTests() value.Word[fingerprint.Test] {
	return value.Word[fingerprint.Test]{Kind: "TEST", Words: []fingerprint.Test{
		fingerprint.PermutationT2, fingerprint.ShrunkT2, fingerprint.HotellingT2,
	}}
}
