// Package verify reads saved results, and recomputes them from the raw outcomes that they
// hold: see [Decode] and [Verify].
package verify
