// Package recording holds what comparisons and sequential tests need of recorded trials. A
// [Recording] takes trials one by one ([Recording.Add]) or counts of them
// ([Recording.AddCount], [OfCounts]), and keeps outcomes, metrics and hashes of inputs, not
// contents. [Sides] and [TrialsOf] are the form that results hold.
package recording
