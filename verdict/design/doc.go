// Package design holds what results say of sequential designs: their boundaries, their
// exact characteristics, and the estimates where a test ends.
package design
