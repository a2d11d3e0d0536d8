// Package recording holds what comparisons and sequential tests need of recorded trials:
// see [Recording].
package recording
