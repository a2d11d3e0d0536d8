// Package sequential judges a recording as a sequential test would have. [Judge] goes over
// the trials in the order of the recording, or shuffled by a seed, and its [Result] says
// where the test would have stopped, with which verdict, and what the rest cost.
package sequential
