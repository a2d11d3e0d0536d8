// Package recheck compares a saved result with the one that its evidence gives. [Verify]
// asks a result to judge itself again (Rejudge), and a [Walk] then goes over both, field by
// field as they are named in JSON, and stops at the first difference.
//
// A document may be forged or damaged in any way, so nothing in it is trusted but what the
// rest is computed from; [Within] places a difference that was found in a part.
package recheck
