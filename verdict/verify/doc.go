// Package verify reads saved results and recomputes them. [Decode] reads any kind, strictly;
// [Verify] judges it again from the options and the evidence that it holds, and compares
// every figure and text. What a result holds no raw values for is named in the
// [Verification].
package verify
