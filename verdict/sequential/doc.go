// Package sequential judges a recording as a sequential test would have: see [Judge].
package sequential
