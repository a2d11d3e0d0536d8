// Package verify reads saved results and recomputes them. [Decode] reads any kind, strictly;
// [Verify] judges it again from the options and the evidence that it holds, and compares
// every figure and text. What a result holds no raw values for is named in the
// [Verification].
//
//	result, err := verify.Decode(text)
//	done, err := verify.Verify(ctx, result)
//	fmt.Println(done.Compared, "figures and texts agree; not recomputed:", done.Skipped)
//
// The work is done elsewhere: every result has a method Rejudge, in a file rejudge.go of its
// own package, and package verdict/internal/recheck compares the two. Here are only the
// list of all kinds, [Kinds], that of other documents (besides.go), and reading (decode.go).
package verify
